/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_REF_REF_H
#define ASSAY_KERNELS_REF_REF_H
/*
 * Each kernel family once more in the plainest C, one output element at a time, never
 * optimised. What these return is the definition of right: exact kernels return the same bits.
 *
 * Run them with denormals flushed (as_denormals_flush), as kernels run.
 */
#include "kernels/kernels.h"

/** Steps applied to one value at out[image][y][x][c]. */
float as_ref_steps(const as_epilogue *epilogue, float x, size_t image, size_t y, size_t column,
                   size_t c);

/**
 * args->packed is not looked at; weights and bias (may be NULL) are as given to a route's pack.
 */
void as_ref_conv(const as_conv_args *args, const float *weights, const float *bias);
void as_ref_deconv(const as_conv_args *args, const float *weights, const float *bias);

void as_ref_map(const as_map_args *args);
void as_ref_mean(const as_mean_args *args);
void as_ref_pool(const as_pool_args *args);
void as_ref_interpolate(const as_interpolate_args *args);
void as_ref_softmax(const as_softmax_args *args);
void as_ref_weight_grad(const as_weight_grad_args *args);
void as_ref_nchw_to_view(const as_layout_args *args);
void as_ref_view_to_nchw(const as_layout_args *args);

/** exp, erf, ... as AS_STEP_EXP and the like define them. */
float as_ref_exp(float x);
float as_ref_erf(float x);
float as_ref_gelu(float x);
float as_ref_tanh(float x);

/** Element of a view. */
static inline float *as_ref_at(const as_view *v, size_t image, size_t y, size_t x, size_t c)
{
    return v->data + ((image * v->h + y) * v->w + x) * v->pixel_stride + c;
}

#endif
