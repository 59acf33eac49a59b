/*
 * conf.h - --pgio-conf FILE: options from a pgio.conf, before the command line's own.
 */
#ifndef COMMAND_CONF_H
#define COMMAND_CONF_H

#include "command/common.h"

/* Fills the workload's options, and the target, from the file that the command line names. True
 * when it names none. What the file says counts as given. ERROR_USAGE. */
bool conf_read(struct command_call *call, struct error *err);

#endif
