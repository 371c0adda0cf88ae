/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_SERIES_H
#define ASSAY_VERDICT_SERIES_H
/*
 * A series of timed calls looked at: which of them are no durations at all, which stand apart, and
 * what the series as a whole does.
 *
 *     as_series_report *report;
 *     code = as_series_look(samples, n, &what, &report, err);
 *     for (size_t i = 0; i < report->n_findings; i++)
 *         puts(as_series_flag_name(report->findings[i].flag));
 *     as_series_free(report);
 *
 * A sample is left out for what its clock or its record is, never for its value: an outlier is named
 * and kept.  Samples are used in the order of their ids, as numbers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "verdict/statistics.h"

/** One timed call. */
typedef struct as_timed {
    int64_t id; /**< Its place in the order in which calls ran. */
    int64_t begin_ns, end_ns;
    bool is_complete; /**< Its end is known. */
} as_timed;

typedef enum as_series_flag {
    AS_SERIES_DUPLICATE, /**< An id stands twice: the series is refused, nothing is summed up. */
    AS_SERIES_ORDER,     /**< Ids do not ascend as the samples stand; they were sorted. */
    AS_SERIES_INCOMPLETE, /**< Left out: the call has no end. */
    AS_SERIES_NEGATIVE,   /**< Left out: it ended before it began, the clock is broken. */
    AS_SERIES_COARSE,     /**< Left out: fewer than 100 steps of the clock. */
    AS_SERIES_COLD,       /**< The first call stands far above the others; not in the median. */
    AS_SERIES_OUTLIER,    /**< Far outside the quartiles; kept. */
    AS_SERIES_TREND,      /**< Calls grow longer or shorter all the way. */
    AS_SERIES_SHIFT,      /**< One level up to some call, another level from there on. */
    AS_SERIES_FLAT,       /**< All are equal: a cached result or a coarse clock. */
    AS_SERIES_FEW,        /**< Too few for any interval. */
    AS_SERIES_IMPOSSIBLE  /**< More work a second than the machine can do. */
} as_series_flag;

/** One finding; of the whole series `id` is -1. */
typedef struct as_series_finding {
    as_series_flag flag;
    int64_t id;
} as_series_finding;

/** What the samples are of. */
typedef struct as_series_what {
    int64_t resolution_ns; /**< The clock's step, as as_clock_resolution_ns; at least 1. */
    double macs;           /**< Multiply-adds of a call; 0 unknown. */
    double peak_macs_s;    /**< That the machine can do in a second; 0 unknown. */
} as_series_what;

typedef struct as_series_report {
    as_series_finding *findings; /**< Owns; those of samples by id, then those of the series. */
    size_t n_findings;
    size_t n_left_out; /**< Incomplete, negative or coarse. */
    bool is_refused;   /**< Duplicate ids; `ns` is empty then. */
    double first_ns;   /**< Of a cold first call, else NaN. */
    as_summary ns;     /**< Of the samples that are durations, without a cold first one. */
    double change;     /**< Of a trend or a shift: end over begin, less 1; 0 without. */
} as_series_report;

/** Look at `samples` (only read).  @return ASSAY_OK or ASSAY_E_MEMORY with *out NULL. */
assay_code as_series_look(const as_timed *samples, size_t n, const as_series_what *what,
                          as_series_report **out, assay_error *err);

/** Free; takes NULL. */
void as_series_free(as_series_report *report);

/** "negative", "below resolution", "cold start", ... */
const char *as_series_flag_name(as_series_flag flag);

/** A sentence without a full stop on what it does to a comparison, and what to do. */
const char *as_series_flag_advice(as_series_flag flag);

#endif
