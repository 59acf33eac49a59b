/*
 * names.h - last names of customers: three syllables, one a digit (TPC-C clause 4.3.2.3).
 */
#ifndef WORKLOAD_TPCC_NAMES_H
#define WORKLOAD_TPCC_NAMES_H

#define LAST_NAME_MAX 16 /* with its NUL */

/* Writes the name of `number`, 0..999; gives its length. */
int last_name(char name[LAST_NAME_MAX], int number);

#endif
