/*
 * page.c - lines and numbers on a terminal; see page.h.
 */
#include "report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LABEL_WIDTH 14
#define INDENT      2

static const char *const tone_begin[] = {
    [TONE_PLAIN] = "",        [TONE_HEADING] = "\x1b[1m",  [TONE_DIM] = "\x1b[2m",
    [TONE_GOOD] = "\x1b[32m", [TONE_WARNING] = "\x1b[33m", [TONE_BAD] = "\x1b[31m",
};
static const char tone_end[] = "\x1b[0m";

struct report_style report_style_of(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    struct report_style style = { 0 };
    struct winsize size;
    int file = fileno(out);

    if (file < 0 || !isatty(file))
        return style;
    style.colour = (no_colour == NULL || *no_colour == '\0') && term != NULL &&
                   strcmp(term, "dumb") != 0 && *term != '\0';
    style.columns = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return style;
}

struct page page_open(FILE *out, const struct report_style *style)
{
    struct page page = { .out = out, .style = style, .columns = style->columns };

    if (page.columns <= 0)
        page.columns = PAGE_COLUMNS;
    if (page.columns < PAGE_NARROW)
        page.columns = PAGE_NARROW;
    return page;
}

int page_width(const char *words)
{
    int width = 0;

    for (; *words != '\0'; words++)
        width += ((unsigned char)*words & 0xC0) != 0x80;
    return width;
}

void page_words(const struct page *page, enum tone tone, const char *words, int width)
{
    bool coloured = page->style->colour && tone != TONE_PLAIN && *words != '\0';
    int blanks = (width < 0 ? -width : width) - page_width(words);

    if (width < 0 && blanks > 0)
        fprintf(page->out, "%*s", blanks, "");
    fprintf(page->out, "%s%s%s", coloured ? tone_begin[tone] : "", words, coloured ? tone_end : "");
    if (width > 0 && blanks > 0)
        fprintf(page->out, "%*s", blanks, "");
}

void page_heading(const struct page *page, const char *words)
{
    fputc('\n', page->out);
    page_words(page, TONE_HEADING, words, 0);
    fputc('\n', page->out);
}

/* How many bytes of `words` make the next line: as many whole words as fit, at least one, and a
 * single word that is too long is cut. */
static size_t line_bytes(const char *words, int room)
{
    size_t best = 0;
    int width = 0;

    for (size_t i = 0;; i++) {
        if (words[i] == '\0')
            return i;
        if (((unsigned char)words[i] & 0xC0) != 0x80 && ++width > room)
            return best > 0 ? best : i;
        if (words[i + 1] == ' ' || words[i + 1] == '\0')
            best = words[i] != ' ' && width <= room ? i + 1 : best;
    }
}

void page_line(const struct page *page, const char *label, enum tone tone, const char *words)
{
    int begin = INDENT + LABEL_WIDTH;
    struct text line;

    if (page_width(label) >= LABEL_WIDTH)
        begin = INDENT + page_width(label) + 1;
    fprintf(page->out, "%*s", INDENT, "");
    page_words(page, TONE_DIM, label, *words != '\0' ? begin - INDENT : 0);
    text_init(&line, PAGE_TEXT_MAX);
    for (bool first = true; first || *words != '\0'; first = false) {
        size_t length = line_bytes(words, page->columns - begin);
        text_clear(&line);
        text_add_bytes(&line, words, length);
        fprintf(page->out, "%*s", first ? 0 : begin, "");
        page_words(page, tone, line.bytes, 0);
        fputc('\n', page->out);
        words += length;
        words += strspn(words, " ");
    }
    text_close(&line);
}

/* ---- numbers ---- */

/* Puts a comma before every third of the digits that `plain` begins with. */
static void add_grouped(struct text *out, const char *plain)
{
    size_t digits;

    if (*plain == '-')
        text_add_char(out, *plain++);
    digits = strspn(plain, "0123456789");
    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, plain[i]);
    }
    text_add(out, plain + digits);
}

void add_whole(struct text *out, int64_t number)
{
    char plain[NUMBER_TEXT_MAX];

    snprintf(plain, sizeof plain, "%lld", (long long)number);
    add_grouped(out, plain);
}

void add_real(struct text *out, double number, int decimals)
{
    char plain[512]; /* the longest double has 309 digits before the point */

    if (!isfinite(number)) {
        text_add_char(out, '-');
        return;
    }
    snprintf(plain, sizeof plain, "%.*f", decimals, number);
    add_grouped(out, plain);
}

void add_ms(struct text *out, double ms)
{
    add_real(out, ms, ms < 9.9995 ? 3 : ms < 99.995 ? 2 : 1);
}

void add_json_whole(struct text *out, const json_t *number)
{
    if (json_is_integer(number))
        add_whole(out, json_integer_value(number));
    else
        text_add_char(out, '-');
}

void add_json_rate(struct text *out, const json_t *number)
{
    double rate = json_number_value(number);

    if (json_is_number(number))
        add_real(out, rate, rate < 99.995 ? 2 : 1);
    else
        text_add_char(out, '-');
}

void add_json_ms(struct text *out, const json_t *times, const char *key)
{
    const json_t *number = json_object_get(times, key);
    char mark[64];

    snprintf(mark, sizeof mark, "%s_at_least", key);
    if (!json_is_number(number)) {
        text_add_char(out, '-');
        return;
    }
    if (json_is_true(json_object_get(times, mark)))
        text_add(out, ">= ");
    add_ms(out, json_number_value(number));
}

/* ---- the tree ---- */

json_t *dig(const json_t *json, ...)
{
    json_t *found = NULL;
    const char *key;
    va_list keys;

    va_start(keys, json);
    while ((key = va_arg(keys, const char *)) != NULL)
        json = found = json_object_get(json, key);
    va_end(keys);
    return found;
}

int64_t dig_whole(const json_t *json, const char *key)
{
    return json_integer_value(json_object_get(json, key));
}

void add_json_text(struct text *out, const json_t *string, const char *otherwise)
{
    text_add_safe(out, json_is_string(string) ? json_string_value(string) : otherwise);
}
