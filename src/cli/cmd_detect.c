/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay detect: boxes of images and PDF pages as JSON lines.
 *
 * Inputs of equal network shape run together: a shape's batch runs as soon as it is full, so only
 * unfinished batches hold pixels.  Lines come in the order of the inputs.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/size.h"
#include "cli/cli.h"
#include "cli/detect_options.h"
#include "engine/detector.h"
#include "image/document.h"
#include "report/text.h"

#define MAX_BATCH_MOST 256

typedef struct detect_options {
    as_detect_options detect;
    const char *overlay, *maps, *policy, *password_file;
    int64_t max_batch, threads, dpi;
    bool stages, force;
} detect_options;

static const detect_options defaults = {
    .detect = AS_DETECT_DEFAULTS, .policy = "native=native", .max_batch = 16, .dpi = 200};

static const as_option options[] = {
    AS_DETECT_OPTIONS(detect_options, detect),
    AS_INT(detect_options, max_batch, "max-batch", "N", 1, MAX_BATCH_MOST,
           "most images of one shape that run together; default 16"),
    AS_INT(detect_options, threads, "threads", "N", 1, 1024,
           "threads; default: what the process may use"),
    AS_TEXT(detect_options, policy, "policy", "P", "how to run, as NAME=ENGINE[,key=value...]"),
    AS_INT(detect_options, dpi, "dpi", "N", 10, 1200, "resolution of PDF pages; default 200"),
    AS_TEXT(detect_options, password_file, "password-file", "FILE",
            "passwords of encrypted PDFs, one a line, tried in order"),
    AS_TEXT(detect_options, overlay, "overlay", "DIR", "draw the boxes into DIR/NAME.png"),
    AS_TEXT(detect_options, maps, "maps", "DIR", "save probability maps as DIR/NAME.npy"),
    AS_FLAG(detect_options, stages, "stages", "add the milliseconds of each stage"),
    AS_FLAG(detect_options, force, "force", "overwrite overlays and maps"),
    AS_OPTIONS_END,
};

/* One image or page: pixels until it has run, then its line until it is printed. */
typedef struct item {
    const char *path; /* borrows */
    int page;         /* from 1; 0 for an image of one page */
    as_image image;   /* owns; empty once it has run */
    json_t *line;     /* owns; NULL until it is known */
} item;

/* Items of one network shape that wait to run. */
typedef struct batch {
    as_network_size size;
    size_t *items; /* owns; [max_batch] */
    size_t n;
} batch;

typedef struct work {
    const as_cli *cli;
    const detect_options *options;
    as_detect_settings settings;
    as_policy policy;
    as_engine *engine;
    as_detector *detector;
    item *items; /* grows */
    size_t n_items, items_room, n_printed;
    batch *batches; /* grows */
    size_t n_batches, batches_room;
    as_passwords passwords;
    bool has_unreadable;
} work;

static json_t *begin_line(const item *it)
{
    json_t *line = json_pack("{s:o}", "image", as_json_name(it->path));
    if (it->page) as_json_set(&line, "page", json_integer(it->page));
    return line;
}

static json_t *boxes_json(const as_boxes *boxes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < boxes->n; i++) {
        json_t *box = json_array();
        for (int k = 0; k < 4; k++)
            as_json_append(&box, json_pack("[i, i]", (int)boxes->items[i].corners[k][0],
                                           (int)boxes->items[i].corners[k][1]));
        as_json_append(&list, box);
    }
    return list;
}

static json_t *scores_json(const as_boxes *boxes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < boxes->n; i++)
        as_json_append(&list, as_json_number(boxes->items[i].score));
    return list;
}

static json_t *stages_json(const as_call_report *r)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "preprocess_ms", (double)r->preprocess_ns / 1e6,
                     "forward_ms", (double)r->forward_ns / 1e6, "transfer_ms",
                     (double)r->transfer_ns / 1e6, "postprocess_ms",
                     (double)r->postprocess_ns / 1e6);
}

static json_t *result_line(const work *w, const item *it, const as_boxes *boxes,
                           const as_call_report *report)
{
    json_t *line = begin_line(it);
    as_json_set(&line, "size", json_pack("[i, i]", it->image.h, it->image.w));
    as_json_set(&line, "input",
                json_pack("[I, I, I, I]", (json_int_t)report->call.n,
                          (json_int_t)report->call.c, (json_int_t)report->call.h,
                          (json_int_t)report->call.w));
    as_json_set(&line, "boxes", boxes_json(boxes));
    as_json_set(&line, "scores", scores_json(boxes));
    if (report->n_not_finite)
        as_json_set(&line, "not_finite", json_integer((json_int_t)report->n_not_finite));
    if (w->options->stages) as_json_set(&line, "stages", stages_json(report));
    return line;
}

/* DIR/NAME[-pNNN]EXTENSION for an item; NULL without memory. */
static char *output_path(const char *folder, const item *it, const char *extension)
{
    const char *name = as_path_base(it->path);
    return it->page ? as_format("%s/%s-p%03d%s", folder, name, it->page, extension)
                    : as_format("%s/%s%s", folder, name, extension);
}

static assay_code draw(const work *w, item *it, const as_boxes *boxes, assay_error *err)
{
    static const as_bgr green = {.b = 60, .g = 160, .r = 20};
    for (size_t i = 0; i < boxes->n; i++)
        as_image_draw_quad(&it->image, (const int32_t(*)[2])boxes->items[i].corners, green, 2);
    char *path = output_path(w->options->overlay, it, ".png");
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for an overlay");
    assay_code code = as_output_claim(path, w->options->force, err);
    if (!code) code = as_image_write_png(&it->image, path, err);
    as_free(path);
    return code;
}

static assay_code save_map(const work *w, const item *it, size_t index, assay_error *err)
{
    as_shape4 shape = {0};
    const float *maps = as_detector_maps(w->detector, &shape);
    as_npy array = {.type = AS_NPY_F4,
                    .rank = 2,
                    .dims = {(int64_t)shape.h, (int64_t)shape.w},
                    .data = (float *)(uintptr_t)(maps + index * shape.h * shape.w),
                    .n_elements = shape.h * shape.w};
    char *path = output_path(w->options->maps, it, ".npy");
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for a map");
    assay_code code = as_output_claim(path, w->options->force, err);
    if (!code) code = as_npy_write(path, &array, err);
    as_free(path);
    return code;
}

static assay_code print_ready(work *w, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (; !code && w->n_printed < w->n_items && w->items[w->n_printed].line; w->n_printed++) {
        json_t **line = &w->items[w->n_printed].line;
        code = as_output_json(*line, false, err);
        if (code == ASSAY_E_IO) code = ASSAY_OK; /* main sees it when stdout is closed */
        json_decref(*line);
        *line = NULL;
    }
    return code;
}

static assay_code finish_item(work *w, size_t index_in_call, item *it, const as_boxes *boxes,
                              const as_call_report *report, assay_error *err)
{
    it->line = result_line(w, it, boxes, report);
    assay_code code =
        it->line ? ASSAY_OK
                 : as_fail(err, ASSAY_E_MEMORY, "no memory for the line of %s", it->path);
    if (!code && w->options->maps) code = save_map(w, it, index_in_call, err);
    if (!code && w->options->overlay) code = draw(w, it, boxes, err);
    as_image_free(&it->image);
    return code;
}

static assay_code run_batch(work *w, batch *b, assay_error *err)
{
    as_detector_input inputs[MAX_BATCH_MOST];
    as_boxes boxes[MAX_BATCH_MOST] = {0};
    as_call_report report;
    for (size_t i = 0; i < b->n; i++) {
        const as_image *image = &w->items[b->items[i]].image;
        inputs[i] = (as_detector_input){image->bgr, (size_t)image->h, (size_t)image->w};
    }
    assay_code code =
        as_detector_run(w->detector, &w->settings, inputs, b->n, boxes, &report, err);
    for (size_t i = 0; !code && i < b->n; i++)
        code = finish_item(w, i, &w->items[b->items[i]], &boxes[i], &report, err);
    for (size_t i = 0; i < b->n; i++)
        as_boxes_free(&boxes[i]);
    b->n = 0;
    if (!code && as_interrupted())
        code = as_fail(err, ASSAY_E_INTERRUPTED, "stopped after %zu inputs", w->n_printed);
    const assay_code printed = print_ready(w, code ? NULL : err);
    return code ? code : printed;
}

/* The batch of a network size; NULL without memory. */
static batch *batch_of(work *w, as_network_size size)
{
    for (size_t i = 0; i < w->n_batches; i++)
        if (w->batches[i].size.h == size.h && w->batches[i].size.w == size.w)
            return &w->batches[i];
    batch *batches = as_grow(w->batches, w->n_batches, &w->batches_room, sizeof *batches);
    if (!batches) return NULL;
    w->batches = batches;
    size_t *items = as_alloc_array((size_t)w->options->max_batch, sizeof *items);
    if (!items) return NULL;
    batches[w->n_batches] = (batch){.size = size, .items = items};
    return &batches[w->n_batches++];
}

static item *add_item(work *w, const char *path, int page)
{
    item *items = as_grow(w->items, w->n_items, &w->items_room, sizeof *items);
    if (!items) return NULL;
    w->items = items;
    items[w->n_items] = (item){.path = path, .page = page};
    return &items[w->n_items++];
}

/* An input that cannot be read is a line of its own; the rest goes on. */
static assay_code add_unreadable(work *w, const char *path, int page, const assay_error *why,
                                 assay_error *err)
{
    item *it = add_item(w, path, page);
    if (!it) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", path);
    it->line = begin_line(it);
    as_json_set(&it->line, "error", as_json_name(why->message));
    if (!it->line) return as_fail(err, ASSAY_E_MEMORY, "no memory for the line of %s", path);
    w->has_unreadable = true;
    return print_ready(w, err);
}

/* Takes the pixels of `image`. */
static assay_code add_image(work *w, const char *path, int page, as_image *image,
                            assay_error *err)
{
    as_network_size size = as_network_size_of(&w->settings, image->h, image->w);
    item *it = add_item(w, path, page);
    batch *b = it ? batch_of(w, size) : NULL;
    if (!b) {
        as_image_free(image);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", path);
    }
    if (size.scaled_down)
        as_warn(w->cli,
                "%s asks for a network side above %d pixels and was scaled down to %dx%d", path,
                AS_SIDE_MAX, size.h, size.w);
    it->image = *image;
    b->items[b->n++] = (size_t)(it - w->items);
    return b->n == (size_t)w->options->max_batch ? run_batch(w, b, err) : ASSAY_OK;
}

/* Whether a failure is the input's own and not the machine's. */
static bool is_of_input(assay_code code)
{
    return code == ASSAY_E_NOT_FOUND || code == ASSAY_E_FORMAT || code == ASSAY_E_UNSUPPORTED ||
           code == ASSAY_E_ARGUMENT || code == ASSAY_E_CHILD;
}

static assay_code add_document(work *w, const char *path, assay_error *err)
{
    as_document_limits limits = as_document_limits_defaults();
    limits.stop = as_stop;
    limits.passwords = &w->passwords;
    as_document *document = NULL;
    as_trouble trouble;
    assay_error why = {0};
    assay_code code = as_document_open(path, &limits, &document, &trouble, &why);
    if (code) {
        if (is_of_input(code)) return add_unreadable(w, path, 0, &why, err);
        *err = why;
        return code;
    }
    bool has_pages =
        as_document_format(document) == AS_IMAGE_PDF || as_document_n_pages(document) > 1;
    for (int i = 0; !code && i < as_document_n_pages(document); i++) {
        int page = has_pages ? i + 1 : 0;
        as_image image = {0};
        code = as_document_page(document, i, (int)w->options->dpi, &image, &trouble, &why);
        if (!code)
            code = add_image(w, path, page, &image, err);
        else if (is_of_input(code))
            code = add_unreadable(w, path, page, &why, err);
        else
            *err = why;
    }
    as_document_free(document);
    return code;
}

static assay_code open_work(work *w, assay_error *err)
{
    const detect_options *o = w->options;
    w->settings = as_detect_options_settings(&o->detect);
    assay_code code = as_policy_parse(o->policy, &w->policy, err);
    if (!code && o->threads) w->policy.threads = (size_t)o->threads;
    if (!code && o->password_file)
        code = as_passwords_read(o->password_file, &w->passwords, err);
    if (!code && o->overlay) code = as_folder_make(o->overlay, err);
    if (!code && o->maps) code = as_folder_make(o->maps, err);
    if (!code) code = as_engine_open(&w->policy, w->cli->arguments.items[0], &w->engine, err);
    if (!code) code = as_detector_new(w->engine, &w->policy, &w->detector, err);
    return code;
}

static void close_work(work *w)
{
    for (size_t i = 0; i < w->n_items; i++) {
        as_image_free(&w->items[i].image);
        json_decref(w->items[i].line);
    }
    for (size_t i = 0; i < w->n_batches; i++)
        as_free(w->batches[i].items);
    as_free(w->items);
    as_free(w->batches);
    as_detector_free(w->detector);
    as_engine_close(w->engine);
    as_policy_free(&w->policy);
    as_passwords_free(&w->passwords);
}

static int run(const as_cli *cli, const void *values)
{
    work w = {.cli = cli, .options = values};
    assay_error err = {0};
    assay_code code = open_work(&w, &err);
    for (size_t i = 1; !code && i < cli->arguments.n; i++)
        code = add_document(&w, cli->arguments.items[i], &err);
    for (size_t i = 0; !code && i < w.n_batches; i++)
        if (w.batches[i].n) code = run_batch(&w, &w.batches[i], &err);
    int status = code               ? as_cli_fail(cli, &err)
                 : w.has_unreadable ? AS_EXIT_INPUT
                                    : AS_EXIT_DONE;
    close_work(&w);
    return status;
}

const as_verb as_verb_detect = {
    .name = "detect",
    .summary = "find text boxes in images and PDF pages",
    .usage = "MODEL IMAGE|PDF... [options]",
    .description =
        "Prints one JSON line an image or page: image, page (of a PDF), size [h, w], input "
        "[n, c, h, w] as the network saw it, boxes, scores. An unreadable input gives a line "
        "with "
        "error, the rest goes on, and the exit status is 4.",
    .example = "assay detect models/PP-OCRv6_det_small.onnx page.png --overlay boxes",
    .options = options,
    .values_bytes = sizeof(detect_options),
    .defaults = &defaults,
    .least_arguments = 2,
    .most_arguments = AS_ANY_NUMBER,
    .run = run,
};
