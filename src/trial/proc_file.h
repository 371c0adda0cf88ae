/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_PROC_FILE_H
#define ASSAY_TRIAL_PROC_FILE_H
/*
 * Small files of /proc and /sys, read from the machine or from a saved copy of it.
 *
 *     as_proc_text text;
 *     if (as_proc_read("", "proc/loadavg", &text)) sscanf(text.text, "%lf", &load);
 *     int64_t kb = as_proc_field(&text, "Rss:");
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file's first 64 KiB. */
typedef struct as_proc_text {
    char text[1 << 16]; /**< Zero-terminated. */
} as_proc_text;

/** Read `root`/`path`.  @return false, with an empty text, when it cannot be read. */
bool as_proc_read(const char *root, const char *path, as_proc_text *out);

/** The whole number behind `name` at the start of a line, or -1. */
int64_t as_proc_field(const as_proc_text *text, const char *name);

/** First line of `root`/`path` without its newline into line[room]; "" when it cannot be read. */
bool as_proc_line(const char *root, const char *path, char *line, size_t room);

#endif
