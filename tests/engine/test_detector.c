/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/tiny_detector.onnx, a network of 8 nodes, stands for the detectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "engine/detector.h"

#define MODEL "data/tiny_detector.onnx"
#define H     45
#define W     70 /* the network sees 32 x 64 */
#define N     5

/* Pixels of N images, each different. */
static void fill(uint8_t *pixels, as_detector_input inputs[N])
{
    uint32_t state = 11;
    for (size_t i = 0; i < (size_t)N * H * W * 3; i++) {
        state = state * 1664525U + 1013904223U;
        pixels[i] = (uint8_t)(state >> 24);
    }
    for (size_t i = 0; i < N; i++)
        inputs[i] = (as_detector_input){pixels + i * H * W * 3, H, W};
}

/* What one policy made of the images. */
typedef struct answer {
    as_call_report report;
    float *maps; /* owns */
    as_shape4 shape;
    as_engine_facts facts;
} answer;

static answer detect(const char *policy_text, size_t n)
{
    uint8_t *pixels = as_alloc((size_t)N * H * W * 3);
    as_detector_input inputs[N];
    fill(pixels, inputs);
    as_policy policy;
    as_engine *engine = NULL;
    as_detector *detector = NULL;
    assay_error err = {0};
    as_boxes boxes[N] = {0};
    answer a = {0};
    as_detect_settings settings = as_detect_settings_defaults();
    if (as_policy_parse(policy_text, &policy, &err)) fail_msg("%s", err.message);
    if (as_engine_open(&policy, MODEL, &engine, &err)) fail_msg("%s", err.message);
    assert_int_equal(as_detector_new(engine, &policy, &detector, &err), ASSAY_OK);
    if (as_detector_run(detector, &settings, inputs, n, boxes, &a.report, &err))
        fail_msg("%s", err.message);
    const float *maps = as_detector_maps(detector, &a.shape);
    size_t bytes = a.shape.n * a.shape.h * a.shape.w * sizeof *maps;
    a.maps = as_alloc(bytes);
    memcpy(a.maps, maps, bytes);
    as_engine_describe(engine, &a.facts);
    for (size_t i = 0; i < N; i++)
        as_boxes_free(&boxes[i]);
    as_detector_free(detector);
    as_engine_close(engine);
    as_policy_free(&policy);
    as_free(pixels);
    return a;
}

static void the_report_has_the_call_s_shape_and_one_piece(void **state)
{
    (void)state;
    answer a = detect("W=native,threads=1", N);
    assert_int_equal(a.report.call.n, N);
    assert_int_equal(a.report.call.h, 32);
    assert_int_equal(a.report.call.w, 64);
    assert_int_equal(a.report.n_pieces, 1);
    assert_memory_equal(&a.report.pieces[0], &a.report.call, sizeof a.report.call);
    assert_int_equal(a.report.n_not_finite, 0);
    assert_true(a.report.forward_ns > 0);
    assert_int_equal(a.facts.n_loads, 1);
    assert_int_equal(a.facts.n_forwards, 1);
    assert_int_equal(a.facts.threads, 1);
    assert_true(a.facts.n_passes > 0);
    as_free(a.maps);
}

static void a_split_call_gives_the_same_maps_in_pieces(void **state)
{
    (void)state;
    answer whole = detect("W=native", N), split = detect("S=native,split-at=4,split-to=2", N);
    assert_int_equal(split.report.n_pieces, 3);
    assert_int_equal(split.report.pieces[0].n, 2);
    assert_int_equal(split.report.pieces[2].n, 1);
    assert_string_equal(split.report.map_sha256, whole.report.map_sha256);
    as_free(whole.maps);
    as_free(split.maps);
}

static void a_call_below_split_at_stays_whole(void **state)
{
    (void)state;
    answer a = detect("S=native,split-at=4,split-to=2", 3);
    assert_int_equal(a.report.n_pieces, 1);
    as_free(a.maps);
}

static void a_bucket_pads_what_the_network_sees_and_crops_its_map(void **state)
{
    (void)state;
    answer plain = detect("W=native", 2), padded = detect("B=native,bucket=48", 2);
    assert_int_equal(padded.report.pieces[0].h, 48);
    assert_int_equal(padded.report.pieces[0].w, 96);
    assert_int_equal(padded.shape.h, 32);
    assert_int_equal(padded.shape.w, 64);
    /* The squeeze-excite mean sees the padding, so the maps differ, if only a little. */
    float furthest = 0;
    for (size_t i = 0; i < 2 * 32 * 64; i++) {
        float off = plain.maps[i] - padded.maps[i];
        if (off < 0) off = -off;
        if (off > furthest) furthest = off;
    }
    assert_true(furthest > 0 && furthest < 1);
    as_free(plain.maps);
    as_free(padded.maps);
}

static void a_bucket_that_the_network_does_not_take_is_named(void **state)
{
    (void)state;
    uint8_t *pixels = as_alloc((size_t)N * H * W * 3);
    as_detector_input inputs[N];
    fill(pixels, inputs);
    as_policy policy;
    as_engine *engine = NULL;
    as_detector *detector = NULL;
    as_boxes boxes[N] = {0};
    as_call_report report;
    assay_error err = {0};
    as_detect_settings settings = as_detect_settings_defaults();
    assert_int_equal(as_policy_parse("B=native,bucket=7", &policy, NULL), ASSAY_OK);
    assert_int_equal(as_engine_open(&policy, "data/digits.onnx", &engine, NULL), ASSAY_OK);
    assert_int_equal(as_detector_new(engine, &policy, &detector, NULL), ASSAY_OK);
    assert_int_equal(as_detector_run(detector, &settings, inputs, 1, boxes, &report, &err),
                     ASSAY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "with bucket=7 the network is given 1x3x35x70, which"));
    as_detector_free(detector);
    as_engine_close(engine);
    as_policy_free(&policy);
    as_free(pixels);
}

static void images_of_different_network_shapes_are_no_call(void **state)
{
    (void)state;
    uint8_t *pixels = as_alloc((size_t)N * H * W * 3);
    as_detector_input inputs[N];
    fill(pixels, inputs);
    inputs[1].height = H / 3;
    inputs[1].width = W / 2;
    as_policy policy;
    as_engine *engine = NULL;
    as_detector *detector = NULL;
    as_boxes boxes[N] = {0};
    as_call_report report;
    assay_error err = {0};
    as_detect_settings settings = as_detect_settings_defaults();
    assert_int_equal(as_policy_parse("W=native", &policy, NULL), ASSAY_OK);
    assert_int_equal(as_engine_open(&policy, MODEL, &engine, NULL), ASSAY_OK);
    assert_int_equal(as_detector_new(engine, &policy, &detector, NULL), ASSAY_OK);
    assert_int_equal(as_detector_run(detector, &settings, inputs, 2, boxes, &report, &err),
                     ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "input 1 needs a network of 32x32, the call's first one 32x64");
    assert_int_equal(as_detector_run(detector, &settings, inputs, 0, boxes, &report, &err),
                     ASSAY_E_ARGUMENT);
    as_detector_free(detector);
    as_engine_close(engine);
    as_policy_free(&policy);
    as_free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_has_the_call_s_shape_and_one_piece),
        cmocka_unit_test(a_split_call_gives_the_same_maps_in_pieces),
        cmocka_unit_test(a_call_below_split_at_stays_whole),
        cmocka_unit_test(a_bucket_pads_what_the_network_sees_and_crops_its_map),
        cmocka_unit_test(a_bucket_that_the_network_does_not_take_is_named),
        cmocka_unit_test(images_of_different_network_shapes_are_no_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
