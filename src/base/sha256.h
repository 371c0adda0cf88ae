/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_SHA256_H
#define ASSAY_BASE_SHA256_H
/*
 * SHA-256 as 64 lower-case hexadecimal digits, the form in which assay stores and compares it.
 *
 *     char hex[AS_SHA256_HEX];
 *     code = as_sha256_file("model.onnx", hex, err);
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** Characters of a hash's text with its terminating zero. */
#define AS_SHA256_HEX 65

/** Hash `size` bytes (data may be NULL when 0).  @return ASSAY_E_MEMORY when libcrypto fails. */
assay_code as_sha256_bytes(const void *data, size_t size, char hex[AS_SHA256_HEX],
                           assay_error *err);

/**
 * Hash a regular file's content, read in pieces.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_ARGUMENT (not a regular file), ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_sha256_file(const char *path, char hex[AS_SHA256_HEX], assay_error *err);

/** Whether `text` is exactly 64 lower-case hexadecimal digits. */
bool as_sha256_is_hex(const char *text);

/** A hash in the making: new, any number of adds, one finish, free. */
typedef struct as_sha256 as_sha256;
as_sha256 *as_sha256_new(void) AS_CHECKED;
/** @return false when libcrypto fails; the hash is then of no use. */
bool as_sha256_add(as_sha256 *hash, const void *data, size_t size) AS_CHECKED;
bool as_sha256_finish(as_sha256 *hash, char hex[AS_SHA256_HEX]) AS_CHECKED;
void as_sha256_free(as_sha256 *hash);

#endif
