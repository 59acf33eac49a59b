/* ping.h - SELECT 1, so many times, each round trip kept. */
#ifndef WORKLOAD_PING_PING_H
#define WORKLOAD_PING_PING_H

#include "workload/workload.h"

extern const struct workload workload_ping;

#endif
