/*
 * conninfo.h - connection strings: checking, changing and showing them without their secrets.
 *
 * libpq alone knows what a connection string means, so its parser is used for everything and no
 * list of keywords is kept here: what this libpq knows, pgdyno knows. A secret is what libpq marks
 * as one (PQconninfoOption's dispchar '*'), and a few more by name that it does not mark. Both
 * forms are meant everywhere: "host=a user=b" and "postgresql://b@a". Any thread.
 */
#ifndef WIRE_CONNINFO_H
#define WIRE_CONNINFO_H

#include <stdbool.h>

#include "base/error.h"

/* Does libpq understand it? ERROR_USAGE with libpq's reason; pieces of the string that may be part
 * of a secret are "..." in it. Nothing is looked up or connected. */
bool conninfo_check(const char *conninfo, struct error *err);

/* The same connection with `key` set to `value`, whether it was there or not; a NULL value takes it
 * out. In key=value form, owned. What libpq does not understand comes back unchanged, so that the
 * reason is told by whoever connects. */
char *conninfo_with(const char *conninfo, const char *key, const char *value);

/* Could the load sessions go through the encryption that is asked for here or in PGGSSENCMODE?
 * ERROR_PLAN with the reason: not when it must be GSSAPI's. */
bool conninfo_check_encryption(const char *conninfo, struct error *err);

/* Its value of `key`, or NULL when it does not say (defaults and PG* variables are not asked).
 * Owned. */
char *conninfo_value(const char *conninfo, const char *key);

/* The same connection with its lists of hosts, addresses and ports begun at place `by` (any number;
 * counted round): hosts a,b,c by 1 are b,c,a. For spreading sessions over a list. Owned. */
char *conninfo_rotated(const char *conninfo, int by);

/* Replaces every secret of `conninfo`, and PGPASSWORD, by "..." in a message, in place; it never
 * grows. To be called on all that libpq says before it is shown or stored. */
void conninfo_scrub(const char *conninfo, char *text);

/* For showing: key=value form without the secrets, owned; "..." when libpq does not understand
 * it. */
char *conninfo_public(const char *conninfo);

#endif
