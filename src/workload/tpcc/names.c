/*
 * names.c - see names.h.
 */
#include "workload/tpcc/names.h"

#include <assert.h>
#include <string.h>

static const char *const syllables[10] = { "BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                           "ESE", "ANTI",  "CALLY", "ATION", "EING" };

int last_name(char name[LAST_NAME_MAX], int number)
{
    size_t length = 0;

    assert(number >= 0 && number <= 999);
    for (int place = 100; place > 0; place /= 10) {
        const char *syllable = syllables[number / place % 10];
        size_t count = strlen(syllable);
        memcpy(name + length, syllable, count);
        length += count;
    }
    name[length] = '\0';
    return (int)length;
}
