/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void clock_never_goes_back(void **state)
{
    (void)state;
    int64_t last = as_clock_ns();
    for (int i = 0; i < 100000; i++) {
        int64_t now = as_clock_ns();
        assert_true(now >= last);
        last = now;
    }
}

static void clock_counts_a_sleep_in_nanoseconds(void **state)
{
    (void)state;
    struct timespec pause = {0, 20 * 1000 * 1000};
    int64_t begin_ns = as_clock_ns();
    nanosleep(&pause, NULL);
    /* nanosleep never returns early without a signal; raw and adjusted clocks part by < 0.1 %. */
    assert_true(as_clock_ns() - begin_ns > 19 * 1000 * 1000);
}

static void thread_clock_does_not_count_a_sleep(void **state)
{
    (void)state;
    struct timespec pause = {0, 50 * 1000 * 1000};
    int64_t begin_ns = as_clock_thread_ns();
    nanosleep(&pause, NULL);
    assert_true(as_clock_thread_ns() - begin_ns < 50 * 1000 * 1000);
}

static void label_is_utc_to_the_second(void **state)
{
    (void)state;
    char label[AS_CLOCK_LABEL];
    time_t before = time(NULL);
    as_clock_label(label);
    time_t after = time(NULL);
    struct tm parts = {0};
    const char *end = strptime(label, "%Y-%m-%dT%H:%M:%SZ", &parts);
    assert_non_null(end);
    assert_string_equal(end, "");
    time_t read = timegm(&parts);
    assert_true(before <= read && read <= after);
}

static void two_stamps_enclose_what_lies_between(void **state)
{
    (void)state;
    struct timespec pause = {0, 5 * 1000 * 1000};
    as_stamp begin = as_clock_stamp();
    nanosleep(&pause, NULL);
    as_stamp end = as_clock_stamp();
    assert_true(end.raw_ns - begin.raw_ns > 4900 * 1000);
    assert_true(begin.apart_ns >= 0 && end.apart_ns >= 0);
    assert_int_equal(as_clock_judge(&begin, &end, 1), AS_CLOCK_GOOD);
}

static void a_broken_clock_is_known_by_its_readings(void **state)
{
    (void)state;
    static const struct {
        int64_t raw_ns, mono_ns, resolution_ns;
        as_clock_fault fault;
    } cases[] = {
        {10000000, 10000000, 1, AS_CLOCK_GOOD},
        {10000000, 10005000, 1, AS_CLOCK_GOOD}, /* 500 ppm, as far as the kernel slews */
        {10000000, 9994000, 1, AS_CLOCK_DISAGREES},
        {10000000, 2010000000, 1, AS_CLOCK_DISAGREES},
        {-1, 10, 1, AS_CLOCK_NEGATIVE},
        {0, 0, 1, AS_CLOCK_COARSE},
        {99, 99, 1, AS_CLOCK_COARSE},
        {100, 100, 1, AS_CLOCK_GOOD},
        {500000000, 500000000, 10000000, AS_CLOCK_COARSE},
        {1000000000, 980000000, 10000000, AS_CLOCK_GOOD}, /* two steps of 10 ms */
        {1000000, 1000000, INT64_MAX, AS_CLOCK_COARSE},   /* it stands still */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_stamp begin = {.raw_ns = 5000000000, .mono_ns = 7000000000};
        as_stamp end = {.raw_ns = begin.raw_ns + cases[i].raw_ns,
                        .mono_ns = begin.mono_ns + cases[i].mono_ns};
        as_clock_fault fault = as_clock_judge(&begin, &end, cases[i].resolution_ns);
        if (fault != cases[i].fault)
            fail_msg("case %zu is %s, not %s", i, as_clock_fault_name(fault),
                     as_clock_fault_name(cases[i].fault));
    }
}

static void readings_that_are_far_apart_prove_nothing(void **state)
{
    (void)state;
    as_stamp begin = {.apart_ns = 3000000}, end = {.raw_ns = 10000000, .mono_ns = 12000000};
    assert_int_equal(as_clock_judge(&begin, &end, 1), AS_CLOCK_GOOD);
    begin.apart_ns = 0;
    assert_int_equal(as_clock_judge(&begin, &end, 1), AS_CLOCK_DISAGREES);
    end = (as_stamp){.raw_ns = 10000000, .mono_ns = 10000000, .went_back = true};
    assert_int_equal(as_clock_judge(&begin, &end, 1), AS_CLOCK_NEGATIVE);
}

static void the_clock_steps_by_less_than_a_millisecond(void **state)
{
    (void)state;
    int64_t step_ns = as_clock_resolution_ns();
    assert_true(step_ns > 0 && step_ns < 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(clock_counts_a_sleep_in_nanoseconds),
        cmocka_unit_test(thread_clock_does_not_count_a_sleep),
        cmocka_unit_test(label_is_utc_to_the_second),
        cmocka_unit_test(two_stamps_enclose_what_lies_between),
        cmocka_unit_test(a_broken_clock_is_known_by_its_readings),
        cmocka_unit_test(readings_that_are_far_apart_prove_nothing),
        cmocka_unit_test(the_clock_steps_by_less_than_a_millisecond),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
