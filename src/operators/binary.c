/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementwise operators of two or more inputs with broadcasting.  Source: the ONNX operator
 * specification.  Integers wrap; their quotient is cut towards zero.  A NaN among the inputs of Min
 * and Max is the result.
 */
#include <math.h>

#include "operators/broadcast.h"
#include "operators/convert.h"

/* One row: y[i] of a = p[i] and b = q[i]. */
typedef void row_function(const as_row *row, void *y, const void *p, const void *q);

#define ROW(name, type, P, Q, R, expression)                                                   \
    static void name##_##type(const as_row *row, void *y, const void *p, const void *q)        \
    {                                                                                          \
        R *out = (R *)y + row->at;                                                             \
        const P *first = (const P *)p + row->from[0];                                          \
        const Q *second = (const Q *)q + row->from[1];                                         \
        const size_t step_a = row->step[0], step_b = row->step[1];                             \
        for (size_t i = 0; i < row->n; i++) {                                                  \
            const P a = first[i * step_a];                                                     \
            const Q b = second[i * step_b];                                                    \
            (void)a;                                                                           \
            out[i] = (R)(expression);                                                          \
        }                                                                                      \
    }

/* The same for all numbers; of integers in their unsigned type, which may wrap. */
#define ARITHMETIC(name, operation)                                                            \
    ROW(name, f32, float, float, float, a operation b)                                         \
    ROW(name, i64, int64_t, int64_t, int64_t, (uint64_t)a operation(uint64_t) b)               \
    ROW(name, i32, int32_t, int32_t, int32_t, (uint32_t)a operation(uint32_t) b)
#define NUMBERS(name, expression)                                                              \
    ROW(name, f32, float, float, float, expression)                                            \
    ROW(name, i64, int64_t, int64_t, int64_t, expression)                                      \
    ROW(name, i32, int32_t, int32_t, int32_t, expression)
#define COMPARISON(name, expression)                                                           \
    ROW(name, f32, float, float, unsigned char, expression)                                    \
    ROW(name, i64, int64_t, int64_t, unsigned char, expression)                                \
    ROW(name, i32, int32_t, int32_t, unsigned char, expression)
#define LOGIC(name, expression)                                                                \
    ROW(name, bool, unsigned char, unsigned char, unsigned char, expression)
/* clang-format off */
#define OF_NUMBERS(name)                                                                       \
    {[AS_F32] = name##_f32, [AS_I64] = name##_i64, [AS_I32] = name##_i32}
/* clang-format on */

ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
ROW(div, f32, float, float, float, a / b)
ROW(div, i64, int64_t, int64_t, int64_t, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b)
ROW(div, i32, int32_t, int32_t, int32_t, b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b)
NUMBERS(max, a > b || a != a ? a : b)
NUMBERS(min, a < b || a != a ? a : b)
NUMBERS(prelu, a < 0 ? a * b : a)
COMPARISON(less, a < b)
COMPARISON(less_or_equal, a <= b)
COMPARISON(greater, a > b)
COMPARISON(greater_or_equal, a >= b)
COMPARISON(equal, a == b)
LOGIC(equal, a == b)
LOGIC(and, a &&b)
LOGIC(or, a || b)
LOGIC(xor, a != b)

/* Rows of two operands from item `begin` to `end` into `out`. */
static void run_rows(row_function *function, const as_array *out, const as_array *const in[2],
                     size_t begin, size_t end)
{
    const as_broadcast b = as_broadcast_of(out, in, 2);
    for (as_row row = as_row_first(&b, begin, end); row.n; row = as_row_next(&b, &row))
        function(&row, out->data, in[0]->data, in[1]->data);
}

#define BINARY(name, ...)                                                                      \
    void as_plain_##name(const as_op_call *call, size_t begin, size_t end)                     \
    {                                                                                          \
        static row_function *const rows[AS_BOOL + 1] = __VA_ARGS__;                            \
        run_rows(rows[call->in[0]->dtype], call->out[0], call->in, begin, end);                \
    }
BINARY(add, OF_NUMBERS(add))
BINARY(sub, OF_NUMBERS(sub))
BINARY(mul, OF_NUMBERS(mul))
BINARY(div, OF_NUMBERS(div))
BINARY(prelu, OF_NUMBERS(prelu))
BINARY(less, OF_NUMBERS(less))
BINARY(less_or_equal, OF_NUMBERS(less_or_equal))
BINARY(greater, OF_NUMBERS(greater))
BINARY(greater_or_equal, OF_NUMBERS(greater_or_equal))
BINARY(
    equal,
    {[AS_F32] = equal_f32, [AS_I64] = equal_i64, [AS_I32] = equal_i32, [AS_BOOL] = equal_bool})
BINARY(and, {[AS_BOOL] = and_bool})
BINARY(or, {[AS_BOOL] = or_bool})
BINARY(xor, {
                [AS_BOOL] = xor_bool})

assay_code as_check_division(const as_op_call *call, assay_error *err)
{
    const as_array *b = call->in[1];
    const size_t n = as_array_elements(call->out[0]) ? as_array_elements(b) : 0;
    if (b->dtype == AS_F32) return ASSAY_OK;
    for (size_t i = 0; i < n; i++)
        if (b->dtype == AS_I64 ? ((const int64_t *)b->data)[i] == 0
                               : ((const int32_t *)b->data)[i] == 0)
            return as_fail(err, ASSAY_E_ARGUMENT, "its divisor's element %zu is the integer 0",
                           i);
    return ASSAY_OK;
}

/* ---- Pow: the result has the base's type, the exponent any ---- */

/* By squaring, in a type that wraps; what is below 1 is cut towards zero, 1 / 0 as a cast. */
static int64_t integer_power(int64_t base, int64_t exponent)
{
    uint64_t result = 1, square = (uint64_t)base;
    if (exponent < 0) return as_integer_of(pow((double)base, (double)exponent), AS_I64);
    for (; exponent != 0; exponent >>= 1, square *= square)
        if (exponent & 1) result *= square;
    return (int64_t)result;
}

static float power(float a, double b) { return b == 2 ? a * a : (float)pow((double)a, b); }

ROW(pow_f32, f32, float, float, float, power(a, (double)b))
ROW(pow_f32, i64, float, int64_t, float, power(a, (double)b))
ROW(pow_f32, i32, float, int32_t, float, power(a, (double)b))
ROW(pow_i64, f32, int64_t, float, int64_t, as_integer_of(pow((double)a, (double)b), AS_I64))
ROW(pow_i64, i64, int64_t, int64_t, int64_t, integer_power(a, b))
ROW(pow_i64, i32, int64_t, int32_t, int64_t, integer_power(a, b))
ROW(pow_i32, f32, int32_t, float, int32_t, as_integer_of(pow(a, (double)b), AS_I32))
ROW(pow_i32, i64, int32_t, int64_t, int32_t, integer_power(a, b))
ROW(pow_i32, i32, int32_t, int32_t, int32_t, integer_power(a, b))

void as_plain_pow(const as_op_call *call, size_t begin, size_t end)
{
    static row_function *const rows[3][3] = {[AS_F32] = OF_NUMBERS(pow_f32),
                                             [AS_I64] = OF_NUMBERS(pow_i64),
                                             [AS_I32] = OF_NUMBERS(pow_i32)};
    run_rows(rows[call->in[0]->dtype][call->in[1]->dtype], call->out[0], call->in, begin, end);
}

/* ---- Any number of inputs ---- */

/* The first one is 0 + itself; -0 stays, since what is added to nothing is copied. */
NUMBERS(copy, b)

/* out = in 0, then out = function(out, in k) for each of the others. */
static void run_all(row_function *const *functions, const as_op_call *call, size_t begin,
                    size_t end)
{
    static row_function *const copies[] = OF_NUMBERS(copy);
    const as_array *out = call->out[0];
    for (int k = 0; k < call->n_in; k++) {
        const as_array *in[2] = {out, call->in[k]};
        run_rows((k ? functions : copies)[out->dtype], out, in, begin, end);
    }
}

void as_plain_sum(const as_op_call *call, size_t begin, size_t end)
{
    static row_function *const functions[] = OF_NUMBERS(add);
    run_all(functions, call, begin, end);
}

void as_plain_mean(const as_op_call *call, size_t begin, size_t end)
{
    float *y = call->out[0]->data;
    as_plain_sum(call, begin, end);
    for (size_t i = begin; i < end; i++)
        y[i] /= (float)call->n_in;
}

void as_plain_max(const as_op_call *call, size_t begin, size_t end)
{
    static row_function *const functions[] = OF_NUMBERS(max);
    run_all(functions, call, begin, end);
}

void as_plain_min(const as_op_call *call, size_t begin, size_t end)
{
    static row_function *const functions[] = OF_NUMBERS(min);
    run_all(functions, call, begin, end);
}
