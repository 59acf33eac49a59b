/*
 * hammerdb.c - the line that HammerDB ends a timed run with (spec hammerdb 3.2), which people's
 * scripts look for. Its figures are ours: of this run's transactions, over the measured time.
 */
#include <math.h>
#include <string.h>

#include "report/page.h"

void report_hammerdb(FILE *out, const json_t *result)
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
