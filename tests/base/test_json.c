/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"

static void a_value_that_could_not_be_made_takes_the_whole_with_it(void **state)
{
    (void)state;
    json_t *list = json_array(), *object = json_object();
    as_json_append(&list, json_integer(1));
    assert_int_equal(json_array_size(list), 1);
    as_json_append(&list, json_string("\xff"));
    assert_null(list);
    as_json_append(&list, json_integer(2));
    assert_null(list);
    as_json_set(&object, "a", json_integer(1));
    assert_non_null(object);
    as_json_set(&object, "b", NULL);
    assert_null(object);
    assert_null(json_pack("{s:o, s:i}", "list", list, "n", 3));
}

static void numbers_that_json_has_not_become_words_or_null(void **state)
{
    (void)state;
    json_t *list = json_array();
    as_json_append(&list, as_json_number(NAN));
    as_json_append(&list, as_json_number(-INFINITY));
    as_json_append(&list, as_json_number(0.5));
    as_json_append(&list, as_json_real(INFINITY));
    char *text = as_json_dump(list, JSON_COMPACT);
    assert_string_equal(text, "[\"nan\",\"-inf\",0.5,null]");
    as_free(text);
    json_decref(list);
}

static void a_text_is_whole_or_not_there(void **state)
{
    (void)state;
    json_t *root = json_pack("{s:s, s:[i, i, i], s:{s:s}}", "first", "a text of some length",
                             "second", 1, 2, 3, "third", "fourth", "another text");
    char *whole = as_json_dump(root, JSON_COMPACT);
    assert_string_equal(whole, "{\"first\":\"a text of some length\",\"second\":[1,2,3],"
                               "\"third\":{\"fourth\":\"another text\"}}");
    size_t n_failed = 0;
    for (size_t n = 1;; n++) {
        as_memory_fail_at(n);
        char *text = as_json_dump(root, JSON_COMPACT);
        as_memory_fail_at(0);
        if (text) assert_string_equal(text, whole);
        bool is_done = text != NULL;
        as_free(text);
        if (is_done) break;
        n_failed++;
    }
    assert_true(n_failed > 2);
    assert_null(as_json_dump(NULL, 0));
    as_free(whole);
    json_decref(root);
}

static void what_is_not_json_is_told_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\n\"a\": 1,\n}", "line 3 is not JSON: string or '}' expected near '}'"},
        {"{\"a\": 1, \"a\": 2}", "it is not JSON: duplicate object key near '\"a\"'"},
        {"", "it is not JSON: '[' or '{' expected near end of file"},
        {"3", "it is not JSON: '[' or '{' expected near '3'"},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        json_t *root;
        assay_error err;
        assert_int_equal(as_json_parse(cases[i].text, strlen(cases[i].text), 0, &root, &err),
                         ASSAY_E_FORMAT);
        assert_string_equal(err.message, cases[i].message);
        assert_null(root);
    }
    json_t *three;
    assert_int_equal(as_json_parse("3", 1, JSON_DECODE_ANY, &three, NULL), ASSAY_OK);
    json_decref(three);
}

static void *no_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

static void json_without_memory_is_not_called_malformed(void **state)
{
    (void)state;
    json_t *root;
    json_set_alloc_funcs(no_memory, free);
    assay_code code = as_json_parse("{\"a\": 1}", 8, 0, &root, NULL);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(code, ASSAY_E_MEMORY);
    assert_null(root);
}

static void members_of_another_kind_are_as_if_they_were_not_there(void **state)
{
    json_t *o = json_pack("{s:i, s:f, s:s}", "i", 7, "f", 0.5, "s", "word");
    (void)state;
    assert_non_null(o);
    assert_true(as_json_member_number(o, "i") == 7 && as_json_member_number(o, "f") == 0.5);
    assert_true(isnan(as_json_member_number(o, "s")) &&
                isnan(as_json_member_number(o, "none")));
    assert_true(as_json_member_integer(o, "i") == 7);
    assert_true(as_json_member_integer(o, "f") == INT64_MIN);
    assert_string_equal(as_json_member_text(o, "s"), "word");
    assert_string_equal(as_json_member_text(o, "i"), "");
    assert_string_equal(as_json_member_text(NULL, "s"), "");
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_could_not_be_made_takes_the_whole_with_it),
        cmocka_unit_test(numbers_that_json_has_not_become_words_or_null),
        cmocka_unit_test(a_text_is_whole_or_not_there),
        cmocka_unit_test(what_is_not_json_is_told_with_its_line),
        cmocka_unit_test(json_without_memory_is_not_called_malformed),
        cmocka_unit_test(members_of_another_kind_are_as_if_they_were_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
