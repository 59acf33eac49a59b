/*
 * compat.h - what --compat changes in a run, beyond what the workload itself does otherwise.
 */
#ifndef COMMAND_COMPAT_H
#define COMMAND_COMPAT_H

#include <jansson.h>
#include <stdint.h>

#include "command/common.h"
#include "recorder/recorder.h"
#include "report/report.h"

/* Settles what a retry does unless it was said: the original's way in a compat mode. */
void compat_settle(struct command_call *call);

/* Appends to `notes` (an array) what was done as the original does it. `events` is what the
 * original counts a transaction as, `committed` how many there were. */
void compat_note(json_t *notes, const struct command_call *call, int64_t events, int64_t committed);

/* Appends a note when --isolation had nothing to act on. */
void compat_note_isolation(json_t *notes, const struct command_call *call,
                           const struct recorder_layout *layout, const struct phase_totals *totals);

/* What the family's options ask of the lines that sysbench prints. */
struct report_sysbench compat_sysbench(const struct command_call *call);

#endif
