/* SPDX-License-Identifier: Apache-2.0 */
/* Whole maps to boxes, on the cases B11 and B14 and on maps made here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/file.h"
#include "base/memory.h"
#include "detect/detect.h"

#define B11 "cases/B11-db-degenerate-contours-unclip"
#define B14 "cases/B14-rounding-half-even-and-limit-side"

/* A base-128 number of a protobuf message. */
static uint64_t read_varint(const as_bytes *message, size_t *at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(*at < message->size && shift < 64);
        uint8_t byte = message->data[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

/*
 * The raw float32 data and the last two dims of an ONNX TensorProto whose dims (1) are single
 * numbers and whose values lie in raw_data (9), as the cases have them.
 */
static const float *parse_map(const as_bytes *message, int *h, int *w)
{
    enum { DIMS = 1, RAW_DATA = 9, VARINT = 0, BYTES = 2 };
    const unsigned char *raw = NULL;
    size_t at = 0, raw_size = 0;
    *h = *w = 0;
    while (at < message->size) {
        uint64_t tag = read_varint(message, &at);
        uint64_t value = read_varint(message, &at);
        if ((tag & 7) == VARINT && tag >> 3 == DIMS) {
            *h = *w;
            *w = (int)value;
        } else if ((tag & 7) == BYTES) {
            assert_true(value <= message->size - at);
            if (tag >> 3 == RAW_DATA) {
                raw = message->data + at;
                raw_size = value;
            }
            at += value;
        } else {
            assert_int_equal(tag & 7, VARINT);
        }
    }
    assert_int_equal(raw_size, (size_t)*h * (size_t)*w * sizeof(float));
    float *map = as_alloc(raw_size);
    assert_non_null(map);
    memcpy(map, raw, raw_size);
    return map;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        return strcmp(json_string_value(value), "inf") == 0 ? INFINITY : NAN;
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void check_box(const char *name, const as_box *box, const json_t *expected)
{
    const json_t *corners = json_object_get(expected, "box");
    for (size_t i = 0; i < 8; i++) {
        int32_t c = box->corners[i / 2][i % 2];
        json_int_t e =
            json_integer_value(json_array_get(json_array_get(corners, i / 2), i % 2));
        if (c != e) fail_msg("%s: corner %zu is %d, needed %lld", name, i / 2, c, (long long)e);
    }
    double score = number(expected, "score");
    if (!(box->score == score || fabs(box->score - score) <= 1e-5))
        fail_msg("%s: score is %.9g, needed %.9g", name, box->score, score);
}

static void check_case(as_detect_scratch *scratch, const char *folder, const char *name)
{
    char path[256];
    as_bytes message = {0};
    as_boxes boxes = {0};
    as_detect_settings settings = as_detect_settings_defaults();
    int h, w;
    snprintf(path, sizeof path, "%s/%s/prob.pb", folder, name);
    assert_int_equal(as_file_read(path, 0, &message, NULL), ASSAY_OK);
    const float *prob = parse_map(&message, &h, &w);
    snprintf(path, sizeof path, "%s/%s/expected.json", folder, name);
    json_t *expected = json_load_file(path, 0, NULL);
    assert_non_null(expected);
    settings.thresh = (float)number(expected, "thresh");
    settings.box_thresh = number(expected, "box_thresh");
    int image_h = (int)number(expected, "source_height");
    int image_w = (int)number(expected, "source_width");
    assert_int_equal(
        as_boxes_from_map(scratch, &settings, prob, h, w, image_h, image_w, &boxes, NULL),
        ASSAY_OK);
    const json_t *list = json_object_get(expected, "boxes");
    if (boxes.n != json_array_size(list))
        fail_msg("%s: %zu boxes, needed %zu", name, boxes.n, json_array_size(list));
    for (size_t i = 0; i < boxes.n; i++)
        check_box(name, &boxes.items[i], json_array_get(list, i));
    json_decref(expected);
    as_boxes_free(&boxes);
    as_free((void *)prob);
    as_bytes_free(&message);
}

static void degenerate_maps_give_the_boxes_of_the_case(void **state)
{
    (void)state;
    json_t *description = json_load_file(B11 "/case.json", 0, NULL);
    assert_non_null(description);
    const json_t *list = json_object_get(description, "tests");
    as_detect_scratch *scratch = as_detect_scratch_new();
    for (size_t i = 0; i < json_array_size(list); i++)
        check_case(scratch, B11,
                   json_string_value(json_object_get(json_array_get(list, i), "dir")));
    assert_int_equal(json_array_size(list), 26);
    as_detect_scratch_free(scratch);
    json_decref(description);
}

static void halves_of_scaled_corners_go_to_even(void **state)
{
    (void)state;
    as_detect_scratch *scratch = as_detect_scratch_new();
    check_case(scratch, B14, "map_scale_2_5");
    as_detect_scratch_free(scratch);
}

/* Bars of 4 x 8 pixels, parted by 2: more of them than are looked at. */
static void no_more_than_a_thousand_contours_become_boxes(void **state)
{
    (void)state;
    enum { ROWS = 24, COLUMNS = 48, H = 10 * ROWS, W = 6 * COLUMNS };
    static float prob[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            prob[y][x] = y % 10 < 8 && x % 6 < 4 ? 0.9f : 0.f;
    as_detect_settings settings = as_detect_settings_defaults();
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_boxes boxes = {0};
    assert_int_equal(as_boxes_from_map(scratch, &settings, prob[0], H, W, H, W, &boxes, NULL),
                     ASSAY_OK);
    assert_true(ROWS * COLUMNS > AS_CANDIDATES_MAX);
    assert_int_equal(boxes.n, AS_CANDIDATES_MAX);
    /* The lowest right bar was met last and comes first. */
    assert_true(boxes.items[0].corners[2][0] == W - 1 && boxes.items[0].corners[2][1] == H - 1);
    as_boxes_free(&boxes);
    as_detect_scratch_free(scratch);
}

static void numbers_that_are_none_crash_nothing(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    static const float values[] = {NAN, INFINITY, -INFINITY, 1e38f, 0.9f, 0.f};
    static float prob[SIDE][SIDE];
    as_detect_settings settings = as_detect_settings_defaults();
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_boxes boxes = {0};
    uint32_t seed = 3;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t kind = (seed >> 16) % 40;
            prob[i / SIDE][i % SIDE] = values[kind < 6 ? kind : 4];
        }
        assert_int_equal(
            as_boxes_from_map(scratch, &settings, prob[0], SIDE, SIDE, 100, 90, &boxes, NULL),
            ASSAY_OK);
        for (size_t i = 0; i < boxes.n; i++)
            assert_true(boxes.items[i].corners[2][0] < 90 &&
                        boxes.items[i].corners[2][1] < 100);
    }
    as_boxes_free(&boxes);
    as_detect_scratch_free(scratch);
}

static void sides_and_settings_out_of_range_are_refused(void **state)
{
    (void)state;
    static const float prob[1];
    as_detect_settings settings = as_detect_settings_defaults();
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_boxes boxes = {0};
    assay_error err;
    assert_int_equal(as_boxes_from_map(scratch, &settings, prob, 0, 1, 5, 5, &boxes, &err),
                     ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "a map of 0 x 1 for an image of 5 x 5, sides have to be in 1..65535");
    assert_int_equal(as_boxes_from_map(scratch, &settings, prob, 1, 1, 5, 70000, &boxes, &err),
                     ASSAY_E_ARGUMENT);
    settings.unclip = -1;
    assert_int_equal(as_boxes_from_map(scratch, &settings, prob, 1, 1, 5, 5, &boxes, &err),
                     ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "unclip is -1, it has to be above 0 and at most 100");
    as_detect_scratch_free(scratch);
}

static void each_failing_allocation_leaves_an_empty_list(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static float prob[SIDE][SIDE];
    for (int y = 5; y < 30; y++)
        for (int x = 3; x < 33; x++)
            prob[y][x] = 0.9f;
    as_detect_settings settings = as_detect_settings_defaults();
    for (size_t n = 1;; n++) {
        as_detect_scratch *scratch = as_detect_scratch_new();
        as_boxes boxes = {0};
        as_memory_fail_at(n);
        assay_code code = as_boxes_from_map(scratch, &settings, prob[0], SIDE, SIDE, SIDE, SIDE,
                                            &boxes, NULL);
        as_memory_fail_at(0);
        size_t found = boxes.n;
        as_boxes_free(&boxes);
        as_detect_scratch_free(scratch);
        if (code == ASSAY_OK) {
            assert_int_equal(found, 1);
            assert_true(n > 6);
            break;
        }
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_int_equal(found, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degenerate_maps_give_the_boxes_of_the_case),
        cmocka_unit_test(halves_of_scaled_corners_go_to_even),
        cmocka_unit_test(no_more_than_a_thousand_contours_become_boxes),
        cmocka_unit_test(numbers_that_are_none_crash_nothing),
        cmocka_unit_test(sides_and_settings_out_of_range_are_refused),
        cmocka_unit_test(each_failing_allocation_leaves_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
