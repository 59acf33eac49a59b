/*
 * values.h - the leaves of a result's tree.
 *
 * JSON has no NaN and no infinity, and its strings are UTF-8; a server's messages need not be. What
 * cannot be said in JSON becomes null (numbers) or \xNN (bytes) here, so that a tree can always be
 * written. All give owned values.
 */
#ifndef STORE_VALUES_H
#define STORE_VALUES_H

#include <jansson.h>
#include <stdint.h>

#include "recorder/recorder.h"

#define VALUES_TEXT_MAX 65536 /* longer texts are cut */

/* Flags for every file that we write: numbers as short as they can be without losing a ns. */
#define VALUES_WRITE_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

json_t *value_text_json(const char *text); /* NULL gives null */
json_t *value_real_json(double number);    /* NaN and infinities give null */
json_t *value_ms_json(double ns);          /* milliseconds, rounded to 1e-6: a ns */
json_t *value_seconds_json(int64_t ns);
/* count / seconds, or null when no time has passed. */
json_t *value_rate_json(int64_t count, int64_t ns);
/* Borrowed becomes owned; NULL becomes null. */
json_t *value_share(json_t *value);

/* The key of an outcome's count: "done" for committed ones, else the outcome's own name. */
const char *value_outcome_key(enum outcome outcome);

#endif
