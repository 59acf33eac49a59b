/*
 * main.c - picks the verb, and turns how it ended into the exit code.
 */
#include <stdio.h>

int main(void)
{
    fputs("pgdyno: no verb is there yet\n", stderr);
    return 2;
}
