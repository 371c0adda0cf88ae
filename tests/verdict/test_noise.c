/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict/noise.h"
#include "verdict/steady.h"

/* Ten seconds on a quiet machine, with all that is recorded and never a gate as bad as it gets. */
static as_noise quiet(void)
{
    return (as_noise){.wall_s = 10,
                      .cpu_s = 5,
                      .run_delay_s = 0.5,
                      .psi_cpu_s = 0.5,
                      .steal_ticks = 20,
                      .total_ticks = 1000,
                      .switches_wanted = 1000000,
                      .switches_forced = 1000000,
                      .probe_before = 3,
                      .probe_after = 1};
}

static bool is_dirty(as_noise noise, const char *words)
{
    as_dirt dirt = as_dirt_none();
    char text[200];
    as_dirt_add(&dirt, &noise);
    as_dirt_describe(&dirt, text, sizeof text);
    assert_string_equal(text, words);
    return as_dirt_is_dirty(&dirt);
}

static void a_level_at_its_gate_is_clean_and_above_it_dirty(void **state)
{
    (void)state;
    as_noise noise = quiet();
    assert_false(is_dirty(noise, ""));
    noise.steal_ticks = 21;
    assert_true(is_dirty(noise, "steal 2.1 %"));
    noise = quiet();
    noise.run_delay_s = 0.51;
    assert_true(is_dirty(noise, "run delay 5.1 %"));
    noise = quiet();
    noise.psi_cpu_s = 0.51;
    assert_true(is_dirty(noise, "CPU pressure 5.1 %"));
    noise = quiet();
    noise.major_faults = 1;
    noise.n_throttled = 1;
    assert_true(is_dirty(noise, "throttled (1 times), 1 major faults"));
}

static void what_is_unknown_is_not_dirty(void **state)
{
    (void)state;
    as_noise noise = {.wall_s = 10,
                      .cpu_s = NAN,
                      .run_delay_s = NAN,
                      .psi_cpu_s = NAN,
                      .steal_ticks = -1,
                      .total_ticks = -1,
                      .n_throttled = -1,
                      .major_faults = -1};
    assert_false(is_dirty(noise, ""));
    assert_true(isnan(as_noise_off_cpu_percent(&noise)));
}

static void of_a_round_counts_add_up_and_the_greatest_share_stays(void **state)
{
    (void)state;
    as_noise noise = quiet(), other = quiet();
    noise.major_faults = 2;
    other.major_faults = 3;
    other.run_delay_s = 0.2;
    as_dirt dirt = as_dirt_none();
    as_dirt_add(&dirt, &noise);
    as_dirt_add(&dirt, &other);
    assert_true(dirt.level[AS_DIRT_FAULTS] == 5);
    assert_true(fabs(dirt.level[AS_DIRT_DELAY] - 5) < 1e-9);
    assert_true(as_dirt_exceeds(&dirt, AS_DIRT_FAULTS));
    assert_false(as_dirt_exceeds(&dirt, AS_DIRT_DELAY));
}

static void time_off_the_cpu_is_told_in_per_cent(void **state)
{
    (void)state;
    as_noise noise = quiet();
    assert_true(fabs(as_noise_off_cpu_percent(&noise) - 50) < 1e-9);
    noise.cpu_s = 10.001; /* clocks that disagree a little */
    assert_true(as_noise_off_cpu_percent(&noise) == 0);
}

static size_t warm_up(const double *times)
{
    as_steady steady = {0};
    while (as_steady_goes_on(&steady))
        as_steady_add(&steady, times[steady.n_calls]);
    return steady.is_steady ? steady.n_calls : 0;
}

static void warm_up_ends_when_two_medians_of_five_agree(void **state)
{
    (void)state;
    const double warm[] = {50, 100, 100, 100, 100, 100.9, 100, 100.9, 100.9, 500};
    assert_int_equal(warm_up(warm), 10);
    const double cooling[] = {130, 130, 130, 130, 130, 110, 110,  110,  110,  110,
                              100, 100, 100, 100, 100, 99,  99.5, 99.5, 99.5, 99.5};
    assert_int_equal(warm_up(cooling), 20);
}

static void warm_up_gives_up_after_twenty_calls(void **state)
{
    (void)state;
    double times[20];
    for (int i = 0; i < 20; i++)
        times[i] = i / 5 % 2 ? 100 : 102;
    assert_int_equal(warm_up(times), 0);
    const double zeros[20] = {0};
    assert_int_equal(warm_up(zeros), 0); /* a clock that stands still is not steady */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_at_its_gate_is_clean_and_above_it_dirty),
        cmocka_unit_test(what_is_unknown_is_not_dirty),
        cmocka_unit_test(of_a_round_counts_add_up_and_the_greatest_share_stays),
        cmocka_unit_test(time_off_the_cpu_is_told_in_per_cent),
        cmocka_unit_test(warm_up_ends_when_two_medians_of_five_agree),
        cmocka_unit_test(warm_up_gives_up_after_twenty_calls),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
