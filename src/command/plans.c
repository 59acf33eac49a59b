/*
 * plans.c - see plans.h.
 */
#include "command/plans.h"

#include <string.h>

#include "base/memory.h"

json_t *plans_ask(struct collect *collect, const struct engine *engine)
{
    struct collect_statement *list;
    struct engine_statement statement;
    int count = 0, asked = 0;
    json_t *plans;

    if (collect == NULL || engine_facts(engine)->pooling != POOLING_NONE)
        return NULL;
    while (engine_statement(engine, count, &statement))
        count++;
    list = MEMORY_ARRAY(struct collect_statement, count + 1);
    for (int i = 0; i < count && engine_statement(engine, i, &statement); i++)
        if (statement.sql != NULL)
            list[asked++] = (struct collect_statement){ .name = statement.name,
                                                        .sql = statement.sql,
                                                        .types = statement.types,
                                                        .type_count = statement.type_count };
    plans = collect_plans(collect, list, asked);
    memory_free(list);
    return plans;
}

bool plans_expected(const json_t *plans, const struct workload *workload, const void *world,
                    struct error *err)
{
    if (workload->any_plan != NULL && workload->any_plan(world))
        return true;
    for (int i = 0; i < workload_statement_count(workload); i++) {
        const struct statement *statement = &workload->statements[i];
        const char *shape =
            json_string_value(json_object_get(json_object_get(plans, statement->name), "shape"));
        if (statement->wants != NULL && shape != NULL && strstr(shape, statement->wants) == NULL)
            return error_set(err, ERROR_PLAN,
                             "the plan of %s is %s, without %s, so the run would measure something "
                             "else: ANALYZE the tables, look at the settings of the planner, or "
                             "say --any-plan",
                             statement->name, shape, statement->wants);
    }
    return true;
}
