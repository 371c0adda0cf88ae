/* SPDX-License-Identifier: Apache-2.0 */
/* What puts elements elsewhere.  Expected values are by hand, from the ONNX specification. */
#include "call.h"

static void transpose_moves_every_type_by_its_perm(void **state)
{
    (void)state;
    one_op t = start(AS_OP_TRANSPOSE);
    t.attributes->transpose.n = 3;
    memcpy(t.attributes->transpose.perm, (int[]){2, 0, 1}, 3 * sizeof(int));
    give(&t, I64(SHAPE(2, 3, 2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(2, 2, 3), 0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11));
    stop(&t);
    t = start(AS_OP_TRANSPOSE); /* no perm: all axes reversed */
    give(&t, BOOL(SHAPE(2, 3), 1, 0, 0, 1, 1, 0));
    run(&t, 1);
    expect(&t, 0, BOOL(SHAPE(3, 2), 1, 1, 0, 1, 0, 0));
    stop(&t);
}

static void transpose_of_rows_longer_than_a_chunk_is_whole(void **state)
{
    (void)state;
    static float x[2 * 515], y[2 * 515];
    for (int i = 0; i < 2 * 515; i++)
        y[i / 2 + i % 2 * 515] = x[i] = (float)i;
    one_op t = start(AS_OP_TRANSPOSE);
    give(&t, (as_array){AS_F32, SHAPE(515, 2), x});
    run(&t, 1);
    expect(&t, 0, (as_array){AS_F32, SHAPE(2, 515), y});
    stop(&t);
}

static void slice_goes_forwards_and_backwards(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SLICE);
    give(&t, F32(SHAPE(2, 5), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    give(&t, I64(SHAPE(2), -1, INT64_MAX));
    give(&t, I64(SHAPE(2), INT64_MIN, INT64_MIN));
    give(&t, I64(SHAPE(2), 0, -1));
    give(&t, I64(SHAPE(2), -1, -2));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 3), 9, 7, 5, 4, 2, 0));
    stop(&t);
}

static void slice_by_a_huge_step_takes_one(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SLICE);
    give(&t, I32(SHAPE(4), 5, 6, 7, 8));
    give(&t, I32(SHAPE(1), 1));
    give(&t, I32(SHAPE(1), 1000));
    give(&t, I32(SHAPE(1), 0));
    give(&t, I64(SHAPE(1), INT64_MAX));
    run(&t, 1);
    expect(&t, 0, I32(SHAPE(1), 6));
    stop(&t);
}

static void gather_takes_negative_indices_and_refuses_others(void **state)
{
    (void)state;
    one_op t = start(AS_OP_GATHER);
    t.attributes->axis.axis = 1;
    give(&t, F32(SHAPE(2, 3), 0, 1, 2, 3, 4, 5));
    give(&t, I32(SHAPE(2, 2), 0, -1, 2, 1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 2, 2), 0, 2, 2, 1, 3, 5, 5, 4));
    stop(&t);
    t = start(AS_OP_GATHER);
    give(&t, F32(SHAPE(2), 0, 1));
    give(&t, I64(SHAPE(2), 1, -3));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT,
                   "its index 1 is -3, axis 0 of its input has 2 elements");
    stop(&t);
}

static void concat_and_split_undo_each_other(void **state)
{
    (void)state;
    one_op t = start(AS_OP_CONCAT);
    t.attributes->axis.axis = -1;
    give(&t, I64(SHAPE(2, 1), 1, 4));
    give(&t, I64(SHAPE(2, 2), 2, 3, 5, 6));
    run(&t, 1);
    expect(&t, 0, I64(SHAPE(2, 3), 1, 2, 3, 4, 5, 6));
    stop(&t);
    t = start(AS_OP_SPLIT);
    t.attributes->axis.axis = 1;
    give(&t, I64(SHAPE(2, 3), 1, 2, 3, 4, 5, 6));
    give(&t, I64(SHAPE(2), 1, 2));
    run(&t, 2);
    expect(&t, 0, I64(SHAPE(2, 1), 1, 4));
    expect(&t, 1, I64(SHAPE(2, 2), 2, 3, 5, 6));
    stop(&t);
}

static void split_leaves_the_rest_to_the_last_of_num_outputs(void **state)
{
    (void)state;
    one_op t = start(AS_OP_SPLIT);
    t.attributes->axis.n_outputs = 3;
    give(&t, F32(SHAPE(7), 0, 1, 2, 3, 4, 5, 6));
    run(&t, 3);
    expect(&t, 1, F32(SHAPE(3), 3, 4, 5));
    expect(&t, 2, F32(SHAPE(1), 6));
    stop(&t);
    t = start(AS_OP_SPLIT); /* before opset 18 parts are equal */
    give(&t, F32(SHAPE(7), 0, 1, 2, 3, 4, 5, 6));
    run(&t, 3);
    expect_failure(&t, ASSAY_E_ARGUMENT,
                   "axis 0 of its input has 7 elements, 3 outputs cannot share them");
    stop(&t);
}

static void split_knows_the_width_of_what_nobody_wants(void **state)
{
    (void)state;
    as_node node = {.op = AS_OP_SPLIT, .op_type = "Split", .n_outputs = 3};
    as_attributes_init(&node.attributes, AS_OP_SPLIT);
    const as_array x = F32(SHAPE(6), 0, 1, 2, 3, 4, 5), sizes = I64(SHAPE(3), 1, 3, 2);
    as_array y = F32(SHAPE(2), -1, -1);
    const as_array *in[] = {&x, &sizes};
    as_array *out[] = {NULL, NULL, &y};
    const as_op_call call = {&node, in, out, 2, 3};
    as_operator_of(AS_OP_SPLIT)->run(&call, 0, 1);
    assert_memory_equal(y.data, ((float[]){4, 5}), 2 * sizeof(float));
}

static void expand_spreads_both_ways(void **state)
{
    (void)state;
    one_op t = start(AS_OP_EXPAND);
    give(&t, F32(SHAPE(2, 1), 1, 2));
    give(&t, I64(SHAPE(3), 2, 1, 3));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 2, 3), 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
    stop(&t);
    t = start(AS_OP_EXPAND);
    give(&t, F32(SHAPE(2), 1, 2));
    give(&t, I64(SHAPE(1), 3));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its input [2] cannot be expanded to [3]");
    stop(&t);
}

static void tile_repeats_each_axis(void **state)
{
    (void)state;
    one_op t = start(AS_OP_TILE);
    give(&t, I32(SHAPE(2, 2), 1, 2, 3, 4));
    give(&t, I64(SHAPE(2), 2, 2));
    run(&t, 1);
    expect(&t, 0, I32(SHAPE(4, 4), 1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4));
    stop(&t);
}

static void pad_row(as_pad_mode mode, int64_t before, int64_t behind, as_array wanted)
{
    one_op t = start(AS_OP_PAD);
    t.attributes->pad.mode = mode;
    give(&t, F32(SHAPE(1, 3), 1, 2, 3));
    give(&t, I64(SHAPE(2), before, behind));
    give(&t, F32(SCALAR, 9));
    give(&t, I64(SHAPE(1), -1)); /* of the last axis alone */
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void pad_has_four_modes(void **state)
{
    (void)state;
    pad_row(AS_BORDER_CONSTANT, 2, 1, F32(SHAPE(1, 6), 9, 9, 1, 2, 3, 9));
    pad_row(AS_BORDER_EDGE, 1, 2, F32(SHAPE(1, 6), 1, 1, 2, 3, 3, 3));
    pad_row(AS_BORDER_REFLECT, 2, 2, F32(SHAPE(1, 7), 3, 2, 1, 2, 3, 2, 1));
    pad_row(AS_BORDER_REFLECT, 0, 5, F32(SHAPE(1, 8), 1, 2, 3, 2, 1, 2, 3, 2));
    pad_row(AS_BORDER_WRAP, 2, 1, F32(SHAPE(1, 6), 2, 3, 1, 2, 3, 1));
}

static void negative_pads_take_elements_away_first(void **state)
{
    (void)state;
    pad_row(AS_BORDER_CONSTANT, -1, 1, F32(SHAPE(1, 3), 2, 3, 9));
    pad_row(AS_BORDER_EDGE, 2, -2, F32(SHAPE(1, 3), 1, 1, 1));
    pad_row(AS_BORDER_REFLECT, -1, 1, F32(SHAPE(1, 3), 2, 3, 2));
}

static void blocks_count_channels_last_or_first(void **state)
{
    (void)state;
    for (int crd = 0; crd < 2; crd++) {
        one_op t = start(AS_OP_DEPTH_TO_SPACE);
        t.attributes->block.size = 2;
        t.attributes->block.is_channels_first = crd;
        give(&t, F32(SHAPE(1, 8, 1, 1), 0, 1, 2, 3, 4, 5, 6, 7));
        run(&t, 1);
        const as_array dcr = F32(SHAPE(1, 2, 2, 2), 0, 2, 4, 6, 1, 3, 5, 7);
        const as_array wanted = crd ? F32(SHAPE(1, 2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7) : dcr;
        expect(&t, 0, wanted);
        one_op back = start(AS_OP_SPACE_TO_DEPTH);
        *back.attributes = *t.attributes;
        give(&back, wanted);
        run(&back, 1);
        expect(&back, 0, F32(SHAPE(1, 8, 1, 1), 0, 1, 2, 3, 4, 5, 6, 7));
        stop(&back);
        stop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose_moves_every_type_by_its_perm),
        cmocka_unit_test(transpose_of_rows_longer_than_a_chunk_is_whole),
        cmocka_unit_test(slice_goes_forwards_and_backwards),
        cmocka_unit_test(slice_by_a_huge_step_takes_one),
        cmocka_unit_test(gather_takes_negative_indices_and_refuses_others),
        cmocka_unit_test(concat_and_split_undo_each_other),
        cmocka_unit_test(split_leaves_the_rest_to_the_last_of_num_outputs),
        cmocka_unit_test(split_knows_the_width_of_what_nobody_wants),
        cmocka_unit_test(expand_spreads_both_ways),
        cmocka_unit_test(tile_repeats_each_axis),
        cmocka_unit_test(pad_has_four_modes),
        cmocka_unit_test(negative_pads_take_elements_away_first),
        cmocka_unit_test(blocks_count_channels_last_or_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
