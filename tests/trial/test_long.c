/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of many calls over a fake worker: what the experiment and the report hold in memory does not
 * grow with the run.
 *
 *     test_trial_long FAKE_WORKER [CALLS]     a run of so many calls, told in seconds and bytes
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "fake_run.h"
#include "report/report.h"

enum { SHORT_CALLS = N_ROUNDS * N_CALLS * 10, LONG_CALLS = 120 * SHORT_CALLS };
static size_t n_asked; /* of the command line */

/* Peak bytes and seconds of a part of a run, in a process of its own with its children. */
typedef struct cost {
    size_t peak_bytes;
    double seconds, cpu_s;
} cost;

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static cost cost_of(fixture *f, assay_code (*part)(fixture *f))
{
    struct rusage usage;
    int status;
    int64_t begin_ns = as_clock_ns();
    pid_t child = fork();
    if (child == 0) _exit(part(f) == ASSAY_OK ? 0 : 1);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (cost){(size_t)usage.ru_maxrss * 1024, (double)(as_clock_ns() - begin_ns) * 1e-9,
                  seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

static assay_code run_all(fixture *f)
{
    as_trial_result result;
    assay_error err = {0};
    assay_code code = as_trial_go(f->folder, &f->control, &result, &err);
    if (code) fprintf(stderr, "%s\n", err.message);
    return code;
}

static assay_code report_all(fixture *f)
{
    as_report *report;
    assay_error err = {0};
    assay_code code = as_report_open(f->folder, &report, &err);
    if (!code) code = as_report_write_files(report, &err);
    if (code) fprintf(stderr, "%s\n", err.message);
    as_report_close(report);
    return code;
}

/* Run and report about `n_calls` calls in three slots. */
static void measure(size_t n_calls, cost *run, cost *report)
{
    void *state = NULL;
    assert_int_equal(setup(&state), 0);
    fixture *f = state;
    f->slot_timeout_s = 0;
    begin(f, POLICIES("good"), AS_ON_DIFFERENCE_STOP, (int)(n_calls / (N_ROUNDS * N_CALLS)));
    *run = cost_of(f, run_all);
    *report = cost_of(f, report_all);
    as_evidence *e = open_evidence(f);
    size_t n = as_evidence_count_samples(e);
    assert_true(n + N_ROUNDS * N_CALLS >= n_calls);
    as_evidence_close(e);
    print_message("%zu calls: run %.1f s (%.1f s of CPU), %.1f MB; report %.2f s (%.2f s of "
                  "CPU), %.1f MB\n",
                  n, run->seconds, run->cpu_s, (double)run->peak_bytes / 1e6, report->seconds,
                  report->cpu_s, (double)report->peak_bytes / 1e6);
    assert_int_equal(teardown(&state), 0);
}

static void memory_does_not_grow_with_the_calls_of_a_run(void **state)
{
    (void)state;
    cost run[2], report[2];
    measure(SHORT_CALLS, &run[0], &report[0]);
    measure(n_asked ? n_asked : LONG_CALLS, &run[1], &report[1]);
    /* What waits in memory before it is passed on, and SQLite's caches. */
    const size_t most = (size_t)12 << 20;
    assert_true(run[1].peak_bytes < run[0].peak_bytes + most);
    assert_true(report[1].peak_bytes < report[0].peak_bytes + most);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    fake_worker = argv[1];
    n_asked = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow_with_the_calls_of_a_run),
    };
    return cmocka_run_group_tests_name("long", tests, NULL, NULL);
}
