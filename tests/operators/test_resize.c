/* SPDX-License-Identifier: Apache-2.0 */
/* Resize, Upsample and GridSample.  Expected values are by hand, from the ONNX specification. */
#include <math.h>

#include "call.h"

/* A Resize of inputs x, no region, scales or sizes. */
static one_op resize(as_resize_mode mode, as_resize_coordinate coordinate, as_array x)
{
    one_op t = start(AS_OP_RESIZE);
    t.attributes->resize.mode = mode;
    t.attributes->resize.coordinate = coordinate;
    give(&t, x);
    leave_out(&t);
    return t;
}

static void give_sizes(one_op *t, as_array sizes)
{
    leave_out(t);
    give(t, sizes);
}

static void what_lies_in_the_middle_goes_by_the_rounding_mode(void **state)
{
    (void)state;
    /* 20 columns to 6: places 7/6, 4.5, 47/6, 67/6, 14.5, 107/6 */
    static float x[20];
    for (int i = 0; i < 20; i++)
        x[i] = (float)i;
    for (int ceil = 0; ceil < 2; ceil++) {
        one_op t = resize(AS_RESIZE_NEAREST, AS_COORDINATE_HALF_PIXEL,
                          (as_array){AS_F32, SHAPE(20), x});
        t.attributes->resize.nearest =
            ceil ? AS_NEAREST_ROUND_PREFER_CEIL : AS_NEAREST_ROUND_PREFER_FLOOR;
        give_sizes(&t, I64(SHAPE(1), 6));
        run(&t, 1);
        const as_array lower = F32(SHAPE(6), 1, 4, 8, 11, 14, 18);
        expect(&t, 0, ceil ? F32(SHAPE(6), 1, 5, 8, 11, 15, 18) : lower);
        stop(&t);
    }
}

static void integers_are_resized_by_the_nearest(void **state)
{
    (void)state;
    one_op t = start(AS_OP_UPSAMPLE);
    t.attributes->resize.coordinate = AS_COORDINATE_ASYMMETRIC;
    t.attributes->resize.nearest = AS_NEAREST_FLOOR;
    give(&t, I64(SHAPE(2, 2), 1, 2, 3, 4));
    give(&t, F32(SHAPE(2), 1, 1.5f));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(2, 3), 1, 1, 2, 3, 3, 4));
    stop(&t);
}

static void one_scale_for_all_keeps_the_ratio(void **state)
{
    (void)state;
    for (int larger = 0; larger < 2; larger++) {
        one_op t = resize(AS_RESIZE_NEAREST, AS_COORDINATE_ASYMMETRIC,
                          F32(SHAPE(2, 4), 1, 2, 3, 4, 5, 6, 7, 8));
        t.attributes->resize.policy = larger ? AS_POLICY_NOT_SMALLER : AS_POLICY_NOT_LARGER;
        give_sizes(&t, I64(SHAPE(2), 1, 3)); /* by 1/2 or 3/4, halves up */
        run(&t, 1);
        assert_int_equal(t.code, ASSAY_OK);
        assert_int_equal(t.out[0].shape.dims[0], larger ? 2 : 1);
        assert_int_equal(t.out[0].shape.dims[1], larger ? 3 : 2);
        stop(&t);
    }
}

static void linear_goes_between_two_and_stops_at_the_border(void **state)
{
    (void)state;
    one_op t = resize(AS_RESIZE_LINEAR, AS_COORDINATE_HALF_PIXEL, F32(SHAPE(1, 2), 0, 4));
    give(&t, F32(SHAPE(2), 2, 2));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 4), 0, 1, 3, 4, 0, 1, 3, 4));
    stop(&t);
    t = resize(AS_RESIZE_LINEAR, AS_COORDINATE_ALIGN_CORNERS, F32(SHAPE(3), 0, 3, 9));
    give_sizes(&t, I64(SHAPE(1), 5));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(5), 0, 1.5f, 3, 6, 9));
    stop(&t);
}

static void cubic_keeps_a_slope_and_leaves_out_what_is_outside(void **state)
{
    (void)state;
    one_op t =
        resize(AS_RESIZE_CUBIC, AS_COORDINATE_HALF_PIXEL, F32(SHAPE(6), 0, 1, 2, 3, 4, 5));
    t.attributes->resize.cubic_a = -0.5f; /* with which cubics are exact on lines */
    give(&t, F32(SHAPE(1), 2));
    run(&t, 1);
    assert_int_equal(t.code, ASSAY_OK);
    for (int i = 4; i < 8; i++)
        assert_float_equal(((float *)t.out[0].data)[i], ((float)i + 0.5f) / 2 - 0.5f, 1e-6f);
    stop(&t);
    t = resize(AS_RESIZE_CUBIC, AS_COORDINATE_HALF_PIXEL, F32(SHAPE(3), 7, 7, 7));
    t.attributes->resize.excludes_outside = true;
    give(&t, F32(SHAPE(1), 2));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(6), 7, 7, 7, 7, 7, 7), 1e-5);
    stop(&t);
}

static void an_antialiased_shrink_averages(void **state)
{
    (void)state;
    one_op t = resize(AS_RESIZE_LINEAR, AS_COORDINATE_HALF_PIXEL,
                      F32(SHAPE(8), 0, 0, 0, 0, 8, 8, 8, 8));
    t.attributes->resize.is_antialiased = true;
    give(&t, F32(SHAPE(1), 0.5f));
    run(&t, 1);
    /* weights 1 3 3 1 over 8 about 0.5, 2.5, 4.5, 6.5; the border's stand outside */
    expect_near(&t, 0, F32(SHAPE(4), 0, 1, 7, 8), 1e-6);
    stop(&t);
}

static void a_crop_has_its_own_value_outside(void **state)
{
    (void)state;
    for (int mode = AS_RESIZE_NEAREST; mode <= AS_RESIZE_LINEAR; mode++) {
        one_op t = start(AS_OP_RESIZE);
        t.attributes->resize.mode = (as_resize_mode)mode;
        t.attributes->resize.coordinate = AS_COORDINATE_TF_CROP_AND_RESIZE;
        t.attributes->resize.extrapolation = -9;
        give(&t, F32(SHAPE(3), 1, 2, 3));
        give(&t, F32(SHAPE(2), 0.5f, 1.5f));
        give_sizes(&t, I64(SHAPE(1), 3)); /* places 1, 2, 3 */
        run(&t, 1);
        expect(&t, 0, F32(SHAPE(3), 2, 3, -9));
        stop(&t);
    }
}

static void a_shrink_to_nearly_nothing_is_refused(void **state)
{
    (void)state;
    static float x[4000];
    one_op t =
        resize(AS_RESIZE_CUBIC, AS_COORDINATE_HALF_PIXEL, (as_array){AS_F32, SHAPE(4000), x});
    t.attributes->resize.is_antialiased = true;
    give_sizes(&t, I64(SHAPE(1), 1));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_UNSUPPORTED, "its window has 16000 elements on axis 0");
    stop(&t);
}

/* One point of an image of 1 2 / 3 4. */
static float sampled(as_pad_mode border, bool aligns, float at_x, float at_y)
{
    one_op t = start(AS_OP_GRID_SAMPLE);
    t.attributes->grid.border = border;
    t.attributes->grid.aligns_corners = aligns;
    give(&t, F32(SHAPE(1, 1, 2, 2), 1, 2, 3, 4));
    give(&t, F32(SHAPE(1, 1, 1, 2), at_x, at_y));
    run(&t, 1);
    if (t.code) fail_msg("%s", t.err.message);
    const float y = *(float *)t.out[0].data;
    stop(&t);
    return y;
}

static void a_grid_says_where(void **state)
{
    (void)state;
    assert_float_equal(sampled(AS_BORDER_CONSTANT, true, -1, 1), 3, 1e-6f);
    assert_float_equal(sampled(AS_BORDER_CONSTANT, true, 0, 0), 2.5f, 1e-6f);
    assert_float_equal(sampled(AS_BORDER_CONSTANT, false, -1, -1), 0.25f, 1e-6f);
    assert_float_equal(sampled(AS_BORDER_EDGE, false, -1, 5), 3, 1e-6f);
    assert_float_equal(sampled(AS_BORDER_REFLECT, true, 3, -1), 1, 1e-6f);
    assert_float_equal(sampled(AS_BORDER_CONSTANT, true, NAN, 0), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_in_the_middle_goes_by_the_rounding_mode),
        cmocka_unit_test(integers_are_resized_by_the_nearest),
        cmocka_unit_test(one_scale_for_all_keeps_the_ratio),
        cmocka_unit_test(linear_goes_between_two_and_stops_at_the_border),
        cmocka_unit_test(cubic_keeps_a_slope_and_leaves_out_what_is_outside),
        cmocka_unit_test(an_antialiased_shrink_averages),
        cmocka_unit_test(a_crop_has_its_own_value_outside),
        cmocka_unit_test(a_shrink_to_nearly_nothing_is_refused),
        cmocka_unit_test(a_grid_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
