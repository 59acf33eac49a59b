/*
 * prepared_test.c - the cache of statements against a model that is too simple to be wrong: a row
 * of keys in order of use, and what each name stands for on a server that refuses a Parse of a name
 * that it still holds (42P05).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/prepared.h"

#define KEYS_MAX 600

struct model {
    int64_t used[KEYS_MAX]; /* most recently used first; -1: free, or dropped */
    int count;
    int64_t held[PREPARED_MAX]; /* by the server, -1: nothing */
};

static void model_init(struct model *model)
{
    model->count = 0;
    for (int i = 0; i < PREPARED_MAX; i++)
        model->held[i] = -1;
}

/* Moves the key to the front; true when it was there. */
static bool model_use(struct model *model, int64_t key, int cap)
{
    int at = 0;
    bool known;

    while (at < model->count && model->used[at] != key)
        at++;
    known = at < model->count;
    if (!known && model->count < cap)
        model->count++;
    if (!known)
        at = model->count - 1;
    memmove(model->used + 1, model->used, (size_t)at * sizeof model->used[0]);
    model->used[0] = key;
    return known;
}

/* What the server does when Close and Parse both arrive. */
static void server_parse(struct model *model, const struct prepared_slot *use, int64_t key)
{
    if (use->evicted)
        model->held[use->slot] = -1;
    assert_int_equal(model->held[use->slot], -1); /* else 42P05 */
    model->held[use->slot] = key;
}

static void check_name(const struct prepared_slot *use)
{
    char name[16];

    snprintf(name, sizeof name, "s%d", use->slot);
    assert_string_equal(use->name, name);
}

static void keeps_the_most_recent(int64_t total, int64_t cap, int uses)
{
    static struct model model;
    struct prepared *prepared = prepared_new(total, cap);
    struct rng rng;
    int misses = 0;

    model_init(&model);
    rng_init(&rng, 1, (uint64_t)total, (uint64_t)cap);
    for (int i = 0; i < uses; i++) {
        /* Often near, sometimes anywhere. */
        int64_t top = rng_between(&rng, 0, 3) > 0 && total > 10 ? total / 5 : total - 1;
        int64_t key = rng_between(&rng, 0, top);
        struct prepared_slot use = prepared_use(prepared, key);

        check_name(&use);
        assert_int_equal(use.fresh, !model_use(&model, key, (int)(cap < total ? cap : total)));
        if (use.fresh)
            server_parse(&model, &use, key);
        assert_int_equal(model.held[use.slot], key);
        misses += use.fresh;
    }
    assert_true(misses > 0);
    prepared_free(prepared);
}

static void lru_as_the_model(void **state)
{
    (void)state;
    keeps_the_most_recent(300, 256, 20000);
    keeps_the_most_recent(600, 40, 20000);
    keeps_the_most_recent(100, 1, 2000);
    keeps_the_most_recent(100, 2, 2000);
    keeps_the_most_recent(41, 40, 5000);
}

static void all_fit(void **state)
{
    (void)state;
    keeps_the_most_recent(100, 100, 5000);
    keeps_the_most_recent(7, 256, 1000);
    keeps_the_most_recent(1, 1, 10);
}

/* More than there are names: the cap is lowered. */
static void no_more_than_there_are_names(void **state)
{
    struct prepared *prepared = prepared_new(PREPARED_MAX + 10, PREPARED_MAX + 10);
    struct prepared_slot use;

    (void)state;
    for (int64_t key = 0; key < PREPARED_MAX; key++) {
        use = prepared_use(prepared, key);
        assert_true(use.fresh && !use.evicted);
        assert_true(use.slot >= 0 && use.slot < PREPARED_MAX);
    }
    use = prepared_use(prepared, PREPARED_MAX);
    assert_true(use.fresh && use.evicted);
    assert_true(prepared_use(prepared, 0).fresh); /* it was the oldest */
    assert_false(prepared_use(prepared, 2).fresh);
    prepared_free(prepared);
}

/* A Parse that was never answered may have been heard or not: whichever, the next use must not meet
 * a name that is taken, and never runs what it did not parse. */
static void doubtful_slots(int64_t total, int64_t cap, int uses)
{
    static struct model model;
    struct prepared *prepared = prepared_new(total, cap);
    struct rng rng;

    model_init(&model);
    rng_init(&rng, 2, (uint64_t)total, (uint64_t)cap);
    for (int i = 0; i < uses; i++) {
        int64_t key = rng_between(&rng, 0, total - 1);
        struct prepared_slot use = prepared_use(prepared, key);
        int64_t what = use.fresh ? rng_between(&rng, 0, 5) : 5;

        check_name(&use);
        if (what == 0) { /* Neither Close nor Parse was heard. */
            prepared_drop(prepared, use.slot);
        } else if (what == 1) { /* Close was heard, Parse was refused. */
            if (use.evicted)
                model.held[use.slot] = -1;
            prepared_drop(prepared, use.slot);
            prepared_drop(prepared, use.slot); /* twice is once */
        } else if (what == 2) {                /* Both were heard, the answer was lost. */
            server_parse(&model, &use, key);
            prepared_drop(prepared, use.slot);
        } else if (use.fresh) {
            server_parse(&model, &use, key);
        }
        if (what > 2)
            assert_int_equal(model.held[use.slot], key);
    }
    prepared_free(prepared);
}

static void drop_leaves_doubt(void **state)
{
    struct prepared *prepared = prepared_new(3, 3);
    struct prepared_slot use;

    (void)state;
    use = prepared_use(prepared, 1);
    prepared_drop(prepared, use.slot);
    use = prepared_use(prepared, 1);
    assert_true(use.fresh && use.evicted);
    use = prepared_use(prepared, 1);
    assert_true(!use.fresh && !use.evicted);
    prepared_free(prepared);
    doubtful_slots(30, 30, 5000);
    doubtful_slots(60, 20, 20000);
    doubtful_slots(60, 1, 2000);
    doubtful_slots(60, 2, 2000);
}

static void forgets_with_the_connection(void **state)
{
    (void)state;
    for (int64_t cap = 2; cap <= 8; cap += 3) {
        struct prepared *prepared = prepared_new(6, cap);

        for (int64_t key = 0; key < 6; key++)
            prepared_use(prepared, key);
        prepared_drop(prepared, prepared_use(prepared, 3).slot);
        prepared_forget(prepared);
        for (int64_t key = 0; key < (cap < 6 ? cap : 6); key++) {
            struct prepared_slot use = prepared_use(prepared, key);
            assert_true(use.fresh && !use.evicted);
            assert_false(prepared_use(prepared, key).fresh);
        }
        prepared_free(prepared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_as_the_model),
        cmocka_unit_test(all_fit),
        cmocka_unit_test(no_more_than_there_are_names),
        cmocka_unit_test(drop_leaves_doubt),
        cmocka_unit_test(forgets_with_the_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
