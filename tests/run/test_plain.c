/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of which some nodes have no kernel: two layouts, every type, values that plans know. */
#include "../graph/build.h"
#include "base/memory.h"
#include "run/execute.h"

#define MOST 4

/* A network and what it gives. */
typedef struct run_of {
    as_graph *g;
    as_weights *weights;
    as_plan *plan;
    as_threads *pool;
    float *arena;
    assay_code code;
    assay_error err;
} run_of;

static run_of open_graph(void)
{
    run_of r = {.g = as_graph_new(), .weights = as_weights_new()};
    assert_non_null(r.g);
    assert_non_null(r.weights);
    return r;
}

static void close_graph(run_of *r)
{
    as_plan_free(r->plan);
    as_threads_free(r->pool);
    as_free(r->arena);
    as_weights_free(r->weights);
    as_graph_free(r->g);
}

static void finish_outputs(run_of *r, const int *outputs, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(as_graph_add_output(r->g, outputs[i]));
    assert_int_equal(as_graph_sort(r->g, NULL), ASSAY_OK);
    assert_int_equal(as_graph_resolve(r->g, NULL), ASSAY_OK);
}

/* Plan for these inputs and run on two threads. */
static void run_graph(run_of *r, const as_array *inputs, int n_inputs)
{
    as_plan_options options = as_plan_options_defaults();
    options.threads = 2;
    size_t n_scratch = 0;
    r->code = as_plan_new_for(r->g, inputs, n_inputs, as_kernels_get(AS_ISA_SCALAR), &options,
                              r->weights, &r->plan, &r->err);
    if (r->code) return;
    assert_int_equal(as_threads_new(2, &r->pool, NULL), ASSAY_OK);
    assert_int_equal(as_execute_scratch(r->plan, 2, &n_scratch, NULL), ASSAY_OK);
    const size_t room = r->plan->arena_floats + n_scratch;
    r->arena = as_alloc_array(room + 16, sizeof *r->arena);
    assert_non_null(r->arena);
    memset(r->arena, 0xff, room * sizeof *r->arena); /* NaN: what nobody wrote shows */
    as_plan_bind(r->plan, r->arena);
    for (int i = 0; i < n_inputs; i++)
        as_plan_bind_input(r->plan, i, inputs[i].data);
    r->code = as_execute(r->plan, r->pool, r->arena + r->plan->arena_floats, NULL, &r->err);
}

static const as_array *output(const run_of *r, int i) { return &r->plan->outputs[i].array; }

static void expect(const run_of *r, int i, as_dtype dtype, as_shape shape, const void *data)
{
    if (r->code) print_error("%s: %s\n", r->err.where, r->err.message);
    assert_int_equal(r->code, ASSAY_OK);
    const as_array *y = output(r, i);
    assert_int_equal(y->dtype, dtype);
    assert_int_equal(y->shape.rank, shape.rank);
    for (int d = 0; d < shape.rank; d++)
        assert_int_equal(y->shape.dims[d], shape.dims[d]);
    const size_t bytes = as_array_elements(y) * as_dtype_bytes(dtype);
    if (bytes) assert_memory_equal(y->data, data, bytes);
}

static int count_kind(const run_of *r, as_layer_kind kind)
{
    int n = 0;
    for (size_t i = 0; i < r->plan->n_layers; i++)
        n += r->plan->layers[i].kind == kind;
    return n;
}

static int add_typed(as_graph *g, const char *name, as_dtype dtype, as_shape shape)
{
    int id = as_graph_add_tensor(g, name, dtype, &shape);
    assert_true(id >= 0);
    assert_true(as_graph_add_input(g, id));
    return id;
}

static int reshape(as_graph *g, int x, int n, const int64_t *dims)
{
    return add_node(g, AS_OP_RESHAPE, "reshape", x, add_integers(g, n, dims), -1);
}

/* Relu, another shape, Relu: the pixels of the second are other ones than those of the first. */
static void an_image_takes_another_shape_between_kernels(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(1, 2, 2, 3));
    int a = add_node(r.g, AS_OP_RELU, "a", x, -1, -1);
    int b = reshape(r.g, a, 4, (const int64_t[]){1, 3, 2, 2});
    int c = add_node(r.g, AS_OP_NEG, "c", b, -1, -1);
    finish_outputs(&r, &c, 1);
    float in[12], out[12];
    for (int i = 0; i < 12; i++) {
        in[i] = (float)(i - 3);
        out[i] = in[i] > 0 ? -in[i] : -0.0F;
    }
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 2, 2, 3), in}, 1);
    expect(&r, 0, AS_F32, SHAPE(1, 3, 2, 2), out);
    assert_int_equal(count_kind(&r, AS_LAYER_FROM_NCHW), 2);
    assert_int_equal(count_kind(&r, AS_LAYER_TO_NCHW), 2);
    assert_int_equal(count_kind(&r, AS_LAYER_PLAIN), 0); /* the same elements: no layer */
    close_graph(&r);
}

static void one_pixel_needs_no_layer_between_layouts(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(1, 6, 1, 1));
    int a = add_node(r.g, AS_OP_RELU, "a", x, -1, -1);
    int b = reshape(r.g, a, 3, (const int64_t[]){1, 1, 6});
    int c = add_node(r.g, AS_OP_UNSQUEEZE, "c", b, add_integers(r.g, 1, (int64_t[]){0}), -1);
    finish_outputs(&r, (int[]){b, c}, 2);
    float in[6] = {-1, 2, -3, 4, -5, 6}, out[6] = {0, 2, 0, 4, 0, 6};
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 6, 1, 1), in}, 1);
    expect(&r, 0, AS_F32, SHAPE(1, 1, 6), out);
    expect(&r, 1, AS_F32, SHAPE(1, 1, 1, 6), out);
    assert_int_equal(r.plan->n_layers, 2); /* from-nchw, relu */
    close_graph(&r);
}

static void outputs_may_be_inputs_constants_shapes_and_the_same_twice(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_typed(r.g, "x", AS_I32, SHAPE(3)),
        s = add_node(r.g, AS_OP_SHAPE, "s", x, -1, -1);
    int k = add_number(r.g, 2.5F);
    finish_outputs(&r, (int[]){x, k, s, s}, 4);
    int32_t in[3] = {7, -8, 9};
    run_graph(&r, &(as_array){AS_I32, SHAPE(3), in}, 1);
    expect(&r, 0, AS_I32, SHAPE(3), in);
    assert_ptr_not_equal(output(&r, 0)->data, in); /* outputs are the plan's */
    expect(&r, 1, AS_F32, SCALAR, &(float){2.5F});
    expect(&r, 2, AS_I64, SHAPE(1), &(int64_t){3});
    expect(&r, 3, AS_I64, SHAPE(1), &(int64_t){3});
    close_graph(&r);
}

static void every_type_and_eight_dims_go_through(void **state)
{
    (void)state;
    static const int64_t dims[8] = {1, 2, 1, 1, 3, 1, 1, 1};
    run_of r = open_graph();
    int x = add_typed(r.g, "x", AS_I64, SHAPE(6)), y = add_typed(r.g, "y", AS_BOOL, SHAPE(6));
    int a = reshape(r.g, x, 8, dims), b = reshape(r.g, y, 8, dims);
    int c = add_node(r.g, AS_OP_IDENTITY, "c", a, -1, -1);
    finish_outputs(&r, (int[]){c, b}, 2);
    int64_t in[6] = {INT64_MAX, 1, 2, 3, 4, INT64_MIN};
    unsigned char flags[6] = {1, 0, 1, 1, 0, 0};
    const as_array inputs[2] = {{AS_I64, SHAPE(6), in}, {AS_BOOL, SHAPE(6), flags}};
    run_graph(&r, inputs, 2);
    expect(&r, 0, AS_I64, SHAPE(1, 2, 1, 1, 3, 1, 1, 1), in);
    expect(&r, 1, AS_BOOL, SHAPE(1, 2, 1, 1, 3, 1, 1, 1), flags);
    close_graph(&r);
}

static void tensors_without_elements_run(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(0, 4));
    int y = add_node(r.g, AS_OP_FLATTEN, "y", x, -1, -1);
    int s = add_node(r.g, AS_OP_SHAPE, "s", y, -1, -1);
    finish_outputs(&r, (int[]){y, s}, 2);
    run_graph(&r, &(as_array){AS_F32, SHAPE(0, 4), NULL}, 1);
    expect(&r, 0, AS_F32, SHAPE(0, 4), NULL);
    expect(&r, 1, AS_I64, SHAPE(2), (const int64_t[]){0, 4});
    close_graph(&r);
}

static void a_plan_keeps_the_values_that_its_shapes_come_from(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(2, 3)), dims = add_typed(r.g, "dims", AS_I64, SHAPE(-1));
    int y = add_node(r.g, AS_OP_RESHAPE, "y", x, dims, -1);
    finish_outputs(&r, &y, 1);
    float in[6] = {1, 2, 3, 4, 5, 6};
    int64_t wanted[2] = {3, -1};
    const as_array inputs[2] = {{AS_F32, SHAPE(2, 3), in}, {AS_I64, SHAPE(2), wanted}};
    run_graph(&r, inputs, 2);
    expect(&r, 0, AS_F32, SHAPE(3, 2), in);
    assert_null(r.plan->inputs[0].array.data);
    assert_memory_equal(r.plan->inputs[1].array.data, wanted, sizeof wanted);
    assert_ptr_not_equal(r.plan->inputs[1].array.data, wanted);
    close_graph(&r);
}

static void a_network_without_nodes_gives_its_input(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SCALAR);
    finish_outputs(&r, &x, 1);
    run_graph(&r, &(as_array){AS_F32, SCALAR, &(float){3}}, 1);
    expect(&r, 0, AS_F32, SCALAR, &(float){3});
    close_graph(&r);
}

/* Gather's index is a value of the run: it is looked at before each, and the node is named. */
static void a_value_that_does_not_suit_ends_the_run_with_its_node(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(3)), at = add_typed(r.g, "at", AS_I64, SHAPE(2));
    int y = add_node(r.g, AS_OP_GATHER, "pick", x, at, -1);
    finish_outputs(&r, &y, 1);
    int64_t indices[2] = {-3, 2};
    const as_array inputs[2] = {{AS_F32, SHAPE(3), (float[]){1, 2, 3}},
                                {AS_I64, SHAPE(2), indices}};
    run_graph(&r, inputs, 2);
    expect(&r, 0, AS_F32, SHAPE(2), (const float[]){1, 3});
    indices[1] = 3;
    assert_int_equal(as_execute(r.plan, r.pool, r.arena + r.plan->arena_floats, NULL, &r.err),
                     ASSAY_E_ARGUMENT);
    assert_string_equal(r.err.where, "node 0 'pick' (Gather)");
    close_graph(&r);
}

/* Kernels before and behind an operator that has none, and one of two outputs. */
static void kernels_and_plain_operators_take_turns(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(1, 2, 2, 2));
    int a = add_node(r.g, AS_OP_RELU, "a", x, -1, -1);
    int t = add_node(r.g, AS_OP_TRANSPOSE, "t", a, -1, -1);
    as_attributes *perm = attributes_of(r.g, t);
    perm->transpose.n = 4;
    memcpy(perm->transpose.perm, (int[]){0, 1, 3, 2}, 4 * sizeof(int));
    int y = add_node(r.g, AS_OP_NEG, "y", t, -1, -1);
    int parts[2] = {as_graph_add_tensor(r.g, "p", AS_F32, NULL),
                    as_graph_add_tensor(r.g, "q", AS_F32, NULL)};
    int split = as_graph_add_node(r.g, AS_OP_SPLIT, "split", &y, 1, parts, 2);
    assert_true(split >= 0);
    as_graph_edit_node(r.g, split)->attributes.axis.axis = 1;
    int sum = add_node(r.g, AS_OP_ADD, "sum", parts[0], parts[1], -1);
    finish_outputs(&r, (int[]){sum, parts[1]}, 2);
    float in[8] = {1, 2, 3, 4, -5, 6, 7, 8};
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 2, 2, 2), in}, 1);
    expect(&r, 0, AS_F32, SHAPE(1, 1, 2, 2), (const float[]){-1, -10, -8, -12});
    expect(&r, 1, AS_F32, SHAPE(1, 1, 2, 2), (const float[]){-0.0F, -7, -6, -8});
    close_graph(&r);
}

/* Sizes that are computed of a shape: Shape, Slice, Mul, Concat, Resize; no layer but the last. */
static void sizes_computed_from_a_shape_are_known_to_the_plan(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(-1, 1, -1, -1));
    int shape = add_node(r.g, AS_OP_SHAPE, "shape", x, -1, -1);
    int ends[3] = {add_integers(r.g, 1, (int64_t[]){2}), add_integers(r.g, 1, (int64_t[]){4}),
                   add_integers(r.g, 1, (int64_t[]){0})};
    int part = add_node(r.g, AS_OP_SLICE, "image", shape, ends[0], ends[1]);
    int twice =
        add_node(r.g, AS_OP_MUL, "twice", part, add_integers(r.g, 1, (int64_t[]){2}), -1);
    int first = add_node(r.g, AS_OP_SLICE, "first", shape, ends[2], ends[0]);
    int sizes = add_node(r.g, AS_OP_CONCAT, "sizes", first, twice, -1);
    attributes_of(r.g, sizes)->axis.axis = 0;
    int inputs[4] = {x, -1, -1, sizes}, y = as_graph_add_tensor(r.g, "y", AS_F32, NULL);
    int resize = as_graph_add_node(r.g, AS_OP_RESIZE, "resize", inputs, 4, &y, 1);
    assert_true(resize >= 0);
    as_resize_attributes *how = &as_graph_edit_node(r.g, resize)->attributes.resize;
    how->coordinate = AS_COORDINATE_ASYMMETRIC;
    how->nearest = AS_NEAREST_FLOOR;
    finish_outputs(&r, &y, 1);
    float in[2] = {3, 4};
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 1, 1, 2), in}, 1);
    expect(&r, 0, AS_F32, SHAPE(1, 1, 2, 4), (const float[]){3, 3, 4, 4, 3, 3, 4, 4});
    assert_int_equal(count_kind(&r, AS_LAYER_MAP), 1); /* by the kernel */
    assert_int_equal(count_kind(&r, AS_LAYER_PLAIN), 0);
    close_graph(&r);
}

/* What reads a tensor's shape alone does not keep its readers from riding on what makes it. */
static void a_node_rides_where_only_a_known_shape_reads_along(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(1, 3, 2, 2));
    int a = add_node(r.g, AS_OP_RELU, "a", x, -1, -1);
    int s = add_node(r.g, AS_OP_SHAPE, "s", a, -1, -1);
    int b = add_node(r.g, AS_OP_NEG, "b", a, -1, -1);
    finish_outputs(&r, (int[]){b, s}, 2);
    float in[12] = {0};
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 3, 2, 2), in}, 1);
    expect(&r, 1, AS_I64, SHAPE(4), (const int64_t[]){1, 3, 2, 2});
    assert_int_equal(count_kind(&r, AS_LAYER_MAP), 1);
    close_graph(&r);
}

static void an_operator_that_nobody_does_is_refused_with_its_node(void **state)
{
    (void)state;
    run_of r = open_graph();
    int x = add_input(r.g, "x", SHAPE(1, 1, 2, 2));
    int y = add_node(r.g, AS_OP_LP_POOL, "pool", x, -1, -1);
    attributes_of(r.g, y)->pool.window.kernel[0] =
        attributes_of(r.g, y)->pool.window.kernel[1] = 2;
    attributes_of(r.g, y)->pool.p = -1;
    finish_outputs(&r, &y, 1);
    run_graph(&r, &(as_array){AS_F32, SHAPE(1, 1, 2, 2), (float[]){1, 2, 3, 4}}, 1);
    assert_int_equal(r.code, ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(r.err.message, "LpPool cannot be run: its p is -1"));
    assert_non_null(strstr(r.err.where, "'pool'"));
    close_graph(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_takes_another_shape_between_kernels),
        cmocka_unit_test(one_pixel_needs_no_layer_between_layouts),
        cmocka_unit_test(outputs_may_be_inputs_constants_shapes_and_the_same_twice),
        cmocka_unit_test(every_type_and_eight_dims_go_through),
        cmocka_unit_test(tensors_without_elements_run),
        cmocka_unit_test(a_plan_keeps_the_values_that_its_shapes_come_from),
        cmocka_unit_test(a_network_without_nodes_gives_its_input),
        cmocka_unit_test(a_value_that_does_not_suit_ends_the_run_with_its_node),
        cmocka_unit_test(kernels_and_plain_operators_take_turns),
        cmocka_unit_test(sizes_computed_from_a_shape_are_known_to_the_plan),
        cmocka_unit_test(a_node_rides_where_only_a_known_shape_reads_along),
        cmocka_unit_test(an_operator_that_nobody_does_is_refused_with_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
