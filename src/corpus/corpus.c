/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/corpus.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "corpus/manifest.h"

/* CORPUS/manifest.json's text; a missing one is told as what it means. */
static assay_code read_manifest(const char *path, as_bytes *text, assay_error *err)
{
    if (!as_file_exists(path))
        return as_fail(err, ASSAY_E_NOT_FOUND, "corpus %s does not exist", path);
    if (!as_file_is_folder(path))
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is a file, a corpus is a folder that assay freeze makes", path);
    char *manifest = as_path_join(path, AS_MANIFEST_NAME);
    if (!manifest) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    assay_code code = as_file_exists(manifest)
                          ? as_file_read(manifest, AS_MANIFEST_BYTES_MAX, text, err)
                          : as_fail(err, ASSAY_E_NOT_FOUND, "%s is not a corpus: it has no %s",
                                    path, AS_MANIFEST_NAME);
    as_free(manifest);
    return code;
}

assay_code as_corpus_load(const char *path, as_corpus **out, assay_error *err)
{
    as_bytes text = {0};
    *out = NULL;
    as_corpus *corpus = as_alloc(sizeof *corpus);
    if (corpus) corpus->arena = as_arena_new();
    if (corpus && corpus->arena) corpus->path = as_arena_strdup(corpus->arena, path);
    assay_code code = corpus && corpus->path
                          ? read_manifest(path, &text, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to load corpus %s", path);
    if (!code) {
        code = as_manifest_parse(&text, corpus, err);
        if (code) as_error_where(err, "%s/%s", path, AS_MANIFEST_NAME);
    }
    as_bytes_free(&text);
    if (code)
        as_corpus_free(corpus);
    else
        *out = corpus;
    return code;
}

void as_corpus_free(as_corpus *corpus)
{
    if (!corpus) return;
    as_arena_free(corpus->arena);
    as_free(corpus);
}

bool as_corpus_find_document(const as_corpus *corpus, const char *name, size_t *index)
{
    for (size_t i = 0; i < corpus->n_documents; i++) {
        const as_corpus_document *d = &corpus->documents[i];
        if (strcmp(d->id, name) != 0 && strcmp(d->name, name) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

bool as_corpus_find_call(const as_corpus *corpus, const char *id, size_t *index)
{
    for (size_t i = 0; i < corpus->n_calls; i++) {
        if (strcmp(corpus->calls[i].id, id) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

char *as_corpus_region_path(const as_corpus *corpus, size_t region)
{
    return as_path_join(corpus->path, corpus->regions[region].file);
}

static assay_code check_pixels(const as_corpus_region *r, const as_image *image,
                               assay_error *err)
{
    char hex[AS_SHA256_HEX];
    if (image->h != r->h || image->w != r->w)
        return as_fail(err, ASSAY_E_CHANGED, "%s has %dx%d pixels, %dx%d were frozen", r->file,
                       image->w, image->h, r->w, r->h);
    size_t bytes = (size_t)image->h * (size_t)image->w * 3;
    assay_code code = as_sha256_bytes(image->bgr, bytes, hex, err);
    if (!code && strcmp(hex, r->pixels_sha256) != 0)
        code = as_fail(err, ASSAY_E_CHANGED, "the pixels of %s have SHA-256 %s, frozen were %s",
                       r->file, hex, r->pixels_sha256);
    return code;
}

/* A region's file, held to its hash. */
static assay_code read_file(const as_corpus *corpus, size_t region, size_t limit_bytes,
                            as_bytes *file, assay_error *err)
{
    const as_corpus_region *r = &corpus->regions[region];
    char hex[AS_SHA256_HEX], *path = as_corpus_region_path(corpus, region);
    assay_code code = path ? as_file_read(path, limit_bytes, file, err)
                           : as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", r->file);
    if (code == ASSAY_E_NOT_FOUND)
        code = as_fail(err, ASSAY_E_CHANGED, "%s is missing from the corpus", r->file);
    if (!code) code = as_sha256_bytes(file->data, file->size, hex, err);
    if (!code && strcmp(hex, r->file_sha256) != 0)
        code = as_fail(err, ASSAY_E_CHANGED, "%s is changed: its SHA-256 is %s, frozen was %s",
                       r->file, hex, r->file_sha256);
    as_free(path);
    return code;
}

assay_code as_corpus_region_pixels(const as_corpus *corpus, size_t region, as_image *out,
                                   assay_error *err)
{
    const as_corpus_region *r = &corpus->regions[region];
    as_bytes file = {0};
    *out = (as_image){0};
    assay_code code = read_file(corpus, region, AS_IMAGE_FILE_BYTES_MAX, &file, err);
    if (!code) code = as_image_decode(file.data, file.size, r->file, out, err);
    if (!code) code = check_pixels(r, out, err);
    if (code) as_image_free(out);
    if (code) as_error_where(err, "%s", corpus->path);
    as_bytes_free(&file);
    return code;
}

assay_code as_corpus_region_array(const as_corpus *corpus, size_t region, as_npy *out,
                                  assay_error *err)
{
    as_bytes file = {0};
    *out = (as_npy){0};
    assay_code code = read_file(corpus, region, 0, &file, err);
    if (!code)
        code = as_npy_parse(file.data, file.size, corpus->regions[region].file, out, err);
    if (code) as_error_where(err, "%s", corpus->path);
    as_bytes_free(&file);
    return code;
}

bool as_corpus_is_tensors(const as_corpus *corpus)
{
    return strcmp(corpus->method, AS_CORPUS_TENSORS) == 0;
}
