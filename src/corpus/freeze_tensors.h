/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_FREEZE_TENSORS_H
#define ASSAY_CORPUS_FREEZE_TENSORS_H
/*
 * A corpus for any network: tensors out of .npy files instead of pictures out of documents.
 *
 *     const char *given[] = {"x=in/[0-9].npy", "mask=masks/[0-9].npy"};
 *     code = as_corpus_freeze_tensors(given, 2, "corpus", false, &watch, &summary, err);
 *
 *     item 1:  in/0.npy  masks/0.npy      the k-th file of each input, in byte order of names
 *     item 2:  in/1.npy  masks/1.npy      an item is one call: the network runs once on it
 *
 * Each file becomes a region with the network's input as its `tensor`, its bytes as they are.
 */
#include "corpus/freeze.h"

/**
 * Freeze `given`, NAME=FOLDER/PATTERN for each input of the network, into the folder `path`.
 * @param watch    progress counts files; may be NULL.
 * @param summary  filled on success; pages are items.
 * @return ASSAY_E_ARGUMENT (not of that form, a name twice, other counts, `path` exists),
 *         ASSAY_E_NOT_FOUND (no folder, no file), ASSAY_E_FORMAT and ASSAY_E_UNSUPPORTED (a file that is
 *         no .npy file, or of other elements than <f4, <i8, <i4 and |b1), ASSAY_E_IO, ASSAY_E_MEMORY,
 *         ASSAY_E_INTERRUPTED.  On failure nothing is at `path` that was not there before.
 */
assay_code as_corpus_freeze_tensors(const char *const *given, size_t n_given, const char *path,
                                    bool force, const as_corpus_watch *watch,
                                    as_freeze_summary *summary, assay_error *err);

#endif
