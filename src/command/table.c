/*
 * table.c - the list of verbs, in the order in which --help shows them.
 */
#include <string.h>

#include "command/common.h"

/* clang-format off: a line a verb */
const struct command *const command_table[] = {
    &command_quick,  &command_list, &command_load, &command_run,     &command_bench,
    &command_check,  &command_drop, &command_show, &command_compare, &command_aa,
    &command_server, &command_doc,  NULL,
};
/* clang-format on */

const struct command *command_find(const char *name)
{
    for (int i = 0; command_table[i] != NULL; i++)
        if (strcmp(command_table[i]->name, name) == 0)
            return command_table[i];
    return NULL;
}
