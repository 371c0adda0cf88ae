/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of one ISA, bound from table.inc's lines. */
#include "kernels/prototypes.h"
#include "kernels/tables.h"
#include "kernels/tile.h"

/* as_route.row_step: the rows of a Winograd tile. */
#define ROW_STEP_direct    1
#define ROW_STEP_gemm      1
#define ROW_STEP_chains    1
#define ROW_STEP_depthwise 1
#define ROW_STEP_narrow    1
#define ROW_STEP_gather    1
#define ROW_STEP_planar    1
#define ROW_STEP_winograd2 2
#define ROW_STEP_winograd4 4

/* as_route.reads_planes */
#define READS_PLANES_direct    false
#define READS_PLANES_gemm      false
#define READS_PLANES_chains    false
#define READS_PLANES_depthwise false
#define READS_PLANES_gather    false
#define READS_PLANES_narrow    false
#define READS_PLANES_planar    true
#define READS_PLANES_winograd2 false
#define READS_PLANES_winograd4 false

#define ROUTE_ENTRY(kind, variant, exact)                                                      \
    {.name = #variant,                                                                         \
     .exactness = exact,                                                                       \
     .row_step = ROW_STEP_##variant,                                                           \
     .reads_planes = READS_PLANES_##variant,                                                   \
     .proposes = KERNEL(kind##_##variant##_proposes),                                          \
     .packed_floats = KERNEL(kind##_##variant##_packed_floats),                                \
     .pack = KERNEL(kind##_##variant##_pack),                                                  \
     .scratch_floats = KERNEL(kind##_##variant##_scratch_floats),                              \
     .n_items = KERNEL(kind##_##variant##_n_items),                                            \
     .run = KERNEL(kind##_##variant##_run)},

#define AS_KERNEL(family, exactness, pixels, channels)
#define AS_DECONV(variant, exactness, pixels, channels)
#define AS_CONV(variant, exactness, pixels, channels) ROUTE_ENTRY(conv, variant, exactness)
static const as_route conv[] = {
#include "kernels/table.inc"
};
#undef AS_CONV
#undef AS_DECONV

#define AS_CONV(variant, exactness, pixels, channels)
#define AS_DECONV(variant, exactness, pixels, channels) ROUTE_ENTRY(deconv, variant, exactness)
static const as_route deconv[] = {
#include "kernels/table.inc"
};
#undef AS_CONV
#undef AS_DECONV
#undef AS_KERNEL

#define AS_CONV(variant, exactness, pixels, channels)                                          \
    {"conv", #variant, exactness, pixels, channels},
#define AS_DECONV(variant, exactness, pixels, channels)                                        \
    {"deconv", #variant, exactness, pixels, channels},
#define AS_KERNEL(family, exactness, pixels, channels)                                         \
    {#family, "", exactness, pixels, channels},
static const as_kernel_line lines[] = {
#include "kernels/table.inc"
};

const as_kernels KERNEL(table) = {
    .isa = ISA_ID,
    .lines = lines,
    .n_lines = AS_COUNT_OF(lines),
    .conv = conv,
    .n_conv = AS_COUNT_OF(conv),
    .deconv = deconv,
    .n_deconv = AS_COUNT_OF(deconv),
    .map_items = KERNEL(map_items),
    .map = KERNEL(map),
    .mean_items = KERNEL(mean_items),
    .mean = KERNEL(mean),
    .row_sum_items = KERNEL(row_sum_items),
    .row_sum = KERNEL(row_sum),
    .pool_items = KERNEL(pool_items),
    .pool = KERNEL(pool),
    .interpolate_items = KERNEL(interpolate_items),
    .interpolate = KERNEL(interpolate),
    .softmax_items = KERNEL(softmax_items),
    .softmax = KERNEL(softmax),
    .weight_grad_items = KERNEL(weight_grad_items),
    .weight_grad = KERNEL(weight_grad),
    .layout_items = KERNEL(nchw_to_view_items),
    .nchw_to_view = KERNEL(nchw_to_view),
    .view_to_nchw = KERNEL(view_to_nchw),
};
