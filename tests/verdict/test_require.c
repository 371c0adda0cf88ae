/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "verdict/require.h"

static as_requirement parsed(const char *text)
{
    as_requirement r;
    assay_error err = {0};
    if (as_requirement_parse(text, &r, &err)) fail_msg("%s: %s", text, err.message);
    return r;
}

static as_requirement_state state_of(const char *text, double low, double high)
{
    as_requirement r = parsed(text);
    as_estimate e = {.has_interval = true, .ratio = (low + high) / 2, .low = low, .high = high};
    return as_requirement_check(&r, &e);
}

static void the_interval_decides(void **state)
{
    (void)state;
    assert_int_equal(state_of("not-slower", 0.9, 1.0099), AS_REQUIREMENT_MET);
    assert_int_equal(state_of("not-slower", 0.9, 1.02), AS_REQUIREMENT_UNDECIDED);
    assert_int_equal(state_of("not-slower", 1.0101, 1.02), AS_REQUIREMENT_BROKEN);
    assert_int_equal(state_of("faster=1.25", 0.7, 0.8), AS_REQUIREMENT_MET);
    assert_int_equal(state_of("faster=1.25", 0.7, 0.801), AS_REQUIREMENT_UNDECIDED);
    assert_int_equal(state_of("faster=1.25", 0.801, 0.9), AS_REQUIREMENT_BROKEN);
}

static void without_an_interval_nothing_is_decided(void **state)
{
    (void)state;
    as_requirement r = parsed("not-slower");
    as_estimate e = {.ratio = 0.5};
    assert_int_equal(as_requirement_check(&r, &e), AS_REQUIREMENT_UNDECIDED);
}

static void other_words_are_refused_with_those_that_are_known(void **state)
{
    (void)state;
    static const char *const bad[] = {"",           "faster",      "faster=",     "faster=1",
                                      "faster=0x2", "faster=2.5x", "faster=inf",  "faster=1e3",
                                      "not-slowe",  "not-slower ", "faster=1001", "faster=-2"};
    for (size_t i = 0; i < AS_COUNT_OF(bad); i++) {
        as_requirement r;
        assay_error err = {0};
        if (as_requirement_parse(bad[i], &r, &err) != ASSAY_E_ARGUMENT)
            fail_msg("'%s' is taken", bad[i]);
        assert_non_null(strstr(err.message, "not-slower, or faster=R"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_decides),
        cmocka_unit_test(without_an_interval_nothing_is_decided),
        cmocka_unit_test(other_words_are_refused_with_those_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
