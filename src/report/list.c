/*
 * list.c - the tables of `list`, made from the rows themselves.
 */
#include "report/page.h"
#include "workload/workload.h"

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
        fprintf(out, "  %s\n", workload_table[i]->summary);
    }
}
