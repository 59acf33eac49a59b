/*
 * options.c - the option rows of TPROC-C, under our names and under HammerDB's.
 *
 * What HammerDB's dialogs offer is known: what means the same is read, what is done by other means
 * here is ignored with a note that names them, and what would be another workload is refused.
 * --pg_rampup, --pg_duration and the connection's options are rows of the plan (plan/table.c).
 */
#include "workload/tproc/tproc.h"

#define AT(field) offsetof(struct tproc_options, field)

static const struct choice compats[] = {
    { "hammerdb", TPROC_HAMMERDB, "as HammerDB does it, with its defects" },
    { "hammerdb-fixed", TPROC_MENDED, "the same tables and signatures, done as TPC-C says" },
    { NULL, 0, NULL },
};

static const struct choice routines[] = {
    { "functions", TPROC_FUNCTIONS, "five functions, called by prepared statements" },
    { "procedures", TPROC_PROCEDURES, "five procedures, called by text with values in it" },
    { NULL, 0, NULL },
};

static const struct choice storedprocs[] = {
    { "false", TPROC_FUNCTIONS, "as --routines functions" },
    { "true", TPROC_PROCEDURES, "as --routines procedures" },
    { NULL, 0, NULL },
};

static const struct choice no_oracle[] = {
    { "false", 0, "PostgreSQL's own dialect" },
    { "true", CHOICE_REFUSED, "EDB's Oracle dialect is another workload, and not made here" },
    { NULL, 0, NULL },
};

static const struct choice no_citus[] = {
    { "false", 0, "tables that are not distributed" },
    { "true", CHOICE_REFUSED,
      "load without it, call create_distributed_table() for each table, then run" },
    { NULL, 0, NULL },
};

/* A spelling of HammerDB that another row owns the value of. */
#define SAME (OPTION_HIDDEN | OPTION_ALSO)
/* One that nothing is done about; `help` is what the note says. */
#define IGNORED(row_name, row_help)                                                     \
    {                                                                                   \
        .name = row_name, .type = OPTION_TEXT, .marks = OPTION_HIDDEN | OPTION_IGNORED, \
        .topic = "tproc", .since = "0.1", .help = row_help                              \
    }

const struct option tproc_option_rows[] = {
    { .name = "compat",
      .type = OPTION_CHOICE,
      .at = AT(compat),
      .fallback = "hammerdb",
      .choices = compats,
      .marks = OPTION_SHAPES,
      .topic = "tproc",
      .since = "0.1",
      .help = "the published workload, or the same with its defects mended",
      .text = "The published functions never look a customer up by name, both kinds of routines "
              "keep orders that TPC-C rolls back and lose some counters, and the data break two "
              "of TPC-C's consistency conditions from the start; docs/hammerdb.md lists it all. "
              "hammerdb-fixed mends what HammerDB's tables and signatures allow. Figures of the "
              "two are not to be compared, nor are those of functions and procedures." },
    { .name = "warehouses",
      .type = OPTION_WHOLE,
      .at = AT(warehouses),
      .fallback = "1",
      .low = 1,
      .high = (double)TPROC_WAREHOUSES_MAX,
      .marks = OPTION_SHAPES | OPTION_SCALES,
      .unit = "warehouses",
      .aliases = "pg-count-ware",
      .topic = "tproc",
      .since = "0.1",
      .help = "load: how many, about 100 MB each",
      .text = "A later load with more of them adds what is missing. A run works on those that "
              "the data hold, whatever is said here." },
    { .name = "routines",
      .type = OPTION_CHOICE,
      .at = AT(routines),
      .fallback = "functions",
      .choices = routines,
      .marks = OPTION_SHAPES,
      .topic = "tproc",
      .since = "0.1",
      .help = "what load makes of the five routines, and run calls",
      .text = "When the database has all five of one kind only, a run calls these and says so." },
    { .name = "allwarehouse",
      .type = OPTION_FLAG,
      .at = AT(allwarehouse),
      .fallback = "off",
      .marks = OPTION_SHAPES,
      .aliases = "pg-allwarehouse",
      .topic = "tproc",
      .since = "0.1",
      .help = "share all warehouses out among the sessions",
      .text = "Each session then draws one of its share for each transaction. Otherwise it keeps "
              "to one drawn at random, so that no more warehouses are touched than there are "
              "sessions; with --rate all transactions are those of one session." },
    { .name = "keyandthink",
      .type = OPTION_FLAG,
      .at = AT(keyandthink),
      .fallback = "off",
      .marks = OPTION_SHAPES,
      .aliases = "pg-keyandthink",
      .topic = "tproc",
      .since = "0.1",
      .help = "wait before and after each transaction, as a user would",
      .text = "About 1.26 New-Orders a minute and session. With hammerdb pauses are whole seconds "
              "without an upper limit, and the means of Delivery and Order-Status are swapped; "
              "with hammerdb-fixed they are those of TPC-C, cut at ten times the mean." },
    { .name = "partition",
      .type = OPTION_FLAG,
      .at = AT(partition),
      .fallback = "off",
      .marks = OPTION_SHAPES,
      .aliases = "pg-partition",
      .topic = "tproc",
      .since = "0.1",
      .help = "load: order_line in parts, one for 100 warehouses",
      .text = "Hash partitions by warehouse, from 200 warehouses on." },

    /* ---- HammerDB's dialogs: the same ---- */
    { .name = "pg-storedprocs",
      .type = OPTION_CHOICE,
      .at = AT(routines),
      .choices = storedprocs,
      .marks = SAME,
      .topic = "tproc",
      .since = "0.1",
      .help = "HammerDB's spelling, see --routines" },

    /* ---- something else ---- */
    { .name = "pg-oracompat",
      .type = OPTION_CHOICE,
      .choices = no_oracle,
      .marks = OPTION_HIDDEN | OPTION_IGNORED,
      .topic = "tproc",
      .since = "0.1",
      .help = "false, what else" },
    { .name = "pg-cituscompat",
      .type = OPTION_CHOICE,
      .choices = no_citus,
      .marks = OPTION_HIDDEN | OPTION_IGNORED,
      .topic = "tproc",
      .since = "0.1",
      .help = "false, what else" },

    /* ---- done by other means ---- */
    IGNORED("pg-num-vu", "load shares the work out by itself; see load --help"),
    IGNORED("pg-superuser", "no role or database is made: --target names those to use"),
    { .name = "pg-superuserpass",
      .type = OPTION_TEXT,
      .marks = OPTION_HIDDEN | OPTION_IGNORED | OPTION_SECRET,
      .topic = "tproc",
      .since = "0.1",
      .help = "no superuser is needed" },
    IGNORED("pg-defaultdbase", "no database is made: --target names the one to use"),
    IGNORED("pg-tspace", "set default_tablespace in the target's options"),
    IGNORED("pg-dritasnap", "the result holds snapshots of the statistics anyway"),
    IGNORED("pg-total-iterations", "there is no cap; --transactions ends a run by count"),
    IGNORED("pg-driver", "every run is timed, and its result has all calls"),
    IGNORED("pg-timeprofile", "every transaction is timed, in the window only"),
    IGNORED("pg-async-scale", "sessions cost little: give all of them by --connections"),
    IGNORED("pg-async-client", "give all sessions by --connections"),
    IGNORED("pg-async-verbose", "there is no trace of single calls"),
    IGNORED("pg-async-delay", "sessions are all open before the ramp-up begins"),
    IGNORED("pg-connect-pool", "several hosts in --target share the sessions"),
    { .name = NULL },
};
