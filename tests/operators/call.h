/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_OPERATORS_CALL_H
#define ASSAY_TESTS_OPERATORS_CALL_H
/*
 * One operator on arrays, its outputs' shapes and types out of the rules of graph/:
 *
 *     one_op t = start(AS_OP_CONCAT);
 *     t.attributes->axis.axis = 0;
 *     give(&t, F32(SHAPE(2), 1, 2));
 *     give(&t, F32(SHAPE(1), 3));
 *     run(&t, 1);
 *     expect(&t, 0, F32(SHAPE(3), 1, 2, 3));
 *     stop(&t);
 *
 * The same is run once more in pieces of one item, and has to give the same bytes.
 */
#include "../graph/build.h"
#include "base/memory.h"
#include "operators/infer.h"
#include "operators/operators.h"

#define MOST_PORTS 16

typedef struct one_op {
    as_graph *g;
    as_op op;
    as_attributes attributes[1];
    int ids[MOST_PORTS], n;
    as_array in[MOST_PORTS], out[MOST_PORTS];
    assay_code code;
    assay_error err;
} one_op;

#define ARRAY(TYPE, DTYPE, SHAPE_OF, ...)                                                      \
    ((as_array){.dtype = (DTYPE), .shape = SHAPE_OF, .data = (TYPE[]){__VA_ARGS__}})
#define F32(shape, ...)  ARRAY(float, AS_F32, (shape), __VA_ARGS__)
#define I64(shape, ...)  ARRAY(int64_t, AS_I64, (shape), __VA_ARGS__)
#define I32(shape, ...)  ARRAY(int32_t, AS_I32, (shape), __VA_ARGS__)
#define BOOL(shape, ...) ARRAY(unsigned char, AS_BOOL, (shape), __VA_ARGS__)

static inline one_op start(as_op op)
{
    one_op t = {.g = as_graph_new(), .op = op};
    assert_non_null(t.g);
    as_attributes_init(t.attributes, op);
    return t;
}

/* The next input; an array's elements are copied. */
static inline void give(one_op *t, as_array array)
{
    assert_true(t->n < MOST_PORTS);
    int id = as_graph_add_constant(t->g, "", array.dtype, &array.shape, array.data);
    assert_true(id >= 0);
    t->in[t->n] = array;
    t->in[t->n].data = as_graph_edit_data(t->g, id);
    t->ids[t->n++] = id;
}

/* The next input is left out. */
static inline void leave_out(one_op *t)
{
    t->in[t->n] = (as_array){.shape = {.rank = -1}};
    t->ids[t->n++] = -1;
}

static inline void stop(one_op *t)
{
    for (int k = 0; k < MOST_PORTS; k++)
        as_free(t->out[k].data);
    as_graph_free(t->g);
}

/* Memory for an output, and bytes in it that no operator leaves by chance. */
static inline void make_output(one_op *t, int k, as_dtype dtype, const as_shape *shape)
{
    size_t n = 0;
    assert_true(as_shape_elements(shape, &n));
    as_free(t->out[k].data);
    t->out[k] = (as_array){dtype, *shape, as_alloc(n * as_dtype_bytes(dtype) + 1)};
    assert_non_null(t->out[k].data);
    memset(t->out[k].data, 0xA5, n * as_dtype_bytes(dtype) + 1);
}

static inline void run_pieces(one_op *t, const as_op_call *call, int n_outputs)
{
    const as_operator *op = as_operator_of(t->op);
    for (int k = 0; k < n_outputs; k++) {
        const size_t bytes = as_array_elements(&t->out[k]) * as_dtype_bytes(t->out[k].dtype);
        unsigned char *whole = as_alloc(bytes + 1);
        assert_non_null(whole);
        memcpy(whole, t->out[k].data, bytes);
        memset(t->out[k].data, 0x5A, bytes);
        for (size_t i = op->n_items(call); i > 0; i--)
            op->run(call, i - 1, i);
        assert_memory_equal(t->out[k].data, whole, bytes);
        as_free(whole);
    }
}

/* Infer and run; a failure of either is left in t->code and t->err. */
static inline void run(one_op *t, int n_outputs)
{
    int outputs[MOST_PORTS];
    for (int k = 0; k < n_outputs; k++) {
        outputs[k] = as_graph_add_tensor(t->g, "", AS_F32, NULL);
        assert_true(outputs[k] >= 0);
    }
    int id = as_graph_add_node(t->g, t->op, "op", t->ids, t->n, outputs, n_outputs);
    assert_true(id >= 0);
    as_graph_edit_node(t->g, id)->attributes = t->attributes[0];
    t->code = as_graph_resolve(t->g, &t->err);
    as_shapes shapes = {0};
    if (!t->code) t->code = as_shape_infer(t->g, &SCALAR, 0, &shapes, &t->err);
    if (t->code) return;
    const as_array *in[MOST_PORTS];
    as_array *out[MOST_PORTS];
    for (int i = 0; i < t->n; i++)
        in[i] = t->ids[i] < 0 ? NULL : &t->in[i];
    for (int k = 0; k < n_outputs; k++) {
        make_output(t, k, as_graph_tensor(t->g, outputs[k])->dtype, &shapes.of[outputs[k]]);
        out[k] = &t->out[k];
    }
    const as_op_call call = {.node = as_graph_node(t->g, id),
                             .in = in,
                             .out = out,
                             .n_in = t->n,
                             .n_out = n_outputs};
    t->code = as_op_run_whole(&call, &t->err);
    if (!t->code) run_pieces(t, &call, n_outputs);
    as_shapes_free(&shapes);
}

static inline void expect_form(const one_op *t, int k, const as_array *wanted)
{
    if (t->code) print_error("%s\n", t->err.message);
    assert_int_equal(t->code, ASSAY_OK);
    assert_int_equal(t->out[k].dtype, wanted->dtype);
    assert_int_equal(t->out[k].shape.rank, wanted->shape.rank);
    for (int i = 0; i < wanted->shape.rank; i++)
        assert_int_equal(t->out[k].shape.dims[i], wanted->shape.dims[i]);
}

/* Output k has this type, shape and these very bytes. */
static inline void expect(const one_op *t, int k, as_array wanted)
{
    expect_form(t, k, &wanted);
    assert_memory_equal(t->out[k].data, wanted.data,
                        as_array_elements(&wanted) * as_dtype_bytes(wanted.dtype));
}

/* Output k is f32 and each element within `bound` of these. */
static inline void expect_near(const one_op *t, int k, as_array wanted, double bound)
{
    expect_form(t, k, &wanted);
    for (size_t i = 0; i < as_array_elements(&wanted); i++)
        assert_float_equal(((float *)t->out[k].data)[i], ((float *)wanted.data)[i],
                           (float)bound);
}

/* It failed with this code, and the message has `part`. */
static inline void expect_failure(const one_op *t, assay_code code, const char *part)
{
    assert_int_equal(t->code, code);
    assert_non_null(strstr(t->err.message, part));
}

#endif
