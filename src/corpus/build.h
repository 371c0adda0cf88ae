/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_BUILD_H
#define ASSAY_CORPUS_BUILD_H
/*
 * A corpus under construction: a folder beside its later place, and the as_corpus that describes
 * what is in it so far.
 *
 *     code = as_build_begin("corpus", &build, err);
 *     code = as_build_source(build, "paper.pdf", sha256, bytes, &source, err);
 *     code = as_build_document(build, source, "PDF", n_pages, first, last, err);
 *     code = as_build_region(build, &image, page, x, y, &settings, err);   ...
 *     code = as_build_finish(build, max_batch, force, err);                // renamed into place
 *     as_build_free(build);                                      // or all of it is removed
 */
#include "corpus/corpus.h"
#include "image/document.h"

typedef struct as_build as_build;

/**
 * Whether a corpus may be put at `path`: nothing is there, or, with `force`, an empty folder or a
 * corpus that holds nothing else.  @return ASSAY_E_ARGUMENT, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_build_check_place(const char *path, bool force, assay_error *err);

/** Make the folder beside `path`.  @return ASSAY_E_IO, ASSAY_E_MEMORY. */
assay_code as_build_begin(const char *path, as_build **out, assay_error *err);

/** Remove what is not finished, free; takes NULL. */
void as_build_free(as_build *build);

/** What is built; the caller sets dpi, max_batch, method and the tools' versions. */
as_corpus *as_build_corpus(as_build *build);

/** Enter a source by base name, once for each name and content. */
assay_code as_build_source(as_build *build, const char *name, const char *sha256,
                           int64_t size_bytes, size_t *source, assay_error *err);

/** Begin a document: the regions that follow are its. */
assay_code as_build_document(as_build *build, size_t source, const char *format, int n_pages,
                             int first_page, int last_page, assay_error *err);

/** Store one region of the last document's page, found at x, y. */
assay_code as_build_region(as_build *build, const as_image *pixels, int page, int x, int y,
                           const as_detect_settings *settings, assay_error *err);

/** Store an array file, whose hash is `hex`, of the last document for the network's input `input`. */
assay_code as_build_tensor(as_build *build, const char *input, const as_bytes *file,
                           const char *hex, int item, assay_error *err);

/** List a document (page 0) or page as skipped; the reason begins with the source's name. */
assay_code as_build_skip(as_build *build, size_t source, int page, as_trouble kind,
                         const char *reason, assay_error *err);

/** Group the calls, write manifest and sums, rename the folder into place. */
assay_code as_build_finish(as_build *build, bool force, assay_error *err);

#endif
