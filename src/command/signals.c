/*
 * signals.c - see signals.h. One run is made at a time, so what is to be stopped is known here.
 */
#include "command/signals.h"

#include <stddef.h>

#include "base/error.h"
#include "base/leave.h"
#include "collect/collect.h"
#include "engine/engine.h"

static struct engine *volatile engine_to_stop;
static struct collect *volatile collect_to_hurry;
static volatile sig_atomic_t told;

static void stop(int number)
{
    struct engine *engine = engine_to_stop;
    struct collect *collect = collect_to_hurry;

    (void)number;
    told++;
    if (engine == NULL)
        leave_at_once(ERROR_INTERRUPTED, "\npgdyno: interrupted before anything was measured\n");
    if (told > 2)
        leave_at_once(ERROR_INTERRUPTED, "\npgdyno: interrupted, the result is not written\n");
    engine_stop(engine);
    if (told > 1 && collect != NULL)
        collect_hurry(collect);
}

void signals_catch(struct signals *signals)
{
    /* One at a time: the first may not be interrupted by the second in the middle of its work. */
    struct sigaction action = { .sa_handler = stop };

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    told = 0;
    sigaction(SIGINT, &action, &signals->before_interrupt);
    sigaction(SIGTERM, &action, &signals->before_terminate);
}

void signals_keep(struct engine *engine, struct collect *collect)
{
    collect_to_hurry = collect;
    engine_to_stop = engine;
}

void signals_release(const struct signals *signals)
{
    sigaction(SIGINT, &signals->before_interrupt, NULL);
    sigaction(SIGTERM, &signals->before_terminate, NULL);
    engine_to_stop = NULL;
    collect_to_hurry = NULL;
}
