/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_SHARED_H
#define ASSAY_ENGINE_SHARED_H
/*
 * Memory that two processes see: a file without a name (memfd_create), mapped here, inherited by a
 * child as a descriptor.  It only grows - it is sealed against shrinking, so that no child can
 * take mapped pages away from under us.
 *
 *     as_shared input;
 *     code = as_shared_new("input", &input, err);
 *     int theirs = as_shared_inherit(&input);    // before the child is started; then close it
 *     code = as_shared_grow(&input, bytes, err);
 *     as_shared_free(&input);
 */
#include "base/error.h"

#include <stddef.h>

typedef struct as_shared {
    int fd;              /**< -1 when there is none. */
    unsigned char *data; /**< Mapped bytes; page-aligned, NULL while there are none. */
    size_t bytes;        /**< Mapped. */
} as_shared;

/** @return ASSAY_E_IO when the system gives none. */
assay_code as_shared_new(const char *name, as_shared *out, assay_error *err);

/** A descriptor of it, above 2, that a child inherits; -1 on failure.  The caller closes it. */
int as_shared_inherit(const as_shared *shared);

/** Make the file hold at least `bytes` and map them; what it held stays, `data` may move. */
assay_code as_shared_grow(as_shared *shared, size_t bytes, assay_error *err);

/** Map the `bytes` that the other side says it wrote.  @return ASSAY_E_CHILD when it holds less. */
assay_code as_shared_map(as_shared *shared, size_t bytes, assay_error *err);

/** Give the pages back to the system; the file keeps its size and reads as zeros. */
void as_shared_forget(as_shared *shared);

/** Unmap and close; takes a zeroed one. */
void as_shared_free(as_shared *shared);

#endif
