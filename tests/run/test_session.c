/* SPDX-License-Identifier: Apache-2.0 */
/* A session's errors, plans and arena. */
#include "data_set.h"

#include "base/memory.h"

static void wrong_inputs_are_refused_with_a_sentence(void **state)
{
    (void)state;
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_error err = {0};
    assert_int_equal(assay_model_load(CASE "/real_weights/model.onnx", NULL, &model, &err),
                     ASSAY_OK);
    assert_int_equal(assay_session_new(model, 1, &session, &err), ASSAY_OK);
    float x[4] = {0};
    assay_tensor in = {.rank = 2, .dims = {2, 2}, .data = x}, out;
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, &err), ASSAY_E_ARGUMENT);
    assert_int_equal(assay_session_run(session, &in, 2, &out, 1, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "2 inputs and 1 outputs were passed, the model has 1 and 1");
    in.data = NULL;
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, &err), ASSAY_E_ARGUMENT);
    assay_session_free(session);
    assay_model_free(model);
}

static void an_unknown_route_or_isa_is_refused(void **state)
{
    (void)state;
    assay_model *model = NULL;
    assay_error err = {0};
    assay_model_options options = assay_model_options_defaults();
    options.conv = "fastest";
    assert_int_equal(assay_model_load(CASE "/real_weights/model.onnx", &options, &model, &err),
                     ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "there is no convolution route 'fastest'"));
    setenv("ASSAY_ISA", "mmx", 1);
    assert_int_equal(assay_model_load(CASE "/real_weights/model.onnx", NULL, &model, &err),
                     ASSAY_E_ARGUMENT);
    unsetenv("ASSAY_ISA");
    assert_null(model);
}

static void plans_and_arena_go_with_a_clear_and_come_back(void **state)
{
    (void)state;
    data_set set = data_set_read("integer_weights", 1);
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_error err = {0};
    assert_int_equal(assay_model_load(CASE "/integer_weights/model.onnx", NULL, &model, &err),
                     ASSAY_OK);
    assert_int_equal(assay_session_new(model, 1, &session, &err), ASSAY_OK);
    assay_tensor in = data_set_input(&set), out;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(assay_session_run(session, &in, 1, &out, 1, &err), ASSAY_OK);
        assert_memory_equal(out.data, set.output.data, set.output.n_elements * sizeof(float));
        assert_true(as_session_plan_bytes(session) > 0 && as_session_arena_bytes(session) > 0);
        assay_session_clear(session);
        assert_int_equal(as_session_plan_bytes(session) + as_session_arena_bytes(session), 0);
    }
    assay_session_free(session);
    assay_model_free(model);
    data_set_free(&set);
}

static void a_second_run_of_a_shape_allocates_nothing(void **state)
{
    (void)state;
    data_set set = data_set_read("integer_weights", 1);
    assay_model *model = NULL;
    assay_session *session = NULL;
    assert_int_equal(assay_model_load(CASE "/integer_weights/model.onnx", NULL, &model, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_session_new(model, 2, &session, NULL), ASSAY_OK);
    assay_tensor in = data_set_input(&set), out;
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, NULL), ASSAY_OK);
    size_t before = as_memory_count();
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, NULL), ASSAY_OK);
    assert_int_equal(as_memory_count(), before);
    assay_session_free(session);
    assay_model_free(model);
    data_set_free(&set);
}

/* Shapes of the tiny detector, whose H and W are free: the k-th of a stream. */
static assay_tensor stream_input(const float *x, int k)
{
    return (assay_tensor){
        .rank = 4, .dims = {1, 3, 8 + 4 * (k % 20), 16 + 8 * (k / 20)}, .data = x};
}

#define TINY          "data/tiny_detector.onnx"
#define N_STREAM      200
#define STREAM_FLOATS (3 * (8 + 4 * 19) * (16 + 8 * 9))

typedef struct stream {
    assay_model *model;
    assay_session *session;
    float *x; /* owns */
} stream;

static stream stream_open(const char *path, size_t threads)
{
    stream s;
    assay_error err = {0};
    if (assay_model_load(path, NULL, &s.model, &err)) fail_msg("%s", err.message);
    assert_int_equal(assay_session_new(s.model, threads, &s.session, &err), ASSAY_OK);
    s.x = as_alloc_array(STREAM_FLOATS, sizeof *s.x);
    return s;
}

static void stream_run(const stream *s, int k)
{
    assay_tensor in = stream_input(s->x, k), out;
    assay_error err = {0};
    if (assay_session_run(s->session, &in, 1, &out, 1, &err)) fail_msg("%s", err.message);
}

static void stream_close(stream *s)
{
    assay_session_free(s->session);
    assay_model_free(s->model);
    as_free(s->x);
}

static void a_stream_of_shapes_ends_with_the_arena_of_its_largest(void **state)
{
    (void)state;
    stream alone = stream_open(TINY, 2), all = stream_open(TINY, 2);
    stream_run(&alone, N_STREAM - 1);
    for (int k = 0; k < N_STREAM; k++)
        stream_run(&all, k);
    assert_int_equal(as_session_arena_bytes(all.session),
                     as_session_arena_bytes(alone.session));
    stream_run(&all, 0); /* and stays, when a small one comes */
    assert_int_equal(as_session_arena_bytes(all.session),
                     as_session_arena_bytes(alone.session));
    assert_int_equal(as_model_weight_bytes(all.model), as_model_weight_bytes(alone.model));
    stream_close(&alone);
    stream_close(&all);
}

static void plans_keep_to_their_bound(void **state)
{
    (void)state;
    stream s = stream_open(TINY, 1);
    stream_run(&s, 0);
    size_t one = as_session_plan_bytes(s.session), bound = 3 * one + one / 2;
    assay_session_bound_plans(s.session, bound);
    for (int k = 1; k < N_STREAM; k++) {
        stream_run(&s, k);
        assert_true(as_session_plan_bytes(s.session) <= bound);
    }
    assert_true(as_session_plan_bytes(s.session) > 2 * one);
    assay_session_bound_plans(s.session, 0);
    assert_int_equal(as_session_plan_bytes(s.session), one); /* the last run's stays */
    stream_close(&s);
}

static void the_plan_not_used_for_longest_goes_first(void **state)
{
    (void)state;
    stream s = stream_open(TINY, 1);
    stream_run(&s, 0);
    assert_true(as_session_plan_ns(s.session) > 0);
    assay_session_bound_plans(s.session, 3 * as_session_plan_bytes(s.session));
    stream_run(&s, 1);
    stream_run(&s, 2);
    stream_run(&s, 0); /* so that 1 is the oldest now */
    assert_int_equal(as_session_plan_ns(s.session), 0);
    stream_run(&s, 3);
    stream_run(&s, 0);
    assert_int_equal(as_session_plan_ns(s.session), 0);
    stream_run(&s, 2);
    assert_int_equal(as_session_plan_ns(s.session), 0);
    stream_run(&s, 1);
    assert_true(as_session_plan_ns(s.session) > 0);
    stream_close(&s);
}

static void without_memory_a_run_fails_and_the_next_one_does_not(void **state)
{
    (void)state;
    stream s = stream_open(TINY, 1);
    size_t before = as_memory_count();
    stream_run(&s, 0);
    size_t n = as_memory_count() - before;
    int n_failed = 0;
    for (size_t i = 1; i <= n; i++) {
        assay_tensor in = stream_input(s.x, 0), out;
        assay_session_clear(s.session);
        as_memory_fail_at(i);
        assay_code code = assay_session_run(s.session, &in, 1, &out, 1, NULL);
        as_memory_fail_at(0);
        /* The weights are packed already, so that less is allocated than the first time. */
        assert_true(code == ASSAY_E_MEMORY || code == ASSAY_OK);
        n_failed += code == ASSAY_E_MEMORY;
        stream_run(&s, 0);
    }
    assert_true(n_failed > 5);
    stream_close(&s);
}

/* ONNX Runtime's answer for five pictures, within what rounding in another order makes of it. */
static void the_digits_network_answers_as_onnx_runtime_in_every_batch(void **state)
{
    (void)state;
    as_onnx_tensor x, y;
    assert_int_equal(as_onnx_tensor_read("data/digits_input.pb", &x, NULL), ASSAY_OK);
    assert_int_equal(as_onnx_tensor_read("data/digits_output.pb", &y, NULL), ASSAY_OK);
    stream s = stream_open("data/digits.onnx", 1);
    int64_t n = x.shape.dims[0];
    for (int64_t batch = 1; batch <= n; batch++) {
        assay_tensor in = {.rank = 4, .dims = {batch, 1, 8, 8}}, out;
        size_t first = (size_t)(n - batch); /* the last ones */
        in.data = (const float *)x.data + first * 64;
        assert_int_equal(assay_session_run(s.session, &in, 1, &out, 1, NULL), ASSAY_OK);
        assert_int_equal(out.rank, 2);
        assert_int_equal(out.dims[0] * out.dims[1], batch * 10);
        for (size_t i = 0; i < (size_t)batch * 10; i++)
            assert_float_equal(((const float *)out.data)[i],
                               ((const float *)y.data)[first * 10 + i], 1e-5f);
    }
    stream_close(&s);
    as_onnx_tensor_free(&x);
    as_onnx_tensor_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_inputs_are_refused_with_a_sentence),
        cmocka_unit_test(an_unknown_route_or_isa_is_refused),
        cmocka_unit_test(plans_and_arena_go_with_a_clear_and_come_back),
        cmocka_unit_test(a_second_run_of_a_shape_allocates_nothing),
        cmocka_unit_test(a_stream_of_shapes_ends_with_the_arena_of_its_largest),
        cmocka_unit_test(plans_keep_to_their_bound),
        cmocka_unit_test(the_plan_not_used_for_longest_goes_first),
        cmocka_unit_test(the_digits_network_answers_as_onnx_runtime_in_every_batch),
        cmocka_unit_test(without_memory_a_run_fails_and_the_next_one_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
