/*
 * leave.c - see leave.h.
 */
#include "base/leave.h"

#include <string.h>
#include <unistd.h>

void leave_at_once(int code, const char *words)
{
    (void)!write(STDERR_FILENO, words, strlen(words));
    _exit(code);
}
