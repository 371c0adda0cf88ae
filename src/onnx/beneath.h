/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_BENEATH_H
#define ASSAY_ONNX_BENEATH_H
/*
 * Files beside a model that a name in it asks for: inside its folder and nowhere else.
 *
 *     model.onnx says "w.bin"          folder/w.bin
 *     "/etc/passwd"  "../w.bin"        refused by their names
 *     w.bin -> elsewhere               refused: no component may be a symbolic link
 *     w.bin = another's hard link      refused: its bytes belong to a second name, perhaps outside
 *     a folder, device, pipe, socket   refused: no regular file
 */
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/** A regular file that was opened to be read. */
typedef struct as_beneath {
    int fd; /**< Owned by the caller (close). */
    uint64_t size_bytes;
    dev_t device; /**< With `inode`, which file it is whatever its name. */
    ino_t inode;
} as_beneath;

/**
 * Open `name` beneath `folder`, which is trusted.
 * @return ASSAY_E_FORMAT for a name that is empty, absolute or has "..", ASSAY_E_UNSUPPORTED for a
 *         link and for what is no regular file, ASSAY_E_NOT_FOUND, ASSAY_E_IO.
 */
assay_code as_beneath_open(const char *folder, const char *name, as_beneath *out,
                           assay_error *err);

/** The same component by component, for kernels without openat2 (before Linux 5.6). */
assay_code as_beneath_walk(const char *folder, const char *name, as_beneath *out,
                           assay_error *err);

#endif
