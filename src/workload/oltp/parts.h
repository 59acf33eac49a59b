/*
 * parts.h - what the workloads of oltp.h are made of, for others of the family that say the same
 * with other numbers. Private to the room.
 */
#ifndef WORKLOAD_OLTP_PARTS_H
#define WORKLOAD_OLTP_PARTS_H

#include "workload/oltp/oltp.h"

#define OLTP_PART(id)                                       \
    extern const struct statement oltp_##id##_statements[]; \
    extern const struct transaction oltp_##id##_transactions[]

OLTP_PART(point_select);
OLTP_PART(insert);
OLTP_PART(delete);
OLTP_PART(read_only);
OLTP_PART(read_write);
OLTP_PART(write_only);
OLTP_PART(update_index);
OLTP_PART(update_non_index);

/* Ids that --auto-inc off gives begin above what the tables hold. */
bool oltp_insert_ask(struct text *sql, const void *world, int index);
void oltp_insert_answer(void *world, int index, int64_t number);

/* open() refuses options that leave no statement, or too many; uses() tells which are left. */
#define OLTP_MIX_PARTS(id)                                                      \
    bool oltp_##id##_open(void *world, const void *options, struct error *err); \
    bool oltp_##id##_uses(const void *world, int statement)

OLTP_MIX_PARTS(read_only);
OLTP_MIX_PARTS(read_write);
OLTP_MIX_PARTS(write_only);
OLTP_MIX_PARTS(update_index);
OLTP_MIX_PARTS(update_non_index);

/* A descriptor's fields, but for its name, its summary and those of OLTP_FAMILY. */
#define OLTP_LIKE(id)     .statements = oltp_##id##_statements, .transactions = oltp_##id##_transactions
#define OLTP_POINT_SELECT OLTP_LIKE(point_select), .open = oltp_open
#define OLTP_DELETE       OLTP_LIKE(delete), .open = oltp_open
#define OLTP_INSERT \
    OLTP_LIKE(insert), .open = oltp_open, .ask = oltp_insert_ask, .answer = oltp_insert_answer
#define OLTP_MIX(id) OLTP_LIKE(id), .open = oltp_##id##_open, .uses = oltp_##id##_uses

#endif
