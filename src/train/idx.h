/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_IDX_H
#define ASSAY_TRAIN_IDX_H
/*
 * IDX, the format of MNIST: one array, big-endian.
 *
 *     0 0 type rank | dim (4 bytes) x rank | elements, the last dim fastest
 *
 * type: 08 unsigned byte, 09 signed byte, 0B short, 0C int, 0D float, 0E double.
 * Source: Y. LeCun, C. Cortes, C. Burges, The MNIST database, "The IDX file format".
 */
#include <stddef.h>

#include "base/error.h"
#include "base/npy.h"

/**
 * Parse bytes[size].
 * @param name         stands for the file in messages.
 * @param out          the array in this machine's order: AS_NPY_U1, of signed bytes, shorts and ints
 *                     AS_NPY_I4, of floats AS_NPY_F4, of doubles AS_NPY_F8; the caller's (as_npy_free).
 * @return ASSAY_E_FORMAT where it is no IDX file or its size is not what its dims say;
 *         ASSAY_E_UNSUPPORTED for other types and ranks; ASSAY_E_MEMORY.
 */
assay_code as_idx_parse(const void *bytes, size_t size, const char *name, as_npy *out,
                        assay_error *err);

#endif
