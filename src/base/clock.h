/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H
/*
 * Durations and labels.  A duration comes from a clock that nobody adjusts; wall time is only ever
 * a label for people.
 *
 *     int64_t begin_ns = as_clock_ns();
 *     work();
 *     int64_t elapsed_ns = as_clock_ns() - begin_ns;
 */
#include <stdint.h>

/** CLOCK_MONOTONIC_RAW in nanoseconds since some fixed moment; never goes back. */
int64_t as_clock_ns(void);

/** Nanoseconds that the calling thread has spent on a CPU. */
int64_t as_clock_thread_ns(void);

/** Bytes of a label with its terminating zero. */
#define AS_CLOCK_LABEL 21

/** Now as "2026-09-18T09:00:00Z" (UTC). */
void as_clock_label(char label[AS_CLOCK_LABEL]);

#endif
