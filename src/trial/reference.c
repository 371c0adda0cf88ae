/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

/* A base name and whose it is, for finding. */
typedef struct named_input {
    const char *name;
    size_t input;
} named_input;

/* What reading needs beside its result. */
typedef struct reading {
    const char *path;
    const as_input_row *inputs;
    named_input *names; /* by name */
    bool *is_known;     /* of each input: whether a line was for it */
    as_reference *out;
} reading;

static assay_code no_memory(const char *path, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for the boxes of %s", path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named_input *)a)->name, ((const named_input *)b)->name);
}

static assay_code sort_names(reading *r, size_t n, assay_error *err)
{
    for (size_t i = 0; i < n; i++)
        r->names[i] = (named_input){as_path_base(r->inputs[i].file), i};
    qsort(r->names, n, sizeof *r->names, by_name);
    for (size_t i = 1; i < n; i++)
        if (by_name(&r->names[i - 1], &r->names[i]) == 0)
            return as_fail(err, ASSAY_E_ARGUMENT,
                           "two regions are named '%.80s', --reference needs different names",
                           r->names[i].name);
    return ASSAY_OK;
}

static bool take_corner(const json_t *json, int32_t corner[2])
{
    for (size_t axis = 0; axis < 2; axis++) {
        const json_t *value = json_array_get(json, axis);
        double place = json_number_value(value);
        if (!json_is_number(value) || !(place >= INT32_MIN && place <= INT32_MAX) ||
            place != (double)(int32_t)place)
            return false;
        corner[axis] = (int32_t)place;
    }
    return json_array_size(json) == 2;
}

/* Corners as numbers without a fraction: the reference detector prints 12.0. */
static bool take_box(const json_t *corners, const json_t *score, as_evidence_box *box)
{
    if (json_array_size(corners) != 4) return false;
    for (size_t i = 0; i < 4; i++)
        if (!take_corner(json_array_get(corners, i), box->corners[i])) return false;
    return as_json_take_number(score, &box->score);
}

/* The boxes of a line in the reference's arena. */
static assay_code take_boxes(const reading *r, const json_t *line, as_slot_answer *answer,
                             assay_error *err)
{
    const json_t *boxes = json_object_get(line, "boxes");
    const json_t *scores = json_object_get(line, "scores");
    size_t n = json_array_size(boxes);
    if (!json_is_array(boxes) || !json_is_array(scores) || json_array_size(scores) != n)
        return as_fail(err, ASSAY_E_FORMAT,
                       "%zu boxes with %zu scores, as many of both are needed", n,
                       json_array_size(scores));
    as_evidence_box *list = as_arena_array(r->out->arena, n + 1, sizeof *list);
    if (!list) return no_memory(r->path, err);
    for (size_t i = 0; i < n; i++)
        if (!take_box(json_array_get(boxes, i), json_array_get(scores, i), &list[i]))
            return as_fail(err, ASSAY_E_FORMAT,
                           "box %zu is no four corners of whole numbers with a score", i);
    answer->boxes = list;
    answer->n = n;
    return ASSAY_OK;
}

static bool is_same(const as_slot_answer *a, const as_slot_answer *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(a->boxes, b->boxes, a->n * sizeof *a->boxes) == 0);
}

static assay_code take_line(reading *r, const json_t *line, assay_error *err)
{
    const char *image = json_string_value(json_object_get(line, "image"));
    if (!image)
        return as_fail(err, ASSAY_E_FORMAT, "a line without an image, boxes are of one");
    if (json_object_get(line, "error")) return ASSAY_OK;
    named_input wanted = {.name = as_path_base(image)};
    const named_input *found = bsearch(&wanted, r->names, r->out->n, sizeof *r->names, by_name);
    if (!found) return ASSAY_OK;
    as_slot_answer answer = {.input = (int)found->input};
    assay_code code = take_boxes(r, line, &answer, err);
    if (code) return code;
    if (r->is_known[found->input] && !is_same(&answer, &r->out->answers[found->input]))
        return as_fail(err, ASSAY_E_FORMAT, "two lines give '%.80s' different boxes",
                       found->name);
    r->is_known[found->input] = true;
    r->out->answers[found->input] = answer;
    return ASSAY_OK;
}

static assay_code take_lines(reading *r, const as_bytes *text, assay_error *err)
{
    const char *at = (const char *)text->data, *end = at + text->size;
    for (size_t number = 1; at < end; number++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);
        json_t *line = NULL;
        assay_code code =
            length ? as_json_parse(at, length, 0, &line, err) : ASSAY_OK; /* an empty line */
        if (!code && line) code = take_line(r, line, err);
        json_decref(line);
        if (code) {
            as_error_where(err, "%s line %zu", r->path, number);
            return code;
        }
        at += length + 1;
    }
    for (size_t i = 0; i < r->out->n; i++)
        if (!r->is_known[i])
            return as_fail(err, ASSAY_E_FORMAT,
                           "%s has no boxes for region '%.80s', every region needs a line",
                           r->path, as_path_base(r->inputs[i].file));
    return ASSAY_OK;
}

static assay_code make_room(reading *r, size_t n, assay_error *err)
{
    r->names = as_alloc_array(n + 1, sizeof *r->names);
    r->is_known = as_alloc_array(n + 1, sizeof *r->is_known);
    r->out = as_alloc(sizeof *r->out);
    if (r->out) r->out->arena = as_arena_new();
    if (r->out && r->out->arena)
        r->out->answers = as_arena_array(r->out->arena, n + 1, sizeof *r->out->answers);
    if (!r->names || !r->is_known || !r->out || !r->out->answers)
        return no_memory(r->path, err);
    r->out->n = n;
    return ASSAY_OK;
}

assay_code as_reference_read(const char *path, const as_input_row *inputs, size_t n_inputs,
                             as_reference **out, assay_error *err)
{
    reading r = {.path = path, .inputs = inputs};
    as_bytes text = {0};
    *out = NULL;
    assay_code code = make_room(&r, n_inputs, err);
    if (!code) code = as_file_read(path, 0, &text, err);
    if (!code) code = as_sha256_bytes(text.data, text.size, r.out->sha256, err);
    if (!code) code = sort_names(&r, n_inputs, err);
    if (!code) code = take_lines(&r, &text, err);
    as_bytes_free(&text);
    as_free(r.names);
    as_free(r.is_known);
    if (code)
        as_reference_free(r.out);
    else
        *out = r.out;
    return code;
}

void as_reference_free(as_reference *reference)
{
    if (!reference) return;
    as_arena_free(reference->arena);
    as_free(reference);
}
