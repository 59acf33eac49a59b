/*
 * pgio.c - the descriptors of both identities: each part is in the file that pgio.h names for it.
 */
#include "workload/pgio/pgio.h"

#define PGIO_FAMILY                                                                             \
    .name = "pgio", .summary = "PGIO: random single blocks, one row each; RIOPS",               \
    .family = "pgio", .options = pgio_option_rows, .options_size = sizeof(struct pgio_options), \
    .world_size = sizeof(struct pgio_world), .needs_server = true, .open = pgio_open,           \
    .set_data_seed = pgio_set_data_seed, .ask = pgio_ask, .answer = pgio_answer,                \
    .accept = pgio_accept, .takes_part = true, .instance_count = pgio_instance_count,           \
    .table_count = pgio_table_count, .describe = pgio_describe, .object = pgio1_object,         \
    .check = pgio_check, .headlines = pgio_headlines, .counts_blocks = true

static const struct variant variants[] = {
    { "pgio1", &workload_pgio1 },
    { .compat = NULL },
};

const struct workload workload_pgio = {
    PGIO_FAMILY,
    .statements = pgio_statements,
    .transactions = pgio_transactions,
    .uses = pgio_uses,
    .any_plan = pgio_any_plan,
    .weight = pgio_weight,
    .pick = pgio_pick,
    .settle = pgio_settle,
    .remark = pgio_remark,
    .ledgers = pgio_ledgers,
    .variants = variants,
};

const struct workload workload_pgio1 = {
    PGIO_FAMILY,
    .statements = pgio1_statements,
    .transactions = pgio1_transactions,
    .settle = pgio1_settle,
    .remark = pgio1_remark,
    .tallies = pgio1_tallies,
    .ledgers = pgio1_ledgers,
};
