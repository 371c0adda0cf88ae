/* SPDX-License-Identifier: Apache-2.0 */
/* The walk that moves elements, and the operators that are little more than their strides. */
#include "operators/move.h"

#include <string.h>

#include "graph/shape.h"

/* Offsets of the last axis that are computed at a time, for all rows. */
#define CHUNK 256

/* Where a walk over the rows is. */
typedef struct walk {
    size_t at[AS_MAX_RANK];
    int64_t sum[AS_MAX_RANK + 1]; /* sum[d]: of the axes before d; AS_OUTSIDE stays so */
} walk;

as_move as_move_of(const as_op_call *call)
{
    const as_array *x = call->in[0], *y = call->out[0];
    as_move move = {
        .to = call->out[0], .from = x, .rank = y->shape.rank, .offset = as_offset_linear};
    for (int axis = 0; axis < move.rank; axis++)
        move.dims[axis] = (size_t)y->shape.dims[axis];
    int64_t stride = 1;
    for (int axis = x->shape.rank - 1; axis >= 0; axis--) {
        move.n[axis] = x->shape.dims[axis];
        move.step[axis] = stride;
        stride *= x->shape.dims[axis];
    }
    return move;
}

int64_t as_offset_linear(const as_move *move, int axis, int64_t i)
{
    return move->first[axis] + i * move->step[axis];
}

static int64_t add(int64_t sum, int64_t offset)
{
    return sum == AS_OUTSIDE || offset == AS_OUTSIDE ? AS_OUTSIDE : sum + offset;
}

/* The sums behind axis `from`, all axes but the last. */
static void sum_from(const as_move *move, walk *w, int from)
{
    for (int axis = from; axis < move->rank - 1; axis++)
        w->sum[axis + 1] = add(w->sum[axis], move->offset(move, axis, (int64_t)w->at[axis]));
}

static void open_row(const as_move *move, walk *w, size_t row)
{
    w->sum[0] = 0;
    for (int axis = move->rank - 2; axis >= 0; axis--) {
        w->at[axis] = row % move->dims[axis];
        row /= move->dims[axis];
    }
    sum_from(move, w, 0);
}

static void next_row(const as_move *move, walk *w)
{
    int axis = move->rank - 2;
    while (axis >= 0 && ++w->at[axis] == move->dims[axis])
        w->at[axis--] = 0;
    if (axis >= 0) sum_from(move, w, axis);
}

/* Elements of one row; `bytes` is a number in every use, so that a copy is one move. */
static inline void put(char *to, const char *from, int64_t base, const int64_t *inner, size_t n,
                       const char *fill, size_t bytes)
{
    for (size_t j = 0; j < n; j++) {
        const int64_t at = add(base, inner[j]);
        memcpy(to + j * bytes, at == AS_OUTSIDE ? fill : from + (size_t)at * bytes, bytes);
    }
}

static void put_row(char *to, const char *from, int64_t base, const int64_t *inner, size_t n,
                    const char *fill, size_t bytes, bool is_run)
{
    if (is_run && base != AS_OUTSIDE)
        memcpy(to, from + (size_t)(base + inner[0]) * bytes, n * bytes);
    else if (bytes == 4)
        put(to, from, base, inner, n, fill, 4);
    else if (bytes == 8)
        put(to, from, base, inner, n, fill, 8);
    else
        put(to, from, base, inner, n, fill, 1);
}

/* Offsets of the last axis from `at` on; whether they follow each other. */
static bool inner_offsets(const as_move *move, size_t at, size_t n, int64_t *inner)
{
    bool is_run = true;
    for (size_t j = 0; j < n; j++) {
        inner[j] = move->rank ? move->offset(move, move->rank - 1, (int64_t)(at + j)) : 0;
        is_run = is_run && inner[0] != AS_OUTSIDE && inner[j] == inner[0] + (int64_t)j;
    }
    return is_run;
}

/* An element of every type. */
static const char zeros[sizeof(int64_t)];

void as_move_rows(const as_move *move, size_t begin, size_t end)
{
    const size_t bytes = as_dtype_bytes(move->from->dtype);
    const size_t length = move->rank ? move->dims[move->rank - 1] : 1;
    const char *from = move->from->data ? move->from->data : ""; /* it may have no elements */
    char *to = move->to->data;
    const char *fill = move->fill ? move->fill : zeros;
    int64_t inner[CHUNK];
    if (begin == end) return;
    for (size_t at = 0; at < length; at += CHUNK) {
        const size_t n = length - at < CHUNK ? length - at : CHUNK;
        const bool is_run = inner_offsets(move, at, n, inner);
        walk w;
        open_row(move, &w, begin);
        for (size_t row = begin; row < end; row++) {
            const int64_t base = move->rank ? w.sum[move->rank - 1] : 0;
            put_row(to + (row * length + at) * bytes, from, base, inner, n, fill, bytes,
                    is_run);
            next_row(move, &w);
        }
    }
}

/* ---- Operators ---- */

void as_plain_transpose(const as_op_call *call, size_t begin, size_t end)
{
    const as_attributes *a = &call->node->attributes;
    const as_move from = as_move_of(call);
    as_move move = from;
    for (int axis = 0; axis < move.rank; axis++)
        move.step[axis] =
            from.step[a->transpose.n ? a->transpose.perm[axis] : move.rank - 1 - axis];
    as_move_rows(&move, begin, end);
}

/* Integers of an input; the shape rule has seen that they are some. */
static int integers(const as_op_call *call, int i, int64_t *out, int room)
{
    const as_array *array = as_op_in(call, i);
    int n = 0;
    return array && as_array_integers(array, out, room, &n) ? n : 0;
}

void as_plain_slice(const as_op_call *call, size_t begin, size_t end)
{
    int64_t starts[AS_MAX_RANK] = {0}, ends[AS_MAX_RANK] = {0};
    int64_t axes[AS_MAX_RANK] = {0}, steps[AS_MAX_RANK] = {0};
    as_move move = as_move_of(call);
    const int n = integers(call, 1, starts, AS_MAX_RANK);
    integers(call, 2, ends, AS_MAX_RANK);
    const int n_axes = integers(call, 3, axes, AS_MAX_RANK);
    const int n_steps = integers(call, 4, steps, AS_MAX_RANK);
    for (int i = 0; i < n; i++) {
        const int64_t written = n_axes ? axes[i] : i;
        const int axis = (int)(written < 0 ? written + move.rank : written);
        const int64_t step = n_steps ? steps[i] : 1, stride = move.step[axis];
        int64_t first;
        const int64_t taken = as_slice_range(move.n[axis], starts[i], ends[i], step, &first);
        move.first[axis] = first * stride;
        move.step[axis] = taken > 1 ? step * stride : 0; /* a huge step takes one element */
    }
    as_move_rows(&move, begin, end);
}

/* Dims are counted from the last; one element stands for all of an axis. */
void as_plain_expand(const as_op_call *call, size_t begin, size_t end)
{
    as_move move = as_move_of(call);
    const as_strides strides = as_broadcast_strides(call->in[0], move.rank);
    for (int axis = 0; axis < move.rank; axis++)
        move.step[axis] = (int64_t)strides.of[axis];
    as_move_rows(&move, begin, end);
}

static int64_t offset_tile(const as_move *move, int axis, int64_t i)
{
    return i % move->n[axis] * move->step[axis];
}

void as_plain_tile(const as_op_call *call, size_t begin, size_t end)
{
    as_move move = as_move_of(call);
    move.offset = offset_tile;
    as_move_rows(&move, begin, end);
}

/* The axes are n, c, h, w.  A pixel of the output takes the channel of its place in its block:
 * DCR counts channels fastest, CRD slowest. */
static int64_t offset_depth_to_space(const as_move *move, int axis, int64_t i)
{
    const int64_t b = move->first[1], channels = move->first[2];
    const bool is_crd = move->first[3] != 0;
    if (axis == 0) return i * move->step[0];
    if (axis == 1) return i * (is_crd ? b * b : 1) * move->step[1];
    const int64_t place = axis == 2 ? i % b * b : i % b;
    return i / b * move->step[axis] + place * (is_crd ? 1 : channels) * move->step[1];
}

/* A channel of the output is a place in a block, and a channel. */
static int64_t offset_space_to_depth(const as_move *move, int axis, int64_t i)
{
    const int64_t b = move->first[1], channels = move->first[2];
    const bool is_crd = move->first[3] != 0;
    if (axis == 0) return i * move->step[0];
    if (axis > 1) return i * b * move->step[axis];
    const int64_t place = is_crd ? i % (b * b) : i / channels;
    const int64_t channel = is_crd ? i / (b * b) : i % channels;
    return channel * move->step[1] + place / b * move->step[2] + place % b * move->step[3];
}

static void move_blocks(const as_op_call *call, const as_array *channels, size_t begin,
                        size_t end, int64_t (*offset)(const as_move *, int, int64_t))
{
    as_move move = as_move_of(call);
    move.offset = offset;
    move.first[1] = call->node->attributes.block.size;
    move.first[2] = channels->shape.dims[1];
    move.first[3] = call->node->attributes.block.is_channels_first;
    as_move_rows(&move, begin, end);
}

void as_plain_depth_to_space(const as_op_call *call, size_t begin, size_t end)
{
    move_blocks(call, call->out[0], begin, end, offset_depth_to_space);
}

void as_plain_space_to_depth(const as_op_call *call, size_t begin, size_t end)
{
    move_blocks(call, call->in[0], begin, end, offset_space_to_depth);
}
