/*
 * signals.c - see signals.h. One run is made at a time, so what is to be stopped is known here.
 */
#include "command/signals.h"

#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/leave.h"
#include "collect/collect.h"
#include "engine/engine.h"
#include "load/load.h"

#define LAST_CHANCE_NS (250 * NS_PER_MS) /* for what is quick to write after the second signal */

static struct engine *volatile engine_to_stop;
static struct collect *volatile collect_to_hurry;
static volatile sig_atomic_t told, is_checking;
static timer_t last_chance; /* SIGALRM when it is over */
static bool has_timer;

static const char too_soon[] = "\npgdyno: interrupted before anything was measured\n";
static const char again[] = "\npgdyno: interrupted again, the result is not written\n";

static void leave(void)
{
    leave_at_once(ERROR_INTERRUPTED, engine_to_stop != NULL ? again : too_soon);
}

static void end_last_chance(int number)
{
    (void)number;
    leave();
}

/* Whatever the program waits for meanwhile. */
static void begin_last_chance(void)
{
    const struct itimerspec once = { .it_value.tv_nsec = LAST_CHANCE_NS };

    if (!has_timer || timer_settime(last_chance, 0, &once, NULL) != 0)
        leave();
}

static void stop(int number)
{
    struct engine *engine = engine_to_stop;
    struct collect *collect = collect_to_hurry;

    (void)number;
    told++;
    if (engine == NULL && collect != NULL && told == 1) {
        begin_last_chance();
        collect_interrupt(collect);
    }
    if (engine == NULL || told > 2)
        leave();
    engine_stop(engine);
    if (is_checking)
        load_stop();
    if (told < 2)
        return;
    if (collect != NULL)
        collect_hurry(collect);
    begin_last_chance();
}

void signals_catch(struct signals *signals)
{
    /* One at a time: the first may not be interrupted by the second in the middle of its work. */
    struct sigaction action = { .sa_handler = stop };
    const struct sigaction alarm = { .sa_handler = end_last_chance };
    struct sigevent by_alarm = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    told = 0;
    has_timer = timer_create(CLOCK_MONOTONIC, &by_alarm, &last_chance) == 0;
    sigaction(SIGALRM, &alarm, &signals->before_alarm);
    sigaction(SIGINT, &action, &signals->before_interrupt);
    sigaction(SIGTERM, &action, &signals->before_terminate);
}

void signals_watch(struct collect *collect)
{
    collect_to_hurry = collect;
}

void signals_keep(struct engine *engine, struct collect *collect)
{
    collect_to_hurry = collect;
    engine_to_stop = engine;
}

void signals_checking(bool checking)
{
    is_checking = checking;
}

void signals_release(const struct signals *signals)
{
    sigaction(SIGINT, &signals->before_interrupt, NULL);
    sigaction(SIGTERM, &signals->before_terminate, NULL);
    if (has_timer)
        timer_delete(last_chance);
    has_timer = false;
    sigaction(SIGALRM, &signals->before_alarm, NULL);
    engine_to_stop = NULL;
    collect_to_hurry = NULL;
}
