/*
 * help.c - --help of the program and of a verb, made from the rows.
 */
#include <string.h>

#include "base/memory.h"
#include "command/common.h"

#define COLUMNS   100
#define CELLS_MAX 1024

void command_wrap(FILE *out, const char *words, int indent)
{
    int column = 0;

    while (*words != '\0') {
        int length = (int)strcspn(words, " ");

        if (column > 0 && column + 1 + length > COLUMNS) {
            fputc('\n', out);
            column = 0;
        }
        if (column == 0)
            column = fprintf(out, "%*s%.*s", indent, "", length, words);
        else
            column += fprintf(out, " %.*s", length, words);
        words += length + (words[length] == ' ');
    }
    fputc('\n', out);
}

void command_write_cells(FILE *out, const char *const *cells, int columns, int row_count)
{
    for (int row = 0; row < row_count; row++) {
        fputs("  ", out);
        for (int column = 0; column < columns; column++) {
            int width = 0;

            for (int other = 0; other < row_count; other++) {
                int length = (int)strlen(cells[other * columns + column]);
                width = length > width ? length : width;
            }
            if (column + 1 < columns)
                fprintf(out, "%-*s  ", width, cells[row * columns + column]);
            else
                fprintf(out, "%s\n", cells[row * columns + column]);
        }
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
        cells[count++] = workload_table[i]->name;
        cells[count++] = workload_table[i]->summary;
    }
    command_write_cells(out, cells, 2, count / 2);
}

void command_help(FILE *out)
{
    fputs("pgdyno " PGDYNO_VERSION " - what PostgreSQL really delivers, and what holds it back\n\n"
          "usage: pgdyno VERB [WORKLOAD] [options]\n\nverbs:\n",
          out);
    write_verbs(out);
    fputs("\nworkloads:\n", out);
    write_workloads(out);
    fputs("\npgdyno VERB --help shows a verb's options, pgdyno VERB WORKLOAD --help the workload's "
          "as well.\n",
          out);
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
    if (workload != NULL)
        fprintf(out, "\n%s: %s\n", workload->name, workload->summary);
    if (command->options != NULL)
        option_write_help(out, command->options, NULL);
    if (workload != NULL && workload->options != NULL)
        option_write_help(out, workload->options, NULL);
    option_write_help(out, plan_options, topics);
    memory_free(topics);
    if (command->takes_workload && workload == NULL)
        fprintf(out, "\npgdyno %s WORKLOAD --help shows the workload's own options as well.\n",
                command->name);
}
