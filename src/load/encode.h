/*
 * encode.h - rows into the bytes of COPY (FORMAT binary).
 *
 * What each column is gets looked up once a table; a row is then a row of stores into one buffer
 * that is handed to libpq when it is full. A workload says its columns through copy_whole() and its
 * neighbours (workload.h). One thread at a time.
 */
#ifndef LOAD_ENCODE_H
#define LOAD_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "workload/workload.h"

#define COPY_COLUMNS_MAX 256

enum copy_type {
    COPY_INT2,
    COPY_INT4,
    COPY_INT8,
    COPY_TEXT,
    COPY_NUMERIC,
    COPY_FLOAT8,
    COPY_BOOL,
    COPY_MOMENT
};

struct copy_row {
    unsigned char *bytes; /* owned */
    size_t length, size;
    enum copy_type types[COPY_COLUMNS_MAX];
    int column_count, column; /* which comes next */
    int64_t rows;             /* rows said since copy_open(), of which a number may have several */
};

void copy_open(struct copy_row *row); /* makes the buffer */
void copy_close(struct copy_row *row);
/* Says what the columns are. ERROR_BUG: a type that cannot be encoded. */
bool copy_columns(struct copy_row *row, const char *const *types, struct error *err);

void copy_begin(struct copy_row *row); /* empties the buffer and adds the signature */
/* Adds row `number`, with all its COPY rows, of the table whose rng stream is `stream`. */
void copy_add(struct copy_row *row, const struct table_spec *spec, const void *world,
              const uint64_t where[2], int64_t number);
void copy_end(struct copy_row *row); /* adds the trailer */

#endif
