/*
 * probe.c - shows what the room collect sees, as one JSON object, for the tests on a real server.
 * usage: probe CONNINFO [APPLICATION]; with an application it keeps the books between a first line
 * "begin" on standard output and the end of standard input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "collect/collect.h"

static void keep_books(struct collect *collect, const char *application, json_t *out)
{
    char note[256];
    int64_t begin = collect_commits_begin(collect);
    printf("begin\n");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    json_decref(collect_snapshot(collect)); /* statements of our own in between */
    int64_t commits =
        collect_commits_end(collect, application, 2 * NS_PER_S, note, (int)sizeof(note));
    json_object_set_new(out, "begin", json_integer(begin));
    json_object_set_new(out, "commits", json_integer(commits));
    json_object_set_new(out, "note", json_string(note));
}

int main(int argc, char **argv)
{
    struct error err = { 0 };
    struct collect_self self = { 0 };
    json_t *out = json_object();
    struct collect *collect = collect_open(argc > 1 ? argv[1] : "", 10 * NS_PER_S, &err);
    json_object_set_new(out, "error", json_string(err.text));
    json_decref(collect_self_second(&self));
    if (collect != NULL) {
        if (argc > 2)
            keep_books(collect, argv[2], out);
        json_object_set_new(out, "target", collect_target(collect));
        json_object_set_new(out, "snapshot", collect_snapshot(collect));
    }
    json_object_set_new(out, "host", collect_host());
    json_object_set_new(out, "self", collect_self_second(&self));
    json_dumpf(out, stdout, 0);
    printf("\n");
    json_decref(out);
    collect_close(collect);
    return err.kind;
}
