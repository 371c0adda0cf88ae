/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_FILE_H
#define ASSAY_BASE_FILE_H
/*
 * Whole files in and out.  A written file appears whole or not at all: it is written beside its
 * place, synced, and renamed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

/** A file's bytes; owns `data`, which has one zero byte behind its end. */
typedef struct as_bytes {
    unsigned char *data;
    size_t size;
    bool is_in_pages; /**< Of as_alloc_pages, size + 1 bytes; as_file_read sets it. */
} as_bytes;

/** Free the bytes and make `bytes` empty; takes an empty value. */
void as_bytes_free(as_bytes *bytes);

/**
 * Read a regular file whole.  `path` "-" is not special.
 * @return ASSAY_E_NOT_FOUND when it does not exist or may not be read, ASSAY_E_FORMAT when it is
 *         larger than `limit_bytes` (0 = none), ASSAY_E_UNSUPPORTED when it is a folder or a
 *         device, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_file_read(const char *path, size_t limit_bytes, as_bytes *out, assay_error *err);

/**
 * Write a file whole (beside, fsync, rename).  An existing one is replaced.
 * @return ASSAY_E_IO, with nothing at `path` changed.
 */
assay_code as_file_write(const char *path, const void *data, size_t size, assay_error *err);

/**
 * What errno says of opening `path` to read it: ASSAY_E_NOT_FOUND where the name or its permissions
 * are at fault, else ASSAY_E_IO.
 */
assay_code as_file_open_failed(const char *path, assay_error *err);

/** The folder that `path` lies in, "." where it names none; in fresh memory (as_free). */
char *as_path_folder(const char *path) AS_CHECKED;

/** Make the names in a folder durable, where its file system can.  @return ASSAY_E_IO. */
assay_code as_folder_sync(const char *path, assay_error *err);

/** Whether something exists at `path`; `is_folder` whether it is a directory. */
bool as_file_exists(const char *path);
bool as_file_is_folder(const char *path);

/** Create a folder and its parents; one that exists is fine. */
assay_code as_folder_make(const char *path, assay_error *err);

/** Remove a file, or a folder with all that it holds; symbolic links are removed, not followed. */
assay_code as_path_remove(const char *path, assay_error *err);

/** Names in a folder except "." and "..", in byte order; each owned (as_names_free). */
typedef struct as_names {
    char **items;
    size_t n;
} as_names;
assay_code as_folder_list(const char *path, as_names *out, assay_error *err);
void as_names_free(as_names *names);

/** Pointer into `path` behind its last '/'. */
const char *as_path_base(const char *path);

#endif
