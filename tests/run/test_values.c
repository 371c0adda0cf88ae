/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of networks whose shapes depend on values, and whose tensors are of every type. */
#include <stdio.h>
#include <unistd.h>

#include "../onnx/model.h"
#include "base/file.h"
#include "run/run.h"

/* A session of the model in `m`. */
typedef struct opened {
    assay_model *model;
    assay_session *session;
} opened;

static opened open_model(void)
{
    char path[] = P_tmpdir "/assay-values-XXXXXX";
    opened o = {0};
    assay_error err = {0};
    size_t size;
    unsigned char *bytes = pack_model(&size);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(close(file), 0);
    free(bytes);
    if (assay_model_load(path, NULL, &o.model, &err))
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(assay_session_new(o.model, 2, &o.session, &err), ASSAY_OK);
    return o;
}

static void close_model(opened *o)
{
    assay_session_free(o->session);
    assay_model_free(o->model);
}

/* y = Reshape(x, dims): both are inputs. */
static opened open_reshape(void)
{
    begin_model(14);
    add_input("x", 2, (int64_t[]){0, 0});
    add_input("dims", 1, (int64_t[]){0});
    m.tensor_types[1].elem_type = I64;
    begin_node("Reshape", "reshape", "x dims", "y");
    add_output("y");
    return open_model();
}

static void plans_are_looked_for_by_the_values_that_shapes_come_from(void **state)
{
    (void)state;
    opened o = open_reshape();
    const float x[6] = {1, 2, 3, 4, 5, 6};
    static const int64_t dims[4][2] = {{3, 2}, {1, 6}, {3, 2}, {1, 6}};
    for (int i = 0; i < 4; i++) {
        const assay_tensor in[2] = {
            {.rank = 2, .dims = {2, 3}, .data = x},
            {.rank = 1, .dims = {2}, .data = dims[i], .dtype = ASSAY_I64}};
        assay_tensor y;
        assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, NULL), ASSAY_OK);
        assert_int_equal(y.rank, 2);
        assert_int_equal(y.dtype, ASSAY_F32);
        assert_memory_equal(y.dims, dims[i], sizeof dims[i]);
        assert_memory_equal(y.data, x, sizeof x);
        assert_true((as_session_plan_ns(o.session) > 0) == (i < 2)); /* the plan is there */
    }
    close_model(&o);
}

static void values_and_types_that_do_not_suit_are_refused(void **state)
{
    (void)state;
    opened o = open_reshape();
    const float x[6] = {0};
    const int64_t dims[2] = {4, 2};
    assay_tensor in[2] = {{.rank = 2, .dims = {2, 3}, .data = x},
                          {.rank = 1, .dims = {2}, .data = dims, .dtype = ASSAY_I64}};
    assay_tensor y;
    assay_error err = {0};
    assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "its input [2,3] has 6 elements"));
    assert_non_null(strstr(err.where, "'reshape'"));
    in[1].dtype = ASSAY_F32;
    assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "input 'dims' is f32, the network takes i64");
    close_model(&o);
}

static void inputs_without_elements_have_no_data(void **state)
{
    (void)state;
    opened o = open_reshape();
    const int64_t dims[2] = {-1, 3};
    const assay_tensor in[2] = {{.rank = 2, .dims = {0, 3}},
                                {.rank = 1, .dims = {2}, .data = dims, .dtype = ASSAY_I64}};
    assay_tensor y;
    assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, NULL), ASSAY_OK);
    assert_int_equal(y.dims[0], 0);
    assert_int_equal(y.dims[1], 3);
    close_model(&o);
}

static void an_index_out_of_range_fails_with_its_node_and_the_session_goes_on(void **state)
{
    (void)state;
    begin_model(14);
    add_input("x", 1, (int64_t[]){3});
    add_input("at", 1, (int64_t[]){1});
    m.tensor_types[1].elem_type = I64;
    begin_node("Gather", "pick", "x at", "y");
    add_output("y");
    opened o = open_model();
    const float x[3] = {1, 2, 3};
    int64_t at = 3;
    const assay_tensor in[2] = {{.rank = 1, .dims = {3}, .data = x},
                                {.rank = 1, .dims = {1}, .data = &at, .dtype = ASSAY_I64}};
    assay_tensor y;
    assay_error err = {0};
    assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.where, "'pick'"));
    at = -1;
    assert_int_equal(assay_session_run(o.session, in, 2, &y, 1, &err), ASSAY_OK);
    assert_true(*(const float *)y.data == 3);
    close_model(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_looked_for_by_the_values_that_shapes_come_from),
        cmocka_unit_test(values_and_types_that_do_not_suit_are_refused),
        cmocka_unit_test(inputs_without_elements_have_no_data),
        cmocka_unit_test(an_index_out_of_range_fails_with_its_node_and_the_session_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
