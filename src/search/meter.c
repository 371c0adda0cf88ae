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

void as_tuner_use(as_tuner *t, const size_t *routes, const size_t *bands)
{
    for (size_t i = 0; i < t->n_layers && routes; i++)
        t->choices[i].route = t->layers[i].options[routes[i]].route;
    for (size_t i = 0; i < t->n_groups && bands; i++)
        t->bands[i].bands = (as_bands)bands[i];
    const as_choices choices = {.layers = t->choices,
                                .n_layers = routes ? t->n_layers : 0,
                                .groups = t->bands,
                                .n_groups = bands ? t->n_groups : 0};
    as_model_choose(t->model, &choices);
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

static double median_of(double *values)
{
    as_sort(values, AS_TUNER_RUNS);
    return values[AS_TUNER_RUNS / 2];
}

/* A layer's time has in it what brings its input into its route's layout, which stands before it: a
 * route that reads the network's input as it comes must not seem dearer by that. */
static void take_layers(const as_tuner *t, size_t call, size_t run,
                        double (*runs)[AS_TUNER_RUNS])
{
    (void)call;
    const as_plan *plan = as_session_plan(t->session);
    const int64_t *layer_ns = as_session_layer_ns(t->session);
    int64_t ns = 0;
    for (size_t l = 0; l < plan->n_layers; l++) {
        ns += layer_ns[l];
        if (plan->layers[l].kind == AS_LAYER_FROM_NCHW) continue;
        const size_t i =
            plan->layers[l].route ? as_tuner_find(t, plan->layers[l].node) : t->n_layers;
        if (i < t->n_layers) runs[i][run] = 1e-9 * (double)(ns > 0 ? ns : 1);
        ns = 0;
    }
}

static double weight_of(const as_tuner *t, size_t call)
{
    size_t all = 0;
    for (size_t i = 0; i < t->n_calls; i++)
        all += t->calls[i].what.n_calls;
    return (double)t->calls[call].what.n_calls / (double)all;
}

/* One call's runs as the session is set; runs[item][AS_TUNER_RUNS] is filled. */
static assay_code time_call(as_tuner *t, size_t call, as_tuner_take take,
                            double (*runs)[AS_TUNER_RUNS], assay_error *err)
{
    /* The first run makes the plan and touches its memory. */
    assay_code code = as_tuner_run(t, &t->calls[call], err);
    for (size_t run = 0; run < AS_TUNER_RUNS && !code; run++) {
        code = as_tuner_run(t, &t->calls[call], err);
        if (!code) take(t, call, run, runs);
    }
    return code;
}

assay_code as_tuner_time(as_tuner *t, size_t n, as_tuner_take take, double *seconds,
                         assay_error *err)
{
    double(*runs)[AS_TUNER_RUNS] = as_alloc_array(n + 1, sizeof *runs);
    if (!runs) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu times", n);
    assay_code code = ASSAY_OK;
    memset(seconds, 0, n * sizeof *seconds);
    as_session_trace(t->session, true);
    for (size_t i = 0; i < t->n_calls && !code; i++) {
        memset(runs, 0, n * sizeof *runs);
        code = time_call(t, i, take, runs, err);
        for (size_t item = 0; item < n && !code; item++)
            seconds[item] += weight_of(t, i) * median_of(runs[item]);
    }
    as_session_trace(t->session, false);
    as_free(runs);
    return code;
}

assay_code as_tuner_measure(void *context, const size_t *option, double *layer_s,
                            assay_error *err)
{
    as_tuner *t = context;
    as_tuner_use(t, option, NULL);
    return as_tuner_time(t, t->n_layers, take_layers, layer_s, err);
}

assay_code as_tuner_pass(as_tuner *t, const size_t *routes, const size_t *bands,
                         double *seconds, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *seconds = 0;
    as_tuner_use(t, routes, bands);
    for (size_t i = 0; i < t->n_calls && !code; i++) {
        double runs[AS_TUNER_RUNS];
        code = as_tuner_run(t, &t->calls[i], err);
        for (size_t run = 0; run < AS_TUNER_RUNS && !code; run++) {
            int64_t start_ns = as_clock_ns();
            code = as_tuner_run(t, &t->calls[i], err);
            runs[run] = 1e-9 * (double)(as_clock_ns() - start_ns);
        }
        if (!code) *seconds += weight_of(t, i) * median_of(runs);
    }
    return code;
}

double as_tuner_now_s(void *context)
{
    (void)context;
    return 1e-9 * (double)as_clock_ns();
}
