/* SPDX-License-Identifier: Apache-2.0 */
/* assay freeze: documents -> a frozen corpus. */
#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/detect_options.h"
#include "corpus/freeze_tensors.h"
#include "report/text.h"

typedef struct freeze_options {
    as_detect_options detect;
    const char *output, *regions, *password_file;
    as_strings tensors;
    int64_t dpi, max_batch, page_timeout;
    bool whole_pages, force, json;
} freeze_options;

static const freeze_options defaults = {
    .detect = AS_DETECT_DEFAULTS, .dpi = 200, .max_batch = 16, .page_timeout = 60};

static const as_option options[] = {
    AS_TEXT(freeze_options, output, "o,output", "CORPUS", "folder to make"),
    AS_INT(freeze_options, dpi, "dpi", "N", 10, 1200, "resolution of PDF pages; default 200"),
    AS_TEXT(freeze_options, password_file, "password-file", "FILE",
            "passwords of encrypted PDFs, one a line, tried in order"),
    AS_FLAG(freeze_options, whole_pages, "whole-pages",
            "one region a page instead of paragraphs, figures and tables"),
    AS_TEXT(freeze_options, regions, "regions", "FILE.json",
            "regions as {\"regions\": [{\"document\", \"page\", \"xywh\", \"settings\"}]}"),
    AS_LIST(freeze_options, tensors, "tensors", "NAME=FOLDER/*.npy",
            "arrays for the network's input NAME instead of documents; once for each input"),
    AS_INT(freeze_options, max_batch, "max-batch", "N", 1, AS_CORPUS_BATCH_MAX,
           "most regions of one shape in a call; default 16"),
    AS_DETECT_OPTIONS(freeze_options, detect),
    AS_INT(freeze_options, page_timeout, "page-timeout", "SECONDS", 1, 3600,
           "limit on rendering one PDF page; default 60"),
    AS_FLAG(freeze_options, force, "force", "replace an existing corpus"),
    AS_FLAG(freeze_options, json, "json", "print the summary as JSON"),
    AS_OPTIONS_END,
};

/* The progress bar starts when the number of pages is known. */
typedef struct page_progress {
    const as_cli *cli;
    as_progress bar;
    bool is_started;
} page_progress;

static void show_progress(void *context, size_t done, size_t total, const char *detail)
{
    page_progress *p = context;
    if (!p->is_started) as_progress_start(&p->bar, p->cli, "pages", total);
    p->is_started = true;
    as_progress_step(&p->bar, done, detail);
}

static void print_summary(const freeze_options *o, const as_freeze_summary *s)
{
    if (o->tensors.n) {
        printf("%s: %zu tensors in %zu calls, one for each item\n", o->output, s->n_regions,
               s->n_calls);
        return;
    }
    printf("%s: %zu regions of %zu pages in %zu calls, the largest of %d; %zu documents",
           o->output, s->n_regions, s->n_pages, s->n_calls, s->largest_call, s->n_documents);
    if (s->n_skipped) printf(", %zu documents or pages skipped", s->n_skipped);
    putchar('\n');
}

static assay_code print_json(const freeze_options *o, const as_corpus *corpus,
                             const as_freeze_summary *s, assay_error *err)
{
    json_t *skipped = json_array();
    for (size_t i = 0; i < corpus->n_skipped; i++) {
        const as_corpus_skip *skip = &corpus->skipped[i];
        as_json_append(&skipped,
                       json_pack("{s:o, s:o, s:s, s:o}", "name", as_json_name(skip->name),
                                 "page", skip->page ? json_integer(skip->page) : json_null(),
                                 "kind", skip->kind, "reason", as_json_name(skip->reason)));
    }
    json_t *root = json_pack(
        "{s:o, s:s, s:I, s:I, s:I, s:I, s:i, s:o}", "corpus", as_json_name(o->output),
        "manifest_sha256", corpus->manifest_sha256, "documents", (json_int_t)s->n_documents,
        "pages", (json_int_t)s->n_pages, "regions", (json_int_t)s->n_regions, "calls",
        (json_int_t)s->n_calls, "largest_call", s->largest_call, "skipped", skipped);
    assay_code code = as_output_json(root, true, err);
    json_decref(root);
    return code;
}

/* What was made is read again, which also proves that it can be. */
static int report(const as_cli *cli, const freeze_options *o, const as_freeze_summary *summary)
{
    as_corpus *corpus;
    assay_error err = {0};
    assay_code code = as_corpus_load(o->output, &corpus, &err);
    if (code) return as_cli_fail(cli, &err);
    for (size_t i = 0; i < corpus->n_skipped; i++)
        as_warn(cli, "skipped (%s): %s", corpus->skipped[i].kind, corpus->skipped[i].reason);
    if (o->json)
        code = print_json(o, corpus, summary, &err);
    else
        print_summary(o, summary);
    as_corpus_free(corpus);
    if (code) return as_cli_fail(cli, &err);
    return summary->n_skipped ? AS_EXIT_INPUT : AS_EXIT_DONE;
}

static int run(const as_cli *cli, const void *values)
{
    const freeze_options *o = values;
    page_progress progress = {.cli = cli};
    as_freeze_options freeze = as_freeze_defaults();
    as_freeze_summary summary;
    as_passwords passwords = {0};
    assay_error err = {0};
    if (!o->output) return as_cli_usage(cli, "-o CORPUS is missing, the folder to make");
    if (!o->tensors.n && !cli->arguments.n)
        return as_cli_usage(cli, "no documents are named, and no --tensors NAME=FOLDER/*.npy");
    if (o->tensors.n && cli->arguments.n)
        return as_cli_usage(cli, "either documents or --tensors are needed, not both");
    freeze.watch.stop = as_stop;
    freeze.watch.progress = show_progress;
    freeze.watch.progress_context = &progress;
    if (o->tensors.n) {
        assay_code code = as_corpus_freeze_tensors(o->tensors.items, o->tensors.n, o->output,
                                                   o->force, &freeze.watch, &summary, &err);
        if (progress.is_started) as_progress_end(&progress.bar);
        return code ? as_cli_fail(cli, &err) : report(cli, o, &summary);
    }
    freeze.dpi = (int)o->dpi;
    freeze.max_batch = (int)o->max_batch;
    freeze.whole_pages = o->whole_pages;
    freeze.regions_path = o->regions;
    freeze.force = o->force;
    freeze.settings = as_detect_options_settings(&o->detect);
    freeze.limits.wall_s = (double)o->page_timeout;
    freeze.limits.stop = as_stop;
    freeze.limits.passwords = &passwords;
    assay_code code =
        o->password_file ? as_passwords_read(o->password_file, &passwords, &err) : ASSAY_OK;
    if (!code)
        code = as_corpus_freeze(cli->arguments.items, cli->arguments.n, o->output, &freeze,
                                &summary, &err);
    as_passwords_free(&passwords);
    if (progress.is_started) as_progress_end(&progress.bar);
    return code ? as_cli_fail(cli, &err) : report(cli, o, &summary);
}

const as_verb as_verb_freeze = {
    .name = "freeze",
    .summary = "make a frozen corpus of documents",
    .usage = "DOC... | --tensors NAME=FOLDER/*.npy... -o CORPUS [options]",
    .description =
        "Renders PDFs, images and the regular files of folders, cuts the pages into regions, "
        "stores these as PNG and groups those of equal network shape into calls. DOC[3], "
        "DOC[1-5] and DOC[2-] take pages of a document. What cannot be read is listed as "
        "skipped and makes the exit status 4. The same documents give the same bytes.\n"
        "With --tensors the k-th files of all inputs, in byte order of names, are one call of "
        "any "
        "network.",
    .example = "assay freeze paper.pdf 'book.pdf[1-95]' scans/ -o corpus\n"
               "assay freeze photo.jpg -o corpus --whole-pages --limit-side 640\n"
               "assay freeze --tensors 'x=inputs/*.npy' -o corpus",
    .options = options,
    .values_bytes = sizeof(freeze_options),
    .defaults = &defaults,
    .most_arguments = AS_ANY_NUMBER,
    .run = run,
};
