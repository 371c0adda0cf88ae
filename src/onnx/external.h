/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_EXTERNAL_H
#define ASSAY_ONNX_EXTERNAL_H
/*
 * Tensors whose elements lie in files beside the model (data_location EXTERNAL).
 *
 *     location "w.bin"  offset "4096"  length "216"     w.bin [ .... | 216 bytes | .... ]
 *
 * The file is opened as onnx/beneath.h says.  Tensors may share a file, and few honest ones share
 * bytes; so from one file come at most AS_EXTERNAL_TIMES its bytes, or a thousand tensors of the
 * same bytes would take a thousand times the file.
 *
 * Source: ONNX's documentation of external data; a checksum there is not verified.
 */
#include "base/error.h"
#include "onnx/beneath.h"

/* Of onnx.pb-c.h, which the build makes. */
typedef struct Onnx__TensorProto Onnx__TensorProto;

#define AS_EXTERNAL_TIMES      4
/** What all may take in any case: scalars that share one small file. */
#define AS_EXTERNAL_FREE_BYTES ((uint64_t)1 << 20)

/** What was taken from one file. */
typedef struct as_external_file {
    dev_t device;
    ino_t inode;
    uint64_t taken_bytes;
} as_external_file;

/** The files beside one model. */
typedef struct as_external {
    const char *beside;      /**< Path of the model's file; NULL when it has none.  Borrows. */
    as_external_file *files; /**< Owns. */
    size_t n_files, room;
} as_external;

/** Free what it holds; takes an empty value. */
void as_external_free(as_external *external);

/** Bytes of one tensor, found but not yet read. */
typedef struct as_external_part {
    as_beneath file;
    uint64_t offset;
    const char *location; /**< Borrows the message. */
} as_external_part;

/**
 * Find the `wanted_bytes` of `proto`.
 * @param out  on success to be given to as_external_read, which ends it.
 * @return ASSAY_E_FORMAT when the entries are no external data or do not fit the file or the
 *         tensor, ASSAY_E_UNSUPPORTED, ASSAY_E_MEMORY and as as_beneath_open.
 */
assay_code as_external_find(as_external *external, const Onnx__TensorProto *proto,
                            size_t wanted_bytes, as_external_part *out, assay_error *err);

/**
 * Read the part into uint8 data[n_bytes] and close its file; `data` NULL only closes.
 * @return ASSAY_E_IO when the file has become shorter.
 */
assay_code as_external_read(as_external_part *part, void *data, size_t n_bytes,
                            assay_error *err);

#endif
