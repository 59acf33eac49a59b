/*
 * settings.h - pg_settings as it goes into a result: what differs from default, all of it in
 * short, and no secrets. Pure. Private to the room.
 */
#ifndef COLLECT_SETTINGS_H
#define COLLECT_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

/* Puts "settings", "all_settings" and "pending_restart" into `snapshot` from the rows [{name,
 * value, unit, source, boot, pending_restart}]. */
void settings_put(json_t *snapshot, const json_t *rows);

/* Must the value not be shown? True for what may hold a password, a token or a key. */
bool settings_is_secret(const char *name, const char *value);

#endif
