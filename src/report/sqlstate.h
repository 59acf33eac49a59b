/*
 * sqlstate.h - what an error's code means, in a few words.
 */
#ifndef REPORT_SQLSTATE_H
#define REPORT_SQLSTATE_H

/* By the code, else by its class, else "". For kinds of our own ("net:closed") as well. */
const char *sqlstate_meaning(const char *code);

#endif
