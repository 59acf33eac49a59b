/*
 * option_value.h - a value between its text and its field. Private to the room.
 */
#ifndef PLAN_OPTION_VALUE_H
#define PLAN_OPTION_VALUE_H

#include "plan/option.h"

struct option_value {
    bool flag;
    int choice;
    int64_t whole; /* also nanoseconds and bytes */
    double real;
    const char *text; /* borrowed */
    struct percentiles list;
};

/* Text to value, with every check that a row can express. ERROR_USAGE. */
bool option_parse(const struct option *row, const char *text, struct option_value *value,
                  struct error *err);

/* Between a value and the row's field. Texts are copied into the arena. */
void option_load(const struct option *row, const void *base, struct option_value *value);
void option_store(const struct option *row, void *base, const struct option_value *value,
                  struct arena *arena);
bool option_same(const struct option *row, const struct option_value *a,
                 const struct option_value *b);

/* The word of a number's choices that stands for it, or NULL. */
const char *option_word(const struct option *row, const struct option_value *value);

/* Numbers are read exactly, in any locale. True when `text` is one from end to end and fits. */
bool option_read_whole(const char *text, int64_t *number);                /* 10000, 10k, 1e7 */
bool option_read_real(const char *text, double *number);                  /* 0.5, 1e3, 10k */
bool option_read_duration(const char *text, int64_t *ns);                 /* 10, 250ms, 1h30m */
bool option_read_size(const char *text, int64_t *bytes);                  /* 64, 8MB */
bool option_read_flag(const char *text, bool *flag);                      /* on, off, ... */
bool option_read_percentiles(const char *text, struct percentiles *list); /* 50,95,99.9 */

/* For help and man page: a flag that --no-NAME turns off; a default worth a mention; the first row
 * of its topic among those picked, since rows of a topic need not stand together. */
bool option_is_on(const struct option *row);
bool option_has_default(const struct option *row);
bool option_begins_topic(const struct option *rows, const struct option *row, const char *topics);

/* Whether two names are the same: '-' and '_' are. */
bool option_name_same(const char *a, const char *b);

#endif
