/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_NPY_H
#define ASSAY_BASE_NPY_H
/*
 * NumPy's .npy files: one array, little-endian, C order.  Versions 1.0 and 2.0 are read, 1.0 is
 * written.  Source: NumPy's documentation of numpy.lib.format.
 *
 *     "\x93NUMPY" | major minor | header length (2 or 4 bytes) | "{'descr': '<f4', ...}\n" | data
 *
 *     as_npy array;
 *     if (as_npy_read("x.npy", &array, &err)) return report(&err);
 *     const float *x = array.data;     // array.type == AS_NPY_F4
 *     as_npy_free(&array);
 */
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Most dimensions that are read. */
#define AS_NPY_MAX_RANK 8

/** Element types: numpy's <f4, <f8, <i8, <i4, |b1, |u1. */
typedef enum as_npy_type {
    AS_NPY_F4,
    AS_NPY_F8,
    AS_NPY_I8,
    AS_NPY_I4,
    AS_NPY_B1,
    AS_NPY_U1
} as_npy_type;

/** An array. */
typedef struct as_npy {
    as_npy_type type;
    int rank; /**< 0 = a scalar. */
    int64_t dims[AS_NPY_MAX_RANK];
    void *data; /**< C order, 64-byte aligned; owns. */
    size_t n_elements;
} as_npy;

/** Bytes of one element. */
size_t as_npy_type_bytes(as_npy_type type);
/** NumPy's name of the type, as in "<f4". */
const char *as_npy_type_name(as_npy_type type);

/**
 * Read a file.
 * @param out  owned by the caller on success (as_npy_free), empty on failure.
 * @return ASSAY_E_FORMAT when it is no .npy file or its size is not what its header says,
 *         ASSAY_E_UNSUPPORTED for other types and for Fortran order, and as as_file_read.
 */
assay_code as_npy_read(const char *path, as_npy *out, assay_error *err);

/** As as_npy_read from memory; `name` stands for the path in messages. */
assay_code as_npy_parse(const void *bytes, size_t size, const char *name, as_npy *out,
                        assay_error *err);

/** Write `array` (whose data is only read) whole, or leave nothing changed. */
assay_code as_npy_write(const char *path, const as_npy *array, assay_error *err);

/** Free the data and make `array` empty; takes an empty value. */
void as_npy_free(as_npy *array);

#endif
