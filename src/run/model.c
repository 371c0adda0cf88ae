/* SPDX-License-Identifier: Apache-2.0 */
#include "run/model.h"

#include "base/memory.h"
#include "onnx/onnx.h"

assay_model_options assay_model_options_defaults(void)
{
    return (assay_model_options){.fuse = 1, .conv = NULL, .winograd = 1};
}

void assay_model_free(assay_model *model)
{
    if (!model) return;
    as_graph_free(model->graph);
    as_weights_free(model->weights);
    as_free(model->conv);
    as_plan_file_free(model->tuned);
    as_free(model);
}

/* A route that no list has is a mistake of the caller, not a wish that never comes true. */
static assay_code check_route(const as_kernels *k, const char *name, assay_error *err)
{
    if (!name || as_route_find(k->conv, k->n_conv, name)) return ASSAY_OK;
    char names[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < k->n_conv && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 k->conv[i].name);
    return as_fail(err, ASSAY_E_ARGUMENT, "there is no convolution route '%.40s'; there are %s",
                   name, names);
}

/* A plan says everything: another wish beside it would be a lie about one of both. */
static assay_code read_plan(assay_model *m, const char *path,
                            const assay_model_options *options, assay_error *err)
{
    char sha256[AS_SHA256_HEX];
    if (!options->plan) return ASSAY_OK;
    if (options->conv || !options->fuse || !options->winograd)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "a plan file chooses every route, so it stands without conv, fuse=off "
                       "and winograd=off");
    assay_code code = as_plan_file_read(options->plan, &m->tuned, err);
    if (!code) code = as_sha256_file(path, sha256, err);
    if (code) return code;
    code = as_plan_file_check(m->tuned, m->graph, m->kernels, sha256, err);
    if (code) as_error_where(err, "%s", options->plan);
    m->options.choices = as_plan_file_choices(m->tuned);
    return code;
}

static assay_code fill(assay_model *m, const char *path, const assay_model_options *options,
                       assay_error *err)
{
    as_isa isa;
    assay_code code = as_cpu_isa(&isa, err);
    if (code) return code;
    m->kernels = as_kernels_get(isa);
    if (!m->kernels)
        return as_fail(err, ASSAY_E_ENVIRONMENT, "this build has no kernels for %s",
                       as_isa_name(isa));
    code = check_route(m->kernels, options->conv, err);
    if (code) return code;
    m->weights = as_weights_new();
    m->conv = options->conv ? as_strdup(options->conv) : NULL;
    if (!m->weights || (options->conv && !m->conv))
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a model");
    m->options = as_plan_options_defaults();
    m->options.fuse = options->fuse != 0;
    m->options.close_routes = options->winograd != 0;
    m->options.conv = m->conv;
    code = as_onnx_load(path, &m->graph, err);
    if (!code) code = as_passes_run(m->graph, m->options.fuse, m->passes, &m->n_passes, err);
    return code ? code : read_plan(m, path, options, err);
}

assay_code assay_model_load(const char *path, const assay_model_options *options,
                            assay_model **out, assay_error *err)
{
    *out = NULL;
    assay_model_options defaults = assay_model_options_defaults();
    assay_model *m = as_alloc(sizeof *m);
    if (!m) return as_fail(err, ASSAY_E_MEMORY, "no memory for a model");
    assay_code code = fill(m, path, options ? options : &defaults, err);
    if (code)
        assay_model_free(m);
    else
        *out = m;
    return code;
}

int assay_model_n_inputs(const assay_model *model) { return as_graph_n_inputs(model->graph); }

int assay_model_n_outputs(const assay_model *model) { return as_graph_n_outputs(model->graph); }

const char *assay_model_input_name(const assay_model *model, int i)
{
    return as_graph_tensor(model->graph, as_graph_inputs(model->graph)[i])->name;
}

const char *assay_model_output_name(const assay_model *model, int i)
{
    return as_graph_tensor(model->graph, as_graph_outputs(model->graph)[i])->name;
}

const as_graph *as_model_graph(const assay_model *model) { return model->graph; }

const as_kernels *as_model_kernels(const assay_model *model) { return model->kernels; }

const as_plan_options *as_model_options(const assay_model *model) { return &model->options; }

const as_pass_record *as_model_passes(const assay_model *model, int *n)
{
    *n = model->n_passes;
    return model->passes;
}

size_t as_model_graph_bytes(const assay_model *model) { return as_graph_bytes(model->graph); }

size_t as_model_weight_bytes(const assay_model *model)
{
    return as_weights_bytes(model->weights);
}

void as_model_choose(assay_model *model, const as_choices *choices)
{
    model->options.choices = choices ? *choices : (as_choices){0};
}

const as_plan_file *as_model_plan_file(const assay_model *model) { return model->tuned; }

as_weights *as_model_weights(assay_model *model) { return model->weights; }
