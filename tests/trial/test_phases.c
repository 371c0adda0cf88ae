/* SPDX-License-Identifier: Apache-2.0 */
/* The phases over a fake worker, whose path is this program's argument. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "fake_run.h"

static void a_good_run_has_every_slot_in_its_place(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2", "nearly"), AS_ON_DIFFERENCE_STOP, 2);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_failed, 0);
    assert_int_equal(result.n_different, 0);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 3 + 3 + 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(slots[6 + i].round, f->orders[i].round);
        assert_int_equal(slots[6 + i].policy, f->orders[i].policy);
        assert_int_equal(slots[6 + i].position, f->orders[i].position);
        assert_int_equal(slots[6 + i].n_calls, 2 * N_CALLS);
        assert_int_equal(slots[6 + i].n_forwards, 2 * N_CALLS);
        assert_true(slots[6 + i].load_s == 0.005 && slots[6 + i].total_s > 0);
    }
    assert_each_call_once(e, 2);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    as_evidence_close(e);
}

static void snapshots_stand_around_the_smoke_phase_and_each_round(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    as_evidence *e = open_evidence(f);
    const as_snapshot_row *rows;
    size_t n;
    assert_int_equal(as_evidence_snapshots(e, &rows, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2 + 2 * N_ROUNDS);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(rows[i].moment, i % 2 ? "after" : "before");
    assert_int_equal(rows[n - 1].round, N_ROUNDS - 1);
    as_evidence_close(e);
}

static void the_output_of_each_slot_is_kept_in_logs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    char path[128];
    as_bytes log;
    snprintf(path, sizeof path, "%s/logs/round3-good-2.log", f->folder);
    assert_int_equal(as_file_read(path, 0, &log, NULL), ASSAY_OK);
    assert_string_equal((char *)log.data, "fake worker of good-2=fake\n");
    as_bytes_free(&log);
}

static void a_duration_is_told_before_the_rounds(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "good-2"), AS_ON_DIFFERENCE_STOP, 1);
    go(f);
    assert_int_equal(f->n_notes, 1);
    assert_non_null(strstr(f->notes[0], "6 slots are to run"));
}

static void a_failing_baseline_ends_the_run_before_the_rounds(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("smokecrash", "good"), AS_ON_DIFFERENCE_MEASURE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_failed, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 1, AS_SLOT_FINISHED), 0);
    as_evidence_close(e);
}

static size_t count_reviews(as_evidence *e)
{
    const as_review_row *rows;
    size_t n;
    assert_int_equal(as_evidence_reviews(e, &rows, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++) {
        as_bytes png;
        char name[16];
        assert_int_equal(as_evidence_png(e, rows[i].input, &png, NULL), ASSAY_OK);
        snprintf(name, sizeof name, "r%d.png", rows[i].input);
        assert_int_equal(png.size, strlen(name));
        assert_memory_equal(png.data, name, png.size);
        as_bytes_free(&png);
    }
    return n;
}

static void stop_does_not_start_the_rounds_when_boxes_differ(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "other", "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_different, 1);
    assert_non_null(strstr(f->notes[0], "policy other differs on input r2.png"));
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 2, AS_SLOT_FINISHED), 1);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), 0);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
    result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_different, 1);
}

static void exclude_goes_on_without_the_policy_that_differs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "fewer", "good-3"), AS_ON_DIFFERENCE_EXCLUDE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 0);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 2, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void measure_times_the_policy_that_differs(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "barely"), AS_ON_DIFFERENCE_MEASURE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void a_difference_first_seen_in_the_rounds_counts(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "later"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_different, 1);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_reviews(e), 2);
    as_evidence_close(e);
}

static void a_baseline_that_contradicts_itself_is_different(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("moody", "good"), AS_ON_DIFFERENCE_STOP, 2);
    as_trial_result result = go(f);
    assert_int_equal(result.n_different, 1);
    assert_int_equal(result.state, AS_RUN_FINISHED);
}

static void one_call_of_every_policy_is_looked_at_before_the_rounds(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good=native,conv=direct", "other", "good-3"), AS_ON_DIFFERENCE_EXCLUDE,
          2);
    go(f);
    as_evidence *e = open_evidence(f);
    const as_profile_row *profiles;
    const as_route_row *routes;
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_profiles(e, &profiles, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2); /* what is excluded needs none */
    for (size_t i = 0; i < n; i++) {
        const as_slot_row *slot = &slots[profiles[i].slot];
        assert_int_equal(slot->phase, AS_PHASE_PROFILE);
        assert_int_equal(slot->n_calls, 1);
        assert_int_equal(profiles[i].call, 0);
        assert_non_null(strstr(profiles[i].trace, "\"direct\""));
    }
    assert_int_equal(as_evidence_routes(e, &routes, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 1);
    assert_string_equal(routes[0].setting, "conv=direct");
    assert_true(as_route_row_holds(&routes[0]));
    as_evidence_close(e);
}

static void another_route_than_the_policys_stops_the_run(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "otherway=native,winograd=off"), AS_ON_DIFFERENCE_MEASURE, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_int_equal(result.n_failed, 1);
    assert_false(result.is_unfit);
    assert_string_equal(f->notes[0], "policy otherway in the profile phase: winograd=off, but "
                                     "'winograd' ran 1 times");
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), 0);
    assert_string_equal(failed_slot(e)->error_code, "ASSAY_E_DIFFERENT");
    const as_profile_row *profiles;
    size_t n;
    assert_int_equal(as_evidence_profiles(e, &profiles, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2); /* what it ran by can be looked at */
    as_evidence_close(e);
    assert_int_equal(go(f).state, AS_RUN_STOPPED);
}

static void a_run_killed_behind_another_route_stays_stopped(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    as_trial_result result;
    begin(f, POLICIES("otherway=native,winograd=off", "good"), AS_ON_DIFFERENCE_STOP, 1);
    f->stop_after_steps = 2 * AS_SMOKE_CALLS + 1; /* behind the first profile */
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_INTERRUPTED);
    f->stop_after_steps = 0;
    assert_int_equal(go(f).state, AS_RUN_STOPPED);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 0);
    as_evidence_close(e);
}

static void a_worker_that_tells_no_trace_fails_its_policy_alone(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "untraced", "mute"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_failed, 1);
    as_evidence *e = open_evidence(f);
    assert_non_null(strstr(failed_slot(e)->error, "an end before its trace"));
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 2, AS_SLOT_FINISHED), N_ROUNDS);
    as_evidence_close(e);
}

static void an_interrupted_run_keeps_what_is_finished_and_goes_on(void **state)
{
    fixture *f = *state;
    assay_error err = {0};
    as_trial_result result;
    begin(f, POLICIES("good", "slow", "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    f->stop_after_steps =
        3 * AS_SMOKE_CALLS + 3 + N_CALLS + 5; /* amid the second formal slot */
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_INTERRUPTED);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slots;
    size_t n;
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 3 + 3 + 1);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_ROUNDS);
    as_evidence_close(e);
    f->stop_after_steps = 0;
    assert_int_equal(go(f).state, AS_RUN_FINISHED);
    e = open_evidence(f);
    for (int policy = 0; policy < 3; policy++) {
        assert_int_equal(count_slots(e, AS_PHASE_FORMAL, policy, AS_SLOT_FINISHED), N_ROUNDS);
        assert_int_equal(count_slots(e, AS_PHASE_SMOKE, policy, AS_SLOT_FINISHED), 1);
    }
    assert_each_call_once(e, 1);
    as_evidence_close(e);
}

static void a_second_experiment_on_the_same_run_is_refused(void **state)
{
    fixture *f = *state;
    char path[128];
    as_evidence_writer *writer;
    as_trial_result result;
    assay_error err = {0};
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    assert_int_equal(as_evidence_continue(path, &writer, NULL), ASSAY_OK);
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "another process"));
    as_evidence_writer_close(writer, NULL);
}

static const as_slot_row *slots_of(as_evidence *e, size_t *n)
{
    const as_slot_row *slots;
    assert_int_equal(as_evidence_slots(e, &slots, n, NULL), ASSAY_OK);
    return slots;
}

/* The run as `begin` makes it, with what a new one of these settings would have. */
static void begin_with(fixture *f, const char *const *names, as_noise_rule rule,
                       double budget_s)
{
    f->noise_rule = rule;
    f->budget_s = budget_s;
    begin(f, names, AS_ON_DIFFERENCE_STOP, 1);
}

static void a_dirty_round_is_told_and_counts_under_report(void **state)
{
    fixture *f = *state;
    begin_with(f, POLICIES("good", "dirty"), AS_NOISE_REPORT, 0);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_false(result.is_machine_unfit);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), N_ROUNDS);
    const as_noise_row *noise;
    size_t n;
    assert_int_equal(as_evidence_noise(e, &noise, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2 + 2 * N_ROUNDS);
    assert_true(noise[n - 1].noise.wall_s == 10);
    as_evidence_close(e);
}

static void a_dirty_round_is_run_again_in_its_place_and_both_are_kept(void **state)
{
    fixture *f = *state;
    f->n_rounds = 4; /* one of four may be run again */
    begin_with(f, POLICIES("once", "good"), AS_NOISE_RERUN, 0);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_false(result.is_machine_unfit);
    as_evidence *e = open_evidence(f);
    size_t n;
    const as_slot_row *slots = slots_of(e, &n);
    assert_int_equal(n, 2 + 2 + 2 * (4 + 1));
    for (size_t i = 0; i < 2; i++) { /* the first round, then the same again */
        const as_slot_row *first = &slots[4 + i], *again = &slots[6 + i];
        assert_true(first->round == 0 && first->repeat == 0);
        assert_true(again->round == 0 && again->repeat == 1);
        assert_true(again->policy == first->policy && again->position == first->position);
    }
    assert_string_equal(slots[6].log, "round1-once-again1.log");
    assert_non_null(
        strstr(f->notes[f->n_notes - 1], "round 1 is dirty (2 major faults): it is run again"));
    as_evidence_close(e);
}

static void too_many_dirty_rounds_make_the_machine_unfit(void **state)
{
    fixture *f = *state;
    f->n_rounds = 8;
    begin_with(f, POLICIES("good", "dirty"), AS_NOISE_RERUN, 0);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_STOPPED);
    assert_true(result.is_machine_unfit);
    as_evidence *e = open_evidence(f);
    const char *unfit = as_evidence_run(e)->unfit;
    assert_non_null(strstr(unfit, "round 1 is dirty (run delay 7.0 %), and 3 of 8 rounds"));
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 3);
    as_evidence_close(e);
    result = go(f); /* asked again it says the same, and runs nothing */
    assert_true(result.is_machine_unfit);
    e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 3);
    as_evidence_close(e);
}

static void a_throttled_machine_is_unfit_at_once(void **state)
{
    fixture *f = *state;
    begin_with(f, POLICIES("good", "throttled"), AS_NOISE_RERUN, 0);
    assert_true(go(f).is_machine_unfit);
    as_evidence *e = open_evidence(f);
    assert_non_null(strstr(as_evidence_run(e)->unfit, "its CPU quota stopped round 1"));
    as_evidence_close(e);
}

static void a_clock_that_breaks_too_often_makes_the_machine_unfit(void **state)
{
    fixture *f = *state;
    begin_with(f, POLICIES("good", "backclock"), AS_NOISE_REPORT, 0);
    as_trial_result result = go(f);
    assert_true(result.is_machine_unfit);
    assert_int_equal(result.n_failed, 0); /* no policy is to blame */
    as_evidence *e = open_evidence(f);
    assert_non_null(strstr(as_evidence_run(e)->unfit, "its clock is broken in 2 of 52 calls"));
    const as_sample_row *samples;
    size_t n, n_marked = 0;
    assert_int_equal(as_evidence_samples(e, &samples, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        n_marked += samples[i].clock == AS_CLOCK_NEGATIVE && samples[i].forward_ns == -1;
    assert_int_equal(n_marked, 2);
    as_evidence_close(e);
}

/* Undecided until so many rounds are there. */
static assay_code undecided(void *context, const char *run_folder, bool *out, assay_error *err)
{
    fixture *f = context;
    as_evidence *e = open_evidence(f);
    (void)run_folder;
    (void)err;
    f->n_looks++;
    *out = count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED) < (size_t)f->decided_at;
    as_evidence_close(e);
    return ASSAY_OK;
}

static void a_budget_doubles_the_rounds_until_something_is_decided(void **state)
{
    fixture *f = *state;
    f->control.undecided = undecided;
    f->control.undecided_context = f;
    f->n_rounds = 2;
    f->decided_at = 5;
    begin_with(f, POLICIES("good", "good-2"), AS_NOISE_REPORT, 600);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_false(result.is_undecided);
    assert_int_equal(f->n_looks, 3); /* after 2, 4 and 8 rounds */
    as_evidence *e = open_evidence(f);
    assert_int_equal(as_evidence_run(e)->n_rounds, 8);
    assert_int_equal(as_evidence_run(e)->n_bought, 2);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 8);
    const as_order_row *orders;
    size_t n;
    assert_int_equal(as_evidence_orders(e, &orders, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 16);
    for (size_t i = 0; i < n; i++)
        assert_true(orders[i].round == (int)i / 2 && orders[i].position == (int)i % 2);
    as_evidence_close(e);
}

static void a_spent_budget_ends_undecided(void **state)
{
    fixture *f = *state;
    f->control.undecided = undecided;
    f->control.undecided_context = f;
    f->decided_at = 1000000;
    begin_with(f, POLICIES("good", "slow"), AS_NOISE_REPORT, 1.2);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_true(result.is_undecided);
    assert_non_null(strstr(f->notes[f->n_notes - 1], "the budget is spent"));
    result = go(f); /* and says so again */
    assert_true(result.is_undecided);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    fake_worker = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(a_good_run_has_every_slot_in_its_place),
        TEST(snapshots_stand_around_the_smoke_phase_and_each_round),
        TEST(the_output_of_each_slot_is_kept_in_logs),
        TEST(a_duration_is_told_before_the_rounds),
        TEST(a_failing_baseline_ends_the_run_before_the_rounds),
        TEST(stop_does_not_start_the_rounds_when_boxes_differ),
        TEST(exclude_goes_on_without_the_policy_that_differs),
        TEST(measure_times_the_policy_that_differs),
        TEST(a_difference_first_seen_in_the_rounds_counts),
        TEST(a_baseline_that_contradicts_itself_is_different),
        TEST(one_call_of_every_policy_is_looked_at_before_the_rounds),
        TEST(another_route_than_the_policys_stops_the_run),
        TEST(a_run_killed_behind_another_route_stays_stopped),
        TEST(a_worker_that_tells_no_trace_fails_its_policy_alone),
        TEST(an_interrupted_run_keeps_what_is_finished_and_goes_on),
        TEST(a_second_experiment_on_the_same_run_is_refused),
        TEST(a_dirty_round_is_told_and_counts_under_report),
        TEST(a_dirty_round_is_run_again_in_its_place_and_both_are_kept),
        TEST(too_many_dirty_rounds_make_the_machine_unfit),
        TEST(a_throttled_machine_is_unfit_at_once),
        TEST(a_clock_that_breaks_too_often_makes_the_machine_unfit),
        TEST(a_budget_doubles_the_rounds_until_something_is_decided),
        TEST(a_spent_budget_ends_undecided),
    };
    return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
