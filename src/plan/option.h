/*
 * option.h - an option exists once, as a row of a table.
 *
 * The rows drive everything that knows options: the command line, --help, the man page, shell
 * completion, the keys of a plan file and the plan in a result's JSON. A row writes its value at an
 * offset into the struct of its group; who reads the value owns the row.
 */
#ifndef PLAN_OPTION_H
#define PLAN_OPTION_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

enum option_type {
    OPTION_FLAG,        /* bool; bare, or on/off/true/false/yes/no/1/0 */
    OPTION_WHOLE,       /* int64_t; 10000, 10k, 1e7 when whole */
    OPTION_REAL,        /* double */
    OPTION_TEXT,        /* const char *, in the plan's arena */
    OPTION_CHOICE,      /* int: the value of the choice named */
    OPTION_DURATION,    /* int64_t ns; "10" is seconds, "250ms", "5min", "1h" */
    OPTION_SIZE,        /* int64_t bytes; "64", "64kB", "8MB", "1GB", powers of 1024 */
    OPTION_PERCENTILES, /* struct percentiles; "50,95,99.9" */
};

struct choice {
    const char *word;
    int value;
    const char *help;
};
/* The value of a word that is known and refused; its help is the sentence that says why. */
#define CHOICE_REFUSED INT_MIN

#define PERCENTILES_MAX 16
struct percentiles {
    int count;
    double percent[PERCENTILES_MAX]; /* ascending, 0 < p <= 100 */
};

enum option_mark {
    OPTION_SECRET = 1, /* may hold a password: overwritten in argv, never shown (design D11) */
    OPTION_HIDDEN = 2, /* not in --help: a spelling of another tool, or for tests */
    OPTION_SHAPES = 4, /* part of what was run: kept in the result, compared between results */
    OPTION_ALSO = 8,   /* not in JSON: another row owns the value, or it says nothing of the run */
    OPTION_IGNORED = 16, /* read, checked, written nowhere; a note says so unless it is a choice */
    OPTION_REFUSED =
        32, /* known and refused: `help` is the sentence that says what to do instead */
    OPTION_MINUTES = 64, /* of a duration: a bare number is minutes, as another tool has it */
    OPTION_SCALES = 128, /* says how much data there are: a plan's --scale-factor multiplies it */
};

/* A row. Tables end with a row whose name is NULL. Every text is there (a unit test walks them). */
struct option {
    const char *name; /* "rand-type"; '-' and '_' are the same when read */
    char letter;      /* 'c' for -c, or 0 */
    enum option_type type;
    size_t at;            /* offset in the group's struct */
    const char *fallback; /* the default, as it would be typed; NULL: none (zero or NULL) */
    double low, high;     /* allowed range, inclusive; both 0: any non-negative number. Durations in
                           * seconds, sizes in bytes */
    const struct choice *choices; /* ended by word NULL; for numbers: words that stand for one */
    unsigned marks;               /* enum option_mark, or-ed */
    const char *unit;    /* "rows", "s"; "file" or "folder" for a text that is a path; NULL */
    const char *aliases; /* other spellings, comma separated: "events,max-requests"; NULL */
    const char *topic;   /* heading in --help: "target", "load", "output", or the family's name */
    const char *since;   /* version that brought it */
    const char *help;    /* one line, below 70 characters, no full stop */
    const char *text;    /* a paragraph for the man page; NULL when help says all */
};

/* Rows together with the struct they write into. */
struct option_group {
    const struct option *rows;
    void *base;
};

/* Where a value came from, for messages. */
struct option_source {
    const char *file; /* NULL: the command line */
    int line;
};

/* Writes every row's fallback, and zero or NULL where there is none. Texts are copied into the
 * arena. Aborts on a fallback that does not parse: the tables are ours. */
void option_defaults(const struct option_group *groups, int group_count, struct arena *arena);

/* The row of that name, else of that alias, and the group it is in; NULL when there is none. */
const struct option *option_find(const struct option_group *groups, int group_count,
                                 const char *name, const struct option_group **group);
/* The spelling nearest to an unknown one (edit distance), or NULL when none is near. */
const char *option_nearest(const struct option_group *groups, int group_count, const char *name);

/* Parses and writes one value. ERROR_USAGE: name, what was found, what is allowed. */
bool option_set(const struct option *row, void *base, const char *value, struct arena *arena,
                struct error *err);

#define OPTION_WORDS_MAX 256
#define OPTION_NOTES_MAX 32

/* A command line being read. The caller sets the inputs and zeroes the rest. */
struct option_argv {
    const struct option_group *groups;
    int group_count;
    int argc; /* argv[0..argc): no program name, no verb */
    char **argv;
    struct arena *arena;
    /* what came of it: */
    const char *words[OPTION_WORDS_MAX]; /* what is no option, in order; borrowed from argv */
    int word_count;
    const char *notes[OPTION_NOTES_MAX]; /* for the person at the terminal; in the arena */
    int note_count;
    const struct option *given[OPTION_WORDS_MAX]; /* rows that were said, in order */
    int given_count;
};

/* Walks argv. Options may stand anywhere; "--" ends them; `--name=value`, `--name value`, `-c 8`,
 * `-c8`, `--flag`, `--flag on`, `--no-flag`. The values of OPTION_SECRET rows are overwritten in
 * argv as soon as they are copied, and a note is left when a password was among them. Unknown names
 * get the nearest real one suggested. ERROR_USAGE. */
bool option_read_argv(struct option_argv *args, struct error *err);
/* Was this row said, by its own name or in another tool's spelling? */
bool option_given(const struct option_argv *args, const char *name);

/* ---- what is made from the rows ---- */

/* The value as it would be typed (secrets give "..."), in the arena. */
const char *option_show(const struct option *row, const void *base, struct arena *arena);
/* True when the value is the fallback's. */
bool option_is_default(const struct option *row, const void *base);
/* {"name": value, ...} of all rows that own a value and are not secret; durations in seconds, sizes
 * in bytes; a word that stands for a number as text. Owned. */
json_t *option_json(const struct option_group *group);

/* `topics` picks the rows of --help and the man page: topics and names of single rows, separated by
 * commas; NULL picks all. Hidden rows are never picked. */
bool option_picked(const struct option *row, const char *topics);
/* The same without looking at what is hidden: the rows that such a verb reads. */
bool option_in_topics(const struct option *row, const char *topics);
/* Lines for --help, a heading a topic, aligned, at most 100 columns. */
void option_write_help(FILE *out, const struct option *rows, const char *topics);
/* The same on a narrower terminal. */
void option_write_help_within(FILE *out, const struct option *rows, const char *topics,
                              int columns);
/* The word for a value in help: "N", "TEXT", "DIR"; NULL for a flag. */
const char *option_value_word(const struct option *row);
/* mdoc items for the man page, sorted by topic, then as in the table. */
void option_write_man(FILE *out, const struct option *rows, const char *topics);
/* A text as mdoc: the first letter large, wrapped, a sentence a line; no newline at the end. */
void option_write_mdoc(FILE *out, const char *words);

#endif
