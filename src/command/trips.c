/*
 * trips.c - see trips.h. A round trip goes through the network, perhaps a pooler, and the server.
 * The kernel times the first of these by itself: what is above it belongs to the others.
 */
#include "command/trips.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/engine.h"
#include "store/store.h"

#define TRIPS_FILE     "round_trips.csv"
#define TRIPS_FILE_MAX ((size_t)256 << 20)

static json_t *in_units(int64_t ns, double unit)
{
    return json_real(round((double)ns / unit * 1e6) / 1e6);
}

json_t *trips_network_json(const struct engine_facts *facts)
{
    const struct engine_network *network = &facts->network;
    json_t *json;

    if (network->sockets == 0)
        return NULL;
    json = json_object();
    json_object_set_new(json, "sockets", json_integer(network->sockets));
    json_object_set_new(json, "min_rtt_ms",
                        network->min_ns > 0 ? in_units(network->min_ns, NS_PER_MS) : json_null());
    json_object_set_new(json, "rtt_ms", in_units(network->mean_ns, NS_PER_MS));
    json_object_set_new(json, "retransmits", json_integer(network->retransmits));
    return json;
}

static int compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

    return (one > other) - (one < other);
}

/* All times in ascending order, and the file's lines beside. Owned. */
static int64_t *gather(const struct engine_facts *facts, int64_t count, struct text *lines)
{
    int64_t *took_ns = MEMORY_ARRAY(int64_t, count);
    int64_t at = 0;

    text_add(lines, "connection,at_s,ms\n");
    for (int i = 0; i < facts->sessions_open; i++)
        for (int64_t k = 0; k < facts->trips[i].count; k++) {
            const struct engine_trip *trip = &facts->trips[i].list[k];
            took_ns[at++] = trip->took_ns;
            text_format(lines, "%d,%.6f,%.6f\n", i + 1,
                        (double)(trip->at_ns - facts->start_ns) / (double)NS_PER_S,
                        (double)trip->took_ns / (double)NS_PER_MS);
        }
    qsort(took_ns, (size_t)count, sizeof *took_ns, compare);
    return took_ns;
}

/* By nearest rank. */
static int64_t rank(const int64_t *sorted, int64_t count, double percent)
{
    int64_t place = (int64_t)ceil((double)count * percent / 100);

    return sorted[place > 0 ? place - 1 : 0];
}

json_t *trips_json(const struct engine_facts *facts, struct store *store)
{
    int64_t count = 0, missed = 0, *sorted, tcp_ns = facts->network.min_ns;
    struct text lines;
    json_t *json;

    for (int i = 0; facts->trips != NULL && i < facts->sessions_open; i++) {
        count += facts->trips[i].count;
        missed += facts->trips[i].missed;
    }
    if (count == 0)
        return NULL;
    text_init(&lines, TRIPS_FILE_MAX);
    sorted = gather(facts, count, &lines);
    store_file(store, TRIPS_FILE, lines.bytes, lines.length);
    json = json_object();
    json_object_set_new(json, "count", json_integer(count));
    json_object_set_new(json, "not_kept", json_integer(missed));
    json_object_set_new(json, "min_us", in_units(sorted[0], NS_PER_US));
    json_object_set_new(json, "p50_us", in_units(rank(sorted, count, 50), NS_PER_US));
    json_object_set_new(json, "p99_us", in_units(rank(sorted, count, 99), NS_PER_US));
    json_object_set_new(json, "max_us", in_units(sorted[count - 1], NS_PER_US));
    json_object_set_new(json, "tcp_rtt_us", tcp_ns > 0 ? in_units(tcp_ns, NS_PER_US) : json_null());
    json_object_set_new(json, "above_tcp_us",
                        tcp_ns > 0 ? in_units(rank(sorted, count, 50) - tcp_ns, NS_PER_US)
                                   : json_null());
    json_object_set_new(json, "file", json_string(TRIPS_FILE));
    text_close(&lines);
    memory_free(sorted);
    return json;
}
