/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "call.h"

#define LIST(a, b) F32(SHAPE(2), a, b)
#define X          F32(SHAPE(2, 2, 2), 1, 3, 10, 30, 5, 7, 50, 70)

static void batches_are_normalised_by_what_was_learnt(void **state)
{
    (void)state;
    one_op t = start(AS_OP_BATCH_NORM);
    t.attributes->batch_norm.epsilon = 0;
    give(&t, X);
    give(&t, LIST(2, 1));
    give(&t, LIST(1, 0));
    give(&t, LIST(3, 10));
    give(&t, LIST(4, 100));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(2, 2, 2), -1, 1, 0, 2, 3, 5, 4, 6), 1e-6);
    stop(&t);
}

static void in_training_by_the_batch_itself(void **state)
{
    (void)state;
    one_op t = start(AS_OP_BATCH_NORM);
    t.attributes->batch_norm.epsilon = 0;
    t.attributes->batch_norm.momentum = 0.75f;
    t.attributes->batch_norm.is_training = true;
    give(&t, X); /* means 4 and 40, variances 5 and 500 */
    give(&t, LIST(1, 1));
    give(&t, LIST(0, 0));
    give(&t, LIST(0, 4));
    give(&t, LIST(1, 100));
    run(&t, 3);
    const float s = sqrtf(5);
    expect_near(&t, 0,
                F32(SHAPE(2, 2, 2), -3 / s, -1 / s, -3 / s, -1 / s, 1 / s, 3 / s, 1 / s, 3 / s),
                1e-6);
    expect_near(&t, 1, LIST(1, 13), 1e-6);
    expect_near(&t, 2, LIST(2, 200), 1e-4);
    stop(&t);
}

static void an_affine_is_a_scale_and_a_shift_a_channel(void **state)
{
    (void)state;
    one_op t = start(AS_OP_AFFINE);
    give(&t, X);
    give(&t, LIST(2, 0.5f));
    give(&t, LIST(1, -1));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 2, 2), 3, 7, 4, 14, 11, 15, 24, 34));
    stop(&t);
}

static void of_old_each_place_had_its_own_scale(void **state)
{
    (void)state;
    one_op t = start(AS_OP_BATCH_NORM);
    t.attributes->batch_norm.is_per_activation = true;
    t.attributes->batch_norm.epsilon = 0;
    give(&t, F32(SHAPE(2, 1, 2), 1, 2, 3, 4));
    give(&t, F32(SHAPE(1, 2), 1, 10));
    give(&t, F32(SHAPE(1, 2), 0, 1));
    give(&t, F32(SHAPE(1, 2), 1, 2));
    give(&t, F32(SHAPE(1, 2), 1, 4));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(2, 1, 2), 0, 1, 2, 11), 1e-6);
    stop(&t);
}

static void instances_and_groups_have_their_own_moments(void **state)
{
    (void)state;
    one_op t = start(AS_OP_INSTANCE_NORM);
    t.attributes->norm.epsilon = 0;
    give(&t, X);
    give(&t, LIST(2, 3));
    give(&t, LIST(0, 1));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(2, 2, 2), -2, 2, -2, 4, -2, 2, -2, 4), 1e-5);
    stop(&t);
    for (int is_per_group = 0; is_per_group < 2; is_per_group++) {
        t = start(AS_OP_GROUP_NORM);
        t.attributes->norm.epsilon = 0;
        t.attributes->norm.n_groups = 1;
        t.attributes->norm.is_per_group = is_per_group;
        give(&t, F32(SHAPE(1, 2, 1), 2, 4));
        if (is_per_group) {
            give(&t, F32(SHAPE(1), 5));
            give(&t, F32(SHAPE(1), 1));
        } else {
            give(&t, LIST(5, 7));
            give(&t, LIST(1, 2));
        }
        run(&t, 1);
        expect_near(&t, 0,
                    is_per_group ? F32(SHAPE(1, 2, 1), -4, 6) : F32(SHAPE(1, 2, 1), -4, 9),
                    1e-5);
        stop(&t);
    }
}

static void layers_give_mean_and_inverse_deviation_too(void **state)
{
    (void)state;
    one_op t = start(AS_OP_LAYER_NORM);
    t.attributes->norm.epsilon = 0;
    give(&t, F32(SHAPE(2, 2), 1, 3, 10, 30));
    give(&t, LIST(2, 4));
    give(&t, F32(SHAPE(1), 1));
    run(&t, 3);
    expect_near(&t, 0, F32(SHAPE(2, 2), -1, 5, -1, 5), 1e-6);
    expect_near(&t, 1, F32(SHAPE(2, 1), 2, 20), 1e-6);
    expect_near(&t, 2, F32(SHAPE(2, 1), 1, 0.1f), 1e-6);
    stop(&t);
    t = start(AS_OP_LAYER_NORM);
    t.attributes->norm.epsilon = 0;
    t.attributes->norm.axis = 0;
    give(&t, F32(SHAPE(2, 1), 1, 3));
    give(&t, F32(SHAPE(2, 1), 1, 2));
    run(&t, 1);
    expect_near(&t, 0, F32(SHAPE(2, 1), -1, 2), 1e-6);
    stop(&t);
}

static void lrn_sums_over_the_channels_around(void **state)
{
    (void)state;
    for (int size = 2; size <= 3; size++) {
        one_op t = start(AS_OP_LRN);
        t.attributes->lrn.alpha = (float)size;
        t.attributes->lrn.beta = 1;
        t.attributes->lrn.bias = 1;
        t.attributes->lrn.size = size;
        give(&t, F32(SHAPE(1, 3, 1), 1, 2, 3));
        run(&t, 1);
        if (size == 2) /* this channel and the next one */
            expect_near(&t, 0, F32(SHAPE(1, 3, 1), 1 / 6.0f, 2 / 14.0f, 3 / 10.0f), 1e-6);
        else
            expect_near(&t, 0, F32(SHAPE(1, 3, 1), 1 / 6.0f, 2 / 15.0f, 3 / 14.0f), 1e-6);
        stop(&t);
    }
}

static void lists_must_have_a_number_a_channel(void **state)
{
    (void)state;
    one_op t = start(AS_OP_INSTANCE_NORM);
    give(&t, X);
    give(&t, LIST(2, 3));
    give(&t, F32(SHAPE(3), 0, 1, 2));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_ARGUMENT, "its input 2 is [3], it needs [2]");
    stop(&t);
    t = start(AS_OP_GROUP_NORM);
    t.attributes->norm.n_groups = 3;
    give(&t, X);
    give(&t, LIST(2, 3));
    give(&t, LIST(2, 3));
    run(&t, 1);
    expect_failure(&t, ASSAY_E_FORMAT, "its num_groups is 3, its input has 2 channels");
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_normalised_by_what_was_learnt),
        cmocka_unit_test(in_training_by_the_batch_itself),
        cmocka_unit_test(an_affine_is_a_scale_and_a_shift_a_channel),
        cmocka_unit_test(of_old_each_place_had_its_own_scale),
        cmocka_unit_test(instances_and_groups_have_their_own_moments),
        cmocka_unit_test(layers_give_mean_and_inverse_deviation_too),
        cmocka_unit_test(lrn_sums_over_the_channels_around),
        cmocka_unit_test(lists_must_have_a_number_a_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
