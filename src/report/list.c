/*
 * list.c - the tables of `list`, made from the rows themselves.
 */
#include <string.h>

#include "report/page.h"
#include "workload/workload.h"

/* Words from column `left` on, wrapped on a terminal; where there is none, lines are for programs.
 */
static void write_hanging(FILE *out, const char *words, int left, int columns)
{
    int column = left;

    fputs("  ", out);
    for (bool begun = false; *words != '\0'; begun = true) {
        int length = (int)strcspn(words, " ");

        if (begun && columns > 0 && column + 1 + length > columns) {
            fprintf(out, "\n%*s", left, "");
            column = left;
        } else if (begun) {
            column += fprintf(out, " ");
        }
        column += fprintf(out, "%.*s", length, words);
        words += length + (words[length] == ' ');
    }
    fputc('\n', out);
}

static bool is_listed(const struct workload *workload, const char *suite)
{
    if (suite == NULL || workload->suite == NULL)
        return suite == workload->suite;
    return strcmp(workload->suite, suite) == 0;
}

void report_workloads(FILE *out, const struct report_style *style, const char *suite)
{
    struct page page = page_open(out, style);
    const char *group = NULL;
    int widest = 0;

    for (int i = 0; workload_table[i] != NULL; i++)
        if (is_listed(workload_table[i], suite) && page_width(workload_table[i]->name) > widest)
            widest = page_width(workload_table[i]->name);
    for (int i = 0; workload_table[i] != NULL; i++) {
        const struct workload *row = workload_table[i];
        if (!is_listed(row, suite))
            continue;
        if (suite != NULL && row->group != NULL &&
            (group == NULL || strcmp(row->group, group) != 0))
            fprintf(out, "%s%s\n", group != NULL ? "\n" : "", row->group);
        group = row->group;
        fputs("  ", out);
        page_words(&page, TONE_HEADING, row->name, widest);
        write_hanging(out, row->summary, widest + 4, style->columns);
    }
}
