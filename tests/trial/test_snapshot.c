/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "saved_root.h"
#include "trial/cgroup.h"
#include "trial/memory_sample.h"
#include "trial/snapshot.h"

static void memory_is_read_as_the_kernel_writes_it(void **state)
{
    const char *root = *state;
    as_memory_sample sample;
    root_put(root, "proc/self/smaps_rollup",
             "00400000-7fff00000000 ---p 00000000 00:00 0    [rollup]\n"
             "Rss:                1000 kB\nPss:                 700 kB\nPss_Dirty:  5 kB\n"
             "Shared_Clean:        400 kB\nPrivate_Clean:       100 kB\n"
             "Private_Dirty:       500 kB\nSwap: 0 kB\n");
    root_put(root, "proc/self/status", "Name:\tassay\nVmHWM:\t    2000 kB\nVmRSS:\t 999 kB\n");
    root_put(root, "proc/meminfo",
             "MemTotal: 8000 kB\nSwapTotal:  500 kB\nSwapFree:  200 kB\n");
    as_memory_sample_take(root, 0, &sample);
    assert_int_equal(sample.rss_bytes, 1000 * 1024);
    assert_int_equal(sample.pss_bytes, 700 * 1024);
    assert_int_equal(sample.uss_bytes, 600 * 1024);
    assert_int_equal(sample.peak_rss_bytes, 2000 * 1024);
    assert_int_equal(sample.swap_used_bytes, 300 * 1024);
}

static void memory_that_is_not_told_is_minus_one(void **state)
{
    const char *root = *state;
    as_memory_sample sample;
    root_put(root, "proc/42/status", "VmRSS:\t 999 kB\n");
    as_memory_sample_take(root, 42, &sample);
    assert_int_equal(sample.rss_bytes, 999 * 1024);
    assert_int_equal(sample.pss_bytes, -1);
    assert_int_equal(sample.uss_bytes, -1);
    assert_int_equal(sample.peak_rss_bytes, -1);
    assert_int_equal(sample.swap_used_bytes, -1);
}

static void memory_of_this_process_grows_with_what_it_touches(void **state)
{
    (void)state;
    enum { GROWN = 64 << 20 };
    as_memory_sample before, after;
    as_memory_sample_take("", 0, &before);
    unsigned char *block = malloc(GROWN);
    assert_non_null(block);
    memset(block, 7, GROWN);
    as_memory_sample_take("", 0, &after);
    assert_int_equal(block[GROWN - 1], 7);
    free(block);
    assert_true(after.rss_bytes - before.rss_bytes > GROWN * 3 / 4);
    assert_true(after.peak_rss_bytes >= after.rss_bytes * 3 / 4);
}

static void throttling_of_version_2_is_summed_over_the_ancestors(void **state)
{
    const char *root = *state;
    root_put(root, "proc/self/cgroup", "0::/a/b\n");
    root_put(root, "sys/fs/cgroup/a/b/cpu.stat",
             "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1500\n");
    root_put(root, "sys/fs/cgroup/a/cpu.stat", "nr_throttled 4\nthrottled_usec 500\n");
    as_throttling seen = as_throttling_read(root);
    assert_int_equal(seen.n_throttled, 7);
    assert_int_equal(seen.throttled_us, 2000);
}

static void throttling_of_version_1_is_in_nanoseconds(void **state)
{
    const char *root = *state;
    root_put(root, "proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/a\n1:name=systemd:/y\n");
    root_put(root, "sys/fs/cgroup/cpu,cpuacct/a/cpu.stat",
             "nr_periods 9\nnr_throttled 2\nthrottled_time 7000000\n");
    as_throttling seen = as_throttling_read(root);
    assert_int_equal(seen.n_throttled, 2);
    assert_int_equal(seen.throttled_us, 7000);
}

static void throttling_without_a_group_is_unknown(void **state)
{
    as_throttling seen = as_throttling_read(*state);
    assert_int_equal(seen.n_throttled, -1);
    root_put(*state, "proc/self/cgroup", "0::/\n");
    seen = as_throttling_read(*state);
    assert_int_equal(seen.throttled_us, -1);
}

static void the_machine_is_read_as_the_kernel_writes_it(void **state)
{
    const char *root = *state;
    as_snapshot s;
    root_put(root, "proc/loadavg", "0.50 1.25 3.00 2/345 6789\n");
    root_put(root, "proc/pressure/cpu",
             "some avg10=12.50 avg60=3.00 avg300=1.00 total=987654\nfull avg10=0.00 total=0\n");
    root_put(root, "proc/stat", "cpu  10 20 30 40 50 60 70 80 5 6\ncpu0 1 2 3 4 5 6 7 8 0 0\n");
    assert_int_equal(as_snapshot_take(root, 0.001, &s, NULL), ASSAY_OK);
    assert_true(s.load_1 == 0.5 && s.load_5 == 1.25 && s.load_15 == 3);
    assert_true(s.psi_cpu_avg10 == 12.5);
    assert_int_equal(s.psi_cpu_total_us, 987654);
    assert_int_equal(s.steal_ticks, 80);
    assert_int_equal(s.total_ticks, 360);
    assert_int_equal(s.n_throttled, -1);
    assert_int_equal(s.n_processes, 0);
}

static void what_is_not_told_is_unknown(void **state)
{
    as_snapshot s;
    assert_int_equal(as_snapshot_take(*state, 0.001, &s, NULL), ASSAY_OK);
    assert_true(isnan(s.load_1) && isnan(s.psi_cpu_avg10));
    assert_int_equal(s.psi_cpu_total_us, -1);
    assert_int_equal(s.steal_ticks, -1);
    assert_int_equal(s.swap_used_bytes, -1);
}

static void a_busy_process_is_among_the_busiest(void **state)
{
    (void)state;
    as_snapshot s;
    pid_t busy = fork();
    if (busy == 0)
        for (;;)
            continue;
    assert_int_equal(as_snapshot_take("", 0.5, &s, NULL), ASSAY_OK);
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    bool is_seen = false;
    for (size_t i = 0; i < s.n_processes; i++) {
        assert_int_not_equal(s.processes[i].pid, getpid());
        assert_true(i == 0 || s.processes[i].cpu_percent <= s.processes[i - 1].cpu_percent);
        if (s.processes[i].pid != busy) continue;
        is_seen = true;
        assert_true(s.processes[i].cpu_percent > 0 && s.processes[i].rss_bytes > 0);
    }
    assert_true(is_seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_ROOT(memory_is_read_as_the_kernel_writes_it),
        TEST_IN_ROOT(memory_that_is_not_told_is_minus_one),
        cmocka_unit_test(memory_of_this_process_grows_with_what_it_touches),
        TEST_IN_ROOT(throttling_of_version_2_is_summed_over_the_ancestors),
        TEST_IN_ROOT(throttling_of_version_1_is_in_nanoseconds),
        TEST_IN_ROOT(throttling_without_a_group_is_unknown),
        TEST_IN_ROOT(the_machine_is_read_as_the_kernel_writes_it),
        TEST_IN_ROOT(what_is_not_told_is_unknown),
        cmocka_unit_test(a_busy_process_is_among_the_busiest),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
