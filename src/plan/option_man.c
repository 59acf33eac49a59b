/*
 * option_man.c - the rows as mdoc items for the man page.
 */
#include <ctype.h>
#include <string.h>

#include "plan/option_value.h"

#define LINE_MAX_COLUMNS 78

/* Takes the next word to a line of its own? After a sentence, and when the line would be long. */
static bool breaks_line(const char *space, int column)
{
    int length = (int)strcspn(space + 1, " ");

    return column + 1 + length > LINE_MAX_COLUMNS ||
           (space[-1] == '.' && isupper((unsigned char)space[1]));
}

static int write_mdoc_char(FILE *out, char c, int column)
{
    /* A line must not begin with a control character. */
    if (column == 0 && (c == '.' || c == '\''))
        return fprintf(out, "\\&%c", c);
    return fprintf(out, c == '\\' ? "\\e" : "%c", c);
}

void option_write_mdoc(FILE *out, const char *words)
{
    int column = 0;

    for (const char *at = words; *at != '\0'; at++) {
        if (at > words && *at == ' ' && breaks_line(at, column)) {
            fputc('\n', out);
            column = 0;
        } else if (at == words && islower((unsigned char)*at)) {
            column += fprintf(out, "%c", toupper((unsigned char)*at));
        } else {
            column += write_mdoc_char(out, *at, column);
        }
    }
}

static void write_mdoc_aliases(FILE *out, const struct option *row)
{
    if (row->aliases == NULL)
        return;
    fputs("Also spelled", out);
    for (const char *at = row->aliases; *at != '\0';) {
        int length = (int)strcspn(at, ",");

        fprintf(out, "%s\n.Fl -%.*s", at == row->aliases ? "" : " ,", length, at);
        at += length + (at[length] == ',');
    }
    fputs(" .\n", out);
}

static void write_mdoc_choices(FILE *out, const struct option *row)
{
    if (row->choices == NULL)
        return;
    fputs(".Bl -tag -width Ds -compact\n", out);
    for (const struct choice *choice = row->choices; choice->word != NULL; choice++) {
        if (choice->value == CHOICE_REFUSED)
            continue;
        fprintf(out, ".It Cm %s\n", choice->word);
        option_write_mdoc(out, choice->help);
        fputc('\n', out);
    }
    fputs(".El\n", out);
}

static void write_mdoc_row(FILE *out, const struct option *row)
{
    fputs(".It ", out);
    if (row->letter != 0)
        fprintf(out, "Fl %c , ", row->letter);
    fprintf(out, "Fl -%s%s", option_is_on(row) ? "[no-]" : "", row->name);
    if (option_value_word(row) != NULL)
        fprintf(out, " Ns = Ns Ar %s", option_value_word(row));
    fputc('\n', out);
    option_write_mdoc(out, row->help);
    fputs(".\n", out);
    if (option_has_default(row))
        fprintf(out, "The default is %s.\n", row->fallback);
    if (row->text != NULL) {
        option_write_mdoc(out, row->text);
        fputc('\n', out);
    }
    write_mdoc_aliases(out, row);
    write_mdoc_choices(out, row);
}

void option_write_man(FILE *out, const struct option *rows, const char *topics)
{
    for (const struct option *head = rows; head->name != NULL; head++) {
        if (!option_picked(head, topics) || !option_begins_topic(rows, head, topics))
            continue;
        fprintf(out, ".Ss Options: %s\n.Bl -tag -width Ds\n", head->topic);
        for (const struct option *row = head; row->name != NULL; row++)
            if (option_picked(row, topics) && strcmp(row->topic, head->topic) == 0)
                write_mdoc_row(out, row);
        fputs(".El\n", out);
    }
}
