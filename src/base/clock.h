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
#include <stdbool.h>
#include <stdint.h>

/** CLOCK_MONOTONIC_RAW in nanoseconds since some fixed moment; never goes back. */
int64_t as_clock_ns(void);

/** Nanoseconds that the calling thread has spent on a CPU. */
int64_t as_clock_thread_ns(void);

/**
 * A moment on two clocks that count the same seconds, so that one of them can give the other away:
 *
 *     as_stamp begin = as_clock_stamp();
 *     work();
 *     as_stamp end = as_clock_stamp();
 *     if (as_clock_judge(&begin, &end, as_clock_resolution_ns()) == AS_CLOCK_GOOD) ...
 */
typedef struct as_stamp {
    int64_t raw_ns;   /**< CLOCK_MONOTONIC_RAW. */
    int64_t mono_ns;  /**< CLOCK_MONOTONIC, read between two readings of the former ... */
    int64_t apart_ns; /**< ... that are so far apart: the clocks agree no better than that. */
    bool went_back;   /**< A later reading was below an earlier one: the clock is broken. */
} as_stamp;

/** Now; of a few tries the one whose readings are closest together. */
as_stamp as_clock_stamp(void);

/** Why a duration between two stamps is none. */
typedef enum as_clock_fault {
    AS_CLOCK_GOOD,
    AS_CLOCK_NEGATIVE, /**< The clock went back. */
    AS_CLOCK_COARSE,   /**< Fewer than AS_CLOCK_TICKS of the clock's steps long. */
    AS_CLOCK_DISAGREES /**< The two clocks saw different lengths. */
} as_clock_fault;

/** With so many steps a duration is off by less than the verdict's margin, 1 %. */
#define AS_CLOCK_TICKS      100
/** The clocks may drift apart so much: adjtimex(2) slews CLOCK_MONOTONIC by at most 500 ppm. */
#define AS_CLOCK_SLEW_SHARE 500e-6

/** Judge the duration from `begin` to `end` by a clock that steps by `resolution_ns`. */
as_clock_fault as_clock_judge(const as_stamp *begin, const as_stamp *end,
                              int64_t resolution_ns);

/** "good", "negative", "coarse", "disagrees". */
const char *as_clock_fault_name(as_clock_fault fault);

/** The smallest step that CLOCK_MONOTONIC_RAW is seen to make; INT64_MAX when it stands still. */
int64_t as_clock_resolution_ns(void);

/** Bytes of a label with its terminating zero. */
#define AS_CLOCK_LABEL 21

/** Now as "2026-09-18T09:00:00Z" (UTC). */
void as_clock_label(char label[AS_CLOCK_LABEL]);

#endif
