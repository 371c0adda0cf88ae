/* SPDX-License-Identifier: Apache-2.0 */
/* assay tune: the cheapest routes under equal boxes, into a plan file. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "search/tune.h"

typedef struct tune_options {
    const char *corpus, *output;
    int64_t threads, seed;
    double budget;
    bool force, json;
} tune_options;

static const tune_options defaults = {.seed = 1};

static const as_option options[] = {
    AS_TEXT(tune_options, corpus, "corpus", "CORPUS",
            "the frozen corpus whose boxes must stay"),
    AS_TEXT(tune_options, output, "o,output", "PLAN", "plan file to make"),
    AS_INT(tune_options, threads, "threads", "N", 1, 1024,
           "threads; default: what the process may use"),
    AS_DOUBLE(tune_options, budget, "budget", "MINUTES", 0.01, 1e5,
              "start no new round of timing after so long; default: none"),
    AS_INT(tune_options, seed, "seed", "N", -9007199254740992.0, 9007199254740992.0,
           "shuffles which routes meet in a round; default 1"),
    AS_FLAG(tune_options, force, "force", "replace an existing plan file"),
    AS_FLAG(tune_options, json, "json", "print the summary as JSON"),
    AS_OPTIONS_END,
};

/* The watch drawn on the terminal. */
typedef struct screen {
    const as_cli *cli;
    as_progress bar;
    bool is_drawn;
} screen;

static void on_begin(void *context, const char *what, size_t n_steps)
{
    screen *s = context;
    as_progress_start(&s->bar, s->cli, what, n_steps);
    s->is_drawn = true;
}

static void on_step(void *context, size_t n_done)
{
    screen *s = context;
    as_progress_step(&s->bar, n_done, NULL);
}

static void on_end(void *context)
{
    screen *s = context;
    if (s->is_drawn) as_progress_end(&s->bar);
    s->is_drawn = false;
}

/* Layers whose route is not the first in order of preference, and routes that changed boxes. */
static void count(const as_plan_file *f, size_t *n_close, size_t *n_refused)
{
    *n_close = *n_refused = 0;
    for (size_t i = 0; i < f->n_layers; i++)
        for (size_t c = 0; c < f->layers[i].n_candidates; c++) {
            const as_plan_candidate *one = &f->layers[i].candidates[c];
            *n_refused += one->changes_boxes;
            *n_close += !one->is_exact && strcmp(one->route, f->choices[i].route) == 0;
        }
}

/* Groups that go otherwise than by the rule. */
static size_t count_other_bands(const as_plan_file *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_groups; i++)
        n += f->group_choices[i].bands != AS_BANDS_RULE;
    return n;
}

static void print_text(const tune_options *o, const as_plan_file *f)
{
    size_t n_close, n_refused;
    const as_plan_evidence *e = &f->evidence;
    count(f, &n_close, &n_refused);
    printf("%s: %zu layers, %zu by close routes; %zu boxes of %zu inputs equal\n", o->output,
           f->n_layers, n_close, e->n_boxes, e->n_inputs);
    printf("%zu groups, %zu not by the rule's bands\n", f->n_groups, count_other_bands(f));
    if (n_refused) printf("%zu routes changed a box and were given up\n", n_refused);
    printf("%s, %s, %zu thread%s; %zu shape%s (%.0f %% of the pixels), %zu rounds, %s\n",
           f->cpu.model, f->isa, f->threads, f->threads == 1 ? "" : "s", e->n_calls,
           e->n_calls == 1 ? "" : "s", 100 * e->calls_share, e->n_rounds,
           e->is_settled ? "settled" : "some choices undecided");
    printf("tuned / default %.3f", f->ratio.ratio);
    if (f->ratio.has_interval) printf(" (%.3f-%.3f)", f->ratio.low, f->ratio.high);
    printf(", n=%zu pairs\n", f->ratio.n);
}

static assay_code print_json(const tune_options *o, const as_plan_file *f, assay_error *err)
{
    size_t n_close, n_refused;
    const as_plan_evidence *e = &f->evidence;
    count(f, &n_close, &n_refused);
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:I}",
        "plan", o->output, "cpu", f->cpu.model, "isa", f->isa, "threads",
        (json_int_t)f->threads, "layers", (json_int_t)f->n_layers, "close_layers",
        (json_int_t)n_close, "routes_given_up", (json_int_t)n_refused, "inputs",
        (json_int_t)e->n_inputs, "boxes", (json_int_t)e->n_boxes, "groups",
        (json_int_t)f->n_groups, "groups_by_other_bands", (json_int_t)count_other_bands(f),
        "rounds", (json_int_t)e->n_rounds, "settled", e->is_settled, "tuned_to_default",
        as_json_number(f->ratio.ratio), "low", as_json_number(f->ratio.low), "high",
        as_json_number(f->ratio.high), "n", (json_int_t)f->ratio.n);
    if (!root)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s is not UTF-8, JSON needs it", o->output);
    assay_code code = as_output_json(root, false, err);
    json_decref(root);
    return code;
}

static int tune(const as_cli *cli, const tune_options *o)
{
    screen s = {.cli = cli};
    as_plan_file *file = NULL;
    assay_error err = {0};
    const as_trial_control control = {
        .stop = as_stop,
        .watch = {.context = &s, .begin = on_begin, .step = on_step, .end = on_end}};
    as_tune_options t = as_tune_options_defaults();
    t.model_path = cli->arguments.items[0];
    t.corpus_path = o->corpus;
    t.threads = (size_t)o->threads;
    t.seed = o->seed;
    t.budget_s = 60 * o->budget;
    assay_code code = as_output_claim(o->output, o->force, &err);
    if (!code) code = as_tune(&t, &control, &file, &err);
    on_end(&s);
    if (!code) code = as_plan_file_write(file, o->output, &err);
    if (!code && o->json)
        code = print_json(o, file, &err);
    else if (!code)
        print_text(o, file);
    int status = code                                          ? as_cli_fail(cli, &err)
                 : o->budget > 0 && !file->evidence.is_settled ? AS_EXIT_UNDECIDED
                                                               : AS_EXIT_DONE;
    as_plan_file_free(file);
    return status;
}

static int run(const as_cli *cli, const void *values)
{
    const tune_options *o = values;
    if (!o->corpus)
        return as_cli_usage(cli, "--corpus CORPUS is missing, 'assay freeze' makes one");
    if (!o->output) return as_cli_usage(cli, "-o PLAN is missing, the plan file to make");
    return tune(cli, o);
}

const as_verb as_verb_tune = {
    .name = "tune",
    .summary = "choose the cheapest routes under equal boxes",
    .usage = "MODEL --corpus CORPUS -o PLAN [options]",
    .description =
        "Times every route that a layer may take inside the network, in interleaved runs, on "
        "the shapes that take most of the corpus' time; keeps the cheapest set with which "
        "every box of the corpus is that of the exact routes; then times each group of layers "
        "by other bands of rows and without bands; says what all of it gains over the default "
        "plan. The plan file is for this CPU and this model alone: "
        "`--policy tuned=native,plan=PLAN` runs it in an experiment, `assay bench --plan` "
        "by itself. With --budget an undecided choice makes the exit status 6.",
    .example = "assay tune models/ch_PP-OCRv4_det_infer.onnx --corpus corpus --threads 1 -o "
               "plan.json",
    .options = options,
    .values_bytes = sizeof(tune_options),
    .defaults = &defaults,
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
