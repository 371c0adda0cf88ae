/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_CROSS_CMOCKA_H
#define ASSAY_TESTS_CROSS_CMOCKA_H
/*
 * The part of cmocka's interface (cmocka 1.1, cmocka.h) that the tests of base and kernels use,
 * for cross builds: Debian has the library for another architecture only where that architecture
 * was added to the whole system.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(function)                                                             \
    {                                                                                          \
        .name = #function, .test_func = function                                               \
    }
/* Setup and teardown are NULL in these tests. */
#define cmocka_run_group_tests_name(group, tests, setup, teardown)                             \
    cross_run_tests(group, tests, sizeof(tests) / sizeof *(tests))
#define cmocka_run_group_tests(tests, setup, teardown)                                         \
    cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#define print_message(...) cross_print(__VA_ARGS__)
#define print_error(...)   cross_print(__VA_ARGS__)
#define skip()             cross_end_test(1, "skipped", __FILE__, __LINE__)
#define fail_msg(...)      (cross_print(__VA_ARGS__), cross_end_test(0, "fail", __FILE__, __LINE__))

#define cross_expect(holds)              ((holds) ? (void)0 : cross_end_test(0, #holds, __FILE__, __LINE__))
#define assert_true(x)                   cross_expect(x)
#define assert_false(x)                  cross_expect(!(x))
#define assert_null(p)                   cross_expect((p) == NULL)
#define assert_non_null(p)               cross_expect((p) != NULL)
#define assert_int_equal(a, b)           cross_expect((intmax_t)(a) == (intmax_t)(b))
#define assert_int_not_equal(a, b)       cross_expect((intmax_t)(a) != (intmax_t)(b))
#define assert_in_range(x, least, most)  cross_expect(cross_is_in_range(x, least, most))
#define assert_string_equal(a, b)        cross_expect(strcmp(a, b) == 0)
#define assert_string_not_equal(a, b)    cross_expect(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, bytes) cross_expect(memcmp(a, b, bytes) == 0)

static inline int cross_is_in_range(uintmax_t x, uintmax_t least, uintmax_t most)
{
    return x >= least && x <= most;
}

/** Run all; prints each test's outcome as cmocka does.  @return how many failed. */
int cross_run_tests(const char *group, const struct CMUnitTest *tests, size_t n);

/** Leave the running test: skipped, or failed with what did not hold. */
void cross_end_test(int is_skipped, const char *what, const char *file, int line);

void cross_print(const char *format, ...) AS_PRINTF(1, 2);

#endif
