/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a tuning: the whole network by given routes, layer by layer. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "search/tuner.h"

assay_code as_tuner_check_stop(const as_tuner *t, assay_error *err)
{
    if (!t->control->stop || !t->control->stop(t->control->stop_context)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_INTERRUPTED, "stopped while tuning; nothing was written");
}

void as_tuner_use(as_tuner *t, const size_t *option)
{
    for (size_t i = 0; i < t->n_layers && option; i++)
        t->choices[i].route = t->layers[i].options[option[i]].route;
    as_model_choose(t->model, t->choices, option ? t->n_layers : 0);
    assay_session_clear(t->session); /* its plans are by other routes */
}

/* One region's pixels as the network sees them. */
static assay_code region_input(as_tuner *t, size_t region, float *data, assay_error *err)
{
    const as_corpus_region *r = &t->corpus->regions[region];
    as_image image = {0};
    assay_code code = as_corpus_region_pixels(t->corpus, region, &image, err);
    if (!code)
        code = as_preprocess(t->scratch, image.bgr, image.h, image.w, r->net_h, r->net_w, data,
                             err);
    as_image_free(&image);
    return code;
}

assay_code as_tuner_input(as_tuner *t, size_t call, assay_tensor *tensor, float **data,
                          assay_error *err)
{
    const as_corpus_call *c = &t->corpus->calls[call];
    size_t image_floats = 3 * (size_t)c->h * (size_t)c->w, n_floats = 0;
    *data = NULL;
    if (as_mul(image_floats, (size_t)c->n, &n_floats))
        *data = as_alloc_array(n_floats, sizeof **data);
    if (!*data) return as_fail(err, ASSAY_E_MEMORY, "no memory for call %.60s", c->id);
    assay_code code = ASSAY_OK;
    for (int i = 0; i < c->n && !code; i++)
        code = region_input(t, c->inputs[i], *data + (size_t)i * image_floats, err);
    *tensor = (assay_tensor){.rank = 4, .dims = {c->n, 3, c->h, c->w}, .data = *data};
    return code;
}

assay_code as_tuner_run(as_tuner *t, const as_tuner_call *call, assay_error *err)
{
    assay_tensor map;
    assay_code code = as_tuner_check_stop(t, err);
    return code ? code : assay_session_run(t->session, &call->input, 1, &map, 1, err);
}

/* Add the layers' times of the last run, each times the call's weight, to what layer_s has. */
static void add_times(const as_tuner *t, double weight, double *layer_s)
{
    const as_plan *plan = as_session_plan(t->session);
    const int64_t *layer_ns = as_session_layer_ns(t->session);
    size_t i = 0;
    for (size_t l = 0; l < plan->n_layers; l++) {
        if (!plan->layers[l].route) continue;
        /* Both lists are in the graph's order. */
        while (i < t->n_layers && t->layers[i].node < plan->layers[l].node)
            i++;
        if (i < t->n_layers && t->layers[i].node == plan->layers[l].node)
            layer_s[i] += weight * 1e-9 * (double)(layer_ns[l] > 0 ? layer_ns[l] : 1);
    }
}

static double weight_of(const as_tuner *t, size_t call)
{
    size_t all = 0;
    for (size_t i = 0; i < t->n_calls; i++)
        all += t->calls[i].what.n_calls;
    return (double)t->calls[call].what.n_calls / (double)all;
}

assay_code as_tuner_measure(void *context, const size_t *option, double *layer_s,
                            assay_error *err)
{
    as_tuner *t = context;
    assay_code code = ASSAY_OK;
    as_tuner_use(t, option);
    memset(layer_s, 0, t->n_layers * sizeof *layer_s);
    as_session_trace(t->session, true);
    for (size_t i = 0; i < t->n_calls && !code; i++) {
        code = as_tuner_run(t, &t->calls[i], err); /* makes the plan and touches its memory */
        if (!code) code = as_tuner_run(t, &t->calls[i], err);
        if (!code) add_times(t, weight_of(t, i), layer_s);
    }
    as_session_trace(t->session, false);
    return code;
}

assay_code as_tuner_pass(as_tuner *t, const size_t *option, double *seconds, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *seconds = 0;
    as_tuner_use(t, option);
    for (size_t i = 0; i < t->n_calls && !code; i++) {
        code = as_tuner_run(t, &t->calls[i], err);
        int64_t start_ns = as_clock_ns();
        if (!code) code = as_tuner_run(t, &t->calls[i], err);
        *seconds += weight_of(t, i) * 1e-9 * (double)(as_clock_ns() - start_ns);
    }
    return code;
}

double as_tuner_now_s(void *context)
{
    (void)context;
    return 1e-9 * (double)as_clock_ns();
}
