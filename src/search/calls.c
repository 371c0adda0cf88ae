/* SPDX-License-Identifier: Apache-2.0 */
#include "search/calls.h"

static bool same_shape(const as_corpus_call *a, const as_corpus_call *b)
{
    return a->n == b->n && a->h == b->h && a->w == b->w;
}

static double pixels_of(const as_corpus_call *call)
{
    return (double)call->n * call->h * call->w;
}

/* The shape of call `at`: false when an earlier call has it already. */
static bool weigh(const as_corpus *corpus, size_t at, as_search_call *out)
{
    const as_corpus_call *call = &corpus->calls[at];
    *out = (as_search_call){.call = at};
    for (size_t i = 0; i < corpus->n_calls; i++) {
        if (!same_shape(&corpus->calls[i], call)) continue;
        if (i < at) return false;
        out->n_calls++;
    }
    out->share = (double)out->n_calls * pixels_of(call);
    return true;
}

/* Put `one` at its place among the n largest; @return how many there are then. */
static size_t insert(as_search_call calls[AS_SEARCH_CALLS], size_t n, as_search_call one)
{
    size_t at = n;
    while (at > 0 && calls[at - 1].share < one.share)
        at--;
    if (at == AS_SEARCH_CALLS) return n;
    if (n < AS_SEARCH_CALLS) n++;
    for (size_t i = n - 1; i > at; i--)
        calls[i] = calls[i - 1];
    calls[at] = one;
    return n;
}

size_t as_calls_choose(const as_corpus *corpus, as_search_call calls[AS_SEARCH_CALLS],
                       double *share)
{
    size_t n = 0, n_needed = 0;
    double all = 0;
    for (size_t i = 0; i < corpus->n_calls; i++) {
        as_search_call one;
        all += pixels_of(&corpus->calls[i]);
        if (weigh(corpus, i, &one)) n = insert(calls, n, one);
    }
    *share = 0;
    while (n_needed < n && *share < AS_CALLS_SHARE) {
        calls[n_needed].share /= all;
        *share += calls[n_needed++].share;
    }
    return n_needed;
}
