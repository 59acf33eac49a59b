/*
 * fake.h - the fake server as a process of a test's own, in a folder of its own. FAKE_SERVER names
 * the program.
 */
#ifndef ENGINE_TEST_FAKE_H
#define ENGINE_TEST_FAKE_H

#include <sys/types.h>

struct fake {
    char folder[32], script[48], conninfo[160];
    pid_t pid;
};

/* Fails the test when it cannot be had. The script's form is told in tests/fake/fake_server.c. */
struct fake fake_open(const char *script);
void fake_close(struct fake *server);

#endif
