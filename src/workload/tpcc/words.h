/*
 * words.h - random texts of TPC-C clause 4.3.2: a-strings, n-strings, zip codes.
 *
 * Each writes without a NUL and gives the length.
 */
#ifndef WORKLOAD_TPCC_WORDS_H
#define WORKLOAD_TPCC_WORDS_H

#include "base/rng.h"
#include "workload/workload.h"

#define ZIP_LENGTH 9

/* Letters and digits, `low` to `high` of them (clause 4.3.2.2). */
int draw_letters(char *out, int low, int high, struct rng *rng);
/* Exactly `count` digits. */
int draw_digits(char *out, int count, struct rng *rng);
/* Four digits and 11111 (clause 4.3.2.7). */
int draw_zip(char out[ZIP_LENGTH], struct rng *rng);
/* Puts ORIGINAL somewhere into `length` letters (clause 4.3.3.1). */
void mark_original(char *letters, int length, struct rng *rng);

/* The same as columns of a row in COPY: letters, and the five columns of an address (two streets,
 * city, state, zip). */
#define LETTERS_MAX 500
void say_letters(struct copy_row *row, int low, int high, struct rng *rng);
void say_address(struct copy_row *row, struct rng *rng);

#endif
