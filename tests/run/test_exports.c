/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as exporters write them (cases B05, B07, B08 and those of B10 that are no attack), in the
 * layout of ONNX's backend tests: every one runs on one thread and on three, with and
 * without fusion, and gives what its file says.
 *
 *     cases/B07.../case.json                       {"tests": [{"dir": "clip11_min_only", "tolerance": 0}]}
 *     cases/B07.../clip11_min_only/model.onnx
 *     cases/B07.../clip11_min_only/test_data_set_0/input_0.pb  output_0.pb
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "onnx/onnx.h"
#include "run/run.h"

enum { MOST = 4 };

/* One model, and what goes in and must come out. */
typedef struct model_case {
    char folder[160];
    double tolerance;
    as_onnx_tensor inputs[MOST], outputs[MOST];
    int n_inputs, n_outputs;
} model_case;

static int read_tensors(const char *folder, const char *kind, as_onnx_tensor *out)
{
    int n = 0;
    for (char path[256]; n < MOST; n++) {
        snprintf(path, sizeof path, "%s/test_data_set_0/%s_%d.pb", folder, kind, n);
        if (!as_file_exists(path)) break;
        assay_error err = {0};
        if (as_onnx_tensor_read(path, &out[n], &err)) fail_msg("%s: %s", path, err.message);
    }
    return n;
}

static model_case read_case(const char *parent, const char *name, double tolerance)
{
    model_case c = {.tolerance = tolerance};
    snprintf(c.folder, sizeof c.folder, "%s/%s", parent, name);
    c.n_inputs = read_tensors(c.folder, "input", c.inputs);
    c.n_outputs = read_tensors(c.folder, "output", c.outputs);
    return c;
}

static void free_case(model_case *c)
{
    for (int i = 0; i < c->n_inputs; i++)
        as_onnx_tensor_free(&c->inputs[i]);
    for (int i = 0; i < c->n_outputs; i++)
        as_onnx_tensor_free(&c->outputs[i]);
}

static bool is_near(float got, float wanted, double tolerance)
{
    if (isnan(wanted) || isinf(wanted)) return isnan(wanted) ? isnan(got) : got == wanted;
    double room = tolerance * fmax(1, fabs((double)wanted));
    return fabs((double)got - (double)wanted) <= room;
}

static void assert_equal_tensor(const model_case *c, int i, const assay_tensor *got)
{
    const as_onnx_tensor *wanted = &c->outputs[i];
    const float *a = got->data, *b = wanted->data;
    assert_int_equal(wanted->dtype, AS_F32);
    assert_int_equal(got->rank, wanted->shape.rank);
    for (int d = 0; d < got->rank; d++)
        assert_int_equal(got->dims[d], wanted->shape.dims[d]);
    for (size_t k = 0; k < wanted->n_elements; k++)
        if (!is_near(a[k], b[k], c->tolerance))
            fail_msg("%s: output %d element %zu is %.9g, wanted %.9g", c->folder, i, k,
                     (double)a[k], (double)b[k]);
}

static void run_case(const model_case *c, size_t threads, int fuse)
{
    char path[256];
    assay_error err = {0};
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_tensor inputs[MOST], outputs[MOST];
    assay_model_options options = assay_model_options_defaults();
    options.fuse = fuse;
    snprintf(path, sizeof path, "%s/model.onnx", c->folder);
    if (assay_model_load(path, &options, &model, &err))
        fail_msg("%s: %s: %s", c->folder, err.where, err.message);
    assert_int_equal(assay_model_n_inputs(model), c->n_inputs);
    assert_int_equal(assay_model_n_outputs(model), c->n_outputs);
    for (int i = 0; i < c->n_inputs; i++) {
        inputs[i] = (assay_tensor){.rank = c->inputs[i].shape.rank, .data = c->inputs[i].data};
        memcpy(inputs[i].dims, c->inputs[i].shape.dims, sizeof inputs[i].dims);
    }
    assert_int_equal(assay_session_new(model, threads, &session, NULL), ASSAY_OK);
    if (assay_session_run(session, inputs, c->n_inputs, outputs, c->n_outputs, &err))
        fail_msg("%s: %s: %s", c->folder, err.where, err.message);
    for (int i = 0; i < c->n_outputs; i++) {
        assert_equal_tensor(c, i, &outputs[i]);
        for (int k = 0; k < c->n_inputs; k++) /* the caller may overwrite its input */
            assert_ptr_not_equal(outputs[i].data, inputs[k].data);
    }
    assay_session_free(session);
    assay_model_free(model);
}

static void run_everywhere(const model_case *c)
{
    for (int fuse = 0; fuse < 2; fuse++) {
        run_case(c, 1, fuse);
        run_case(c, 3, fuse);
    }
}

/* All tests of a case but the one named `except`. */
static void run_all(const char *parent, size_t n_wanted, const char *except)
{
    char path[160];
    json_error_t error;
    snprintf(path, sizeof path, "%s/case.json", parent);
    json_t *json = json_load_file(path, 0, &error), *test;
    assert_non_null(json);
    json_t *tests = json_object_get(json, "tests");
    assert_int_equal(json_array_size(tests), n_wanted);
    size_t i;
    json_array_foreach(tests, i, test)
    {
        const char *name = json_string_value(json_object_get(test, "dir"));
        if (except && strcmp(name, except) == 0) continue;
        model_case c =
            read_case(parent, name, json_number_value(json_object_get(test, "tolerance")));
        run_everywhere(&c);
        free_case(&c);
    }
    json_decref(json);
}

static void hard_sigmoid_and_hard_swish_have_their_own_slopes(void **state)
{
    (void)state;
    run_all("cases/B05-hardsigmoid-hardswish-defaults", 7, NULL);
}

static void an_empty_name_is_an_input_that_is_left_out(void **state)
{
    (void)state;
    run_all("cases/B07-optional-inputs-clip-initializer-inputs", 15, NULL);
}

static void weights_are_the_same_in_every_storage(void **state)
{
    (void)state;
    run_all("cases/B08-float16-and-typed-initializers", 9, "fp16_activations");
}

static void an_input_of_float16_is_refused_by_name_and_type(void **state)
{
    (void)state;
    assay_error err = {0};
    assay_model *model = NULL;
    assert_int_equal(
        assay_model_load("cases/B08-float16-and-typed-initializers/fp16_activations/model.onnx",
                         NULL, &model, &err),
        ASSAY_E_UNSUPPORTED);
    assert_string_equal(err.message,
                        "tensor 'x' has elements FLOAT16, which assay does not run");
    assert_string_equal(err.where, "model.onnx: node 0 'add' (Add of opset 14)");
}

static void harmless_models_among_hostile_ones_run(void **state)
{
    (void)state;
    static const char *const names[] = {
        "control_plain", "control_ext_ok", "control_ext_whole_file",
        "dynamic_3x3",   "dynamic_7x9",    "dynamic_batch0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        model_case c = read_case("cases/B10-hostile-model-files", names[i], 0);
        run_everywhere(&c);
        free_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_sigmoid_and_hard_swish_have_their_own_slopes),
        cmocka_unit_test(an_empty_name_is_an_input_that_is_left_out),
        cmocka_unit_test(weights_are_the_same_in_every_storage),
        cmocka_unit_test(an_input_of_float16_is_refused_by_name_and_type),
        cmocka_unit_test(harmless_models_among_hostile_ones_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
