/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/departure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "corpus/corpus.h"
#include "detect/detect.h"
#include "engine/engine.h"
#include "onnx/cut.h"
#include "onnx/onnx.h"
#include "verdict/tensor.h"

/* What is known of one node's output. */
typedef struct measured {
    enum { UNKNOWN, KNOWN, CANNOT } state;
    bool has_other_bits;
    double absolute, share;
    int64_t ulp;
    char routes[2][64];
} measured;

typedef struct search {
    const as_slot_place *place;
    as_evidence_writer *writer; /* borrows */
    int policy, call;
    as_policy policies[2];          /* own: the baseline's and the other's */
    as_bytes model;                 /* owns: the file */
    as_graph *graph;                /* owns: before any pass */
    char *cut_path;                 /* owns */
    as_corpus *corpus;              /* owns */
    as_npy arrays[AS_ENGINE_PORTS]; /* own their data: the call's tensors */
    as_engine_tensors inputs;       /* borrows the arrays */
    measured *nodes;                /* owns; [n_nodes] */
    int n_nodes;
    float *values[2]; /* own: outputs of both policies */
    size_t n_values[2];
    assay_error *err;
} search;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to look into the network");
}

static bool find_region(const as_corpus *corpus, const char *id, size_t *out)
{
    for (*out = 0; *out < corpus->n_regions; ++*out)
        if (strcmp(corpus->regions[*out].id, id) == 0) return true;
    return false;
}

/* One picture's part of the call's tensor. */
static assay_code put_picture(search *s, as_detect_scratch *scratch, size_t region, size_t i)
{
    const as_call_row *call = &s->place->calls[s->call];
    as_image image;
    assay_code code = as_corpus_region_pixels(s->corpus, region, &image, s->err);
    if (code) return code;
    float *to = (float *)s->arrays[0].data + i * 3 * call->shape.h * call->shape.w;
    code = as_preprocess(scratch, image.bgr, image.h, image.w, (int)call->shape.h,
                         (int)call->shape.w, to, s->err);
    as_image_free(&image);
    return code;
}

static assay_code make_pictures(search *s)
{
    const as_call_row *call = &s->place->calls[s->call];
    as_npy *x = &s->arrays[0];
    size_t n = 0, region;
    if (as_mul(call->shape.n * 3, call->shape.h, &n) && as_mul(n, call->shape.w, &n))
        x->data = as_alloc_array(n, sizeof(float));
    as_detect_scratch *scratch = as_detect_scratch_new();
    assay_code code = x->data && scratch ? ASSAY_OK : no_memory(s->err);
    for (size_t i = 0; i < call->shape.n && !code; i++)
        code = find_region(s->corpus, s->place->inputs[call->inputs[i]].id, &region)
                   ? put_picture(s, scratch, region, i)
                   : as_fail(s->err, ASSAY_E_CHANGED, "the corpus lacks an input of the run");
    as_detect_scratch_free(scratch);
    s->inputs.n = 1;
    s->inputs.names[0] = as_graph_tensor(s->graph, as_graph_inputs(s->graph)[0])->name;
    s->inputs.items[0] = (assay_tensor){
        .rank = 4,
        .dims = {(int64_t)call->shape.n, 3, (int64_t)call->shape.h, (int64_t)call->shape.w},
        .data = x->data};
    return code;
}

static assay_code make_tensors(search *s)
{
    const as_call_row *call = &s->place->calls[s->call];
    assay_code code = ASSAY_OK;
    size_t region;
    s->inputs.n = as_min(call->shape.n, AS_ENGINE_PORTS);
    for (size_t i = 0; i < s->inputs.n && !code; i++) {
        as_npy *a = &s->arrays[i];
        if (!find_region(s->corpus, s->place->inputs[call->inputs[i]].id, &region))
            return as_fail(s->err, ASSAY_E_CHANGED, "the corpus lacks an input of the run");
        code = as_corpus_region_array(s->corpus, region, a, s->err);
        s->inputs.names[i] = s->corpus->regions[region].tensor;
        s->inputs.items[i] = (assay_tensor){.rank = a->rank,
                                            .data = a->data,
                                            .dtype = a->type == AS_NPY_I8   ? ASSAY_I64
                                                     : a->type == AS_NPY_I4 ? ASSAY_I32
                                                     : a->type == AS_NPY_B1 ? ASSAY_BOOL
                                                                            : ASSAY_F32};
        memcpy(s->inputs.items[i].dims, a->dims, sizeof a->dims);
    }
    return code;
}

static assay_code open_search(search *s)
{
    const as_run_row *run = s->place->run;
    const int who[2] = {run->baseline, s->policy};
    assay_code code = as_file_read(run->model_path, 0, &s->model, s->err);
    for (int i = 0; i < 2 && !code; i++)
        code = as_policy_parse(s->place->policies[who[i]].text, &s->policies[i], s->err);
    if (!code) code = as_onnx_load(run->model_path, &s->graph, s->err);
    if (!code) code = as_corpus_load(run->corpus_path, &s->corpus, s->err);
    if (!code) code = as_corpus_is_tensors(s->corpus) ? make_tensors(s) : make_pictures(s);
    if (code) return code;
    s->n_nodes = as_graph_n_nodes(s->graph);
    s->nodes = as_alloc_array((size_t)s->n_nodes + 1, sizeof *s->nodes);
    s->cut_path = as_path_join(s->place->run_folder, "cut.onnx");
    return s->nodes && s->cut_path ? ASSAY_OK : no_memory(s->err);
}

static void close_search(search *s)
{
    if (s->cut_path) (void)as_path_remove(s->cut_path, NULL);
    for (int i = 0; i < 2; i++) {
        as_policy_free(&s->policies[i]);
        as_free(s->values[i]);
    }
    for (size_t i = 0; i < AS_ENGINE_PORTS; i++)
        as_npy_free(&s->arrays[i]);
    as_corpus_free(s->corpus);
    as_graph_free(s->graph);
    as_bytes_free(&s->model);
    as_free(s->cut_path);
    as_free(s->nodes);
}

/* Put the floats of one piece behind those that are there. */
static assay_code keep_values(search *s, int side, const as_engine_tensors *outputs)
{
    const assay_tensor *t = &outputs->items[0];
    size_t n = 1, had = s->n_values[side];
    if (outputs->n != 1 || t->dtype != ASSAY_F32)
        return as_fail(s->err, ASSAY_E_UNSUPPORTED, "no float32 value");
    for (int d = 0; d < t->rank; d++)
        n *= (size_t)t->dims[d];
    float *grown = as_alloc_array(had + n + 1, sizeof *grown);
    if (!grown) return no_memory(s->err);
    if (had) memcpy(grown, s->values[side], had * sizeof *grown);
    if (n) memcpy(grown + had, t->data, n * sizeof *grown);
    as_free(s->values[side]);
    s->values[side] = grown;
    s->n_values[side] = had + n;
    return ASSAY_OK;
}

/* Run the cut model under one policy, in pieces where it splits. */
static assay_code run_side(search *s, int side, as_engine *engine)
{
    const as_policy *policy = &s->policies[side];
    as_engine_tensors piece = s->inputs, outputs;
    size_t n = s->place->calls[s->call].shape.n;
    bool is_split = policy->split_at && n >= policy->split_at;
    size_t at_most = is_split ? policy->split_to : n, bytes = sizeof(float);
    assay_code code = ASSAY_OK;
    if (!is_split) {
        code = as_engine_run(engine, &piece, &outputs, s->err);
        return code ? code : keep_values(s, side, &outputs);
    }
    for (int d = 1; d < 4; d++)
        bytes *= (size_t)piece.items[0].dims[d];
    for (size_t begin = 0; begin < n && !code; begin += at_most) {
        piece.items[0].dims[0] = (int64_t)as_min(at_most, n - begin);
        piece.items[0].data = (const char *)s->inputs.items[0].data + begin * bytes;
        code = as_engine_run(engine, &piece, &outputs, s->err);
        if (!code) code = keep_values(s, side, &outputs);
    }
    return code;
}

static assay_code run_cut(search *s, measured *m)
{
    assay_code code = ASSAY_OK;
    for (int side = 0; side < 2 && !code; side++) {
        as_engine *engine;
        as_free(s->values[side]);
        s->values[side] = NULL;
        s->n_values[side] = 0;
        code = as_engine_open(&s->policies[side], s->cut_path, &engine, s->err);
        if (code) return code;
        code = run_side(s, side, engine);
        as_engine_last_route(engine, m->routes[side], sizeof m->routes[side]);
        as_engine_close(engine);
    }
    if (!code && s->n_values[0] != s->n_values[1])
        code = as_fail(s->err, ASSAY_E_UNSUPPORTED, "the values have other shapes");
    return code;
}

static void compare_values(const search *s, measured *m)
{
    double greatest = 0;
    for (size_t i = 0; i < s->n_values[0]; i++) {
        float a = s->values[0][i], b = s->values[1][i];
        int64_t ulp = as_ulp_distance(a, b);
        double distance = fabs((double)a - (double)b);
        greatest = fmax(greatest, isfinite(a) ? fabs((double)a) : 0);
        if (ulp > m->ulp) m->ulp = ulp;
        if (isfinite(distance) && distance > m->absolute) m->absolute = distance;
    }
    size_t bytes = s->n_values[0] * sizeof(float);
    m->has_other_bits = bytes > 0 && memcmp(s->values[0], s->values[1], bytes) != 0;
    m->share = greatest > 0 ? m->absolute / greatest : m->absolute > 0 ? INFINITY : 0;
    m->state = KNOWN;
}

static const char *output_of(const search *s, int node)
{
    const as_node *n = as_graph_node(s->graph, node);
    if (n->n_outputs == 0 || n->outputs[0] < 0) return "";
    return as_graph_tensor(s->graph, n->outputs[0])->name;
}

/* Whether a failure ends the search, not only the look at one node. */
static bool ends_all(assay_code code)
{
    return code == ASSAY_E_MEMORY || code == ASSAY_E_IO || code == ASSAY_E_INTERRUPTED;
}

/* Measure a node once. @return only what ends the search. */
static assay_code measure(search *s, int node)
{
    measured *m = &s->nodes[node];
    const as_trial_control *control = s->place->control;
    as_bytes cut = {0};
    if (m->state != UNKNOWN) return ASSAY_OK;
    if (control->stop && control->stop(control->stop_context))
        return as_fail(s->err, ASSAY_E_INTERRUPTED,
                       "interrupted while looking into the network");
    m->state = CANNOT;
    const char *tensor = output_of(s, node);
    if (!tensor[0]) return ASSAY_OK;
    assay_code code = as_onnx_cut(s->model.data, s->model.size, tensor, &cut, s->err);
    if (!code) code = as_file_write(s->cut_path, cut.data, cut.size, s->err);
    as_bytes_free(&cut);
    if (!code) code = run_cut(s, m);
    if (!code) compare_values(s, m);
    return ends_all(code) ? code : ASSAY_OK;
}

static bool departs(const search *s, int node, bool by_bits)
{
    const measured *m = &s->nodes[node];
    if (m->state != KNOWN) return false;
    return by_bits ? m->has_other_bits : m->share > AS_DEPARTURE_SHARE;
}

/* By halves between `low`, which agrees (-1: the inputs), and `high`, which departs. */
static assay_code halve(search *s, bool by_bits, int *high)
{
    int low = -1;
    assay_code code = ASSAY_OK;
    while (*high - low > 1 && !code) {
        int middle = low + (*high - low) / 2;
        code = measure(s, middle);
        if (!code && departs(s, middle, by_bits))
            *high = middle;
        else
            low = middle;
    }
    return code;
}

/* Up from a node to one that departs while nothing that it reads does. */
static assay_code go_up(search *s, bool by_bits, int *node)
{
    assay_code code = ASSAY_OK;
    for (bool goes_on = true; goes_on && !code;) {
        const as_node *n = as_graph_node(s->graph, *node);
        goes_on = false;
        for (int i = 0; i < n->n_inputs && !goes_on && !code; i++) {
            int from =
                n->inputs[i] < 0 ? -1 : as_graph_tensor(s->graph, n->inputs[i])->producer;
            if (from < 0) continue;
            code = measure(s, from);
            goes_on = !code && departs(s, from, by_bits);
            if (goes_on) *node = from;
        }
    }
    return code;
}

static assay_code store(search *s, int node, const char *kind)
{
    const measured *m = &s->nodes[node];
    const as_node *n = as_graph_node(s->graph, node);
    as_departure_row row = {.policy = s->policy,
                            .call = s->call,
                            .kind = kind,
                            .node = n->name ? n->name : "",
                            .op_type = n->op_type,
                            .tensor = output_of(s, node),
                            .node_index = node,
                            .n_nodes = s->n_nodes,
                            .absolute = m->absolute,
                            .share = isfinite(m->share) ? m->share : NAN,
                            .ulp = m->ulp == INT64_MAX ? -1 : m->ulp,
                            .route_truth = m->routes[0],
                            .route_policy = m->routes[1]};
    return as_evidence_add_departure(s->writer, &row, s->err);
}

static int last_node(const search *s)
{
    int output = as_graph_outputs(s->graph)[0];
    return as_graph_tensor(s->graph, output)->producer;
}

static assay_code look(search *s)
{
    static const char *const kinds[] = {"bits", "values"};
    int last = last_node(s);
    assay_code code = last < 0 ? ASSAY_OK : measure(s, last);
    for (int k = 0; k < 2 && !code && last >= 0; k++) {
        bool by_bits = k == 0;
        int node = last;
        if (!departs(s, last, by_bits)) continue;
        code = halve(s, by_bits, &node);
        if (!code) code = go_up(s, by_bits, &node);
        if (!code) code = store(s, node, kinds[k]);
    }
    return code;
}

static void say(const search *s)
{
    const as_trial_watch *watch = &s->place->control->watch;
    char sentence[256];
    snprintf(sentence, sizeof sentence,
             "looking where %s departs from %s inside the network, on call %.60s",
             s->policies[1].name, s->policies[0].name, s->place->calls[s->call].id);
    if (watch->note) watch->note(watch->context, sentence);
}

assay_code as_departure_find(const as_slot_place *place, as_evidence_writer *writer, int policy,
                             int call, assay_error *err)
{
    assay_error why = {0};
    search s = {.place = place, .writer = writer, .policy = policy, .call = call, .err = &why};
    assay_code code = open_search(&s);
    if (!code && s.policies[0].bucket == s.policies[1].bucket) {
        say(&s);
        code = look(&s);
    }
    close_search(&s);
    if (!ends_all(code)) return ASSAY_OK;
    if (err) *err = why;
    return code;
}

/* The call that an input stands in. */
static int call_of(const as_slot_place *place, int input)
{
    for (size_t i = 0; i < place->n_calls; i++)
        for (size_t k = 0; k < place->calls[i].shape.n; k++)
            if (place->calls[i].inputs[k] == input) return (int)i;
    return 0;
}

assay_code as_departures_find(const as_slot_place *place, as_evidence *evidence,
                              as_evidence_writer *writer, const as_differences *found,
                              assay_error *err)
{
    const as_departure_row *rows;
    size_t n_rows;
    assay_code code = as_evidence_departures(evidence, &rows, &n_rows, err);
    for (size_t p = 0; p < found->n_policies && !code; p++) {
        bool is_known = (int)p == place->run->baseline || found->first_input[p] < 0;
        for (size_t i = 0; i < n_rows; i++)
            is_known = is_known || rows[i].policy == (int)p;
        if (is_known) continue;
        code = as_departure_find(place, writer, (int)p, call_of(place, found->first_input[p]),
                                 err);
    }
    return code;
}
