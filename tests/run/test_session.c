/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case B22: the same picture gives the same numbers wherever it stands in a batch, for every batch
 * size, thread count, instruction set and exact route.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "onnx/onnx.h"
#include "run/run.h"

#define CASE        "cases/B22-batch-thread-isa-invariance"
#define N_DATA_SETS 8

/* One data set of the case: the network's input and the right output. */
typedef struct data_set {
    as_onnx_tensor input, output;
} data_set;

static data_set read_set(const char *kind, int i)
{
    data_set set;
    char path[256];
    snprintf(path, sizeof path, CASE "/%s/test_data_set_%d/input_0.pb", kind, i);
    assert_int_equal(as_onnx_tensor_read(path, &set.input, NULL), ASSAY_OK);
    snprintf(path, sizeof path, CASE "/%s/test_data_set_%d/output_0.pb", kind, i);
    assert_int_equal(as_onnx_tensor_read(path, &set.output, NULL), ASSAY_OK);
    return set;
}

static void free_set(data_set *set)
{
    as_onnx_tensor_free(&set->input);
    as_onnx_tensor_free(&set->output);
}

/* How one run is made. */
typedef struct manner {
    const char *isa, *conv;
    size_t threads;
    int fuse;
} manner;

/* Runs the case's model on `set`; the output is copied (as_free). */
static float *run(const char *kind, const data_set *set, const manner *how)
{
    assay_model_options options = assay_model_options_defaults();
    options.conv = how->conv;
    options.fuse = how->fuse;
    options.winograd = 0;
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_error err = {0};
    char path[256];
    snprintf(path, sizeof path, CASE "/%s/model.onnx", kind);
    setenv("ASSAY_ISA", how->isa, 1);
    if (assay_model_load(path, &options, &model, &err)) fail_msg("%s", err.message);
    unsetenv("ASSAY_ISA");
    assert_int_equal(assay_session_new(model, how->threads, &session, &err), ASSAY_OK);
    assay_tensor in = {.rank = set->input.shape.rank, .data = set->input.data}, out;
    memcpy(in.dims, set->input.shape.dims, sizeof set->input.shape.dims);
    if (assay_session_run(session, &in, 1, &out, 1, &err)) fail_msg("%s", err.message);
    assert_int_equal(out.rank, set->output.shape.rank);
    for (int d = 0; d < out.rank; d++)
        assert_int_equal(out.dims[d], set->output.shape.dims[d]);
    float *copy = as_alloc_array(set->output.n_elements, sizeof *copy);
    memcpy(copy, out.data, set->output.n_elements * sizeof *copy);
    assay_session_free(session);
    assay_model_free(model);
    return copy;
}

static const char *const isas[] = {"scalar", "avx2", "avx512"};
static const char *const routes[] = {NULL, "gemm", "direct"};

/* Calls `check` for every ISA that is here, with 1, 2 and 3 threads, each route, fused or not. */
static void for_each_manner(const char *kind, const data_set *set,
                            void (*check)(const char *, const data_set *, const manner *))
{
    for (int isa = AS_ISA_SCALAR; isa < AS_ISA_N; isa++) {
        if (!as_isa_available((as_isa)isa)) {
            print_message("SKIPPED %s: this machine lacks it\n", isas[isa]);
            continue;
        }
        for (size_t threads = 1; threads <= 3; threads++)
            for (size_t r = 0; r < AS_COUNT_OF(routes); r++)
                for (int fuse = 0; fuse < 2; fuse++)
                    check(kind, set, &(manner){isas[isa], routes[r], threads, fuse});
    }
}

static void expect_equal(const char *kind, const data_set *set, const manner *how)
{
    float *out = run(kind, set, how);
    const float *right = set->output.data;
    for (size_t i = 0; i < set->output.n_elements; i++)
        if (out[i] != right[i])
            fail_msg("%s, route %s, %zu threads, fuse %d: value %zu is %.9g, %.9g is right",
                     how->isa, how->conv ? how->conv : "default", how->threads, how->fuse, i,
                     (double)out[i], (double)right[i]);
    as_free(out);
}

static void integer_weights_are_exact_in_every_manner(void **state)
{
    (void)state;
    for (int i = 0; i < N_DATA_SETS; i++) {
        data_set set = read_set("integer_weights", i);
        for_each_manner("integer_weights", &set, expect_equal);
        free_set(&set);
    }
}

/* Largest absolute difference that case.json allows for real weights. */
#define REAL_TOLERANCE 2e-6

static void expect_close(const char *kind, const data_set *set, const manner *how)
{
    float *out = run(kind, set, how);
    const float *right = set->output.data;
    for (size_t i = 0; i < set->output.n_elements; i++) {
        double off = (double)out[i] - (double)right[i];
        if (!(off <= REAL_TOLERANCE && off >= -REAL_TOLERANCE))
            fail_msg("%s: value %zu is off by %g", how->isa, i, off);
    }
    as_free(out);
}

static void real_weights_are_within_the_case_s_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < N_DATA_SETS; i++) {
        data_set set = read_set("real_weights", i);
        for_each_manner("real_weights", &set, expect_close);
        free_set(&set);
    }
}

static float
    *scalar_bits; /* of the data set being compared, one thread, default route, fused */

static void expect_scalar_bits(const char *kind, const data_set *set, const manner *how)
{
    if (!how->fuse) return; /* fused and unfused fold differently: close, not equal */
    float *out = run(kind, set, how);
    if (memcmp(out, scalar_bits, set->output.n_elements * sizeof *out) != 0)
        fail_msg("%s, route %s, %zu threads differs from scalar, one thread", how->isa,
                 how->conv ? how->conv : "default", how->threads);
    as_free(out);
}

static void real_weights_have_the_same_bits_in_every_manner(void **state)
{
    (void)state;
    for (int i = 0; i < N_DATA_SETS; i++) {
        data_set set = read_set("real_weights", i);
        scalar_bits = run("real_weights", &set, &(manner){"scalar", NULL, 1, 1});
        for_each_manner("real_weights", &set, expect_scalar_bits);
        as_free(scalar_bits);
        free_set(&set);
    }
}

static void an_item_has_the_same_bits_in_every_batch(void **state)
{
    (void)state;
    /* Data set 0 holds item 3 alone, and item 3 comes first in every other data set. */
    data_set alone = read_set("real_weights", 0);
    manner how = {as_isa_name(AS_ISA_SCALAR), NULL, 1, 1};
    float *bits = run("real_weights", &alone, &how);
    for (int i = 1; i < N_DATA_SETS; i++) {
        data_set set = read_set("real_weights", i);
        float *out = run("real_weights", &set, &how);
        assert_memory_equal(out, bits, alone.output.n_elements * sizeof *bits);
        as_free(out);
        free_set(&set);
    }
    as_free(bits);
    free_set(&alone);
}

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
    data_set set = read_set("integer_weights", 1);
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_error err = {0};
    assert_int_equal(assay_model_load(CASE "/integer_weights/model.onnx", NULL, &model, &err),
                     ASSAY_OK);
    assert_int_equal(assay_session_new(model, 1, &session, &err), ASSAY_OK);
    assay_tensor in = {.rank = set.input.shape.rank, .data = set.input.data}, out;
    memcpy(in.dims, set.input.shape.dims, sizeof set.input.shape.dims);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(assay_session_run(session, &in, 1, &out, 1, &err), ASSAY_OK);
        assert_memory_equal(out.data, set.output.data,
                            set.output.n_elements * sizeof *out.data);
        assert_true(as_session_plan_bytes(session) > 0 && as_session_arena_bytes(session) > 0);
        assay_session_clear(session);
        assert_int_equal(as_session_plan_bytes(session) + as_session_arena_bytes(session), 0);
    }
    assay_session_free(session);
    assay_model_free(model);
    free_set(&set);
}

static void a_second_run_of_a_shape_allocates_nothing(void **state)
{
    (void)state;
    data_set set = read_set("integer_weights", 1);
    assay_model *model = NULL;
    assay_session *session = NULL;
    assert_int_equal(assay_model_load(CASE "/integer_weights/model.onnx", NULL, &model, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_session_new(model, 2, &session, NULL), ASSAY_OK);
    assay_tensor in = {.rank = set.input.shape.rank, .data = set.input.data}, out;
    memcpy(in.dims, set.input.shape.dims, sizeof set.input.shape.dims);
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, NULL), ASSAY_OK);
    size_t before = as_memory_count();
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, NULL), ASSAY_OK);
    assert_int_equal(as_memory_count(), before);
    assay_session_free(session);
    assay_model_free(model);
    free_set(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_weights_are_exact_in_every_manner),
        cmocka_unit_test(real_weights_are_within_the_case_s_tolerance),
        cmocka_unit_test(real_weights_have_the_same_bits_in_every_manner),
        cmocka_unit_test(an_item_has_the_same_bits_in_every_batch),
        cmocka_unit_test(wrong_inputs_are_refused_with_a_sentence),
        cmocka_unit_test(an_unknown_route_or_isa_is_refused),
        cmocka_unit_test(plans_and_arena_go_with_a_clear_and_come_back),
        cmocka_unit_test(a_second_run_of_a_shape_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
