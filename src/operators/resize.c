/* SPDX-License-Identifier: Apache-2.0 */
/* Source of the formulas: the ONNX operator specification of Resize. */
#include "operators/resize.h"

#include <math.h>

#include "graph/shape.h"
#include "operators/interpolate.h"
#include "operators/move.h"

/* The scale of the axis that stands at `i` among scales or sizes. */
static void set_scale(const as_resize_attributes *r, const as_shape *x, int i,
                      as_resize_axis *axis)
{
    int64_t of = axis->in;
    axis->size = r->n_scales                      ? (double)r->scales[i]
                 : r->policy == AS_POLICY_STRETCH ? (double)r->sizes[i]
                                                  : (double)as_resize_ratio(r, x, &of);
    axis->of = r->n_scales ? 1.0 : (double)of;
    axis->length = axis->size * (double)axis->in / axis->of;
}

void as_resize_axes(const as_resize_attributes *r, const as_shape *x, const as_shape *y,
                    const float *roi, as_resize_axis axes[AS_MAX_RANK])
{
    const int n = r->n_axes ? r->n_axes : x->rank;
    for (int axis = 0; axis < x->rank; axis++) {
        const int64_t in = x->dims[axis], out = y->dims[axis];
        axes[axis] = (as_resize_axis){.coordinate = r->coordinate,
                                      .in = in,
                                      .out = out,
                                      .size = 1,
                                      .of = 1,
                                      .length = (double)in,
                                      .last = 1};
    }
    for (int i = 0; i < n; i++) {
        const int written = r->n_axes ? r->axes[i] : i;
        as_resize_axis *axis = &axes[written < 0 ? written + x->rank : written];
        set_scale(r, x, i, axis);
        if (!roi) continue;
        axis->first = (double)roi[i];
        axis->last = (double)roi[n + i];
    }
    for (int axis = 0; axis < x->rank; axis++) {
        as_resize_axis *a = &axes[axis];
        const bool is_whole = a->coordinate != AS_COORDINATE_TF_CROP_AND_RESIZE ||
                              (a->first == 0.0 && a->last == 1.0);
        a->is_identity = a->in == a->out && a->size == a->of && is_whole &&
                         a->coordinate != AS_COORDINATE_TF_HALF_PIXEL;
    }
}

double as_resize_source(const as_resize_axis *a, int64_t i)
{
    const double x = (double)i, last = (double)(a->in - 1);
    const double half_pixel = (2.0 * x + 1.0) * a->of / (2.0 * a->size) - 0.5;
    if (a->is_identity) return x;
    switch (a->coordinate) {
    case AS_COORDINATE_HALF_PIXEL:
        return half_pixel;
    case AS_COORDINATE_PYTORCH_HALF_PIXEL:
        return a->out > 1 ? half_pixel : 0.0;
    case AS_COORDINATE_ALIGN_CORNERS:
        return a->length > 1.0 ? x * last / (a->length - 1.0) : 0.0;
    case AS_COORDINATE_ASYMMETRIC:
        return x * a->of / a->size;
    case AS_COORDINATE_HALF_PIXEL_SYMMETRIC:
        return (double)a->in / 2.0 * (1.0 - (double)a->out / a->length) + half_pixel;
    case AS_COORDINATE_TF_HALF_PIXEL:
        return half_pixel + 0.5;
    case AS_COORDINATE_TF_CROP_AND_RESIZE:
        if (a->out == 1) return 0.5 * (a->first + a->last) * last;
        return a->first * last + x * (a->last - a->first) * last / (a->length - 1.0);
    }
    return x;
}

bool as_resize_is_outside(const as_resize_axis *axis, double source)
{
    return axis->coordinate == AS_COORDINATE_TF_CROP_AND_RESIZE &&
           !(source >= 0.0 && source <= (double)(axis->in - 1));
}

int64_t as_resize_index(const as_resize_attributes *r, const as_resize_axis *axis, int64_t i)
{
    double x = as_resize_source(axis, i);
    switch (r->nearest) {
    case AS_NEAREST_ROUND_PREFER_FLOOR:
        x = ceil(x - 0.5);
        break;
    case AS_NEAREST_ROUND_PREFER_CEIL:
        x = floor(x + 0.5);
        break;
    case AS_NEAREST_FLOOR:
        x = floor(x);
        break;
    case AS_NEAREST_CEIL:
        x = ceil(x);
        break;
    }
    const double last = (double)axis->in - 1.0;
    return (int64_t)(!(x > 0.0) ? 0.0 : x > last ? last : x);
}

/* ---- The operator ---- */

/* What an offset of a nearest resize is made of. */
typedef struct nearest {
    const as_resize_attributes *r;
    as_resize_axis axes[AS_MAX_RANK];
} nearest;

static int64_t offset_nearest(const as_move *move, int axis, int64_t i)
{
    const nearest *n = move->more;
    const as_resize_axis *a = &n->axes[axis];
    if (as_resize_is_outside(a, as_resize_source(a, i))) return AS_OUTSIDE;
    return as_resize_index(n->r, a, i) * move->step[axis];
}

/* The region of tf_crop_and_resize; NULL for all others, who have none. */
static const float *region(const as_op_call *call)
{
    const as_array *roi = as_op_in(call, 1);
    const bool is_taken =
        call->node->attributes.resize.coordinate == AS_COORDINATE_TF_CROP_AND_RESIZE;
    return is_taken && roi ? roi->data : NULL;
}

assay_code as_accepts_resize(const as_op_call *call, assay_error *err)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    const as_array *roi = as_op_in(call, 1);
    const bool is_cropped = r->coordinate == AS_COORDINATE_TF_CROP_AND_RESIZE;
    const size_t n_roi = 2 * (size_t)(r->n_axes ? r->n_axes : call->in[0]->shape.rank);
    if ((r->mode != AS_RESIZE_NEAREST || is_cropped) && call->in[0]->dtype != AS_F32)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "its input is %s, assay interpolates and crops f32 only",
                       as_dtype_name(call->in[0]->dtype));
    if (is_cropped && (!roi || roi->dtype != AS_F32 || as_array_elements(roi) != n_roi))
        return as_fail(err, ASSAY_E_UNSUPPORTED, "its input 'roi' has not %zu f32", n_roi);
    if (!r->is_resolved)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "its scales or sizes are not known");
    return r->mode == AS_RESIZE_NEAREST ? ASSAY_OK : as_accepts_interpolation(call, err);
}

void as_plain_resize(const as_op_call *call, size_t begin, size_t end)
{
    const as_resize_attributes *r = &call->node->attributes.resize;
    nearest n = {.r = r};
    as_resize_axes(r, &call->in[0]->shape, &call->out[0]->shape, region(call), n.axes);
    if (r->mode != AS_RESIZE_NEAREST) {
        as_interpolate_rows(call, n.axes, begin, end);
        return;
    }
    as_move move = as_move_of(call);
    move.offset = offset_nearest;
    move.more = &n;
    move.fill = &r->extrapolation;
    as_move_rows(&move, begin, end);
}
