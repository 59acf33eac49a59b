/*
 * watch_test.c - the watch over an open loop's schedule: who may claim, and to whom it goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/watch.h"

#define WATCHERS 3
#define FAR_NS   (10 * NS_PER_MS)

struct stage {
    struct watch watch;
    struct watcher watchers[WATCHERS];
};

static void set_up(struct stage *stage)
{
    *stage = (struct stage){ 0 };
    for (int i = 0; i < WATCHERS; i++)
        watch_join(&stage->watch, &stage->watchers[i], eventfd(0, EFD_NONBLOCK));
}

static void tear_down(struct stage *stage)
{
    for (int i = 0; i < WATCHERS; i++)
        close(stage->watchers[i].wake_fd);
}

static bool was_woken(struct watcher *watcher)
{
    uint64_t ignored;

    return read(watcher->wake_fd, &ignored, sizeof ignored) == sizeof ignored;
}

/* Far from the next arrival one claims, and no other. */
static void one_keeps_it(void **state)
{
    struct stage stage;

    (void)state;
    set_up(&stage);
    assert_true(watch_may_claim(&stage.watchers[1], 0));
    watch_claimed(&stage.watchers[1], FAR_NS);
    assert_false(watch_may_claim(&stage.watchers[0], 0));
    assert_false(watch_may_claim(&stage.watchers[2], 0));
    assert_true(watch_may_claim(&stage.watchers[1], 0));
    tear_down(&stage);
}

/* What is due soon, or overdue because the keeper is busy, anybody takes; what they claim does not
 * hide what the keeper waits for. */
static void soon_is_free(void **state)
{
    struct stage stage;

    (void)state;
    set_up(&stage);
    assert_true(watch_may_claim(&stage.watchers[0], 0));
    watch_claimed(&stage.watchers[0], FAR_NS);
    assert_true(watch_may_claim(&stage.watchers[1], FAR_NS - 1000));
    assert_true(watch_may_claim(&stage.watchers[2], FAR_NS + 1000));
    watch_claimed(&stage.watchers[2], 5 * FAR_NS);
    assert_true(watch_may_claim(&stage.watchers[1], FAR_NS));
    tear_down(&stage);
}

/* A keeper without a free session hands it to the next in the ring that has one, and wakes it. */
static void hand_over(void **state)
{
    struct stage stage;

    (void)state;
    set_up(&stage);
    assert_true(watch_may_claim(&stage.watchers[0], 0));
    watch_claimed(&stage.watchers[0], FAR_NS);
    watch_be_willing(&stage.watchers[0], true); /* it has it already */
    watch_be_willing(&stage.watchers[1], false);
    watch_be_willing(&stage.watchers[2], true);
    watch_pass(&stage.watchers[0], true, 1); /* its turn goes on */
    assert_false(was_woken(&stage.watchers[2]));
    watch_pass(&stage.watchers[0], false, 2);
    assert_true(was_woken(&stage.watchers[2]));
    assert_false(was_woken(&stage.watchers[1]));
    assert_true(watch_may_claim(&stage.watchers[2], 3));
    assert_false(watch_may_claim(&stage.watchers[0], 3));
    watch_pass(&stage.watchers[0], false, 4); /* not its own any more: nothing happens */
    assert_true(watch_may_claim(&stage.watchers[2], 5));
    tear_down(&stage);
}

/* With nobody willing it is left, and the first who comes takes it. */
static void left(void **state)
{
    struct stage stage;

    (void)state;
    set_up(&stage);
    assert_true(watch_may_claim(&stage.watchers[0], 0));
    watch_claimed(&stage.watchers[0], FAR_NS);
    watch_pass(&stage.watchers[0], false, 1);
    assert_true(watch_may_claim(&stage.watchers[1], 2));
    assert_false(watch_may_claim(&stage.watchers[0], 3));
    tear_down(&stage);
}

/* Turns end, so that the sessions of all are used; alone, one goes on. */
static void turns(void **state)
{
    struct stage stage;
    int kept[WATCHERS] = { 0 }, keeper = 0;

    (void)state;
    set_up(&stage);
    for (int64_t now_ns = 0; now_ns < 3 * NS_PER_S; now_ns += FAR_NS) {
        assert_true(watch_may_claim(&stage.watchers[keeper], now_ns));
        watch_claimed(&stage.watchers[keeper], now_ns + FAR_NS);
        kept[keeper]++;
        for (int i = 0; i < WATCHERS; i++)
            watch_be_willing(&stage.watchers[i], true);
        watch_pass(&stage.watchers[keeper], true, now_ns);
        for (int i = 0; i < WATCHERS; i++)
            keeper = was_woken(&stage.watchers[i]) ? i : keeper;
    }
    for (int i = 0; i < WATCHERS; i++)
        assert_in_range(kept[i], 80, 120);
    for (int i = 0; i < WATCHERS; i++)
        watch_be_willing(&stage.watchers[i], false);
    watch_pass(&stage.watchers[keeper], true, 100 * NS_PER_S);
    assert_true(watch_may_claim(&stage.watchers[keeper], 100 * NS_PER_S));
    tear_down(&stage);
}

/* A worker that takes no part claims whenever it wants to. */
static void no_part(void **state)
{
    struct watcher watcher = { 0 };

    (void)state;
    assert_true(watch_may_claim(&watcher, 0));
    watch_claimed(&watcher, FAR_NS);
    watch_pass(&watcher, false, 0);
    watch_be_willing(&watcher, true);
    assert_true(watch_may_claim(&watcher, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_keeps_it), cmocka_unit_test(soon_is_free), cmocka_unit_test(hand_over),
        cmocka_unit_test(left),         cmocka_unit_test(turns),        cmocka_unit_test(no_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
