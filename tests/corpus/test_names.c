/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "corpus/names.h"

static void names_of_any_bytes_are_escaped_and_come_back(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"plain.png", "plain.png"},
        {"back\\slash", "back\\\\slash"},
        {"new\nline\ttab\x1b[31m", "new\\x0aline\\x09tab\\x1b[31m"},
        {"n\xc3\xa4me\xe2\x80\x93\xe6\x96\x87\xf0\x9f\x98\x80",
         "n\xc3\xa4me\xe2\x80\x93\xe6\x96\x87\xf0\x9f\x98\x80"},
        {"bad\xff\xfe", "bad\\xff\\xfe"},
        {"overlong\xc0\xaf surrogate\xed\xa0\x80",
         "overlong\\xc0\\xaf surrogate\\xed\\xa0\\x80"},
        {"c1\xc2\x9b", "c1\\xc2\\x9b"},
        {"cut\xe6\x96", "cut\\xe6\\x96"},
        {"\x7f", "\\x7f"},
    };
    as_arena *arena = as_arena_new();
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        char *text = as_name_escape(arena, cases[i].name);
        assert_string_equal(text, cases[i].text);
        assert_string_equal(as_name_unescape(arena, text), cases[i].name);
    }
    as_arena_free(arena);
}

static void texts_that_no_name_gives_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"\\",    "a\\x", "a\\x1", "\\xGG",
                                        "\\x00", "\\n",  "\\xFF"};
    as_arena *arena = as_arena_new();
    for (size_t i = 0; i < AS_COUNT_OF(texts); i++)
        assert_null(as_name_unescape(arena, texts[i]));
    as_arena_free(arena);
}

static void ids_are_names_without_extension_and_odd_characters(void **state)
{
    (void)state;
    static const struct {
        const char *name, *id;
    } cases[] = {{"paper-two-column.pdf", "paper-two-column"},
                 {"a.b.c", "a.b"},
                 {".hidden", "_hidden"},
                 {"-rf.png", "_rf"},
                 {"n\xc3\xa4me 2.png", "n_me_2"},
                 {"\xe6\x96\x87.png", "_"},
                 {"..", "_"},
                 {"no_extension", "no_extension"}};
    as_arena *arena = as_arena_new();
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        char *id = as_id_of_name(arena, cases[i].name);
        assert_string_equal(id, cases[i].id);
        assert_true(as_id_is_valid(id));
    }
    char name[300];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(strlen(as_id_of_name(arena, name)), 80);
    as_arena_free(arena);
}

static void ids_lead_nowhere(void **state)
{
    (void)state;
    assert_false(as_id_is_valid(""));
    assert_false(as_id_is_valid(".."));
    assert_false(as_id_is_valid("a/b"));
    assert_false(as_id_is_valid("-rf"));
    assert_false(as_id_is_valid("a b"));
    assert_true(as_id_is_valid("a..b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_any_bytes_are_escaped_and_come_back),
        cmocka_unit_test(texts_that_no_name_gives_are_refused),
        cmocka_unit_test(ids_are_names_without_extension_and_odd_characters),
        cmocka_unit_test(ids_lead_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
