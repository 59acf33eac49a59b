/*
 * hlog_tool.c - our side of hlog_check.mjs.
 *
 * Usage: recorder_hlog_tool write FILE  writes a log, and to stdout one line a histogram: tag,
 * count, sum, min, max, then each percentile of the arguments that follow FILE. recorder_hlog_tool
 * read        reads lines "BASE64 VALUE VALUE ..."; says "same" or what differs from a histogram of
 * ours with those values.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "recorder/recorder.h"

#define LAWS 7

static const char *const law_names[LAWS] = { "empty", "one",  "small",   "usual",
                                             "wide",  "long", "overflow" };

static int64_t draw(struct rng *rng, int law)
{
    switch (law) {
    case 1:
        return 123456789;
    case 2:
        return rng_between(rng, 0, 5000);
    case 3:
        return (int64_t)(200e3 / pow(1 - rng_unit(rng), 0.3));
    case 4:
        return (int64_t)exp2(43 * rng_unit(rng)) - 1;
    case 5: /* 20 s, 101 s, 2 h */
        return (int64_t)(20e9 * exp2(8.49 * rng_unit(rng)));
    default:
        return rng_unit(rng) < 0.999 ? NS_PER_S : 3 * 3600 * NS_PER_S;
    }
}

static int write_log(const char *path, int percent_count, char **percents)
{
    struct histogram *histogram = histogram_new();
    struct text log;
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return 1;
    text_init(&log, LAWS * HISTOGRAM_ENCODED_MAX);
    hlog_header(&log, INT64_C(1441812279474000000));
    for (int law = 0; law < LAWS; law++) {
        struct rng rng;

        rng_init(&rng, 21, (uint64_t)law, 0);
        histogram_reset(histogram);
        for (int i = 0; i < (law == 0 ? 0 : law == 1 ? 1 : 50000); i++)
            histogram_record(histogram, draw(&rng, law));
        hlog_line(&log, law_names[law], law, 1, histogram);
        printf("%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, law_names[law], histogram->count,
               histogram->sum_ns, histogram->count > 0 ? histogram->min_ns : 0, histogram->max_ns);
        for (int i = 0; i < percent_count; i++)
            printf(" %" PRId64, histogram_percentile_ns(histogram, strtod(percents[i], NULL)));
        printf("\n");
    }
    fwrite(log.bytes, 1, log.length, file);
    text_close(&log);
    histogram_free(histogram);
    return fclose(file) == 0 ? 0 : 1;
}

static void compare(const char *base64, char *values)
{
    struct histogram *theirs = histogram_new(), *ours = histogram_new();
    char *end;

    for (int64_t value = strtoll(values, &end, 10); end != values;
         values = end, value = strtoll(values, &end, 10))
        histogram_record(ours, value);
    if (!histogram_decode(theirs, base64))
        printf("refused\n");
    else if (theirs->count != ours->count)
        printf("count %" PRId64 " is not %" PRId64 "\n", theirs->count, ours->count);
    else if (memcmp(theirs->cells, ours->cells, sizeof ours->cells) != 0)
        printf("cells differ\n");
    else
        printf("same\n");
    histogram_free(theirs);
    histogram_free(ours);
}

static int read_lines(void)
{
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        char *blank = strchr(line, ' ');

        if (blank == NULL)
            return 1;
        *blank = '\0';
        compare(line, blank + 1);
    }
    free(line);
    return 0;
}

int main(int count, char **words)
{
    if (count >= 3 && strcmp(words[1], "write") == 0)
        return write_log(words[2], count - 3, words + 3);
    if (count == 2 && strcmp(words[1], "read") == 0)
        return read_lines();
    return 2;
}
