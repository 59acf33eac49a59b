/*
 * table.c - the statements of a snapshot by version. Names of columns are normalised where majors
 * differ, so that results of different majors can be held against each other; units are part of
 * a name that is ours. Whatever a role may not run has a condition that is asked first: a statement
 * that is refused would leave a line in the server's log.
 */
#include "collect/table.h"

#include <stddef.h>

#define MAY_RUN(function) "has_function_privilege('pg_catalog." function "', 'execute')"

/* Blocks that client backends wrote themselves: in pg_stat_bgwriter up to 16. */
#define BACKEND_WRITES                            \
    "(SELECT sum(writes)::bigint FROM pg_stat_io" \
    " WHERE backend_type = 'client backend' AND object = 'relation')"
#define BACKEND_WRITES_18                                                                     \
    "(SELECT (sum(write_bytes) / current_setting('block_size')::int)::bigint FROM pg_stat_io" \
    " WHERE backend_type = 'client backend' AND object = 'relation')"
#define BACKEND_FSYNCS                            \
    "(SELECT sum(fsyncs)::bigint FROM pg_stat_io" \
    " WHERE backend_type = 'client backend' AND object = 'relation')"
#define USER_SCHEMA(n) n ".nspname !~ '^pg_' AND " n ".nspname <> 'information_schema'"

const struct table_row table_rows[] = {
    { "server", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT version() AS version, current_setting('server_version_num')::int AS version_num,"
      " now() AS server_time, pg_postmaster_start_time() AS start_time,"
      " extract(epoch FROM pg_postmaster_start_time())::float8 AS start_s,"
      " pg_is_in_recovery() AS in_recovery, host(inet_server_addr()) AS address,"
      " inet_server_port() AS port, pg_backend_pid() AS pid, current_database() AS dbname,"
      " current_user AS role, current_setting('is_superuser') = 'on' AS superuser,"
      " pg_has_role('pg_monitor', 'usage') AS monitor" },
    { "control", 0, 0, QUERY_OBJECT, false, MAY_RUN("pg_control_system()"),
      "SELECT system_identifier::text AS system_identifier, pg_control_version,"
      " catalog_version_no FROM pg_control_system()" },
    { "control", 0, 0, QUERY_OBJECT, false, MAY_RUN("pg_control_checkpoint()"),
      "SELECT checkpoint_lsn::text, redo_lsn::text, checkpoint_time, timeline_id"
      " FROM pg_control_checkpoint()" },

    { "settings", 0, 0, QUERY_LIST, true, NULL,
      "SELECT name, setting AS value, unit, source, boot_val AS boot, pending_restart"
      " FROM pg_catalog.pg_settings ORDER BY lower(name)" },

    { "database", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT * FROM pg_stat_database WHERE datname = current_database()" },
    { "database", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT datcollate AS collate, datctype AS ctype, pg_encoding_to_char(encoding) AS encoding,"
      " age(datfrozenxid) AS frozen_xid_age"
      " FROM pg_database WHERE datname = current_database()" },
    { "database", 0, 0, QUERY_OBJECT, false,
      "has_database_privilege(current_database(), 'connect')"
      " OR pg_has_role('pg_read_all_stats', 'usage')",
      "SELECT pg_database_size(current_database()) AS size_bytes" },
    { "relations", 0, 0, QUERY_LIST, false, NULL,
      "SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relpersistence AS"
      " persistence, c.reltuples AS rows_estimate, pg_table_size(c.oid) AS table_bytes,"
      " pg_indexes_size(c.oid) AS indexes_bytes"
      " FROM (SELECT k.* FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace"
      "  WHERE k.relkind IN ('r', 'm') AND k.relpersistence <> 't' AND " USER_SCHEMA(
          "n") "  ORDER BY k.relpages DESC, k.oid LIMIT 100) c"
               " JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY 1, 2" },
    { "unlogged", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT count(*) AS tables FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
      " WHERE c.relpersistence = 'u' AND c.relkind IN ('r', 'm', 'p') AND " USER_SCHEMA("n") },
    { "extensions", 0, 0, QUERY_LIST, false, NULL,
      "SELECT extname AS name, extversion AS version FROM pg_extension ORDER BY 1" },

    { "bgwriter", 0, 16, QUERY_OBJECT, false, NULL,
      "SELECT buffers_clean, maxwritten_clean, buffers_alloc, buffers_backend,"
      " buffers_backend_fsync, stats_reset FROM pg_stat_bgwriter" },
    { "bgwriter", 17, 17, QUERY_OBJECT, false, NULL,
      "SELECT buffers_clean, maxwritten_clean, buffers_alloc, " BACKEND_WRITES
      " AS buffers_backend, " BACKEND_FSYNCS
      " AS buffers_backend_fsync, stats_reset FROM pg_stat_bgwriter" },
    { "bgwriter", 18, 0, QUERY_OBJECT, false, NULL,
      "SELECT buffers_clean, maxwritten_clean, buffers_alloc, " BACKEND_WRITES_18
      " AS buffers_backend, " BACKEND_FSYNCS
      " AS buffers_backend_fsync, stats_reset FROM pg_stat_bgwriter" },
    { "checkpointer", 0, 16, QUERY_OBJECT, false, NULL,
      "SELECT checkpoints_timed AS timed, checkpoints_req AS requested, NULL::bigint AS done,"
      " checkpoint_write_time AS write_ms, checkpoint_sync_time AS sync_ms,"
      " buffers_checkpoint AS buffers_written, stats_reset FROM pg_stat_bgwriter" },
    { "checkpointer", 17, 17, QUERY_OBJECT, false, NULL,
      "SELECT num_timed AS timed, num_requested AS requested, NULL::bigint AS done,"
      " write_time AS write_ms, sync_time AS sync_ms, buffers_written, restartpoints_timed,"
      " restartpoints_req, restartpoints_done, stats_reset FROM pg_stat_checkpointer" },
    { "checkpointer", 18, 0, QUERY_OBJECT, false, NULL,
      "SELECT num_timed AS timed, num_requested AS requested, num_done AS done,"
      " write_time AS write_ms, sync_time AS sync_ms, buffers_written, slru_written,"
      " restartpoints_timed, restartpoints_req, restartpoints_done, stats_reset"
      " FROM pg_stat_checkpointer" },

    { "wal", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT lsn::text AS lsn, pg_wal_lsn_diff(lsn, '0/0')::bigint AS position_bytes FROM (SELECT"
      " CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()"
      " ELSE pg_current_wal_insert_lsn() END AS lsn) l" },
    { "wal", 14, 17, QUERY_OBJECT, false, NULL,
      "SELECT wal_records AS records, wal_fpi AS fpi, wal_bytes::bigint AS bytes,"
      " wal_buffers_full AS buffers_full, wal_write AS writes, wal_sync AS syncs,"
      " wal_write_time AS write_ms, wal_sync_time AS sync_ms, stats_reset FROM pg_stat_wal" },
    { "wal", 18, 0, QUERY_OBJECT, false, NULL,
      "SELECT wal_records AS records, wal_fpi AS fpi, wal_bytes::bigint AS bytes,"
      " wal_buffers_full AS buffers_full, i.*, stats_reset FROM pg_stat_wal,"
      " (SELECT sum(writes)::bigint AS writes, sum(fsyncs)::bigint AS syncs,"
      " sum(write_time) AS write_ms, sum(fsync_time) AS sync_ms FROM pg_stat_io"
      " WHERE object = 'wal') i" },
    { "waldir", 0, 0, QUERY_OBJECT, false, MAY_RUN("pg_ls_waldir()"),
      "SELECT count(*) AS files, sum(size)::bigint AS bytes FROM pg_ls_waldir()" },
    { "archiver", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT archived_count, failed_count, stats_reset FROM pg_stat_archiver" },
    { "io", 16, 17, QUERY_LIST, false, NULL,
      "SELECT backend_type, object, context, reads, reads * op_bytes AS read_bytes,"
      " read_time AS read_ms, writes, writes * op_bytes AS write_bytes, write_time AS write_ms,"
      " extends, extends * op_bytes AS extend_bytes, extend_time AS extend_ms, hits, evictions,"
      " reuses, fsyncs, fsync_time AS fsync_ms FROM pg_stat_io"
      " WHERE greatest(reads, writes, extends, hits, fsyncs) > 0" },
    { "io", 18, 0, QUERY_LIST, false, NULL,
      "SELECT backend_type, object, context, reads, read_bytes::bigint, read_time AS read_ms,"
      " writes, write_bytes::bigint, write_time AS write_ms, extends, extend_bytes::bigint,"
      " extend_time AS extend_ms, hits, evictions, reuses, fsyncs, fsync_time AS fsync_ms"
      " FROM pg_stat_io WHERE greatest(reads, writes, extends, hits, fsyncs) > 0" },
    { "slru", 13, 0, QUERY_LIST, false, NULL,
      "SELECT name, blks_zeroed, blks_hit, blks_read, blks_written, flushes, truncates"
      " FROM pg_stat_slru WHERE blks_zeroed + blks_hit + blks_read + blks_written > 0" },
    { "replication", 0, 0, QUERY_LIST, false, NULL,
      "SELECT state, sync_state, count(*) AS count FROM pg_stat_replication GROUP BY 1, 2"
      " ORDER BY 1, 2" },

    /* Autovacuum's own transactions are in the books too: see books.c. */
    { "maintenance", 0, 0, QUERY_OBJECT, false, NULL,
      "SELECT sum(vacuum_count)::bigint AS vacuums, sum(autovacuum_count)::bigint AS autovacuums,"
      " sum(analyze_count)::bigint AS analyzes, sum(autoanalyze_count)::bigint AS autoanalyzes"
      " FROM pg_stat_all_tables" },
    /* Names only: what foreign sessions run is not ours to keep. */
    { "sessions", 0, 0, QUERY_LIST, false, NULL,
      "SELECT coalesce(application_name, '') AS application, count(*) AS count,"
      " count(*) FILTER (WHERE datname = current_database()) AS here,"
      " count(*) FILTER (WHERE state = 'active') AS active"
      " FROM pg_stat_activity WHERE coalesce(backend_type, 'client backend') = 'client backend'"
      " AND datid IS NOT NULL AND pid <> pg_backend_pid()"
      " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100" },
    { NULL, 0, 0, QUERY_OBJECT, false, NULL, NULL },
};

const struct table_row *table_next(const struct table_row *row, int major)
{
    row = row == NULL ? table_rows : row + 1;
    while (row->name != NULL &&
           (major < row->min_major || (row->max_major != 0 && major > row->max_major)))
        row++;
    return row->name != NULL ? row : NULL;
}
