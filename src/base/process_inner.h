/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_PROCESS_INNER_H
#define ASSAY_BASE_PROCESS_INNER_H
/* What process.c (start, kill) and process_wait.c (talk, wait) share; nobody else includes it. */
#include "base/process.h"

struct as_process {
    pid_t id;             /* also its group's */
    char *name;           /* owns; for messages */
    bool is_reaped;       /* nothing is left to kill or wait for */
    bool is_out_captured; /* wait gathers stdout; else read_line does */
    bool has_timed_out;   /* we killed it for its time */
    bool is_flooded;      /* we killed it for its output */
    int in, out, err;     /* our ends of its pipes, or -1 */
    int pidfd;            /* readable once it ended, or -1 */
    double start_s;       /* as_process_now_s() at start */
    double wall_s;        /* limit from start; 0 = none */
    size_t out_limit, err_limit;
    bool (*stop)(void *); /* may be NULL */
    void *stop_context;   /* borrows */
    as_bytes out_bytes;   /* captured, or read and not yet taken as lines */
    size_t out_room;
    size_t line_checked; /* bytes of out_bytes known to hold no newline */
    as_bytes err_bytes;
    size_t err_room;
};

/** Seconds of the monotonic clock. */
double as_process_now_s(void);

#endif
