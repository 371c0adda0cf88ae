/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCHW <-> NHWC.  An item is one row of one image; a row is turned in tiles of 16 channels by
 * 16 pixels, which keeps both sides' cache lines in use.
 */
#include <string.h>

#include "kernels/prototypes.h"
#include "kernels/simd/f32.h"

#define TILE 16

size_t KERNEL(nchw_to_view_items)(const as_layout_args *args)
{
    return args->view.n * args->view.h;
}

size_t KERNEL(view_to_nchw_items)(const as_layout_args *args)
{
    return args->view.n * args->view.h;
}

/* A row in both layouts: planes[c] is `plane` floats behind planes[c - 1]. */
typedef struct layout_row {
    float *planes;
    size_t plane;
    float *pixels;
    size_t stride;
} layout_row;

static layout_row row_of(const as_layout_args *args, size_t row)
{
    const as_view *v = &args->view;
    const size_t image = row / v->h, y = row % v->h, plane = v->h * v->w;
    return (layout_row){.planes = args->nchw + image * v->c * plane + y * v->w,
                        .plane = plane,
                        .pixels = v->data + row * v->w * v->pixel_stride,
                        .stride = v->pixel_stride};
}

AS_INLINE void turn(const layout_row *r, size_t c0, size_t c1, size_t x0, size_t x1,
                    const bool to_view)
{
    for (size_t c = c0; c < c1; c++) {
        float *plane = r->planes + c * r->plane, *pixel = r->pixels + c;
        for (size_t x = x0; x < x1; x++) {
            if (to_view)
                pixel[x * r->stride] = plane[x];
            else
                plane[x] = pixel[x * r->stride];
        }
    }
}

/* A row of the usual picture, three planes to tight pixels, as a loop that compilers turn into
 * whole vectors. */
static void three_planes(const layout_row *r, size_t n_x)
{
    const float *restrict red = r->planes, *restrict green = red + r->plane;
    const float *restrict blue = green + r->plane;
    float *restrict to = r->pixels;
    for (size_t x = 0; x < n_x; x++) {
        to[3 * x] = red[x];
        to[3 * x + 1] = green[x];
        to[3 * x + 2] = blue[x];
    }
}

AS_INLINE void turn_row(const as_layout_args *args, size_t row, const bool to_view)
{
    const layout_row r = row_of(args, row);
    const size_t n_c = args->view.c, n_x = args->view.w;
    if (n_c == 1 && r.stride == 1) {
        memcpy(to_view ? r.pixels : r.planes, to_view ? r.planes : r.pixels,
               n_x * sizeof(float));
        return;
    }
    if (to_view && n_c == 3 && r.stride == 3) {
        three_planes(&r, n_x);
        return;
    }
    for (size_t x = 0; x < n_x; x += TILE)
        for (size_t c = 0; c < n_c; c += TILE)
            turn(&r, c, c + TILE < n_c ? c + TILE : n_c, x, x + TILE < n_x ? x + TILE : n_x,
                 to_view);
}

void KERNEL(nchw_to_view)(const as_layout_args *args, size_t item_begin, size_t item_end)
{
    for (size_t row = item_begin; row < item_end; row++)
        turn_row(args, row, true);
}

void KERNEL(view_to_nchw)(const as_layout_args *args, size_t item_begin, size_t item_end)
{
    for (size_t row = item_begin; row < item_end; row++)
        turn_row(args, row, false);
}
