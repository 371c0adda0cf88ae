/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_OPERATORS_CONVERT_H
#define ASSAY_OPERATORS_CONVERT_H
/* Numbers from one type to another. */
#include "operators/operators.h"

/**
 * `x` cut towards zero as an integer of `dtype` (AS_I64 or AS_I32).  What does not fit, NaN too,
 * becomes the type's least number: ONNX leaves it open, and this is what x86 and NumPy give.
 */
static inline int64_t as_integer_of(double x, as_dtype dtype)
{
    const double limit = dtype == AS_I64 ? 0x1p63 : 0x1p31;
    const int64_t least = dtype == AS_I64 ? INT64_MIN : INT32_MIN;
    const bool fits = x < limit && (dtype == AS_I64 ? x >= -limit : x > -limit - 1);
    return fits ? (int64_t)x : least;
}

#endif
