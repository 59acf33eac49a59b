/*
 * here.h - is the server this machine? Judged from addresses alone. Private to the room.
 */
#ifndef COLLECT_HERE_H
#define COLLECT_HERE_H

#include <stdbool.h>

/* What is known about a connection; any text may be NULL or "". */
struct here_facts {
    const char *host;           /* as asked: a name, or a socket's directory */
    const char *address;        /* where it went; empty for a unix socket */
    const char *server_address; /* what the server calls its end; empty for a unix socket */
    bool pooled;                /* somebody stands between */
};

/* `is_own` tells whether an address is one of this machine's interfaces. Pure but for it. */
bool here_judge(const struct here_facts *facts, bool (*is_own)(const char *address));

bool here_is_loopback(const char *address); /* 127.0.0.0/8, ::1, ::ffff:127.x */
bool here_is_own(const char *address);      /* of this machine's interfaces */

#endif
