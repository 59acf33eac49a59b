/*
 * help.c - --help of the program and of a verb, made from the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/common.h"
#include "report/report.h"

#define COLUMNS       100
#define COLUMNS_LEAST 40
#define CELLS_MAX     1024

/* Of the terminal; 0: it is none. */
static int terminal_columns(FILE *out)
{
    const char *said = getenv("COLUMNS");
    int columns = report_style_of(out).columns;
    long wanted = said != NULL ? strtol(said, NULL, 10) : 0;

    if (columns > 0 && wanted > 0 && wanted <= COLUMNS)
        columns = (int)wanted;
    return columns > 0 && columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
}

int command_columns(FILE *out)
{
    int columns = terminal_columns(out);

    return columns > 0 && columns < COLUMNS ? columns : COLUMNS;
}

/* Wraps at `limit` columns (0: never) with `indent` spaces before each line; the cursor is at
 * `column`, 0 when the first line is to be indented as well. */
static void write_wrapped(FILE *out, const char *words, int indent, int column, int limit)
{
    bool begun = false;

    while (*words != '\0') {
        int length = (int)strcspn(words, " ");

        if (begun && limit > 0 && column + 1 + length > limit) {
            fputc('\n', out);
            column = 0;
            begun = false;
        }
        if (column < indent)
            column += fprintf(out, "%*s", indent - column, "");
        column += fprintf(out, "%s%.*s", begun ? " " : "", length, words);
        begun = true;
        words += length + (words[length] == ' ');
    }
    fputc('\n', out);
}

void command_wrap(FILE *out, const char *words, int indent)
{
    write_wrapped(out, words, indent, 0, command_columns(out));
}

static int cells_width(const char *const *cells, int columns, int row_count, int column)
{
    int width = 0;

    for (int row = 0; row < row_count; row++) {
        int length = (int)strlen(cells[row * columns + column]);
        width = length > width ? length : width;
    }
    return width;
}

void command_write_cells(FILE *out, const char *const *cells, int columns, int row_count)
{
    int limit = terminal_columns(out), left = 2;

    for (int column = 0; column + 1 < columns; column++)
        left += cells_width(cells, columns, row_count, column) + 2;
    /* No room beside the other columns: then the last one hangs below them. */
    if (limit > 0 && left > limit)
        left = 4;
    for (int row = 0; row < row_count; row++) {
        int at = 2;

        fputs("  ", out);
        for (int column = 0; column + 1 < columns; column++)
            at += fprintf(out, "%-*s  ", cells_width(cells, columns, row_count, column),
                          cells[row * columns + column]);
        write_wrapped(out, cells[row * columns + columns - 1], left, at, limit);
    }
}

static void write_verbs(FILE *out)
{
    const char *cells[CELLS_MAX];
    int count = 0;

    for (int i = 0; command_table[i] != NULL && count + 2 <= CELLS_MAX; i++)
        if (!command_table[i]->hidden) {
            cells[count++] = command_table[i]->name;
            cells[count++] = command_table[i]->summary;
        }
    command_write_cells(out, cells, 2, count / 2);
}

static void write_workloads(FILE *out)
{
    const char *cells[CELLS_MAX];
    int count = 0;

    for (int i = 0; workload_table[i] != NULL && count + 2 <= CELLS_MAX; i++) {
        if (workload_table[i]->suite != NULL)
            continue;
        cells[count++] = workload_table[i]->name;
        cells[count++] = workload_table[i]->summary;
    }
    command_write_cells(out, cells, 2, count / 2);
}

void command_help(FILE *out)
{
    command_wrap(
        out, "pgdyno " PGDYNO_VERSION " - what PostgreSQL really delivers, and what holds it back",
        0);
    fputs("\nusage: pgdyno VERB [WORKLOAD] [options]\n\nverbs:\n", out);
    write_verbs(out);
    fputs("\nworkloads:\n", out);
    write_workloads(out);
    fputc('\n', out);
    command_wrap(out,
                 "pgdyno VERB --help shows a verb's options, pgdyno VERB WORKLOAD --help the "
                 "workload's as well.",
                 0);
}

/* The default that the verb or the workload (NULL: none) has in place of the row's, or the row's.
 */
static const char *own_default(const struct command *command, const struct workload *workload,
                               const struct option *row)
{
    size_t length = strlen(row->name);

    for (int i = 0; command->defaults != NULL && command->defaults[i] != NULL; i++) {
        const char *name = command->defaults[i] + 2;

        if (strncmp(name, row->name, length) == 0 && name[length] == '=')
            return name + length + 1;
    }
    return workload != NULL ? workload_default(workload, row) : row->fallback;
}

/* Rows of the verb or the plan; or, when it is not NULL, of the workload. */
static void write_options(FILE *out, const struct command *command, const struct option *rows,
                          const char *topics, const struct workload *workload)
{
    struct option *shown;
    int count = 0;

    while (rows != NULL && rows[count].name != NULL)
        count++;
    shown = MEMORY_ARRAY(struct option, count + 1);
    for (int i = 0; i < count; i++) {
        shown[i] = rows[i];
        shown[i].fallback = own_default(command, workload, &rows[i]);
    }
    option_write_help_within(out, shown, topics, command_columns(out));
    memory_free(shown);
}

void command_help_verb(FILE *out, const struct command *command, const struct workload *workload)
{
    char *topics = command_topics(command);

    fprintf(out, "usage: pgdyno %s %s\n\n", command->name, command->usage);
    command_wrap(out, command->text != NULL ? command->text : command->summary, 0);
    if (command->takes_workload && workload == NULL) {
        fputs("\nworkloads:\n", out);
        write_workloads(out);
    }
    if (workload != NULL) {
        char *words = memory_format("%s: %s", workload->name, workload->summary);

        fputc('\n', out);
        command_wrap(out, words, 0);
        memory_free(words);
    }
    write_options(out, command, command->options, NULL, NULL);
    if (workload != NULL)
        write_options(out, command, workload->options, NULL, workload);
    write_options(out, command, plan_options, topics, NULL);
    memory_free(topics);
    if (command->takes_workload && workload == NULL)
        fprintf(out, "\npgdyno %s WORKLOAD --help shows the workload's own options as well.\n",
                command->name);
}
