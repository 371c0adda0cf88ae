/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each layer alone, again and again: what a kernel bench would say of it.  It is kept beside the
 * in-place cost for the reader; nothing is chosen by it, since a layer that is alone finds its
 * input in the caches.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/size.h"
#include "search/tuner.h"

#define CALLS 5

/* A plan of the first measured call outside of any session. */
typedef struct bench {
    as_plan *plan;       /* owns */
    as_threads *threads; /* owns */
    float *arena;        /* owns; activations, then each thread's scratch */
    size_t scratch_stride;
} bench;

/* One layer as the threads see it. */
typedef struct job {
    const as_layer *layer;
    float *scratch;
    size_t scratch_stride;
} job;

static void run_part(void *context, size_t begin, size_t end, size_t thread)
{
    const job *j = context;
    j->layer->route->run(&j->layer->args.conv, begin, end,
                         j->scratch + thread * j->scratch_stride);
}

static assay_code make(as_tuner *t, bench *b, assay_error *err)
{
    const assay_tensor *x = &t->calls[0].input;
    as_shape shape = {.rank = x->rank};
    size_t n_floats = 0;
    for (int d = 0; d < x->rank; d++)
        shape.dims[d] = x->dims[d];
    as_plan_options options = *as_model_options(t->model);
    options.groups = false; /* every layer has its input and output whole */
    assay_code code =
        as_plan_new(as_model_graph(t->model), &shape, 1, as_model_kernels(t->model), &options,
                    as_model_weights(t->model), &b->plan, err);
    if (!code) code = as_threads_new(as_session_threads(t->session), &b->threads, err);
    if (code) return code;
    b->scratch_stride = as_round_up(b->plan->scratch_floats, AS_ALIGNMENT / sizeof(float));
    if (as_mul(b->scratch_stride, as_threads_count(b->threads), &n_floats) &&
        as_add(n_floats, as_round_up(b->plan->arena_floats, AS_ALIGNMENT / sizeof(float)),
               &n_floats))
        b->arena = as_alloc_array(n_floats, sizeof *b->arena);
    if (!b->arena) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan's arena");
    as_plan_bind(b->plan, b->arena);
    as_plan_bind_input(b->plan, 0, x->data);
    return ASSAY_OK;
}

/* Whether everything that the layer reads and writes has a place of its own in the arena. */
static bool is_bound(const as_layer *layer)
{
    const as_conv_args *args = &layer->args.conv;
    for (size_t i = 0; i < layer->epilogue.n_steps; i++)
        if (layer->epilogue.steps[i].operand != AS_OPERAND_SCALAR &&
            layer->epilogue.steps[i].kind <= AS_STEP_MIN && !layer->epilogue.steps[i].view.data)
            return false;
    return args->in.data && args->out.data;
}

static assay_code time_layer(const bench *b, const as_layer *layer, as_plan_cost *out,
                             assay_error *err)
{
    double seconds[CALLS];
    job j = {.layer = layer,
             .scratch =
                 b->arena + as_round_up(b->plan->arena_floats, AS_ALIGNMENT / sizeof(float)),
             .scratch_stride = b->scratch_stride};
    for (int i = -1; i < CALLS; i++) { /* the first warms up */
        int64_t start_ns = as_clock_ns();
        as_threads_run(b->threads, layer->n_items, run_part, &j);
        if (i >= 0) seconds[i] = 1e-9 * (double)(as_clock_ns() - start_ns);
    }
    as_summary s = {0};
    assay_code code = as_summary_of(seconds, CALLS, &s, err);
    *out = as_tuner_cost(&s);
    return code;
}

/* All layers by options number `turn`, those with fewer options by their first. */
static assay_code isolate_turn(as_tuner *t, size_t turn, size_t *option, as_plan_file *file,
                               assay_error *err)
{
    bench b = {0};
    for (size_t i = 0; i < t->n_layers; i++)
        option[i] = turn < t->layers[i].n_options ? turn : 0;
    as_tuner_use(t, option, NULL);
    assay_code code = make(t, &b, err);
    for (size_t l = 0; !code && l < b.plan->n_layers; l++) {
        const as_layer *layer = &b.plan->layers[l];
        const size_t i = layer->route ? as_tuner_find(t, layer->node) : t->n_layers;
        if (i == t->n_layers) continue;
        code = as_tuner_check_stop(t, err);
        if (!code && option[i] == turn && is_bound(layer))
            code = time_layer(&b, layer, &file->layers[i].candidates[turn].isolated, err);
    }
    as_threads_free(b.threads);
    as_plan_free(b.plan);
    as_free(b.arena);
    return code;
}

assay_code as_tuner_isolate(as_tuner *t, as_plan_file *file, assay_error *err)
{
    size_t n_turns = 0;
    for (size_t i = 0; i < t->n_layers; i++)
        n_turns = as_max(n_turns, t->layers[i].n_options);
    size_t *option = as_alloc_array(t->n_layers + 1, sizeof *option);
    assay_code code = option ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to isolate");
    for (size_t turn = 0; turn < n_turns && !code; turn++)
        code = isolate_turn(t, turn, option, file, err);
    as_free(option);
    return code;
}
