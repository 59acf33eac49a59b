/*
 * plans.c - see plans.h.
 */
#include "command/plans.h"

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
