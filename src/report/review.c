/* SPDX-License-Identifier: Apache-2.0 */
/*
 * review/: what a person needs to look at each differing input.
 *
 *     review/00012-p3-r1/input.png            the frozen region
 *                        parameters.json      where it is from, settings, how each policy differs
 *                        <policy>.json        both box sets
 *                        <policy>.png         both drawn: the truth green, the answer red on it
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"
#include "report/outputs.h"
#include "report/text.h"

static const as_bgr truth_colour = {.b = 60, .g = 160, .r = 30};
static const as_bgr answer_colour = {.b = 40, .g = 40, .r = 225};
/** The truth is drawn wider, so that it is seen on both sides of an equal edge. */
enum { TRUTH_PX = 5, ANSWER_PX = 2 };

/** Write `size` bytes as folder/name. */
static assay_code put_file(const char *folder, const char *name, const void *data, size_t size,
                           assay_error *err)
{
    char *path = as_path_join(folder, name);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", name);
    assay_code code = as_file_write(path, data, size, err);
    as_free(path);
    return code;
}

/** Take `root` over and write it, reals with `digits` digits (17: bit for bit). */
static assay_code put_json(const char *folder, const char *name, int digits, json_t *root,
                           assay_error *err)
{
    char *text = as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION((size_t)digits));
    assay_code code = text ? put_file(folder, name, text, strlen(text), err)
                           : as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", name);
    as_free(text);
    json_decref(root);
    return code;
}

static json_t *boxes_json(const as_box_set_row *set)
{
    json_t *boxes = json_array(), *scores = json_array();
    for (size_t i = 0; i < set->n; i++) {
        json_t *box = json_array();
        for (int c = 0; c < 4; c++)
            as_json_append(&box, json_pack("[i, i]", (int)set->boxes[i].corners[c][0],
                                           (int)set->boxes[i].corners[c][1]));
        as_json_append(&boxes, box);
        as_json_append(&scores, as_json_number(set->boxes[i].score));
    }
    return json_pack("{s:o, s:o}", "boxes", boxes, "scores", scores);
}

static void draw_set(as_image *image, const as_box_set_row *set, as_bgr colour, int thickness)
{
    for (size_t i = 0; i < set->n; i++)
        as_image_draw_quad(image, set->boxes[i].corners, colour, thickness);
}

/** Both box sets of difference `d` drawn on its region `png`. */
static assay_code draw(const as_facts *f, const as_difference_facts *d, const as_bytes *png,
                       as_bytes *drawn, assay_error *err)
{
    const as_tally *cell = as_facts_cell(f, (size_t)d->policy, (size_t)d->input);
    as_image image = {0};
    *drawn = (as_bytes){0};
    assay_code code =
        as_image_decode(png->data, png->size, f->inputs[d->input].file, &image, err);
    if (!code) {
        draw_set(&image, &f->box_sets[f->truth[d->input]], truth_colour, TRUTH_PX);
        draw_set(&image, &f->box_sets[cell->differing_set], answer_colour, ANSWER_PX);
        code = as_image_encode_png(&image, drawn, err);
    }
    as_image_free(&image);
    return code;
}

/** The region's stored pixels; empty where there are none. */
static assay_code read_png(const as_facts *f, int input, as_bytes *png, assay_error *err)
{
    *png = (as_bytes){0};
    assay_code code = as_evidence_png(f->evidence, input, png, err);
    return code == ASSAY_E_NOT_FOUND ? ASSAY_OK : code;
}

assay_code as_review_picture(const as_facts *f, const as_difference_facts *d, as_bytes *png,
                             assay_error *err)
{
    as_bytes region;
    *png = (as_bytes){0};
    assay_code code = read_png(f, d->input, &region, err);
    if (!code && region.size) code = draw(f, d, &region, png, err);
    as_bytes_free(&region);
    return code;
}

/** The folder of an input below `folder` (as_free). */
static char *place_of(const as_facts *f, int input, const char *folder)
{
    char id[96];
    as_text_file_name(f->inputs[input].id, id, sizeof id);
    return as_format("%s/%05d-%s", folder, input, id);
}

char *as_review_path(const as_facts *f, const as_difference_facts *d)
{
    char policy[64];
    as_text_file_name(as_facts_name(f, (size_t)d->policy), policy, sizeof policy);
    char *place = place_of(f, d->input, "review");
    char *path = place ? as_format("%s/%s.png", place, policy) : NULL;
    as_free(place);
    return path;
}

/** Both box sets of one policy, as JSON and drawn on `png`. */
static assay_code put_policy(const as_facts *f, const as_difference_facts *d,
                             const as_bytes *png, const char *folder, assay_error *err)
{
    if (f->compare != AS_COMPARE_BOXES) return ASSAY_OK; /* there is nothing to draw */
    const as_tally *cell = as_facts_cell(f, (size_t)d->policy, (size_t)d->input);
    const as_box_set_row *truth = &f->box_sets[f->truth[d->input]];
    const as_box_set_row *answer = &f->box_sets[cell->differing_set];
    char policy[64], name[80];
    as_text_file_name(as_facts_name(f, (size_t)d->policy), policy, sizeof policy);
    snprintf(name, sizeof name, "%s.json", policy);
    assay_code code = put_json(
        folder, name, 17,
        json_pack("{s:o, s:o}", "truth", boxes_json(truth), "answer", boxes_json(answer)), err);
    if (code || png->size == 0) return code;
    as_bytes drawn;
    code = draw(f, d, png, &drawn, err);
    snprintf(name, sizeof name, "%s.png", policy);
    if (!code) code = put_file(folder, name, drawn.data, drawn.size, err);
    as_bytes_free(&drawn);
    return code;
}

static json_t *difference_json(const as_facts *f, const as_difference_facts *d)
{
    const as_tally *cell = as_facts_cell(f, (size_t)d->policy, (size_t)d->input);
    const as_slot_row *slot = &f->slots[cell->differing_slot];
    char text[AS_COMPARISON_TEXT];
    as_difference_describe(f, d, text);
    return json_pack(
        "{s:o, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "policy",
        as_json_text(f->policies[d->policy].text), "first_difference", text, "phase",
        as_phase_name(slot->phase), "round", as_round_number(slot->phase, slot->round),
        "answers_checked", (json_int_t)cell->n_checks, "answers_differing",
        (json_int_t)cell->n_differing, "boxes_differing", (json_int_t)d->comparison.n_differing,
        "boxes_missing", (json_int_t)d->comparison.n_missing, "boxes_added",
        (json_int_t)d->comparison.n_added, "farthest_corner_px",
        as_json_real(d->comparison.max_corner_px), "largest_score_difference",
        as_json_real(d->comparison.max_score));
}

static json_t *parameters_json(const as_facts *f, const as_input_row *input,
                               json_t *differences)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:i, s:[i, i], s:[i, i], s:{s:f, s:f, s:f, s:i, s:o}, s:o}",
        "input", as_json_text(input->id), "file", as_json_text(input->file), "sha256",
        as_json_text(input->sha256), "document",
        as_json_text(f->documents[input->document].name), "page", input->page, "size_wh",
        input->width_px, input->height_px, "network_hw", input->network_h, input->network_w,
        "settings", "thresh", input->thresh, "box_thresh", input->box_thresh, "unclip",
        input->unclip, "limit_side", input->limit_side, "limit_type",
        as_json_text(input->limit_type), "differences", differences);
}

/** The n differences of one input into their folder. */
static assay_code put_input(const as_facts *f, const as_difference_facts *d, size_t n,
                            const char *folder, assay_error *err)
{
    as_bytes png = {0};
    const as_input_row *input = &f->inputs[d->input];
    char *place = place_of(f, d->input, folder);
    json_t *differences = json_array();
    for (size_t i = 0; i < n; i++)
        as_json_append(&differences, difference_json(f, &d[i]));
    assay_code code = place ? as_folder_make(place, err)
                            : as_fail(err, ASSAY_E_MEMORY, "no memory to review %s", input->id);
    if (code) {
        json_decref(differences);
        goto done;
    }
    code = put_json(place, "parameters.json", 15, parameters_json(f, input, differences), err);
    if (code) goto done;
    code = read_png(f, d->input, &png, err); /* none: boxes alone */
    if (!code && png.size) code = put_file(place, "input.png", png.data, png.size, err);
    for (size_t i = 0; !code && i < n; i++)
        code = put_policy(f, &d[i], &png, place, err);
done:
    as_free(place);
    as_bytes_free(&png);
    return code;
}

assay_code as_write_review(as_outputs *outputs, const char *folder, assay_error *err)
{
    const as_facts *f = outputs->facts;
    assay_code code = ASSAY_OK;
    for (size_t i = 0, n; !code && i < f->n_differences; i += n) {
        for (n = 1; i + n < f->n_differences &&
                    f->differences[i + n].input == f->differences[i].input;)
            n++;
        code = put_input(f, &f->differences[i], n, folder, err);
    }
    return code;
}
