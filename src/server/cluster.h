/*
 * cluster.h - makes a server's data folder, and holds the programs that work on it.
 */
#ifndef SERVER_CLUSTER_H
#define SERVER_CLUSTER_H

#include <stdbool.h>

#include "base/error.h"
#include "server/home.h"
#include "server/process.h"
#include "server/server.h"

/* Recovery after a crash may read a lot of WAL, and initdb on a slow disk takes its time. */
#define CLUSTER_TIMEOUT_S 600

/* Makes the data folder if it is not there; it appears whole or not at all. What is there and is of
 * another major, or no data folder, is an error. */
bool cluster_make(const struct home *home, const struct server_install *install,
                  const struct server_options *options, struct error *err);

/* Runs a program of the installation on this server's behalf; CLUSTER_TIMEOUT_S is its time. */
bool cluster_program(const struct home *home, const struct server_install *install,
                     const char *const *words, /* its name, then its arguments, then NULL */
                     struct process_result *result, struct error *err);

/* The first line of what a program or the log said that tells of something wrong. */
const char *cluster_complaint(char *output);

#endif
