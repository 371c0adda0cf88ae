/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/job.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

static json_t *input_json(const as_input_row *input)
{
    return json_pack("{s:s s:s s:s s:i s:i s:f s:f s:f s:i s:s}", "file", input->file, "tensor",
                     input->tensor ? input->tensor : "", "sha256", input->sha256, "h",
                     input->height_px, "w", input->width_px, "thresh", input->thresh,
                     "box_thresh", input->box_thresh, "unclip", input->unclip, "limit_side",
                     input->limit_side, "limit_type", input->limit_type);
}

static json_t *call_json(const as_call_row *call)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < call->shape.n; i++)
        as_json_append(&inputs, json_integer(call->inputs[i]));
    return json_pack("{s:s s:i s:[I,I,I,I] s:o}", "id", call->id, "document", call->document,
                     "shape", (json_int_t)call->shape.n, (json_int_t)call->shape.c,
                     (json_int_t)call->shape.h, (json_int_t)call->shape.w, "inputs", inputs);
}

assay_code as_job_write(const as_job *job, char **text, assay_error *err)
{
    *text = NULL;
    json_t *inputs = json_array(), *calls = json_array();
    for (size_t i = 0; i < job->n_inputs; i++)
        as_json_append(&inputs, input_json(&job->inputs[i]));
    for (size_t i = 0; i < job->n_calls; i++)
        as_json_append(&calls, call_json(&job->calls[i]));
    json_t *root = json_pack("{s:s s:i s:b s:b s:o s:o}", "policy", job->policy_text, "cycles",
                             job->n_cycles, "traced", job->is_traced, "margins",
                             job->tells_margins, "inputs", inputs, "calls", calls);
    char *line = as_json_dump(root, JSON_COMPACT);
    if (line) *text = as_format("%s\n", line);
    as_free(line);
    json_decref(root);
    return *text
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory for a job of %zu calls", job->n_calls);
}

/* A copy of member `key`; NULL when it is no string or there is no memory. */
static const char *take_text(const json_t *object, const char *key, as_arena *arena)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? as_arena_strdup(arena, text) : NULL;
}

static bool read_input(const json_t *json, as_arena *arena, as_input_row *input)
{
    input->file = take_text(json, "file", arena);
    input->sha256 = take_text(json, "sha256", arena);
    input->limit_type = take_text(json, "limit_type", arena);
    input->tensor = take_text(json, "tensor", arena);
    input->width_px = (int)json_integer_value(json_object_get(json, "w"));
    input->height_px = (int)json_integer_value(json_object_get(json, "h"));
    input->limit_side = (int)json_integer_value(json_object_get(json, "limit_side"));
    input->thresh = json_number_value(json_object_get(json, "thresh"));
    input->box_thresh = json_number_value(json_object_get(json, "box_thresh"));
    input->unclip = json_number_value(json_object_get(json, "unclip"));
    return input->file && input->sha256 && input->limit_type && input->tensor;
}

static bool read_extent(const json_t *shape, size_t at, size_t *out)
{
    json_int_t value = json_integer_value(json_array_get(shape, at));
    *out = (size_t)value;
    return value > 0 && value < INT_MAX;
}

static bool read_call(const json_t *json, size_t n_inputs, as_arena *arena, as_call_row *call)
{
    const json_t *shape = json_object_get(json, "shape");
    const json_t *inputs = json_object_get(json, "inputs");
    call->id = take_text(json, "id", arena);
    call->document = (int)json_integer_value(json_object_get(json, "document"));
    if (!call->id || !read_extent(shape, 0, &call->shape.n) ||
        !read_extent(shape, 1, &call->shape.c) || !read_extent(shape, 2, &call->shape.h) ||
        !read_extent(shape, 3, &call->shape.w) || json_array_size(inputs) != call->shape.n)
        return false;
    int *indices = as_arena_array(arena, call->shape.n, sizeof *indices);
    if (!indices) return false;
    for (size_t i = 0; i < call->shape.n; i++) {
        json_int_t index = json_integer_value(json_array_get(inputs, i));
        if (index < 0 || index >= (json_int_t)n_inputs) return false;
        indices[i] = (int)index;
    }
    call->inputs = indices;
    return true;
}

static bool read_lists(const json_t *root, as_arena *arena, as_job *job)
{
    const json_t *inputs = json_object_get(root, "inputs");
    const json_t *calls = json_object_get(root, "calls");
    job->n_inputs = json_array_size(inputs);
    job->n_calls = json_array_size(calls);
    as_input_row *input_rows = as_arena_array(arena, job->n_inputs + 1, sizeof *input_rows);
    as_call_row *call_rows = as_arena_array(arena, job->n_calls + 1, sizeof *call_rows);
    if (!input_rows || !call_rows) return false;
    job->inputs = input_rows;
    job->calls = call_rows;
    for (size_t i = 0; i < job->n_inputs; i++)
        if (!read_input(json_array_get(inputs, i), arena, &input_rows[i])) return false;
    for (size_t i = 0; i < job->n_calls; i++)
        if (!read_call(json_array_get(calls, i), job->n_inputs, arena, &call_rows[i]))
            return false;
    return true;
}

assay_code as_job_read(FILE *in, as_arena *arena, as_job *out, assay_error *err)
{
    json_error_t why;
    json_t *root = json_loadf(in, 0, &why);
    if (!root)
        return as_fail(err, ASSAY_E_FORMAT,
                       "the job on stdin is no JSON object (%.100s); 'assay experiment' starts "
                       "workers, people do not",
                       why.text);
    as_job job = {.policy_text = take_text(root, "policy", arena),
                  .n_cycles = (int)json_integer_value(json_object_get(root, "cycles")),
                  .is_traced = json_is_true(json_object_get(root, "traced")),
                  .tells_margins = json_is_true(json_object_get(root, "margins"))};
    bool is_good = job.policy_text && job.n_cycles > 0 && read_lists(root, arena, &job);
    json_decref(root);
    if (!is_good)
        return as_fail(err, ASSAY_E_FORMAT,
                       "the job on stdin lacks a member or has one of the wrong kind");
    *out = job;
    return ASSAY_OK;
}
