/*
 * published.c - the last lines of other tools, which people's scripts look for.
 *
 * HammerDB's (spec hammerdb 3.2) with figures of ours: of this run's transactions, over the
 * measured time. PGIO's for --compat pgio1 alone, and by its own arithmetic.
 */
#include <math.h>
#include <string.h>

#include "report/page.h"

static void tell_hammerdb(FILE *out, const json_t *result)
{
    const char *workload = json_string_value(dig(result, "workload", NULL));
    const json_t *nopm = dig(result, "summary", "nopm", NULL);
    const json_t *tpm = dig(result, "summary", "tpm", NULL);

    if (workload == NULL || strcmp(workload, "tproc") != 0 || !json_is_number(nopm) ||
        !json_is_number(tpm))
        return;
    fprintf(out, "\nTEST RESULT : System achieved %lld NOPM from %lld PostgreSQL TPM\n",
            (long long)floor(json_number_value(nopm)), (long long)floor(json_number_value(tpm)));
}

static void tell_pgio(FILE *out, const json_t *result)
{
    const char *line = json_string_value(dig(result, "blocks", "published", "line", NULL));
    struct text safe;

    if (line == NULL)
        return;
    text_init(&safe, PAGE_TEXT_MAX);
    text_add_safe(&safe, line);
    fprintf(out, "\n%s\n", safe.bytes); /* Never wrapped. */
    text_close(&safe);
}

void report_published(FILE *out, const json_t *result)
{
    tell_hammerdb(out, result);
    tell_pgio(out, result);
}
