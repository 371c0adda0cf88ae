/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

/* The first numbers of the stream from 1234567, as the authors' program gives them. */
static void the_stream_is_splitmix64(void **state)
{
    (void)state;
    uint64_t random = 1234567;
    assert_true(as_random_next(&random) == UINT64_C(6457827717110365317));
    assert_true(as_random_next(&random) == UINT64_C(3203168211198807973));
    assert_true(as_random_next(&random) == UINT64_C(9817491932198370423));
}

static void streams_of_a_seed_begin_at_its_numbers_and_do_not_follow_one_another(void **state)
{
    (void)state;
    enum { N = 1000 };
    assert_true(as_random_stream(1234567, 0) == UINT64_C(6457827717110365317));
    assert_true(as_random_stream(1234567, 2) == UINT64_C(9817491932198370423));
    uint64_t a = as_random_stream(1, 0), b = as_random_stream(1, 1);
    size_t n_equal_bits = 0;
    for (size_t i = 0; i < N; i++)
        n_equal_bits += !((as_random_next(&a) ^ as_random_next(&b)) >> 63);
    assert_in_range(n_equal_bits, N / 2 - 80, N / 2 + 80); /* 5 standard deviations of 16 */
}

static void a_shuffle_keeps_every_item_and_repeats_with_its_seed(void **state)
{
    (void)state;
    enum { N = 100 };
    size_t a[N], b[N], seen[N] = {0}, n_moved = 0;
    for (size_t i = 0; i < N; i++)
        a[i] = b[i] = i;
    uint64_t first = 7, again = 7;
    as_random_shuffle(a, N, &first);
    as_random_shuffle(b, N, &again);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(a[i], b[i]);
        seen[a[i]]++;
        n_moved += a[i] != i;
    }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    assert_true(n_moved > N / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_is_splitmix64),
        cmocka_unit_test(streams_of_a_seed_begin_at_its_numbers_and_do_not_follow_one_another),
        cmocka_unit_test(a_shuffle_keeps_every_item_and_repeats_with_its_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
