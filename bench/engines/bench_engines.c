/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines against each other on tensors: assay's trial without a corpus.
 *
 *     bench_engines [--policy P]... [--shape NxCxHxW]... [--threads T]... [--rounds N]
 *                   [--seconds S] [-o PREFIX] MODEL.onnx...
 *
 * Each round runs every policy once in a fresh process, in a balanced order; a model, shape and
 * thread count has all its rounds before the next begins.  Policies default to native and those
 * that tools/engines has installed; native ones are compared with the fastest other engine.
 * Defaults: 8 rounds (two balanced designs of four), 0.3 s of timed calls a slot, the shapes of the
 * readme's table, 1 and 2 threads: 512 processes for two models, about a quarter of an hour.
 * Prints Markdown as it goes; with -o also writes PREFIX.md and PREFIX.json.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "table.h"
#include "trial/order.h"

#define MOST_VALUES 16

typedef struct texts {
    const char *items[MOST_VALUES];
    size_t n;
} texts;

typedef struct bench {
    texts policy_texts, shapes, threads;
    char *const *models;
    size_t n_models, n_rounds;
    double seconds;
    const char *prefix;
    char folder[64];                      /* of converted models */
    char *own_texts[BENCH_MOST_POLICIES]; /* owns */
    as_policy policies[BENCH_MOST_POLICIES];
    size_t n_policies;
    as_order_row orders[BENCH_MOST_POLICIES * BENCH_MOST_ROUNDS];
    bench_cell *cells; /* owns */
    size_t n_cells;
} bench;

static const char *const default_engines[] = {"native", "onnxruntime", "openvino", "mnn"};
static const char *const default_shapes[] = {"1x3x640x640", "1x3x960x960", "16x3x64x320",
                                             "16x3x320x320"};
static const char *const default_threads[] = {"1", "2"};

static void add(texts *list, const char *text)
{
    if (list->n < MOST_VALUES) list->items[list->n++] = text;
}

static bool read_options(bench *b, int argc, char **argv)
{
    static const struct option longs[] = {
        {"policy", required_argument, NULL, 'p'},  {"shape", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'}, {"rounds", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 'd'}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
        if (option == 'p')
            add(&b->policy_texts, optarg);
        else if (option == 's')
            add(&b->shapes, optarg);
        else if (option == 't')
            add(&b->threads, optarg);
        else if (option == 'r')
            b->n_rounds = strtoul(optarg, NULL, 10);
        else if (option == 'd')
            b->seconds = strtod(optarg, NULL);
        else if (option == 'o')
            b->prefix = optarg;
        else
            return false;
    }
    b->models = argv + optind;
    b->n_models = (size_t)(argc - optind);
    return b->n_models > 0 && b->n_rounds > 0 && b->n_rounds <= BENCH_MOST_ROUNDS &&
           b->seconds > 0;
}

static assay_code add_policy(bench *b, const char *text, assay_error *err)
{
    if (b->n_policies == BENCH_MOST_POLICIES)
        return as_fail(err, ASSAY_E_ARGUMENT, "at most %d policies", BENCH_MOST_POLICIES);
    assay_code code = as_policy_parse(text, &b->policies[b->n_policies], err);
    if (!code) b->n_policies++;
    return code;
}

/* Policies as given, or native and what is installed. */
static assay_code choose_policies(bench *b, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < b->policy_texts.n && !code; i++)
        code = add_policy(b, b->policy_texts.items[i], err);
    for (size_t i = 0; b->policy_texts.n == 0 && i < AS_COUNT_OF(default_engines); i++) {
        assay_error why;
        b->own_texts[i] = as_format("%s=%s", default_engines[i], default_engines[i]);
        if (!b->own_texts[i]) return as_fail(err, ASSAY_E_MEMORY, "no memory for a policy");
        if (add_policy(b, b->own_texts[i], &why))
            fprintf(stderr, "left out: %s\n", why.message);
    }
    return code;
}

static double load_average(void)
{
    double average = 0;
    return getloadavg(&average, 1) == 1 ? average : 0;
}

/* A policy's text for its slots: MNN converts each model once for all of them. */
static char *slot_text(const bench *b, const as_policy *policy, const char *model)
{
    if (strcmp(policy->engine, "mnn") != 0 || policy->n_options) return as_strdup(policy->text);
    return as_format("%s,option.converted=%s/%s.mnn", policy->text, b->folder,
                     as_path_base(model));
}

/* Whether the text of the policy's slots names a converted model that is not there yet. */
static bool wants_conversion(const char *text)
{
    static const char key[] = "option.converted=";
    const char *path = strstr(text, key);
    return path && !as_file_exists(path + strlen(key));
}

static void run_slot(const bench *b, bench_cell *cell, const as_order_row *turn)
{
    bench_runs *runs = &cell->runs[turn->policy];
    assay_error err = {0};
    if (runs->error[0]) return;
    char *text = slot_text(b, &b->policies[turn->policy], cell->model);
    bench_slot slot = {
        .policy = text, .model = cell->model, .threads = cell->threads, .seconds = b->seconds};
    memcpy(slot.shape, cell->shape, sizeof slot.shape);
    if (text && wants_conversion(text)) /* converting is no part of loading */
        (void)bench_slot_run(&slot, &runs->rounds[turn->round], NULL);
    if (!text || bench_slot_run(&slot, &runs->rounds[turn->round], &err)) {
        snprintf(runs->error, sizeof runs->error, "%s", text ? err.message : "no memory");
        fprintf(stderr, "%s failed: %s\n", b->policies[turn->policy].name, runs->error);
    }
    as_free(text);
}

static assay_code run_cell(bench *b, const char *model, const char *shape, const char *threads,
                           assay_error *err)
{
    bench_cell *cell = &b->cells[b->n_cells];
    *cell = (bench_cell){.model = model,
                         .threads = strtoul(threads, NULL, 10),
                         .n_rounds = b->n_rounds,
                         .n_policies = b->n_policies,
                         .policies = b->policies,
                         .load_average = load_average()};
    assay_code code = bench_shape_parse(shape, cell->shape, err);
    for (size_t i = 0; i < b->n_rounds * b->n_policies && !code; i++) {
        fprintf(stderr, "\r%zu of %zu ", i, b->n_rounds * b->n_policies);
        run_slot(b, cell, &b->orders[i]);
    }
    fputs("\r            \r", stderr);
    if (!code) code = bench_cell_reduce(cell, err);
    if (code) return code;
    if (b->n_cells++ == 0) bench_write_head(stdout, cell, b->seconds);
    bench_write_row(stdout, cell);
    return ASSAY_OK;
}

static assay_code run_cells(bench *b, assay_error *err)
{
    as_order_kind kind = b->n_rounds % as_order_design_rounds(AS_ORDER_WILLIAMS, b->n_policies)
                             ? AS_ORDER_LATIN
                             : AS_ORDER_WILLIAMS;
    assay_code code = as_order_fill(kind, b->n_policies, b->n_rounds, 1, b->orders, err);
    b->cells = as_alloc_array(b->n_models * b->shapes.n * b->threads.n, sizeof *b->cells);
    if (!b->cells) code = as_fail(err, ASSAY_E_MEMORY, "no memory for the results");
    for (size_t m = 0; m < b->n_models; m++)
        for (size_t s = 0; s < b->shapes.n; s++)
            for (size_t t = 0; t < b->threads.n && !code; t++)
                code = run_cell(b, b->models[m], b->shapes.items[s], b->threads.items[t], err);
    return code;
}

static assay_code write_files(const bench *b, assay_error *err)
{
    char *path = as_format("%s.md", b->prefix), *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    json_t *json = bench_json(b->cells, b->n_cells, b->seconds);
    char *dump = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    assay_code code =
        path && memory && dump ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to write");
    if (memory) {
        bench_write_head(memory, b->cells, b->seconds);
        for (size_t c = 0; c < b->n_cells; c++)
            bench_write_row(memory, &b->cells[c]);
        bench_write_costs(memory, b->cells, b->n_cells);
        fclose(memory);
    }
    if (!code) code = as_file_write(path, text, size, err);
    as_free(path);
    path = as_format("%s.json", b->prefix);
    if (!code && !path) code = as_fail(err, ASSAY_E_MEMORY, "no memory to write");
    if (!code) code = as_file_write(path, dump, strlen(dump), err);
    as_free(path);
    free(text);
    free(dump);
    json_decref(json);
    return code;
}

static void take_defaults(texts *list, const char *const *items, size_t n)
{
    for (size_t i = 0; list->n < n && i < n; i++)
        add(list, items[i]);
}

static assay_code run(bench *b, assay_error *err)
{
    if (b->shapes.n == 0) take_defaults(&b->shapes, default_shapes, 4);
    if (b->threads.n == 0) take_defaults(&b->threads, default_threads, 2);
    strcpy(b->folder, P_tmpdir "/assay-bench-XXXXXX");
    if (!mkdtemp(b->folder))
        return as_fail(err, ASSAY_E_IO, "no folder for converted models: %s", strerror(errno));
    assay_code code = choose_policies(b, err);
    if (!code) code = run_cells(b, err);
    if (!code) bench_write_costs(stdout, b->cells, b->n_cells);
    if (!code && b->prefix) code = write_files(b, err);
    as_path_remove(b->folder, NULL);
    return code;
}

int main(int argc, char **argv)
{
    static bench b = {.n_rounds = 8, .seconds = 0.3};
    assay_error err = {0};
    setenv("ASSAY_ADAPTERS", ADAPTERS_FOLDER, 0);
    if (argc == 7 && strcmp(argv[1], "--slot") == 0) return bench_slot_main(argv + 2);
    if (!read_options(&b, argc, argv)) {
        fputs("usage: bench_engines [--policy P]... [--shape NxCxHxW]... [--threads T]... "
              "[--rounds N] [--seconds S] [-o PREFIX] MODEL.onnx...\n",
              stderr);
        return 2;
    }
    assay_code code = run(&b, &err);
    if (code) fprintf(stderr, "bench_engines: %s\n", err.message);
    for (size_t i = 0; i < BENCH_MOST_POLICIES; i++) {
        as_policy_free(&b.policies[i]);
        as_free(b.own_texts[i]);
    }
    as_free(b.cells);
    return code ? 1 : 0;
}
