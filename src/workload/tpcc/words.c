/*
 * words.c - see words.h.
 */
#include "workload/tpcc/words.h"

#include <string.h>

#include "base/compiler.h"

#define A_WORD 8 /* characters drawn from one random number */

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* As many characters, each one of the first `letters` of `from`: a random number is a fraction;
 * times `letters`, its whole part is a character and the rest the next fraction. What rounding
 * takes is below 1e-4 of a character's share. */
static void fill(char *out, int count, const char *from, unsigned letters, struct rng *rng)
{
    uint64_t fraction = 0;

    for (int i = 0; i < count; i++) {
        uint128 product;
        if (i % A_WORD == 0)
            fraction = rng_next(rng);
        product = (uint128)fraction * letters;
        out[i] = from[(unsigned)(product >> 64)];
        fraction = (uint64_t)product;
    }
}

int draw_letters(char *out, int low, int high, struct rng *rng)
{
    int length = (int)rng_between(rng, low, high);

    fill(out, length, alphabet, sizeof alphabet - 1, rng);
    return length;
}

int draw_digits(char *out, int count, struct rng *rng)
{
    fill(out, count, "0123456789", 10, rng);
    return count;
}

int draw_zip(char out[ZIP_LENGTH], struct rng *rng)
{
    draw_digits(out, 4, rng);
    memset(out + 4, '1', 5);
    return ZIP_LENGTH;
}

void mark_original(char *letters, int length, struct rng *rng)
{
    static const char word[] = "ORIGINAL";
    const int count = (int)sizeof word - 1;

    memcpy(letters + rng_between(rng, 0, length - count), word, (size_t)count);
}

void say_letters(struct copy_row *row, int low, int high, struct rng *rng)
{
    char letters[LETTERS_MAX];
    int length = draw_letters(letters, low, high, rng);

    copy_text(row, letters, length);
}

void say_address(struct copy_row *row, struct rng *rng)
{
    char zip[ZIP_LENGTH];

    say_letters(row, 10, 20, rng);
    say_letters(row, 10, 20, rng);
    say_letters(row, 10, 20, rng);
    say_letters(row, 2, 2, rng);
    draw_zip(zip, rng);
    copy_text(row, zip, ZIP_LENGTH);
}
