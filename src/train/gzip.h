/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_GZIP_H
#define ASSAY_TRAIN_GZIP_H
/* Files of data as they come, perhaps packed by gzip; zlib unpacks them. */
#include "base/file.h"

/**
 * Put what a file packs in its place; a file that does not begin as gzip stays as it is.
 * @param file   the caller's; unchanged on failure.
 * @param name   stands for the file in messages.
 * @param limit  bytes that it may be unpacked to.
 * @return ASSAY_E_FORMAT where gzip is damaged or unpacks to more than the limit; ASSAY_E_MEMORY.
 */
assay_code as_gzip_unpack(as_bytes *file, const char *name, size_t limit, assay_error *err);

#endif
