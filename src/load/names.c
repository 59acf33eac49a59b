/*
 * names.c - are the names free that a load is going to give to tables, keys and indexes?
 *
 * Asked before anything is made, and before --force drops anything: a load that met a foreign index
 * of that name behind an hour of copying would leave the data half made.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "load/job.h"

#define SHOWN_MAX 3
#define NAMES_MAX ((size_t)16 << 20) /* bytes */

/* What stands between these and the next blank is a name in the schema. */
static const char *const makers[] = { "CREATE INDEX ", "CREATE UNIQUE INDEX ",
                                      "ALTER TABLE %s ADD CONSTRAINT ", NULL };

/* The name of the index that the statement makes; NULL when it makes none: a foreign key's or a
 * check's name is the table's own affair. */
static const char *name_made(const char *statement, size_t *length)
{
    const char *name, *rest;

    for (int i = 0; makers[i] != NULL; i++) {
        if (strncasecmp(statement, makers[i], strlen(makers[i])) != 0)
            continue;
        name = statement + strlen(makers[i]);
        *length = strcspn(name, " ");
        rest = name + *length;
        if (strncasecmp(rest, " ON ", 4) == 0 || strncasecmp(rest, " PRIMARY ", 9) == 0 ||
            strncasecmp(rest, " UNIQUE ", 8) == 0)
            return name;
    }
    return NULL;
}

/* As an element of an array's literal. */
static void add_name(struct text *list, const char *name, size_t length, bool folded)
{
    text_add(list, list->length > 1 ? ",\"" : "\"");
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"' || name[i] == '\\')
            text_add_char(list, '\\');
        text_add_char(list, folded ? (char)tolower((unsigned char)name[i]) : name[i]);
    }
    text_add_char(list, '"');
}

/* Tables that are there already have been looked at (state_read); all count when all are new. */
static void list_names(const struct job *job, bool anew, struct text *list)
{
    text_add_char(list, '{');
    for (int i = 0; i < job->table_count; i++) {
        const struct table_job *table = &job->tables[i];
        if (anew)
            add_name(list, table->spec.name, strlen(table->spec.name), false);
        for (int part = 0; part < table->after.count; part++) {
            size_t length;
            const char *name = name_made(table->after.texts[part], &length);
            if (name != NULL && (anew || table->after.todo[part] != TODO_DONE))
                add_name(list, name, length, true);
        }
    }
    text_add_char(list, '}');
}

/* Kind, name and table of those that are taken; not by what is dropped before. */
static PGresult *list_taken(struct job *job, bool anew, struct error *err)
{
    const char *but = "", *sql;
    const char *values[1];
    struct text names;
    PGresult *found;

    if (anew && job->state_there)
        but = arena_format(job->arena,
                           " AND NOT EXISTS (SELECT FROM %s s WHERE s.family = %s AND s.kind ="
                           " 'table' AND s.relation = coalesce(i.indrelid, c.oid)"
                           " AND c.relowner = %u)",
                           job->state, job->family, job->role_oid);
    sql = arena_format(job->arena,
                       "SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'i' THEN 'index' WHEN 'S'"
                       " THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'relation' END, c.relname,"
                       " coalesce(t.relname, '') FROM pg_class c"
                       " LEFT JOIN pg_index i ON i.indexrelid = c.oid"
                       " LEFT JOIN pg_class t ON t.oid = i.indrelid"
                       " WHERE c.relnamespace = %u AND c.relname = ANY($1::name[])%s ORDER BY 2",
                       job->schema_oid, but);
    text_init(&names, NAMES_MAX);
    list_names(job, anew, &names);
    values[0] = names.bytes;
    found = channel_ask(&job->guard, sql, 1, values, err);
    text_close(&names);
    return found;
}

bool names_free(struct job *job, bool anew, struct error *err)
{
    PGresult *found = list_taken(job, anew, err);
    struct text words;
    int count;

    if (found == NULL)
        return error_wrap(err, "looking for names that are taken");
    count = PQntuples(found);
    text_init(&words, LOAD_SQL_MAX);
    for (int i = 0; i < count && i < SHOWN_MAX; i++) {
        const char *table = PQgetvalue(found, i, 2);
        text_format(&words, "%s%s %s", i > 0 ? ", " : "", PQgetvalue(found, i, 0),
                    PQgetvalue(found, i, 1));
        if (table[0] != '\0')
            text_format(&words, " on table %s", table);
    }
    if (count > SHOWN_MAX)
        text_format(&words, " and %d more", count - SHOWN_MAX);
    if (count > 0)
        error_set(err, ERROR_PLAN,
                  "%s in schema %s %s in the way: not made by pgdyno load, which needs the name%s. "
                  "Rename or drop %s, or use another schema",
                  words.bytes, job->schema, count > 1 ? "are" : "is", count > 1 ? "s" : "",
                  count > 1 ? "them" : "it");
    text_close(&words);
    PQclear(found);
    return count == 0;
}
