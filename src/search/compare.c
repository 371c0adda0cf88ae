/* SPDX-License-Identifier: Apache-2.0 */
/* Every box of the corpus by given routes, against those of the exact routes. */
#include "verdict/compare.h"
#include "base/memory.h"
#include "search/tuner.h"

/* Look at one image of a call: keep its boxes as the truth, or compare them. */
static assay_code look(as_tuner *t, size_t region, const float *map, bool *is_equal,
                       assay_error *err)
{
    const as_corpus_region *r = &t->corpus->regions[region];
    as_boxes boxes = {0};
    assay_code code = as_boxes_from_map(t->scratch, &r->settings, map, r->net_h, r->net_w, r->h,
                                        r->w, t->has_truth ? &boxes : &t->truth[region], err);
    if (!code && t->has_truth)
        *is_equal = *is_equal && as_boxes_compare(&t->truth[region], &boxes).equal;
    t->n_inputs++;
    t->n_boxes += t->truth[region].n;
    as_boxes_free(&boxes);
    return code;
}

static assay_code compare_call(as_tuner *t, size_t at, bool *is_equal, assay_error *err)
{
    const as_corpus_call *call = &t->corpus->calls[at];
    as_tuner_call one = {0};
    assay_tensor map = {0};
    assay_code code = as_tuner_check_stop(t, err);
    if (!code) code = as_tuner_input(t, at, &one.input, &one.data, err);
    if (!code) code = assay_session_run(t->session, &one.input, 1, &map, 1, err);
    as_free(one.data);
    if (code) return code;
    const float *first = map.data;
    if (map.dtype != ASSAY_F32 || map.rank != 4 || map.dims[0] != call->n || map.dims[1] != 1 ||
        map.dims[2] != call->h || map.dims[3] != call->w)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "the model gives no map of %dx1x%dx%d for call %.60s, a text detector "
                       "does",
                       call->n, call->h, call->w, call->id);
    for (int i = 0; i < call->n && !code; i++)
        code = look(t, call->inputs[i], first + (size_t)i * (size_t)call->h * (size_t)call->w,
                    is_equal, err);
    return code;
}

assay_code as_tuner_compare(void *context, const size_t *option, bool *is_equal,
                            assay_error *err)
{
    return as_tuner_compare_by(context, option, NULL, is_equal, err);
}

assay_code as_tuner_compare_by(as_tuner *t, const size_t *routes, const size_t *bands,
                               bool *is_equal, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *is_equal = true;
    t->n_inputs = t->n_boxes = 0;
    as_tuner_use(t, routes, bands);
    size_t n = t->corpus->n_calls;
    for (size_t i = 0; i < n && !code && *is_equal; i++) {
        size_t call = (t->last_differing + i) % n;
        code = compare_call(t, call, is_equal, err);
        if (!*is_equal) t->last_differing = call;
    }
    return code;
}
