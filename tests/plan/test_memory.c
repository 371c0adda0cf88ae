/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/size.h"
#include "plan/memory.h"

static uint32_t next(uint32_t *state) { return *state = *state * 1664525U + 1013904223U; }

static int is_apart(const as_live_range *a, const as_live_range *b)
{
    if (a->last < b->first || b->last < a->first) return 1;
    return a->offset + a->n_floats <= b->offset || b->offset + b->n_floats <= a->offset;
}

static void ranges_that_overlap_in_time_never_overlap_in_space(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int trial = 0; trial < 300; trial++) {
        as_live_range ranges[41] = {0};
        size_t total = 0, sum = 0;
        for (size_t i = 0; i < 41; i++) {
            ranges[i].n_floats = (next(&seed) >> 16) % 997;
            ranges[i].first = (int)((next(&seed) >> 16) % 29);
            ranges[i].last = ranges[i].first + (int)((next(&seed) >> 16) % 7);
            sum += as_round_up(ranges[i].n_floats, 16);
        }
        assert_int_equal(as_memory_layout(ranges, 41, &total, NULL), ASSAY_OK);
        assert_true(total <= sum);
        for (size_t i = 0; i < 41; i++) {
            assert_int_equal(ranges[i].offset % 16, 0);
            assert_true(ranges[i].offset + ranges[i].n_floats <= total);
            for (size_t j = 0; j < i; j++)
                assert_true(is_apart(&ranges[i], &ranges[j]) || !ranges[i].n_floats ||
                            !ranges[j].n_floats);
        }
    }
}

static void a_chain_needs_room_for_two_neighbours_alone(void **state)
{
    (void)state;
    as_live_range chain[5] = {
        {64, 0, 1, 0}, {64, 1, 2, 0}, {64, 2, 3, 0}, {64, 3, 4, 0}, {64, 4, 5, 0}};
    size_t total = 0;
    assert_int_equal(as_memory_layout(chain, 5, &total, NULL), ASSAY_OK);
    assert_int_equal(total, 128);
}

static void sizes_beyond_all_memory_are_refused_with_a_sentence(void **state)
{
    (void)state;
    as_live_range huge[2] = {{SIZE_MAX / 2, 0, 1, 0}, {SIZE_MAX / 2 + 9, 0, 1, 0}};
    size_t total = 1;
    assay_error err = {0};
    assert_int_equal(as_memory_layout(huge, 2, &total, &err), ASSAY_E_MEMORY);
    assert_string_equal(err.message, "the tensors of a plan exceed all memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_that_overlap_in_time_never_overlap_in_space),
        cmocka_unit_test(a_chain_needs_room_for_two_neighbours_alone),
        cmocka_unit_test(sizes_beyond_all_memory_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
