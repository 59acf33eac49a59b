/*
 * permutation.h - numbers shuffled by a key, any of them without the others.
 *
 * Clause 4.3.3.1 wants the customers of a district in random order among its orders, each once.
 * Rows are made one by one and by whoever comes first, so the order is computed: a Feistel network
 * over the next even number of bits, walked on until it falls within the range (Black and Rogaway
 * 2002).
 */
#ifndef WORKLOAD_TPCC_PERMUTATION_H
#define WORKLOAD_TPCC_PERMUTATION_H

#include <stdint.h>

/* Where `index` of 0..count-1 goes, within the same range; another for each other index. */
int64_t permute(uint64_t key, int64_t count, int64_t index);

#endif
