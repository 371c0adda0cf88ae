/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time over the batch size: calls of each N summed for every slot, medians over the rounds.
 *
 * Calls of different N have different pages in them, so sizes are compared by the megapixel that the
 * network saw; by the image where every call has the same height and width.
 */
#include <math.h>
#include <stdlib.h>

#include "base/size.h"
#include "report/facts.h"

static int by_size(const void *a, const void *b)
{
    size_t x = ((const as_batch_facts *)a)->n, y = ((const as_batch_facts *)b)->n;
    return (x > y) - (x < y);
}

/** Calls as sizes of one call each, then equal ones together. */
static void gather(as_facts *f)
{
    for (size_t i = 0; i < f->n_calls; i++) {
        const as_evidence_shape *shape = &f->calls[i].shape;
        f->batches[i] = (as_batch_facts){.n = shape->n,
                                         .n_calls = 1,
                                         .n_inputs = shape->n,
                                         .megapixels = (double)shape->n * (double)shape->h *
                                                       (double)shape->w / 1e6};
        if (shape->h != f->calls[0].shape.h || shape->w != f->calls[0].shape.w)
            f->has_one_shape = false;
    }
    qsort(f->batches, f->n_calls, sizeof *f->batches, by_size);
    for (size_t i = 0; i < f->n_calls; i++) {
        as_batch_facts *last = f->n_batches ? &f->batches[f->n_batches - 1] : NULL;
        if (last && last->n == f->batches[i].n) {
            last->n_calls++;
            last->n_inputs += f->batches[i].n_inputs;
            last->megapixels += f->batches[i].megapixels;
        } else {
            f->batches[f->n_batches++] = f->batches[i];
        }
    }
}

assay_code as_facts_batches(as_facts *f, assay_error *err)
{
    size_t n_sums;
    assay_code code = as_facts_array(f, f->n_calls, sizeof *f->batches, &f->batches, err);
    if (!code) code = as_facts_array(f, f->n_calls, sizeof *f->batch_of, &f->batch_of, err);
    if (code) return code;
    f->has_one_shape = true;
    gather(f);
    for (size_t i = 0; i < f->n_calls; i++)
        while (f->batches[f->batch_of[i]].n != f->calls[i].shape.n)
            f->batch_of[i]++;
    if (!as_mul(f->n_slots, f->n_batches, &n_sums))
        return as_fail(err, ASSAY_E_FORMAT, "%zu slots of %zu batch sizes are too many",
                       f->n_slots, f->n_batches);
    return as_facts_array(f, n_sums, sizeof *f->batch_ns, &f->batch_ns, err);
}

double as_facts_unit(const as_facts *f, size_t batch)
{
    return f->has_one_shape ? (double)f->batches[batch].n_inputs : f->batches[batch].megapixels;
}

/** Milliseconds a unit of `policy`'s rounds in which `other` has a slot, too; `values` is overwritten. */
static assay_code batch_of(const as_facts *f, size_t policy, size_t other, size_t batch,
                           double *values, as_summary *out, assay_error *err)
{
    size_t n = 0;
    double passes = f->run->n_cycles > 0 ? f->run->n_cycles : 1;
    for (size_t r = 0; r < f->n_rounds; r++) {
        int slot = as_facts_slot(f, r, policy);
        if (slot < 0 || as_facts_slot(f, r, other) < 0) continue;
        int64_t ns = f->batch_ns[(size_t)slot * f->n_batches + batch];
        values[n++] = (double)ns / 1e6 / passes / as_facts_unit(f, batch);
    }
    return as_summary_of(values, n, out, err);
}

assay_code as_facts_over_batches(as_facts *f, size_t p, double *values, assay_error *err)
{
    size_t base = (size_t)f->run->baseline;
    as_summary *ms, mine, its = {0};
    double *reduction;
    assay_code code = as_facts_array(f, f->n_batches, sizeof *ms, &ms, err);
    if (!code) code = as_facts_array(f, f->n_batches, sizeof *reduction, &reduction, err);
    for (size_t b = 0; !code && b < f->n_batches; b++) {
        code = batch_of(f, p, p, b, values, &ms[b], err);
        if (!code) code = batch_of(f, p, base, b, values, &mine, err);
        if (!code) code = batch_of(f, base, p, b, values, &its, err);
        if (!code)
            reduction[b] = its.median > 0 ? as_reduction_percent(mine.median, its.median) : NAN;
    }
    if (code) return code;
    f->policy[p].batch_ms = ms;
    f->policy[p].batch_reduction = reduction;
    return ASSAY_OK;
}

size_t as_facts_break_even(const as_facts *f, size_t policy)
{
    const as_policy_facts *facts = &f->policy[policy];
    size_t b = f->n_batches;
    if (facts->candidate.failed) return b;
    while (b > 0 && facts->batch_reduction[b - 1] > AS_MARGIN * 100)
        b--;
    return b;
}
