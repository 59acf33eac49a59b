/*
 * option_parse.c - one value: from text, checked against its row, into its field.
 *
 * Messages name the option, what was found and what is allowed. What was found may come from a file
 * of someone else, so control characters are shown as \xNN; a secret is never shown.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "plan/option_value.h"

#define SHOWN_MAX 60 /* bytes of a wrong value that a message repeats */

const char *option_word(const struct option *row, const struct option_value *value)
{
    if (row->type == OPTION_TEXT || row->choices == NULL)
        return NULL;
    for (const struct choice *choice = row->choices; choice->word != NULL; choice++) {
        if (choice->value == CHOICE_REFUSED)
            continue;
        if (row->type == OPTION_CHOICE ? choice->value == value->choice
            : row->type == OPTION_REAL ? (double)choice->value == value->real
                                       : choice->value == value->whole)
            return choice->word;
    }
    return NULL;
}

static const char *form_of(enum option_type type)
{
    switch (type) {
    case OPTION_FLAG:
        return "on or off";
    case OPTION_WHOLE:
        return "a whole number, as 10000, 10k or 1e7";
    case OPTION_REAL:
        return "a number, as 0.5 or 1e3";
    case OPTION_DURATION:
        return "a time, as 10 (seconds), 250ms, 5min or 1h30min";
    case OPTION_SIZE:
        return "a size, as 64kB, 8MB or 1GB";
    case OPTION_PERCENTILES:
        return "at most 16 percentiles above 0 and up to 100, as 50,95,99.9";
    case OPTION_TEXT:
    case OPTION_CHOICE:
        break;
    }
    return "a text";
}

/* "prepared, extended or simple" */
static void add_words(struct text *out, const struct choice *choices)
{
    bool first = true;

    for (const struct choice *choice = choices; choice->word != NULL; choice++) {
        const struct choice *next = choice + 1;

        if (choice->value == CHOICE_REFUSED)
            continue;
        while (next->word != NULL && next->value == CHOICE_REFUSED)
            next++;
        if (!first)
            text_add(out, next->word == NULL ? " or " : ", ");
        text_add(out, choice->word);
        first = false;
    }
}

static bool refuse(const struct option *row, const char *value, const char *wanted,
                   struct error *err)
{
    struct text shown;
    char cut[SHOWN_MAX + 1];

    snprintf(cut, sizeof cut, "%s", value);
    text_init(&shown, ERROR_TEXT_MAX);
    if ((row->marks & OPTION_SECRET) != 0)
        text_add(&shown, "...");
    else
        text_add_safe(&shown, cut);
    if (strlen(value) > SHOWN_MAX)
        text_add(&shown, "...");
    error_set(err, ERROR_USAGE, "--%s=%s: %s", row->name, shown.bytes, wanted);
    text_close(&shown);
    return false;
}

static bool refuse_form(const struct option *row, const char *value, struct error *err)
{
    struct text wanted;

    text_init(&wanted, ERROR_TEXT_MAX);
    text_add(&wanted, "wanted is ");
    if (row->type != OPTION_CHOICE)
        text_add(&wanted, form_of(row->type));
    if (row->choices != NULL) {
        if (row->type != OPTION_CHOICE)
            text_add(&wanted, ", or ");
        add_words(&wanted, row->choices);
    }
    refuse(row, value, wanted.bytes, err);
    text_close(&wanted);
    return false;
}

/* A bound as it would be typed. */
static void add_bound(struct text *out, const struct option *row, double bound)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%.17g", bound);
    if (strlen(digits) > 15)
        snprintf(digits, sizeof digits, "%.6g", bound);
    text_add(out, digits);
    if (row->type == OPTION_DURATION)
        text_add(out, "s");
    if (row->type == OPTION_SIZE)
        text_add(out, " bytes");
}

static bool check_range(const struct option *row, const char *text, double number,
                        struct error *err)
{
    bool bounded = row->low != 0 || row->high != 0;
    struct text wanted;

    if (bounded ? number >= row->low && number <= row->high : number >= 0)
        return true;
    text_init(&wanted, ERROR_TEXT_MAX);
    if (!bounded || number < row->low)
        text_add(&wanted, "too small, the least is ");
    else
        text_add(&wanted, "too large, the most is ");
    add_bound(&wanted, row, !bounded || number < row->low ? row->low : row->high);
    refuse(row, text, wanted.bytes, err);
    text_close(&wanted);
    return false;
}

static const struct choice *find_choice(const struct option *row, const char *text)
{
    for (const struct choice *choice = row->choices; choice != NULL && choice->word != NULL;
         choice++)
        if (option_name_same(choice->word, text))
            return choice;
    return NULL;
}

/* A number without a unit is seconds, or minutes for OPTION_MINUTES. */
static bool parse_duration(const struct option *row, const char *text, int64_t *ns)
{
    size_t length = strlen(text);
    char minutes[SHOWN_MAX + 4];

    if ((row->marks & OPTION_MINUTES) == 0 || length == 0 || length > SHOWN_MAX ||
        !isdigit((unsigned char)text[length - 1]))
        return option_read_duration(text, ns);
    snprintf(minutes, sizeof minutes, "%smin", text);
    return option_read_duration(minutes, ns);
}

static bool parse_form(const struct option *row, const char *text, struct option_value *value)
{
    switch (row->type) {
    case OPTION_FLAG:
        return option_read_flag(text, &value->flag);
    case OPTION_WHOLE:
        return option_read_whole(text, &value->whole);
    case OPTION_REAL:
        return option_read_real(text, &value->real);
    case OPTION_DURATION:
        return parse_duration(row, text, &value->whole);
    case OPTION_SIZE:
        return option_read_size(text, &value->whole);
    case OPTION_PERCENTILES:
        return option_read_percentiles(text, &value->list);
    case OPTION_TEXT:
        value->text = text;
        return true;
    case OPTION_CHOICE:
        break;
    }
    return false;
}

bool option_parse(const struct option *row, const char *text, struct option_value *value,
                  struct error *err)
{
    const struct choice *choice = find_choice(row, text);

    *value = (struct option_value){ 0 };
    if ((row->marks & OPTION_REFUSED) != 0)
        return error_set(err, ERROR_USAGE, "--%s: %s", row->name, row->help);
    if (choice != NULL && choice->value == CHOICE_REFUSED)
        return refuse(row, text, choice->help, err);
    if (choice != NULL) {
        value->choice = choice->value;
        value->whole = choice->value;
        value->real = choice->value;
        return true;
    }
    if (!parse_form(row, text, value))
        return refuse_form(row, text, err);
    switch (row->type) {
    case OPTION_WHOLE:
    case OPTION_SIZE:
        return check_range(row, text, (double)value->whole, err);
    case OPTION_DURATION:
        return check_range(row, text, (double)value->whole / 1e9, err);
    case OPTION_REAL:
        return check_range(row, text, value->real, err);
    case OPTION_FLAG:
    case OPTION_TEXT:
    case OPTION_CHOICE:
    case OPTION_PERCENTILES:
        break;
    }
    return true;
}

void option_load(const struct option *row, const void *base, struct option_value *value)
{
    const void *field = (const char *)base + row->at;

    *value = (struct option_value){ 0 };
    switch (row->type) {
    case OPTION_FLAG:
        value->flag = *(const bool *)field;
        break;
    case OPTION_WHOLE:
    case OPTION_DURATION:
    case OPTION_SIZE:
        value->whole = *(const int64_t *)field;
        break;
    case OPTION_REAL:
        value->real = *(const double *)field;
        break;
    case OPTION_TEXT:
        value->text = *(const char *const *)field;
        break;
    case OPTION_CHOICE:
        value->choice = *(const int *)field;
        break;
    case OPTION_PERCENTILES:
        value->list = *(const struct percentiles *)field;
        break;
    }
}

void option_store(const struct option *row, void *base, const struct option_value *value,
                  struct arena *arena)
{
    void *field = (char *)base + row->at;

    if ((row->marks & (OPTION_IGNORED | OPTION_REFUSED)) != 0)
        return;
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field = value->flag;
        break;
    case OPTION_WHOLE:
    case OPTION_DURATION:
    case OPTION_SIZE:
        *(int64_t *)field = value->whole;
        break;
    case OPTION_REAL:
        *(double *)field = value->real;
        break;
    case OPTION_TEXT:
        *(const char **)field = arena_text(arena, value->text);
        break;
    case OPTION_CHOICE:
        *(int *)field = value->choice;
        break;
    case OPTION_PERCENTILES:
        *(struct percentiles *)field = value->list;
        break;
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool option_same(const struct option *row, const struct option_value *a,
                 const struct option_value *b)
{
    switch (row->type) {
    case OPTION_FLAG:
        return a->flag == b->flag;
    case OPTION_WHOLE:
    case OPTION_DURATION:
    case OPTION_SIZE:
        return a->whole == b->whole;
    case OPTION_REAL:
        return a->real == b->real;
    case OPTION_TEXT:
        return same_text(a->text, b->text);
    case OPTION_CHOICE:
        return a->choice == b->choice;
    case OPTION_PERCENTILES:
        for (int i = 0; i < a->list.count && i < b->list.count; i++)
            if (a->list.percent[i] != b->list.percent[i])
                return false;
        return a->list.count == b->list.count;
    }
    return false;
}
