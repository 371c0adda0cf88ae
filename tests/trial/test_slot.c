/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that misbehave (fake_worker.c); its path is this program's argument. */
#include "fake_run.h"

/* Policy 1 fails in its first formal slot: the sentence holds `words`, the others are whole. */
static void assert_second_fails(fixture *f, const char *name, const char *words, assay_code why)
{
    begin(f, POLICIES("good", name, "good-3"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    assert_int_equal(result.n_failed, 1);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slot = failed_slot(e);
    if (!strstr(slot->error, words)) fail_msg("'%s' lacks '%s'", slot->error, words);
    assert_string_equal(slot->error_code, assay_code_name(why));
    assert_int_equal(slot->policy, 1);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 2, AS_SLOT_FINISHED), N_ROUNDS);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 1, AS_SLOT_FINISHED), 0);
    assert_each_call_once(e, 1);
    as_evidence_close(e);
}

static void a_crash_is_recorded_and_the_others_go_on(void **state)
{
    assert_second_fails(*state, "crash", "crashed: signal 11", ASSAY_E_CHILD);
    as_evidence *e = open_evidence(*state);
    const as_slot_row *slot = failed_slot(e);
    assert_int_equal(slot->n_calls, 3);
    assert_string_equal(slot->log, "round1-crash.log");
    as_evidence_close(e);
}

static void a_worker_that_the_system_killed_says_why_that_may_be(void **state)
{
    assert_second_fails(*state, "oomkilled",
                        "signal 9 (Killed), as the system kills where memory", ASSAY_E_CHILD);
}

static void a_worker_without_memory_fails_its_policy_alone(void **state)
{
    assert_second_fails(*state, "nomemory", "no memory for 9 boxes", ASSAY_E_MEMORY);
}

static void a_hang_is_ended_by_the_slot_timeout(void **state)
{
    assert_second_fails(*state, "hang", "hung after 3 of 14 calls", ASSAY_E_CHILD);
}

static void a_truncated_stream_is_a_crash(void **state)
{
    assert_second_fails(*state, "truncate", "no event", ASSAY_E_CHILD);
}

static void an_early_end_is_a_crash_whatever_its_status(void **state)
{
    assert_second_fails(*state, "early", "exit status 0 after 3 of 14 calls", ASSAY_E_CHILD);
}

static void a_bad_exit_status_after_all_calls_is_a_failure(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "sulky"), AS_ON_DIFFERENCE_STOP, 1);
    assert_int_equal(go(f).n_failed, 1);
    as_evidence *e = open_evidence(f);
    assert_non_null(
        strstr(failed_slot(e)->error, "exit status 9 after 12 of 12 calls and its"));
    as_evidence_close(e);
}

static void garbage_is_named_and_fails(void **state)
{
    assert_second_fails(*state, "garbage", "'lalala', which is no event", ASSAY_E_CHILD);
}

static void a_worker_that_never_speaks_fails(void **state)
{
    assert_second_fails(*state, "hardware", "exit status 7 after 0 of 14", ASSAY_E_CHILD);
}

/* Policy 1 fails in the smoke phase already, with `words` in its sentence. */
static void assert_smoke_fails(fixture *f, const char *name, const char *words)
{
    begin(f, POLICIES("good", name), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.n_failed, 1);
    assert_int_equal(result.n_different, 0);
    assert_int_equal(result.state, AS_RUN_FINISHED);
    as_evidence *e = open_evidence(f);
    const as_slot_row *slot = failed_slot(e);
    if (!strstr(slot->error, words)) fail_msg("'%s' lacks '%s'", slot->error, words);
    assert_int_equal(count_slots(e, AS_PHASE_FORMAL, 0, AS_SLOT_FINISHED), N_ROUNDS);
    as_evidence_close(e);
}

static void a_call_of_another_shape_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "reshape", "saw call c2 as 2x3x33x64, it is 2x3x32x64");
}

static void pieces_that_leave_inputs_out_are_not_believed(void **state)
{
    assert_smoke_fails(*state, "halfpiece", "pieces of 1 inputs, the call has 2");
}

static void a_call_told_twice_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "twice", "call 2 of cycle 0 where 3 of 0 has its turn");
}

static void a_negative_time_is_not_believed(void **state)
{
    assert_smoke_fails(*state, "backwards", "missing or negative");
}

static void a_model_loaded_twice_fails(void **state)
{
    assert_smoke_fails(*state, "reload", "loaded the model 2 times");
}

static void a_workers_own_error_keeps_its_sentence(void **state)
{
    assert_smoke_fails(*state, "broken",
                       "policy broken in the smoke phase: call c3: threads is 1, 2 is needed");
}

static void a_broken_assertion_on_the_environment_is_unfit(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good", "unfit"), AS_ON_DIFFERENCE_STOP, 1);
    as_trial_result result = go(f);
    assert_int_equal(result.n_failed, 1);
    assert_true(result.is_unfit);
}

static void a_program_that_does_not_exist_is_no_policys_fault(void **state)
{
    fixture *f = *state;
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, 1);
    f->worker_argv[0] = "/nowhere/assay";
    as_trial_result result;
    assay_error err = {0};
    assert_int_equal(as_trial_go(f->folder, &f->control, &result, &err), ASSAY_E_NOT_FOUND);
    as_evidence *e = open_evidence(f);
    assert_int_equal(count_slots(e, AS_PHASE_SMOKE, 0, AS_SLOT_FAILED), 0);
    as_evidence_close(e);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    fake_worker = argv[1];
    const struct CMUnitTest tests[] = {
        TEST(a_crash_is_recorded_and_the_others_go_on),
        TEST(a_worker_that_the_system_killed_says_why_that_may_be),
        TEST(a_worker_without_memory_fails_its_policy_alone),
        TEST(a_hang_is_ended_by_the_slot_timeout),
        TEST(a_truncated_stream_is_a_crash),
        TEST(an_early_end_is_a_crash_whatever_its_status),
        TEST(a_bad_exit_status_after_all_calls_is_a_failure),
        TEST(garbage_is_named_and_fails),
        TEST(a_worker_that_never_speaks_fails),
        TEST(a_call_of_another_shape_is_not_believed),
        TEST(pieces_that_leave_inputs_out_are_not_believed),
        TEST(a_call_told_twice_is_not_believed),
        TEST(a_negative_time_is_not_believed),
        TEST(a_model_loaded_twice_fails),
        TEST(a_workers_own_error_keeps_its_sentence),
        TEST(a_broken_assertion_on_the_environment_is_unfit),
        TEST(a_program_that_does_not_exist_is_no_policys_fault),
    };
    return cmocka_run_group_tests_name("slot", tests, NULL, NULL);
}
