/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_KERNELS_H
#define ASSAY_KERNELS_KERNELS_H
/*
 * The arithmetic of the engine, one table of kernels per instruction set.
 *
 *     const as_kernels *k = as_kernels_get(isa);  // as_cpu_isa(&isa, err)
 *     const as_route *route = as_route_find(k->conv, k->n_conv, "gemm");
 *     float *packed = as_alloc_array(route->packed_floats(&shape), sizeof(float));
 *     route->pack(&shape, weights_oihw, bias, packed);
 *     float *scratch = as_alloc_array(route->scratch_floats(&shape), sizeof(float)); // one a thread
 *     as_conv_args args = {.shape = shape, .packed = packed, .in = x, .out = y, .epilogue = &relu};
 *     route->run(&args, 0, route->n_items(&shape), scratch);
 *
 * Activations are FP32 in NHWC, seen through an as_view.  Every call is split by *items*: a
 * thread runs [item_begin, item_end), and how items are split never changes a bit of the
 * answer.
 *
 * AS_EXACT means: each output element is one chain of fused multiply-adds
 *     acc = bias;  for (kh) for (kw) for (ic)  acc = fma(x[..], w[..], acc)
 * in which a padding tap contributes x = 0; then the epilogue's steps in order.  All exact
 * kernels return the same bits on every ISA, thread count and batch size, and all exact routes
 * of one convolution return the same bits as each other.  A NaN stays a NaN, but which NaN is
 * not promised.
 *
 * Denormals count as zero while kernels run (as_threads_run sees to it in each thread).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/**
 * float data[n][h][w][c] whose pixels lie pixel_stride floats apart (pixel_stride >= c), so rows
 * lie w * pixel_stride and images h * w * pixel_stride apart.  Borrows its memory.  A slice of
 * the channels of a wider tensor is a view with data moved and the wider pixel_stride.
 */
typedef struct as_view {
    float *data;
    size_t n, h, w, c;
    size_t pixel_stride;
} as_view;

/** A tight view: pixel_stride == c. */
as_view as_view_of(float *data, size_t n, size_t h, size_t w, size_t c);

/* ---- epilogues ------------------------------------------------------------------------ */

/** What a step does with the value x and its operand y (a, b are the step's own scalars). */
typedef enum as_step_kind {
    AS_STEP_ADD,          /**< x + y */
    AS_STEP_SUB,          /**< x - y */
    AS_STEP_RSUB,         /**< y - x */
    AS_STEP_MUL,          /**< x * y */
    AS_STEP_DIV,          /**< x / y */
    AS_STEP_RDIV,         /**< y / x */
    AS_STEP_MAX,          /**< max(x, y) */
    AS_STEP_MIN,          /**< min(x, y) */
    AS_STEP_AFFINE,       /**< fma(x, a, b) */
    AS_STEP_SCALE_SHIFT,  /**< fma(x, scale[c], shift[c]) */
    AS_STEP_RELU,         /**< max(x, 0) */
    AS_STEP_CLIP,         /**< min(max(x, a), b) */
    AS_STEP_LEAKY,        /**< x < 0 ? a * x : x */
    AS_STEP_SIGMOID,      /**< 1 / (1 + exp(-x)) */
    AS_STEP_HARD_SIGMOID, /**< min(max(fma(x, a, b), 0), 1) */
    AS_STEP_HARD_SWISH,   /**< x * min(max(fma(x, 1/6, 0.5), 0), 1) */
    AS_STEP_GELU,         /**< 0.5 x (1 + erf(x / sqrt(2))) */
    AS_STEP_ERF,
    AS_STEP_TANH,
    AS_STEP_EXP,
    AS_STEP_SQRT,
    AS_STEP_ABS,
    AS_STEP_NEG,
    AS_STEP_N
} as_step_kind;

/** Where y of a two-operand step comes from. */
typedef enum as_operand {
    AS_OPERAND_SCALAR,  /**< y = a */
    AS_OPERAND_CHANNEL, /**< y = view.data[c]: float[c] */
    AS_OPERAND_IMAGE,   /**< y = view at [n][0][0][c]: a vector an image (squeeze-excite) */
    AS_OPERAND_PIXEL,   /**< y = view at [n][y][x][0]: one value a pixel */
    AS_OPERAND_TENSOR,  /**< y = view at [n][y][x][c], y and x through the step's maps */
} as_operand;

/** One step.  Unused fields are zero; all pointers are borrowed. */
typedef struct as_step {
    as_step_kind kind;
    as_operand operand; /**< of the two-operand kinds ADD..MIN */
    float a, b;
    const float *scale, *shift; /**< SCALE_SHIFT: float[c] each */
    as_view view; /**< may be the output itself only where element meets same element */
    const uint32_t
        *row_map; /**< TENSOR and PIXEL: row of the view for each output row, or NULL */
    const uint32_t *col_map; /**< likewise the column */
} as_step;

/** Whether a step combines the running value with an operand. */
static inline bool as_step_has_operand(const as_step *step)
{
    return step->kind <= AS_STEP_MIN;
}

#define AS_EPILOGUE_STEPS 8

/** Steps that ride on a kernel's last store; {0} is none.  A NULL epilogue is none, too. */
typedef struct as_epilogue {
    size_t n_steps;
    as_step steps[AS_EPILOGUE_STEPS];
} as_epilogue;

/** "relu", "hard_swish" ... as reports spell a step. */
const char *as_step_name(as_step_kind kind);

/* ---- convolution, transposed convolution, fully connected ----------------------------- */

/**
 * A convolution of in[n][ih][iw][ic] to out[n][oh][ow][oc] with
 * weights[oc][ic / group][kh][kw]; bottom and right padding follow from oh and ow.
 * A transposed convolution uses the same struct (i* is its input, o* its output, pads crop the
 * output) with weights[ic][oc / group][kh][kw].
 * A fully connected layer is a convolution with ih = iw = kh = kw = 1 and n rows.
 */
typedef struct as_conv_shape {
    size_t n, ih, iw, ic, oh, ow, oc;
    size_t kh, kw, sh, sw, dh, dw;
    size_t pad_top, pad_left;
    size_t group;
    bool is_input; /**< the input is a network's own, so it can be had as NCHW, too */
} as_conv_shape;

typedef struct as_conv_args {
    as_conv_shape shape;
    const float *packed; /**< what the route's pack wrote */
    as_view in, out;     /**< in [n][ih][iw][ic], out [n][oh][ow][oc]; they do not overlap */
    size_t plane;        /**< where the route reads planes, in.data is float[n][ic][ih][iw] with
                              this many floats from channel to channel; 0 means ih * iw */
    const as_epilogue *epilogue;
} as_conv_args;

typedef enum as_exactness {
    AS_EXACT, /**< memcmp with the reference */
    AS_CLOSE, /**< within a bound that the route's comment states */
} as_exactness;

/** One way to compute a convolution.  All functions are pure but for what they write. */
typedef struct as_route {
    const char *name; /**< "direct", "gemm", "depthwise", ... */
    as_exactness exactness;
    /**
     * Rows of the output that it makes together: a part of an image has the bits of the whole when it
     * begins at a multiple and ends at one or with the image.
     */
    size_t row_step;
    bool reads_planes; /**< its input is NCHW: as_conv_args.plane */
    /** Whether the route can do this layer; looks at everything but n, ih, iw, oh, ow. */
    bool (*proposes)(const as_conv_shape *shape);
    /** Floats of packed weights and bias; depends on oc, ic, kh, kw, group only. */
    size_t (*packed_floats)(const as_conv_shape *shape);
    /**
     * Pack weights (layout: as_conv_shape) and bias[oc] (NULL = zeros) into `packed`, 64-byte
     * aligned.
     */
    void (*pack)(const as_conv_shape *shape, const float *weights, const float *bias,
                 float *packed);
    /** Floats of scratch that each thread needs, 64-byte aligned; may be 0.  They also suffice for
     * some rows of one of the images. */
    size_t (*scratch_floats)(const as_conv_shape *shape);
    /** Units of work. */
    size_t (*n_items)(const as_conv_shape *shape);
    /** Compute items [item_begin, item_end).  Touches only this range's outputs. */
    void (*run)(const as_conv_args *args, size_t item_begin, size_t item_end, float *scratch);
} as_route;

/** The route of that name in a list, or NULL. */
const as_route *as_route_find(const as_route *routes, size_t n_routes, const char *name);

/**
 * Whether a layer that nobody has measured should take this route, the first in the table's order
 * that proposes itself and suits.  The rule stands with its trial in prefer.c.
 */
bool as_route_suits(const as_route *route, const as_conv_shape *shape);

/** Multiply-adds of a convolution (padding taps counted) or transposed convolution. */
uint64_t as_conv_macs(const as_conv_shape *shape);
uint64_t as_deconv_macs(const as_conv_shape *shape);

/* ---- the rest ------------------------------------------------------------------------- */

/**
 * out = steps(in): elementwise and broadcast arithmetic, copies between views (Concat), nearest
 * resize (maps), all by one kernel.  `out` has the extents; in[n][row_map[y]][col_map[x]][c] is
 * the value before the steps.  in may be out when no map is given.
 */
typedef struct as_map_args {
    as_view in, out;
    const uint32_t *row_map; /**< uint32_t[out.h], or NULL for y itself */
    const uint32_t *col_map; /**< uint32_t[out.w], or NULL for x itself */
    const as_epilogue *epilogue;
} as_map_args;

/**
 * out[n][0][0][c] = mean of in over h and w: each row one chain of adds, the rows added in
 * order, one division.  It may be computed in two stages with the same bits:
 *
 *     row_sum   out[n][h][0][c] = the chain of each row, without an epilogue
 *     mean      of those, with n_pixels = h * w of the whole
 */
typedef struct as_mean_args {
    as_view in, out;
    size_t n_pixels; /**< to divide by; 0 means in.h * in.w */
    const as_epilogue *epilogue;
} as_mean_args;

typedef enum as_pool_kind { AS_POOL_MAX, AS_POOL_AVERAGE } as_pool_kind;

/**
 * Windows as in ONNX: padding is no candidate of max and, unless counts_pad, no part of an
 * average.
 */
typedef struct as_pool_args {
    as_view in, out;
    as_pool_kind kind;
    size_t kh, kw, sh, sw, dh, dw;
    size_t pad_top, pad_left;
    size_t pad_bottom, pad_right; /**< only counts_pad looks at them */
    bool counts_pad;              /**< ONNX count_include_pad */
    const as_epilogue *epilogue;
} as_pool_args;

/**
 * Linear and cubic resizes: out[n][y][x][c] is the sum over i of row_weights[y][i] times the sum over
 * j of col_weights[x][j] * in[n][rows[y][i]][cols[x][j]][c], both chains of fused multiply-adds from 0.
 */
typedef struct as_interpolate_args {
    as_view in, out;
    size_t row_taps, col_taps;   /**< at least 1 each */
    const uint32_t *rows, *cols; /**< [out.h][row_taps], [out.w][col_taps], inside in */
    const float *row_weights, *col_weights; /**< likewise */
    const as_epilogue *epilogue;
} as_interpolate_args;

/**
 * out[..][c] = exp(in[..][c] - max) / sum over the channels of a pixel, one chain in channel
 * order.
 */
typedef struct as_softmax_args {
    as_view in, out;
} as_softmax_args;

/**
 * The gradient of a convolution's weights out of its input and the gradient of its output: one chain of fused
 * multiply-adds a weight, over images, rows and pixels in order.  (That of its input is the transposed
 * convolution of the output's with the same weights: a route of `deconv`.)
 */
typedef struct as_weight_grad_args {
    as_conv_shape shape;  /**< the convolution's */
    as_view in;           /**< [n][ih][iw][ic] */
    as_view out_gradient; /**< [n][oh][ow][oc] */
    float *weights;       /**< float[oc][ic / group][kh][kw], written whole */
} as_weight_grad_args;

/** nchw[n][c][h][w] <-> view. */
typedef struct as_layout_args {
    float *nchw;
    as_view view;
    size_t plane; /**< floats from channel to channel in nchw; 0 means h * w */
} as_layout_args;

/** One line of table.inc, for those who list them. */
typedef struct as_kernel_line {
    const char *family;  /**< "conv", "deconv", "map" ... */
    const char *variant; /**< "direct" ...; "" where a family has just one kernel */
    as_exactness exactness;
    size_t tile_pixels, tile_channels; /**< outputs held in registers together, at most */
} as_kernel_line;

/** All kernels of one ISA.  Constant; n_items first, then run over [item_begin, item_end). */
typedef struct as_kernels {
    as_isa isa;
    const as_kernel_line *lines; /**< the whole table */
    size_t n_lines;
    const as_route *conv; /**< in order of preference where a route has no measurement */
    size_t n_conv;
    const as_route *deconv;
    size_t n_deconv;

    size_t (*map_items)(const as_map_args *args);
    void (*map)(const as_map_args *args, size_t item_begin, size_t item_end);
    size_t (*mean_items)(const as_mean_args *args);
    void (*mean)(const as_mean_args *args, size_t item_begin, size_t item_end);
    size_t (*row_sum_items)(const as_mean_args *args);
    void (*row_sum)(const as_mean_args *args, size_t item_begin, size_t item_end);
    size_t (*pool_items)(const as_pool_args *args);
    void (*pool)(const as_pool_args *args, size_t item_begin, size_t item_end);
    size_t (*interpolate_items)(const as_interpolate_args *args);
    void (*interpolate)(const as_interpolate_args *args, size_t item_begin, size_t item_end);
    size_t (*softmax_items)(const as_softmax_args *args);
    void (*softmax)(const as_softmax_args *args, size_t item_begin, size_t item_end);
    size_t (*weight_grad_items)(const as_weight_grad_args *args);
    void (*weight_grad)(const as_weight_grad_args *args, size_t item_begin, size_t item_end);
    size_t (*layout_items)(const as_layout_args *args);
    void (*nchw_to_view)(const as_layout_args *args, size_t item_begin, size_t item_end);
    void (*view_to_nchw)(const as_layout_args *args, size_t item_begin, size_t item_end);
} as_kernels;

/** The kernels of an ISA, or NULL when this build has none for it. */
const as_kernels *as_kernels_get(as_isa isa);

/* ---- helpers of a plan ---------------------------------------------------------------- */

/**
 * Fill map[out_extent] for a nearest resize with integer scale (asymmetric, floor): map[i] =
 * i * in_extent / out_extent.  Other ONNX modes fill their own map.
 */
void as_nearest_map(uint32_t *map, size_t in_extent, size_t out_extent);

#endif
