/* SPDX-License-Identifier: Apache-2.0 */
/* A plan file's life, its text, and whether it fits this machine and model. */
#include "plan/plan_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

as_plan_file *as_plan_file_new(void)
{
    as_arena *arena = as_arena_new();
    as_plan_file *file = arena ? as_arena_alloc(arena, sizeof *file) : NULL;
    if (!file) {
        as_arena_free(arena);
        return NULL;
    }
    file->arena = arena;
    return file;
}

void as_plan_file_free(as_plan_file *file)
{
    if (file) as_arena_free(file->arena); /* the struct itself lies in there */
}

as_choices as_plan_file_choices(const as_plan_file *file)
{
    return (as_choices){.layers = file->choices,
                        .n_layers = file->n_layers,
                        .groups = file->group_choices,
                        .n_groups = file->n_groups};
}

/* ---- writing ---- */

static json_t *cost_json(const as_plan_cost *cost)
{
    if (cost->n == 0) return json_null();
    return json_pack("{s:f, s:f, s:f, s:I}", "median_ms", cost->median_ms, "lower_quartile_ms",
                     cost->lower_quartile_ms, "upper_quartile_ms", cost->upper_quartile_ms, "n",
                     (json_int_t)cost->n);
}

static json_t *layer_json(const as_layer_choice *choice, const as_plan_layer *layer)
{
    json_t *candidates = json_array();
    for (size_t i = 0; i < layer->n_candidates; i++) {
        const as_plan_candidate *c = &layer->candidates[i];
        as_json_append(&candidates,
                       json_pack("{s:s, s:b, s:b, s:o, s:o}", "route", c->route, "exact",
                                 c->is_exact, "changes_boxes", c->changes_boxes, "in_place",
                                 cost_json(&c->in_place), "isolated", cost_json(&c->isolated)));
    }
    return json_pack("{s:i, s:s, s:s, s:s, s:o}", "node", choice->node, "name", choice->name,
                     "op", layer->op_type, "route", choice->route, "candidates", candidates);
}

static json_t *layers_json(const as_plan_file *file)
{
    json_t *layers = json_array();
    for (size_t i = 0; i < file->n_layers; i++)
        as_json_append(&layers, layer_json(&file->choices[i], &file->layers[i]));
    return layers;
}

static json_t *group_json(const as_group_choice *choice, const as_plan_group *group)
{
    json_t *candidates = json_array();
    for (int i = 0; i < AS_BANDS_N; i++)
        as_json_append(&candidates,
                       json_pack("{s:s, s:I, s:o}", "bands", as_bands_name((as_bands)i), "rows",
                                 (json_int_t)group->rows[i], "in_place",
                                 cost_json(&group->in_place[i])));
    return json_pack("{s:i, s:s, s:i, s:s, s:I, s:s, s:o}", "first_node", choice->first,
                     "first", group->first, "last_node", choice->last, "last", group->last,
                     "layers", (json_int_t)group->n_layers, "bands",
                     as_bands_name(choice->bands), "candidates", candidates);
}

static json_t *groups_json(const as_plan_file *file)
{
    json_t *groups = json_array();
    for (size_t i = 0; i < file->n_groups; i++)
        as_json_append(&groups, group_json(&file->group_choices[i], &file->groups[i]));
    return groups;
}

static json_t *evidence_json(const as_plan_evidence *e)
{
    json_t *calls = json_array();
    for (size_t i = 0; i < e->n_calls; i++) {
        const as_plan_call *c = &e->calls[i];
        as_json_append(&calls,
                       json_pack("{s:s, s:I, s:I, s:I, s:I}", "id", c->id, "n",
                                 (json_int_t)c->n, "h", (json_int_t)c->h, "w", (json_int_t)c->w,
                                 "calls_of_its_shape", (json_int_t)c->n_calls));
    }
    return json_pack("{s:s, s:I, s:o, s:f, s:I, s:I, s:b, s:I, s:I, s:I}", "manifest_sha256",
                     e->manifest_sha256, "seed", (json_int_t)e->seed, "calls", calls,
                     "calls_share", e->calls_share, "rounds", (json_int_t)e->n_rounds,
                     "group_rounds", (json_int_t)e->n_group_rounds, "settled", e->is_settled,
                     "comparisons", (json_int_t)e->n_comparisons, "inputs",
                     (json_int_t)e->n_inputs, "boxes", (json_int_t)e->n_boxes);
}

static json_t *ratio_json(const as_plan_ratio *r)
{
    if (r->n == 0) return json_null();
    return json_pack("{s:f, s:o, s:o, s:f, s:I}", "tuned_to_default", r->ratio, "low",
                     r->has_interval ? json_real(r->low) : json_null(), "high",
                     r->has_interval ? json_real(r->high) : json_null(), "level", r->level, "n",
                     (json_int_t)r->n);
}

static json_t *file_json(const as_plan_file *f)
{
    json_t *cpu =
        json_pack("{s:s, s:i, s:i, s:s, s:s, s:I, s:I, s:I}", "vendor", f->cpu.vendor, "family",
                  f->cpu.family, "model", f->cpu.model_number, "name", f->cpu.model, "isa",
                  f->isa, "l1d_bytes", (json_int_t)f->cpu.l1d_bytes, "l2_bytes",
                  (json_int_t)f->cpu.l2_bytes, "l3_bytes", (json_int_t)f->cpu.l3_bytes);
    json_t *layers = layers_json(f), *groups = groups_json(f);
    if (!cpu || !layers || !groups) {
        json_decref(cpu);
        json_decref(layers);
        json_decref(groups);
        return NULL;
    }
    return json_pack("{s:i, s:o, s:I, s:{s:s, s:s}, s:o, s:o, s:o, s:o}", "schema",
                     AS_PLAN_FILE_SCHEMA, "cpu", cpu, "threads", (json_int_t)f->threads,
                     "model", "name", f->model_name, "sha256", f->model_sha256, "ratio",
                     ratio_json(&f->ratio), "evidence", evidence_json(&f->evidence), "layers",
                     layers, "groups", groups);
}

assay_code as_plan_file_text(const as_plan_file *file, char **text, assay_error *err)
{
    *text = NULL;
    json_t *root = file_json(file);
    char *dump = as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (dump) *text = as_format("%s\n", dump);
    as_free(dump);
    return *text ? ASSAY_OK
                 : as_fail(err, ASSAY_E_MEMORY, "no memory for the plan of %zu layers",
                           file->n_layers);
}

assay_code as_plan_file_write(const as_plan_file *file, const char *path, assay_error *err)
{
    char *text = NULL;
    assay_code code = as_plan_file_text(file, &text, err);
    if (!code) code = as_file_write(path, text, strlen(text), err);
    as_free(text);
    return code;
}

/* ---- fitting ---- */

assay_code as_plan_file_check_cpu(const as_plan_file *file, const as_cpu_info *cpu,
                                  const char *isa, assay_error *err)
{
    const as_cpu_info *then = &file->cpu;
    if (strcmp(then->vendor, cpu->vendor) != 0 || then->family != cpu->family ||
        then->model_number != cpu->model_number)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "the plan is for %.15s family %d model %d, this CPU is %.15s family %d "
                       "model %d",
                       then->vendor, then->family, then->model_number, cpu->vendor, cpu->family,
                       cpu->model_number);
    if (then->l1d_bytes != cpu->l1d_bytes || then->l2_bytes != cpu->l2_bytes ||
        then->l3_bytes != cpu->l3_bytes)
        return as_fail(
            err, ASSAY_E_ENVIRONMENT,
            "the plan is for caches of %zu, %zu and %zu bytes, this CPU has %zu, %zu "
            "and %zu",
            then->l1d_bytes, then->l2_bytes, then->l3_bytes, cpu->l1d_bytes, cpu->l2_bytes,
            cpu->l3_bytes);
    if (strcmp(file->isa, isa) != 0)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "the plan is for kernels of %.15s, this process runs %.15s", file->isa,
                       isa);
    return ASSAY_OK;
}

static assay_code check_layer(const as_plan_file *file, size_t i, const as_graph *graph,
                              const as_kernels *kernels, assay_error *err)
{
    const as_layer_choice *choice = &file->choices[i];
    const as_node *node =
        choice->node < as_graph_n_nodes(graph) ? as_graph_node(graph, choice->node) : NULL;
    if (!node || strcmp(node->name, choice->name) != 0)
        return as_fail(err, ASSAY_E_FORMAT,
                       "the plan chooses for node %d '%.60s', the model's is '%.60s'",
                       choice->node, choice->name, node ? node->name : "not there");
    bool is_transposed = node->op == AS_OP_CONV_TRANSPOSE;
    const as_route *routes = is_transposed ? kernels->deconv : kernels->conv;
    size_t n_routes = is_transposed ? kernels->n_deconv : kernels->n_conv;
    if (as_route_find(routes, n_routes, choice->route)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_FORMAT,
                   "the plan chooses route '%.40s' for node %d '%.60s', there is none of that "
                   "name",
                   choice->route, choice->node, choice->name);
}

/* A group's outer layer: a node of this name, or the copy of an input or output. */
static assay_code check_end(int id, const char *name, const as_graph *graph, assay_error *err)
{
    const as_node *node =
        id >= 0 && id < as_graph_n_nodes(graph) ? as_graph_node(graph, id) : NULL;
    if (id < 0 ? as_graph_find_tensor(graph, name) >= 0 : node && strcmp(node->name, name) == 0)
        return ASSAY_OK;
    return as_fail(err, ASSAY_E_FORMAT,
                   "the plan has a group at node %d '%.60s', the model's is '%.60s'", id, name,
                   node ? node->name : "not there");
}

assay_code as_plan_file_check(const as_plan_file *file, const as_graph *graph,
                              const as_kernels *kernels, const char *model_sha256,
                              assay_error *err)
{
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    assay_code code = as_plan_file_check_cpu(file, &cpu, as_isa_name(kernels->isa), err);
    if (code) return code;
    if (strcmp(file->model_sha256, model_sha256) != 0)
        return as_fail(err, ASSAY_E_CHANGED,
                       "the plan is for a model with SHA-256 %.12s... (%.60s), this one has "
                       "%.12s...",
                       file->model_sha256, file->model_name, model_sha256);
    for (size_t i = 0; i < file->n_layers && !code; i++)
        code = check_layer(file, i, graph, kernels, err);
    for (size_t i = 0; i < file->n_groups && !code; i++) {
        const as_group_choice *choice = &file->group_choices[i];
        code = check_end(choice->first, file->groups[i].first, graph, err);
        if (!code) code = check_end(choice->last, file->groups[i].last, graph, err);
    }
    return code;
}
