/* SPDX-License-Identifier: Apache-2.0 */
/* assay verify: is a frozen corpus, to the bit, what was frozen? */
#include <jansson.h>
#include <stdio.h>

#include "cli/cli.h"
#include "corpus/corpus.h"

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
    json_t *problems; /* NULL where they are printed as they come */
    size_t n;
} findings;

static void show_progress(void *context, size_t done, size_t total, const char *detail)
{
    findings *f = context;
    if (!f->is_started) as_progress_start(&f->bar, f->cli, "regions", total);
    f->is_started = true;
    as_progress_step(&f->bar, done, detail);
}

/* A text that may not be UTF-8, as a corpus' path. */
static json_t *text_of(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not UTF-8)");
}

static void take_problem(void *context, const char *file, const assay_error *problem)
{
    findings *f = context;
    f->n++;
    if (f->problems)
        json_array_append_new(f->problems, json_pack("{s:o, s:s, s:o}", "file", text_of(file),
                                                     "code", assay_code_name(problem->code),
                                                     "message", text_of(problem->message)));
    else
        (void)as_cli_fail(f->cli, problem);
}

/* Prints the corpus' size, or the problems as JSON.  Takes f->problems over. */
static assay_code print_result(const char *path, findings *f, assay_error *err)
{
    as_corpus *corpus = NULL;
    assay_code code = f->n ? ASSAY_OK : as_corpus_load(path, &corpus, err);
    if (!code && f->problems) {
        json_t *root = json_pack("{s:o, s:b, s:O}", "corpus", text_of(path), "unchanged",
                                 f->n == 0, "problems", f->problems);
        if (corpus) {
            json_object_set_new(root, "manifest_sha256", json_string(corpus->manifest_sha256));
            json_object_set_new(root, "regions", json_integer((json_int_t)corpus->n_regions));
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
    findings f = {.cli = cli, .problems = o->json ? json_array() : NULL};
    as_corpus_watch watch = {
        .progress = show_progress, .progress_context = &f, .stop = as_stop};
    assay_error err = {0};
    assay_code found = as_corpus_verify(path, &watch, take_problem, &f, &err);
    if (f.is_started) as_progress_end(&f.bar);
    int status = as_cli_exit_status(found);
    if (found == ASSAY_E_INTERRUPTED || print_result(path, &f, &err))
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
