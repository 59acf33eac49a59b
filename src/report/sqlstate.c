/*
 * sqlstate.c - the codes that a benchmark meets; see PostgreSQL's appendix A for all of them.
 */
#include "report/sqlstate.h"

#include <stddef.h>
#include <string.h>

#define CLASS_LENGTH 2

/* Two characters are a class: what holds for the codes of it that have no row. */
static const struct {
    const char *code, *meaning;
} table[] = {
    { "08", "connection trouble" },
    { "08001", "the connection could not be made" },
    { "08003", "the connection does not exist" },
    { "08006", "the connection was lost" },
    { "08P01", "protocol violation" },
    { "0A000", "feature not supported" },
    { "21", "cardinality violation" },
    { "22", "a value that does not fit" },
    { "22001", "text too long for its column" },
    { "22003", "number out of range" },
    { "22012", "division by zero" },
    { "22P02", "text that is no such value" },
    { "23", "constraint violated" },
    { "23502", "NULL in a column that takes none" },
    { "23503", "foreign key violated" },
    { "23505", "unique key violated" },
    { "23514", "check constraint violated" },
    { "25", "wrong state of the transaction" },
    { "25006", "the transaction is read only (a standby?)" },
    { "25P02", "the transaction has failed already" },
    { "25P03", "idle in transaction for too long" },
    { "26000", "no such prepared statement (a pooler?)" },
    { "28", "not allowed in" },
    { "28000", "not allowed in (pg_hba.conf)" },
    { "28P01", "wrong password" },
    { "34000", "no such cursor" },
    { "3D000", "no such database" },
    { "3F000", "no such schema" },
    { "40", "the transaction was rolled back" },
    { "40001", "serialization failure" },
    { "40003", "unknown whether the statement completed" },
    { "40P01", "deadlock" },
    { "42", "syntax error or access rule violation" },
    { "42501", "permission denied" },
    { "42601", "syntax error" },
    { "42703", "no such column" },
    { "42804", "wrong data type" },
    { "42883", "no such function" },
    { "42P01", "no such table" },
    { "42P05", "the prepared statement is there already (a pooler?)" },
    { "42P07", "the table is there already" },
    { "53", "the server lacks something" },
    { "53100", "the server's disk is full" },
    { "53200", "the server is out of memory" },
    { "53300", "too many connections" },
    { "54", "a limit of the server" },
    { "55", "not in the right state" },
    { "55006", "object in use" },
    { "55P03", "lock not available" },
    { "57", "an operator intervened" },
    { "57014", "query cancelled (timeout?)" },
    { "57P01", "the server or its session was shut down" },
    { "57P02", "a server process crashed" },
    { "57P03", "the server is starting or stopping" },
    { "57P05", "idle session timeout" },
    { "58", "system error of the server" },
    { "58030", "I/O error of the server" },
    { "XX", "internal error of the server" },
    { "XX001", "corrupted data" },
    { "XX002", "corrupted index" },
    { "net:", "the network or the server's kernel" },
    { "net:closed", "the server closed the connection" },
    { "net:refused", "the connection was refused" },
    { "net:reset", "the connection was reset" },
    { "net:timeout", "no answer in time" },
    { "other", "more kinds than are told apart" },
    { "protocol", "an answer that is no protocol 3" },
};

/* The row that is exactly the first `length` characters of the code. */
static const char *row_of(const char *code, size_t length)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].code) == length && strncmp(table[i].code, code, length) == 0)
            return table[i].meaning;
    return NULL;
}

const char *sqlstate_meaning(const char *code)
{
    const char *meaning = row_of(code, strlen(code));

    if (meaning == NULL && strncmp(code, "net:", 4) == 0)
        meaning = row_of(code, 4);
    if (meaning == NULL && strlen(code) == 5)
        meaning = row_of(code, CLASS_LENGTH);
    return meaning != NULL ? meaning : "";
}
