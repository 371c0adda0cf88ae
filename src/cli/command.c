/* SPDX-License-Identifier: Apache-2.0 */
/* One command line: find the verb, parse its options, run it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"

#define AS_VERB(name) extern const as_verb as_verb_##name;
#include "cli/verbs.inc"
#undef AS_VERB

static const as_verb *const verbs[] = {
#define AS_VERB(name) &as_verb_##name,
#include "cli/verbs.inc"
#undef AS_VERB
    NULL,
};

static const as_verb *find_verb(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
}

static void print_version(void) { printf("assay %s\n", ASSAY_VERSION); }

static void print_help(void)
{
    printf("assay runs a convolutional network on a CPU the cheapest way, and proves that its\n"
           "answers did not change.\n\n"
           "Usage: assay VERB [options]\n\nVerbs:\n");
    for (size_t i = 0; verbs[i]; i++)
        if (!verbs[i]->is_internal) printf("  %-12s %s\n", verbs[i]->name, verbs[i]->summary);
    printf(
        "\n'assay VERB --help' explains a verb with an example; 'assay --version' prints the "
        "version.\n"
        "\nExit status: 0 done and every constraint holds; 1 answers differ or a policy failed;"
        "\n2 wrong usage; 3 environment unfit or an engine missing; 4 bad, missing or changed"
        "\ninput; 5 input or output failed; 6 undecided; 130 interrupted.\n");
}

/* Print words in lines of at most 80 columns; only an empty line of the text ends a paragraph. */
static void print_wrapped(const char *text)
{
    enum { WIDTH = 80 };
    size_t column = 0;
    while (*text) {
        size_t space = strspn(text, " \n");
        bool is_paragraph = memchr(text, '\n', space) != memrchr(text, '\n', space);
        text += space;
        size_t length = strcspn(text, " \n");
        bool is_full = column && column + 1 + length > WIDTH;
        if (is_paragraph || is_full) {
            fputs(is_paragraph ? "\n\n" : "\n", stdout);
            column = 0;
        }
        printf("%s%.*s", column ? " " : "", (int)length, text);
        column += length + (column != 0);
        text += length;
    }
    putchar('\n');
}

char as_verb_joint(const as_verb *verb) { return verb->is_program ? '-' : ' '; }

static void print_verb_help(const as_verb *verb)
{
    const char joint = as_verb_joint(verb);
    printf("assay%c%s: %s\n\nUsage: assay%c%s %s\n", joint, verb->name, verb->summary, joint,
           verb->name, verb->usage);
    if (verb->description) {
        putchar('\n');
        print_wrapped(verb->description);
    }
    printf("\nOptions:\n");
    as_options_print(verb->options);
    printf("\nExample:\n");
    for (const char *line = verb->example; *line;) {
        size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static int check_arguments(const as_cli *cli)
{
    const as_verb *verb = cli->verb;
    const char joint = as_verb_joint(verb);
    size_t n = cli->arguments.n;
    for (size_t i = 0; i < n; i++)
        if (!cli->arguments.items[i][0])
            return as_cli_usage(cli, "argument %zu is empty, the usage is: assay%c%s %s", i + 1,
                                joint, verb->name, verb->usage);
    if (n >= verb->least_arguments && n <= verb->most_arguments) return AS_EXIT_DONE;
    if (n > verb->most_arguments)
        return as_cli_usage(
            cli, "'%.100s' is one argument too many, the usage is: assay%c%s %s",
            cli->arguments.items[verb->most_arguments], joint, verb->name, verb->usage);
    return as_cli_usage(cli, "%s was given %zu arguments, the usage is: assay%c%s %s",
                        verb->name, n, joint, verb->name, verb->usage);
}

static int run_parsed(as_cli *cli, const as_parsed *parsed, const void *values)
{
    if (parsed->help) {
        print_verb_help(cli->verb);
        return AS_EXIT_DONE;
    }
    if (parsed->version) {
        print_version();
        return AS_EXIT_DONE;
    }
    cli->arguments = parsed->arguments;
    cli->verbosity = parsed->verbosity;
    cli->has_terminal = parsed->verbosity >= 0 && isatty(STDERR_FILENO);
    int status = check_arguments(cli);
    return status ? status : cli->verb->run(cli, values);
}

/* Parse, then run; whatever the parser allocated is freed here. */
int as_cli_run_verb(as_cli *cli, const as_verb *verb, int n_before)
{
    assay_error err = {0};
    cli->verb = verb;
    void *values = as_alloc(verb->values_bytes + 1);
    if (!values) {
        as_fail(&err, ASSAY_E_MEMORY, "no memory for the options of %s", verb->name);
        return as_cli_fail(cli, &err);
    }
    if (verb->defaults) memcpy(values, verb->defaults, verb->values_bytes);
    as_parsed parsed;
    int status = as_options_parse(verb->options, cli->argc - n_before, cli->argv + n_before,
                                  values, &parsed, &err)
                     ? as_cli_fail(cli, &err)
                     : run_parsed(cli, &parsed, values);
    as_options_free(verb->options, values, &parsed);
    as_free(values);
    return status;
}

void as_cli_limit_adapters(double slot_timeout_s)
{
    char text[32];
    if (slot_timeout_s <= 0) return;
    snprintf(text, sizeof text, "%.17g", slot_timeout_s);
    setenv("ASSAY_ADAPTER_SECONDS", text, 0); /* the user's own limit stays */
}

int as_cli_run(as_cli *cli)
{
    if (cli->argc < 2) return as_cli_usage(cli, "no verb was given, 'assay --help' lists them");
    const char *word = cli->argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return AS_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        print_version();
        return AS_EXIT_DONE;
    }
    const as_verb *verb = find_verb(word);
    if (!verb)
        return as_cli_usage(cli, "'%.100s' is not a verb, 'assay --help' lists them", word);
    return as_cli_run_verb(cli, verb, 1);
}
