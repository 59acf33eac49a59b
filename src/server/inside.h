/*
 * inside.h - what is done within a server of ours once it answers: its database, the password for
 * TCP, and the proof that its settings are in force.
 */
#ifndef SERVER_INSIDE_H
#define SERVER_INSIDE_H

#include <stdbool.h>

#include "base/error.h"
#include "server/home.h"
#include "server/settings.h"

/* Makes the database if it is not there; with TCP, a new password into role and passfile. */
bool inside_prepare(const struct home *home, struct error *err);
/* Each of `settings` is in force, and by our file: ERROR_PLAN names one that is not. */
bool inside_verify(const struct home *home, const struct settings *settings, struct error *err);

#endif
