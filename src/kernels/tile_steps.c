/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/tile_steps.h"

#include "kernels/epilogue.h"

/* Whether tile.c has a case for it and finds its operand, a vector for each pixel. */
static bool suits(const as_step *step, bool unary)
{
    switch (step->kind) {
    case AS_STEP_RELU:
    case AS_STEP_CLIP:
    case AS_STEP_HARD_SWISH:
    case AS_STEP_GELU:
        return true;
    case AS_STEP_SCALE_SHIFT:
        return !unary;
    case AS_STEP_ADD:
    case AS_STEP_MUL:
        return !unary && step->operand != AS_OPERAND_SCALAR &&
               step->operand != AS_OPERAND_PIXEL;
    default:
        return false;
    }
}

void KERNEL(tile_steps_choose)(tile_steps *steps, const as_epilogue *epilogue, bool unary)
{
    const size_t n = epilogue_n_steps(epilogue);
    size_t i = 0;
    for (; i < n && i < TILE_STEPS && suits(&epilogue->steps[i], unary); i++)
        steps->steps[i] = (tile_step){.step = &epilogue->steps[i]};
    steps->n_steps = i;
}

/* Operands of n pixels of one row from column x on. */
static void find_row(const as_step *step, size_t image, size_t y, size_t x, size_t n,
                     const float **rows)
{
    const as_view *v = &step->view;
    const float *at = v->data;
    size_t stride = 0;
    if (step->operand == AS_OPERAND_IMAGE) at += image * v->pixel_stride;
    if (step->operand == AS_OPERAND_TENSOR) {
        stride = v->pixel_stride;
        at += (image * v->h + (step->row_map ? step->row_map[y] : y)) * v->w * stride;
    }
    for (size_t i = 0; i < n; i++)
        rows[i] = at + (step->col_map ? step->col_map[x + i] : x + i) * stride;
}

void KERNEL(tile_steps_find)(tile_steps *steps, const as_view *out, size_t pixel,
                             size_t n_pixels)
{
    for (size_t s = 0; s < steps->n_steps; s++) {
        const as_step *step = steps->steps[s].step;
        if (!as_step_has_operand(step)) continue;
        steps->steps[s].rows = steps->rows[s];
        for (size_t i = 0, n; i < n_pixels; i += n) {
            const size_t row = (pixel + i) / out->w, x = (pixel + i) % out->w;
            n = out->w - x < n_pixels - i ? out->w - x : n_pixels - i;
            find_row(step, row / out->h, row % out->h, x, n, steps->rows[s] + i);
        }
    }
}
