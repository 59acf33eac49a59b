/*
 * draw.c - what a virtual user asks for (spec hammerdb 2.1, 2.3, 2.5, 2.6).
 *
 * A session keeps to one warehouse, or with --allwarehouse to its share of them. Items, suppliers
 * and quantities are no input here: the routine in the server draws them.
 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "workload/tpcc/names.h"
#include "workload/tpcc/nurand.h"
#include "workload/tproc/tproc.h"

#define HOME_SALT UINT64_C(0x7470726f632d686f) /* for what a session keeps: place and district */
#define THINK_CUT 10                           /* times the mean (TPC-C clause 5.2.5.4) */

/* Whole seconds, by enum tproc_kind. HammerDB has taken the means of Delivery and Order-Status for
 * each other's. */
static const int key_seconds[TPROC_KINDS] = { 18, 3, 2, 2, 2 };
static const int published_think[TPROC_KINDS] = { 12, 12, 10, 5, 5 };
static const int mended_think[TPROC_KINDS] = { 12, 12, 5, 5, 10 };

/* What this session was given when it began: a warehouse, and the district of its Stock-Levels. */
struct home {
    int32_t warehouse, district;
};

static struct home home_of(const struct tproc_world *world, const struct draw *draw)
{
    struct rng rng;
    struct home home;

    rng_at(&rng, draw->key ^ HOME_SALT, 0);
    home.warehouse = (int32_t)rng_between(&rng, 1, world->warehouses);
    home.district = (int32_t)rng_between(&rng, 1, TPROC_DISTRICTS);
    return home;
}

/* Virtual user n has the warehouses n, n + users, n + 2 users, ..., as many as the fullest has;
 * beyond the last it goes on with the first. */
static int32_t any_of_mine(const struct tproc_world *world, struct draw *draw)
{
    int64_t each = (world->warehouses + draw->streams - 1) / draw->streams;
    int64_t turn = rng_between(&draw->rng, 0, each - 1);

    return (int32_t)((draw->stream + turn * draw->streams) % world->warehouses) + 1;
}

static void draw_place(struct tproc_input *in, const struct tproc_world *world, struct draw *draw)
{
    in->warehouse =
        world->options.allwarehouse ? any_of_mine(world, draw) : home_of(world, draw).warehouse;
    in->district = (int32_t)rng_between(&draw->rng, 1, TPROC_DISTRICTS);
}

static int32_t draw_customer(const struct tproc_world *world, struct rng *rng)
{
    return (int32_t)(world->mended
                         ? nurand(rng, NURAND_A_CUSTOMER, 1, TPROC_CUSTOMERS, NURAND_C_CUSTOMER)
                         : rng_between(rng, 1, TPROC_CUSTOMERS));
}

/* A number is drawn also when the name is what counts. */
static void draw_who(struct tproc_input *in, const struct tproc_world *world, struct rng *rng)
{
    int64_t constant = world->mended ? NURAND_C_LAST_RUN : TPROC_C_LAST;

    in->by_name = rng_between(rng, 1, 100) <= 60;
    in->last[0] = '\0';
    if (in->by_name)
        last_name(in->last, (int)nurand(rng, NURAND_A_LAST, 0, TPROC_NAMED - 1, constant));
    in->customer = draw_customer(world, rng);
}

static void draw_pauses(struct tproc_input *in, const struct tproc_world *world,
                        enum tproc_kind kind, struct rng *rng)
{
    double mean = world->mended ? mended_think[kind] : published_think[kind];
    double think;

    if (!world->options.keyandthink)
        return;
    think = -log(1 - rng_unit(rng)) * mean;
    if (!world->mended)
        think = round(think);
    else if (think > THINK_CUT * mean)
        think = THINK_CUT * mean;
    in->key_ns = key_seconds[kind] * NS_PER_S;
    in->think_ns = (int64_t)(think * NS_PER_S);
}

bool tproc_pauses(const void *world)
{
    return ((const struct tproc_world *)world)->options.keyandthink;
}

int64_t tproc_pause_ns(const void *input, const void *world, bool before)
{
    const struct tproc_input *in = input;

    (void)world;
    return before ? in->key_ns : in->think_ns;
}

void tproc_neword_draw(void *input, const void *world, struct draw *draw)
{
    struct tproc_input *in = input;

    *in = (struct tproc_input){ 0 };
    draw_place(in, world, draw);
    in->customer = draw_customer(world, &draw->rng);
    in->line_count = (int16_t)rng_between(&draw->rng, TPROC_LINES_MIN, TPROC_LINES_MAX);
    draw_pauses(in, world, TPROC_NEWORD, &draw->rng);
}

/* Another warehouse than `home`. */
static int32_t draw_remote(const struct tproc_world *world, int32_t home, struct rng *rng)
{
    int32_t other = (int32_t)rng_between(rng, 1, world->warehouses - 1);

    return other >= home ? other + 1 : other;
}

void tproc_payment_draw(void *input, const void *world, struct draw *draw)
{
    const struct tproc_world *tproc = world;
    struct tproc_input *in = input;
    struct rng *rng = &draw->rng;

    *in = (struct tproc_input){ 0 };
    draw_place(in, world, draw);
    in->customer_warehouse = in->warehouse;
    in->customer_district = in->district;
    if (rng_between(rng, 1, 100) > 85) {
        in->customer_district = (int32_t)rng_between(rng, 1, TPROC_DISTRICTS);
        if (tproc->warehouses > 1)
            in->customer_warehouse = draw_remote(tproc, in->warehouse, rng);
    }
    draw_who(in, world, rng);
    if (tproc->mended)
        snprintf(in->amount, sizeof in->amount, "%.2f",
                 (double)rng_between(rng, 100, 500000) / 100);
    else
        snprintf(in->amount, sizeof in->amount, "%d", (int)rng_between(rng, 1, 5000));
    draw_pauses(in, world, TPROC_PAYMENT, rng);
}

void tproc_delivery_draw(void *input, const void *world, struct draw *draw)
{
    struct tproc_input *in = input;

    *in = (struct tproc_input){ 0 };
    draw_place(in, world, draw);
    in->carrier = (int16_t)rng_between(&draw->rng, 1, 10);
    draw_pauses(in, world, TPROC_DELIVERY, &draw->rng);
}

void tproc_slev_draw(void *input, const void *world, struct draw *draw)
{
    struct tproc_input *in = input;

    *in = (struct tproc_input){ 0 };
    draw_place(in, world, draw);
    in->district = home_of(world, draw).district;
    in->threshold = (int16_t)rng_between(&draw->rng, 10, 20);
    draw_pauses(in, world, TPROC_SLEV, &draw->rng);
}

void tproc_ostat_draw(void *input, const void *world, struct draw *draw)
{
    struct tproc_input *in = input;

    *in = (struct tproc_input){ 0 };
    draw_place(in, world, draw);
    draw_who(in, world, &draw->rng);
    draw_pauses(in, world, TPROC_OSTAT, &draw->rng);
}
