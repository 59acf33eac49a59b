/*
 * outages.c - see outages.h.
 */
#include "command/outages.h"

#include <math.h>

#include "base/clock.h"
#include "engine/engine.h"

static json_t *seconds(int64_t ns)
{
    return json_real(round((double)ns / (double)NS_PER_US) / 1e6);
}

json_t *outages_json(const struct engine_facts *facts)
{
    json_t *list = json_array();

    for (int i = 0; i < facts->outage_count; i++) {
        const struct engine_outage *outage = &facts->outages[i];
        json_t *row = json_object();
        json_object_set_new(row, "at_s", seconds(outage->begin_ns - facts->start_ns));
        json_object_set_new(row, "seconds", seconds(outage->end_ns - outage->begin_ns));
        json_object_set_new(row, "ended", json_boolean(outage->ended));
        json_object_set_new(row, "code", json_string(outage->code));
        json_object_set_new(row, "failed", json_integer(outage->failed));
        json_object_set_new(row, "unknown", json_integer(outage->unknown));
        json_object_set_new(row, "refused", json_integer(outage->refused));
        json_array_append_new(list, row);
    }
    return list;
}
