/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_MANIFEST_H
#define ASSAY_CORPUS_MANIFEST_H
/*
 * manifest.json and SHA256SUMS as texts.  The manifest's last key, "self_sha256", is the SHA-256 of
 * the file's bytes with these 64 digits as zeros, so that no byte of it can change unseen.
 */
#include <jansson.h>

#include "corpus/corpus.h"

#define AS_MANIFEST_NAME      "manifest.json"
#define AS_SUMS_NAME          "SHA256SUMS"
#define AS_REGIONS_FOLDER     "regions"
/** No manifest of more bytes is read. */
#define AS_MANIFEST_BYTES_MAX ((size_t)256 << 20)

/** The manifest of a corpus as text; the caller's (as_bytes_free).  @return ASSAY_E_MEMORY. */
assay_code as_manifest_print(const as_corpus *corpus, as_bytes *text, assay_error *err);

/** SHA256SUMS of a corpus' sources as sha256sum prints them.  @return ASSAY_E_MEMORY. */
assay_code as_sums_print(const as_corpus *corpus, as_bytes *text, assay_error *err);

/**
 * Read a manifest's text into `corpus`, whose arena and path are there already.
 * @return ASSAY_E_CHANGED, ASSAY_E_FORMAT, ASSAY_E_UNSUPPORTED, ASSAY_E_MEMORY.
 */
assay_code as_manifest_parse(as_bytes *text, as_corpus *corpus, assay_error *err);

/** Detector settings as a JSON object; NULL without memory. */
json_t *as_settings_to_json(const as_detect_settings *settings);

/**
 * Take over the settings that the object names; keys that are no settings are refused.
 * @return ASSAY_E_FORMAT.
 */
assay_code as_settings_from_json(const json_t *object, as_detect_settings *settings,
                                 assay_error *err);

#endif
