/*
 * render.c - statements of a workload with the names of this database in them.
 */
#include <assert.h>
#include <string.h>

#include "load/job.h"

/* Within a literal quotes are doubled. */
static void add_name(struct text *out, const char *name, bool literal)
{
    for (const char *c = name; *c != '\0'; c++) {
        if (literal && *c == '\'')
            text_add_char(out, '\'');
        text_add_char(out, *c);
    }
}

static const struct table_job *find_table(const struct job *job, const char *name, size_t length)
{
    for (int i = 0; i < job->table_count; i++)
        if (strncmp(job->tables[i].spec.name, name, length) == 0 &&
            job->tables[i].spec.name[length] == '\0')
            return &job->tables[i];
    return NULL;
}

/* The table that a statement names here by %{NAME}, and what comes behind it. NULL: none. */
static const struct table_job *named_table(const struct job *job, const char *at, const char **rest)
{
    const char *end = at[0] == '%' && at[1] == '{' ? strchr(at, '}') : NULL;
    const struct table_job *table;

    if (end == NULL)
        return NULL;
    table = find_table(job, at + 2, (size_t)(end - at) - 2);
    assert(table != NULL && "a statement names a table that is not of the data set");
    *rest = end + 1;
    return table;
}

void render_statement(struct text *out, const struct job *job, const char *statement,
                      const char *own, bool quoted)
{
    bool literal = false;

    for (const char *at = statement; *at != '\0';) {
        const struct table_job *table = named_table(job, at, &at);
        if (table != NULL) {
            add_name(out, quoted ? table->quoted : table->spec.name, literal);
        } else if (at[0] == '%' && at[1] == 's') {
            add_name(out, own, literal);
            at += 2;
        } else {
            literal ^= *at == '\'';
            text_add_char(out, *at++);
        }
    }
}

void render_parents(const struct job *job, struct table_job *table)
{
    int count = 0;

    for (int i = 0; i < table->links.count; i++)
        for (const char *at = table->links.texts[i]; (at = strstr(at, "%{")) != NULL; at++)
            count++;
    table->parents = ARENA_ARRAY(job->arena, const struct table_job *, count + 1);
    for (int i = 0; i < table->links.count; i++)
        for (const char *at = table->links.texts[i]; (at = strstr(at, "%{")) != NULL;) {
            const struct table_job *parent = named_table(job, at, &at);
            assert(parent != NULL && parent->index < table->index &&
                   "a table is described before those it names");
            table->parents[table->parent_count++] = parent;
        }
}
