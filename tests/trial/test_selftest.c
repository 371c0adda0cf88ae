/* SPDX-License-Identifier: Apache-2.0 */
/* The quick proofs, and that they can fail; the program's path is this one's argument. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trial/kernel_slot.h"
#include "trial/selftest.h"
#include "trial/selftest_parts.h"
#include "trial/simulated.h"

static const char *assay;

static void counts_that_prove_five_per_cent_are_those_of_the_binomial(void **state)
{
    (void)state;
    assert_int_equal(as_most_wrong(400, 0.05), 12);
    assert_int_equal(as_most_wrong(200, 0.05), 4);
    assert_int_equal(as_most_wrong(59, 0.05), 0); /* 0.95^59 = 0.0485 */
    assert_int_equal(as_most_wrong(93, 0.05), 1);
    assert_int_equal(as_most_wrong(10, 0.05), 0); /* which proves nothing */
}

static void every_quick_proof_holds(void **state)
{
    (void)state;
    as_proof proofs[AS_MOST_PROOFS];
    size_t n = 0;
    assay_error err = {0};
    const as_selftest_options options = {.seed = 1};
    if (as_selftest_run(&options, proofs, &n, &err)) fail_msg("%s", err.message);
    assert_true(n >= 10);
    for (size_t i = 0; i < n; i++)
        if (!proofs[i].holds)
            fail_msg("%s: %zu of %zu, %zu wanted", proofs[i].name, proofs[i].n_counted,
                     proofs[i].n, proofs[i].limit);
}

static bool stop_now(void *context)
{
    (void)context;
    return true;
}

static void a_proof_can_be_interrupted(void **state)
{
    (void)state;
    as_proof proofs[AS_MOST_PROOFS];
    size_t n = 0;
    const as_selftest_options options = {.seed = 1, .stop = stop_now};
    assert_int_equal(as_selftest_run(&options, proofs, &n, NULL), ASSAY_E_INTERRUPTED);
}

static as_duel_result duel(as_simulated machine, const as_duel_rules *rules)
{
    as_duel_result result;
    assay_error err = {0};
    if (as_duel_run(rules, as_simulated_slot, &machine, &result, &err))
        fail_msg("%s", err.message);
    return result;
}

static void too_few_trials_prove_nothing(void **state)
{
    (void)state;
    as_proof few = {.n = 58}, enough = {.n = 59}, wrong = {.n = 59, .n_counted = 1};
    as_proof_rarely_wrong(&few, 0.05); /* 0.95^58 is 5.1 %: none wrong may be luck */
    as_proof_rarely_wrong(&enough, 0.05);
    as_proof_rarely_wrong(&wrong, 0.05);
    assert_true(few.is_short && !few.holds);
    assert_true(enough.holds && !enough.is_short);
    assert_true(!wrong.holds && !wrong.is_short);
}

static void drift_that_fools_blocks_does_not_fool_pairs(void **state)
{
    (void)state;
    as_simulated machine = as_simulated_new(7);
    machine.sd = 0.002;
    machine.drift = 0.005;
    as_duel_result blocked =
        duel(machine, &(as_duel_rules){.n_rounds = 12, .is_blocked = true});
    as_duel_result paired = duel(machine, &(as_duel_rules){.n_rounds = 12, .seed = 3});
    assert_int_equal(blocked.verdict, AS_VERDICT_SLOWER);
    assert_true(blocked.estimate.ratio > 1.05); /* 12 slots of half a per cent */
    assert_true(fabs(paired.estimate.ratio - 1) < 0.005);
}

static void a_budget_buys_what_a_verdict_needs_and_no_more(void **state)
{
    (void)state;
    as_simulated machine = as_simulated_new(7);
    machine.sd = 0.02;
    machine.ratio = 0.97;
    as_duel_result without = duel(machine, &(as_duel_rules){.seed = 1});
    as_duel_result with = duel(machine, &(as_duel_rules){.seed = 1, .budget_s = 60});
    assert_int_equal(without.verdict, AS_VERDICT_UNDECIDED);
    assert_int_equal(with.verdict, AS_VERDICT_FASTER);
    assert_true(with.estimate.n > without.estimate.n && with.spent_s < 60);
    as_duel_result poor = duel(machine, &(as_duel_rules){.seed = 1, .budget_s = 2});
    assert_int_equal(poor.verdict, AS_VERDICT_UNDECIDED);
    assert_true(poor.spent_s < 3);
}

static void disturbed_rounds_are_run_again_or_the_machine_is_unfit(void **state)
{
    (void)state;
    as_simulated machine = as_simulated_new(11);
    machine.dirty_share = 0.05;
    machine.dirty_cost = 0.5;
    const as_duel_rules rerun = {.n_rounds = 24, .noise_rule = AS_NOISE_RERUN};
    as_duel_result result = duel(machine, &rerun);
    assert_int_equal(result.end, AS_DUEL_VERDICT);
    assert_true(result.n_dirty > 0 && result.paired_sd < 0.05);
    as_duel_result report = duel(machine, &(as_duel_rules){.n_rounds = 24});
    assert_true(report.n_dirty > 0 && report.paired_sd > 0.05);
    machine.dirty_share = 0.9;
    assert_int_equal(duel(machine, &rerun).end, AS_DUEL_UNFIT);
}

/* Ten times the work is seen as more work on any machine; how much more, no timed test says. */
static void a_kernel_slot_tells_time_and_noise_of_its_work(void **state)
{
    (void)state;
    as_kernel_sides sides = {(const char *[]){assay, "worker", NULL}, {20, 400}};
    as_duel_slot few = {0}, many = {0};
    assay_error err = {0};
    if (as_kernel_slot(&sides, 0, &few, &err)) fail_msg("%s", err.message);
    if (as_kernel_slot(&sides, 1, &many, &err)) fail_msg("%s", err.message);
    assert_true(few.seconds > 0 && many.seconds > few.seconds);
    assert_true(many.noise.wall_s >= many.seconds && many.total_s > many.seconds);
    assert_true(many.noise.probe_before > 0);
    sides.argv = (const char *[]){assay, "kernels", NULL};
    assert_int_equal(as_kernel_slot(&sides, 0, &few, &err), ASSAY_E_CHILD);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    assay = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_prove_five_per_cent_are_those_of_the_binomial),
        cmocka_unit_test(every_quick_proof_holds),
        cmocka_unit_test(too_few_trials_prove_nothing),
        cmocka_unit_test(a_proof_can_be_interrupted),
        cmocka_unit_test(drift_that_fools_blocks_does_not_fool_pairs),
        cmocka_unit_test(a_budget_buys_what_a_verdict_needs_and_no_more),
        cmocka_unit_test(disturbed_rounds_are_run_again_or_the_machine_is_unfit),
        cmocka_unit_test(a_kernel_slot_tells_time_and_noise_of_its_work),
    };
    return cmocka_run_group_tests_name("selftest", tests, NULL, NULL);
}
