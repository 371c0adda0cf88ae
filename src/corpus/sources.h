/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_SOURCES_H
#define ASSAY_CORPUS_SOURCES_H
/* From the command line's documents to files: page ranges split off, folders replaced by their files. */
#include <stdbool.h>

#include "corpus/freeze.h"

/** One file to freeze. */
typedef struct as_source {
    char *path; /**< Owned. */
    as_page_range range;
    bool has_range;
} as_source;

/** Growing list; owns all. */
typedef struct as_sources {
    as_source *items;
    size_t n, room;
} as_sources;

/**
 * The files that `arguments` name, in order; a folder's in byte order of names, what is no regular
 * file (a subfolder, a pipe, a link to nothing) left out.
 * @return ASSAY_E_NOT_FOUND for what does not exist, ASSAY_E_ARGUMENT for a bad range or one behind a
 *         folder, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_sources_expand(const char *const *arguments, size_t n, as_sources *out,
                             assay_error *err);
void as_sources_free(as_sources *sources);

#endif
