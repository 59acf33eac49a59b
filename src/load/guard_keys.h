/*
 * guard_keys.h - first halves of the advisory locks on a schema; the second is its oid.
 */
#ifndef LOAD_GUARD_KEYS_H
#define LOAD_GUARD_KEYS_H

#define GUARD_KEY     1885632878 /* held by the one load or drop at work: "pdyn" */
#define STEP_KEY      1885632879 /* shared by the steps of a load, each for its transaction */
#define STEP_KEY_TEXT "1885632879"

#endif
