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

void report_workloads(FILE *out, const struct report_style *style)
{
    struct page page = page_open(out, style);
    int widest = 0;

    for (int i = 0; workload_table[i] != NULL; i++)
        if (page_width(workload_table[i]->name) > widest)
            widest = page_width(workload_table[i]->name);
    for (int i = 0; workload_table[i] != NULL; i++) {
        fputs("  ", out);
        page_words(&page, TONE_HEADING, workload_table[i]->name, widest);
        write_hanging(out, workload_table[i]->summary, widest + 4, style->columns);
    }
}
