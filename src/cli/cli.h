/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_CLI_H
#define ASSAY_CLI_CLI_H
/*
 * The frame of the command line.  A verb is one file cmd_<verb>.c that defines one as_verb, one
 * line in verbs.inc and one in CMakeLists.txt.  main.c finds the verb, parses its options, calls
 * it, closes stdout and returns the exit status.
 *
 *     static int run(const as_cli *cli, const void *values)
 *     {
 *         const verify_options *options = values;
 *         assay_error err = {0};
 *         if (as_corpus_verify(cli->arguments.items[0], &err)) return as_cli_fail(cli, &err);
 *         ...
 *         return AS_EXIT_DONE;
 *     }
 *     const as_verb as_verb_verify = {
 *         .name = "verify", .summary = "check a frozen corpus", .usage = "CORPUS [options]",
 *         .example = "assay verify corpus", .options = options,
 *         .values_bytes = sizeof(verify_options), .defaults = &defaults,
 *         .least_arguments = 1, .most_arguments = 1, .run = run};
 *
 * Results go to stdout with printf; everything else to stderr through as_note, as_warn,
 * as_cli_fail and as_progress.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

/** Exit statuses, the same for every verb. */
enum {
    AS_EXIT_DONE = 0,        /**< Done, and every constraint holds. */
    AS_EXIT_DIFFERENT = 1,   /**< Answers differ, or a policy, route or quality check failed. */
    AS_EXIT_USAGE = 2,       /**< Wrong usage. */
    AS_EXIT_ENVIRONMENT = 3, /**< The machine is unfit, or an engine is missing. */
    AS_EXIT_INPUT = 4,       /**< Bad, missing, unreadable or changed input. */
    AS_EXIT_IO = 5,          /**< Input or output failed, nothing is lost. */
    AS_EXIT_UNDECIDED = 6,   /**< A budget was spent, or a decision asked for, without one. */
    AS_EXIT_INTERRUPTED = 130
};

typedef struct as_cli as_cli;

/** Any number of positional arguments, as most_arguments. */
#define AS_ANY_NUMBER ((size_t)-1)

/** One verb of the command line; a static constant. */
typedef struct as_verb {
    const char *name;         /**< "freeze" */
    const char *summary;      /**< One line of `assay --help`; no full stop. */
    const char *usage;        /**< What follows "assay freeze ", as in "DOC... -o CORPUS". */
    const char *description;  /**< A few sentences for the verb's --help; NULL for none. */
    const char *example;      /**< Whole command lines, one a line. */
    const as_option *options; /**< Ends with AS_OPTIONS_END; NULL for none. */
    size_t values_bytes;      /**< sizeof the struct that `options` fills. */
    const void *defaults;     /**< Such a struct; NULL for all zero. */
    size_t least_arguments, most_arguments; /**< Positional ones. */
    bool is_internal;                       /**< Left out of `assay --help`. */
    bool is_program;                        /**< Of its own: assay-NAME, not assay NAME. */
    /** Does the work.  `values` is the filled struct.  @return an exit status. */
    int (*run)(const as_cli *cli, const void *values);
} as_verb;

/** What a running verb sees of its command line and terminal.  Borrowed for the call. */
struct as_cli {
    const as_verb *verb;  /**< NULL until one was found. */
    as_strings arguments; /**< Positional arguments, their count already checked. */
    int argc;             /**< The whole command line, for "how to reproduce". */
    char **argv;          /**< argv[0] is the program. */
    int verbosity;        /**< -1 quiet, 0, 1 and more verbose. */
    bool has_terminal;    /**< stderr is a terminal and not quiet: progress may be drawn. */
    bool color_out;       /**< Colours may be used on stdout; see as_paint. */
    bool color_err;       /**< ... on stderr. */
    void *program;        /**< What a program of its own gives its verb; NULL in assay. */
};

/**
 * Run the command line in `cli->argv`; of the rest the colours alone are set before.
 * @return the exit status.  What was printed still lies in stdout's buffer.
 */
int as_cli_run(as_cli *cli);

/**
 * Parse the options behind the first `n_before` + 1 words of `cli->argv` by `verb`'s table and run it.
 * @return the exit status.
 */
int as_cli_run_verb(as_cli *cli, const as_verb *verb, int n_before);

/** Between "assay" and the verb's name, as it is called: ' ' or '-'. */
char as_verb_joint(const as_verb *verb);

/** The exit status that stands for an error code; AS_EXIT_DONE for ASSAY_OK. */
int as_cli_exit_status(assay_code code);

/** Print "assay: <where>: <message>" on stderr.  @return the exit status of err->code. */
int as_cli_fail(const as_cli *cli, const assay_error *err);

/** As as_cli_fail for wrong usage that the options table cannot express. */
int as_cli_usage(const as_cli *cli, const char *format, ...) AS_PRINTF(2, 3);

/** What a worker's adapter may take at most holds for those that this process asks itself, too. */
void as_cli_limit_adapters(double slot_timeout_s);

/** A message on stderr, unless -q. */
void as_note(const as_cli *cli, const char *format, ...) AS_PRINTF(2, 3);

/** A message on stderr that only -v shows. */
void as_detail(const as_cli *cli, const char *format, ...) AS_PRINTF(2, 3);

/** "assay: warning: ..." on stderr: what was seen, the likely cause, what to do.  Always shown. */
void as_warn(const as_cli *cli, const char *format, ...) AS_PRINTF(2, 3);

#endif
