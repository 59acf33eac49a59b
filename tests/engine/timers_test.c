/*
 * timers_test.c - the heap of timers against the simplest model: a list that is searched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine/session.h"
#include "engine/timers.h"

#define MODEL_MAX 300
#define STEPS     20000

struct model {
    struct timer timers[MODEL_MAX];
    int count;
};

static int64_t model_next(const struct model *model)
{
    int64_t next_ns = INT64_MAX;

    for (int i = 0; i < model->count; i++)
        if (model->timers[i].due_ns < next_ns)
            next_ns = model->timers[i].due_ns;
    return next_ns;
}

/* Takes that session's timer out; false when it does not wait for that instant. */
static bool model_take(struct model *model, const struct session *session, int64_t due_ns)
{
    for (int i = 0; i < model->count; i++)
        if (model->timers[i].session == session && model->timers[i].due_ns == due_ns) {
            model->timers[i] = model->timers[--model->count];
            return true;
        }
    return false;
}

static void as_the_model(void **state)
{
    static struct session sessions[MODEL_MAX]; /* only their addresses */
    struct model model = { .count = 0 };
    struct timers timers;
    struct rng rng;
    int64_t now_ns = 0, taken = 0, next_ns;

    (void)state;
    rng_init(&rng, 1, 2, 3);
    timers_init(&timers, 4); /* it grows */
    for (int step = 0; step < STEPS; step++) {
        if (model.count < MODEL_MAX && rng_between(&rng, 0, 9) < 6) {
            int64_t due_ns = now_ns + rng_between(&rng, -5, 50); /* many are equal */
            struct session *session = &sessions[rng_between(&rng, 0, MODEL_MAX - 1)];
            timers_add(&timers, due_ns, session);
            model.timers[model.count++] = (struct timer){ .due_ns = due_ns, .session = session };
        } else {
            now_ns += rng_between(&rng, 0, 3);
        }
        next_ns = model_next(&model);
        assert_int_equal(timers_next_ns(&timers), next_ns);
        if (rng_between(&rng, 0, 3) > 0)
            continue;
        for (struct session *session; (session = timers_take(&timers, now_ns)) != NULL; taken++) {
            assert_true(next_ns <= now_ns);
            assert_true(model_take(&model, session, next_ns));
            next_ns = model_next(&model);
        }
        assert_true(next_ns > now_ns);
    }
    assert_true(taken > STEPS / 4);
    assert_int_equal(timers.count, model.count);
    timers_close(&timers);
}

static void empty(void **state)
{
    struct timers timers;

    (void)state;
    timers_init(&timers, 1);
    assert_null(timers_take(&timers, INT64_MAX));
    assert_true(timers_next_ns(&timers) == INT64_MAX);
    timers_close(&timers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),
        cmocka_unit_test(empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
