/*
 * watch.c - see watch.h.
 */
#include "command/watch.h"

json_t *watch_end(struct collect_watch *watch, struct collect *collect, struct engine *engine,
                  json_t *notes)
{
    const struct engine_facts *facts = engine_facts(engine);
    const int64_t *kinds = recorder_totals(engine_recorder(engine), PHASE_MEASURE)->queries;
    json_t *told = collect_watch_told(watch, collect, facts->interrupted, notes);
    int64_t queries = 0;

    for (int i = 0; i < QUERY_KINDS; i++)
        queries += kinds[i];
    json_object_set_new(
        told, "machine",
        collect_watch_machine(watch, facts->measure_begin_ns, facts->measure_end_ns, queries));
    return told;
}
