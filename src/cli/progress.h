/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H
/*
 * A progress line on stderr, drawn on a terminal only:
 *
 *     regions  [=========>           ]  43/95  page 12  1:20 left
 *
 *     as_progress bar;
 *     as_progress_start(&bar, cli, "regions", n_regions);
 *     for (...) as_progress_step(&bar, i + 1, page_name);
 *     as_progress_end(&bar);
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct as_cli;

/** The caller's memory; its fields are the bar's own. */
typedef struct as_progress {
    const char *what; /**< Borrowed. */
    size_t total;     /**< 0 = unknown: no bar and no time left. */
    bool is_drawn;
    int64_t start_ns, drawn_ns;
} as_progress;

/** Begin at 0 of `total`; `cli` NULL draws nothing. */
void as_progress_start(as_progress *bar, const struct as_cli *cli, const char *what,
                       size_t total);

/** `done` of total are finished; `detail` (may be NULL) stands behind.  Redraws ten times a second. */
void as_progress_step(as_progress *bar, size_t done, const char *detail);

/** Wipe the line. */
void as_progress_end(as_progress *bar);

/** Write a duration as "4 s", "1:20" or "2:03:20" into text[room]. */
void as_progress_duration(double seconds, char *text, size_t room);

#endif
