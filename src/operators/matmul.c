/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MatMul and Gemm.  Source: the ONNX operator specification.  An item is a row of the output.
 *
 *     c [rows][columns] = a [rows][depth] x b [depth][columns]      strides for transposed ones
 *
 * Floats: b goes by panels of DEPTH x WIDTH through a buffer, and HEIGHT rows of a share each number
 * that is read of it.  Each element is one chain of multiplications and additions in depth order,
 * whatever the rows that are done together.
 */
#include "base/compiler.h"
#include "base/vector.h"
#include "operators/broadcast.h"

#define DEPTH  256
#define WIDTH  8 /* with HEIGHT rows of sums, what 16 registers of four floats hold */
#define HEIGHT 4

/* One row of a panel, or of sums. */
typedef union panel_row {
    float columns[WIDTH];
    as_float4 part[2];
} panel_row;

/* One product of matrices; strides count elements. */
typedef struct product {
    const void *a, *b;
    void *c;
    size_t a_row, a_step; /* of a row and along the depth */
    size_t b_step, b_column;
    size_t depth, columns;
} product;

/* ---- Floats ---- */

/* b's panel from depth k0 and column j0 on, zeros where it ends. */
static void pack(const product *p, size_t k0, size_t n_depth, size_t j0, panel_row *panel)
{
    const size_t n = p->columns - j0 < WIDTH ? p->columns - j0 : WIDTH;
    for (size_t k = 0; k < n_depth; k++) {
        const float *from = (const float *)p->b + (k0 + k) * p->b_step + j0 * p->b_column;
        for (size_t j = 0; j < WIDTH; j++)
            panel[k].columns[j] = j < n ? from[j * p->b_column] : 0;
    }
}

/* HEIGHT or one row of sums, on top of what is there. */
#define TILE(name, rows)                                                                       \
    static void name(const product *p, const float *a, const panel_row *panel, size_t n_depth, \
                     panel_row *sums)                                                          \
    {                                                                                          \
        panel_row s[rows];                                                                     \
        for (size_t r = 0; r < (rows); r++)                                                    \
            s[r] = sums[r];                                                                    \
        for (size_t k = 0; k < n_depth; k++, a += p->a_step) {                                 \
            const as_float4 low = panel[k].part[0], high = panel[k].part[1];                   \
            AS_UNROLL                                                                          \
            for (size_t r = 0; r < (rows); r++) {                                              \
                const float x = a[r * p->a_row];                                               \
                s[r].part[0] += x * low;                                                       \
                s[r].part[1] += x * high;                                                      \
            }                                                                                  \
        }                                                                                      \
        for (size_t r = 0; r < (rows); r++)                                                    \
            sums[r] = s[r];                                                                    \
    }
TILE(tile_rows, HEIGHT)
TILE(tile_row, 1)

/* Rows [row, row + n_rows), columns from j0 on, over one panel; the first one starts from 0. */
static void add_panel(const product *p, size_t row, size_t n_rows, size_t k0, size_t n_depth,
                      size_t j0, const panel_row *panel)
{
    const size_t n = p->columns - j0 < WIDTH ? p->columns - j0 : WIDTH;
    panel_row sums[HEIGHT];
    for (size_t i = 0, height; i < n_rows; i += height) {
        const float *a = (const float *)p->a + (row + i) * p->a_row + k0 * p->a_step;
        float *c = (float *)p->c + (row + i) * p->columns + j0;
        height = n_rows - i < HEIGHT ? 1 : HEIGHT;
        for (size_t r = 0; r < height; r++)
            for (size_t j = 0; j < WIDTH; j++)
                sums[r].columns[j] = k0 && j < n ? c[r * p->columns + j] : 0;
        if (height == HEIGHT)
            tile_rows(p, a, panel, n_depth, sums);
        else
            tile_row(p, a, panel, n_depth, sums);
        for (size_t r = 0; r < height; r++)
            for (size_t j = 0; j < n; j++)
                c[r * p->columns + j] = sums[r].columns[j];
    }
}

/* Few rows, which are not worth a panel: rows of b are added up as they lie. */
static void multiply_thin(const product *p, size_t row, size_t n_rows)
{
    for (size_t i = row; i < row + n_rows; i++) {
        float *restrict c = (float *)p->c + i * p->columns;
        for (size_t j = 0; j < p->columns; j++)
            c[j] = 0;
        for (size_t k = 0; k < p->depth; k++) {
            const float x = ((const float *)p->a)[i * p->a_row + k * p->a_step];
            const float *restrict b = (const float *)p->b + k * p->b_step;
            for (size_t j = 0; j < p->columns; j++)
                c[j] += x * b[j];
        }
    }
}

static void multiply_f32(const product *p, size_t row, size_t n_rows)
{
    panel_row panel[DEPTH];
    if (n_rows < HEIGHT && p->b_column == 1) {
        multiply_thin(p, row, n_rows);
        return;
    }
    if (p->depth == 0)
        for (size_t i = row * p->columns; i < (row + n_rows) * p->columns; i++)
            ((float *)p->c)[i] = 0;
    for (size_t k = 0; k < p->depth; k += DEPTH)
        for (size_t j = 0; j < p->columns; j += WIDTH) {
            const size_t n_depth = p->depth - k < DEPTH ? p->depth - k : DEPTH;
            pack(p, k, n_depth, j, panel);
            add_panel(p, row, n_rows, k, n_depth, j, panel);
        }
}

/* ---- Integers, which wrap ---- */

#define MULTIPLY(type, T)                                                                      \
    static void multiply_##type(const product *p, size_t row, size_t n_rows)                   \
    {                                                                                          \
        for (size_t i = row; i < row + n_rows; i++)                                            \
            for (size_t j = 0; j < p->columns; j++) {                                          \
                const T *a = (const T *)p->a + i * p->a_row;                                   \
                const T *b = (const T *)p->b + j * p->b_column;                                \
                T sum = 0;                                                                     \
                for (size_t k = 0; k < p->depth; k++)                                          \
                    sum += a[k * p->a_step] * b[k * p->b_step];                                \
                ((T *)p->c)[i * p->columns + j] = sum;                                         \
            }                                                                                  \
    }
MULTIPLY(i64, uint64_t)
MULTIPLY(i32, uint32_t)

static void multiply(as_dtype dtype, const product *p, size_t row, size_t n_rows)
{
    typedef void multiplier(const product *one, size_t first, size_t n);
    static multiplier *const multipliers[] = {
        [AS_F32] = multiply_f32, [AS_I64] = multiply_i64, [AS_I32] = multiply_i32};
    multipliers[dtype](p, row, n_rows);
}

/* ---- MatMul ---- */

/* Where the matrices of one batch lie: its dims broadcast, a vector is one row or one column. */
typedef struct batches {
    as_shape dims;
    as_strides a, b; /* elements */
    size_t rows;
    product one; /* without places */
} batches;

/* An array's dims in front of its last `n`. */
static as_array front(const as_array *array, int n)
{
    as_array out = *array;
    out.shape.rank = out.shape.rank > n ? out.shape.rank - n : 0;
    return out;
}

static batches batches_of(const as_op_call *call)
{
    const as_array *a = call->in[0], *b = call->in[1];
    const int ra = a->shape.rank, rb = b->shape.rank;
    const size_t depth = (size_t)a->shape.dims[ra - 1];
    const size_t rows = ra > 1 ? (size_t)a->shape.dims[ra - 2] : 1;
    const size_t columns = rb > 1 ? (size_t)b->shape.dims[rb - 1] : 1;
    const as_array fa = front(a, 2), fb = front(b, 2),
                   fc = front(call->out[0], (ra > 1) + (rb > 1));
    batches all = {.dims = fc.shape,
                   .a = as_broadcast_strides(&fa, fc.shape.rank),
                   .b = as_broadcast_strides(&fb, fc.shape.rank),
                   .rows = rows,
                   .one = {.a_row = depth,
                           .a_step = 1,
                           .b_step = columns,
                           .b_column = 1,
                           .depth = depth,
                           .columns = columns}};
    for (int i = 0; i < fc.shape.rank; i++) {
        all.a.of[i] *= rows * depth;
        all.b.of[i] *= depth * columns;
    }
    return all;
}

size_t as_items_matmul(const as_op_call *call)
{
    const as_array *y = call->out[0];
    const size_t n = as_array_elements(y);
    const bool has_columns = call->in[1]->shape.rank > 1;
    return n && has_columns ? n / (size_t)y->shape.dims[y->shape.rank - 1] : n;
}

void as_plain_matmul(const as_op_call *call, size_t begin, size_t end)
{
    const batches all = batches_of(call);
    const as_dtype dtype = call->out[0]->dtype;
    const size_t bytes = as_dtype_bytes(dtype);
    for (size_t at = begin; at < end;) {
        const size_t batch = at / all.rows, row = at % all.rows;
        const size_t n = all.rows - row < end - at ? all.rows - row : end - at;
        product p = all.one;
        p.a = (const char *)call->in[0]->data +
              as_strided_index(&all.dims, &all.a, batch) * bytes;
        p.b = (const char *)call->in[1]->data +
              as_strided_index(&all.dims, &all.b, batch) * bytes;
        p.c = (char *)call->out[0]->data + batch * all.rows * p.columns * bytes;
        multiply(dtype, &p, row, n);
        at += n;
    }
}

/* ---- Gemm: alpha a b + beta c ---- */

/* y = alpha y + beta c, where c may be left out; integers with alpha and beta as floats. */
#define BLEND(type, T)                                                                         \
    static void blend_##type(const as_op_call *call, const as_row *row)                        \
    {                                                                                          \
        const float alpha = call->node->attributes.gemm.alpha;                                 \
        const float beta = call->node->attributes.gemm.beta;                                   \
        const as_array *c = as_op_in(call, 2);                                                 \
        T *y = (T *)call->out[0]->data + row->at;                                              \
        const T *add = c ? (const T *)c->data + row->from[0] : NULL;                           \
        for (size_t i = 0; i < row->n; i++) {                                                  \
            y[i] = alpha == 1 ? y[i] : (T)(alpha * (float)y[i]);                               \
            if (!add || beta == 0) continue;                                                   \
            const T term = add[i * row->step[0]];                                              \
            y[i] += beta == 1 ? term : (T)(beta * (float)term);                                \
        }                                                                                      \
    }
BLEND(f32, float)
BLEND(i64, int64_t)
BLEND(i32, int32_t)

void as_plain_gemm(const as_op_call *call, size_t begin, size_t end)
{
    typedef void blender(const as_op_call *one, const as_row *row);
    static blender *const blenders[] = {
        [AS_F32] = blend_f32, [AS_I64] = blend_i64, [AS_I32] = blend_i32};
    const as_attributes *at = &call->node->attributes;
    const as_array *a = call->in[0], *b = call->in[1], *y = call->out[0];
    const size_t a_columns = (size_t)a->shape.dims[1], b_columns = (size_t)b->shape.dims[1];
    const bool ta = at->gemm.is_a_transposed, tb = at->gemm.is_b_transposed;
    const product p = {.a = a->data,
                       .b = b->data,
                       .c = y->data,
                       .a_row = ta ? 1 : a_columns,
                       .a_step = ta ? a_columns : 1,
                       .b_step = tb ? 1 : b_columns,
                       .b_column = tb ? b_columns : 1,
                       .depth = (size_t)a->shape.dims[ta ? 0 : 1],
                       .columns = (size_t)y->shape.dims[1]};
    const as_array *c = as_op_in(call, 2) ? as_op_in(call, 2) : y;
    const as_broadcast spread = as_broadcast_of(y, &c, 1);
    if (begin == end) return;
    multiply(y->dtype, &p, begin, end - begin);
    for (as_row row = as_row_first(&spread, begin * p.columns, end * p.columns); row.n;
         row = as_row_next(&spread, &row))
        blenders[y->dtype](call, &row);
}
