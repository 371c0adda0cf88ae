/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_STEP_VALUE_H
#define ASSAY_KERNELS_STEP_VALUE_H
/*
 * What a step makes of a vector: the one definition for epilogues over memory and for those in
 * registers, so that both give the same bits.
 */
#include "kernels/kernels.h"
#include "kernels/simd/math.h"

AS_INLINE vf hard_sigmoid(vf x, vf a, vf b)
{
    return vf_min(vf_splat(1.0f), vf_max(vf_zero(), vf_fma(x, a, b)));
}

/** The value of a step of this kind from x, its operands y and z, and its scalars. */
AS_INLINE vf step_value(const as_step_kind kind, vf x, vf y, vf z, vf a, vf b)
{
    switch (kind) {
    case AS_STEP_ADD:
        return vf_add(x, y);
    case AS_STEP_SUB:
        return vf_sub(x, y);
    case AS_STEP_RSUB:
        return vf_sub(y, x);
    case AS_STEP_MUL:
        return vf_mul(x, y);
    case AS_STEP_DIV:
        return vf_div(x, y);
    case AS_STEP_RDIV:
        return vf_div(y, x);
    case AS_STEP_MAX:
        return vf_max(y, x);
    case AS_STEP_MIN:
        return vf_min(y, x);
    case AS_STEP_AFFINE:
        return vf_fma(x, a, b);
    case AS_STEP_SCALE_SHIFT:
        return vf_fma(x, y, z);
    case AS_STEP_RELU:
        return vf_max(vf_zero(), x);
    case AS_STEP_CLIP:
        return vf_min(b, vf_max(a, x));
    case AS_STEP_LEAKY:
        return vf_select_lt(x, vf_zero(), vf_mul(a, x), x);
    case AS_STEP_SIGMOID:
        return vf_sigmoid(x);
    case AS_STEP_HARD_SIGMOID:
        return hard_sigmoid(x, a, b);
    case AS_STEP_HARD_SWISH:
        return vf_mul(x, hard_sigmoid(x, vf_splat(1.0f / 6.0f), vf_splat(0.5f)));
    case AS_STEP_GELU:
        return vf_gelu(x);
    case AS_STEP_ERF:
        return vf_erf(x);
    case AS_STEP_TANH:
        return vf_tanh(x);
    case AS_STEP_EXP:
        return vf_exp(x);
    case AS_STEP_SQRT:
        return vf_sqrt(x);
    case AS_STEP_ABS:
        return vf_abs(x);
    case AS_STEP_NEG:
        return vf_neg(x);
    default:
        return x;
    }
}

#endif
