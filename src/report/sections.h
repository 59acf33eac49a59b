/*
 * sections.h - the parts of report_summary(), in the order in which they are told. Each takes its
 * numbers from the tree, and says nothing when the tree has nothing for it.
 */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include <jansson.h>

#include "report/page.h"

/* head.c: what was run on what, and how it ended. */
void tell_head(const struct page *page, const json_t *result);

/* rules.c: what the family is known by, and what its rules say. */
void tell_headlines(const struct page *page, const json_t *result);
void tell_rates(const struct page *page, const json_t *result);
void tell_terminals(const struct page *page, const json_t *result);
void tell_ledgers(const struct page *page, const json_t *result); /* lines of tell_ground() */

/* figures.c: how much and how fast. */
void tell_throughput(const struct page *page, const json_t *result);
void tell_latency(const struct page *page, const json_t *result);
void tell_transactions(const struct page *page, const json_t *result); /* when several */
void tell_statements(const struct page *page, const json_t *result);   /* when several */

/* machine.c: what a query took of the machine. */
void tell_machine(const struct page *page, const json_t *result);

/* verdict.c: what was the limit. */
void tell_verdict(const struct page *page, const json_t *result);

/* watched.c: waits of the load sessions, checkpoints and vacuums. */
void tell_watched(const struct page *page, const json_t *result);

/* trust.c: what went wrong, and whether the figures can be believed. */
void tell_errors(const struct page *page, const json_t *result);
void tell_outages(const struct page *page, const json_t *result);
void tell_ground(const struct page *page, const json_t *result);
void tell_verified(const struct page *page, const json_t *result);
void tell_vacuum(const struct page *page, const json_t *result);
void tell_notes(const struct page *page, const json_t *result);

#endif
