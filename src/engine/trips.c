/*
 * trips.c - see trips.h.
 */
#include "engine/trips.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/wire.h"

void trips_open(struct session *sessions, int count, struct engine_facts *facts)
{
    int64_t room = TRIPS_MAX / count > 0 ? TRIPS_MAX / count : 1;

    if (!sessions[0].run->workload->keeps_times)
        return;
    facts->trips = MEMORY_ARRAY(struct engine_trips, count);
    for (int i = 0; i < count; i++) {
        facts->trips[i].list = MEMORY_ARRAY(struct engine_trip, room);
        facts->trips[i].room = room;
        sessions[i].trips = &facts->trips[i];
    }
}

void trips_close(struct session *sessions, struct engine_facts *facts)
{
    for (int i = 0; facts->trips != NULL && i < facts->sessions_open; i++) {
        sessions[i].trips = NULL;
        memory_free(facts->trips[i].list);
    }
    memory_free(facts->trips);
    facts->trips = NULL;
}

void trips_keep(struct session *session)
{
    struct engine_trips *trips = session->trips;

    if (trips->count == trips->room) {
        trips->missed++;
        return;
    }
    trips->list[trips->count++] =
        (struct engine_trip){ session->sent_ns, session->io->now_ns - session->sent_ns };
}

void trips_network(const struct session *sessions, int count, struct engine_facts *facts)
{
    struct engine_network *network = &facts->network;
    int64_t sum_us = 0;

    for (int i = 0; i < count; i++) {
        struct wire_tcp tcp;
        if (sessions[i].wire == NULL || !wire_tcp(sessions[i].wire, &tcp))
            continue;
        if (tcp.min_rtt_us > 0 &&
            (network->min_ns == 0 || tcp.min_rtt_us * NS_PER_US < network->min_ns))
            network->min_ns = tcp.min_rtt_us * NS_PER_US;
        network->sockets++;
        network->retransmits += tcp.retransmits;
        sum_us += tcp.rtt_us;
    }
    if (network->sockets > 0)
        network->mean_ns = sum_us * NS_PER_US / network->sockets;
}
