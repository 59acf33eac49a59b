/*
 * account.h - as whom a server runs. PostgreSQL refuses root, so when pgdyno is root its servers
 * run as the account `postgres`, or `nobody` where there is none. Any other user runs them itself.
 */
#ifndef SERVER_ACCOUNT_H
#define SERVER_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define ACCOUNT_GROUPS_MAX 64

struct account {
    bool change; /* the child has to become it; false: we are it already */
    uid_t uid;
    gid_t gid, groups[ACCOUNT_GROUPS_MAX];
    int group_count;
    char name[64];
    char home[512];
};

/* The account for a new server of ours. */
bool account_find(struct account *out, struct error *err);
/* The account that owns the data of an existing one. */
bool account_of_owner(uid_t uid, struct account *out, struct error *err);

/* Becomes it, for good. Between fork and exec: calls nothing but the kernel. */
bool account_become(const struct account *account);

/* May it do `mode` (as of access(2)) with `path`? Asked by trying, in a child. */
bool account_may(const struct account *account, const char *path, int mode);

#endif
