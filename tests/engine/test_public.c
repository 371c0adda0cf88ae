/* SPDX-License-Identifier: Apache-2.0 */
/* libassay as a user has it: installed headers and the shared library, nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assay/assay.h"

#define MODEL "data/tiny_detector.onnx"

static void a_dark_bar_on_white_is_one_box_around_it(void **state)
{
    (void)state;
    enum { H = 96, W = 160 };
    uint8_t *bgr = malloc((size_t)H * W * 3);
    memset(bgr, 255, (size_t)H * W * 3);
    for (int y = 40; y < 56; y++)
        memset(bgr + (y * W + 30) * 3, 0, 90 * 3);
    assay_detector *detector = NULL;
    assay_detector_options options = assay_detector_options_defaults();
    options.policy = "one=native,threads=1";
    assay_error err = {0};
    if (assay_detector_load(MODEL, &options, &detector, &err)) fail_msg("%s", err.message);
    assay_box *boxes = NULL;
    size_t n = 0;
    assert_int_equal(assay_detector_run(detector, bgr, H, W, &boxes, &n, &err), ASSAY_OK);
    assert_int_equal(n, 1);
    assert_in_range(boxes[0].corners[0][0], 0, 30);
    assert_in_range(boxes[0].corners[2][0], 119, 150);
    assert_in_range(boxes[0].corners[0][1], 15, 40);
    assert_in_range(boxes[0].corners[2][1], 55, 80);
    assay_boxes_free(boxes);
    assay_detector_free(detector);
    free(bgr);
}

static void a_session_runs_the_model_by_itself(void **state)
{
    (void)state;
    assay_model *model = NULL;
    assay_session *session = NULL;
    assert_int_equal(assay_model_load(MODEL, NULL, &model, NULL), ASSAY_OK);
    assert_string_equal(assay_model_input_name(model, 0), "x");
    assert_string_equal(assay_model_output_name(model, 0), "map");
    assert_int_equal(assay_session_new(model, 0, &session, NULL), ASSAY_OK);
    float *x = calloc(3 * 32 * 64, sizeof *x);
    assay_tensor in = {.rank = 4, .dims = {1, 3, 32, 64}, .data = x}, out;
    assert_int_equal(assay_session_run(session, &in, 1, &out, 1, NULL), ASSAY_OK);
    assert_int_equal(out.dims[2], 32);
    assert_int_equal(out.dims[3], 64);
    const float *map = out.data;
    assert_true(map[0] > 0 && map[0] < 1);
    assay_session_free(session);
    assay_model_free(model);
    free(x);
}

static void failures_say_code_and_sentence(void **state)
{
    (void)state;
    assay_detector *detector = NULL;
    assay_error err = {0};
    assert_int_equal(assay_detector_load("no-such.onnx", NULL, &detector, &err),
                     ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "no-such.onnx does not exist");
    assert_string_equal(assay_code_name(err.code), "ASSAY_E_NOT_FOUND");
    assay_detector_options options = assay_detector_options_defaults();
    options.limit_side = 0;
    assert_int_equal(assay_detector_load(MODEL, &options, &detector, &err), ASSAY_E_ARGUMENT);
    assert_null(detector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dark_bar_on_white_is_one_box_around_it),
        cmocka_unit_test(a_session_runs_the_model_by_itself),
        cmocka_unit_test(failures_say_code_and_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
