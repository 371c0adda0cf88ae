/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/markup.h"
#include "report/text.h"
#include "report/whole_file.h"

static char *printed(void (*put)(FILE *, const char *), const char *text)
{
    char *out = NULL;
    size_t size;
    FILE *memory = open_memstream(&out, &size);
    assert_non_null(memory);
    put(memory, text);
    assert_int_equal(fclose(memory), 0);
    return out;
}

static void assert_printed(void (*put)(FILE *, const char *), const char *text,
                           const char *expected)
{
    char *out = printed(put, text);
    assert_string_equal(out, expected);
    free(out);
}

static void bytes_that_are_no_utf8_are_shown_not_dropped(void **state)
{
    (void)state;
    assert_printed(as_put_plain, "caf\xc3\xa9 \xe6\x96\x87", "caf\xc3\xa9 \xe6\x96\x87");
    assert_printed(as_put_plain, "a\xe9z", "a\\xE9z");
    assert_printed(as_put_plain, "\xc0\xaf", "\\xC0\\xAF");          /* overlong */
    assert_printed(as_put_plain, "\xed\xa0\x80", "\\xED\\xA0\\x80"); /* a surrogate */
    assert_printed(as_put_plain, "\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
    assert_printed(as_put_plain, "x\xe6\x96", "x\\xE6\\x96"); /* cut short */
}

static void control_characters_never_reach_the_terminal(void **state)
{
    (void)state;
    assert_printed(as_put_plain, "a\x1b[31m\n\x7f", "a\\x1B[31m\\x0A\\x7F");
    assert_printed(as_put_plain, "\xc2\x9b", "\\xC2\\x9B"); /* CSI of C1 */
    assert_int_equal(as_text_columns("a\x1b\xc3\xa9"), 6);
}

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(as_text_columns("策略, s"), 7);
    assert_int_equal(as_text_columns("，Ａ"), 4);
    assert_int_equal(as_text_columns("–é\\"), 3);
}

static void each_language_gets_its_escapes(void **state)
{
    (void)state;
    assert_printed(as_put_html, "<b a=\"1\">&", "&lt;b a=&quot;1&quot;&gt;&amp;");
    assert_printed(as_put_md, "a|b*c_d`<#", "a\\|b\\*c\\_d\\`&lt;\\#");
    assert_printed(as_put_csv, "plain", "plain");
    assert_printed(as_put_csv, "a,\"b\"\n", "\"a,\"\"b\"\"\n\"");
}

static void a_path_is_one_word_of_a_shell_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"models/a-b_1.onnx", "models/a-b_1.onnx"},
                                           {"my pages", "'my pages'"},
                                           {"it's $HOME", "'it'\\''s $HOME'"},
                                           {"", "''"}};
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        char *quoted = as_text_quoted(cases[i][0]);
        assert_string_equal(quoted, cases[i][1]);
        as_free(quoted);
    }
}

static void numbers_that_are_none_never_become_json_numbers(void **state)
{
    (void)state;
    json_t *null = as_json_real(NAN), *inf = as_json_number(-INFINITY),
           *one = as_json_number(1);
    assert_true(json_is_null(null));
    assert_string_equal(json_string_value(inf), "-inf");
    assert_true(json_is_real(one));
    json_decref(null);
    json_decref(inf);
    json_decref(one);
}

static void a_json_that_lost_a_part_is_lost_whole(void **state)
{
    (void)state;
    json_t *list = json_array();
    as_json_append(&list, json_true());
    assert_int_equal(json_array_size(list), 1);
    as_json_append(&list, NULL);
    assert_null(list);
    as_json_append(&list, json_true());
    assert_null(list);
    json_t *object = json_object();
    as_json_set(&object, "key", NULL);
    assert_null(object);
}

static void rows_end_when_their_cells_are_there(void **state)
{
    (void)state;
    static const as_table_column columns[] = {{"name", false}, {"s", true}};
    char *out = NULL;
    size_t size;
    as_page page = {.markup = &as_markup_md, .out = open_memstream(&out, &size)};
    assert_non_null(page.out);
    as_table(&page, columns, 2);
    as_cell(&page, "a|b");
    as_cell_tone(&page, AS_TONE_BAD, "%d", 7);
    as_cell(&page, "c");
    as_cell(&page, "8");
    as_table_end(&page);
    assert_int_equal(fclose(page.out), 0);
    assert_string_equal(out, "| name | s |\n| --- | ---: |\n| a\\|b | **7** |\n| c | 8 |\n\n");
    free(out);
    page = (as_page){.markup = &as_markup_html, .out = open_memstream(&out, &size)};
    as_table(&page, columns, 2);
    as_cell_tone(&page, AS_TONE_GOOD, "<i>");
    as_cell_tone(&page, AS_TONE_BAD, "1,2");
    as_table_end(&page);
    assert_int_equal(fclose(page.out), 0);
    assert_non_null(strstr(out, "<td data-l=\"name\" class=\"good\">&lt;i&gt;</td>"
                                "<td data-l=\"s\" class=\"n bad\">1,<wbr>2"));
    free(out);
}

static void a_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    char folder[] = P_tmpdir "/assay-whole-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = as_path_join(folder, "f.csv");
    as_whole_file file;
    assay_error err = {0};
    assert_int_equal(as_whole_file_open(path, &file, &err), ASSAY_OK);
    fputs("one", file.out);
    assert_false(as_file_exists(path));
    assert_int_equal(as_whole_file_close(&file, ASSAY_OK, &err), ASSAY_OK);
    assert_int_equal(as_whole_file_open(path, &file, &err), ASSAY_OK);
    fputs("two", file.out);
    assert_int_equal(as_whole_file_close(&file, ASSAY_E_FORMAT, &err), ASSAY_E_FORMAT);
    as_bytes bytes;
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    assert_string_equal((char *)bytes.data, "one");
    as_bytes_free(&bytes);
    as_names names;
    assert_int_equal(as_folder_list(folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 1); /* no .part is left */
    as_names_free(&names);
    as_free(path);
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
}

static void a_full_disk_is_an_error_with_the_file_named(void **state)
{
    (void)state;
    as_whole_file file = {.out = fopen("/dev/full", "wb"),
                          .path = as_strdup("run/calls.csv"),
                          .part = as_strdup("run/calls.csv.part")};
    assay_error err = {0};
    if (!file.out) skip();
    fputs("anything", file.out);
    assert_int_equal(as_whole_file_close(&file, ASSAY_OK, &err), ASSAY_E_IO);
    assert_string_equal(err.message,
                        "run/calls.csv cannot be written: No space left on device");
}

static void a_place_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    as_whole_file file;
    assay_error err = {0};
    assert_int_equal(as_whole_file_open("no-such-folder/f", &file, &err), ASSAY_E_IO);
    assert_string_equal(err.message,
                        "no-such-folder/f cannot be written: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_no_utf8_are_shown_not_dropped),
        cmocka_unit_test(control_characters_never_reach_the_terminal),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(each_language_gets_its_escapes),
        cmocka_unit_test(a_path_is_one_word_of_a_shell_line),
        cmocka_unit_test(numbers_that_are_none_never_become_json_numbers),
        cmocka_unit_test(a_json_that_lost_a_part_is_lost_whole),
        cmocka_unit_test(rows_end_when_their_cells_are_there),
        cmocka_unit_test(a_file_appears_whole_or_not_at_all),
        cmocka_unit_test(a_full_disk_is_an_error_with_the_file_named),
        cmocka_unit_test(a_place_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
