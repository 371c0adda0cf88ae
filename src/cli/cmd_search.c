/* SPDX-License-Identifier: Apache-2.0 */
/* assay search: train structures, time them, choose one. */
#include <stdio.h>

#include "base/installed.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/search_command.h"
#include "cli/search_print.h"
#include "cli/search_table.h"
#include "cli/shell_line.h"
#include "search/structures.h"

/* Comes with the program. */
#define DEFAULT_SPACE "data/digits.json"

typedef struct search_options {
    const char *output, *split, *resume, *latency_table;
    as_strings policies;
    int64_t seeds, slots, threads;
    bool exclusive_hardware, force, json;
} search_options;

static const search_options defaults = {.slots = -1, .threads = 1};

static const as_option options[] = {
    AS_TEXT(search_options, output, "o,output", "RUN", "folder to make"),
    AS_TEXT(search_options, resume, "resume", "RUN",
            "go on with a search that was stopped or killed"),
    AS_INT(search_options, seeds, "seeds", "N", 1, 1000,
           "trainings of each structure, each from another seed; default: as the space says"),
    AS_TEXT(search_options, split, "split", "FILE",
            "a split-manifest.json whose samples are used again"),
    AS_LIST(search_options, policies, "policy", "NAME=ENGINE",
            "also time the models by this engine, in fresh processes; may be repeated"),
    AS_INT(search_options, slots, "slots", "N", 0, 1000,
           "fresh processes of each structure and engine; default 6"),
    AS_TEXT(search_options, latency_table, "latency-table", "FILE",
            "also time the models' layers, and write what each takes on this CPU"),
    AS_INT(search_options, threads, "threads", "N", 1, 1024,
           "threads of a training, which change no bit of it; default 1"),
    AS_FLAG(search_options, exclusive_hardware, "exclusive-hardware",
            "note that nothing else runs on this machine"),
    AS_FLAG(search_options, force, "force", "replace the run in RUN, and what is at FILE"),
    AS_FLAG(search_options, json, "json", "print the table and the choice as JSON"),
    AS_OPTIONS_END,
};

/* The watch drawn on the terminal. */
typedef struct screen {
    const as_cli *cli;
    as_progress bar;
} screen;

static void on_begin(void *context, const char *what, size_t n_steps)
{
    screen *s = context;
    as_progress_start(&s->bar, s->cli, what, n_steps);
}

static void on_step(void *context, size_t n_done, const char *detail)
{
    screen *s = context;
    as_progress_step(&s->bar, n_done, detail);
}

static void on_end(void *context)
{
    screen *s = context;
    as_progress_end(&s->bar);
}

static void on_tell(void *context, const char *sentence)
{
    const screen *s = context;
    as_warn(s->cli, "%s", sentence);
}

static assay_code begin(const as_cli *cli, as_search_options *wanted, assay_error *err)
{
    char *bundled = NULL;
    assay_code code = ASSAY_OK;
    wanted->space = cli->arguments.n ? cli->arguments.items[0] : NULL;
    if (!wanted->space) {
        code = as_installed_find(DEFAULT_SPACE, &bundled, err);
        wanted->space = bundled ? bundled : DEFAULT_SPACE;
    }
    if (!code) code = as_search_create(wanted, err);
    as_free(bundled);
    return code;
}

static int search(const as_cli *cli, const search_options *o, const as_trainer *trainer)
{
    screen s = {.cli = cli};
    assay_error err = {0};
    char *line = as_shell_line(cli->argc, (const char *const *)cli->argv);
    as_search_options wanted = as_search_defaults();
    wanted.split = o->split;
    wanted.folder = o->resume ? o->resume : o->output;
    wanted.command = line ? line : "";
    wanted.n_seeds = (size_t)o->seeds;
    wanted.n_threads = (size_t)o->threads;
    wanted.exclusive_hardware = o->exclusive_hardware;
    wanted.force = o->force;
    if (o->slots >= 0) wanted.n_slots = (size_t)o->slots;
    wanted.policies = o->policies.items;
    wanted.n_policies = o->policies.n;
    wanted.stop = as_stop;
    wanted.watch = (as_search_watch){&s, on_begin, on_step, on_end, on_tell};
    wanted.train = trainer->train;
    wanted.train_context = trainer->context;
    assay_code code =
        o->latency_table ? as_output_claim(o->latency_table, o->force, &err) : ASSAY_OK;
    if (!code && !o->resume) code = begin(cli, &wanted, &err);
    if (!code) code = as_search_run(&wanted, &err);
    as_free(line);
    if (code == ASSAY_E_INTERRUPTED)
        as_note(cli, "what ended is kept: 'assay%c%s --resume %s' goes on",
                as_verb_joint(cli->verb), cli->verb->name, wanted.folder);
    if (code) return as_cli_fail(cli, &err);
    const int status = as_search_print(cli, wanted.folder, o->json);
    if (status != AS_EXIT_DONE || !o->latency_table) return status;
    return as_search_table(cli, wanted.folder, o->latency_table, !o->json);
}

int as_search_command(const as_cli *cli, const void *values, const as_trainer *trainer)
{
    const search_options *o = values;
    if (!o->output == !o->resume)
        return as_cli_usage(cli, "one of -o RUN, a new folder, and --resume RUN is needed");
    if (o->resume &&
        (cli->arguments.n || o->split || o->seeds || o->policies.n || o->slots >= 0))
        return as_cli_usage(
            cli,
            "--resume takes no SPACE, --split, --seeds, --policy or --slots: RUN has them");
    return search(cli, o, trainer);
}

static int run(const as_cli *cli, const void *values)
{
    const as_trainer trainer = {0};
    return as_search_command(cli, values, &trainer);
}

const as_verb as_verb_search = {
    .name = "search",
    .summary = "train structures, time them, and choose under quality and cost",
    .usage = "[SPACE] -o RUN [options]",
    .description =
        "Trains every structure of a search space (default data/digits.json) on the training "
        "samples, times each network's batch-1 call, and chooses by validation accuracy and "
        "latency: best accuracy; least latency among those as accurate and as fast as the "
        "baseline; the same among two drawn at random. Only when selection.json is written and "
        "synced are the test samples opened. RUN holds evidence.db and the files that derive "
        "from it, NAME.onnx of each structure among them; 'assay summarize RUN' derives them "
        "again. A training whose loss is no finite number ends alone.",
    .example = "assay search -o run\n"
               "assay search data/digits.json --seeds 5 -o run5\n"
               "assay search --resume run5",
    .options = options,
    .values_bytes = sizeof(search_options),
    .defaults = &defaults,
    .least_arguments = 0,
    .most_arguments = 1,
    .run = run,
};
