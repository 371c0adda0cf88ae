/* SPDX-License-Identifier: Apache-2.0 */
/* assay experiment: policies measured in fresh processes, and the verdict. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/required.h"
#include "cli/search_print.h"
#include "cli/shell_line.h"
#include "report/report.h"
#include "trial/trial.h"

typedef struct experiment_options {
    const char *model, *corpus, *output, *resume, *baseline, *reference, *require, *compare;
    as_strings policies, documents, calls;
    int64_t limit_calls, cycles, traces, rounds, seed, ulp_bound;
    double slot_timeout, budget, abs_bound, rel_bound;
    int order, noise; /* -1 where not given */
    int on_difference, language;
    bool exclusive_hardware, save_maps, force, json;
} experiment_options;

static const experiment_options defaults = {
    .cycles = 1, .traces = 1, .seed = 1, .order = -1, .noise = -1};

static const as_option options[] = {
    AS_TEXT(experiment_options, model, "model", "MODEL", "the network, an ONNX file"),
    AS_TEXT(experiment_options, corpus, "corpus", "CORPUS", "the frozen corpus"),
    AS_LIST(experiment_options, policies, "policy", "NAME=ENGINE[,key=value...]",
            "a policy; once for each"),
    AS_TEXT(experiment_options, output, "o,output", "RUN", "folder of the run"),
    AS_TEXT(experiment_options, resume, "resume", "RUN", "go on with a run where it stopped"),
    AS_TEXT(experiment_options, baseline, "baseline", "NAME",
            "the policy whose boxes are the truth; default: the first"),
    AS_TEXT(experiment_options, reference, "reference", "BOXES.jsonl",
            "the truth instead: boxes as 'assay detect' prints them"),
    AS_CHOICE(experiment_options, on_difference, "on-difference", "stop|exclude|measure",
              "what a difference in the smoke phase leads to; default stop"),
    AS_INT(experiment_options, rounds, "rounds", "N", 1, 10000,
           "rounds; default: the least whole designs of the order that can give an interval"),
    AS_CHOICE(experiment_options, order, "order", "latin|williams",
              "order; default williams, or latin where --rounds is no multiple of its design"),
    AS_DOUBLE(
        experiment_options, budget, "budget", "MINUTES", 0.001, 1e6,
        "buy rounds while something is undecided, until so long was measured (then exit 6)"),
    AS_CHOICE(experiment_options, noise, "noise", "report|rerun",
              "what a dirty round leads to: told, or run again (too many: exit 3); default "
              "rerun, on a virtual machine report"),
    AS_INT(experiment_options, seed, "seed", "N", -9007199254740992.0, 9007199254740992.0,
           "shuffles the rows of williams; default 1"),
    AS_INT(experiment_options, cycles, "cycles", "N", 1, 10000,
           "passes over the calls in each slot; default 1"),
    AS_INT(experiment_options, traces, "traces", "N", 1, 1000,
           "traced calls of each policy before the rounds, for intervals of layers in 'assay "
           "summarize --against'; default 1"),
    AS_LIST(experiment_options, documents, "documents", "NAMES",
            "only these documents, separated by commas; names or ids"),
    AS_LIST(experiment_options, calls, "calls", "IDS", "only these calls, separated by commas"),
    AS_INT(experiment_options, limit_calls, "limit-calls", "N", 1, 1e9,
           "only the first N of these"),
    AS_DOUBLE(experiment_options, slot_timeout, "slot-timeout", "SECONDS", 0.1, 1e7,
              "kill a worker that takes longer; default: no limit"),
    AS_FLAG(experiment_options, exclusive_hardware, "exclusive-hardware",
            "note that nothing else uses this machine"),
    AS_TEXT(experiment_options, compare, "compare", "boxes|tensor|top1",
            "what has to be equal; default boxes, of tensors tensor"),
    AS_DOUBLE(experiment_options, abs_bound, "abs-bound", "X", 0, 1e30,
              "tensor: an element may be off by X; default 0"),
    AS_DOUBLE(experiment_options, rel_bound, "rel-bound", "R", 0, 1e6,
              "tensor: or by this share of its value; default 0"),
    AS_INT(experiment_options, ulp_bound, "ulp-bound", "N", 0, 4294967295.0,
           "tensor: or by N float32 values; default 0"),
    AS_TEXT(experiment_options, require, "require", "not-slower|faster=R",
            "what each candidate has to meet; exits 1 where one does not, 6 where undecided"),
    AS_FLAG(experiment_options, save_maps, "save-maps",
            "keep each call's maps of the first round in RUN/maps"),
    AS_FLAG(experiment_options, force, "force",
            "replace a run that is in RUN, once this one has begun"),
    AS_CHOICE(experiment_options, language, "lang", "en|zh",
              "language of the reports and of the verdict; default en"),
    AS_FLAG(experiment_options, json, "json", "print summary.json instead of the table"),
    AS_OPTIONS_END,
};

/* The trial's watch drawn on the terminal. */
typedef struct screen {
    const as_cli *cli;
    as_progress bar;
} screen;

static void on_note(void *context, const char *sentence)
{
    const screen *s = context;
    as_note(s->cli, "%s", sentence);
}

static void on_begin(void *context, const char *what, size_t n_steps)
{
    screen *s = context;
    as_progress_start(&s->bar, s->cli, what, n_steps);
}

static void on_step(void *context, size_t n_done)
{
    screen *s = context;
    as_progress_step(&s->bar, n_done, NULL);
}

static void on_end(void *context)
{
    screen *s = context;
    as_progress_end(&s->bar);
}

/* "a,b" "c" -> a, b, c in the arena. */
static bool split_list(const as_strings *list, as_arena *arena, as_strings *out)
{
    size_t room = 0;
    for (size_t i = 0; i < list->n; i++)
        room += strlen(list->items[i]) + 1;
    *out = (as_strings){.items = as_arena_array(arena, room + 1, sizeof *out->items)};
    for (size_t i = 0; i < list->n && out->items; i++) {
        char *copy = as_arena_strdup(arena, list->items[i]), *rest = NULL;
        if (!copy) return false;
        for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
            out->items[out->n++] = item;
    }
    return out->items != NULL;
}

static assay_code create(const as_cli *cli, const experiment_options *o,
                         const as_trial_control *control, assay_error *err)
{
    as_strings documents, calls;
    as_arena *arena = as_arena_new();
    char *command = as_shell_line(cli->argc, (const char *const *)cli->argv);
    assay_code code = ASSAY_OK;
    if (!arena || !command || !split_list(&o->documents, arena, &documents) ||
        !split_list(&o->calls, arena, &calls)) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for the options");
        goto done;
    }
    as_trial_options t = as_trial_options_defaults();
    t.run_folder = o->output;
    t.model_path = o->model;
    t.corpus_path = o->corpus;
    t.policies = o->policies.items;
    t.n_policies = o->policies.n;
    t.baseline = o->baseline;
    t.reference = o->reference;
    t.documents = documents.items;
    t.n_documents = documents.n;
    t.calls = calls.items;
    t.n_calls = calls.n;
    t.limit_calls = (size_t)o->limit_calls;
    const as_order_kind order = (as_order_kind)o->order;
    const as_noise_rule noise = (as_noise_rule)o->noise;
    if (o->order >= 0) t.order = &order;
    if (o->noise >= 0) t.noise = &noise;
    t.budget_s = 60 * o->budget;
    t.n_rounds = (size_t)o->rounds;
    t.n_cycles = (size_t)o->cycles;
    t.n_traces = (size_t)o->traces;
    t.seed = o->seed;
    t.on_difference = (as_on_difference)o->on_difference;
    t.slot_timeout_s = o->slot_timeout;
    as_cli_limit_adapters(o->slot_timeout);
    t.compare = o->compare;
    t.bound_absolute = o->abs_bound;
    t.bound_relative = o->rel_bound;
    t.bound_ulp = o->ulp_bound;
    t.exclusive_hardware = o->exclusive_hardware;
    t.saves_maps = o->save_maps;
    t.force = o->force;
    t.command = command;
    code = as_trial_create(&t, control, err);
done:
    as_free(command);
    as_arena_free(arena);
    return code;
}

/* What the trial asks before it buys more rounds. */
static assay_code is_undecided(void *context, const char *folder, bool *out, assay_error *err)
{
    as_report *report;
    (void)context;
    assay_code code = as_report_open(folder, &report, err);
    if (code) return code;
    *out = as_report_is_undecided(report);
    as_report_close(report);
    return ASSAY_OK;
}

/* Derive the report, print the verdict; *status is what the trial says, and becomes what is required. */
static assay_code report(const as_cli *cli, const experiment_options *o, const char *folder,
                         int *status, assay_error *err)
{
    as_report *report;
    as_requirement wanted;
    assay_code code = as_report_open_in(folder, (as_language)o->language, &report, err);
    if (code) return code;
    code = as_report_write_files(report, err);
    if (!code) fputs(o->json ? as_report_json(report) : as_report_text(report), stdout);
    if (!code && o->require) {
        code = as_requirement_parse(o->require, &wanted, err);
        if (!code) *status = as_status_required(report, &wanted, o->json, *status);
    }
    for (const char *const *w = as_report_warnings(report); !code && *w; w++)
        as_warn(cli, "%s", *w);
    if (!code) as_note(cli, "report: %s/report.html", folder);
    as_report_close(report);
    return code;
}

static int status_of(const as_trial_result *result)
{
    if (result->n_different == 0 && result->n_failed == 0)
        return result->is_machine_unfit ? AS_EXIT_ENVIRONMENT
               : result->is_undecided   ? AS_EXIT_UNDECIDED
                                        : AS_EXIT_DONE;
    return result->n_different == 0 && result->is_unfit ? AS_EXIT_ENVIRONMENT
                                                        : AS_EXIT_DIFFERENT;
}

/* Run what is missing; whatever ends it early leaves a run that --resume goes on with. */
static int go(const as_cli *cli, const experiment_options *o, const char *folder,
              const as_trial_control *control)
{
    assay_error err = {0};
    as_trial_result result;
    if (as_trial_go(folder, control, &result, &err)) {
        const char *words[] = {"assay", "experiment", "--resume", folder};
        char *line = as_shell_line(4, words);
        int status = as_cli_fail(cli, &err);
        as_warn(cli, "every finished slot is kept; go on with: %s", line ? line : "--resume");
        as_free(line);
        return status;
    }
    int status = status_of(&result);
    return report(cli, o, folder, &status, &err) ? as_cli_fail(cli, &err) : status;
}

/* Whether an option was given that a resumed run has settled already. */
static bool has_settings(const experiment_options *o)
{
    return o->model || o->corpus || o->output || o->baseline || o->reference || o->policies.n ||
           o->documents.n || o->calls.n || o->limit_calls || o->rounds || o->order >= 0 ||
           o->noise >= 0 || o->budget > 0 || o->on_difference || o->exclusive_hardware ||
           o->save_maps || o->force || o->slot_timeout > 0 || o->compare || o->abs_bound > 0 ||
           o->rel_bound > 0 || o->ulp_bound || o->cycles != defaults.cycles ||
           o->traces != defaults.traces || o->seed != defaults.seed;
}

static int check_usage(const as_cli *cli, const experiment_options *o)
{
    if (o->resume && has_settings(o))
        return as_cli_usage(cli,
                            "--resume takes every setting from the run, give nothing else");
    if (o->resume && as_is_search(o->resume))
        return as_cli_usage(cli, "%s is a structure search: 'assay search --resume %s'",
                            o->resume, o->resume);
    if (o->resume) return AS_EXIT_DONE;
    if (!o->model) return as_cli_usage(cli, "--model MODEL is missing, the network to run");
    if (!o->corpus)
        return as_cli_usage(cli, "--corpus CORPUS is missing, 'assay freeze' makes one");
    if (!o->output) return as_cli_usage(cli, "-o RUN is missing, the folder of the run");
    if (o->policies.n == 0)
        return as_cli_usage(cli, "--policy is missing, as in --policy base=native");
    if (o->require && o->policies.n < 2)
        return as_cli_usage(cli, "--require needs two policies, a baseline and a candidate");
    return AS_EXIT_DONE;
}

static int run(const as_cli *cli, const void *values)
{
    const experiment_options *o = values;
    screen s = {.cli = cli};
    assay_error err = {0};
    as_trial_control control = {
        .stop = as_stop,
        .undecided = is_undecided,
        .watch = {
            .context = &s, .note = on_note, .begin = on_begin, .step = on_step, .end = on_end}};
    as_requirement wanted;
    int status = check_usage(cli, o);
    if (status) return status;
    if (o->require && as_requirement_parse(o->require, &wanted, &err))
        return as_cli_fail(cli, &err);
    const char *folder = o->resume ? o->resume : o->output;
    assay_code code =
        o->resume ? as_trial_check(folder, &control, &err) : create(cli, o, &control, &err);
    return code ? as_cli_fail(cli, &err) : go(cli, o, folder, &control);
}

const as_verb as_verb_experiment = {
    .name = "experiment",
    .summary = "measure policies against each other and hold them to equal boxes",
    .usage = "--model MODEL --corpus CORPUS --policy P... -o RUN [options] | --resume RUN",
    .description =
        "Each policy runs in a fresh process a round, in a balanced order, over the same "
        "frozen "
        "calls.\nA policy is NAME=ENGINE[,key=value...]; the engine is native, or one that "
        "'tools/engines' installs:\nonnxruntime, openvino, mnn, torch.  Keys: threads, "
        "split-at "
        "with split-to, bucket; native: conv, fuse=off,\nwinograd=off, plan=FILE; torch: "
        "mkldnn, nnpack; others: python, adapter, option.KEY.  Boxes are compared first on a "
        "few calls,\nthen on all.  Exits 1 "
        "when boxes differ or a policy failed; a run that was killed goes on with --resume.",
    .example =
        "assay experiment --model det.onnx --corpus corpus --policy base=native \\\n"
        "  --policy gemm=native,conv=gemm --policy split=native,split-at=16,split-to=8 -o run\n"
        "assay experiment --resume run",
    .options = options,
    .values_bytes = sizeof(experiment_options),
    .defaults = &defaults,
    .run = run,
};
