/*
 * world.c - what the options come to.
 */
#include <stdlib.h>
#include <string.h>

#include "workload/tpcc/permutation.h"
#include "workload/tpcc/tpcc.h"

/* A card each: 10, 10, 1, 1 and 1 (clause 5.2.4.2). */
static const double deck[TPCC_KINDS] = { 10, 10, 1, 1, 1 };
#define CARDS     23
#define DECK_SALT UINT64_C(0x6465636b)

/* Reads "45,43,4,4,4". */
static bool read_weights(double weights[TPCC_KINDS], const char *words)
{
    double sum = 0;

    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        char *end;
        weights[kind] = strtod(words, &end);
        if (end == words || !(weights[kind] >= 0 && weights[kind] <= 1e9) ||
            *end != (kind < TPCC_KINDS - 1 ? ',' : '\0'))
            return false;
        sum += weights[kind];
        words = end + 1;
    }
    return sum > 0;
}

bool tpcc_open(void *world, const void *options, struct error *err)
{
    struct tpcc_world *tpcc = world;

    tpcc->options = *(const struct tpcc_options *)options;
    tpcc->warehouses = (int32_t)tpcc->options.warehouses;
    tpcc->sets = (int32_t)tpcc->options.tables;
    tpcc->deck = strcmp(tpcc->options.mix, "deck") == 0;
    if (tpcc->deck)
        memcpy(tpcc->weights, deck, sizeof deck);
    else if (!read_weights(tpcc->weights, tpcc->options.mix))
        return error_set(err, ERROR_USAGE,
                         "--mix '%.80s' is no mix: give five shares, of New-Order, Payment, "
                         "Order-Status, Delivery and Stock-Level, such as 45,43,4,4,4, or 'deck'",
                         tpcc->options.mix);
    return true;
}

void tpcc_set_data_seed(void *world, int64_t data_seed)
{
    ((struct tpcc_world *)world)->data_seed = (uint64_t)data_seed;
}

bool tpcc_ask(struct text *sql, const void *world, int index)
{
    if (index > 0)
        return false;
    text_add(sql, "SELECT min(there)::bigint FROM (");
    for (int set = 1; set <= tpcc_set_count(world); set++)
        text_format(sql, "%sSELECT coalesce(max(w_id), 0) AS there FROM warehouse%d",
                    set > 1 ? " UNION ALL " : "", set);
    text_add(sql, ") AS all_sets");
    return true;
}

void tpcc_answer(void *world, int index, int64_t number)
{
    (void)index;
    ((struct tpcc_world *)world)->loaded = number;
}

bool tpcc_accept(const void *world, struct error *err)
{
    const struct tpcc_world *tpcc = world;

    return tpcc->loaded >= tpcc->warehouses ||
           error_set(err, ERROR_PLAN,
                     "the tables have %lld warehouses and %d are asked for: say --warehouses %lld, "
                     "or load more",
                     (long long)tpcc->loaded, tpcc->warehouses, (long long)tpcc->loaded);
}

int tpcc_set_count(const void *world)
{
    return ((const struct tpcc_world *)world)->sets;
}

double tpcc_weight(const void *world, int kind)
{
    return ((const struct tpcc_world *)world)->weights[kind];
}

static int pick_by_weight(const struct tpcc_world *world, struct rng *rng)
{
    double sum = 0, at;

    for (int kind = 0; kind < TPCC_KINDS; kind++)
        sum += world->weights[kind];
    at = rng_unit(rng) * sum;
    for (int kind = 0; kind < TPCC_KINDS; kind++) {
        at -= world->weights[kind];
        if (at < 0)
            return kind;
    }
    return TPCC_KIND_NEW_ORDER; /* Rounding took the rest. */
}

/* The next card of the stream's deck; each deck is shuffled anew. */
static int pick_card(const struct draw *draw)
{
    uint64_t key = rng_mix(draw->key ^ DECK_SALT) ^ draw->sequence / CARDS;
    int64_t card = permute(rng_mix(key), CARDS, (int64_t)(draw->sequence % CARDS));
    int kind = 0;

    for (; card >= (int64_t)deck[kind]; kind++)
        card -= (int64_t)deck[kind];
    return kind;
}

int tpcc_pick(const void *world, struct draw *draw)
{
    const struct tpcc_world *tpcc = world;

    return tpcc->deck ? pick_card(draw) : pick_by_weight(tpcc, &draw->rng);
}

bool tpcc_has_remote(const void *world)
{
    return ((const struct tpcc_world *)world)->warehouses > 1;
}
