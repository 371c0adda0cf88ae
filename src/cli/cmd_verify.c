/* SPDX-License-Identifier: Apache-2.0 */
/* assay verify: is a frozen corpus, to the bit, what was frozen? */
#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/cli.h"
#include "corpus/corpus.h"
#include "report/text.h"

typedef struct verify_options {
    bool json;
} verify_options;

static const as_option options[] = {
    AS_FLAG(verify_options, json, "json", "print what was found as JSON"),
    AS_OPTIONS_END,
};

typedef struct findings {
    const as_cli *cli;
    as_progress bar;
    bool is_started;
    bool is_json;     /* else problems are printed as they come */
    json_t *problems; /* owns */
    size_t n;
} findings;

static void show_progress(void *context, size_t done, size_t total, const char *detail)
{
    findings *f = context;
    if (!f->is_started) as_progress_start(&f->bar, f->cli, "regions", total);
    f->is_started = true;
    as_progress_step(&f->bar, done, detail);
}

static void take_problem(void *context, const char *file, const assay_error *problem)
{
    findings *f = context;
    f->n++;
    if (f->is_json)
        as_json_append(&f->problems, json_pack("{s:o, s:s, s:o}", "file", as_json_name(file),
                                               "code", assay_code_name(problem->code),
                                               "message", as_json_name(problem->message)));
    else
        (void)as_cli_fail(f->cli, problem);
}

/* Prints the corpus' size, or the problems as JSON.  Takes f->problems over. */
static assay_code print_result(const char *path, findings *f, assay_error *err)
{
    as_corpus *corpus = NULL;
    assay_code code = f->n ? ASSAY_OK : as_corpus_load(path, &corpus, err);
    if (!code && f->is_json) {
        json_t *root = json_pack("{s:o, s:b, s:O}", "corpus", as_json_name(path), "unchanged",
                                 f->n == 0, "problems", f->problems);
        if (corpus) {
            as_json_set(&root, "manifest_sha256", json_string(corpus->manifest_sha256));
            as_json_set(&root, "regions", json_integer((json_int_t)corpus->n_regions));
        }
        code = as_output_json(root, true, err);
        json_decref(root);
    } else if (!code && corpus) {
        printf("%s: unchanged, %zu regions in %zu calls of %zu documents\n", path,
               corpus->n_regions, corpus->n_calls, corpus->n_documents);
    }
    as_corpus_free(corpus);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    const verify_options *o = values;
    const char *path = cli->arguments.items[0];
    findings f = {.cli = cli, .is_json = o->json, .problems = json_array()};
    as_corpus_watch watch = {
        .progress = show_progress, .progress_context = &f, .stop = as_stop};
    assay_error err = {0};
    assay_code found = as_corpus_verify(path, &watch, take_problem, &f, &err);
    if (f.is_started) as_progress_end(&f.bar);
    int status = as_cli_exit_status(found);
    if (found == ASSAY_E_INTERRUPTED || found == ASSAY_E_MEMORY || print_result(path, &f, &err))
        status = as_cli_fail(cli, &err);
    json_decref(f.problems);
    return status;
}

const as_verb as_verb_verify = {
    .name = "verify",
    .summary = "check that a frozen corpus is what was frozen",
    .usage = "CORPUS [options]",
    .description =
        "Looks at every byte: the manifest by its own hash, SHA256SUMS, each region's file and "
        "pixels, and that nothing else lies in the folder. Exit status 4 when anything "
        "changed; "
        "each file that did is named.",
    .example = "assay verify corpus",
    .options = options,
    .values_bytes = sizeof(verify_options),
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
