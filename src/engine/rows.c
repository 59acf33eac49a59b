/*
 * rows.c - see rows.h. A kept row is a row of fields: int32 length (-1 for NULL), bytes, NUL.
 */
#include "engine/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void rows_store_close(struct rows_store *store)
{
    memory_free(store->bytes);
    memory_free(store->row_at);
    *store = (struct rows_store){ 0 };
}

static void make_room(struct rows_store *store, size_t more)
{
    if (store->used + more <= store->size)
        return;
    if (store->size == 0)
        store->size = 1024;
    while (store->used + more > store->size)
        store->size *= 2;
    store->bytes = memory_resize(store->bytes, store->size);
}

static void add_field(struct rows_store *store, const unsigned char *bytes, int32_t length)
{
    size_t kept = bytes != NULL ? (size_t)length : 0;
    int32_t head = bytes != NULL ? length : -1;

    make_room(store, sizeof head + kept + 1);
    memcpy(store->bytes + store->used, &head, sizeof head);
    store->used += sizeof head;
    if (kept > 0)
        memcpy(store->bytes + store->used, bytes, kept);
    store->used += kept;
    store->bytes[store->used++] = '\0';
}

bool rows_store_add(struct rows_store *store, const struct wire_message *message)
{
    const unsigned char *at = NULL, *bytes;
    int left = -1;
    int32_t length;

    if (store->used + (size_t)message->size * 6 > ROWS_BYTES_MAX)
        return false;
    if (store->row_count == store->row_size) {
        store->row_size = store->row_size > 0 ? store->row_size * 2 : 16;
        store->row_at = memory_resize(store->row_at, (size_t)store->row_size * sizeof(size_t));
    }
    store->row_at[store->row_count++] = store->used;
    while (wire_read_field(message, &at, &left, &bytes, &length))
        add_field(store, bytes, length);
    return left == 0;
}

int64_t rows_count(const struct rows *rows)
{
    return rows->count;
}

const char *rows_text(const struct rows *rows, int64_t row, int column)
{
    const unsigned char *at;
    int32_t length;

    assert(row >= 0 && row < rows->kept && "no such row, or the statement is discard_rows");
    at = rows->store->bytes + rows->store->row_at[rows->first + row];
    for (;; column--) {
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if (column == 0)
            return length < 0 ? NULL : (const char *)at;
        at += (length > 0 ? length : 0) + 1;
    }
}

bool rows_null(const struct rows *rows, int64_t row, int column)
{
    return rows_text(rows, row, column) == NULL;
}

int64_t rows_whole(const struct rows *rows, int64_t row, int column)
{
    const char *text = rows_text(rows, row, column);

    return text != NULL ? strtoll(text, NULL, 10) : 0;
}

double rows_real(const struct rows *rows, int64_t row, int column)
{
    const char *text = rows_text(rows, row, column);

    return text != NULL ? strtod(text, NULL) : 0;
}

int64_t rows_hundredths(const struct rows *rows, int64_t row, int column)
{
    const char *text = rows_text(rows, row, column);
    bool negative;
    int64_t whole = 0;
    int decimals = 0;

    if (text == NULL)
        return 0;
    negative = *text == '-';
    for (text += negative; *text >= '0' && *text <= '9'; text++)
        whole = whole * 10 + (*text - '0');
    if (*text == '.')
        for (text++; decimals < 2 && *text >= '0' && *text <= '9'; text++, decimals++)
            whole = whole * 10 + (*text - '0');
    for (; decimals < 2; decimals++)
        whole *= 10;
    return negative ? -whole : whole;
}
