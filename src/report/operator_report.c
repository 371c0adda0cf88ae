/* SPDX-License-Identifier: Apache-2.0 */
/* What derives from an operator study's rows: times, roofs, ratios and what they say. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/operator_files.h"
#include "verdict/statistics.h"

bool as_operator_factors_hold(const as_operator_study *study)
{
    for (size_t i = 0; i < study->n_ops; i++)
        if (study->ops[i].factor_error > AS_FACTOR_TOLERANCE) return false;
    return true;
}

/** Median of the n values at `us`, which are sorted in place. */
static double median_of(double *us, size_t n)
{
    as_sort(us, n);
    return n ? as_quantile_of_sorted(us, n, 0.5) : NAN;
}

/** The times of operator `op`; room[n_samples] is scratch. */
static void fill_time(const as_operator_study *study, size_t op, double *room,
                      as_operator_time *time)
{
    for (int round = 0; round < study->how.n_rounds; round++) {
        size_t n = 0;
        for (size_t i = 0; i < study->n_samples; i++)
            if ((size_t)study->samples[i].op == op && study->samples[i].round == round)
                room[n++] = study->samples[i].latency_us;
        time->round_us[round] = median_of(room, n);
    }
    time->n = 0;
    for (size_t i = 0; i < study->n_samples; i++)
        if ((size_t)study->samples[i].op == op) room[time->n++] = study->samples[i].latency_us;
    time->median_us = median_of(room, time->n);
    const bool is_enough = time->n >= as_percentile_least(0.9);
    time->p10_us = is_enough ? as_quantile_of_sorted(room, time->n, 0.1) : NAN;
    time->p90_us = is_enough ? as_quantile_of_sorted(room, time->n, 0.9) : NAN;
}

static as_roofline roofline_of(const as_operator_study *study, const as_operator_row *op,
                               double median_us)
{
    const double products_us = 1e6 * (double)op->products / study->how.peak_macs_s;
    const double bytes_us = 1e6 * (double)op->traffic_bytes / op->copy_bytes_s;
    as_roofline r = {.macs_s = 1e6 * (double)op->macs / median_us,
                     .products_s = 1e6 * (double)op->products / median_us,
                     .bytes_s = 1e6 * (double)op->traffic_bytes / median_us,
                     .roof_us = fmax(products_us, bytes_us),
                     .is_bound_by_bytes = bytes_us > products_us};
    r.peak_share = r.products_s / study->how.peak_macs_s;
    r.copy_share = r.bytes_s / op->copy_bytes_s;
    return r;
}

/** Place of `module` among the operators of the same shape as `op`; n_ops without one. */
static size_t beside(const as_operator_study *study, size_t op, const char *module)
{
    for (size_t i = 0; i < study->n_ops; i++)
        if (strcmp(study->ops[i].shape, study->ops[op].shape) == 0 &&
            strcmp(study->ops[i].module, module) == 0)
            return i;
    return study->n_ops;
}

static assay_code fill_ratio(as_operator_report *r, size_t standard, assay_error *err)
{
    const as_operator_study *study = r->study;
    as_operator_ratio *ratio = &r->ratios[r->n_ratios];
    *ratio = (as_operator_ratio){.standard = standard,
                                 .dw_pw = beside(study, standard, "dw_pw"),
                                 .dw = beside(study, standard, "dw"),
                                 .pw = beside(study, standard, "pw")};
    if (ratio->dw_pw == study->n_ops || ratio->dw == study->n_ops || ratio->pw == study->n_ops)
        return as_fail(err, ASSAY_E_FORMAT, "shape %s of the operator study lacks a module",
                       study->ops[standard].shape);
    ratio->mac_ratio =
        (double)study->ops[standard].macs / (double)study->ops[ratio->dw_pw].macs;
    r->n_ratios++;
    return as_estimate_ratio(r->times[standard].round_us, r->times[ratio->dw_pw].round_us,
                             (size_t)study->how.n_rounds, 1, &ratio->time_ratio, err);
}

/** Whether the interval holds 1: either may be the faster one. */
static bool is_undecided(const as_estimate *e)
{
    return e->has_interval && e->low <= 1 && e->high >= 1;
}

/** "3.02 times (no interval: 3 rounds)" or with the interval; below 1 upside down, for "slower by". */
static char *ratio_text(const as_estimate *e, as_language language)
{
    const bool is_turned = e->ratio < 1 && !is_undecided(e);
    const double ratio = is_turned ? 1 / e->ratio : e->ratio;
    const double low = is_turned ? 1 / e->high : e->low;
    const double high = is_turned ? 1 / e->low : e->high;
    if (e->has_interval)
        return as_format(as_say(language, "%.2f times (%.3g %% interval %.2f to %.2f)"), ratio,
                         100 * e->level, low, high);
    return as_format(as_say(language, "%.2f times (no interval: %zu rounds)"), ratio, e->n);
}

static char *cost_sentence(const as_operator_report *r, const as_operator_ratio *ratio,
                           as_language language)
{
    const as_operator_row *op = &r->study->ops[ratio->standard];
    char *times = ratio_text(&ratio->time_ratio, language);
    if (!times) return NULL;
    const char *format =
        is_undecided(&ratio->time_ratio)
            ? as_say(language, "%s (%d to %d channels, %dx%d): depthwise + pointwise has %.2f "
                               "times fewer MACs than the standard 3x3, which takes %s its "
                               "time: which is faster is undecided.")
        : ratio->time_ratio.ratio >= 1
            ? as_say(language, "%s (%d to %d channels, %dx%d): depthwise + pointwise has %.2f "
                               "times fewer MACs than the standard 3x3 and is faster by %s.")
            : as_say(language, "%s (%d to %d channels, %dx%d): depthwise + pointwise has %.2f "
                               "times fewer MACs than the standard 3x3 and is slower by %s.");
    char *text =
        as_format(format, op->shape, op->ic, op->oc, op->h, op->w, ratio->mac_ratio, times);
    as_free(times);
    return text;
}

/** Which rate each of both reaches: that is where the rest of the MACs' advantage goes. */
static char *rate_sentence(const as_operator_report *r, const as_operator_ratio *ratio,
                           as_language language)
{
    const as_operator_row *a = &r->study->ops[ratio->standard];
    const as_operator_row *b = &r->study->ops[ratio->dw_pw];
    const as_roofline *ra = &r->rooflines[ratio->standard], *rb = &r->rooflines[ratio->dw_pw];
    return as_format(
        as_say(language, "The standard one (%s) does %.1f GMAC/s with %.0f %% of its MACs as "
                         "products, %.0f %% of the peak of %.1f GMAC/s; the other (%s) does "
                         "%.1f GMAC/s, %.0f %% of the peak."),
        a->routes, 1e-9 * ra->macs_s, 100 * (double)a->products / (double)a->macs,
        100 * ra->peak_share, 1e-9 * r->study->how.peak_macs_s, b->routes, 1e-9 * rb->macs_s,
        100 * rb->peak_share);
}

/** Bytes: a depthwise layer reads and writes nearly as much as a standard one for few MACs. */
static char *bytes_sentence(const as_operator_report *r, const as_operator_ratio *ratio,
                            as_language language)
{
    const as_operator_row *a = &r->study->ops[ratio->standard];
    const as_operator_row *b = &r->study->ops[ratio->dw_pw], *dw = &r->study->ops[ratio->dw];
    const as_roofline *rd = &r->rooflines[ratio->dw];
    return as_format(
        as_say(language, "It moves at least %.0f kB against %.0f kB, so %.1f MACs a byte "
                         "against %.1f: its depthwise part has %.1f, takes %.0f %% of its time "
                         "and moves %.1f GB/s of the %.1f GB/s of a plain copy."),
        1e-3 * (double)b->traffic_bytes, 1e-3 * (double)a->traffic_bytes,
        (double)b->macs / (double)b->traffic_bytes, (double)a->macs / (double)a->traffic_bytes,
        (double)dw->macs / (double)dw->traffic_bytes,
        100 * r->times[ratio->dw].median_us / r->times[ratio->dw_pw].median_us,
        1e-9 * rd->bytes_s, 1e-9 * dw->copy_bytes_s);
}

/** How far both are above what the machine's roofs allow: calls, edges and short loops. */
static char *roof_sentence(const as_operator_report *r, const as_operator_ratio *ratio,
                           as_language language)
{
    const size_t a = ratio->standard, b = ratio->dw_pw;
    return as_format(
        as_say(
            language,
            "This machine's arithmetic and caches would allow %.2f us and %.2f us; they took "
            "%.2f us and %.2f us.  The rest is what kernels do besides: transforms, borders, "
            "short loops, calls."),
        r->rooflines[a].roof_us, r->rooflines[b].roof_us, r->times[a].median_us,
        r->times[b].median_us);
}

typedef char *(*sentence)(const as_operator_report *r, const as_operator_ratio *ratio,
                          as_language language);

static const sentence sentences[] = {cost_sentence, rate_sentence, bytes_sentence,
                                     roof_sentence};

static assay_code fill_sentences(as_operator_report *r, as_language language, assay_error *err)
{
    r->sentences = as_alloc_array(r->n_ratios * AS_COUNT_OF(sentences), sizeof *r->sentences);
    for (size_t i = 0; r->sentences && i < r->n_ratios; i++)
        for (size_t j = 0; j < AS_COUNT_OF(sentences); j++) {
            char *text = sentences[j](r, &r->ratios[i], language);
            if (!text) return as_fail(err, ASSAY_E_MEMORY, "no memory for a sentence");
            r->sentences[r->n_sentences++] = text;
        }
    return r->sentences ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for sentences");
}

static assay_code check_rows(const as_operator_study *study, assay_error *err)
{
    if (study->how.n_rounds < 1 || study->n_ops == 0)
        return as_fail(err, ASSAY_E_FORMAT, "the operator study has no round or no operator");
    for (size_t i = 0; i < study->n_samples; i++) {
        const as_operator_sample_row *s = &study->samples[i];
        if (s->op < 0 || (size_t)s->op >= study->n_ops || s->round < 0 ||
            s->round >= study->how.n_rounds || !(s->latency_us > 0))
            return as_fail(err, ASSAY_E_FORMAT,
                           "sample %zu of the operator study is of no operator or round, or "
                           "its time is none",
                           i);
    }
    return ASSAY_OK;
}

static assay_code make_room(as_operator_report *r, double **room, assay_error *err)
{
    const as_operator_study *study = r->study;
    r->times = as_alloc_array(study->n_ops, sizeof *r->times);
    r->rooflines = as_alloc_array(study->n_ops, sizeof *r->rooflines);
    r->ratios = as_alloc_array(study->n_ops, sizeof *r->ratios);
    *room = as_alloc_array(study->n_samples, sizeof **room);
    bool is_good = r->times && r->rooflines && r->ratios && *room;
    for (size_t i = 0; is_good && i < study->n_ops; i++) {
        r->times[i].round_us =
            as_alloc_array((size_t)study->how.n_rounds, sizeof *r->times[i].round_us);
        is_good = r->times[i].round_us;
    }
    return is_good ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for operators' times");
}

assay_code as_operator_report_new(const as_operator_study *study, as_language language,
                                  as_operator_report **out, assay_error *err)
{
    double *room = NULL;
    *out = NULL;
    assay_code code = check_rows(study, err);
    if (code) return code;
    as_operator_report *r = as_alloc(sizeof *r);
    if (!r) return as_fail(err, ASSAY_E_MEMORY, "no memory for an operator study");
    r->study = study;
    code = make_room(r, &room, err);
    for (size_t i = 0; !code && i < study->n_ops; i++) {
        fill_time(study, i, room, &r->times[i]);
        r->rooflines[i] = roofline_of(study, &study->ops[i], r->times[i].median_us);
    }
    for (size_t i = 0; !code && i < study->n_ops; i++)
        if (strcmp(study->ops[i].module, "standard") == 0) code = fill_ratio(r, i, err);
    if (!code) code = fill_sentences(r, language, err);
    as_free(room);
    if (code) {
        as_operator_report_free(r);
        return code;
    }
    *out = r;
    return ASSAY_OK;
}

void as_operator_report_free(as_operator_report *report)
{
    if (!report) return;
    for (size_t i = 0; report->times && i < report->study->n_ops; i++)
        as_free(report->times[i].round_us);
    for (size_t i = 0; i < report->n_sentences; i++)
        as_free(report->sentences[i]);
    as_free(report->times);
    as_free(report->rooflines);
    as_free(report->ratios);
    as_free(report->sentences);
    as_free(report);
}
