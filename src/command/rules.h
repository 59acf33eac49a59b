/*
 * rules.h - what the rules of a benchmark say of a run: its headlines, and the shares that must lie
 * within bounds.
 *
 * A share that was counted in few cases lies outside of its bounds by chance alone. Three standard
 * deviations of such a count decide: when they are wider than the bounds the verdict is "too few",
 * unless the share is further off than even they explain.
 */
#ifndef COMMAND_RULES_H
#define COMMAND_RULES_H

#include <jansson.h>
#include <stdint.h>

struct plan;
struct recorder;
struct workload;

/* "pass", "fail" or "too few". Pure. */
const char *rules_judge(double share, double deviation, double low, double high);
/* The standard deviation of part / whole when it is a share within these bounds: binomial below 1,
 * that of so many parts by chance above. Pure. */
double rules_deviation(int64_t whole, double low, double high);

struct rules_facts {
    const struct workload *workload;
    const void *world;
    const struct plan *plan;
    struct recorder *recorder;
    int64_t measured_ns;
};
/* As result.json has them; owned. */
json_t *rules_tallies(const struct rules_facts *facts);
json_t *rules_rates(const struct rules_facts *facts);
json_t *rules_headlines(const struct rules_facts *facts);

#endif
