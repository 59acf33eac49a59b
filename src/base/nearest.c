/*
 * nearest.c - see nearest.h. The distance is that of optimal string alignment (Damerau-Levenshtein
 * without overlapping edits), row by row.
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool same(char a, char b)
{
    return a == b || ((a == '-' || a == '_') && (b == '-' || b == '_'));
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int nearest_distance(const char *a, const char *b)
{
    int rows[3][NEAREST_NAME_MAX + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    size_t a_length = strlen(a), b_length = strlen(b);

    if (a_length > NEAREST_NAME_MAX || b_length > NEAREST_NAME_MAX)
        return NEAREST_NAME_MAX;
    memset(before, 0, sizeof rows[0]);
    for (size_t j = 0; j <= b_length; j++)
        above[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *spare = before;

        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = above[j - 1] + !same(a[i - 1], b[j - 1]);
            row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = above;
        above = row;
        row = spare;
    }
    return above[b_length];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    int length = (int)strlen(nearest->wanted);
    int allowed = length < 3 ? 0 : length < 6 ? 1 : least(length / 3, 4);
    int distance = nearest_distance(nearest->wanted, name);

    if (distance > allowed || (nearest->best != NULL && distance >= nearest->distance))
        return;
    nearest->best = name;
    nearest->distance = distance;
}
