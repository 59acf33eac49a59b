/*
 * nurand.h - NURand of TPC-C clause 2.1.6: some customers, names and items are wanted more often.
 *
 * The constant C only turns the hot values round the range. Ours are fixed, so that runs of
 * different seeds ask for the same hot rows; those of C_LAST differ between load and run as clause
 * 2.1.6.1 wants, by 65 to 119 and not 96 or 112: by 88, so that a name finds 3.2 customers.
 */
#ifndef WORKLOAD_TPCC_NURAND_H
#define WORKLOAD_TPCC_NURAND_H

#include <stdint.h>

#include "base/rng.h"

#define NURAND_A_LAST     255 /* names, 0..999 */
#define NURAND_A_CUSTOMER 1023
#define NURAND_A_ITEM     8191

#define NURAND_C_LAST_LOAD 173
#define NURAND_C_LAST_RUN  85
#define NURAND_C_CUSTOMER  609
#define NURAND_C_ITEM      5417

/* Within [x, y]; `a` is 255, 1023 or 8191, `c` within [0, a]. */
static inline int64_t nurand(struct rng *rng, int64_t a, int64_t x, int64_t y, int64_t c)
{
    int64_t low_bits = rng_between(rng, 0, a);

    return ((low_bits | rng_between(rng, x, y)) + c) % (y - x + 1) + x;
}

#endif
