/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pad.  Negative pads take elements away; what is left is then padded on the other side.
 *
 *     constant  v v [a b c d] v v      reflect  c b [a b c d] c b
 *     edge      a a [a b c d] d d      wrap     c d [a b c d] a b
 */
#include "graph/shape.h"
#include "operators/move.h"

/* What is kept of the axes: elements [low, low + n). */
typedef struct kept {
    as_pad_mode mode;
    int64_t before[AS_MAX_RANK], low[AS_MAX_RANK], n[AS_MAX_RANK];
} kept;

static int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

/* The place among n kept elements, or AS_OUTSIDE. */
static int64_t place(as_pad_mode mode, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) return i;
    if (n == 0) return AS_OUTSIDE;
    switch (mode) {
    case AS_BORDER_EDGE:
        return i < 0 ? 0 : n - 1;
    case AS_BORDER_WRAP:
        return modulo(i, n);
    case AS_BORDER_REFLECT:
        if (n == 1) return 0;
        i = modulo(i, 2 * (n - 1));
        return i < n ? i : 2 * (n - 1) - i;
    case AS_BORDER_CONSTANT:
        break;
    }
    return AS_OUTSIDE;
}

static int64_t offset_pad(const as_move *move, int axis, int64_t i)
{
    const kept *k = move->more;
    const int64_t at = place(k->mode, i - k->before[axis] - k->low[axis], k->n[axis]);
    return at == AS_OUTSIDE ? at : (k->low[axis] + at) * move->step[axis];
}

/* Begins, then ends, of the axes that the input 'axes' names: of all when there is none. */
static void read_pads(const as_op_call *call, int rank, kept *k)
{
    int64_t pads[2 * AS_MAX_RANK], axes[AS_MAX_RANK];
    const as_array *named = as_op_in(call, 3);
    int n = 0, n_axes = 0;
    if (!as_array_integers(call->in[1], pads, 2 * AS_MAX_RANK, &n)) return;
    const bool is_named = named && as_array_integers(named, axes, AS_MAX_RANK, &n_axes);
    for (int i = 0; i < n / 2; i++) {
        const int64_t written = is_named ? axes[i] : i;
        const int axis = (int)(written < 0 ? written + rank : written);
        const int64_t before = pads[i], behind = pads[n / 2 + i];
        k->before[axis] = before;
        k->low[axis] = before < 0 ? -before : 0;
        k->n[axis] += (before < 0 ? before : 0) + (behind < 0 ? behind : 0);
        if (k->n[axis] < 0) k->n[axis] = 0;
    }
}

void as_plain_pad(const as_op_call *call, size_t begin, size_t end)
{
    static const int64_t zero = 0;
    const as_array *value = as_op_in(call, 2);
    as_move move = as_move_of(call);
    kept k = {.mode = call->node->attributes.pad.mode};
    for (int axis = 0; axis < move.rank; axis++)
        k.n[axis] = move.n[axis];
    read_pads(call, move.rank, &k);
    move.offset = offset_pad;
    move.more = &k;
    move.fill = value ? value->data : &zero;
    as_move_rows(&move, begin, end);
}
