/*
 * signals.h - SIGINT and SIGTERM while a run is made (design D10).
 *
 * Connecting may block within libpq for as long as the network likes, and nothing is measured yet:
 * until there is a result to keep, a signal ends the program at once; only what the server is asked
 * meanwhile is cancelled. Then the first one stops the
 * engine, which takes less than a second, and the books are closed. The second one waits for
 * neither: what can be written in a quarter of a second is, and then the program is gone whatever
 * it waits for. A third does not wait for that either.
 */
#ifndef COMMAND_SIGNALS_H
#define COMMAND_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct collect;
struct engine;

/* Owned by the caller: what the signals did before. */
struct signals {
    struct sigaction before_interrupt, before_terminate, before_alarm;
};

void signals_catch(struct signals *signals);
/* What the server is asked through it is cancelled when a signal ends the program. Borrowed until
 * signals_release(). */
void signals_watch(struct collect *collect);
/* From now on there is something to keep; `collect` may be NULL. Both are borrowed until
 * signals_release(). */
void signals_keep(struct engine *engine, struct collect *collect);
/* The data are being checked (load_check()): that is not waited for after a signal. */
void signals_checking(bool checking);
void signals_release(const struct signals *signals);

#endif
