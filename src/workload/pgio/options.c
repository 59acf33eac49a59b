/*
 * options.c - PGIO's option rows, under the names of pgio.conf; what SLOB has and PGIO lacks comes
 * behind, under SLOB's names (spec pgio 1.3 and 1.9). A pgio.conf gives the same rows.
 */
#include "workload/pgio/pgio.h"

#define AT(field) offsetof(struct pgio_options, field)

static const struct choice compats[] = {
    { "none", PGIO_CORRECT, "a commit an operation, said by the client" },
    { "pgio1", PGIO_PUBLISHED, "the published loop in the server, one transaction a session" },
    { NULL, 0, NULL },
};

static const struct choice rand_types[] = {
    { "uniform", DISTRIBUTION_UNIFORM, "every block alike" },
    { "gaussian", DISTRIBUTION_GAUSSIAN, "mean of 12 uniform draws: the middle keys are hot" },
    { "special", DISTRIBUTION_SPECIAL, "75 % of draws in about 1 % of keys" },
    { "pareto", DISTRIBUTION_PARETO, "80 % of draws in the first 20 % of keys" },
    { "zipfian", DISTRIBUTION_ZIPFIAN, "exact Zipf over keys, the lowest hottest" },
    { NULL, 0, NULL },
};

static const struct choice redos[] = {
    { "lite", PGIO_LITE, "scratch alone, as published" },
    { "heavy", PGIO_HEAVY, "the filler as well: about a kilobyte of WAL a row" },
    { NULL, 0, NULL },
};

static const struct choice sums[] = {
    { "auto", PGIO_SUM_AUTO, "when there are updates, and all tables are at most 1 GB" },
    { "always", PGIO_SUM_ALWAYS, "however much is read for it" },
    { "never", PGIO_SUM_NEVER, "not at all" },
    { NULL, 0, NULL },
};

/* What each row says alike. */
#define ROW(row_name, row_type, row_field) \
    .name = row_name, .type = row_type, .at = AT(row_field), .topic = "pgio", .since = "0.1"

const struct option pgio_option_rows[] = {
    { ROW("pgio-conf", OPTION_TEXT, conf), .marks = OPTION_ALSO, .unit = "file",
      .help = "a pgio.conf, read as it is and never executed",
      .text = "Its lines KEY=value are options of these names, quotes and comments as the shell "
              "has them; what the command line says wins. CONNECT_STRING is the target when "
              "--target does not name one." },
    { ROW("compat", OPTION_CHOICE, compat), .fallback = "none", .choices = compats,
      .marks = OPTION_SHAPES, .help = "the published loop, with its defects",
      .text = "With pgio1 each session calls one function for all of RUN_TIME, in one "
              "transaction: rows that it updated stay locked until the end, sessions on one table "
              "deadlock, and those that died are missing from the figures. The result tells how "
              "many did; docs/pgio.md lists what else is wrong with it." },
    { ROW("scale", OPTION_TEXT, scale), .fallback = "1G", .marks = OPTION_SHAPES,
      .unit = "blocks or size", .help = "size of each table; a run may use less than there is",
      .text = "A whole number is blocks of 8 kB, one row each; 512M, 1G and 2T are sizes. A run "
              "keeps to keys up to it: so one load serves a sweep over sizes of the working set. "
              "When it is not said, a run uses all there is." },
    { ROW("num-schemas", OPTION_WHOLE, num_schemas), .fallback = "4", .low = 1,
      .high = PGIO_TABLES_MAX, .marks = OPTION_SHAPES, .unit = "tables",
      .help = "number of tables pgio1, pgio2, ..." },
    { ROW("num-threads", OPTION_WHOLE, num_threads), .fallback = "2", .low = 1, .high = 100000,
      .marks = OPTION_SHAPES, .unit = "sessions",
      .help = "sessions on each table; --connections says how many in all" },
    { ROW("update-pct", OPTION_WHOLE, update_pct), .fallback = "0", .high = 100,
      .marks = OPTION_SHAPES, .unit = "%", .help = "share of operations that update, evenly spread",
      .text = "With --compat pgio1 0 to 50 or 100, and the updates of each hundred operations "
              "come first, as published." },
    { ROW("run-time", OPTION_DURATION, run_time_ns), .fallback = "0s", .high = 31536000,
      .marks = OPTION_ALSO, .unit = "s", .help = "as --time" },
    { ROW("work-unit", OPTION_WHOLE, work_unit), .fallback = "255", .low = 0, .high = 1000000,
      .marks = OPTION_SHAPES, .unit = "blocks",
      .help = "a SELECT reads so many blocks and one more" },
    { ROW("update-work-unit", OPTION_WHOLE, update_work_unit), .fallback = "8", .low = 0,
      .high = 1000000, .marks = OPTION_SHAPES, .unit = "blocks",
      .help = "an UPDATE writes so many blocks and one more" },
    { ROW("create-base-table", OPTION_FLAG, create_base_table), .fallback = "off",
      .marks = OPTION_SHAPES, .help = "load: also pgio_base, which nothing reads" },
    { ROW("obfuscate-columns", OPTION_FLAG, obfuscate), .fallback = "off", .marks = OPTION_SHAPES,
      .help = "load: filler that storage cannot compress, not 1024 times X" },
    { ROW("redo-stress", OPTION_CHOICE, redo), .fallback = "lite", .choices = redos,
      .marks = OPTION_SHAPES, .help = "how much an UPDATE writes" },
    { ROW("rand-type", OPTION_CHOICE, rand.kind), .fallback = "uniform", .choices = rand_types,
      .marks = OPTION_SHAPES, .help = "which blocks are hot" },
    { ROW("rand-pareto-h", OPTION_REAL, rand.pareto_h), .fallback = "0.2", .low = 0.001,
      .high = 0.999, .marks = OPTION_SHAPES,
      .help = "pareto: this share of keys gets 1 minus this share of draws" },
    { ROW("rand-zipfian-exp", OPTION_REAL, rand.zipfian_exponent), .fallback = "0.8", .high = 100,
      .marks = OPTION_SHAPES, .help = "zipfian: the exponent theta" },
    { ROW("rand-spec-iter", OPTION_WHOLE, rand.special_iterations), .fallback = "12", .low = 1,
      .high = 1000, .marks = OPTION_SHAPES | OPTION_HIDDEN,
      .help = "special: uniform draws summed for the rest of the keys" },
    { ROW("rand-spec-pct", OPTION_WHOLE, rand.special_percent), .fallback = "1", .low = 1,
      .high = 100, .marks = OPTION_SHAPES | OPTION_HIDDEN, .unit = "%",
      .help = "special: share of keys in the hot band" },
    { ROW("rand-spec-res", OPTION_WHOLE, rand.special_result), .fallback = "75", .low = 1,
      .high = 100, .marks = OPTION_SHAPES | OPTION_HIDDEN, .unit = "%",
      .help = "special: share of draws that fall into the hot band" },
    { ROW("do-hotspot", OPTION_FLAG, do_hotspot), .fallback = "off", .marks = OPTION_SHAPES,
      .help = "some operations go to a few keys" },
    { ROW("hotspot-mb", OPTION_WHOLE, hotspot_mb), .fallback = "8", .low = 1, .high = 1000000,
      .marks = OPTION_SHAPES, .unit = "MB", .help = "size of these keys' blocks" },
    { ROW("hotspot-offset-mb", OPTION_WHOLE, hotspot_offset_mb), .fallback = "16",
      .high = 1000000000, .marks = OPTION_SHAPES, .unit = "MB",
      .help = "so many keys' blocks lie before them" },
    { ROW("hotspot-frequency", OPTION_WHOLE, hotspot_frequency), .fallback = "3", .low = 1,
      .high = 1000000, .marks = OPTION_SHAPES, .unit = "operations",
      .help = "one of so many goes there" },
    { ROW("hot-schema-frequency", OPTION_WHOLE, hot_schema_frequency), .fallback = "0",
      .high = 1000000, .marks = OPTION_SHAPES, .unit = "operations",
      .help = "one of so many goes to table pgio1; 0: none" },
    { ROW("scan-pct", OPTION_WHOLE, scan_pct), .fallback = "0", .high = 100, .marks = OPTION_SHAPES,
      .unit = "%", .help = "share of operations that scan the table pgio_scan" },
    { ROW("scan-table-sz", OPTION_TEXT, scan_table_size), .fallback = "1M", .marks = OPTION_SHAPES,
      .unit = "blocks or size", .help = "load: size of pgio_scan, made with --scan-pct" },
    { ROW("any-plan", OPTION_FLAG, any_plan), .fallback = "off", .marks = OPTION_SHAPES,
      .help = "run also when a plan does not go by the index" },
    { ROW("verify-sum", OPTION_CHOICE, verify_sum), .fallback = "auto", .choices = sums,
      .marks = OPTION_SHAPES, .help = "hold the growth of scratch against the rows updated",
      .text = "All tables are read for it before the run and after, which fills caches." },
    { .name = NULL },
};
