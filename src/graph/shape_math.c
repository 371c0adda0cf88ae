/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of elementwise operators and matrix products. */
#include "graph/shape_rules.h"

assay_code as_shape_same(const as_shape_call *call)
{
    *call->out = *as_shape_in(call, 0);
    return ASSAY_OK;
}

assay_code as_shape_constant(const as_shape_call *call)
{
    /* Its output tensor holds the data and so has its shape already. */
    return call->out->rank < 0 ? as_shape_unknown(call, "value") : ASSAY_OK;
}

assay_code as_shape_softmax(const as_shape_call *call)
{
    int axis;
    *call->out = *as_shape_in(call, 0);
    return as_shape_axis(call, call->node->attributes.softmax.axis, call->out->rank, &axis);
}

/* One dim of two that are combined; false when they contradict each other. */
static bool join_dims(int64_t a, int64_t b, int64_t *out)
{
    if (a == 1 || b == 1)
        *out = a == 1 ? b : a;
    else if (a < 0 || b < 0)
        *out = a < 0 ? b : a; /* the known one is above 1, so the other is 1 or equal */
    else if (a == b)
        *out = a;
    else
        return false;
    return true;
}

/* NumPy's rule on dims [0, n) counted from the end of what `skip` last dims leave. */
static assay_code broadcast(const as_shape_call *call, const as_shape *a, const as_shape *b,
                            int skip, as_shape *out)
{
    int na = a->rank - skip, nb = b->rank - skip, n = na > nb ? na : nb;
    for (int i = 0; i < n; i++) {
        int64_t da = i < n - na ? 1 : a->dims[i - (n - na)];
        int64_t db = i < n - nb ? 1 : b->dims[i - (n - nb)];
        if (join_dims(da, db, &out->dims[i])) continue;
        char ta[64], tb[64];
        return as_fail(call->err, as_shape_mismatch_code(call),
                       "its inputs are %s and %s, they cannot be combined",
                       as_shape_text(a, ta, sizeof ta), as_shape_text(b, tb, sizeof tb));
    }
    out->rank = n;
    return ASSAY_OK;
}

assay_code as_shape_broadcast(const as_shape_call *call)
{
    as_shape out = *as_shape_in(call, 0);
    const bool is_old = as_op_info(call->node->op)->attributes == AS_ATTRIBUTES_broadcast &&
                        call->node->attributes.broadcast.has_axis;
    assay_code code = ASSAY_OK;
    for (int i = 1; !code && !is_old && i < call->node->n_inputs; i++) {
        const as_shape *in = as_shape_in(call, i);
        if (!in) return as_fail(call->err, ASSAY_E_FORMAT, "its input %d is left out", i);
        as_shape joined = {0};
        code = broadcast(call, &out, in, 0, &joined);
        out = joined;
    }
    *call->out = out;
    return code;
}

/* Whether `b` spreads over `a`, so that the result is as `a`; what is not known may fit. */
static bool spreads_over(const as_shape *a, const as_shape *b)
{
    if (b->rank > a->rank) return false;
    for (int i = 1; i <= b->rank; i++) {
        const int64_t da = a->dims[a->rank - i], db = b->dims[b->rank - i];
        if (da >= 0 && db >= 0 && db != 1 && da != db) return false;
    }
    return true;
}

assay_code as_shape_need_spread(const as_shape_call *call, int i, const as_shape *a)
{
    const as_shape *b = as_shape_in(call, i);
    char ta[64], tb[64];
    if (!b || spreads_over(a, b)) return ASSAY_OK;
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its input %d is %s, it must spread over %s", i,
                   as_shape_text(b, tb, sizeof tb), as_shape_text(a, ta, sizeof ta));
}

assay_code as_shape_prelu(const as_shape_call *call)
{
    *call->out = *as_shape_in(call, 0);
    return call->node->attributes.broadcast.has_axis ? ASSAY_OK
                                                     : as_shape_need_spread(call, 1, call->out);
}

static assay_code inner_differs(const as_shape_call *call, int64_t ka, int64_t kb)
{
    return as_fail(call->err, as_shape_mismatch_code(call),
                   "its first input has %lld columns, its second %lld rows", (long long)ka,
                   (long long)kb);
}

assay_code as_shape_gemm(const as_shape_call *call)
{
    assay_code code = as_shape_need_rank(call, 0, 2);
    if (!code) code = as_shape_need_rank(call, 1, 2);
    if (code) return code;
    const as_shape *a = as_shape_in(call, 0), *b = as_shape_in(call, 1);
    bool ta = call->node->attributes.gemm.is_a_transposed;
    bool tb = call->node->attributes.gemm.is_b_transposed;
    int64_t ka = a->dims[ta ? 0 : 1], kb = b->dims[tb ? 1 : 0];
    if (ka >= 0 && kb >= 0 && ka != kb) return inner_differs(call, ka, kb);
    as_shape out = {.rank = 2, .dims = {a->dims[ta ? 1 : 0], b->dims[tb ? 0 : 1]}};
    code = as_shape_need_spread(call, 2, &out); /* not the product over it */
    if (code) return code;
    *call->out = out;
    return ASSAY_OK;
}

assay_code as_shape_matmul(const as_shape_call *call)
{
    as_shape a = *as_shape_in(call, 0), b = *as_shape_in(call, 1), out = {0};
    if (a.rank < 1 || b.rank < 1)
        return as_fail(call->err, as_shape_mismatch_code(call), "it cannot multiply scalars");
    /* A vector is a row before and a column behind; that dim is gone from the output. */
    bool is_row = a.rank == 1, is_column = b.rank == 1;
    if (is_row) a = (as_shape){.rank = 2, .dims = {1, a.dims[0]}};
    if (is_column) b = (as_shape){.rank = 2, .dims = {b.dims[0], 1}};
    int64_t ka = a.dims[a.rank - 1], kb = b.dims[b.rank - 2];
    if (ka >= 0 && kb >= 0 && ka != kb) return inner_differs(call, ka, kb);
    assay_code code = broadcast(call, &a, &b, 2, &out);
    if (code) return code;
    if (!is_row) out.dims[out.rank++] = a.dims[a.rank - 2];
    if (!is_column) out.dims[out.rank++] = b.dims[b.rank - 1];
    *call->out = out;
    return ASSAY_OK;
}
