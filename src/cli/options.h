/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H
/*
 * Declarative options over getopt_long: a verb names a struct and a table, the frame fills the
 * struct.
 *
 *     typedef struct bench_options { const char *shape; int64_t threads; bool json; } bench_options;
 *     static const as_option options[] = {
 *         AS_TEXT(bench_options, shape, "shape", "NxCxHxW", "input shape"),
 *         AS_INT(bench_options, threads, "threads", "N", 1, 1024, "threads; default: all"),
 *         AS_FLAG(bench_options, json, "json", "print JSON"),
 *         AS_OPTIONS_END,
 *     };
 *
 * A name "o,output" gives the option the letter -o too.  --help, --version, -v and -q are the
 * frame's own.  A field of the wrong type does not compile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Values of a repeated option or positional arguments, in order; items borrow from argv. */
typedef struct as_strings {
    const char **items;
    size_t n;
} as_strings;

typedef enum as_option_kind {
    AS_OPTION_FLAG,   /**< bool, set to true */
    AS_OPTION_TEXT,   /**< const char *, borrowed from argv */
    AS_OPTION_INT,    /**< int64_t in least..most */
    AS_OPTION_DOUBLE, /**< finite double in least..most */
    AS_OPTION_CHOICE, /**< int, the index of the value among `argument`'s "one|two|three" */
    AS_OPTION_LIST    /**< as_strings, one item each time the option stands */
} as_option_kind;

typedef struct as_option {
    const char *name; /**< "max-batch", or "o,output" for a letter too; NULL ends the table. */
    const char *argument; /**< "N", "FILE", "max|min"; NULL for a flag. */
    const char *help;     /**< What it does and its default, without a full stop. */
    as_option_kind kind;
    size_t offset;      /**< Of the field in the verb's struct. */
    double least, most; /**< Of numbers, both included. */
} as_option;

#define AS_FIELD(S, F, TYPE) _Generic(((S *)0)->F, TYPE : offsetof(S, F))
#define AS_FLAG(S, F, NAME, HELP)                                                              \
    {                                                                                          \
        NAME, NULL, HELP, AS_OPTION_FLAG, AS_FIELD(S, F, bool), 0, 0                           \
    }
#define AS_TEXT(S, F, NAME, ARG, HELP)                                                         \
    {                                                                                          \
        NAME, ARG, HELP, AS_OPTION_TEXT, AS_FIELD(S, F, const char *), 0, 0                    \
    }
#define AS_INT(S, F, NAME, ARG, LEAST, MOST, HELP)                                             \
    {                                                                                          \
        NAME, ARG, HELP, AS_OPTION_INT, AS_FIELD(S, F, int64_t), LEAST, MOST                   \
    }
#define AS_DOUBLE(S, F, NAME, ARG, LEAST, MOST, HELP)                                          \
    {                                                                                          \
        NAME, ARG, HELP, AS_OPTION_DOUBLE, AS_FIELD(S, F, double), LEAST, MOST                 \
    }
#define AS_CHOICE(S, F, NAME, CHOICES, HELP)                                                   \
    {                                                                                          \
        NAME, CHOICES, HELP, AS_OPTION_CHOICE, AS_FIELD(S, F, int), 0, 0                       \
    }
#define AS_LIST(S, F, NAME, ARG, HELP)                                                         \
    {                                                                                          \
        NAME, ARG, HELP, AS_OPTION_LIST, AS_FIELD(S, F, as_strings), 0, 0                      \
    }
#define AS_OPTIONS_END                                                                         \
    {                                                                                          \
        NULL, NULL, NULL, AS_OPTION_FLAG, 0, 0, 0                                              \
    }

/** What a command line said besides the verb's own options. */
typedef struct as_parsed {
    as_strings arguments; /**< Positional ones; options and arguments may be mixed. */
    bool help, version;
    int verbosity; /**< -1 after -q, +1 for each -v, 0 without. */
} as_parsed;

/**
 * Parse argv[1..argc) by `options` into the struct at `values`, which holds the defaults before.
 * @param out  positional arguments and the frame's own options; as_options_free frees the arrays
 *             of it and of every list in `values`, also after a failure.
 * @return ASSAY_E_ARGUMENT with one sentence: an unknown option, a missing value, a number that is
 *         none or out of range; ASSAY_E_MEMORY.
 */
assay_code as_options_parse(const as_option *options, int argc, char **argv, void *values,
                            as_parsed *out, assay_error *err);
void as_options_free(const as_option *options, void *values, as_parsed *parsed);

/** Print the table as help lines on stdout, the frame's own options last. */
void as_options_print(const as_option *options);

/** A whole decimal number in least..most.  @return false for anything else, *out untouched. */
bool as_parse_int(const char *text, int64_t least, int64_t most, int64_t *out);

/** A finite decimal number, '.' whatever the locale, in least..most. */
bool as_parse_double(const char *text, double least, double most, double *out);

/**
 * A shape as "1x3x640x640": up to `room` extents of at least 1.
 * @param what  names the value in the error's sentence, as in "--shape".
 * @return ASSAY_E_ARGUMENT for anything else.
 */
assay_code as_parse_shape(const char *what, const char *text, size_t room, int64_t *extents,
                          size_t *n, assay_error *err);

#endif
