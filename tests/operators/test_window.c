/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and pools.  Expected values are by hand, from the ONNX specification. */
#include "call.h"

static void conv_slides_over_one_axis(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CONV);
    as_window *w = &t.attributes->conv.window;
    w->strides[1] = 2;
    w->pads[1] = 1; /* left; none on the right */
    give(&t, F32(SHAPE(1, 1, 5), 1, 2, 3, 4, 5));
    give(&t, F32(SHAPE(1, 1, 3), 1, 10, 100));
    give(&t, F32(SHAPE(1), 0.5f));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1, 1, 2), 210.5f, 432.5f));
    stop(&t);
}

static void conv_slides_over_three_axes_in_groups(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CONV);
    t.attributes->conv.group = 2;
    t.attributes->conv.window.dilations[2] = 2; /* depth */
    give(&t, F32(SHAPE(1, 2, 3, 1, 1), 1, 2, 3, 4, 5, 6));
    give(&t, F32(SHAPE(2, 1, 2, 1, 1), 1, 10, 100, 1000));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1, 2, 1, 1, 1), 31, 6400));
    stop(&t);
}

static void same_pads_put_the_odd_one_where_they_say(void **state)
{
    (void)state;
    for (int lower = 0; lower < 2; lower++) {
        one_op t = start(AS_OP_CONV);
        t.attributes->conv.window.auto_pad = lower ? AS_PAD_SAME_LOWER : AS_PAD_SAME_UPPER;
        give(&t, F32(SHAPE(1, 1, 1, 3), 1, 2, 3));
        give(&t, F32(SHAPE(1, 1, 1, 2), 1, 10));
        run(&t, 1);
        const as_array upper = F32(SHAPE(1, 1, 1, 3), 21, 32, 3);
        expect(&t, 0, lower ? F32(SHAPE(1, 1, 1, 3), 10, 21, 32) : upper);
        stop(&t);
    }
}

static void transposed_conv_spreads_in_one_axis(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CONV_TRANSPOSE);
    as_conv_attributes *conv = &t.attributes->conv;
    conv->window.strides[1] = 3;
    conv->output_padding[1] = 1;
    give(&t, F32(SHAPE(1, 1, 2), 1, 2));
    give(&t, F32(SHAPE(1, 2, 2), 1, 10, 3, 5));
    give(&t, F32(SHAPE(2), 0, 100));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1, 2, 6), 1, 10, 0, 2, 20, 0, 103, 105, 100, 106, 110, 100));
    stop(&t);
}

static void transposed_conv_cuts_to_its_output_shape(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CONV_TRANSPOSE);
    t.attributes->conv.window.strides[1] = 2;
    t.attributes->conv.output_shape[1] = 4; /* of 5: the odd pad goes before */
    give(&t, F32(SHAPE(1, 1, 2), 1, 2));
    give(&t, F32(SHAPE(1, 1, 3), 1, 10, 100));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1, 1, 4), 10, 102, 20, 200));
    stop(&t);
}

static one_op pool_of_two(as_op op)
{
    one_op t = start(op);
    as_window *w = &t.attributes->pool.window;
    w->n_axes = 2;
    w->kernel[0] = w->kernel[1] = w->strides[0] = w->strides[1] = 2;
    return t;
}

static void max_pool_tells_where(void **state)
{
    (void)state;
    for (int column_major = 0; column_major < 2; column_major++) {
        one_op t = pool_of_two(AS_OP_MAX_POOL);
        t.attributes->pool.is_column_major = column_major;
        give(&t, F32(SHAPE(2, 1, 2, 3), 1, 2, 9, 4, 3, 8, 5, 5, 0, 5, 5, 0));
        run(&t, 2);
        expect(&t, 0, F32(SHAPE(2, 1, 1, 1), 4, 5));
        const as_array rows = I64(SHAPE(2, 1, 1, 1), 3, 6);
        expect(&t, 1, column_major ? I64(SHAPE(2, 1, 1, 1), 1, 6) : rows);
        stop(&t);
    }
}

static void a_last_partial_window_counts_what_is_there(void **state)
{
    (void)state;
    for (int counts_pad = 0; counts_pad < 2; counts_pad++) {
        one_op t = pool_of_two(AS_OP_AVERAGE_POOL);
        t.attributes->pool.ceil_mode = true;
        t.attributes->pool.count_include_pad = counts_pad;
        t.attributes->pool.window.kernel[0] = 1;
        t.attributes->pool.window.strides[0] = 1;
        t.attributes->pool.window.pads[1] = 1; /* left */
        give(&t, F32(SHAPE(1, 1, 1, 4), 2, 4, 6, 8));
        run(&t, 1);
        /* [0 2] [4 6] [8 -]: the padding counts when asked to, what lies behind it never */
        const as_array real = F32(SHAPE(1, 1, 1, 3), 2, 5, 8);
        expect(&t, 0, counts_pad ? F32(SHAPE(1, 1, 1, 3), 1, 5, 8) : real);
        stop(&t);
    }
}

static void a_window_that_begins_behind_the_input_does_not_count(void **state)
{
    (void)state;
    one_op t = start(AS_OP_MAX_POOL);
    as_window *w = &t.attributes->pool.window;
    w->n_axes = 1;
    w->kernel[0] = 1;
    w->kernel[1] = 2;
    w->strides[1] = 3;
    w->pads[3] = 1; /* right: (3 + 1 - 2) / 3 rounded up gives a window at 3 */
    t.attributes->pool.ceil_mode = true;
    give(&t, F32(SHAPE(1, 1, 3), 1, 2, 3));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(1, 1, 1), 2));
    stop(&t);
}

static void pools_dilate(void **state)
{
    (void)state;
    one_op t = start(AS_OP_LP_POOL);
    as_window *w = &t.attributes->pool.window;
    w->n_axes = 1;
    w->kernel[0] = 1;
    w->kernel[1] = 2;
    w->dilations[1] = 2;
    give(&t, F32(SHAPE(1, 1, 4), 3, 5, -4, 12));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(1, 1, 2), 5, 13), 1e-6);
    stop(&t);
}

static void global_pools_take_every_axis(void **state)
{
    (void)state;
    static const struct {
        as_op op;
        float of[2];
    } pools[] = {{AS_OP_GLOBAL_MAX_POOL, {4, -3}},
                 {AS_OP_GLOBAL_AVERAGE_POOL, {3.5f, -3.5f}},
                 {AS_OP_GLOBAL_LP_POOL, {5, 5}}};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        one_op t = start(pools[i].op);
        give(&t, F32(SHAPE(1, 2, 1, 2, 1), 3, 4, -3, -4));
        run(&t, 1);
        expect_near(&t, 0, F32(SHAPE(1, 2, 1, 1, 1), pools[i].of[0], pools[i].of[1]), 1e-6);
        stop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_slides_over_one_axis),
        cmocka_unit_test(conv_slides_over_three_axes_in_groups),
        cmocka_unit_test(same_pads_put_the_odd_one_where_they_say),
        cmocka_unit_test(transposed_conv_spreads_in_one_axis),
        cmocka_unit_test(transposed_conv_cuts_to_its_output_shape),
        cmocka_unit_test(max_pool_tells_where),
        cmocka_unit_test(a_last_partial_window_counts_what_is_there),
        cmocka_unit_test(a_window_that_begins_behind_the_input_does_not_count),
        cmocka_unit_test(pools_dilate),
        cmocka_unit_test(global_pools_take_every_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
