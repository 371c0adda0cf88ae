/* SPDX-License-Identifier: Apache-2.0 */
#include "search/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "search/tuner.h"
#include "verdict/estimate.h"

as_tune_options as_tune_options_defaults(void)
{
    return (as_tune_options){
        .seed = 1, .least_rounds = 8, .most_rounds = 24, .ratio_rounds = 12};
}

static void close_tuner(as_tuner *t)
{
    for (size_t i = 0; i < t->n_calls; i++)
        as_free(t->calls[i].data);
    for (size_t i = 0; t->truth && i < t->corpus->n_regions; i++)
        as_boxes_free(&t->truth[i]);
    as_free(t->truth);
    assay_session_free(t->session);
    assay_model_free(t->model);
    as_corpus_free(t->corpus);
    as_detect_scratch_free(t->scratch);
    as_arena_free(t->arena);
}

static assay_code open_model(as_tuner *t, assay_error *err)
{
    assay_code code = assay_model_load(t->options->model_path, NULL, &t->model, err);
    if (!code && (assay_model_n_inputs(t->model) != 1 || assay_model_n_outputs(t->model) != 1))
        code = as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s has %d inputs and %d outputs, a text detector has one of each",
                       as_path_base(t->options->model_path), assay_model_n_inputs(t->model),
                       assay_model_n_outputs(t->model));
    if (!code) code = assay_session_new(t->model, t->options->threads, &t->session, err);
    return code;
}

static assay_code open_corpus(as_tuner *t, assay_error *err)
{
    as_search_call chosen[AS_SEARCH_CALLS];
    assay_code code = as_corpus_load(t->options->corpus_path, &t->corpus, err);
    if (!code && as_corpus_is_tensors(t->corpus))
        code = as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s holds tensors, routes are tuned on pictures for a text detector",
                       t->options->corpus_path);
    if (code) return code;
    t->scratch = as_detect_scratch_new();
    t->truth = as_alloc_array(t->corpus->n_regions + 1, sizeof *t->truth);
    if (!t->scratch || !t->truth) return as_fail(err, ASSAY_E_MEMORY, "no memory to tune");
    size_t n = as_calls_choose(t->corpus, chosen, &t->calls_share);
    if (n == 0)
        return as_fail(err, ASSAY_E_FORMAT, "%s has no calls, tuning needs one",
                       t->options->corpus_path);
    for (size_t i = 0; i < n && !code; i++) {
        as_tuner_call *call = &t->calls[t->n_calls++];
        call->what = chosen[i];
        code = as_tuner_input(t, call->what.call, &call->input, &call->data, err);
    }
    return code;
}

static void add_options(as_search_layer *layer, const as_route *routes, size_t n,
                        const as_conv_shape *shape, as_exactness exactness)
{
    for (size_t i = 0; i < n && layer->n_options < AS_SEARCH_ROUTES; i++)
        if (routes[i].exactness == exactness && routes[i].proposes(shape))
            layer->options[layer->n_options++] =
                (as_route_option){.route = routes[i].name, .is_exact = exactness == AS_EXACT};
}

static int by_node(const void *a, const void *b)
{
    const as_search_layer *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

size_t as_tuner_find(const as_tuner *t, int node)
{
    const as_search_layer wanted = {.node = node};
    const as_search_layer *found =
        bsearch(&wanted, t->layers, t->n_layers, sizeof *t->layers, by_node);
    return found ? (size_t)(found - t->layers) : t->n_layers;
}

/* Every layer with a route, by its node, out of the default plan of the first measured call. */
static assay_code list_layers(as_tuner *t, assay_error *err)
{
    assay_code code = as_tuner_run(t, &t->calls[0], err);
    if (code) return code;
    const as_plan *plan = as_session_plan(t->session);
    const as_kernels *k = as_model_kernels(t->model);
    t->arena = as_arena_new();
    if (t->arena) {
        t->layers = as_arena_array(t->arena, plan->n_layers + 1, sizeof *t->layers);
        t->choices = as_arena_array(t->arena, plan->n_layers + 1, sizeof *t->choices);
        t->routes = as_arena_array(t->arena, plan->n_layers + 1, sizeof *t->routes);
    }
    if (!t->layers || !t->choices || !t->routes)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to tune");
    for (size_t i = 0; i < plan->n_layers; i++) {
        const as_layer *from = &plan->layers[i];
        if (!from->route) continue;
        bool is_conv = from->kind == AS_LAYER_CONV;
        const as_route *routes = is_conv ? k->conv : k->deconv;
        size_t n_routes = is_conv ? k->n_conv : k->n_deconv;
        as_search_layer *layer = &t->layers[t->n_layers++];
        *layer =
            (as_search_layer){.node = from->node, .name = from->name, .op_type = from->op_type};
        add_options(layer, routes, n_routes, &from->args.conv.shape, AS_EXACT);
        add_options(layer, routes, n_routes, &from->args.conv.shape, AS_CLOSE);
        for (size_t c = 0; c < layer->n_options; c++)
            if (strcmp(layer->options[c].route, from->route->name) == 0) layer->rule = c;
    }
    qsort(t->layers, t->n_layers, sizeof *t->layers, by_node);
    for (size_t i = 0; i < t->n_layers; i++)
        t->choices[i] = (as_layer_choice){.node = t->layers[i].node, .name = t->layers[i].name};
    return ASSAY_OK;
}

/* The boxes of the exact routes, which every other choice has to give. */
static assay_code find_truth(as_tuner *t, assay_error *err)
{
    bool is_equal;
    size_t *first = as_alloc_array(t->n_layers + 1, sizeof *first); /* an exact one each */
    assay_code code = first ? as_tuner_compare(t, first, &is_equal, err)
                            : as_fail(err, ASSAY_E_MEMORY, "no memory to tune");
    as_free(first);
    t->has_truth = !code;
    return code;
}

/* Pairs of tuned and default, which of the two comes first taking turns. */
static assay_code measure_ratio(as_tuner *t, const size_t *bands, as_plan_ratio *out,
                                assay_error *err)
{
    size_t n = t->options->ratio_rounds;
    const as_trial_watch *watch = &t->control->watch;
    double *s[2] = {as_alloc_array(n + 1, sizeof **s), as_alloc_array(n + 1, sizeof **s)};
    assay_code code =
        s[0] && s[1] ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds", n);
    if (watch->begin) watch->begin(watch->context, "tuned against default", n);
    for (size_t round = 0; round < n && !code; round++) {
        size_t first = (round + (size_t)t->options->seed) % 2;
        for (size_t turn = 0; turn < 2 && !code; turn++) {
            size_t who = first ^ turn; /* 0: tuned, 1: default */
            code = as_tuner_pass(t, who ? NULL : t->routes, who ? NULL : bands, &s[who][round],
                                 err);
        }
        if (watch->step) watch->step(watch->context, round + 1);
    }
    if (watch->end) watch->end(watch->context);
    as_estimate e = {0};
    if (!code) code = as_estimate_ratio(s[0], s[1], n, 1, &e, err);
    if (!code)
        *out = (as_plan_ratio){.n = e.n,
                               .ratio = e.ratio,
                               .low = e.low,
                               .high = e.high,
                               .level = e.level,
                               .has_interval = e.has_interval};
    as_free(s[0]);
    as_free(s[1]);
    return code;
}

/* ---- into the file ---- */

static assay_code fill_head(const as_tuner *t, as_plan_file *file, assay_error *err)
{
    as_cpu_info_get(&file->cpu);
    strcpy(file->isa, as_isa_name(as_model_kernels(t->model)->isa));
    file->threads = as_session_threads(t->session);
    file->model_name = as_arena_strdup(file->arena, as_path_base(t->options->model_path));
    if (!file->model_name) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    return as_sha256_file(t->options->model_path, file->model_sha256, err);
}

static assay_code fill_evidence(const as_tuner *t, const as_route_search *search,
                                const as_route_search *groups, as_plan_file *file,
                                assay_error *err)
{
    as_plan_evidence *e = &file->evidence;
    strcpy(e->manifest_sha256, t->corpus->manifest_sha256);
    e->seed = t->options->seed;
    e->n_rounds = search->n_rounds;
    e->n_group_rounds = groups->n_rounds;
    e->is_settled = search->is_settled && groups->is_settled;
    e->n_comparisons = search->n_comparisons + groups->n_comparisons;
    e->n_inputs = t->n_inputs;
    e->n_boxes = t->n_boxes;
    e->calls_share = t->calls_share;
    e->calls = as_arena_array(file->arena, t->n_calls, sizeof *e->calls);
    if (!e->calls) return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    for (; e->n_calls < t->n_calls; e->n_calls++) {
        const as_search_call *what = &t->calls[e->n_calls].what;
        const as_corpus_call *call = &t->corpus->calls[what->call];
        e->calls[e->n_calls] = (as_plan_call){.id = as_arena_strdup(file->arena, call->id),
                                              .n = call->n,
                                              .h = call->h,
                                              .w = call->w,
                                              .n_calls = what->n_calls};
        if (!e->calls[e->n_calls].id)
            return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    }
    return ASSAY_OK;
}

as_plan_cost as_tuner_cost(const as_summary *seconds)
{
    return (as_plan_cost){.n = seconds->n,
                          .median_ms = 1e3 * seconds->median,
                          .lower_quartile_ms = 1e3 * seconds->lower_quartile,
                          .upper_quartile_ms = 1e3 * seconds->upper_quartile};
}

static assay_code fill_layer(const as_tuner *t, const as_route_search *search, size_t i,
                             as_plan_file *file, assay_error *err)
{
    const as_search_layer *from = &t->layers[i];
    as_plan_layer *to = &file->layers[i];
    to->op_type = as_arena_strdup(file->arena, from->op_type);
    to->candidates = as_arena_array(file->arena, from->n_options, sizeof *to->candidates);
    char *name = as_arena_strdup(file->arena, from->name);
    if (!to->op_type || !to->candidates || !name)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    file->choices[i] = (as_layer_choice){
        .node = from->node, .name = name, .route = from->options[from->chosen].route};
    assay_code code = ASSAY_OK;
    for (; to->n_candidates < from->n_options && !code; to->n_candidates++) {
        const as_route_option *option = &from->options[to->n_candidates];
        as_summary s = {0};
        code = as_routes_summary(search, i, to->n_candidates, &s, err);
        to->candidates[to->n_candidates] =
            (as_plan_candidate){.route = option->route, /* the kernels' table has it for good */
                                .is_exact = option->is_exact,
                                .changes_boxes = option->changes_boxes,
                                .in_place = as_tuner_cost(&s)};
    }
    return code;
}

static assay_code fill(as_tuner *t, const as_route_search *search,
                       const as_route_search *groups, as_plan_file *file, assay_error *err)
{
    assay_code code = fill_head(t, file, err);
    if (!code) code = fill_evidence(t, search, groups, file, err);
    if (!code) code = as_tuner_fill_groups(t, groups, file, err);
    file->choices = as_arena_array(file->arena, t->n_layers + 1, sizeof *file->choices);
    file->layers = as_arena_array(file->arena, t->n_layers + 1, sizeof *file->layers);
    if (!code && (!file->choices || !file->layers))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    for (; file->n_layers < t->n_layers && !code; file->n_layers++)
        code = fill_layer(t, search, file->n_layers, file, err);
    return code ? code : as_tuner_isolate(t, file, err);
}

/* ---- all of it ---- */

void as_tuner_slot(void *context, size_t n_slots, size_t at_most)
{
    const as_tuner *t = context;
    const as_trial_watch *watch = &t->control->watch;
    if (n_slots == 1 && watch->begin) watch->begin(watch->context, t->what, at_most);
    if (watch->step) watch->step(watch->context, n_slots);
}

/* Each layer's route; t->routes has them then. */
static assay_code choose_routes(as_tuner *t, as_route_search *search, assay_error *err)
{
    const as_route_meter meter = {.context = t,
                                  .measure = as_tuner_measure,
                                  .compare = as_tuner_compare,
                                  .now_s = as_tuner_now_s,
                                  .progress = as_tuner_slot};
    *search = (as_route_search){.layers = t->layers,
                                .n_layers = t->n_layers,
                                .meter = &meter,
                                .seed = (uint64_t)t->options->seed,
                                .least_rounds = t->options->least_rounds,
                                .most_rounds = t->options->most_rounds,
                                .budget_s = t->options->budget_s / 2};
    t->what = "timing routes";
    assay_code code = as_routes_search(search, err);
    search->meter = NULL; /* it goes with this function */
    if (t->control->watch.end) t->control->watch.end(t->control->watch.context);
    for (size_t i = 0; i < t->n_layers && !code; i++)
        t->routes[i] = t->layers[i].chosen;
    return code;
}

static assay_code search_and_fill(as_tuner *t, as_plan_file *file, assay_error *err)
{
    as_route_search routes = {0}, groups = {0};
    assay_code code = choose_routes(t, &routes, err);
    if (!code) code = as_tuner_choose_bands(t, &groups, err);
    if (!code) code = fill(t, &routes, &groups, file, err);
    size_t *bands = as_alloc_array(t->n_groups + 1, sizeof *bands);
    if (!code && !bands) code = as_fail(err, ASSAY_E_MEMORY, "no memory to tune");
    for (size_t i = 0; i < t->n_groups && !code; i++)
        bands[i] = t->ways[i].chosen;
    if (!code) code = measure_ratio(t, bands, &file->ratio, err);
    as_routes_free(&routes);
    as_routes_free(&groups);
    as_free(bands);
    return code;
}

assay_code as_tune(const as_tune_options *options, const as_trial_control *control,
                   as_plan_file **out, assay_error *err)
{
    as_tuner t = {.options = options, .control = control};
    *out = NULL;
    as_plan_file *file = as_plan_file_new();
    assay_code code =
        file ? open_model(&t, err) : as_fail(err, ASSAY_E_MEMORY, "no memory for a plan file");
    if (!code) code = open_corpus(&t, err);
    if (!code) code = list_layers(&t, err);
    if (!code) code = find_truth(&t, err);
    if (!code) code = search_and_fill(&t, file, err);
    if (code) {
        as_plan_file_free(file);
    } else {
        *out = file;
    }
    close_tuner(&t);
    return code;
}
