/*
 * ranges.c - see ranges.h. Chunks come in nearly ascending order, so the list stays short and a
 * walk from its end finds the place.
 */
#include "load/ranges.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

#define RANGES_FIRST 16

void ranges_close(struct ranges *ranges)
{
    memory_free(ranges->list);
    *ranges = (struct ranges){ 0 };
}

void ranges_clear(struct ranges *ranges)
{
    ranges->count = 0;
}

static void insert_at(struct ranges *ranges, int at, struct range range)
{
    if (ranges->count == ranges->size) {
        ranges->size = ranges->size > 0 ? ranges->size * 2 : RANGES_FIRST;
        ranges->list = memory_resize(ranges->list, sizeof *ranges->list * (size_t)ranges->size);
    }
    memmove(ranges->list + at + 1, ranges->list + at,
            sizeof *ranges->list * (size_t)(ranges->count - at));
    ranges->list[at] = range;
    ranges->count++;
}

static void remove_at(struct ranges *ranges, int at)
{
    ranges->count--;
    memmove(ranges->list + at, ranges->list + at + 1,
            sizeof *ranges->list * (size_t)(ranges->count - at));
}

bool ranges_add(struct ranges *ranges, int64_t first, int64_t last)
{
    struct range *before;
    bool is_new = true;
    int at = ranges->count;

    assert(first <= last);
    while (at > 0 && ranges->list[at - 1].first > first)
        at--;
    insert_at(ranges, at, (struct range){ first, last });
    if (at > 0 && ranges->list[at - 1].last >= first - 1) {
        before = &ranges->list[at - 1];
        is_new = before->last < first;
        if (before->last < last)
            before->last = last;
        remove_at(ranges, at--);
    }
    while (at + 1 < ranges->count && ranges->list[at + 1].first <= ranges->list[at].last + 1) {
        is_new = is_new && ranges->list[at + 1].first > ranges->list[at].last;
        if (ranges->list[at + 1].last > ranges->list[at].last)
            ranges->list[at].last = ranges->list[at + 1].last;
        remove_at(ranges, at + 1);
    }
    return is_new;
}

int64_t ranges_rows(const struct ranges *ranges)
{
    int64_t rows = 0;

    for (int i = 0; i < ranges->count; i++)
        rows += ranges->list[i].last - ranges->list[i].first + 1;
    return rows;
}

bool ranges_hold(const struct ranges *ranges, int64_t first, int64_t last)
{
    for (int i = 0; i < ranges->count; i++)
        if (ranges->list[i].first <= first && last <= ranges->list[i].last)
            return true;
    return false;
}

bool ranges_missing(const struct ranges *ranges, struct range within, int64_t rows_max,
                    struct range *out)
{
    int64_t first = within.first, last = within.last;

    for (int i = 0; i < ranges->count; i++) {
        if (ranges->list[i].last < first)
            continue;
        if (ranges->list[i].first > first) {
            if (ranges->list[i].first - 1 < last)
                last = ranges->list[i].first - 1;
            break;
        }
        first = ranges->list[i].last + 1;
    }
    if (first > within.last)
        return false;
    if (last - first >= rows_max)
        last = first + rows_max - 1;
    *out = (struct range){ first, last };
    return true;
}
