/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/random.h"
#include "verdict/structures.h"

static as_scored scored(double accuracy, double latency_us)
{
    return (as_scored){
        .name = "s", .accuracy = accuracy, .latency_us = latency_us, .trained = true};
}

static as_selection select_of(const as_scored *s, size_t n, size_t baseline)
{
    as_selection out;
    as_structures_select(s, n, baseline, 1, &out);
    return out;
}

static void the_best_accuracy_wins_and_the_faster_of_equals(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.95, 1), scored(0.97, 9), scored(0.97 + 5e-10, 8),
                           scored(0.97, 8.5)};
    assert_int_equal(select_of(s, 4, 0).by_accuracy, 2);
    assert_int_equal(select_of(s, 2, 0).by_accuracy, 1);
}

static void the_fastest_within_quality_and_cost_wins(void **state)
{
    (void)state;
    /* Faster but worse; better but slower; as good and faster; the same, a little slower. */
    const as_scored s[] = {scored(0.96, 5), scored(0.95, 1), scored(0.99, 6), scored(0.96, 4),
                           scored(0.97, 4.5)};
    as_selection out = select_of(s, 5, 0);
    assert_int_equal(out.manual_baseline, 0);
    assert_int_equal(out.by_latency, 3);
    assert_int_equal(out.n_feasible, 2);
}

static void equal_to_the_baseline_is_feasible_and_does_not_replace_it(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.96, 5), scored(0.96, 5), scored(0.96 - 5e-10, 5)};
    for (size_t baseline = 0; baseline < 3; baseline++) {
        as_selection out = select_of(s, 3, baseline);
        assert_int_equal(out.by_latency, baseline);
        assert_int_equal(out.n_feasible, 2);
        assert_int_equal(out.n_latency_ties, 2);
    }
    const as_scored just_worse[] = {scored(0.96, 5), scored(0.96 - 2e-9, 4)};
    assert_int_equal(select_of(just_worse, 2, 0).n_feasible, 0);
}

static void without_a_feasible_one_the_baseline_stays(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.95, 4), scored(0.96, 5), scored(0.97, 5.01)};
    as_selection out = select_of(s, 3, 1);
    assert_int_equal(out.by_latency, 1);
    assert_int_equal(out.n_feasible, 0);
    assert_int_equal(out.by_accuracy, 2);
}

static void what_did_not_train_is_never_chosen(void **state)
{
    (void)state;
    as_scored s[] = {scored(0.96, 5), scored(1, 1), scored(NAN, NAN)};
    bool is_front[3];
    s[1].trained = s[2].trained = false;
    as_selection out = select_of(s, 3, 0);
    assert_int_equal(out.by_accuracy, 0);
    assert_int_equal(out.by_latency, 0);
    assert_int_equal(out.random_two, 0);
    assert_false(out.baseline_failed);
    as_pareto_front(s, 3, is_front);
    assert_true(is_front[0] && !is_front[1] && !is_front[2]);
}

static void a_baseline_that_did_not_train_stays_and_is_named(void **state)
{
    (void)state;
    as_scored s[] = {scored(0.9, 5), scored(0.96, 4)};
    s[0].trained = false;
    as_selection out = select_of(s, 2, 0);
    assert_true(out.baseline_failed);
    assert_int_equal(out.by_latency, 0);
    assert_int_equal(out.n_feasible, 0);
    assert_int_equal(out.by_accuracy, 1);
    assert_true(out.random_fell_back);
    s[1].trained = false;
    out = select_of(s, 2, 0);
    assert_true(out.by_accuracy == AS_NO_STRUCTURE);
    assert_int_equal(out.n_accuracy_ties, 0);
}

static void two_are_drawn_by_the_seed_and_every_pair_comes(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.96, 5), scored(0.96, 4), scored(0.96, 3), scored(0.9, 1)};
    size_t seen[4][4] = {{0}};
    for (uint64_t seed = 0; seed < 600; seed++) {
        as_selection out, again;
        as_structures_select(s, 4, 0, seed, &out);
        as_structures_select(s, 4, 0, seed, &again);
        assert_memory_equal(out.random_names, again.random_names, sizeof out.random_names);
        assert_true(out.random_names[0] < 4 && out.random_names[1] < 4);
        seen[out.random_names[0]][out.random_names[1]]++;
    }
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            if (i == j)
                assert_int_equal(seen[i][j], 0);
            else
                assert_in_range(seen[i][j], 25,
                                80); /* 50 are due; 25 and 80 lie 3.7 sigma off */
}

static void the_random_two_fall_back_only_when_neither_is_feasible(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.96, 5), scored(0.9, 1), scored(0.97, 9), scored(0.97, 2)};
    size_t n_fallbacks = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        as_selection out;
        as_structures_select(s, 4, 0, seed, &out);
        const size_t a = out.random_names[0], b = out.random_names[1];
        bool has_best = a == 3 || b == 3, has_baseline = a == 0 || b == 0;
        assert_int_equal(out.random_two, has_best ? 3 : 0);
        assert_int_equal(out.random_fell_back, !has_best && !has_baseline);
        n_fallbacks += out.random_fell_back;
    }
    assert_in_range(n_fallbacks, 15, 60); /* one pair of six */
}

static void one_structure_alone_is_drawn_alone(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.96, 5)};
    as_selection out = select_of(s, 1, 0);
    assert_int_equal(out.random_names[0], 0);
    assert_true(out.random_names[1] == AS_NO_STRUCTURE);
    assert_int_equal(out.random_two, 0);
    assert_false(out.random_fell_back);
}

static void latencies_within_margin_or_interval_tie(void **state)
{
    (void)state;
    as_scored a = scored(0.96, 100), b = scored(0.96, 100.9), c = scored(0.96, 110);
    assert_true(as_latencies_tie(&a, &b));
    assert_true(as_latencies_tie(&b, &a));
    assert_false(as_latencies_tie(&a, &c));
    a.low_us = 98, a.high_us = 107;
    c.low_us = 106, c.high_us = 114;
    assert_true(as_latencies_tie(&a, &c));
    c.low_us = 107.5;
    assert_false(as_latencies_tie(&a, &c));
    c.low_us = 106, c.trained = false;
    assert_false(as_latencies_tie(&a, &c));
}

static void accuracies_within_two_standard_errors_tie(void **state)
{
    (void)state;
    as_scored s[] = {scored(0.970, 5), scored(0.962, 4), scored(0.950, 3)};
    bool is_tie[3];
    as_selection out = select_of(s, 3, 0);
    assert_int_equal(out.n_accuracy_ties, 0);
    for (size_t i = 0; i < 3; i++)
        s[i].accuracy_noise = 0.003; /* two errors of a difference: 0.0085 */
    out = select_of(s, 3, 0);
    assert_int_equal(out.by_accuracy, 0); /* a tie is told, it decides nothing */
    assert_int_equal(out.n_accuracy_ties, 1);
    assert_int_equal(as_structures_ties(s, 3, &out, AS_PICK_ACCURACY, is_tie), 1);
    assert_true(!is_tie[0] && is_tie[1] && !is_tie[2]);
}

static void only_the_feasible_tie_with_the_least_latency(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.96, 5), scored(0.96, 4), scored(0.97, 4.03),
                           scored(0.90, 4.01)};
    bool is_tie[4];
    as_selection out = select_of(s, 4, 0);
    assert_int_equal(out.by_latency, 1);
    assert_int_equal(as_structures_ties(s, 4, &out, AS_PICK_LATENCY, is_tie), 1);
    assert_true(!is_tie[0] && !is_tie[1] && is_tie[2] && !is_tie[3]);
}

static void the_front_has_no_structure_that_another_beats(void **state)
{
    (void)state;
    const as_scored s[] = {scored(0.90, 1), scored(0.95, 2),   scored(0.94, 3),
                           scored(0.95, 2), scored(0.99, 2.5), scored(0.99, 9)};
    static const bool expected[] = {true, true, false, true, true, false};
    bool is_front[6];
    as_pareto_front(s, 6, is_front);
    assert_memory_equal(is_front, expected, sizeof expected);
}

enum { MOST = 9, CASES = 2000 };

/** Few values, so that equal ones are frequent. */
static size_t draw(as_scored *s, uint64_t *random)
{
    size_t n = 1 + as_random_next(random) % MOST;
    for (size_t i = 0; i < n; i++) {
        s[i] = scored(0.9 + 0.01 * (double)(as_random_next(random) % 6),
                      1 + (double)(as_random_next(random) % 6));
        s[i].trained = as_random_next(random) % 8 != 0;
    }
    return n;
}

static void the_choices_keep_their_promises_on_any_list(void **state)
{
    (void)state;
    uint64_t random = 20260918;
    for (size_t turn = 0; turn < CASES; turn++) {
        as_scored s[MOST];
        const size_t n = draw(s, &random), baseline = as_random_next(&random) % n;
        as_selection out;
        as_structures_select(s, n, baseline, turn, &out);
        const as_scored *fastest = &s[out.by_latency];
        size_t n_feasible = 0;
        for (size_t i = 0; i < n; i++) {
            bool feasible = as_structure_is_feasible(&s[i], &s[baseline]);
            n_feasible += feasible && i != baseline;
            if (feasible) assert_true(s[i].latency_us >= fastest->latency_us);
            if (s[i].trained) assert_true(s[i].accuracy <= s[out.by_accuracy].accuracy);
        }
        assert_int_equal(out.n_feasible, n_feasible);
        assert_true(out.by_latency == baseline ||
                    as_structure_is_feasible(fastest, &s[baseline]));
        assert_true(out.random_two == baseline || out.random_two == out.random_names[0] ||
                    out.random_two == out.random_names[1]);
    }
}

static void the_front_is_what_no_other_dominates_on_any_list(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t turn = 0; turn < CASES; turn++) {
        as_scored s[MOST], turned[MOST];
        bool is_front[MOST], turned_front[MOST];
        const size_t n = draw(s, &random);
        as_selection out;
        as_pareto_front(s, n, is_front);
        as_structures_select(s, n, 0, 1, &out);
        /* The most accurate is on it, and the order of the list is nothing to it. */
        if (out.by_accuracy != AS_NO_STRUCTURE) assert_true(is_front[out.by_accuracy]);
        for (size_t i = 0; i < n; i++)
            turned[i] = s[n - 1 - i];
        as_pareto_front(turned, n, turned_front);
        for (size_t i = 0; i < n; i++) {
            bool beaten = !s[i].trained;
            assert_int_equal(is_front[i], turned_front[n - 1 - i]);
            for (size_t j = 0; j < n;
                 j++) /* dominance through a member of the front suffices */
                beaten =
                    beaten ||
                    (is_front[j] && s[j].accuracy >= s[i].accuracy &&
                     s[j].latency_us <= s[i].latency_us &&
                     (s[j].accuracy != s[i].accuracy || s[j].latency_us != s[i].latency_us));
            assert_int_equal(is_front[i], !beaten);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_accuracy_wins_and_the_faster_of_equals),
        cmocka_unit_test(the_fastest_within_quality_and_cost_wins),
        cmocka_unit_test(equal_to_the_baseline_is_feasible_and_does_not_replace_it),
        cmocka_unit_test(without_a_feasible_one_the_baseline_stays),
        cmocka_unit_test(what_did_not_train_is_never_chosen),
        cmocka_unit_test(a_baseline_that_did_not_train_stays_and_is_named),
        cmocka_unit_test(two_are_drawn_by_the_seed_and_every_pair_comes),
        cmocka_unit_test(the_random_two_fall_back_only_when_neither_is_feasible),
        cmocka_unit_test(one_structure_alone_is_drawn_alone),
        cmocka_unit_test(latencies_within_margin_or_interval_tie),
        cmocka_unit_test(accuracies_within_two_standard_errors_tie),
        cmocka_unit_test(only_the_feasible_tie_with_the_least_latency),
        cmocka_unit_test(the_front_has_no_structure_that_another_beats),
        cmocka_unit_test(the_choices_keep_their_promises_on_any_list),
        cmocka_unit_test(the_front_is_what_no_other_dominates_on_any_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
