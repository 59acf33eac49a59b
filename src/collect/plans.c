/*
 * plans.c - the plans of the workload's statements, as the server makes them for any values.
 *
 * A statement is prepared by SQL on the collector's own connection, with the types that the load
 * sessions declare, and explained as a generic plan with NULL for each value: nothing is executed.
 * The message is not given pg_catalog as search_path, so names lead to the user's tables, and its
 * settings are local to it. One message is one commit (books.c).
 */
#include "collect/plans.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/collect.h"
#include "collect/query.h"

#define SQL_MAX      (4 << 20)
#define NAME_MAX     24
#define LINE_MAX     500 /* bytes of a line that are kept: a list of 1,000 values is no use */
#define DEPTH_MAX    64
#define PATIENCE_NS  (5 * NS_PER_S) /* for all of them */
#define FIRST_NUMBER 1              /* instance 1 stands for all */

/* What is declared otherwise than the server would infer: see the workload's declares_wide. */
static const char *type_name(uint32_t type)
{
    enum { INT8 = 20, VARCHAR = 1043 };

    return type == INT8 ? "int8" : type == VARCHAR ? "varchar" : "unknown";
}

/* ---- the shape ---- */

static bool is_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

/* `words` with * for each run of digits in a name that is the number. */
static void add_without_number(struct text *out, const char *words, size_t length,
                               const char *number)
{
    for (size_t at = 0; at < length;) {
        size_t digits = 0;

        while (at + digits < length && isdigit((unsigned char)words[at + digits]))
            digits++;
        if (digits > 0 && at > 0 && is_word(words[at - 1]) && digits == strlen(number) &&
            strncmp(words + at, number, digits) == 0)
            text_add_char(out, '*');
        else
            text_add_bytes(out, words + at, digits > 0 ? digits : 1);
        at += digits > 0 ? digits : 1;
    }
}

/* Where the node of a line begins; -1: it tells something about the node before it. */
static int node_column(const char *line, bool first)
{
    int column = (int)strspn(line, " ");

    if (first)
        return 0;
    return strncmp(line + column, "->", 2) == 0 ? column : -1;
}

/* Brackets from the node before to this one. Children of one node need not begin in one column: an
 * InitPlan's is further right. */
static void add_step(struct text *out, int columns[DEPTH_MAX], int *depth, int column)
{
    while (*depth > 1 && columns[*depth - 2] >= column) {
        text_add_char(out, ')');
        (*depth)--;
    }
    if (*depth > 0 && columns[*depth - 1] >= column) {
        text_add(out, ", ");
        columns[*depth - 1] = column;
    } else if (*depth < DEPTH_MAX) {
        text_add(out, *depth > 0 ? " (" : "");
        columns[(*depth)++] = column;
    } else {
        text_add(out, ", ");
    }
}

char *plans_shape(const char *const *lines, int count, int instance)
{
    char number[NAME_MAX];
    int columns[DEPTH_MAX], depth = 0;
    struct text out;

    snprintf(number, sizeof number, "%d", instance);
    text_init(&out, SQL_MAX);
    for (int i = 0; i < count; i++) {
        int column = node_column(lines[i], i == 0);
        const char *words, *costs;

        if (column < 0)
            continue;
        words = lines[i] + column;
        if (strncmp(words, "->", 2) == 0)
            words += 2 + strspn(words + 2, " ");
        costs = strstr(words, "  (cost=");
        add_step(&out, columns, &depth, column);
        add_without_number(&out, words, costs != NULL ? (size_t)(costs - words) : strlen(words),
                           number);
    }
    for (; depth > 1; depth--)
        text_add_char(&out, ')');
    return text_finish(&out);
}

bool plans_explainable(const char *sql)
{
    static const char *const verbs[] = { "SELECT", "INSERT", "UPDATE", "DELETE",
                                         "WITH",   "VALUES", "MERGE" };

    sql += strspn(sql, " \t\n");
    for (int i = 0; i < COUNT_OF(verbs); i++) {
        size_t length = strlen(verbs[i]);
        if (strncasecmp(sql, verbs[i], length) == 0 && !is_word(sql[length]))
            return true;
    }
    return false;
}

/* ---- asking ---- */

static void add_each(struct text *out, const struct collect_statement *statement, bool types)
{
    for (int i = 0; i < statement->type_count; i++)
        text_format(out, "%s%s", i == 0 ? "(" : ", ",
                    types ? type_name(statement->types[i]) : "NULL");
    text_add(out, statement->type_count > 0 ? ")" : "");
}

static PGresult *explain(struct collect *collect, const struct collect_statement *statement,
                         int number, struct error *err)
{
    PGresult *result;
    struct text sql;

    text_init(&sql, SQL_MAX);
    text_format(&sql,
                "SET LOCAL statement_timeout = %d; "
                "SET LOCAL plan_cache_mode = force_generic_plan; PREPARE pgdyno_plan_%d",
                QUERY_TIMEOUT_MS, number);
    add_each(&sql, statement, true);
    text_format(&sql, " AS %s; EXPLAIN EXECUTE pgdyno_plan_%d", statement->sql, number);
    add_each(&sql, statement, false);
    result = query_run(collect, sql.bytes, true, err);
    text_close(&sql);
    return result;
}

static json_t *line_json(const char *line)
{
    size_t length = strlen(line);
    char *cut;
    json_t *json;

    if (length <= LINE_MAX)
        return json_string(line);
    for (length = LINE_MAX; length > 0 && ((unsigned char)line[length] & 0xC0) == 0x80;)
        length--; /* not within a character */
    cut = memory_format("%.*s...", (int)length, line);
    json = json_string(cut);
    memory_free(cut);
    return json;
}

static json_t *plan_json(const PGresult *result, const struct error *err)
{
    int count = result != NULL ? PQntuples(result) : 0;
    const char **lines = MEMORY_ARRAY(const char *, count + 1);
    json_t *json = json_object(), *list = json_array(), *line;
    char *shape;

    for (int i = 0; i < count; i++) {
        lines[i] = PQgetvalue(result, i, 0);
        line = line_json(lines[i]);
        json_array_append_new(list, line != NULL ? line : json_null());
    }
    shape = plans_shape(lines, count, FIRST_NUMBER);
    line = result != NULL ? json_string(shape) : NULL;
    json_object_set_new(json, "lines", list);
    json_object_set_new(json, "shape", line != NULL ? line : json_null());
    json_object_set_new(json, "error", result != NULL ? json_null() : json_string(err->text));
    memory_free(shape);
    memory_free(lines);
    return json;
}

json_t *collect_plans(struct collect *collect, const struct collect_statement *list, int count)
{
    int64_t until_ns = clock_now_ns() + PATIENCE_NS;
    json_t *plans = json_object();
    struct error err = { 0 };

    for (int i = 0; i < count && query_connect(collect, &err) && clock_now_ns() < until_ns &&
                    !atomic_load(&collect->hurry);
         i++) {
        PGresult *result;

        if (!plans_explainable(list[i].sql))
            continue;
        result = explain(collect, &list[i], i, &err);
        json_object_set_new(plans, list[i].name, plan_json(result, &err));
        PQclear(result);
    }
    if (json_object_size(plans) > 0 && query_connect(collect, &err))
        PQclear(query_run(collect, "DEALLOCATE ALL", true, &err));
    return plans;
}
