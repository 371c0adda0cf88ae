/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An experiment whose process is killed at random moments: nothing is lost, nothing is doubled.
 *
 *     test_trial_kills FAKE_WORKER [KILLS]     default 12 kills, in as many runs as they take
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/random.h"
#include "fake_run.h"

enum { N_POLICIES = 3, KILLS = 12 };
static int n_wanted = KILLS;

/* Kill the run after so long, unless it has ended. @return whether it was killed. */
static bool go_and_kill(fixture *f, long after_ms)
{
    int status;
    struct timespec wait = {after_ms / 1000, after_ms % 1000 * 1000000L};
    pid_t child = fork();
    if (child == 0) {
        assay_error err = {0};
        as_trial_result result;
        _exit(as_trial_go(f->folder, &f->control, &result, &err) ? 1 : 0);
    }
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* What a killed run leaves can be gone on with, and holds whole slots alone. @return how many. */
static size_t slots_left(const fixture *f)
{
    char path[128];
    as_evidence_writer *writer;
    assay_error err = {0};
    const as_slot_row *slots;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", f->folder, AS_EVIDENCE_FILE);
    if (as_evidence_continue(path, &writer, &err)) fail_msg("%s", err.message);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_evidence(f);
    assert_int_equal(as_evidence_slots(e, &slots, &n, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(slots[i].state, AS_SLOT_FINISHED);
    assert_each_call_once(e, 1);
    as_evidence_close(e);
    return n;
}

static void assert_done(const fixture *f)
{
    as_names names;
    as_evidence *e = open_evidence(f);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    for (int policy = 0; policy < N_POLICIES; policy++)
        assert_int_equal(count_slots(e, AS_PHASE_FORMAL, policy, AS_SLOT_FINISHED), N_ROUNDS);
    assert_each_call_once(e, 1);
    as_evidence_close(e);
    assert_int_equal(as_folder_list(f->folder, &names, NULL), ASSAY_OK);
    for (size_t i = 0; i < names.n; i++)
        assert_null(strstr(names.items[i], "journal"));
    as_names_free(&names);
}

/* One run, killed until the count is reached or it has ended; then to its end. */
static int kill_one_run(uint64_t *random, int n_left)
{
    void *state = NULL;
    int n_kills = 0;
    size_t n_slots = 0;
    assert_int_equal(setup(&state), 0);
    fixture *f = state;
    begin(f, POLICIES("slow", "slow-2", "slow-3"), AS_ON_DIFFERENCE_STOP, 1);
    while (n_kills < n_left && go_and_kill(f, 1 + (long)(as_random_next(random) % 220))) {
        size_t n = slots_left(f);
        assert_true(n >= n_slots);
        n_slots = n;
        n_kills++;
    }
    go(f);
    assert_done(f);
    assert_int_equal(teardown(&state), 0);
    return n_kills;
}

static void a_run_killed_anywhere_ends_with_every_call_once(void **state)
{
    (void)state;
    uint64_t random = 20260918;
    int n_kills = 0, n_runs = 0;
    while (n_kills < n_wanted) {
        n_kills += kill_one_run(&random, n_wanted - n_kills);
        n_runs++;
    }
    print_message("%d kills in %d runs\n", n_kills, n_runs);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    fake_worker = argv[1];
    if (argc > 2) n_wanted = atoi(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_killed_anywhere_ends_with_every_call_once),
    };
    return cmocka_run_group_tests_name("kills", tests, NULL, NULL);
}
