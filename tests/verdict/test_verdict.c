/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "verdict/verdict.h"

static as_candidate base(void)
{
    as_candidate c = {.is_baseline = true, .boxes_equal = true, .median_s = 10};
    c.verdict = as_verdict_of(&c);
    return c;
}

/** A candidate whose interval is low..high. */
static as_candidate within(double low, double high)
{
    as_candidate c = {.boxes_equal = true, .n_settings = 1, .memory_bytes = 100};
    c.estimate = (as_estimate){
        .n = 12, .ratio = sqrt(low * high), .has_interval = true, .low = low, .high = high};
    c.median_s = 10 * c.estimate.ratio;
    c.verdict = as_verdict_of(&c);
    return c;
}

/** A candidate of three rounds with this median against the baseline's 10 s. */
static as_candidate median_of(double median_s)
{
    as_candidate c = {.boxes_equal = true, .n_settings = 1, .median_s = median_s};
    c.estimate = (as_estimate){.n = 3,
                               .ratio = median_s / 10,
                               .low = NAN,
                               .high = NAN,
                               .n_faster = median_s < 10 ? 3 : 0};
    c.verdict = as_verdict_of(&c);
    return c;
}

static void verdicts_follow_the_margin(void **state)
{
    (void)state;
    assert_int_equal(base().verdict, AS_VERDICT_BASELINE);
    assert_int_equal(within(0.90, 0.9899).verdict, AS_VERDICT_FASTER);
    assert_int_equal(within(0.90, 0.9901).verdict, AS_VERDICT_UNDECIDED);
    assert_int_equal(within(1.0101, 1.2).verdict, AS_VERDICT_SLOWER);
    assert_int_equal(within(1.0099, 1.2).verdict, AS_VERDICT_UNDECIDED);
    assert_int_equal(within(0.9901, 1.0099).verdict, AS_VERDICT_EQUAL);
    assert_int_equal(within(0.98, 1.005).verdict, AS_VERDICT_UNDECIDED);
    assert_int_equal(median_of(5).verdict, AS_VERDICT_NO_INTERVAL);
}

static void a_time_below_0_wins_nothing(void **state)
{
    (void)state;
    const as_candidate c[] = {base(), median_of(-1)};
    as_choice choice = as_verdict_choose(c, 2, 0);
    assert_int_equal(choice.policy, 0);
}

static void the_constraint_comes_before_the_cost(void **state)
{
    (void)state;
    as_candidate c[] = {base(), within(0.1, 0.2), within(0.1, 0.2), within(0.8, 0.9)};
    c[1].boxes_equal = false;
    c[1].verdict = as_verdict_of(&c[1]);
    c[2].failed = true;
    c[2].verdict = as_verdict_of(&c[2]);
    assert_int_equal(c[1].verdict, AS_VERDICT_DIFFERENT);
    assert_int_equal(c[2].verdict, AS_VERDICT_FAILED);
    as_choice choice = as_verdict_choose(c, 4, 0);
    assert_int_equal(choice.policy, 3);
    assert_true(choice.is_certain);
    choice = as_verdict_choose(c, 3, 0);
    assert_int_equal(choice.policy, 0);
}

static void the_least_cost_wins(void **state)
{
    (void)state;
    as_candidate c[] = {within(0.85, 0.9), base(), within(0.7, 0.75)};
    as_choice choice = as_verdict_choose(c, 3, 1);
    assert_int_equal(choice.policy, 2);
    assert_int_equal(choice.n_ties, 0);
    assert_false(choice.tie_decided);
}

static void ties_go_to_the_simpler_then_to_less_memory_then_to_the_first(void **state)
{
    (void)state;
    as_candidate c[] = {base(), within(0.700, 0.750), within(0.703, 0.753)};
    c[1].n_settings = 2;
    as_choice choice = as_verdict_choose(c, 3, 0);
    assert_int_equal(choice.policy, 2);
    assert_int_equal(choice.n_ties, 1);
    assert_true(choice.tie_decided);
    c[1].n_settings = 1;
    assert_int_equal(as_verdict_choose(c, 3, 0).policy, 1);
    c[2].memory_bytes = 99;
    assert_int_equal(as_verdict_choose(c, 3, 0).policy, 2);
}

static void the_baseline_stays_unless_something_is_faster(void **state)
{
    (void)state;
    as_candidate c[] = {base(), within(0.995, 1.005), within(1.1, 1.2)};
    as_choice choice = as_verdict_choose(c, 3, 0);
    assert_int_equal(choice.policy, 0);
    assert_true(choice.is_certain);
    c[1] = within(0.9, 1.0);
    choice = as_verdict_choose(c, 3, 0);
    assert_int_equal(choice.policy, 0);
    assert_false(choice.is_certain);
}

static void without_an_interval_medians_choose_and_say_so(void **state)
{
    (void)state;
    as_candidate c[] = {base(), median_of(9.95), median_of(9.0)};
    as_choice choice = as_verdict_choose(c, 3, 0);
    assert_int_equal(choice.policy, 2);
    assert_false(choice.is_certain);
    choice = as_verdict_choose(c, 2, 0); /* within the margin: no reason to change */
    assert_int_equal(choice.policy, 0);
    assert_false(choice.is_certain);
    c[2].estimate.n_faster = 2; /* one round speaks against it */
    assert_int_equal(as_verdict_choose(c, 3, 0).policy, 0);
    c[1] = median_of(NAN);
    assert_int_equal(as_verdict_choose(c, 2, 0).policy, 0);
}

static void nothing_is_chosen_without_a_baseline(void **state)
{
    (void)state;
    as_candidate c[] = {base(), within(0.5, 0.6)};
    c[0].failed = true;
    c[0].verdict = as_verdict_of(&c[0]);
    assert_true(as_verdict_choose(c, 2, 0).policy == AS_NO_POLICY);
}

static void settings_are_counted_by_commas(void **state)
{
    (void)state;
    assert_int_equal(as_policy_text_settings("default=native"), 0);
    assert_int_equal(as_policy_text_settings("s=native,split-at=16,split-to=8"), 2);
}

static void every_verdict_has_a_name(void **state)
{
    (void)state;
    for (int v = AS_VERDICT_BASELINE; v <= AS_VERDICT_FAILED; v++)
        assert_true(as_verdict_name((as_verdict)v)[0] != '\0');
    assert_string_equal(as_verdict_name(AS_VERDICT_DIFFERENT), "boxes differ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_follow_the_margin),
        cmocka_unit_test(a_time_below_0_wins_nothing),
        cmocka_unit_test(the_constraint_comes_before_the_cost),
        cmocka_unit_test(the_least_cost_wins),
        cmocka_unit_test(ties_go_to_the_simpler_then_to_less_memory_then_to_the_first),
        cmocka_unit_test(the_baseline_stays_unless_something_is_faster),
        cmocka_unit_test(without_an_interval_medians_choose_and_say_so),
        cmocka_unit_test(nothing_is_chosen_without_a_baseline),
        cmocka_unit_test(settings_are_counted_by_commas),
        cmocka_unit_test(every_verdict_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
