/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of operators that repeat, pad, cut or rearrange elements. */
#include "graph/shape_rules.h"

/* The integers of input i, which must be there. */
static assay_code need_list(const as_shape_call *call, int i, const char *name, int64_t *out,
                            int room, int *n, bool *is_known)
{
    if (as_shape_in(call, i)) return as_shape_integers(call, i, out, room, n, is_known);
    return as_fail(call->err, ASSAY_E_FORMAT, "its input '%s' is left out", name);
}

/* A dim that is too large is told as such by the caller of the rules. */
static int64_t bounded(int64_t dim) { return dim > AS_MAX_DIM ? (int64_t)AS_MAX_DIM + 1 : dim; }

/* ---- Split ---- */

/* Parts of the sizes that are written, which make up the whole. */
static assay_code split_by_sizes(const as_shape_call *call, int axis)
{
    const int64_t whole = as_shape_in(call, 0)->dims[axis];
    const int n_out = call->node->n_outputs;
    as_array sizes;
    if (!as_shape_value(call, 1, &sizes)) return as_shape_unknown(call, "input 'split'");
    int64_t sum = 0;
    if (sizes.shape.rank != 1 || sizes.shape.dims[0] != n_out ||
        (sizes.dtype != AS_I64 && sizes.dtype != AS_I32))
        return as_fail(call->err, ASSAY_E_FORMAT,
                       "its input 'split' is no list of one size for each of its %d outputs",
                       n_out);
    for (int k = 0; k < n_out; k++) {
        const int64_t size = sizes.dtype == AS_I64 ? ((const int64_t *)sizes.data)[k]
                                                   : ((const int32_t *)sizes.data)[k];
        if (size < 0 || size > AS_MAX_DIM || (sum += size) > AS_MAX_DIM)
            return as_fail(call->err, ASSAY_E_FORMAT, "its size %d of 'split' is %lld", k,
                           (long long)size);
        call->out[k] = *as_shape_in(call, 0);
        call->out[k].dims[axis] = size;
    }
    if (whole < 0 || whole == sum) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its sizes add up to %lld, axis %d of its input has %lld", (long long)sum,
                   axis, (long long)whole);
}

/* Equal parts; the last one is the rest where num_outputs asks for as many as do not divide. */
static assay_code split_equally(const as_shape_call *call, int axis)
{
    const int64_t whole = as_shape_in(call, 0)->dims[axis];
    const int n_out = call->node->n_outputs, said = call->node->attributes.axis.n_outputs;
    if (said != 0 && said != n_out)
        return as_fail(call->err, ASSAY_E_FORMAT, "its num_outputs is %d, it has %d outputs",
                       said, n_out);
    const int64_t each = whole < 0 ? -1 : (whole + n_out - 1) / n_out;
    if (whole >= 0 && (said ? each * (n_out - 1) > whole : whole % n_out != 0))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "axis %d of its input has %lld elements, %d outputs cannot share them",
                       axis, (long long)whole, n_out);
    for (int k = 0; k < n_out; k++) {
        call->out[k] = *as_shape_in(call, 0);
        call->out[k].dims[axis] = k < n_out - 1 || whole < 0 ? each : whole - each * k;
    }
    return ASSAY_OK;
}

assay_code as_shape_split(const as_shape_call *call)
{
    int axis;
    assay_code code = as_shape_axis(call, call->node->attributes.axis.axis,
                                    as_shape_in(call, 0)->rank, &axis);
    if (code) return code;
    return as_shape_in(call, 1) ? split_by_sizes(call, axis) : split_equally(call, axis);
}

/* ---- Repeats ---- */

assay_code as_shape_expand(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0);
    as_shape wanted = {0};
    bool is_known = true;
    assay_code code =
        need_list(call, 1, "shape", wanted.dims, AS_MAX_RANK, &wanted.rank, &is_known);
    if (code) return code;
    if (!is_known) return as_shape_unknown(call, "input 'shape'");
    as_shape out = {.rank = wanted.rank > x->rank ? wanted.rank : x->rank};
    for (int i = 1; i <= out.rank; i++) {
        const int64_t a = i > x->rank ? 1 : x->dims[x->rank - i];
        const int64_t b = i > wanted.rank ? 1 : wanted.dims[wanted.rank - i];
        if (b < 0 || (a != 1 && b != 1 && a >= 0 && a != b)) {
            char ta[64], tb[64];
            return as_fail(call->err, as_shape_mismatch_code(call),
                           "its input %s cannot be expanded to %s",
                           as_shape_text(x, ta, sizeof ta),
                           as_shape_text(&wanted, tb, sizeof tb));
        }
        out.dims[out.rank - i] = a == 1 || (a < 0 && b != 1) ? b : a;
    }
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_tile(const as_shape_call *call)
{
    int64_t repeats[AS_MAX_RANK];
    int n = 0;
    bool is_known = true;
    assay_code code = need_list(call, 1, "repeats", repeats, AS_MAX_RANK, &n, &is_known);
    if (code) return code;
    if (!is_known) return as_shape_unknown(call, "input 'repeats'");
    as_shape out = *as_shape_in(call, 0);
    if (n != out.rank)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "it has %d repeats, its input %d dims", n, out.rank);
    for (int i = 0; i < n; i++) {
        if (repeats[i] < 0 || repeats[i] > AS_MAX_DIM)
            return as_fail(call->err, ASSAY_E_FORMAT, "its repeat %d is %lld", i,
                           (long long)repeats[i]);
        if (out.dims[i] >= 0) out.dims[i] = bounded(out.dims[i] * repeats[i]);
    }
    *call->out = out;
    return ASSAY_OK;
}

/* ---- Pad ---- */

/* Pad one axis; ONNX says how much a mode can add to how little. */
static assay_code pad_axis(const as_shape_call *call, int axis, int64_t before, int64_t behind,
                           int64_t *dim)
{
    const int64_t n = *dim;
    if (before > AS_MAX_DIM || behind > AS_MAX_DIM || before < -AS_MAX_DIM ||
        behind < -AS_MAX_DIM)
        return as_fail(call->err, ASSAY_E_FORMAT, "its pads of axis %d are %lld and %lld", axis,
                       (long long)before, (long long)behind);
    if (n < 0) return ASSAY_OK;
    const int64_t kept = n + (before < 0 ? before : 0) + (behind < 0 ? behind : 0);
    const bool adds = before > 0 || behind > 0;
    const bool is_empty =
        kept <= 0 && adds && call->node->attributes.pad.mode != AS_BORDER_CONSTANT;
    if (kept < 0 || is_empty)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "axis %d of its input has %lld elements, its pads are %lld and %lld",
                       axis, (long long)n, (long long)before, (long long)behind);
    *dim = bounded(n + before + behind);
    return ASSAY_OK;
}

assay_code as_shape_pad(const as_shape_call *call)
{
    int64_t pads[2 * AS_MAX_RANK], axes[AS_MAX_RANK];
    int n = 0, n_axes = 0;
    bool is_known = true, are_axes_known = true;
    as_shape out = *as_shape_in(call, 0);
    assay_code code = need_list(call, 1, "pads", pads, 2 * AS_MAX_RANK, &n, &is_known);
    const bool is_named = as_shape_in(call, 3) != NULL;
    if (!code && is_named)
        code = as_shape_integers(call, 3, axes, AS_MAX_RANK, &n_axes, &are_axes_known);
    if (code) return code;
    if (!is_known || !are_axes_known) {
        if (!call->is_partial) return as_shape_unknown(call, "input 'pads' or 'axes'");
        for (int i = 0; i < out.rank; i++)
            out.dims[i] = -1; /* the rank at least is known */
        *call->out = out;
        return ASSAY_OK;
    }
    if (n != 2 * (is_named ? n_axes : out.rank))
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "it has %d pads for %d axes, it needs two an axis", n,
                       is_named ? n_axes : out.rank);
    for (int i = 0; !code && i < n / 2; i++) {
        int axis = i;
        if (is_named)
            code =
                as_shape_axis(call,
                              axes[i] < -AS_MAX_RANK || axes[i] > AS_MAX_RANK ? AS_MAX_RANK + 1
                                                                              : (int)axes[i],
                              out.rank, &axis);
        if (!code) code = pad_axis(call, axis, pads[i], pads[n / 2 + i], &out.dims[axis]);
    }
    *call->out = out;
    return code;
}

/* ---- Blocks of pixels ---- */

static assay_code need_block(const as_shape_call *call)
{
    const int b = call->node->attributes.block.size;
    if (b >= 1 && b <= 4096) return as_shape_need_rank(call, 0, 4);
    return as_fail(call->err, ASSAY_E_FORMAT, "its blocksize is %d, it must be 1 to 4096", b);
}

static assay_code not_divided(const as_shape_call *call, int64_t divisor)
{
    char text[64];
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input %s cannot be divided into blocks of %lld",
                   as_shape_text(as_shape_in(call, 0), text, sizeof text), (long long)divisor);
}

assay_code as_shape_depth_to_space(const as_shape_call *call)
{
    assay_code code = need_block(call);
    if (code) return code;
    const int64_t b = call->node->attributes.block.size;
    as_shape out = *as_shape_in(call, 0);
    if (out.dims[1] >= 0 && out.dims[1] % (b * b) != 0) return not_divided(call, b * b);
    if (out.dims[1] >= 0) out.dims[1] /= b * b;
    for (int i = 2; i < 4; i++)
        if (out.dims[i] >= 0) out.dims[i] = bounded(out.dims[i] * b);
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_space_to_depth(const as_shape_call *call)
{
    assay_code code = need_block(call);
    if (code) return code;
    const int64_t b = call->node->attributes.block.size;
    as_shape out = *as_shape_in(call, 0);
    for (int i = 2; i < 4; i++) {
        if (out.dims[i] >= 0 && out.dims[i] % b != 0) return not_divided(call, b);
        if (out.dims[i] >= 0) out.dims[i] /= b;
    }
    if (out.dims[1] >= 0) out.dims[1] = bounded(out.dims[1] * b * b);
    *call->out = out;
    return ASSAY_OK;
}

/* ---- GridSample ---- */

assay_code as_shape_grid_sample(const as_shape_call *call)
{
    const as_shape *x = as_shape_in(call, 0), *grid = as_shape_in(call, 1);
    const int rank = x->rank;
    char tx[64], tg[64];
    bool fits = rank >= 3 && rank <= 2 + AS_MAX_SPATIAL && grid->rank == rank;
    if (fits) {
        const int64_t last = grid->dims[rank - 1], n = grid->dims[0];
        fits = (last < 0 || last == rank - 2) && (n < 0 || x->dims[0] < 0 || n == x->dims[0]);
    }
    if (!fits)
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its input is %s, its grid %s: it needs [n,c,...] and [n,...,axes]",
                       as_shape_text(x, tx, sizeof tx), as_shape_text(grid, tg, sizeof tg));
    as_shape out = {.rank = rank, .dims = {x->dims[0], x->dims[1]}};
    for (int i = 2; i < rank; i++)
        out.dims[i] = grid->dims[i - 1];
    *call->out = out;
    return ASSAY_OK;
}
