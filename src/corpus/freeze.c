/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freeze: the sources are opened and their pages counted first, so that a wrong page range fails
 * before any work; then each page is rendered, cut and stored.
 */
#include "corpus/freeze.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "corpus/build.h"
#include "corpus/manifest.h"
#include "corpus/regions_file.h"
#include "corpus/segment.h"
#include "corpus/sources.h"

/* What is known of a source before its pages are rendered. */
typedef struct planned {
    const as_source *source; /* borrows */
    int n_pages;             /* 0 = it cannot be opened */
    int first, last;         /* pages to freeze, from 1 */
    as_trouble trouble;      /* where n_pages is 0 */
    char *reason;            /* owns; as trouble */
} planned;

typedef struct freezer {
    const as_freeze_options *options;
    as_sources sources;
    planned *plan;          /* planned[sources.n] */
    as_named_regions named; /* empty without a regions file */
    as_build *build;
    size_t n_done, n_total; /* pages */
    size_t n_frozen;        /* pages that were stored */
    assay_error *err;
} freezer;

as_freeze_options as_freeze_defaults(void)
{
    return (as_freeze_options){.dpi = 200,
                               .max_batch = 16,
                               .settings = as_detect_settings_defaults(),
                               .limits = as_document_limits_defaults()};
}

static assay_code check_options(const as_freeze_options *o, assay_error *err)
{
    if (o->dpi < 10 || o->dpi > 1200)
        return as_fail(err, ASSAY_E_ARGUMENT, "dpi is %d, it has to be in 10..1200", o->dpi);
    if (o->max_batch < 1 || o->max_batch > AS_CORPUS_BATCH_MAX)
        return as_fail(err, ASSAY_E_ARGUMENT, "max-batch is %d, it has to be in 1..%d",
                       o->max_batch, AS_CORPUS_BATCH_MAX);
    if (o->whole_pages && o->regions_path)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "whole pages and the regions of %s exclude each other", o->regions_path);
    return as_detect_settings_check(&o->settings, err);
}

/* A document's sentence with its base name in the place of its path. */
static char *by_base_name(const char *path, const char *sentence)
{
    size_t n = strlen(path);
    bool begins = strncmp(sentence, path, n) == 0;
    return begins ? as_format("%s%s", as_path_base(path), sentence + n) : as_strdup(sentence);
}

/* Whether page `page` of a source has regions of its own in the regions file, or needs none. */
static bool is_wanted(const freezer *z, const as_source *source, int page)
{
    if (!z->options->regions_path) return true;
    const char *name = as_path_base(source->path);
    for (size_t i = 0; i < z->named.n; i++)
        if (z->named.items[i].page == page && strcmp(z->named.items[i].document, name) == 0)
            return true;
    return false;
}

static assay_code plan_pages(freezer *z, planned *p, assay_error *err)
{
    const as_source *s = p->source;
    p->first = s->has_range ? s->range.first : 1;
    p->last = s->has_range && s->range.last ? s->range.last : p->n_pages;
    if (p->last > p->n_pages || p->first > p->n_pages)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s has %d page%s, page %d is asked for", s->path,
                       p->n_pages, p->n_pages == 1 ? "" : "s",
                       p->last > p->n_pages ? p->last : p->first);
    for (int page = p->first; page <= p->last; page++)
        z->n_total += is_wanted(z, s, page);
    return ASSAY_OK;
}

static assay_code plan_source(freezer *z, size_t i)
{
    as_document *document;
    assay_error problem;
    planned *p = &z->plan[i];
    p->source = &z->sources.items[i];
    assay_code code = as_document_open(p->source->path, &z->options->limits, &document,
                                       &p->trouble, &problem);
    if (!code) {
        p->n_pages = as_document_n_pages(document);
        code = plan_pages(z, p, z->err);
        as_document_free(document);
        return code;
    }
    if (p->trouble == AS_TROUBLE_NONE) {
        if (z->err) *z->err = problem;
        return code;
    }
    p->reason = by_base_name(p->source->path, problem.message);
    return p->reason ? ASSAY_OK : as_fail(z->err, ASSAY_E_MEMORY, "no memory to freeze");
}

static assay_code plan_all(freezer *z)
{
    z->plan = as_alloc_array(z->sources.n + 1, sizeof *z->plan);
    if (!z->plan)
        return as_fail(z->err, ASSAY_E_MEMORY, "no memory for %zu sources", z->sources.n);
    for (size_t i = 0; i < z->sources.n; i++) {
        assay_code code = plan_source(z, i);
        if (code) return code;
    }
    return ASSAY_OK;
}

static assay_code add_crop(freezer *z, const as_image *page, int page_number, as_rect r,
                           const as_detect_settings *settings)
{
    as_image crop;
    assay_code code = as_image_crop(page, r.x0, r.y0, r.x1 - r.x0, r.y1 - r.y0, &crop, z->err);
    if (!code)
        code = as_build_region(z->build, &crop, page_number, r.x0, r.y0, settings, z->err);
    as_image_free(&crop);
    return code;
}

static assay_code add_segments(freezer *z, const as_image *page, int page_number)
{
    as_rects regions;
    assay_code code = as_segment(page, &regions, z->err);
    for (size_t i = 0; !code && i < regions.n; i++)
        code = add_crop(z, page, page_number, regions.items[i], &z->options->settings);
    as_rects_free(&regions);
    return code;
}

static assay_code add_named(freezer *z, const as_source *source, const as_image *page,
                            int page_number)
{
    const char *name = as_path_base(source->path);
    for (size_t i = 0; i < z->named.n; i++) {
        as_named_region *r = &z->named.items[i];
        if (r->page != page_number || strcmp(r->document, name) != 0) continue;
        if (r->w > page->w - r->x || r->h > page->h - r->y)
            return as_fail(z->err, ASSAY_E_FORMAT,
                           "%s region %zu reaches to %d,%d, page %d of %s has %dx%d pixels",
                           z->options->regions_path, i + 1, r->x + r->w, r->y + r->h,
                           page_number, name, page->w, page->h);
        as_rect rect = {r->x, r->y, r->x + r->w, r->y + r->h};
        assay_code code = add_crop(z, page, page_number, rect, &r->settings);
        if (code) return code;
        r->is_used = true;
    }
    return ASSAY_OK;
}

static assay_code add_page(freezer *z, const as_source *source, const as_image *page,
                           int page_number)
{
    if (z->options->regions_path) return add_named(z, source, page, page_number);
    if (!z->options->whole_pages) return add_segments(z, page, page_number);
    return add_crop(z, page, page_number, (as_rect){0, 0, page->w, page->h},
                    &z->options->settings);
}

/* PNG files may claim sides that no detector takes. */
static assay_code check_sides(const as_source *source, const as_image *page,
                              as_trouble *trouble, assay_error *err)
{
    if (page->w <= AS_IMAGE_SIDE_MAX && page->h <= AS_IMAGE_SIDE_MAX) return ASSAY_OK;
    *trouble = AS_TROUBLE_TOO_LARGE;
    return as_fail(err, ASSAY_E_UNSUPPORTED,
                   "%s has %dx%d pixels, sides of at most %d are allowed", source->path,
                   page->w, page->h, AS_IMAGE_SIDE_MAX);
}

static assay_code freeze_page(freezer *z, const as_source *source, size_t source_index,
                              as_document *document, int page_number)
{
    as_image page;
    as_trouble trouble;
    assay_error problem;
    assay_code code =
        as_document_page(document, page_number - 1, z->options->dpi, &page, &trouble, &problem);
    if (!code) code = check_sides(source, &page, &trouble, &problem);
    if (!code) {
        code = add_page(z, source, &page, page_number);
        z->n_frozen++;
    } else if (trouble != AS_TROUBLE_NONE) {
        char *reason = by_base_name(source->path, problem.message);
        code = reason
                   ? as_build_skip(z->build, source_index, page_number, trouble, reason, z->err)
                   : as_fail(z->err, ASSAY_E_MEMORY, "no memory to freeze");
        as_free(reason);
    } else if (z->err) {
        *z->err = problem;
    }
    as_image_free(&page);
    return code;
}

static assay_code watch(freezer *z, const as_source *source, int page)
{
    const as_corpus_watch *w = &z->options->watch;
    if (w->progress) {
        char detail[96];
        snprintf(detail, sizeof detail, "%.70s page %d", as_path_base(source->path), page);
        w->progress(w->progress_context, z->n_done, z->n_total, detail);
    }
    if (w->stop && w->stop(w->stop_context))
        return as_fail(z->err, ASSAY_E_INTERRUPTED, "interrupted after %zu of %zu pages",
                       z->n_done, z->n_total);
    return ASSAY_OK;
}

static assay_code freeze_pages(freezer *z, const planned *p, size_t source_index)
{
    as_document *document;
    as_trouble trouble;
    assay_code code =
        as_document_open(p->source->path, &z->options->limits, &document, &trouble, z->err);
    if (code) return code;
    code = as_build_document(z->build, source_index,
                             as_image_format_name(as_document_format(document)),
                             as_document_n_pages(document), p->first, p->last, z->err);
    for (int page = p->first; !code && page <= p->last; page++) {
        if (!is_wanted(z, p->source, page)) continue;
        code = watch(z, p->source, page);
        if (!code) code = freeze_page(z, p->source, source_index, document, page);
        z->n_done++;
    }
    as_document_free(document);
    return code;
}

static assay_code freeze_source(freezer *z, const planned *p)
{
    char before[AS_SHA256_HEX], behind[AS_SHA256_HEX];
    const char *path = p->source->path;
    struct stat info;
    size_t source_index;
    assay_code code = as_sha256_file(path, before, z->err);
    if (code) return code;
    int64_t size = stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
    code = as_build_source(z->build, as_path_base(path), before, size, &source_index, z->err);
    if (code) return code;
    if (p->n_pages == 0)
        return as_build_skip(z->build, source_index, 0, p->trouble, p->reason, z->err);
    code = freeze_pages(z, p, source_index);
    if (!code) code = as_sha256_file(path, behind, z->err);
    if (!code && strcmp(before, behind) != 0)
        code = as_fail(z->err, ASSAY_E_CHANGED, "%s changed while it was frozen", path);
    return code;
}

static assay_code describe(freezer *z)
{
    as_corpus *c = as_build_corpus(z->build);
    char leptonica[256], poppler[64] = "";
    as_image_versions(leptonica, sizeof leptonica);
    for (size_t i = 0; i < c->n_documents; i++)
        if (strcmp(c->documents[i].format, "PDF") == 0 && !poppler[0])
            as_document_poppler_version(poppler, sizeof poppler);
    c->dpi = z->options->dpi;
    c->max_batch = z->options->max_batch;
    c->method = z->options->regions_path  ? "file"
                : z->options->whole_pages ? "whole-pages"
                                          : "segmentation";
    if (z->options->regions_path) c->regions_sha256 = z->named.sha256;
    c->assay = ASSAY_VERSION;
    c->leptonica = as_arena_strdup(c->arena, leptonica);
    c->poppler = as_arena_strdup(c->arena, poppler);
    if (c->leptonica && c->poppler) return ASSAY_OK;
    return as_fail(z->err, ASSAY_E_MEMORY, "no memory to freeze");
}

/* A region of the regions file that no source had is a mistake, not a smaller corpus. */
static assay_code check_all_used(const freezer *z)
{
    if (as_build_corpus(z->build)->n_skipped) return ASSAY_OK;
    for (size_t i = 0; i < z->named.n; i++)
        if (!z->named.items[i].is_used)
            return as_fail(z->err, ASSAY_E_FORMAT,
                           "%s region %zu is on page %d of %s, which is not frozen",
                           z->options->regions_path, i + 1, z->named.items[i].page,
                           z->named.items[i].document);
    return ASSAY_OK;
}

static void summarize(const freezer *z, as_freeze_summary *summary)
{
    const as_corpus *c = as_build_corpus(z->build);
    *summary = (as_freeze_summary){.n_documents = c->n_documents,
                                   .n_pages = z->n_frozen,
                                   .n_regions = c->n_regions,
                                   .n_calls = c->n_calls,
                                   .n_skipped = c->n_skipped};
    for (size_t i = 0; i < c->n_calls; i++)
        if (c->calls[i].n > summary->largest_call) summary->largest_call = c->calls[i].n;
}

static assay_code freeze_all(freezer *z, const char *path, as_freeze_summary *summary)
{
    assay_code code = ASSAY_OK;
    if (z->options->regions_path)
        code = as_named_regions_read(z->options->regions_path, &z->options->settings, &z->named,
                                     z->err);
    if (!code) code = plan_all(z);
    if (!code) code = as_build_begin(path, &z->build, z->err);
    for (size_t i = 0; !code && i < z->sources.n; i++)
        code = freeze_source(z, &z->plan[i]);
    if (!code) code = check_all_used(z);
    if (!code) code = describe(z);
    if (!code) code = as_build_finish(z->build, z->options->force, z->err);
    if (!code) summarize(z, summary);
    return code;
}

assay_code as_corpus_freeze(const char *const *sources, size_t n_sources, const char *path,
                            const as_freeze_options *options, as_freeze_summary *summary,
                            assay_error *err)
{
    freezer z = {.options = options, .err = err};
    *summary = (as_freeze_summary){0};
    assay_code code = check_options(options, err);
    if (!code) code = as_build_check_place(path, options->force, err);
    if (!code) code = as_sources_expand(sources, n_sources, &z.sources, err);
    if (!code) code = freeze_all(&z, path, summary);
    as_build_free(z.build);
    as_named_regions_free(&z.named);
    for (size_t i = 0; z.plan && i < z.sources.n; i++)
        as_free(z.plan[i].reason);
    as_free(z.plan);
    as_sources_free(&z.sources);
    return code;
}
