/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences that do not fit keep both ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"

enum { ROOM = sizeof((assay_error *)0)->message };

/* `n` bytes of `piece`, over and over. */
static const char *long_name(const char *piece, size_t n)
{
    static char name[20000];
    for (size_t i = 0; i < n; i++)
        name[i] = piece[i % strlen(piece)];
    name[n] = '\0';
    return name;
}

static void a_sentence_that_fits_is_whole(void **state)
{
    (void)state;
    assay_error err;
    const char *name = long_name("p", ROOM - 1 - strlen(" does not exist"));
    as_fail(&err, ASSAY_E_NOT_FOUND, "%s does not exist", name);
    assert_int_equal(strlen(err.message), ROOM - 1);
    assert_null(strstr(err.message, "[...]"));
}

static void a_longer_one_still_says_what_and_why(void **state)
{
    (void)state;
    static const size_t lengths[] = {ROOM - 15, ROOM, 500, 4095, 19999};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assay_error err;
        as_fail(&err, ASSAY_E_NOT_FOUND, "folder/%s does not exist",
                long_name("p", lengths[i]));
        assert_int_equal(strlen(err.message), ROOM - 1);
        assert_memory_equal(err.message, "folder/ppp", 10);
        assert_non_null(strstr(err.message, "pp[...]pp"));
        if (lengths[i] < 12000)
            assert_string_equal(err.message + ROOM - 1 - 15, " does not exist");
    }
}

static void no_character_is_cut_in_two(void **state)
{
    (void)state;
    for (size_t n = 300; n < 306; n += 3) { /* whole characters of three bytes */
        assay_error err;
        as_fail(&err, ASSAY_E_NOT_FOUND, "%.*s%s!", (int)(n % 4), "....",
                long_name("\xe4\xb8\xad", n));
        const char *gap = strstr(err.message, "[...]");
        assert_non_null(gap);
        assert_int_equal((unsigned char)gap[-1], 0xad);
        assert_int_equal((unsigned char)gap[5], 0xe4);
    }
}

static void a_place_is_cut_the_same_way(void **state)
{
    (void)state;
    assay_error err = {0};
    as_error_where(&err, "%s/manifest.json", long_name("c", 300));
    assert_true(strlen(err.where) < sizeof err.where);
    assert_non_null(strstr(err.where, "[...]"));
    assert_non_null(strstr(err.where, "/manifest.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_that_fits_is_whole),
        cmocka_unit_test(a_longer_one_still_says_what_and_why),
        cmocka_unit_test(no_character_is_cut_in_two),
        cmocka_unit_test(a_place_is_cut_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
