/*
 * table.c - the list of workloads, and what can be asked of any of them.
 */
#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "workload/micro/micro.h"
#include "workload/null/null.h"
#include "workload/oltp/oltp.h"
#include "workload/pgio/pgio.h"
#include "workload/ping/ping.h"
#include "workload/tpcc/tpcc.h"
#include "workload/tproc/tproc.h"
#include "workload/workload.h"

#define MICRO_ROW(id) &workload_micro_##id,

const struct workload *const workload_table[] = {
    &workload_null,
    &workload_oltp_point_select,
    &workload_oltp_read_only,
    &workload_oltp_read_write,
    &workload_oltp_write_only,
    &workload_oltp_update_index,
    &workload_oltp_update_non_index,
    &workload_oltp_insert,
    &workload_oltp_delete,
    &workload_select_random_points,
    &workload_select_random_ranges,
    &workload_bulk_insert,
    &workload_micro,
    MICRO_TESTS(MICRO_ROW) & workload_tpcc,
    &workload_tproc,
    &workload_pgio,
    &workload_ping,
    NULL,
};

static char folded(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

const struct workload *workload_find(const char *name)
{
    for (int i = 0; workload_table[i] != NULL; i++)
        if (same_name(workload_table[i]->name, name))
            return workload_table[i];
    return NULL;
}

const char *workload_nearest(const char *name)
{
    struct nearest nearest = { .wanted = name };

    for (int i = 0; workload_table[i] != NULL; i++)
        if (workload_table[i]->suite != NULL &&
            same_name(strrchr(workload_table[i]->name, '/') + 1, name))
            return workload_table[i]->name;
    for (int i = 0; workload_table[i] != NULL; i++)
        nearest_offer(&nearest, workload_table[i]->name);
    return nearest.best;
}

int workload_statement_count(const struct workload *workload)
{
    int count = 0;

    while (workload->statements != NULL && workload->statements[count].name != NULL)
        count++;
    return count;
}

int workload_transaction_count(const struct workload *workload)
{
    int count = 0;

    while (workload->transactions[count].name != NULL)
        count++;
    return count;
}

int workload_tally_count(const struct workload *workload)
{
    int count = 0;

    while (workload->tallies != NULL && workload->tallies[count].name != NULL)
        count++;
    return count;
}

const char *workload_default(const struct workload *workload, const struct option *row)
{
    size_t length = strlen(row->name);

    for (int i = 0; workload->presets != NULL && workload->presets[i] != NULL; i++)
        if (strncmp(workload->presets[i], row->name, length) == 0 &&
            workload->presets[i][length] == '=')
            return workload->presets[i] + length + 1;
    return row->fallback;
}

int workload_instances(const struct workload *workload, const void *world)
{
    return workload->instance_count != NULL ? workload->instance_count(world) : 1;
}

void workload_sql(const struct workload *workload, const void *world, int statement, int instance,
                  struct text *out)
{
    const struct statement *shape = &workload->statements[statement];
    struct text whole;
    const char *at, *mark;

    text_init(&whole, WORKLOAD_SQL_MAX);
    if (shape->write_sql != NULL)
        shape->write_sql(&whole, world);
    else
        text_add(&whole, shape->sql);
    text_clear(out);
    for (at = whole.bytes; (mark = strstr(at, "{}")) != NULL; at = mark + 2) {
        text_add_bytes(out, at, (size_t)(mark - at));
        text_add_whole(out, instance);
    }
    text_add(out, at);
    text_close(&whole);
}
