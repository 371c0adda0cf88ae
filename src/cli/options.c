/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* What getopt_long returns: the verb's options by index, then the frame's own. */
enum { FIRST_OPTION = 256, HELP = 1, VERSION, VERBOSE, QUIET };

static const struct option frame_options[] = {
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {"verbose", no_argument, NULL, VERBOSE},
    {"quiet", no_argument, NULL, QUIET},
    {NULL, 0, NULL, 0},
};

/* getopt's two views of a table of as_option. */
typedef struct getopt_view {
    struct option *words; /* owned */
    char *letters;        /* owned; ':' first, so that a missing value is told apart */
} getopt_view;

static size_t count(const as_option *options)
{
    size_t n = 0;
    while (options && options[n].name)
        n++;
    return n;
}

static char letter_of(const as_option *option)
{
    return option->name[1] == ',' ? option->name[0] : '\0';
}

static const char *word_of(const as_option *option)
{
    return letter_of(option) ? option->name + 2 : option->name;
}

static bool make_view(const as_option *options, getopt_view *view)
{
    size_t n = count(options);
    view->words = as_alloc_array(n + AS_COUNT_OF(frame_options), sizeof *view->words);
    view->letters = as_alloc(2 * n + sizeof ":hvq");
    if (!view->words || !view->letters) return false;
    char *letters = view->letters;
    *letters++ = ':';
    for (size_t i = 0; i < n; i++) {
        int has = options[i].argument ? required_argument : no_argument;
        view->words[i] =
            (struct option){word_of(&options[i]), has, NULL, FIRST_OPTION + (int)i};
        if (!letter_of(&options[i])) continue;
        *letters++ = letter_of(&options[i]);
        if (has) *letters++ = ':';
    }
    strcpy(letters, "hvq");
    memcpy(view->words + n, frame_options, sizeof frame_options);
    return true;
}

static assay_code fail_number(const as_option *option, const char *text, assay_error *err)
{
    bool is_whole = option->kind == AS_OPTION_INT;
    int digits =
        is_whole ? 16 : 12; /* of the greatest whole number that every double below is */
    return as_fail(err, ASSAY_E_ARGUMENT, "--%s '%.60s' is not a %s in %.*g..%.*g",
                   word_of(option), text, is_whole ? "whole number" : "number", digits,
                   option->least, digits, option->most);
}

/* The index of `text` among "one|two|three", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0;; i++) {
        size_t span = strcspn(choices, "|");
        if (span == length && memcmp(choices, text, span) == 0) return i;
        if (!choices[span]) return -1;
        choices += span + 1;
    }
}

/* No list can hold more items than the command line has words, so room for `most` is room for all. */
static assay_code append(as_strings *list, size_t most, const char *text, assay_error *err)
{
    if (!list->items) list->items = as_alloc_array(most, sizeof *list->items);
    if (!list->items) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu values", most);
    list->items[list->n++] = text;
    return ASSAY_OK;
}

static assay_code store(const as_option *option, const char *text, size_t most, void *values,
                        assay_error *err)
{
    void *field = (char *)values + option->offset;
    if ((option->kind == AS_OPTION_TEXT || option->kind == AS_OPTION_LIST) && !text[0])
        return as_fail(err, ASSAY_E_ARGUMENT, "--%s was given '', it needs a value %s",
                       word_of(option), option->argument);
    switch (option->kind) {
    case AS_OPTION_FLAG:
        *(bool *)field = true;
        break;
    case AS_OPTION_TEXT:
        *(const char **)field = text;
        break;
    case AS_OPTION_LIST:
        return append(field, most, text, err);
    case AS_OPTION_INT:
        if (!as_parse_int(text, (int64_t)option->least, (int64_t)option->most, field))
            return fail_number(option, text, err);
        break;
    case AS_OPTION_DOUBLE:
        if (!as_parse_double(text, option->least, option->most, field))
            return fail_number(option, text, err);
        break;
    case AS_OPTION_CHOICE: {
        int index = choice_index(option->argument, text);
        if (index < 0)
            return as_fail(err, ASSAY_E_ARGUMENT, "--%s '%.60s' is none of %s", word_of(option),
                           text, option->argument);
        *(int *)field = index;
        break;
    }
    }
    return ASSAY_OK;
}

/* getopt says no more than '?' or ':'; the word it stopped at is the one before optind. */
static assay_code fail_getopt(int result, const as_option *options, char **argv,
                              assay_error *err)
{
    const char *word = argv[optind - 1];
    if (result == ':') {
        size_t i = optopt >= FIRST_OPTION ? (size_t)(optopt - FIRST_OPTION) : 0;
        while (optopt < FIRST_OPTION && letter_of(&options[i]) != optopt)
            i++;
        return as_fail(err, ASSAY_E_ARGUMENT, "--%s needs a value %s", word_of(&options[i]),
                       options[i].argument);
    }
    bool is_known = optopt >= FIRST_OPTION || (optopt > 0 && optopt <= QUIET);
    if (is_known)
        return as_fail(err, ASSAY_E_ARGUMENT, "%.100s was given a value, it takes none", word);
    if (optopt)
        return as_fail(err, ASSAY_E_ARGUMENT, "-%c is not an option, --help lists them",
                       optopt);
    return as_fail(err, ASSAY_E_ARGUMENT, "%.100s is not an option, --help lists them", word);
}

static assay_code parse_all(const as_option *options, const getopt_view *view, int argc,
                            char **argv, void *values, as_parsed *out, assay_error *err)
{
    optind = 0; /* glibc: begin anew, also after an earlier table */
    opterr = 0;
    for (int result;
         (result = getopt_long(argc, argv, view->letters, view->words, NULL)) != -1;) {
        assay_code code = ASSAY_OK;
        if (result == '?' || result == ':') return fail_getopt(result, options, argv, err);
        for (size_t i = 0; result < FIRST_OPTION && options && options[i].name; i++)
            if (letter_of(&options[i]) == result) result = FIRST_OPTION + (int)i;
        if (result >= FIRST_OPTION)
            code = store(&options[result - FIRST_OPTION], optarg, (size_t)argc, values, err);
        else if (result == 'h' || result == HELP)
            out->help = true;
        else if (result == VERSION)
            out->version = true;
        else if (result == 'v' || result == VERBOSE)
            out->verbosity++;
        else
            out->verbosity = -1;
        if (code) return code;
    }
    for (int i = optind; i < argc; i++) {
        assay_code code = append(&out->arguments, (size_t)argc, argv[i], err);
        if (code) return code;
    }
    return ASSAY_OK;
}

assay_code as_options_parse(const as_option *options, int argc, char **argv, void *values,
                            as_parsed *out, assay_error *err)
{
    *out = (as_parsed){0};
    getopt_view view = {0};
    assay_code code = make_view(options, &view)
                          ? parse_all(options, &view, argc, argv, values, out, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory for the options table");
    as_free(view.words);
    as_free(view.letters);
    return code;
}

static void free_strings(as_strings *strings)
{
    as_free(strings->items);
    *strings = (as_strings){0};
}

void as_options_free(const as_option *options, void *values, as_parsed *parsed)
{
    for (size_t i = 0; options && options[i].name; i++)
        if (options[i].kind == AS_OPTION_LIST)
            free_strings((as_strings *)((char *)values + options[i].offset));
    free_strings(&parsed->arguments);
}

static void print_line(char letter, const char *word, const char *argument, const char *help)
{
    char left[80];
    const char *space = argument ? " " : "";
    if (letter)
        snprintf(left, sizeof left, "-%c, --%s%s%s", letter, word, space,
                 argument ? argument : "");
    else
        snprintf(left, sizeof left, "    --%s%s%s", word, space, argument ? argument : "");
    if (strlen(left) > 30)
        printf("  %s\n  %30s  %s\n", left, "", help);
    else
        printf("  %-30s  %s\n", left, help);
}

void as_options_print(const as_option *options)
{
    for (size_t i = 0; options && options[i].name; i++)
        print_line(letter_of(&options[i]), word_of(&options[i]), options[i].argument,
                   options[i].help);
    print_line('q', "quiet", NULL, "no progress and no messages but warnings and errors");
    print_line('v', "verbose", NULL, "more messages");
    print_line('h', "help", NULL, "this text");
    print_line('\0', "version", NULL, "the version");
}
