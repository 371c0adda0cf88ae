/* SPDX-License-Identifier: Apache-2.0 */
/* The networks of a search as model files. */
#include <string.h>

#include "base/memory.h"
#include "onnx/save.h"
#include "search/structure_search.h"

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a search");
}

static assay_code save_model(const as_search *s, const as_search_report *r, size_t i,
                             assay_error *err)
{
    const int training = as_search_report_training(r, i);
    as_network *network = NULL;
    as_graph *graph = NULL;
    char *path = as_search_report_model(r, i);
    assay_code code = path ? ASSAY_OK : no_memory(err);
    if (!code && training >= 0) {
        code = as_search_network(s, i, r->evidence, training, &network, err);
        if (!code) code = as_network_graph(network, s->space->structures[i].name, &graph, err);
        if (!code) code = as_onnx_save(graph, path, err);
    }
    as_graph_free(graph);
    as_network_free(network);
    as_free(path);
    return code;
}

static assay_code save_all(const as_search *s, const as_search_report *r, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < s->space->n_structures; i++)
        code = save_model(s, r, i, err);
    return code;
}

assay_code as_search_save_models(as_search *s, assay_error *err)
{
    as_search_report *r;
    assay_code code = as_search_report_open(s->options->folder, &r, err);
    if (!code) code = save_all(s, r, err);
    as_search_report_close(r);
    return code;
}

assay_code as_search_derive_models(const as_search_report *r, assay_error *err)
{
    const as_search_options options = {.folder = r->folder};
    as_search s = {.options = &options};
    const char *text = r->search->space_text;
    assay_code code = as_space_parse(text, strlen(text), r->search->space_path, &s.space, err);
    if (!code && s.space->n_structures != r->n_structures)
        code =
            as_fail(err, ASSAY_E_FORMAT, "%s: its space has %zu structures, its evidence %zu",
                    r->folder, s.space->n_structures, r->n_structures);
    if (!code) code = save_all(&s, r, err);
    as_space_free(s.space);
    return code;
}

void as_search_models_free(as_search_models *m)
{
    for (size_t i = 0; i < m->n; i++)
        as_free(m->paths[i]);
    as_free(m->paths);
    as_free(m->places);
}

assay_code as_search_models_list(const as_search *s, const as_search_report *r,
                                 as_search_models *out, assay_error *err)
{
    const size_t n = s->space->n_structures;
    *out = (as_search_models){.paths = as_alloc_array(n, sizeof *out->paths),
                              .places = as_alloc_array(n, sizeof *out->places)};
    if (!out->paths || !out->places) return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (as_search_report_training(r, i) < 0) continue;
        out->paths[out->n] = as_search_report_model(r, i);
        out->places[out->n] = i;
        if (!out->paths[out->n++]) return no_memory(err);
    }
    out->latency = (as_latency_models){.paths = (const char *const *)out->paths,
                                       .n = out->n,
                                       .shape = {1, s->data->c, s->data->h, s->data->w},
                                       .policy = AS_SEARCH_OWN_POLICY,
                                       .stop = s->options->stop,
                                       .stop_context = s->options->stop_context};
    return ASSAY_OK;
}
