/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/verify.h"

#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "corpus/corpus.h"
#include "evidence/evidence.h"
#include "trial/adapters.h"
#include "trial/executed.h"

/* The corpus' bar drawn as a trial's. */
typedef struct bar {
    const as_trial_watch *watch;
    bool is_begun;
} bar;

static void on_progress(void *context, size_t done, size_t total, const char *detail)
{
    bar *b = context;
    (void)detail;
    if (!b->is_begun && b->watch->begin) b->watch->begin(b->watch->context, "verify", total);
    b->is_begun = true;
    if (b->watch->step) b->watch->step(b->watch->context, done);
}

assay_code as_verify_corpus(const char *path, const as_trial_control *control, assay_error *err)
{
    bar b = {.watch = &control->watch};
    as_corpus_watch watch = {.progress = on_progress,
                             .progress_context = &b,
                             .stop = control->stop,
                             .stop_context = control->stop_context};
    assay_code code = as_corpus_verify(path, &watch, NULL, NULL, err);
    if (b.is_begun && b.watch->end) b.watch->end(b.watch->context);
    return code;
}

static assay_code check_hash(const char *what, const char *path, const char *seen,
                             const char *needed, const char *advice, assay_error *err)
{
    if (strcmp(seen, needed) == 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_CHANGED,
                   "%s %.80s has SHA-256 %.12s..., the run began with %.12s...%s", what, path,
                   seen, needed, advice);
}

static assay_code check_run(const as_run_row *run, const as_trial_control *control,
                            assay_error *err)
{
    char hex[AS_SHA256_HEX];
    as_corpus *corpus = NULL;
    assay_code code = as_sha256_file(run->model_path, hex, err);
    if (!code) code = check_hash("model", run->model_path, hex, run->model_sha256, "", err);
    if (!code) code = as_corpus_load(run->corpus_path, &corpus, err);
    if (!code)
        code = check_hash("the manifest of", run->corpus_path, corpus->manifest_sha256,
                          run->manifest_sha256, "", err);
    as_corpus_free(corpus);
    if (!code) code = as_verify_corpus(run->corpus_path, control, err);
    if (!code) code = as_executed_program_sha256(hex, err);
    if (!code)
        code = check_hash("this program", "assay", hex, run->program_sha256,
                          "; a copy of that one is in the run's executed/", err);
    return code;
}

assay_code as_trial_check(const char *run_folder, const as_trial_control *control,
                          assay_error *err)
{
    as_evidence *evidence = NULL;
    as_evidence_writer *writer = NULL;
    const as_policy_row *policies = NULL;
    size_t n_policies = 0;
    char *path = as_path_join(run_folder, AS_EVIDENCE_FILE);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", run_folder);
    assay_code code = as_evidence_continue(path, &writer, err); /* rolls a killed write back */
    if (!code) code = as_evidence_writer_close(writer, err);
    if (!code) code = as_evidence_open(path, &evidence, err);
    const as_run_row *run = code ? NULL : as_evidence_run(evidence);
    if (!code) code = check_run(run, control, err);
    if (!code) code = as_evidence_policies(evidence, &policies, &n_policies, err);
    if (!code) code = as_executed_check_plans(run_folder, policies, n_policies, err);
    if (!code) code = as_adapters_check(run, policies, n_policies, err);
    as_evidence_close(evidence);
    as_free(path);
    return code;
}
