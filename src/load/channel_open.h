/*
 * channel_open.h - connecting, and other calls of libpq that wait, in a thread that can be left.
 */
#ifndef LOAD_CHANNEL_OPEN_H
#define LOAD_CHANNEL_OPEN_H

#include "load/channel.h"

/* Runs it in a thread of its own that takes no signals and is not waited for. False: no thread. */
bool channel_beside(void *(*work)(void *context), void *context);

/* PQconnectdbParams(), left after load_stop() or at the care's bound. Owned; NULL with `err` filled
 * when it was left: ERROR_INTERRUPTED or ERROR_SERVER. */
PGconn *channel_connect(const char *const *keys, const char *const *values,
                        const struct channel_care *care, struct error *err);

#endif
