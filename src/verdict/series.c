/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "verdict/estimate.h"
#include "verdict/verdict.h"

/* Beyond 3 quartile ranges from the quartiles a value is "far out": Tukey, Exploratory Data Analysis,
 * 1977, 2D.  Of normal values one in 400,000 is. */
static const double far_out = 3;

/* A line or a step counts when its t statistic passes 5: with 10 calls and 9 places for the step that
 * happens by chance once in 100 series, with 20 calls once in 600 (Student's distribution). */
static const double least_t = 5;
enum { LEAST_CALLS = 10 };

/* The durations of a series while it is looked at. */
typedef struct durations {
    as_timed *sorted; /* owns; by id */
    double *ns;       /* owns; of what is a duration, by id */
    int64_t *ids;     /* owns; likewise */
    size_t n;
    double *even; /* owns; those of ns that are no outliers */
    size_t n_even;
    as_series_report *report; /* owns */
} durations;

static int by_id(const void *a, const void *b)
{
    const as_timed *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void find(durations *d, as_series_flag flag, int64_t id)
{
    d->report->findings[d->report->n_findings++] = (as_series_finding){flag, id};
}

/* Sort by id; @return whether each id stands once. */
static bool put_in_order(durations *d, size_t n)
{
    bool ascends = true, is_unique = true;
    for (size_t i = 1; i < n; i++)
        ascends = ascends && d->sorted[i].id > d->sorted[i - 1].id;
    if (n) qsort(d->sorted, n, sizeof *d->sorted, by_id);
    for (size_t i = 1; i < n; i++) {
        bool is_twice = d->sorted[i].id == d->sorted[i - 1].id;
        if (is_twice) find(d, AS_SERIES_DUPLICATE, d->sorted[i].id);
        is_unique = is_unique && !is_twice;
    }
    if (is_unique && !ascends) find(d, AS_SERIES_ORDER, -1);
    return is_unique;
}

/* Keep what is a duration. */
static void take_durations(durations *d, size_t n, int64_t resolution_ns)
{
    for (size_t i = 0; i < n; i++) {
        const as_timed *s = &d->sorted[i];
        int64_t ns = s->end_ns - s->begin_ns;
        bool is_coarse = ns / AS_CLOCK_TICKS < resolution_ns;
        if (!s->is_complete)
            find(d, AS_SERIES_INCOMPLETE, s->id);
        else if (ns < 0)
            find(d, AS_SERIES_NEGATIVE, s->id);
        else if (is_coarse)
            find(d, AS_SERIES_COARSE, s->id);
        else {
            d->ns[d->n] = (double)ns;
            d->ids[d->n++] = s->id;
            continue;
        }
        d->report->n_left_out++;
    }
}

/* Quartiles of ns[from..n), and how far out is far. */
static assay_code find_fences(const durations *d, size_t from, double *low, double *high,
                              assay_error *err)
{
    as_summary s;
    assay_code code = as_summary_of(d->ns + from, d->n - from, &s, err);
    double reach = far_out * (s.upper_quartile - s.lower_quartile);
    *low = reach > 0 ? s.lower_quartile - reach : -INFINITY;
    *high = reach > 0 ? s.upper_quartile + reach : INFINITY;
    return code;
}

/* A cold first call is set apart, outliers are named. */
static assay_code set_apart(durations *d, assay_error *err)
{
    double low = -INFINITY, high = INFINITY;
    d->report->first_ns = NAN;
    if (d->n < LEAST_CALLS) return ASSAY_OK;
    assay_code code = find_fences(d, 1, &low, &high, err);
    if (code) return code;
    if (d->ns[0] > high) {
        find(d, AS_SERIES_COLD, d->ids[0]);
        d->report->first_ns = d->ns[0];
        memmove(d->ns, d->ns + 1, --d->n * sizeof *d->ns);
        memmove(d->ids, d->ids + 1, d->n * sizeof *d->ids);
    }
    for (size_t i = 0; i < d->n; i++) {
        if (d->ns[i] < low || d->ns[i] > high)
            find(d, AS_SERIES_OUTLIER, d->ids[i]);
        else
            d->even[d->n_even++] = d->ns[i];
    }
    return ASSAY_OK;
}

/* How much of the values' spread a model explains, and what the model says of end over begin. */
typedef struct fit {
    double share; /* R^2 */
    double change;
} fit;

static fit fit_line(const double *y, size_t n, double mean, double total)
{
    double middle = ((double)n - 1) / 2, sxy = 0, sxx = 0;
    for (size_t i = 0; i < n; i++) {
        sxy += ((double)i - middle) * (y[i] - mean);
        sxx += ((double)i - middle) * ((double)i - middle);
    }
    double slope = sxy / sxx;
    return (fit){.share = slope * sxy / total,
                 .change = (mean + slope * middle) / (mean - slope * middle) - 1};
}

/* The best of all places for a step. */
static fit fit_step(const double *y, size_t n, double mean, double total)
{
    fit best = {0, 0};
    double before = 0;
    for (size_t i = 1; i < n; i++) {
        before += y[i - 1] - mean; /* of the first i; those behind sum up to its negative */
        double left = (double)i, right = (double)(n - i);
        double share = before * before * (1 / left + 1 / right) / total;
        if (share > best.share)
            best = (fit){share, (mean - before / right) / (mean + before / left) - 1};
    }
    return best;
}

/* Whether the calls drift or jump: the better of the two models, when it says something. */
static void find_course(durations *d)
{
    double mean = 0, total = 0;
    const size_t n = d->n_even;
    if (n < LEAST_CALLS) return;
    for (size_t i = 0; i < n; i++)
        mean += d->even[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        total += (d->even[i] - mean) * (d->even[i] - mean);
    if (!(total > 0)) return;
    fit line = fit_line(d->even, n, mean, total), step = fit_step(d->even, n, mean, total);
    bool is_line = line.share >= step.share;
    fit best = is_line ? line : step;
    double t_squared = best.share * ((double)n - 2) / fmax(1 - best.share, 1e-300);
    if (t_squared < least_t * least_t || fabs(best.change) < AS_MARGIN) return;
    d->report->change = best.change;
    find(d, is_line ? AS_SERIES_TREND : AS_SERIES_SHIFT, -1);
}

static assay_code sum_up(durations *d, const as_series_what *what, assay_error *err)
{
    as_summary *s = &d->report->ns;
    assay_code code = set_apart(d, err);
    if (!code) code = as_summary_of(d->ns, d->n, s, err);
    if (code) return code;
    find_course(d);
    if (s->n < as_rounds_for_interval(1)) find(d, AS_SERIES_FEW, -1);
    if (s->n > 1 && s->least == s->greatest) find(d, AS_SERIES_FLAT, -1);
    if (what->peak_macs_s > 0 && what->macs * 1e9 > what->peak_macs_s * s->median && s->n > 0)
        find(d, AS_SERIES_IMPOSSIBLE, -1);
    return ASSAY_OK;
}

assay_code as_series_look(const as_timed *samples, size_t n, const as_series_what *what,
                          as_series_report **out, assay_error *err)
{
    enum { OF_SERIES = AS_SERIES_IMPOSSIBLE + 1 };
    durations d = {.sorted = as_alloc_array(n + 1, sizeof *d.sorted),
                   .ns = as_alloc_array(n + 1, sizeof *d.ns),
                   .ids = as_alloc_array(n + 1, sizeof *d.ids),
                   .even = as_alloc_array(n + 1, sizeof *d.even),
                   .report = as_alloc(sizeof *d.report)};
    if (d.report)
        d.report->findings = as_alloc_array(2 * n + OF_SERIES, sizeof *d.report->findings);
    assay_code code = ASSAY_OK;
    *out = NULL;
    if (!d.sorted || !d.ns || !d.ids || !d.even || !d.report || !d.report->findings) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to look at %zu samples", n);
        goto done;
    }
    d.report->first_ns = NAN;
    if (n) memcpy(d.sorted, samples, n * sizeof *samples);
    d.report->is_refused = !put_in_order(&d, n);
    if (!d.report->is_refused) {
        take_durations(&d, n, what->resolution_ns);
        code = sum_up(&d, what, err);
    }
    if (code) goto done;
    *out = d.report;
    d.report = NULL;
done:
    as_free(d.sorted);
    as_free(d.ns);
    as_free(d.ids);
    as_free(d.even);
    as_series_free(d.report);
    return code;
}

void as_series_free(as_series_report *report)
{
    if (!report) return;
    as_free(report->findings);
    as_free(report);
}

static const struct {
    const char *name, *advice;
} flags[] = {
    [AS_SERIES_DUPLICATE] = {"duplicate id", "the record is damaged: nothing of it is used"},
    [AS_SERIES_ORDER] = {"order", "samples stood in another order than they ran"},
    [AS_SERIES_INCOMPLETE] = {"incomplete", "a call without an end is no sample"},
    [AS_SERIES_NEGATIVE] = {"negative", "the clock is broken; look at it with assay env"},
    [AS_SERIES_COARSE] = {"below resolution",
                          "the clock cannot tell so short a time; repeat the call inside it"},
    [AS_SERIES_COLD] = {"cold start", "the first call is told apart and not in the median"},
    [AS_SERIES_OUTLIER] = {"outlier", "kept; the median is the figure, the mean is not"},
    [AS_SERIES_TREND] = {"trend", "compare candidates only within interleaved rounds"},
    [AS_SERIES_SHIFT] = {"bimodal/shift", "the clock rate or a neighbour changed; compare "
                                          "candidates only within interleaved rounds"},
    [AS_SERIES_FLAT] = {"zero spread",
                        "a cached result or a coarse clock; equal times prove nothing"},
    [AS_SERIES_FEW] = {"too few", "no interval and no ranking; more calls are needed"},
    [AS_SERIES_IMPOSSIBLE] = {"faster than possible",
                              "the work was optimised away, or something else was timed"}};

const char *as_series_flag_name(as_series_flag flag) { return flags[flag].name; }

const char *as_series_flag_advice(as_series_flag flag) { return flags[flag].advice; }
