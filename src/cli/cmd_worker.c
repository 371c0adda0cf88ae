/* SPDX-License-Identifier: Apache-2.0 */
/* assay worker: a slot's process.  `assay experiment` starts it; people do not. */
#include <stdio.h>

#include "cli/cli.h"
#include "trial/kernel_slot.h"
#include "trial/model_slot.h"
#include "trial/worker.h"

typedef struct worker_options {
    const char *model, *corpus, *outputs, *maps, *latency;
    int64_t kernel;
} worker_options;

static const as_option options[] = {
    AS_TEXT(worker_options, model, "model", "MODEL", "the network"),
    AS_TEXT(worker_options, corpus, "corpus", "CORPUS", "the frozen corpus"),
    AS_TEXT(worker_options, outputs, "outputs", "FOLDER",
            "tell outputs, which are put there, in the place of boxes"),
    AS_TEXT(worker_options, maps, "maps", "FOLDER", "put each call's maps there"),
    AS_TEXT(worker_options, latency, "latency", "JOB",
            "no corpus: time calls of the model, for search"),
    AS_INT(worker_options, kernel, "kernel", "N", 1, 1000000000,
           "no job: time N repetitions of a kernel, for selftest"),
    AS_OPTIONS_END,
};

static int run(const as_cli *cli, const void *values)
{
    const worker_options *o = values;
    assay_error err = {0};
    if (o->kernel)
        return as_cli_exit_status(as_kernel_slot_main((size_t)o->kernel, stdout, &err));
    if (o->model && o->latency)
        return as_cli_exit_status(as_model_slot_main(o->model, o->latency, stdout, &err));
    if (!o->model || !o->corpus)
        return as_cli_usage(cli, "--model and --corpus are needed, and a job on stdin");
    as_worker_place place = {.model_path = o->model,
                             .corpus_path = o->corpus,
                             .outputs_path = o->outputs,
                             .maps_path = o->maps,
                             .in = stdin,
                             .out = stdout,
                             .log = stderr};
    return as_cli_exit_status(as_worker_run(&place, &err));
}

const as_verb as_verb_worker = {
    .name = "worker",
    .summary = "a slot's process, started by experiment",
    .usage = "--model MODEL --corpus CORPUS < JOB",
    .description = "Takes a job as JSON on stdin and tells of it, one JSON object a line, on "
                   "stdout.",
    .example = "assay worker --model det.onnx --corpus corpus < job.json",
    .options = options,
    .values_bytes = sizeof(worker_options),
    .is_internal = true,
    .run = run,
};
