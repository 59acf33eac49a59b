/*
 * fake_test.c - the fake servers do what their scripts say, and libpq and the wire room bear it.
 * FAKE_SERVER and NULL_SERVER name the programs.
 */
#include "wire/line.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

static const struct wire_name name_s1 = { "s1", 3 };

#define PORT 5432

struct server {
    char folder[32], script[48];
    char conninfo[160];
    pid_t pid;
};

static const struct wire_shape shape = { .param_count = 1, .param_types = { 23 } };

static void start(struct server *server, const char *const *words)
{
    int fds[2];
    char said[8] = "";

    assert_int_equal(pipe(fds), 0);
    server->pid = fork();
    if (server->pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        close(fds[0]);
        close(fds[1]);
        execv(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    close(fds[1]);
    assert_true(read(fds[0], said, sizeof said - 1) > 0);
    assert_string_equal(said, "ready\n");
    close(fds[0]);
    snprintf(server->conninfo, sizeof server->conninfo,
             "host=%s port=%d user=u dbname=d connect_timeout=10", server->folder, PORT);
}

static void make_folder(struct server *server)
{
    snprintf(server->folder, sizeof server->folder, "/tmp/pgdfakeXXXXXX");
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->script, sizeof server->script, "%s/script", server->folder);
}

static struct server fake_open(const char *script)
{
    struct server server = { 0 };
    FILE *file;

    make_folder(&server);
    file = fopen(server.script, "w");
    assert_non_null(file);
    fputs(script, file);
    fclose(file);
    const char *const words[] = { getenv("FAKE_SERVER"), "-k", server.folder, server.script, NULL };
    start(&server, words);
    return server;
}

static void server_close(struct server *server)
{
    char path[64];

    kill(server->pid, SIGTERM);
    waitpid(server->pid, NULL, 0);
    unlink(server->script);
    snprintf(path, sizeof path, "%s/.s.PGSQL.%d", server->folder, PORT);
    unlink(path);
    rmdir(server->folder);
}

static void prepare(struct line *line)
{
    wire_add_parse(&line->out, &name_s1, "SELECT c FROM t WHERE id = $1", NULL);
    wire_add_describe_statement(&line->out, &name_s1);
    wire_add_sync(&line->out);
    line_ask(line, 1);
}

static void execute(struct line *line)
{
    struct value value = value_whole(1);

    wire_add_bind(&line->out, &name_s1, &shape, &value, 1);
    wire_add_execute(&line->out);
    wire_add_sync(&line->out);
    line_ask(line, 1);
}

static void answers_without_rules(void **state)
{
    struct server server = fake_open("# nothing\n");
    struct line line = line_open(server.conninfo);

    (void)state;
    prepare(&line);
    assert_int_equal(line.shape.param_count, 1);
    assert_int_equal(line.shape.param_types[0], 23);
    for (int i = 0; i < 100; i++) {
        execute(&line);
        assert_int_equal(line.rows, 1);
        assert_string_equal(line.first, "1");
        assert_int_equal(line.tag_rows, 1);
        assert_int_equal(line.status, 'I');
    }
    line_simple(&line, "BEGIN");
    assert_int_equal(line.status, 'T');
    line_simple(&line, "UPDATE t SET a = 1");
    assert_int_equal(line.tag_rows, 1);
    line_simple(&line, "COMMIT");
    assert_int_equal(line.status, 'I');
    line_close(&line);
    server_close(&server);
}

static void errors_and_notices(void **state)
{
    struct server server = fake_open("execute 3 error 40001 could not serialize access\n"
                                     "execute 5 notice be careful\n"
                                     "commit 1 error 40P01 deadlock\n"
                                     "connection 2 execute * error 53200 out of memory\n");
    struct line line = line_open(server.conninfo), second;

    (void)state; /* the take-over's empty query was execute 1 */
    prepare(&line);
    execute(&line);
    assert_int_equal(line.errors, 0);
    execute(&line);
    assert_string_equal(line.sqlstate, "40001");
    assert_int_equal(line.rows, 0);
    assert_int_equal(line.status, 'I');
    line_simple(&line, "BEGIN");
    execute(&line);
    assert_int_equal(line.notices, 1);
    assert_int_equal(line.rows, 1);
    assert_int_equal(line.status, 'T');
    line_simple(&line, "COMMIT");
    assert_string_equal(line.sqlstate, "40P01");
    assert_int_equal(line.status, 'E');
    line_simple(&line, "SELECT 1");
    assert_string_equal(line.sqlstate, "25P02");
    line_simple(&line, "ROLLBACK");
    assert_int_equal(line.status, 'I');
    /* A failing first exchange is the take-over's error. */
    struct error err = { 0 };

    second = (struct line){ .wire = wire_open(PQconnectdb(server.conninfo), &err) };
    assert_null(second.wire);
    assert_int_equal(err.kind, ERROR_SERVER);
    assert_non_null(strstr(err.text, "out of memory"));
    line_close(&line);
    server_close(&server);
}

static void dies_in_mid_message(void **state)
{
    (void)state;
    for (int bytes = 0; bytes < 37; bytes += 3) { /* of 37 */
        char script[64];

        snprintf(script, sizeof script, "execute 2 die %d\n", bytes);
        struct server server = fake_open(script);
        struct line line = line_open(server.conninfo);

        prepare(&line);
        execute(&line);
        assert_true(line.lost);
        assert_string_equal(wire_lost_code(line.wire), "net:closed");
        assert_true(line.status == '\0');
        line_close(&line);
        server_close(&server);
    }
}

static void splits_every_byte(void **state)
{
    struct server server = fake_open("startup 1 split 20\nstartup 1 rows 20 30\n");
    struct line line = line_open(server.conninfo);

    (void)state;
    prepare(&line);
    execute(&line);
    assert_int_equal(line.rows, 20);
    assert_int_equal(line.first_length, 30);
    assert_int_equal(line.tag_rows, 20);
    line_close(&line);
    server_close(&server);
}

static void other_misdeeds(void **state)
{
    struct server server = fake_open("connection 1 execute 2 garbage 20\n"
                                     "connection 2 execute 2 close\n"
                                     "connection 3 execute 2 fatal 57P01 terminating connection\n"
                                     "connection 4 execute 2 stall 200\n"
                                     "connection 4 execute 3 parameter TimeZone Asia/Tokyo\n"
                                     "connection 5 startup 1 fatal 53300 too many clients\n");
    struct error err = { 0 };
    struct line line;
    int64_t begin_ns;

    (void)state;
    line = line_open(server.conninfo);
    prepare(&line);
    execute(&line);
    assert_true(line.lost);
    assert_string_equal(wire_lost_code(line.wire), "protocol");
    line_close(&line);

    line = line_open(server.conninfo);
    prepare(&line);
    execute(&line);
    assert_true(line.lost);
    assert_int_equal(strncmp(wire_lost_code(line.wire), "net:", 4), 0);
    line_close(&line);

    line = line_open(server.conninfo);
    prepare(&line);
    execute(&line);
    assert_true(line.lost);
    assert_string_equal(line.sqlstate, "57P01");
    line_close(&line);

    line = line_open(server.conninfo);
    prepare(&line);
    begin_ns = clock_now_ns();
    execute(&line);
    assert_true(clock_now_ns() - begin_ns >= 200 * NS_PER_MS);
    execute(&line);
    assert_int_equal(line.rows, 1);
    line_close(&line);

    assert_null(wire_open(PQconnectdb(server.conninfo), &err));
    assert_non_null(strstr(err.text, "too many clients"));
    server_close(&server);
}

/* Many at once on the null server, and what a libpq client does with it. */
static void null_server_holds_many(void **state)
{
    struct server server = { 0 };
    int count = 500;
    struct line *lines = MEMORY_ARRAY(struct line, count);
    struct rlimit limit;
    PGresult *result;

    (void)state;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    make_folder(&server);
    const char *const words[] = {
        getenv("NULL_SERVER"), "-k", server.folder, "-r", "3", "-w", "100", NULL
    };
    start(&server, words);
    for (int i = 0; i < count; i++)
        lines[i] = line_open(server.conninfo);
    for (int i = 0; i < count; i++)
        prepare(&lines[i]);
    for (int i = 0; i < 2 * count; i++) {
        execute(&lines[i % count]);
        assert_int_equal(lines[i % count].rows, 3);
        assert_int_equal(lines[i % count].first_length, 100);
    }
    PGconn *conn = PQconnectdb(server.conninfo);
    result = PQexec(conn, "SELECT current_setting('max_connections')::int, 1");
    assert_int_equal(PQntuples(result), 1);
    assert_string_equal(PQgetvalue(result, 0, 0), "100000");
    PQclear(result);
    PQfinish(conn);
    /* A question of 1 MB, and 1 MB of answers to be read late. */
    char *sql = memory_make(1000001, 1);
    memset(sql, ' ', 1000000);
    memcpy(sql, "SELECT", 6);
    line_simple(&lines[0], sql);
    assert_int_equal(lines[0].rows, 3);
    memory_free(sql);
    for (int i = 0; i < 3000; i++)
        wire_add_query(&lines[1].out, "SELECT 1");
    line_ask(&lines[1], 3000);
    assert_int_equal(lines[1].rows, 9000);
    for (int i = 0; i < count; i++)
        line_close(&lines[i]);
    memory_free(lines);
    server_close(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_without_rules), cmocka_unit_test(errors_and_notices),
        cmocka_unit_test(dies_in_mid_message),   cmocka_unit_test(splits_every_byte),
        cmocka_unit_test(other_misdeeds),        cmocka_unit_test(null_server_holds_many),
    };

    if (getenv("FAKE_SERVER") == NULL || getenv("NULL_SERVER") == NULL)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
