/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_TENSOR_H
#define ASSAY_VERDICT_TENSOR_H
/*
 * Two answers of any network: are they the same numbers, within which bounds, and the same classes?
 *
 *     as_tensor_bounds bounds = {.absolute = 1e-5, .relative = 1e-4, .ulp = 0};
 *     code = as_tensor_compare("f4[1,1000]", truth, answer, bytes, AS_COMPARE_TENSOR, &bounds, &c, err);
 *     if (!c.equal) ... c.max_absolute, c.max_relative, c.max_ulp
 *
 * An answer is the bytes of all outputs, one behind the other; its layout names their types and dims:
 *
 *     layout = output { ";" output }      output = type "[" [dim {"," dim}] "]"
 *     type   = "f4" | "i8" | "i4" | "b1"  as NumPy has them, little-endian
 *
 * tensor: every float is within one of the bounds, every other element is equal.  NaN equals NaN.
 * top1: the greatest value along axis 1 (of a vector: of all) stands at the same place everywhere.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "verdict/compare.h"

/** What makes two answers equal. */
typedef enum as_compare_kind {
    AS_COMPARE_BOXES,  /**< The boxes that the detector makes of the map (compare.h). */
    AS_COMPARE_TENSOR, /**< The outputs' elements. */
    AS_COMPARE_TOP1    /**< The class at the top of each row of the outputs. */
} as_compare_kind;

/** Each of them suffices for an element; all 0: equal values. */
typedef struct as_tensor_bounds {
    double absolute; /**< |answer - truth| <= absolute */
    double relative; /**< |answer - truth| <= relative * |truth| */
    int64_t ulp;     /**< float32 values between them, one end counted, <= ulp */
} as_tensor_bounds;

/** What a comparison found; a plain value. */
typedef struct as_tensor_comparison {
    bool equal;
    size_t n;        /**< Elements compared; with top1 rows. */
    size_t n_beyond; /**< Of these, those that are not equal within the bounds. */
    size_t first;    /**< The first such, counted over all outputs. */
    double truth_value, answer_value; /**< There; with top1 the classes. */
    /* The smallest bound of each kind that alone would pass; with top1 all 0.  INFINITY and INT64_MAX
     * where none would. */
    double max_absolute, max_relative;
    int64_t max_ulp;
    bool has_other_layout; /**< Type or dims differ, so that nothing else was compared. */
} as_tensor_comparison;

/**
 * Compare two answers of `bytes` each.
 * @return ASSAY_E_FORMAT for a layout that is none or does not fit the bytes.
 */
assay_code as_tensor_compare(const char *layout, const void *truth, const void *answer,
                             size_t bytes, as_compare_kind kind, const as_tensor_bounds *bounds,
                             as_tensor_comparison *out, assay_error *err);

/**
 * The same of two contents as the evidence stores them: a layout, a line's end, the bytes.  Outputs of
 * other layouts than the truth's are not equal, whatever the bounds.
 */
assay_code as_outputs_compare(const as_bytes *truth, const as_bytes *answer,
                              as_compare_kind kind, const as_tensor_bounds *bounds,
                              as_tensor_comparison *out, assay_error *err);

/** Distance of two floats, counted in float32 values; NaN is INT64_MAX from all but NaN. */
int64_t as_ulp_distance(float a, float b);

/** Bytes that a description needs at most. */
#define AS_TENSOR_TEXT 320

/** Say in one phrase, without a full stop, where two answers part. */
void as_tensor_describe(const as_tensor_comparison *comparison, as_compare_kind kind,
                        char text[AS_TENSOR_TEXT]);

/** The same in another language; `say` as in compare.h. */
void as_tensor_describe_in(const as_tensor_comparison *comparison, as_compare_kind kind,
                           as_comparison_say *say, int language, char text[AS_TENSOR_TEXT]);

/** Parse a name, "" being boxes.  @return ASSAY_E_ARGUMENT. */
assay_code as_compare_parse(const char *text, as_compare_kind *out, assay_error *err);

/** "boxes", "tensor", "top1". */
const char *as_compare_name(as_compare_kind kind);

#endif
