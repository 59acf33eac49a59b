/*
 * completion.c - shell completion, written from the rows: verbs, workloads, options, and the words
 * that an option takes.
 */
#include <string.h>

#include "base/memory.h"
#include "command/common.h"
#include "server/server.h"

/* Calls `write` for every option that a verb shows: its own, its topics of the plan's, all
 * families'. */
static void each_option(FILE *out, const struct command *command,
                        void (*write)(FILE *out, const struct option *row))
{
    char *topics = command_topics(command);

    for (const struct option *row = command->options; row != NULL && row->name != NULL; row++)
        if (option_picked(row, NULL))
            write(out, row);
    for (const struct option *row = plan_options; row->name != NULL; row++)
        if (option_picked(row, topics))
            write(out, row);
    memory_free(topics);
    for (int i = 0; command->takes_workload && command_family(i) != NULL; i++) {
        const struct option *row = command_family(i)->options;

        for (; row != NULL && row->name != NULL; row++)
            if (option_picked(row, NULL))
                write(out, row);
    }
}

static void write_workload_words(FILE *out)
{
    for (int i = 0; workload_table[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", workload_table[i]->name);
}

static void write_choice_words(FILE *out, const struct option *row)
{
    bool first = true;

    for (const struct choice *choice = row->choices; choice != NULL && choice->word != NULL;
         choice++)
        if (choice->value != CHOICE_REFUSED) {
            fprintf(out, "%s%s", first ? "" : " ", choice->word);
            first = false;
        }
}

/* "list|start|stop [MAJOR] [options]": the words that a usage begins with. */
static bool has_usage_words(const struct command *command)
{
    const char *bar = strchr(command->usage, '|');

    return !command->takes_workload && bar != NULL &&
           bar < command->usage + strcspn(command->usage, " ");
}

static void write_usage_words(FILE *out, const struct command *command)
{
    for (const char *at = command->usage; *at != '\0' && *at != ' '; at++)
        if (*at != '[' && *at != ']')
            fputc(*at == '|' ? ' ' : *at, out);
}

/* "... [MAJOR] [options]": what comes after the first word. */
static bool takes_major(const struct command *command)
{
    return strstr(command->usage, "[MAJOR]") != NULL;
}

static void write_majors(FILE *out)
{
    for (int major = SERVER_MAJOR_LOW; major <= SERVER_MAJOR_HIGH; major++)
        fprintf(out, "%s%d", major > SERVER_MAJOR_LOW ? " " : "", major);
}

/* An option that says where PostgreSQL is. */
static bool is_target(const struct option *row)
{
    return strcmp(row->name, "target") == 0;
}

static void write_local_words(FILE *out)
{
    fputs("local", out);
    for (int major = SERVER_MAJOR_LOW; major <= SERVER_MAJOR_HIGH; major++)
        fprintf(out, " local:%d", major);
}

/* ---- bash ---- */

static void write_bash_name(FILE *out, const struct option *row)
{
    fprintf(out, " --%s", row->name);
}

/* What completes the value: words, files, folders, or nothing. */
static void write_bash_case(FILE *out, const struct option *row)
{
    const char *word = option_value_word(row);

    if (word == NULL)
        return;
    if (row->letter != 0)
        fprintf(out, "    -%c | --%s) ", row->letter, row->name);
    else
        fprintf(out, "    --%s) ", row->name);
    if (row->choices != NULL) {
        fputs("COMPREPLY=($(compgen -W \"", out);
        write_choice_words(out, row);
        fputs("\" -- \"$cur\")); ", out);
    } else if (is_target(row)) {
        fputs("words=\"", out);
        write_local_words(out);
        /* bash makes ":" a word of its own: what stands before it is taken off again. */
        fputs("\"; _pgdyno_local; ", out);
    } else if (strcmp(word, "FILE") == 0) {
        fputs("COMPREPLY=($(compgen -f -- \"$cur\")); ", out);
    } else if (strcmp(word, "DIR") == 0) {
        fputs("COMPREPLY=($(compgen -d -- \"$cur\")); ", out);
    }
    fputs("return ;;\n", out);
}

static void write_bash_verb(FILE *out, const struct command *command)
{
    fprintf(out,
            "    %s)\n"
            "        case $prev in\n",
            command->name);
    each_option(out, command, write_bash_case);
    fputs("        esac\n"
          "        options=\"",
          out);
    each_option(out, command, write_bash_name);
    fputs("\"\n", out);
    if (command->takes_workload) {
        fputs("        words=\"", out);
        write_workload_words(out);
        fputs("\"\n", out);
    } else if (has_usage_words(command)) {
        fputs("        ((COMP_CWORD > 2)) || words=\"", out);
        write_usage_words(out, command);
        fputs("\"\n", out);
        if (takes_major(command))
            fputs("        ((COMP_CWORD == 3)) && _pgdyno_majors \"${COMP_WORDS[2]}\"\n", out);
        fputs("        ((COMP_CWORD > 2)) && [[ $cur != -* && -z $words ]] && return\n", out);
    }
    fputs("        ;;\n", out);
}

/* Those that the word can act on: of `server list`, or all when it knows none. */
static void write_bash_majors(FILE *out)
{
    fputs("_pgdyno_majors()\n"
          "{\n"
          "    local major state rest kept=yes program=${COMP_WORDS[0]/#\\~/$HOME}\n"
          "\n"
          "    words=\n"
          "    while read -r major state rest; do\n"
          "        case $1:$kept:$state in\n"
          "        start:no:* | stop:yes:runs | url:yes:runs | remove:yes:*)\n"
          "            [[ $major =~ ^[0-9]+$ ]] && words+=\" $major\" ;;\n"
          "        esac\n"
          "        [[ \"$major $state\" == \"PostgreSQL on\" ]] && kept=no\n"
          "    done < <(\"$program\" server list 2>/dev/null)\n"
          "    [[ -n $words || $1 == list ]] || words=\"",
          out);
    write_majors(out);
    fputs("\"\n"
          "}\n"
          "\n",
          out);
}

static void write_bash(FILE *out)
{
    fputs("# bash completion for pgdyno, made by pgdyno doc completion bash.\n"
          "# For bash \":\" ends a word: what is offered is what follows it.\n"
          "_pgdyno_local()\n"
          "{\n"
          "    local before=\n"
          "\n"
          "    if [[ $cur == \":\" ]]; then\n"
          "        before=local: cur=\n"
          "    elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == \":\" ]]; then\n"
          "        before=local:\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$before$cur\"))\n"
          "    [[ -n $before ]] && COMPREPLY=(\"${COMPREPLY[@]#local:}\")\n"
          "}\n"
          "\n",
          out);
    write_bash_majors(out);
    fputs("_pgdyno()\n"
          "{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local options= words= at=$((COMP_CWORD - 1))\n"
          "\n"
          "    COMPREPLY=()\n"
          "    # bash makes \"=\" and \":\" words of their own.\n"
          "    if [[ $cur == \"=\" ]]; then\n"
          "        cur=\n"
          "    elif [[ $cur == \":\" ]]; then\n"
          "        at=$((at - 1))\n"
          "    elif [[ $prev == \":\" ]]; then\n"
          "        at=$((at - 2))\n"
          "    fi\n"
          "    if ((at > 1)) && [[ ${COMP_WORDS[at]} == \"=\" ]]; then\n"
          "        at=$((at - 1))\n"
          "    fi\n"
          "    ((at > 0)) && prev=${COMP_WORDS[at]}\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (int i = 0; command_table[i] != NULL; i++)
        if (!command_table[i]->hidden)
            fprintf(out, "%s ", command_table[i]->name);
    fputs("help --help --version\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (int i = 0; command_table[i] != NULL; i++)
        if (!command_table[i]->hidden)
            write_bash_verb(out, command_table[i]);
    fputs("    esac\n"
          "    [[ $cur == -* ]] && words=$options\n"
          "    if [[ -n $words ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _pgdyno pgdyno\n",
          out);
}

/* ---- zsh ---- */

/* Within '...' and [...] of an _arguments specification. */
static void write_zsh_text(FILE *out, const char *words)
{
    for (; *words != '\0'; words++) {
        if (*words == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *words) != NULL)
            fprintf(out, "\\%c", *words);
        else
            fputc(*words, out);
    }
}

static void write_zsh_option(FILE *out, const struct option *row)
{
    const char *word = option_value_word(row);
    const char *equals = word != NULL ? "=" : "";

    if (row->letter != 0)
        fprintf(out, "            '(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name,
                row->letter, word != NULL ? "+" : "", row->name, equals);
    else
        fprintf(out, "            '--%s%s[", row->name, equals);
    write_zsh_text(out, row->help);
    fputc(']', out);
    if (word != NULL) {
        fprintf(out, ":%s:", word);
        if (row->choices != NULL) {
            fputc('(', out);
            write_choice_words(out, row);
            fputc(')', out);
        } else if (is_target(row)) {
            fputc('(', out);
            for (int major = SERVER_MAJOR_LOW; major <= SERVER_MAJOR_HIGH; major++)
                fprintf(out, "local\\:%d ", major);
            fputs("local)", out);
        } else if (strcmp(word, "FILE") == 0) {
            fputs("_files", out);
        } else if (strcmp(word, "DIR") == 0) {
            fputs("_files -/", out);
        }
    }
    fputs("' \\\n", out);
}

static void write_zsh_verb(FILE *out, const struct command *command)
{
    fprintf(out,
            "    %s)\n"
            "        _arguments \\\n",
            command->name);
    each_option(out, command, write_zsh_option);
    if (command->takes_workload) {
        fputs("            '*:workload:(", out);
        write_workload_words(out);
        fputs(")'\n", out);
    } else if (has_usage_words(command)) {
        fputs("            '1:word:(", out);
        write_usage_words(out, command);
        if (takes_major(command)) {
            fputs(")' \\\n            '2:major:(", out);
            write_majors(out);
        }
        fputs(")'\n", out);
    } else {
        fputs("            '*:word:_files'\n", out);
    }
    fputs("        ;;\n", out);
}

static void write_zsh(FILE *out)
{
    fputs("#compdef pgdyno\n"
          "# zsh completion for pgdyno, made by pgdyno doc completion zsh.\n"
          "_pgdyno() {\n"
          "    local -a verbs\n"
          "    verbs=(\n",
          out);
    for (int i = 0; command_table[i] != NULL; i++)
        if (!command_table[i]->hidden) {
            fprintf(out, "        '%s:", command_table[i]->name);
            write_zsh_text(out, command_table[i]->summary);
            fputs("'\n", out);
        }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe verb verbs\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          out);
    for (int i = 0; command_table[i] != NULL; i++)
        if (!command_table[i]->hidden)
            write_zsh_verb(out, command_table[i]);
    fputs("    esac\n"
          "}\n"
          "_pgdyno \"$@\"\n",
          out);
}

bool command_write_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(out);
    else
        return false;
    return true;
}
