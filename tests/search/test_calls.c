/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "search/calls.h"

static size_t choose(as_corpus_call *calls, size_t n, as_search_call *chosen, double *share)
{
    as_corpus corpus = {.calls = calls, .n_calls = n};
    return as_calls_choose(&corpus, chosen, share);
}

static void shapes_are_weighed_by_their_calls_and_pixels(void **state)
{
    (void)state;
    as_corpus_call calls[] = {
        {.n = 1, .h = 64, .w = 64},                               /* 1 x 4096 */
        {.n = 2, .h = 32, .w = 32},                               /* 3 x 2048 */
        {.n = 2, .h = 32, .w = 32}, {.n = 1, .h = 320, .w = 320}, /* 102400 */
        {.n = 2, .h = 32, .w = 32}, {.n = 16, .h = 64, .w = 96},  /* 98304 */
    };
    as_search_call chosen[AS_SEARCH_CALLS];
    double share;
    assert_int_equal(choose(calls, AS_COUNT_OF(calls), chosen, &share), 2);
    assert_int_equal(chosen[0].call, 3);
    assert_int_equal(chosen[1].call, 5);
    assert_true(share > 0.95 && share < 0.96);
    assert_true(chosen[0].share > chosen[1].share);
}

static void equal_shapes_are_one_with_their_number(void **state)
{
    (void)state;
    as_corpus_call calls[] = {
        {.n = 1, .h = 32, .w = 64}, {.n = 1, .h = 64, .w = 32}, {.n = 1, .h = 32, .w = 64}};
    as_search_call chosen[AS_SEARCH_CALLS];
    double share;
    assert_int_equal(choose(calls, 3, chosen, &share), 2);
    assert_int_equal(chosen[0].call, 0);
    assert_int_equal(chosen[0].n_calls, 2);
    assert_int_equal(chosen[1].n_calls, 1);
    assert_true(share == 1.0);
}

static void at_most_four_shapes_are_measured_and_equal_shares_keep_their_order(void **state)
{
    (void)state;
    as_corpus_call calls[9];
    for (int i = 0; i < 9; i++)
        calls[i] = (as_corpus_call){.n = 1, .h = 32 * (i + 1), .w = 32 * 2520 / (i + 1)};
    as_search_call chosen[AS_SEARCH_CALLS];
    double share;
    assert_int_equal(choose(calls, 9, chosen, &share), AS_SEARCH_CALLS);
    for (size_t i = 0; i < AS_SEARCH_CALLS; i++)
        assert_int_equal(chosen[i].call, i);
    assert_int_equal(choose(calls, 0, chosen, &share), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_weighed_by_their_calls_and_pixels),
        cmocka_unit_test(equal_shapes_are_one_with_their_number),
        cmocka_unit_test(at_most_four_shapes_are_measured_and_equal_shares_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
