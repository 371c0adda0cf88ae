/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trial/order.h"

enum { MAX_K = 9, MAX_ROUNDS = 36 };

static void fill(as_order_kind kind, size_t k, size_t n_rounds, int64_t seed,
                 int order[MAX_ROUNDS][MAX_K])
{
    as_order_row rows[MAX_ROUNDS * MAX_K];
    assay_error err = {0};
    if (as_order_fill(kind, k, n_rounds, seed, rows, &err)) fail_msg("%s", err.message);
    for (size_t i = 0; i < n_rounds * k; i++) {
        assert_int_equal(rows[i].round, i / k);
        assert_int_equal(rows[i].position, i % k);
        order[rows[i].round][rows[i].position] = rows[i].policy;
    }
}

static void latin_row_r_is_the_list_rotated_right_r_times(void **state)
{
    (void)state;
    int order[MAX_ROUNDS][MAX_K];
    const int expected[4][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {0, 1, 2}};
    fill(AS_ORDER_LATIN, 3, 4, 7, order);
    for (int r = 0; r < 4; r++)
        assert_memory_equal(order[r], expected[r], sizeof expected[r]);
}

static void every_round_has_every_policy_once(void **state)
{
    (void)state;
    int order[MAX_ROUNDS][MAX_K];
    for (int kind = 0; kind < 2; kind++)
        for (size_t k = 1; k <= MAX_K; k++) {
            size_t n = as_order_design_rounds((as_order_kind)kind, k);
            fill((as_order_kind)kind, k, n, 3, order);
            for (size_t r = 0; r < n; r++) {
                unsigned seen = 0;
                for (size_t i = 0; i < k; i++)
                    seen |= 1u << order[r][i];
                assert_int_equal(seen, (1u << k) - 1);
            }
        }
}

static void every_place_has_every_policy_equally_often(void **state)
{
    (void)state;
    int order[MAX_ROUNDS][MAX_K];
    for (int kind = 0; kind < 2; kind++)
        for (size_t k = 2; k <= MAX_K; k++) {
            size_t n = as_order_design_rounds((as_order_kind)kind, k);
            int count[MAX_K][MAX_K] = {{0}};
            fill((as_order_kind)kind, k, n, 3, order);
            for (size_t r = 0; r < n; r++)
                for (size_t i = 0; i < k; i++)
                    count[i][order[r][i]]++;
            for (size_t i = 0; i < k; i++)
                for (size_t p = 0; p < k; p++)
                    assert_int_equal(count[i][p], n / k);
        }
}

static void williams_has_every_ordered_pair_adjacent_equally_often(void **state)
{
    (void)state;
    int order[MAX_ROUNDS][MAX_K];
    for (size_t k = 2; k <= MAX_K; k++) {
        size_t n = as_order_design_rounds(AS_ORDER_WILLIAMS, k);
        int count[MAX_K][MAX_K] = {{0}};
        fill(AS_ORDER_WILLIAMS, k, n, 11, order);
        for (size_t r = 0; r < n; r++)
            for (size_t i = 1; i < k; i++)
                count[order[r][i - 1]][order[r][i]]++;
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                assert_int_equal(count[a][b], a == b ? 0 : k % 2 ? 2 : 1);
    }
}

static void williams_rows_of_four_are_the_documented_ones(void **state)
{
    (void)state;
    int order[MAX_ROUNDS][MAX_K];
    const int expected[4][4] = {{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}};
    int found = 0;
    fill(AS_ORDER_WILLIAMS, 4, 4, 5, order);
    for (int r = 0; r < 4; r++)
        for (int e = 0; e < 4; e++)
            found += memcmp(order[r], expected[e], sizeof expected[e]) == 0;
    assert_int_equal(found, 4);
}

static void same_seed_gives_the_same_order_and_another_seed_another(void **state)
{
    (void)state;
    int a[MAX_ROUNDS][MAX_K], b[MAX_ROUNDS][MAX_K], c[MAX_ROUNDS][MAX_K];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    fill(AS_ORDER_WILLIAMS, 6, 12, 42, a);
    fill(AS_ORDER_WILLIAMS, 6, 12, 42, b);
    fill(AS_ORDER_WILLIAMS, 6, 12, 43, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

static void williams_refuses_part_of_a_design(void **state)
{
    (void)state;
    as_order_row rows[MAX_ROUNDS * MAX_K];
    assay_error err = {0};
    assert_int_equal(as_order_fill(AS_ORDER_WILLIAMS, 3, 3, 1, rows, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "3 rounds are no multiple of 6, the rows of the williams "
                                     "design for 3 policies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latin_row_r_is_the_list_rotated_right_r_times),
        cmocka_unit_test(every_round_has_every_policy_once),
        cmocka_unit_test(every_place_has_every_policy_equally_often),
        cmocka_unit_test(williams_has_every_ordered_pair_adjacent_equally_often),
        cmocka_unit_test(williams_rows_of_four_are_the_documented_ones),
        cmocka_unit_test(same_seed_gives_the_same_order_and_another_seed_another),
        cmocka_unit_test(williams_refuses_part_of_a_design),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
