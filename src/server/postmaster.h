/*
 * postmaster.h - starts and stops the process; knows nothing of settings.
 */
#ifndef SERVER_POSTMASTER_H
#define SERVER_POSTMASTER_H

#include <stdbool.h>

#include "base/error.h"
#include "server/home.h"
#include "server/server.h"

/* Starts it through pg_ctl and waits until it answers. What it said when it could not is in `err`.
 */
bool postmaster_start(const struct home *home, const struct server_install *install,
                      struct error *err);
/* Ends all sessions, waits until it is gone. True when it did not run. */
bool postmaster_stop(const struct home *home, const struct server_options *options,
                     struct error *err);

#endif
