/*
 * find_rate.h - the highest rate that meets a limit of response time: `run --find-rate
 * 'p99<=20ms'`.
 *
 * A closed loop tells first what the server can do at all; the rate is then found by halving what
 * is between the highest that met the limit and the lowest that did not; last it is measured at 50,
 * 70 and 90 % of what was found, where one would run it. Every try is a run of its own with a
 * result that stays, and find-rate.json beside them tells which is which.
 */
#ifndef COMMAND_FIND_RATE_H
#define COMMAND_FIND_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define FIND_TRIES_MAX 8
#define FIND_CLOSE     0.03 /* near enough: so much between what met the limit and what did not */

struct find_limit {
    char figure[8]; /* "p99", "mean", "max" */
    double ms;
};
/* "p99<=20ms", "mean<=1ms", "max<=1s". ERROR_USAGE. Pure. */
bool find_limit_read(const char *text, struct find_limit *limit, struct error *err);

/* Where the rate is; the caller sets `high` to what is beyond it and zeroes the rest. */
struct find_search {
    double low, high; /* met the limit; did not */
    int tries;
};
/* The rate to try next; 0: it is found, and `low` is it (0: none met the limit). Pure. */
double find_next(const struct find_search *search);
void find_take(struct find_search *search, double rate, bool met);

struct command_call;

/* The whole of it, with the options that `call` has read; prints as it goes. The exit code. */
enum error_kind find_rate_run(struct command_call *call, const char *limit, struct error *err);

#endif
