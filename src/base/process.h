/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_PROCESS_H
#define ASSAY_BASE_PROCESS_H
/*
 * Child programs with limits.  Each child leads a process group of its own, so that a limit, an
 * interruption or as_process_free ends it with all that it started; it is also killed when the
 * thread that started it dies.
 *
 *     as_process_options options = as_process_defaults((const char *[]){"pdfinfo", path, NULL});
 *     options.wall_s = 30;
 *     code = as_process_run(&options, &result, err);     // start, gather output, wait
 *
 * or, to talk with it:
 *
 *     options.in = options.out = (as_stream){.kind = AS_STREAM_PIPE};
 *     code = as_process_start(&options, &child, err);
 *     code = as_process_write(child, "hello\n", 6, err);
 *     code = as_process_read_line(child, 10.0, &line, err);
 *     code = as_process_wait(child, 5.0, &result, err);
 *     as_process_free(child);
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/file.h"

/** Where one of a child's standard streams leads. */
typedef enum as_stream_kind {
    AS_STREAM_NULL,    /**< /dev/null. */
    AS_STREAM_INHERIT, /**< The parent's own. */
    AS_STREAM_PIPE,    /**< Pipe; the caller writes or reads lines.  Not for stderr. */
    AS_STREAM_CAPTURE, /**< Gathered by as_process_wait, at most `limit_bytes`.  Not for stdin. */
    AS_STREAM_FILE     /**< The file `path`; outputs are truncated first. */
} as_stream_kind;

typedef struct as_stream {
    as_stream_kind kind;
    const char *path;   /**< For FILE; borrowed. */
    bool append;        /**< For FILE as an output: keep what it holds. */
    size_t limit_bytes; /**< For CAPTURE. */
} as_stream;

/** What to start and how to bound it.  All pointers are borrowed until start returns. */
typedef struct as_process_options {
    const char *const *argv; /**< NULL-terminated; argv[0] without '/' is looked up in PATH. */
    const char *name;        /**< As messages call it; NULL = argv[0]'s base name. */
    const char *const *env;  /**< "NAME=value" put over the parent's environment, or NULL. */
    const char *folder;      /**< Working directory, or NULL for the parent's. */
    as_stream in, out, err;  /**< Defaults: NULL, CAPTURE 1 MiB, CAPTURE 64 KiB. */
    double wall_s;           /**< Seconds from start until it is killed; 0 = no limit. */
    unsigned cpu_s;          /**< RLIMIT_CPU; 0 = the parent's. */
    size_t address_bytes;    /**< RLIMIT_AS; 0 = the parent's. */
    size_t file_bytes;       /**< RLIMIT_FSIZE; 0 = the parent's. */
    /** Asked now and then while waiting; once true the group is killed and the code is
     *  ASSAY_E_INTERRUPTED.  May be NULL. */
    bool (*stop)(void *context);
    void *stop_context; /**< Handed to `stop`. */
} as_process_options;

/** How a child ended. */
typedef enum as_process_end {
    AS_PROCESS_EXITED,    /**< By itself; `status` is its exit status. */
    AS_PROCESS_SIGNALLED, /**< By `signal`: a crash, a CPU or file-size limit, somebody's kill. */
    AS_PROCESS_TIMED_OUT, /**< Killed after wall_s. */
    AS_PROCESS_FLOODED    /**< Killed: its captured stdout passed the limit. */
} as_process_end;

typedef struct as_process_result {
    as_process_end end;
    int status;    /**< Exit status when EXITED. */
    int signal;    /**< Signal number unless EXITED. */
    double wall_s; /**< From start to end. */
    double cpu_s;  /**< User and system time of the child and what it waited for. */
    /** As wait4 reports it.  The kernel counts the moment between fork and exec too, so it is
     *  never below the parent's own size then. */
    size_t peak_rss_bytes;
    as_bytes out, err; /**< Captured; owned, zero-terminated.  Surplus stderr is dropped. */
} as_process_result;

typedef struct as_process as_process;

/** Options for `argv` with the defaults stated above. */
as_process_options as_process_defaults(const char *const *argv);

/**
 * Start, gather what is captured, wait.
 * @return ASSAY_OK however the child ended (see result->end); ASSAY_E_NOT_FOUND when the program
 *         does not exist, ASSAY_E_ARGUMENT for a stream kind that does not fit, ASSAY_E_IO,
 *         ASSAY_E_MEMORY, ASSAY_E_INTERRUPTED.  On failure no child is left and result is empty.
 */
assay_code as_process_run(const as_process_options *options, as_process_result *result,
                          assay_error *err);

/** Start a child; the caller owns *out.  Errors as as_process_run. */
assay_code as_process_start(const as_process_options *options, as_process **out,
                            assay_error *err);

/** The child's process id. */
pid_t as_process_id(const as_process *process);

/**
 * Write to its stdin PIPE.
 * @return ASSAY_E_CHILD when it reads no more (no SIGPIPE is raised) or wall_s is over;
 *         ASSAY_E_INTERRUPTED.
 */
assay_code as_process_write(as_process *process, const void *data, size_t size,
                            assay_error *err);

/** Close its stdin PIPE: the child sees the end of its input. */
void as_process_close_in(as_process *process);

/**
 * Next line of its stdout PIPE, without the newline, in fresh memory (as_free).
 * @param within_s  seconds to wait at most; 0 = as long as wall_s allows.
 * @return ASSAY_OK with *line NULL at the end of the output; ASSAY_E_CHILD when no line came in
 *         time, wall_s is over (the child is then killed) or a line passes 64 MiB;
 *         ASSAY_E_INTERRUPTED.
 */
assay_code as_process_read_line(as_process *process, double within_s, char **line,
                                assay_error *err);

/**
 * Wait for its end, gathering captured output; what its group still runs is then killed.
 * @param within_s  kill it (TIMED_OUT) when it takes longer from now; 0 = only wall_s counts.
 */
assay_code as_process_wait(as_process *process, double within_s, as_process_result *result,
                           assay_error *err);

/** Kill the child with all of its group; it is still to be waited for or freed. */
void as_process_kill(as_process *process);

/** Kill it if it runs, reap it, free; takes NULL. */
void as_process_free(as_process *process);

/** Free captured output; the result becomes empty. */
void as_process_result_free(as_process_result *result);

/** "exit status 3", "signal 11 (Segmentation fault)", "killed after 30.0 s" ... into `text`. */
void as_process_describe(const as_process_result *result, char *text, size_t text_bytes);

#endif
