/*
 * rows.c - see rows.h. A kept row is a row of fields: int32 length (-1 for NULL), bytes, NUL; it
 * lies within one block.
 */
#include "engine/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK_BYTES_MIN 1024

struct rows_block {
    struct rows_block *older;
    unsigned char bytes[];
};

void rows_store_shrink(struct rows_store *store)
{
    struct rows_block *block = store->block != NULL ? store->block->older : NULL;

    while (block != NULL) {
        struct rows_block *older = block->older;
        memory_free(block);
        block = older;
    }
    if (store->block != NULL)
        store->block->older = NULL;
    store->full_bytes = 0;
}

void rows_store_close(struct rows_store *store)
{
    rows_store_shrink(store);
    memory_free(store->block);
    memory_free(store->row_at);
    *store = (struct rows_store){ 0 };
}

static COLD void add_block(struct rows_store *store, size_t row_bytes)
{
    size_t size = store->size > 0 ? store->size * 2 : BLOCK_BYTES_MIN;
    struct rows_block *block;

    store->full_bytes += store->size;
    while (size < row_bytes)
        size *= 2;
    if (size > ROWS_BYTES_MAX - store->full_bytes)
        size = ROWS_BYTES_MAX - store->full_bytes;
    block = memory_resize(NULL, sizeof *block + size);
    block->older = store->block;
    store->block = block;
    store->size = size;
    store->used = 0;
}

static unsigned char *add_field(unsigned char *to, const unsigned char *bytes, int32_t length)
{
    int32_t head = bytes != NULL ? length : -1;

    memcpy(to, &head, sizeof head);
    to += sizeof head;
    if (head > 0) {
        memcpy(to, bytes, (size_t)length);
        to += length;
    }
    *to++ = '\0';
    return to;
}

bool rows_store_add(struct rows_store *store, const struct wire_message *message)
{
    /* A field takes four bytes and its text on the wire, and here one more for the NUL. */
    size_t row_bytes = (size_t)message->size + (size_t)message->size / 4 + 1;
    const unsigned char *at = NULL, *bytes;
    unsigned char *to;
    int left = -1;
    int32_t length;

    if (UNLIKELY(store->used + row_bytes > store->size)) {
        if (store->full_bytes + store->size + row_bytes > ROWS_BYTES_MAX)
            return false;
        add_block(store, row_bytes);
    }
    if (UNLIKELY(store->row_count == store->row_size)) {
        store->row_size = store->row_size > 0 ? store->row_size * 2 : 16;
        store->row_at = memory_resize(store->row_at, (size_t)store->row_size * sizeof(char *));
    }
    to = store->block->bytes + store->used;
    store->row_at[store->row_count++] = to;
    while (wire_read_field(message, &at, &left, &bytes, &length))
        to = add_field(to, bytes, length);
    store->used = (size_t)(to - store->block->bytes);
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
    at = rows->store->row_at[rows->first + row];
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
