/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposed convolution whose kernel equals its stride, for so few columns kh * kw * oc that they
 * would not fill a vector: the usual head has one channel and a kernel of 2x2.  Here the vectors
 * run over pixels.  Four channels of a block's pixels are turned from [pixel][4] to [4][pixel] as they are
 * loaded, and meet the weights of each column:
 *
 *     products[column][pixel] = bias + sum over ic of x[ic][pixel] * w[ic][column]
 *
 * Then the columns (kw, oc) of a kernel row are threaded into an output row.  A block whose
 * pixels or channels are not whole is copied to scratch with zeros behind.
 *
 * Exact.  An item is NARROW_ITEM input pixels.  Packed: bias[columns] | ic | w[columns].
 */
#include <string.h>

#include "kernels/epilogue.h"
#include "kernels/prototypes.h"

#define ROUTE(function) KERNEL(deconv_narrow_##function)

#define MOST_COLUMNS 4   /* more are faster by gemm: bench/results/deconv-narrow.txt */
#define NARROW_ITEM  16  /* a vector of pixels on each ISA */
#define MOST_PIXELS  512 /* of a run: its products stay in the first cache */

/* Vectors of pixels at a time: MOST_COLUMNS sums, 4 channels and a transposition fit the registers. */
#if defined(ISA_AVX512) || defined(ISA_NEON)
#define VECS 2
#else
#define VECS 1
#endif
#define BLOCK (VECS * VF_LANES)

static size_t n_columns(const as_conv_shape *s) { return s->kh * s->kw * s->oc; }

bool ROUTE(proposes)(const as_conv_shape *s)
{
    return s->kh == s->sh && s->kw == s->sw && s->dh == 1 && s->dw == 1 && s->pad_top == 0 &&
           s->pad_left == 0 && s->group == 1 && n_columns(s) <= MOST_COLUMNS;
}

size_t ROUTE(packed_floats)(const as_conv_shape *s) { return n_columns(s) * (s->ic + 1); }

/* Column j is (kh, kw, oc). */
void ROUTE(pack)(const as_conv_shape *s, const float *weights, const float *bias, float *packed)
{
    const size_t n = n_columns(s), n_taps = s->kh * s->kw;
    for (size_t j = 0; j < n; j++) {
        const size_t tap = j / s->oc, oc = j % s->oc;
        packed[j] = bias ? bias[oc] : 0.0f;
        for (size_t i = 0; i < s->ic; i++)
            packed[(1 + i) * n + j] = weights[(i * s->oc + oc) * n_taps + tap];
    }
}

/* scratch: products[columns][MOST_PIXELS + BLOCK] | a block's copy[BLOCK][ic, whole quads] */
#define PRODUCTS_STRIDE (MOST_PIXELS + BLOCK)
static size_t copy_stride(const as_conv_shape *s) { return (s->ic + 3) / 4 * 4; }

size_t ROUTE(scratch_floats)(const as_conv_shape *s)
{
    return n_columns(s) * PRODUCTS_STRIDE + BLOCK * copy_stride(s);
}

size_t ROUTE(n_items)(const as_conv_shape *s)
{
    return (s->n * s->ih * s->iw + NARROW_ITEM - 1) / NARROW_ITEM;
}

/* One block of pixels x[BLOCK][ic]; w begins with the biases. */
AS_INLINE void multiply(const float *x, size_t stride, size_t ic, const float *w, float *to,
                        const size_t columns)
{
    vf acc[MOST_COLUMNS][VECS];
    unrolled_for (j, columns)
        unrolled_for (v, VECS)
            acc[j][v] = vf_splat(w[j]);
    w += columns;
    for (size_t i = 0; i < ic; i += 4, w += 4 * columns) {
        vf quad[VECS][4];
        unrolled_for (v, VECS)
            vf_load_quads(x + i + v * VF_LANES * stride, stride, quad[v]);
        unrolled_for (c, 4) {
            if (c == 0 || i + c < ic) {
                unrolled_for (j, columns)
                    unrolled_for (v, VECS)
                        acc[j][v] = vf_fma(quad[v][c], vf_splat(w[c * columns + j]), acc[j][v]);
            }
        }
    }
    unrolled_for (j, columns)
        unrolled_for (v, VECS)
            vf_store(to + j * PRODUCTS_STRIDE + v * VF_LANES, acc[j][v]);
}

/* All columns of one block. */
static void multiply_all(const as_conv_shape *s, const float *x, size_t stride, const float *w,
                         float *to)
{
    switch (n_columns(s)) {
    case 1:
        multiply(x, stride, s->ic, w, to, 1);
        break;
    case 2:
        multiply(x, stride, s->ic, w, to, 2);
        break;
    case 3:
        multiply(x, stride, s->ic, w, to, 3);
        break;
    default:
        multiply(x, stride, s->ic, w, to, MOST_COLUMNS);
        break;
    }
}

/* The products of input pixels [pixel, pixel + n_pixels). */
static void multiply_run(const as_conv_args *args, size_t pixel, size_t n_pixels,
                         float *products)
{
    const as_conv_shape *s = &args->shape;
    const size_t stride = args->in.pixel_stride;
    const float *x = args->in.data + pixel * stride;
    float *copy = products + n_columns(s) * PRODUCTS_STRIDE;
    for (size_t i = 0; i < n_pixels; i += BLOCK, x += BLOCK * stride) {
        const size_t n = n_pixels - i < BLOCK ? n_pixels - i : BLOCK;
        if (n == BLOCK && s->ic % 4 == 0) {
            multiply_all(s, x, stride, args->packed, products + i);
            continue;
        }
        memset(copy, 0, BLOCK * copy_stride(s) * sizeof *copy);
        for (size_t p = 0; p < n; p++)
            memcpy(copy + p * copy_stride(s), x + p * stride, s->ic * sizeof *copy);
        multiply_all(s, copy, copy_stride(s), args->packed, products + i);
    }
}

/* One kernel row's products to their output pixels. */
static void thread_row(const as_conv_shape *s, const float *products, size_t n_pixels,
                       float *to, size_t pixel_stride)
{
    size_t i = 0;
    if (s->kw == 2 && s->oc == 1 && pixel_stride == 1) /* the usual head */
        for (; i + VF_LANES <= n_pixels; i += VF_LANES) {
            vf low, high;
            vf_zip(vf_load(products + i), vf_load(products + PRODUCTS_STRIDE + i), &low, &high);
            vf_store(to + 2 * i, low);
            vf_store(to + 2 * i + VF_LANES, high);
        }
    for (; i < n_pixels; i++)
        for (size_t kw = 0; kw < s->kw; kw++)
            for (size_t oc = 0; oc < s->oc; oc++)
                to[(i * s->kw + kw) * pixel_stride + oc] =
                    products[(kw * s->oc + oc) * PRODUCTS_STRIDE + i];
}

/* Input pixels [pixel, pixel + n_pixels) of one row. */
static void run_pixels(const as_conv_args *args, size_t pixel, size_t n_pixels, float *products)
{
    const as_conv_shape *s = &args->shape;
    const as_view *out = &args->out;
    multiply_run(args, pixel, n_pixels, products);
    for (size_t kh = 0; kh < s->kh; kh++, products += s->kw * s->oc * PRODUCTS_STRIDE) {
        /* Rows of all images in one count. */
        const size_t first = (pixel / s->iw * s->kh + kh) * s->ow + pixel % s->iw * s->kw;
        thread_row(s, products, n_pixels, out->data + first * out->pixel_stride,
                   out->pixel_stride);
        KERNEL(epilogue_in_place)(args->epilogue, 0, out, first, n_pixels * s->kw, 0, s->oc);
    }
}

void ROUTE(run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch)
{
    const as_conv_shape *s = &args->shape;
    const size_t all = s->n * s->ih * s->iw;
    const size_t end = item_end * NARROW_ITEM < all ? item_end * NARROW_ITEM : all;
    for (size_t pixel = item_begin * NARROW_ITEM, n; pixel < end; pixel += n) {
        n = s->iw - pixel % s->iw;
        if (n > MOST_PIXELS) n = MOST_PIXELS;
        if (n > end - pixel) n = end - pixel;
        run_pixels(args, pixel, n, scratch);
    }
}
