/*
 * tpcc_help.h - worlds of TPC-C, and shares within four standard errors.
 */
#ifndef TESTS_WORKLOAD_TPCC_HELP_H
#define TESTS_WORKLOAD_TPCC_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "workload/tpcc/names.h"
#include "workload/tpcc/nurand.h"
#include "workload/tpcc/permutation.h"
#include "workload/tpcc/tpcc.h"

static inline struct tpcc_world make_world(int32_t warehouses, int32_t sets, const char *mix,
                                           int home)
{
    struct tpcc_options options = {
        .warehouses = warehouses, .tables = sets, .mix = mix, .home = home, .fillfactor = 100
    };
    struct tpcc_world world = { .sets = 0 };
    struct error err = { 0 };

    assert_true(tpcc_open(&world, &options, &err));
    tpcc_set_data_seed(&world, 1);
    return world;
}

static inline void assert_share(const char *what, int64_t part, int64_t whole, double wanted)
{
    double found = (double)part / (double)whole;
    double borne = 4 * sqrt(wanted * (1 - wanted) / (double)whole);

    if (fabs(found - wanted) > borne)
        fail_msg("%s: %.5f of %lld, wanted %.5f +- %.5f", what, found, (long long)whole, wanted,
                 borne);
}

#endif
