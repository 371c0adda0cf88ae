/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_CORPUS_H
#define ASSAY_CORPUS_CORPUS_H
/*
 * A frozen corpus, read:
 *
 *     CORPUS/manifest.json     documents, regions, calls, settings, hashes; carries its own hash
 *     CORPUS/SHA256SUMS        the sources, as sha256sum lists them
 *     CORPUS/regions/ID.png    one picture a region; ID.npy, one array, in a corpus of tensors
 *
 *     code = as_corpus_load("corpus", &corpus, err);
 *     for (size_t i = 0; i < corpus->n_calls; i++) {
 *         const as_corpus_call *call = &corpus->calls[i];
 *         for (int j = 0; j < call->n; j++)
 *             code = as_corpus_region_pixels(corpus, call->inputs[j], &image, err);
 *     }
 *     as_corpus_free(corpus);
 *
 * freeze.h makes one.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/npy.h"
#include "base/sha256.h"
#include "detect/settings.h"
#include "image/image.h"

#define AS_CORPUS_SCHEMA_VERSION 1
/** The method of a corpus whose regions are arrays for any network (freeze_tensors.h). */
#define AS_CORPUS_TENSORS        "tensors"
/** Most inputs of one call. */
#define AS_CORPUS_BATCH_MAX      1024

/** A file that was given to freeze, frozen or skipped.  Texts belong to the corpus. */
typedef struct as_corpus_source {
    const char *name;   /**< Base name, escaped (names.h) so that it is printable UTF-8. */
    const char *sha256; /**< Of the file. */
    int64_t size_bytes;
} as_corpus_source;

/** A source of which pages were frozen. */
typedef struct as_corpus_document {
    const char *id;   /**< Unique, [A-Za-z0-9._-]: its name without extension. */
    size_t source;    /**< Index in corpus->sources. */
    const char *name; /**< Its source's; as are the next two. */
    const char *sha256;
    int64_t size_bytes;
    const char *format;             /**< "PDF", "PNG" ... */
    int n_pages;                    /**< Of the whole document, frozen or not. */
    int first_page, last_page;      /**< The range that was asked for, from 1. */
    size_t first_region, n_regions; /**< Its part of corpus->regions. */
    size_t first_call, n_calls;     /**< Its part of corpus->calls. */
} as_corpus_document;

/** A rectangle of a page, one input of a network. */
typedef struct as_corpus_region {
    const char *id;  /**< Unique, as "paper-p003-r02". */
    size_t document; /**< Index in corpus->documents. */
    int page;        /**< From 1. */
    int x, y, w, h;  /**< On the page, in pixels. */
    const char
        *tensor; /**< Input of the network that the region is an array for; NULL: a picture.
                             Then `page` is its item, and what describes pictures is 0 or NULL. */
    const char
        *file; /**< Relative to the corpus: "regions/ID.png", of an array "regions/ID.npy". */
    const char *file_sha256;
    const char *pixels_sha256;   /**< Of uint8 bgr[h][w][3]. */
    as_detect_settings settings; /**< Of the detector, for this region. */
    int net_h, net_w;            /**< What the network sees. */
} as_corpus_region;

/** A batch of regions of one document with equal network shape and settings; or an item's arrays. */
typedef struct as_corpus_call {
    const char *id;       /**< Unique, as "paper-c001". */
    size_t document;      /**< Index in corpus->documents. */
    int n, c, h, w;       /**< Shape [n][3][h][w]; of n arrays [n][1][1][1]. */
    const size_t *inputs; /**< size_t inputs[n]: indices in corpus->regions. */
} as_corpus_call;

/** A document or page that could not be frozen. */
typedef struct as_corpus_skip {
    size_t source;      /**< Index in corpus->sources. */
    const char *name;   /**< Its source's. */
    int page;           /**< From 1; 0 = the whole document. */
    const char *kind;   /**< "encrypted", "damaged", "unsupported", "too-large" */
    const char *reason; /**< One sentence. */
} as_corpus_skip;

/** A loaded manifest; everything it points to is freed with it. */
typedef struct as_corpus {
    const char *path;                        /**< As given to as_corpus_load. */
    char manifest_sha256[AS_SHA256_HEX];     /**< Of manifest.json's bytes. */
    const char *assay, *leptonica, *poppler; /**< Versions; poppler "" where no PDF is. */
    int dpi, max_batch;
    const char *method;         /**< "segmentation", "whole-pages", "file" */
    const char *regions_sha256; /**< Of the regions file where method is "file", else NULL. */
    as_corpus_source *sources;
    size_t n_sources;
    as_corpus_document *documents;
    size_t n_documents;
    as_corpus_region *regions;
    size_t n_regions;
    as_corpus_call *calls;
    size_t n_calls;
    as_corpus_skip *skipped;
    size_t n_skipped;
    struct as_arena *arena; /**< Owns all of the above but the struct itself. */
} as_corpus;

/**
 * Read a corpus' manifest and look whether it holds together: its own hash, every id, path and
 * size, and that the calls are those which its regions give.  Region files are not read.
 * @return ASSAY_E_NOT_FOUND (no folder, no manifest), ASSAY_E_CHANGED (its hash), ASSAY_E_FORMAT
 *         (with the place in err->where), ASSAY_E_UNSUPPORTED (schema version), ASSAY_E_IO,
 *         ASSAY_E_MEMORY.
 */
assay_code as_corpus_load(const char *path, as_corpus **out, assay_error *err);

/** Free it; takes NULL. */
void as_corpus_free(as_corpus *corpus);

/** Index of the document with this id or file name.  @return false when there is none. */
bool as_corpus_find_document(const as_corpus *corpus, const char *name, size_t *index);

/** Index of the call with this id.  @return false when there is none. */
bool as_corpus_find_call(const as_corpus *corpus, const char *id, size_t *index);

/** "CORPUS/regions/ID.png" in fresh memory (as_free); NULL without memory. */
char *as_corpus_region_path(const as_corpus *corpus, size_t region);

/**
 * Read a region's pixels and hold them to their hash.
 * @return ASSAY_E_CHANGED when the file is missing or not the one that was frozen, and as
 *         as_image_read.
 */
assay_code as_corpus_region_pixels(const as_corpus *corpus, size_t region, as_image *out,
                                   assay_error *err);

/** Whether the regions are arrays, for any network, and not pictures for a text detector. */
bool as_corpus_is_tensors(const as_corpus *corpus);

/** Read a region's array and hold its file to its hash.  Errors as as_corpus_region_pixels. */
assay_code as_corpus_region_array(const as_corpus *corpus, size_t region, as_npy *out,
                                  assay_error *err);

/** One thing that is wrong with a corpus; `file` is relative to it. */
typedef void (*as_corpus_report)(void *context, const char *file, const assay_error *problem);

/** What may watch a long call: `done` of `total` steps.  Both may be NULL. */
typedef struct as_corpus_watch {
    void (*progress)(void *context, size_t done, size_t total, const char *detail);
    void *progress_context;
    bool (*stop)(void *context); /**< Once true the call ends with ASSAY_E_INTERRUPTED. */
    void *stop_context;
} as_corpus_watch;

/**
 * Look at every byte of a corpus: manifest, SHA256SUMS, each region's file and pixels, and that
 * nothing else lies in the folder.
 * @param report  called for every problem; may be NULL.
 * @return ASSAY_OK, or the first problem's code (ASSAY_E_CHANGED, ASSAY_E_FORMAT,
 *         ASSAY_E_NOT_FOUND ...) with the file named in `err`.
 */
assay_code as_corpus_verify(const char *path, const as_corpus_watch *watch,
                            as_corpus_report report, void *context, assay_error *err);

#endif
