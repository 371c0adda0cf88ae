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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(clock_counts_a_sleep_in_nanoseconds),
        cmocka_unit_test(thread_clock_does_not_count_a_sleep),
        cmocka_unit_test(label_is_utc_to_the_second),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
