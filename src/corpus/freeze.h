/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_FREEZE_H
#define ASSAY_CORPUS_FREEZE_H
/*
 * Making a frozen corpus.
 *
 *     as_freeze_options options = as_freeze_defaults();
 *     as_freeze_summary summary;
 *     code = as_corpus_freeze((const char *[]){"paper.pdf[1-5]", "scans"}, 2, "corpus", &options,
 *                             &summary, err);
 *
 * The folder appears whole or not at all.  The same sources, options and tools give the same bytes.
 */
#include "corpus/corpus.h"
#include "image/document.h"

typedef struct as_freeze_options {
    int dpi;                     /**< Of PDF pages, 10..1200; 200. */
    int max_batch;               /**< Most inputs of a call, 1..AS_CORPUS_BATCH_MAX; 16. */
    bool whole_pages;            /**< Each page is one region; false. */
    const char *regions_path;    /**< JSON file with the regions (regions_file.h), or NULL. */
    bool force;                  /**< Replace an existing corpus; false. */
    as_detect_settings settings; /**< Stored with every region. */
    as_document_limits limits;   /**< On rendering. */
    as_corpus_watch watch;       /**< Progress counts pages. */
} as_freeze_options;

typedef struct as_freeze_summary {
    size_t n_documents, n_pages, n_regions, n_calls, n_skipped;
    int largest_call; /**< Inputs of the largest call. */
} as_freeze_summary;

/** The values stated at the fields. */
as_freeze_options as_freeze_defaults(void);

/**
 * Freeze documents into the folder `path`.
 * @param sources  PDFs, images, folders of them (their files in byte order of names), each with an
 *                 optional page range: "x.pdf[3]", "x.pdf[1-5]", "x.pdf[2-]".
 * @param summary  filled on success.
 * @return ASSAY_OK also when some documents or pages were skipped (summary->n_skipped, the
 *         manifest's `skipped`); ASSAY_E_ARGUMENT (options, a page range, `path` exists),
 *         ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT (the regions file), ASSAY_E_ENVIRONMENT (no poppler),
 *         ASSAY_E_IO, ASSAY_E_MEMORY, ASSAY_E_INTERRUPTED.  On failure nothing is at `path` that was
 *         not there before.
 */
assay_code as_corpus_freeze(const char *const *sources, size_t n_sources, const char *path,
                            const as_freeze_options *options, as_freeze_summary *summary,
                            assay_error *err);

/** A page range; from 1. */
typedef struct as_page_range {
    int first;
    int last; /**< 0 = the document's last page. */
} as_page_range;

/**
 * Split "x.pdf[2-]" into its path and range.  A trailing [..] counts only when no file has the
 * whole name.
 * @param path  in fresh memory (as_free).
 * @return ASSAY_E_ARGUMENT for a range such as "[0]" or "[5-2]"; ASSAY_E_MEMORY.
 */
assay_code as_source_parse(const char *source, char **path, as_page_range *range,
                           assay_error *err);

#endif
