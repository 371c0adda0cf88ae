/* SPDX-License-Identifier: Apache-2.0 */
/* The table, and what its lines share. */
#include <string.h>

#include "operators/operators.h"

static const as_operator table[AS_N_OPS] = {
#define AS_PLAIN(name, run, items, accepts, check, known)                                      \
    [AS_OP_##name] = {as_plain_##run, as_items_##items, as_accepts_##accepts,                  \
                      as_check_##check, AS_KNOWN_##known},
#include "operators/table.inc"
#undef AS_PLAIN
};

const as_operator *as_operator_of(as_op op)
{
    return op < AS_N_OPS && table[op].run ? &table[op] : NULL;
}

assay_code as_op_run_whole(const as_op_call *call, assay_error *err)
{
    const as_operator *plain = as_operator_of(call->node->op);
    if (!plain)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "assay has no operator %s",
                       call->node->op_type);
    assay_code code = plain->accepts(call, err);
    if (!code) code = plain->check(call, err);
    if (!code) plain->run(call, 0, as_op_n_items(plain, call));
    return code;
}

/* An array of no elements may have any other dims, and walking those would take for ever. */
size_t as_op_n_items(const as_operator *plain, const as_op_call *call)
{
    for (int i = 0; i < call->n_out; i++)
        if (call->out[i] && as_array_elements(call->out[i]) > 0) return plain->n_items(call);
    return 0;
}

size_t as_array_product(const as_array *array, int from, int to)
{
    size_t n = 1;
    for (int i = from; i < to; i++)
        n *= (size_t)array->shape.dims[i];
    return n;
}

size_t as_array_elements(const as_array *array)
{
    return as_array_product(array, 0, array->shape.rank);
}

size_t as_items_one(const as_op_call *call)
{
    (void)call;
    return 1;
}

size_t as_items_elements(const as_op_call *call) { return as_array_elements(call->out[0]); }

size_t as_items_rows(const as_op_call *call)
{
    const as_array *y = call->out[0];
    if (as_array_elements(y) == 0) return 0;
    return as_array_product(y, 0, y->shape.rank - 1);
}

assay_code as_accepts_all(const as_op_call *call, assay_error *err)
{
    (void)call, (void)err;
    return ASSAY_OK;
}

assay_code as_accepts_f32(const as_op_call *call, assay_error *err)
{
    for (int i = 0; i < call->n_in; i++)
        if (call->in[i] && call->in[i]->dtype != AS_F32)
            return as_fail(err, ASSAY_E_UNSUPPORTED, "its input %d is %s, assay does f32 only",
                           i, as_dtype_name(call->in[i]->dtype));
    return ASSAY_OK;
}

assay_code as_check_nothing(const as_op_call *call, assay_error *err)
{
    (void)call, (void)err;
    return ASSAY_OK;
}

as_strides as_broadcast_strides(const as_array *array, int rank)
{
    as_strides strides = {{0}};
    const as_shape *shape = &array->shape;
    size_t step = 1;
    for (int i = 1; i <= shape->rank && i <= rank; i++) {
        const int64_t dim = shape->dims[shape->rank - i];
        strides.of[rank - i] = dim == 1 ? 0 : step;
        step *= (size_t)dim;
    }
    return strides;
}

size_t as_strided_index(const as_shape *shape, const as_strides *strides, size_t at)
{
    size_t index = 0;
    for (int i = shape->rank - 1; i >= 0; i--) {
        const size_t dim = (size_t)shape->dims[i];
        index += at % dim * strides->of[i];
        at /= dim;
    }
    return index;
}

void as_copy_elements(void *to, size_t to_at, const void *from, size_t from_at, size_t n,
                      size_t bytes)
{
    if (n == 0) return;
    memcpy((char *)to + to_at * bytes, (const char *)from + from_at * bytes, n * bytes);
}
