/*
 * option_write.c - what is made from the rows: values as text and JSON, and --help.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/option_value.h"

#define HELP_COLUMNS 100
#define HELP_LEFT    30 /* a longer left side pushes its help to the next line */
#define TEXT_LIMIT   8192

/* ---- values ---- */

static const char *show_duration(int64_t ns, struct arena *arena)
{
    static const struct {
        const char *word;
        int64_t ns;
    } units[] = {
        { "h", INT64_C(3600000000000) },
        { "min", INT64_C(60000000000) },
        { "s", 1000000000 },
        { "ms", 1000000 },
        { "us", 1000 },
        { "ns", 1 },
    };
    size_t i = 0;

    if (ns == 0)
        return "0s";
    while (ns % units[i].ns != 0)
        i++;
    return arena_format(arena, "%lld%s", (long long)(ns / units[i].ns), units[i].word);
}

static const char *show_size(int64_t bytes, struct arena *arena)
{
    static const char *const units[] = { "", "kB", "MB", "GB", "TB" };
    int i = 0;

    while (i < 4 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    return arena_format(arena, "%lld%s", (long long)bytes, units[i]);
}

/* The shortest digits that read back as the same number, without an exponent where one can do
 * without. */
static const char *show_real(double number, struct arena *arena)
{
    double size = fabs(number);
    bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
    char digits[40];

    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number && (!plain || strchr(digits, 'e') == NULL))
            break;
    }
    return arena_text(arena, digits);
}

static const char *show_percentiles(const struct percentiles *list, struct arena *arena)
{
    const char *shown = "";

    for (int i = 0; i < list->count; i++)
        shown = arena_format(arena, "%s%s%s", shown, i > 0 ? "," : "",
                             show_real(list->percent[i], arena));
    return shown;
}

const char *option_show(const struct option *row, const void *base, struct arena *arena)
{
    struct option_value value;
    const char *word;

    if ((row->marks & OPTION_SECRET) != 0)
        return "...";
    if ((row->marks & (OPTION_IGNORED | OPTION_REFUSED)) != 0)
        return "";
    option_load(row, base, &value);
    word = option_word(row, &value);
    if (word != NULL)
        return word;
    switch (row->type) {
    case OPTION_FLAG:
        return value.flag ? "on" : "off";
    case OPTION_WHOLE:
        return arena_format(arena, "%lld", (long long)value.whole);
    case OPTION_REAL:
        return show_real(value.real, arena);
    case OPTION_DURATION:
        return show_duration(value.whole, arena);
    case OPTION_SIZE:
        return show_size(value.whole, arena);
    case OPTION_PERCENTILES:
        return show_percentiles(&value.list, arena);
    case OPTION_TEXT:
        return value.text != NULL ? value.text : "";
    case OPTION_CHOICE:
        break;
    }
    return "?";
}

static json_t *value_json(const struct option *row, const struct option_value *value)
{
    const char *word = option_word(row, value);
    json_t *list;

    if (word != NULL)
        return json_string(word);
    switch (row->type) {
    case OPTION_FLAG:
        return json_boolean(value->flag);
    case OPTION_WHOLE:
    case OPTION_SIZE:
        return json_integer(value->whole);
    case OPTION_REAL:
        return json_real(value->real);
    case OPTION_DURATION:
        return json_real((double)value->whole / 1e9);
    case OPTION_PERCENTILES:
        list = json_array();
        for (int i = 0; i < value->list.count; i++)
            json_array_append_new(list, json_real(value->list.percent[i]));
        return list;
    case OPTION_TEXT:
        /* What is not UTF-8 has no place in JSON; bytes are kept as best as can be: not at all. */
        list = value->text != NULL ? json_string(value->text) : NULL;
        return list != NULL ? list : json_null();
    case OPTION_CHOICE:
        break;
    }
    return json_null();
}

json_t *option_json(const struct option_group *group)
{
    const unsigned without = OPTION_SECRET | OPTION_ALSO | OPTION_IGNORED | OPTION_REFUSED;
    json_t *object = json_object();

    for (const struct option *row = group->rows; row->name != NULL; row++) {
        struct option_value value;

        if ((row->marks & without) != 0)
            continue;
        option_load(row, group->base, &value);
        json_object_set_new(object, row->name, value_json(row, &value));
    }
    return object;
}

/* ---- --help ---- */

const char *option_value_word(const struct option *row)
{
    switch (row->type) {
    case OPTION_FLAG:
        break;
    case OPTION_WHOLE:
    case OPTION_REAL:
        return "N";
    case OPTION_TEXT:
        if (row->unit != NULL && strcmp(row->unit, "file") == 0)
            return "FILE";
        return row->unit != NULL && strcmp(row->unit, "folder") == 0 ? "DIR" : "TEXT";
    case OPTION_CHOICE:
        return "WORD";
    case OPTION_DURATION:
        return "TIME";
    case OPTION_SIZE:
        return "SIZE";
    case OPTION_PERCENTILES:
        return "LIST";
    }
    return NULL;
}

/* "  -c, --connections N" */
static void add_left(struct text *out, const struct option *row)
{
    if (row->letter != 0)
        text_format(out, "  -%c, ", row->letter);
    else
        text_add(out, "      ");
    text_format(out, "--%s%s", option_is_on(row) ? "[no-]" : "", row->name);
    if (option_value_word(row) != NULL)
        text_format(out, " %s", option_value_word(row));
}

bool option_is_on(const struct option *row)
{
    return row->type == OPTION_FLAG && row->fallback != NULL && strcmp(row->fallback, "on") == 0;
}

bool option_has_default(const struct option *row)
{
    return row->fallback != NULL && row->type != OPTION_FLAG && *row->fallback != '\0' &&
           strcmp(row->fallback, "0") != 0;
}

static void add_choices(struct text *out, const struct option *row, const char *between)
{
    bool first = true;

    for (const struct choice *choice = row->choices; choice != NULL && choice->word != NULL;
         choice++) {
        if (choice->value == CHOICE_REFUSED)
            continue;
        text_format(out, "%s%s", first ? "" : between, choice->word);
        first = false;
    }
}

static void add_right(struct text *out, const struct option *row)
{
    text_add(out, row->help);
    if (row->type == OPTION_CHOICE) {
        text_add(out, ": ");
        add_choices(out, row, ", ");
    }
    if (option_has_default(row)) {
        bool percent = row->unit != NULL && strcmp(row->unit, "%") == 0;

        text_format(out, " [%s%s]", row->fallback, percent ? " %" : "");
    }
}

/* Prints words from column `left` on, wrapped; the cursor is at `column`. */
static void write_wrapped(FILE *out, const char *words, int left, int column, int columns)
{
    bool begun = false;

    while (*words != '\0') {
        /* A default is one word, whatever is in it. */
        int length = (int)strcspn(words, *words == '[' ? "]" : " ");

        length += words[length] == ']';
        if (begun && column + 1 + length > columns) {
            fputc('\n', out);
            column = 0;
            begun = false;
        }
        if (!begun && column < left) {
            fprintf(out, "%*s", left - column, "");
            column = left;
        }
        fprintf(out, "%s%.*s", begun ? " " : "", length, words);
        column += length + begun;
        begun = true;
        words += length + (words[length] == ' ');
    }
    fputc('\n', out);
}

static int left_width(const struct option *rows, const char *topics)
{
    struct text left;
    int width = 0;

    text_init(&left, TEXT_LIMIT);
    for (const struct option *row = rows; row->name != NULL; row++) {
        if (!option_picked(row, topics))
            continue;
        text_clear(&left);
        add_left(&left, row);
        if ((int)left.length > width && left.length <= HELP_LEFT)
            width = (int)left.length;
    }
    text_close(&left);
    return width;
}

static void write_row(FILE *out, const struct option *row, int width, int columns)
{
    struct text left, right;
    int column;

    text_init(&left, TEXT_LIMIT);
    text_init(&right, TEXT_LIMIT);
    add_left(&left, row);
    add_right(&right, row);
    column = (int)left.length;
    fputs(left.bytes, out);
    if (column > width) {
        fputc('\n', out);
        column = 0;
    }
    write_wrapped(out, right.bytes, width + 2, column, columns);
    text_close(&left);
    text_close(&right);
}

/* True for the first picked row of its topic: rows of a topic need not stand together. */
bool option_begins_topic(const struct option *rows, const struct option *row, const char *topics)
{
    for (const struct option *before = rows; before != row; before++)
        if (option_picked(before, topics) && strcmp(before->topic, row->topic) == 0)
            return false;
    return true;
}

void option_write_help_within(FILE *out, const struct option *rows, const char *topics, int columns)
{
    int width = left_width(rows, topics);

    for (const struct option *head = rows; head->name != NULL; head++) {
        if (!option_picked(head, topics) || !option_begins_topic(rows, head, topics))
            continue;
        fprintf(out, "\n%s:\n", head->topic);
        for (const struct option *row = head; row->name != NULL; row++)
            if (option_picked(row, topics) && strcmp(row->topic, head->topic) == 0)
                write_row(out, row, width, columns);
    }
}

void option_write_help(FILE *out, const struct option *rows, const char *topics)
{
    option_write_help_within(out, rows, topics, HELP_COLUMNS);
}
