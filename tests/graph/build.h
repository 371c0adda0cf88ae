/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_GRAPH_BUILD_H
#define ASSAY_TESTS_GRAPH_BUILD_H
/* Small graphs for tests: tensors by dims, nodes by their inputs' ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/shape.h"

#define SHAPE(...)                                                                             \
    (as_shape)                                                                                 \
    {                                                                                          \
        .rank = sizeof((int64_t[]){__VA_ARGS__}) / 8, .dims = { __VA_ARGS__ }                  \
    }
#define SCALAR ((as_shape){.rank = 0})

static inline int add_input(as_graph *g, const char *name, as_shape shape)
{
    int id = as_graph_add_tensor(g, name, AS_F32, &shape);
    assert_true(id >= 0);
    assert_true(as_graph_add_input(g, id));
    return id;
}

/* A constant of `shape`; `values` NULL: seeded numbers in -1 .. 1, the same in every run. */
static inline int add_floats(as_graph *g, const char *name, as_shape shape, const float *values)
{
    int id = as_graph_add_constant(g, name, AS_F32, &shape, values);
    assert_true(id >= 0);
    float *data = as_graph_edit_data(g, id);
    uint32_t seed = 12345u + (uint32_t)id;
    for (size_t i = 0; !values && i < as_graph_tensor(g, id)->n_elements; i++) {
        seed = seed * 1664525u + 1013904223u; /* Numerical Recipes' generator */
        data[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
    return id;
}

static inline int add_number(as_graph *g, float value)
{
    return add_floats(g, "", SCALAR, &value);
}

static inline int add_integers(as_graph *g, int n, const int64_t *values)
{
    as_shape shape = SHAPE(n);
    int id = as_graph_add_constant(g, "", AS_I64, &shape, values);
    assert_true(id >= 0);
    return id;
}

/* A node of up to three inputs (-1 = left out); returns the tensor that it writes. */
static inline int add_node(as_graph *g, as_op op, const char *name, int a, int b, int c)
{
    int inputs[3] = {a, b, c}, n = c >= 0 ? 3 : b >= 0 ? 2 : 1;
    int y = as_graph_add_tensor(g, name, AS_F32, NULL);
    assert_true(y >= 0);
    assert_true(as_graph_add_node(g, op, name, inputs, n, &y, 1) >= 0);
    return y;
}

/* The attributes of the node that writes `tensor`. */
static inline as_attributes *attributes_of(as_graph *g, int tensor)
{
    return &as_graph_edit_node(g, as_graph_tensor(g, tensor)->producer)->attributes;
}

/* A square convolution of weights w with stride s and pad p on all sides. */
static inline int add_conv(as_graph *g, const char *name, int x, int w, int bias, int s, int p)
{
    int y = add_node(g, AS_OP_CONV, name, x, w, bias);
    as_window *window = &attributes_of(g, y)->conv.window;
    const as_tensor *weights = as_graph_tensor(g, w);
    *window = (as_window){.kernel = {(int)weights->dims[2], (int)weights->dims[3]},
                          .strides = {s, s},
                          .dilations = {1, 1},
                          .pads = {p, p, p, p}};
    return y;
}

static inline void finish(as_graph *g, int output)
{
    assert_true(as_graph_add_output(g, output));
    assert_int_equal(as_graph_sort(g, NULL), ASSAY_OK);
    assert_int_equal(as_graph_resolve(g, NULL), ASSAY_OK);
}

static inline int count_op(const as_graph *g, as_op op)
{
    int n = 0;
    for (int i = 0; i < as_graph_n_nodes(g); i++)
        n += as_graph_node(g, i)->op == op;
    return n;
}

#endif
