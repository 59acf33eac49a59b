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
#include <stdbool.h>
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
    const json_t *figures; /* for headlines that are no counts, or NULL */
};
/* As result.json has them. */
struct rules_told {
    json_t *headlines, *tallies, *rates;
    json_t *terminals; /* NULL without them */
};
void rules_tell(struct rules_told *told, const struct rules_facts *facts);
void rules_release(struct rules_told *told);

/* A share within bounds, and the object that tells it; owned. Pure. */
struct rules_row {
    const char *name, *words, *source; /* source NULL: none */
    int64_t part, whole;
    double low, high;
    bool not_applicable;
};
json_t *rules_row(const struct rules_row *row);

#endif
