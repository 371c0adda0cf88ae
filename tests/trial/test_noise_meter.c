/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/probe.h"
#include "saved_root.h"
#include "trial/noise_meter.h"

static void put_thread(const char *root, const char *place, const char *schedstat, int wanted,
                       int forced)
{
    char path[128], text[128];
    snprintf(path, sizeof path, "proc/%s/schedstat", place);
    root_put(root, path, schedstat);
    snprintf(path, sizeof path, "proc/%s/status", place);
    snprintf(text, sizeof text,
             "Name: x\nvoluntary_ctxt_switches: %d\nnonvoluntary_ctxt_switches: %d\n", wanted,
             forced);
    root_put(root, path, text);
}

static void put_faults(const char *root, const char *process, int faults)
{
    char path[64], text[128];
    snprintf(path, sizeof path, "proc/%s/stat", process);
    snprintf(text, sizeof text, "7 (a) b) S 1 1 1 0 -1 4194304 900 0 %d 0 5 5\n", faults);
    root_put(root, path, text);
}

static void put_machine(const char *root, int steal, int total, int psi_us, int throttled)
{
    char text[128];
    snprintf(text, sizeof text, "cpu  %d 0 0 0 0 0 0 %d 0 0\n", total - steal, steal);
    root_put(root, "proc/stat", text);
    snprintf(text, sizeof text, "some avg10=1.00 avg60=1 avg300=1 total=%d\n", psi_us);
    root_put(root, "proc/pressure/cpu", text);
    root_put(root, "proc/self/cgroup", "0::/\n");
    snprintf(text, sizeof text, "nr_throttled %d\nthrottled_usec 1\n", throttled);
    root_put(root, "sys/fs/cgroup/cpu.stat", text);
}

static as_noise_meter *new_meter(const char *root)
{
    as_noise_meter *meter;
    assay_error err = {0};
    if (as_noise_meter_new(root, &meter, &err)) fail_msg("%s", err.message);
    return meter;
}

static void growth_within_the_stretch_counts_and_nothing_before(void **state)
{
    const char *root = *state;
    as_noise noise;
    put_thread(root, "self/task/7", "1000000000 5000000 3\n", 10, 20);
    put_thread(root, "99/task/99", "4000000000 0 3\n", 1, 1);
    put_faults(root, "self", 100);
    put_faults(root, "99", 10);
    put_machine(root, 50, 1000, 7000000, 4);
    as_noise_meter *meter = new_meter(root);
    as_noise_meter_begin(meter, 99);
    put_thread(root, "self/task/7", "1250000000 9000000 4\n", 12, 25);
    put_thread(root, "99/task/99", "4750000000 30000000 4\n", 4, 1);
    put_faults(root, "self", 102);
    put_faults(root, "99", 11);
    put_machine(root, 53, 1100, 7250000, 6);
    as_noise_meter_end(meter, &noise);
    as_noise_meter_free(meter);
    assert_true(fabs(noise.cpu_s - 0.75) < 1e-9);       /* the adapter's thread was busiest */
    assert_true(fabs(noise.run_delay_s - 0.03) < 1e-9); /* and waited longest */
    assert_int_equal(noise.switches_wanted, 2 + 3);
    assert_int_equal(noise.switches_forced, 5);
    assert_int_equal(noise.major_faults, 3);
    assert_int_equal(noise.steal_ticks, 3);
    assert_int_equal(noise.total_ticks, 100);
    assert_int_equal(noise.n_throttled, 2);
    assert_true(fabs(noise.psi_cpu_s - 0.25) < 1e-9);
    assert_true(noise.wall_s > 0);
    assert_true(noise.probe_before > 0 && noise.probe_after > 0);
}

static void a_thread_that_ends_keeps_what_was_seen_of_it(void **state)
{
    const char *root = *state;
    as_noise noise;
    put_thread(root, "self/task/7", "0 0 0\n", 0, 0);
    as_noise_meter *meter = new_meter(root);
    as_noise_meter_begin(meter, 0);
    put_thread(root, "self/task/8", "600000000 20000000 1\n", 1, 1); /* new: all of it counts */
    as_noise_meter_look(meter);
    put_thread(root, "self/task/8", "100000000 0 1\n", 0, 0); /* its id given away again */
    as_noise_meter_end(meter, &noise);
    as_noise_meter_free(meter);
    assert_true(fabs(noise.cpu_s - 0.7) < 1e-9);
    assert_true(fabs(noise.run_delay_s - 0.02) < 1e-9);
}

static void what_the_kernel_does_not_tell_is_unknown(void **state)
{
    as_noise noise;
    as_noise_meter *meter = new_meter(*state);
    as_noise_meter_begin(meter, 0);
    as_noise_meter_end(meter, &noise);
    as_noise_meter_free(meter);
    assert_true(isnan(noise.cpu_s) && isnan(noise.run_delay_s) && isnan(noise.psi_cpu_s));
    assert_int_equal(noise.steal_ticks, -1);
    assert_int_equal(noise.n_throttled, -1);
    assert_int_equal(noise.major_faults, -1);
    assert_int_equal(noise.switches_wanted, -1);
}

/* On the machine as it is: a process that computes is seen to compute. */
static void work_is_seen_as_cpu_time(void **state)
{
    (void)state;
    as_noise noise;
    as_noise_meter *meter = new_meter("");
    as_noise_meter_begin(meter, 0);
    unsigned long sum = as_probe_run(3000000);
    as_noise_meter_end(meter, &noise);
    as_noise_meter_free(meter);
    assert_true(sum > 0);
    if (isnan(noise.cpu_s)) skip();
    assert_true(noise.cpu_s > 0 && noise.cpu_s < 1.1 * noise.wall_s + 0.02);
    assert_true(noise.run_delay_s >= 0);
    assert_true(noise.cycles == -1 || noise.cycles > 10000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_ROOT(growth_within_the_stretch_counts_and_nothing_before),
        TEST_IN_ROOT(a_thread_that_ends_keeps_what_was_seen_of_it),
        TEST_IN_ROOT(what_the_kernel_does_not_tell_is_unknown),
        TEST_IN_ROOT(work_is_seen_as_cpu_time),
    };
    return cmocka_run_group_tests_name("noise_meter", tests, NULL, NULL);
}
