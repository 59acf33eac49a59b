/*
 * describe.c - see describe.h.
 */
#include "command/describe.h"

#include <stdio.h>

#include "engine/engine.h"

/* Where the load sessions were opened: a list of hosts is gone round. */
static json_t *hosts_json(const struct engine_facts *facts)
{
    json_t *hosts = json_array();

    for (int i = 0; i < facts->host_count; i++) {
        const struct engine_host *row = &facts->hosts[i];
        json_t *host = json_object();
        json_object_set_new(host, "host", json_string(row->host));
        json_object_set_new(host, "port", json_string(row->port));
        json_object_set_new(host, "connections", json_integer(row->sessions));
        json_object_set_new(host, "committed", json_integer(row->done));
        json_array_append_new(hosts, host);
    }
    return hosts;
}

void describe_target(json_t *target, const struct engine_facts *facts, bool local)
{
    json_t *tls;

    if (target == NULL)
        return;
    tls = json_object();
    json_object_set_new(target, "hosts", hosts_json(facts));
    json_object_set_new(target, "local", json_boolean(local));
    json_object_set_new(tls, "in_use", json_boolean(facts->tls_version[0] != '\0'));
    json_object_set_new(tls, "protocol",
                        facts->tls_version[0] != '\0' ? json_string(facts->tls_version)
                                                      : json_null());
    json_object_set_new(
        tls, "cipher", facts->tls_cipher[0] != '\0' ? json_string(facts->tls_cipher) : json_null());
    json_object_set_new(tls, "bits",
                        facts->tls_bits > 0 ? json_integer(facts->tls_bits) : json_null());
    if (facts->pooling != POOLING_NONE) {
        json_object_set_new(target, "pooler", json_string(facts->pooler));
        json_object_set_new(target, "pooler_mode", json_string(pooling_name(facts->pooling)));
    } else {
        json_object_set_new(target, "pooler_mode", json_null());
    }
    json_object_set_new(target, "load_sessions_tls", tls);
}

void describe_result(const struct report_style *style, const json_t *result, const char *path,
                     bool as_sysbench)
{
    if (as_sysbench) {
        report_sysbench(stdout, result);
    } else {
        report_summary(stdout, style, result);
        report_path(stdout, style, path);
        report_published(stdout, result);
    }
    fflush(stdout);
}
