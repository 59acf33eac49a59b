/*
 * option_number.c - reads the numbers of the command line and of plan files.
 *
 * strtod() follows the locale and takes "inf", "nan" and hexadecimal; strtoll() takes "12abc". So
 * the forms we promise are read here by hand: digits, a point, an exponent, a suffix, the end.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/option_value.h"

#define EXPONENT_MAX 400 /* beyond any double; keeps the sum of exponents from overflowing */

/* A decimal number as it was written: (-1)^negative * mantissa * 10^exponent. */
struct decimal {
    bool negative;
    uint64_t mantissa;
    int exponent;
};

struct unit {
    const char *word;
    int64_t factor;
};

/* Takes one digit; those beyond 19 of a fraction change nothing that we could keep. */
static bool take_digit(struct decimal *number, char digit, bool fraction)
{
    if (number->mantissa > (UINT64_MAX - 9) / 10) {
        if (fraction)
            return true;
        return false;
    }
    number->mantissa = number->mantissa * 10 + (uint64_t)(digit - '0');
    if (fraction)
        number->exponent--;
    return true;
}

static bool read_exponent(const char **at, struct decimal *number)
{
    const char *here = *at + 1;
    bool negative = *here == '-';
    int exponent = 0;

    if (*here == '-' || *here == '+')
        here++;
    if (!isdigit((unsigned char)*here))
        return false;
    for (; isdigit((unsigned char)*here); here++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*here - '0');
    number->exponent += negative ? -exponent : exponent;
    *at = here;
    return true;
}

/* Reads sign, digits, fraction and exponent; `*at` moves behind them. */
static bool read_decimal(const char **at, struct decimal *number)
{
    const char *here = *at;
    bool any = false;

    *number = (struct decimal){ .negative = *here == '-' };
    if (*here == '-' || *here == '+')
        here++;
    for (; isdigit((unsigned char)*here); here++, any = true)
        if (!take_digit(number, *here, false))
            return false;
    if (*here == '.')
        for (here++; isdigit((unsigned char)*here); here++, any = true)
            take_digit(number, *here, true);
    if (!any)
        return false;
    if ((*here == 'e' || *here == 'E') && !read_exponent(&here, number))
        return false;
    *at = here;
    return true;
}

/* 10k, 10M, 10G, 10T: powers of 1000. False when something else follows. */
static bool read_thousands(const char *suffix, int *exponent)
{
    static const char letters[] = "kmgt";
    const char *letter;

    if (*suffix == '\0')
        return true;
    letter = strchr(letters, tolower((unsigned char)*suffix));
    if (letter == NULL || suffix[1] != '\0')
        return false;
    *exponent += 3 * (int)(letter - letters + 1);
    return true;
}

bool option_read_whole(const char *text, int64_t *number)
{
    struct decimal read;
    uint64_t limit;

    if (!read_decimal(&text, &read) || !read_thousands(text, &read.exponent))
        return false;
    for (; read.exponent > 0 && read.mantissa != 0; read.exponent--)
        if (__builtin_mul_overflow(read.mantissa, UINT64_C(10), &read.mantissa))
            return false;
    for (; read.exponent < 0 && read.mantissa != 0; read.exponent++) {
        if (read.mantissa % 10 != 0)
            return false;
        read.mantissa /= 10;
    }
    limit = read.negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (read.mantissa > limit)
        return false;
    /* Unsigned negation keeps INT64_MIN free of overflow. */
    *number = read.negative ? (int64_t)(0 - read.mantissa) : (int64_t)read.mantissa;
    return true;
}

bool option_read_real(const char *text, double *number)
{
    struct decimal read;
    char clean[64];

    if (!read_decimal(&text, &read) || !read_thousands(text, &read.exponent))
        return false;
    /* No point in it, so strtod() reads it the same in every locale, and rounds right. */
    snprintf(clean, sizeof clean, "%s%llue%d", read.negative ? "-" : "",
             (unsigned long long)read.mantissa, read.exponent);
    *number = strtod(clean, NULL);
    return isfinite(*number);
}

/* Digits and a fraction without sign and exponent, times what the unit says. */
static bool read_part(const char **at, const struct unit *units, int64_t *total, bool *bare)
{
    const struct unit *unit;
    char word[8] = "";
    int64_t whole = 0;
    double fraction = 0, place = 0.1;
    size_t length = 0;
    bool any = false;

    for (; isdigit((unsigned char)**at); (*at)++, any = true)
        if (__builtin_mul_overflow(whole, INT64_C(10), &whole) ||
            __builtin_add_overflow(whole, (int64_t)(**at - '0'), &whole))
            return false;
    if (**at == '.')
        for ((*at)++; isdigit((unsigned char)**at); (*at)++, any = true, place /= 10)
            fraction += place * (**at - '0');
    for (; isalpha((unsigned char)**at); (*at)++)
        if (length < sizeof word - 1)
            word[length++] = **at;
        else
            return false;
    for (unit = units; unit->word != NULL && strcasecmp(unit->word, word) != 0;)
        unit++;
    if (!any || unit->word == NULL)
        return false;
    *bare = length == 0;
    return !__builtin_mul_overflow(whole, unit->factor, &whole) &&
           !__builtin_add_overflow(whole, (int64_t)llround(fraction * (double)unit->factor),
                                   &whole) &&
           !__builtin_add_overflow(*total, whole, total);
}

bool option_read_duration(const char *text, int64_t *ns)
{
    static const struct unit units[] = {
        { "", INT64_C(1000000000) },
        { "ns", 1 },
        { "us", 1000 },
        { "ms", 1000000 },
        { "s", INT64_C(1000000000) },
        { "sec", INT64_C(1000000000) },
        { "m", INT64_C(60000000000) },
        { "min", INT64_C(60000000000) },
        { "h", INT64_C(3600000000000) },
        { "d", INT64_C(86400000000000) },
        { NULL, 0 },
    };
    int64_t total = 0;
    int parts = 0;
    bool bare;

    do {
        if (!read_part(&text, units, &total, &bare))
            return false;
        /* A bare number is seconds, but "1h30" leaves open what 30 is. */
        if (++parts > 1 && bare)
            return false;
    } while (*text != '\0');
    *ns = total;
    return true;
}

bool option_read_size(const char *text, int64_t *bytes)
{
    static const struct unit units[] = {
        { "", 1 },
        { "b", 1 },
        { "k", INT64_C(1) << 10 },
        { "kb", INT64_C(1) << 10 },
        { "kib", INT64_C(1) << 10 },
        { "m", INT64_C(1) << 20 },
        { "mb", INT64_C(1) << 20 },
        { "mib", INT64_C(1) << 20 },
        { "g", INT64_C(1) << 30 },
        { "gb", INT64_C(1) << 30 },
        { "gib", INT64_C(1) << 30 },
        { "t", INT64_C(1) << 40 },
        { "tb", INT64_C(1) << 40 },
        { "tib", INT64_C(1) << 40 },
        { NULL, 0 },
    };
    int64_t total = 0;
    bool bare;

    if (!read_part(&text, units, &total, &bare) || *text != '\0')
        return false;
    *bytes = total;
    return true;
}

bool option_read_flag(const char *text, bool *flag)
{
    static const char *const words[] = { "off", "on", "false", "true", "no", "yes", "0", "1" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *flag = i % 2 == 1;
            return true;
        }
    return false;
}

/* Keeps the list ascending and without doubles. */
static bool put_percentile(struct percentiles *list, double percent)
{
    int at = list->count;

    for (int i = 0; i < list->count; i++)
        if (list->percent[i] == percent)
            return true;
    if (list->count == PERCENTILES_MAX)
        return false;
    for (; at > 0 && list->percent[at - 1] > percent; at--)
        list->percent[at] = list->percent[at - 1];
    list->percent[at] = percent;
    list->count++;
    return true;
}

bool option_read_percentiles(const char *text, struct percentiles *list)
{
    struct percentiles read = { 0 };

    for (;;) {
        size_t length = strcspn(text, ",");
        char part[32];
        double percent;

        if (length == 0 || length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!option_read_real(part, &percent) || !(percent > 0) || percent > 100 ||
            !put_percentile(&read, percent))
            return false;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    *list = read;
    return true;
}
