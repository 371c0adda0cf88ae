/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_PROTOTYPES_H
#define ASSAY_KERNELS_PROTOTYPES_H
/* Names of all kernels, made from table.inc: what each family's file defines and dispatch
 * binds. */
#include "kernels/kernels.h"

#define AS_ARGS_map          as_map_args
#define AS_ARGS_mean         as_mean_args
#define AS_ARGS_row_sum      as_mean_args
#define AS_ARGS_pool         as_pool_args
#define AS_ARGS_softmax      as_softmax_args
#define AS_ARGS_nchw_to_view as_layout_args
#define AS_ARGS_view_to_nchw as_layout_args

/* The six functions of an as_route. */
#define AS_ROUTE_PROTOTYPES(route, isa)                                                        \
    bool as_##route##_proposes_##isa(const as_conv_shape *shape);                              \
    size_t as_##route##_packed_floats_##isa(const as_conv_shape *shape);                       \
    void as_##route##_pack_##isa(const as_conv_shape *shape, const float *weights,             \
                                 const float *bias, float *packed);                            \
    size_t as_##route##_scratch_floats_##isa(const as_conv_shape *shape);                      \
    size_t as_##route##_n_items_##isa(const as_conv_shape *shape);                             \
    void as_##route##_run_##isa(const as_conv_args *args, size_t item_begin, size_t item_end,  \
                                float *scratch);
#define AS_CONV(variant, isa, exactness)   AS_ROUTE_PROTOTYPES(conv_##variant, isa)
#define AS_DECONV(variant, isa, exactness) AS_ROUTE_PROTOTYPES(deconv_##variant, isa)
#define AS_KERNEL(family, isa, exactness)                                                      \
    size_t as_##family##_items_##isa(const AS_ARGS_##family *args);                            \
    void as_##family##_##isa(const AS_ARGS_##family *args, size_t item_begin, size_t item_end);
#include "kernels/table.inc"
#undef AS_CONV
#undef AS_DECONV
#undef AS_KERNEL
#undef AS_ROUTE_PROTOTYPES

#endif
