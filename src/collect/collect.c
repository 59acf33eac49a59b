/*
 * collect.c - opens the collector's connection and tells what it leads to.
 */
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collect/here.h"
#include "collect/query.h"
#include "collect/table.h"

static const struct table_row *find_row(const char *name, int major)
{
    const struct table_row *row = table_next(NULL, major);
    while (row != NULL && strcmp(row->name, name) != 0)
        row = table_next(row, major);
    return row;
}

struct collect *collect_open(const char *conninfo, int64_t timeout_ns, struct error *err)
{
    struct collect *collect = MEMORY_NEW(struct collect);
    collect->conninfo = memory_text(conninfo);
    collect->connect_ns = timeout_ns < QUERY_CONNECT_MAX_NS ? timeout_ns : QUERY_CONNECT_MAX_NS;
    if (query_connect(collect, err)) {
        const struct table_row *row = find_row("server", collect->major);
        collect->limit_ns = collect->connect_ns;
        collect->server = query_json(collect, row->sql, row->shape, row->bare, err);
        collect->limit_ns = 0;
        if (collect->server != NULL)
            return collect;
        error_wrap(err, "asking the server what it is");
    }
    collect_close(collect);
    return NULL;
}

void collect_close(struct collect *collect)
{
    if (collect == NULL)
        return;
    query_close(collect);
    json_decref(collect->server);
    memory_free(collect->own_conninfo);
    memory_free(collect->conninfo);
    memory_free(collect);
}

/* ---- the target in short ---- */

/* A pooler answers the login itself and invents the backend's pid; and what it lends for a
 * transaction may be another backend the next time. Owned, or NULL. */
static char *suspect_pooler(struct collect *collect)
{
    struct error err;
    if (collect->conn == NULL)
        return NULL;
    PGresult *result = query_run(collect, "SELECT pg_backend_pid()", false, &err);
    if (result == NULL || PQntuples(result) != 1) {
        PQclear(result);
        return NULL;
    }
    int64_t at_login = PQbackendPID(collect->conn);
    int64_t first = json_integer_value(json_object_get(collect->server, "pid"));
    char *now = memory_text(PQgetvalue(result, 0, 0));
    char *before = memory_format("%lld", (long long)first);
    char *login = memory_format("%lld", (long long)at_login);
    char *why = NULL;
    if (strcmp(before, now) != 0)
        why =
            memory_format("the backend changed from pid %s to %s between statements", before, now);
    else if (strcmp(login, now) != 0)
        why = memory_format("pid %s was told at login, the backend's is %s", login, now);
    memory_free(now);
    memory_free(before);
    memory_free(login);
    PQclear(result);
    return why;
}

static json_t *text_or_null(const char *text)
{
    json_t *value = text != NULL && *text != '\0' ? json_string(text) : NULL;
    return value != NULL ? value : json_null();
}

static json_t *whole_or_null(const char *text)
{
    char *end;
    long long number = text != NULL ? strtoll(text, &end, 10) : 0;
    return number > 0 && *end == '\0' ? json_integer(number) : json_null();
}

static json_t *tls_facts(PGconn *conn)
{
    if (!PQsslInUse(conn))
        return json_pack("{s:b}", "in_use", 0);
    return json_pack("{s:b, s:o, s:o, s:o}", "in_use", 1, "protocol",
                     text_or_null(PQsslAttribute(conn, "protocol")), "cipher",
                     text_or_null(PQsslAttribute(conn, "cipher")), "bits",
                     whole_or_null(PQsslAttribute(conn, "key_bits")));
}

static void copy_key(json_t *to, const char *to_key, const json_t *from, const char *from_key)
{
    json_t *value = json_object_get(from, from_key);
    json_object_set_new(to, to_key, value != NULL ? json_incref(value) : json_null());
}

json_t *collect_target(struct collect *collect)
{
    json_t *out = json_object();
    char *pooler = suspect_pooler(collect);
    PGconn *conn = collect->conn;
    if (conn != NULL) {
        json_object_set_new(out, "host", text_or_null(PQhost(conn)));
        json_object_set_new(out, "hostaddr", text_or_null(PQhostaddr(conn)));
        json_object_set_new(out, "port", whole_or_null(PQport(conn)));
        json_object_set_new(out, "dbname", text_or_null(PQdb(conn)));
        json_object_set_new(out, "user", text_or_null(PQuser(conn)));
        json_object_set_new(out, "tls", tls_facts(conn));
        json_object_set_new(out, "here", json_boolean(collect_server_is_here(collect)));
    }
    copy_key(out, "version", collect->server, "version");
    copy_key(out, "version_num", collect->server, "version_num");
    json_object_set_new(out, "major", json_integer(collect->major));
    copy_key(out, "pid", collect->server, "pid");
    copy_key(out, "in_recovery", collect->server, "in_recovery");
    copy_key(out, "start_time", collect->server, "start_time");
    copy_key(out, "server_address", collect->server, "address");
    json_object_set_new(out, "pooler", text_or_null(pooler));
    memory_free(pooler);
    return out;
}

bool collect_server_is_here(struct collect *collect)
{
    if (collect->conn == NULL)
        return false;
    int64_t pid = json_integer_value(json_object_get(collect->server, "pid"));
    const struct here_facts facts = {
        .host = PQhost(collect->conn),
        .address = PQhostaddr(collect->conn),
        .server_address = json_string_value(json_object_get(collect->server, "address")),
        .pooled = pid != PQbackendPID(collect->conn),
    };
    return here_judge(&facts, here_is_own);
}
