/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PROTOTYPES_H
#define ASSAY_KERNELS_PROTOTYPES_H
/* Names of all kernels of the ISA at hand, made from table.inc: what each family's file defines
 * and isa_table.c binds. */
#include "kernels/kernels.h"
#include "kernels/simd/f32.h"

#define AS_ARGS_map          as_map_args
#define AS_ARGS_mean         as_mean_args
#define AS_ARGS_row_sum      as_mean_args
#define AS_ARGS_pool         as_pool_args
#define AS_ARGS_interpolate  as_interpolate_args
#define AS_ARGS_softmax      as_softmax_args
#define AS_ARGS_weight_grad  as_weight_grad_args
#define AS_ARGS_nchw_to_view as_layout_args
#define AS_ARGS_view_to_nchw as_layout_args

/* The six functions of an as_route. */
#define AS_ROUTE_PROTOTYPES(route)                                                             \
    bool KERNEL(route##_proposes)(const as_conv_shape *shape);                                 \
    size_t KERNEL(route##_packed_floats)(const as_conv_shape *shape);                          \
    void KERNEL(route##_pack)(const as_conv_shape *shape, const float *weights,                \
                              const float *bias, float *packed);                               \
    size_t KERNEL(route##_scratch_floats)(const as_conv_shape *shape);                         \
    size_t KERNEL(route##_n_items)(const as_conv_shape *shape);                                \
    void KERNEL(route##_run)(const as_conv_args *args, size_t item_begin, size_t item_end,     \
                             float *scratch);
#define AS_CONV(variant, exactness, pixels, channels)   AS_ROUTE_PROTOTYPES(conv_##variant)
#define AS_DECONV(variant, exactness, pixels, channels) AS_ROUTE_PROTOTYPES(deconv_##variant)
#define AS_KERNEL(family, exactness, pixels, channels)                                         \
    size_t KERNEL(family##_items)(const AS_ARGS_##family *args);                               \
    void KERNEL(family)(const AS_ARGS_##family *args, size_t item_begin, size_t item_end);
#include "kernels/table.inc"
#undef AS_CONV
#undef AS_DECONV
#undef AS_KERNEL
#undef AS_ROUTE_PROTOTYPES

#endif
