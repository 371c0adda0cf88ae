/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

enum { PASSED, FAILED, SKIPPED, N_OUTCOMES };

static jmp_buf test_end; /* of the running test; one runs at a time */

void cross_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void cross_end_test(int is_skipped, const char *what, const char *file, int line)
{
    if (!is_skipped) printf("%s:%d: does not hold: %s\n", file, line, what);
    longjmp(test_end, is_skipped ? SKIPPED : FAILED);
}

static int outcome_of(const struct CMUnitTest *test)
{
    void *state = test->initial_state;
    switch (setjmp(test_end)) {
    case PASSED:
        test->test_func(&state);
        return PASSED;
    case SKIPPED:
        return SKIPPED;
    default:
        return FAILED;
    }
}

int cross_run_tests(const char *group, const struct CMUnitTest *tests, size_t n)
{
    static const char *const words[N_OUTCOMES] = {"      OK", "  FAILED", " SKIPPED"};
    int counts[N_OUTCOMES] = {0};
    for (size_t i = 0; i < n; i++) {
        if (!tests[i].name) continue;
        const int outcome = outcome_of(&tests[i]);
        printf("[ %s ] %s\n", words[outcome], tests[i].name);
        fflush(stdout);
        counts[outcome]++;
    }
    printf("%s: %d passed, %d failed, %d skipped\n", group, counts[PASSED], counts[FAILED],
           counts[SKIPPED]);
    return counts[FAILED];
}
