/* SPDX-License-Identifier: Apache-2.0 */
/* Cast, Clip and Where.  Source: the ONNX operator specification. */
#include <float.h>

#include "operators/broadcast.h"
#include "operators/convert.h"

/* ---- Cast ---- */

#define CAST(from, to, T, R, expression)                                                       \
    static void from##_to_##to(const void *in, void *out, size_t begin, size_t end)            \
    {                                                                                          \
        for (size_t i = begin; i < end; i++) {                                                 \
            const T x = ((const T *)in)[i];                                                    \
            ((R *)out)[i] = (R)(expression);                                                   \
        }                                                                                      \
    }
#define CASTS(from, T, to_i64, to_i32, to_bool)                                                \
    CAST(from, f32, T, float, x)                                                               \
    CAST(from, i64, T, int64_t, to_i64)                                                        \
    CAST(from, i32, T, int32_t, to_i32)                                                        \
    CAST(from, bool, T, unsigned char, to_bool)
CASTS(f32, float, as_integer_of((double)x, AS_I64), as_integer_of((double)x, AS_I32), x != 0)
CASTS(i64, int64_t, x, x, x != 0)
CASTS(i32, int32_t, x, x, x != 0)
CASTS(flag, unsigned char, x != 0, x != 0, x != 0)

void as_plain_cast(const as_op_call *call, size_t begin, size_t end)
{
    typedef void cast(const void *in, void *out, size_t from, size_t to);
    static cast *const casts[4][4] = {
        [AS_F32] = {f32_to_f32, f32_to_i64, f32_to_i32, f32_to_bool},
        [AS_I64] = {i64_to_f32, i64_to_i64, i64_to_i32, i64_to_bool},
        [AS_I32] = {i32_to_f32, i32_to_i64, i32_to_i32, i32_to_bool},
        [AS_BOOL] = {flag_to_f32, flag_to_i64, flag_to_i32, flag_to_bool}};
    casts[call->in[0]->dtype][call->out[0]->dtype](call->in[0]->data, call->out[0]->data, begin,
                                                   end);
}

/* ---- Clip: min(max(x, low), high), so that high wins; NaN stays ---- */

#define CLIP(type, T, least, most)                                                             \
    static void clip_##type(const as_op_call *call, size_t begin, size_t end)                  \
    {                                                                                          \
        const as_array *min = as_op_in(call, 1), *max = as_op_in(call, 2);                     \
        const T low = min ? *(const T *)min->data : (least);                                   \
        const T high = max ? *(const T *)max->data : (most);                                   \
        const T *in = call->in[0]->data;                                                       \
        T *out = call->out[0]->data;                                                           \
        for (size_t i = begin; i < end; i++) {                                                 \
            const T x = in[i] < low ? low : in[i];                                             \
            out[i] = x > high ? high : x;                                                      \
        }                                                                                      \
    }
CLIP(f32, float, call->node->attributes.clip.min, call->node->attributes.clip.max)
CLIP(i64, int64_t, INT64_MIN, INT64_MAX)
CLIP(i32, int32_t, INT32_MIN, INT32_MAX)

void as_plain_clip(const as_op_call *call, size_t begin, size_t end)
{
    static as_op_run *const runs[] = {
        [AS_F32] = clip_f32, [AS_I64] = clip_i64, [AS_I32] = clip_i32};
    runs[call->in[0]->dtype](call, begin, end);
}

assay_code as_accepts_clip(const as_op_call *call, assay_error *err)
{
    for (int i = 1; i < call->n_in; i++)
        if (call->in[i] && as_array_elements(call->in[i]) != 1)
            return as_fail(err, ASSAY_E_FORMAT, "its input %d has %zu elements, it needs one",
                           i, as_array_elements(call->in[i]));
    return ASSAY_OK;
}

/* ---- Where ---- */

#define WHERE(bytes, T)                                                                        \
    static void where_##bytes(const as_op_call *call, const as_row *row)                       \
    {                                                                                          \
        const unsigned char *c = (const unsigned char *)call->in[0]->data + row->from[0];      \
        const T *x = (const T *)call->in[1]->data + row->from[1];                              \
        const T *y = (const T *)call->in[2]->data + row->from[2];                              \
        T *out = (T *)call->out[0]->data + row->at;                                            \
        for (size_t i = 0; i < row->n; i++)                                                    \
            out[i] = c[i * row->step[0]] ? x[i * row->step[1]] : y[i * row->step[2]];          \
    }
WHERE(8, uint64_t)
WHERE(4, uint32_t)
WHERE(1, uint8_t)

void as_plain_where(const as_op_call *call, size_t begin, size_t end)
{
    const size_t bytes = as_dtype_bytes(call->out[0]->dtype);
    const as_broadcast b = as_broadcast_of(call->out[0], call->in, 3);
    for (as_row row = as_row_first(&b, begin, end); row.n; row = as_row_next(&b, &row)) {
        if (bytes == 8)
            where_8(call, &row);
        else if (bytes == 4)
            where_4(call, &row);
        else
            where_1(call, &row);
    }
}
