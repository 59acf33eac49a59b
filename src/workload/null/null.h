/*
 * null.h - the workload that asks no server: it measures pgdyno itself.
 */
#ifndef WORKLOAD_NULL_NULL_H
#define WORKLOAD_NULL_NULL_H

#include "workload/workload.h"

extern const struct workload workload_null;

#endif
