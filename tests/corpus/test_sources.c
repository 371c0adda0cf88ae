/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/sources.h"
#include "scratch.h"

static void a_range_is_one_page_several_or_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *source, *path;
        int first, last;
    } cases[] = {{"x.pdf", "x.pdf", 0, 0},
                 {"x.pdf[3]", "x.pdf", 3, 3},
                 {"x.pdf[1-5]", "x.pdf", 1, 5},
                 {"x.pdf[2-]", "x.pdf", 2, 0},
                 {"x[1].pdf", "x[1].pdf", 0, 0},
                 {"x.pdf[]", "x.pdf[]", 0, 0},
                 {"x.pdf[a]", "x.pdf[a]", 0, 0},
                 {"x.pdf[1-b]", "x.pdf[1-b]", 0, 0},
                 {"x.pdf[1]x", "x.pdf[1]x", 0, 0},
                 {"x.pdf[1-2-3]", "x.pdf[1-2-3]", 0, 0},
                 {"[3]", "[3]", 0, 0},
                 {"x.pdf[ 3]", "x.pdf[ 3]", 0, 0},
                 {"x.pdf[99999999999]", "x.pdf[99999999999]", 0, 0}};
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        char *path;
        as_page_range range;
        assert_int_equal(as_source_parse(cases[i].source, &path, &range, NULL), ASSAY_OK);
        assert_string_equal(path, cases[i].path);
        assert_int_equal(range.first, cases[i].first);
        assert_int_equal(range.last, cases[i].last);
        as_free(path);
    }
}

static void a_range_without_pages_is_wrong_usage(void **state)
{
    (void)state;
    static const char *const sources[] = {"x.pdf[0]", "x.pdf[5-2]", "x.pdf[0-3]", "x.pdf[1-0]"};
    for (size_t i = 0; i < AS_COUNT_OF(sources); i++) {
        char *path;
        as_page_range range;
        assay_error err;
        assert_int_equal(as_source_parse(sources[i], &path, &range, &err), ASSAY_E_ARGUMENT);
        assert_null(path);
        assert_non_null(strstr(err.message, sources[i]));
    }
}

static void a_file_with_the_whole_name_is_that_file(void **state)
{
    (void)state;
    char *folder = scratch_make(), *name = as_path_join(folder, "x.pdf[2]"), *path;
    as_page_range range;
    scratch_write(folder, "x.pdf[2]", "", 0);
    assert_int_equal(as_source_parse(name, &path, &range, NULL), ASSAY_OK);
    assert_string_equal(path, name);
    assert_int_equal(range.first, 0);
    as_free(path);
    as_free(name);
    scratch_remove(folder);
}

static void a_folder_is_its_files_in_byte_order(void **state)
{
    (void)state;
    static const char *const names[] = {"b.png", "a.png", "B.png", ".c.png", "run-10", "run-2"};
    static const char *const sorted[] = {".c.png", "B.png",  "a.png",
                                         "b.png",  "run-10", "run-2"};
    char *folder = scratch_make(), *below = as_path_join(folder, "below");
    as_sources sources;
    for (size_t i = 0; i < AS_COUNT_OF(names); i++)
        scratch_write(folder, names[i], "", 0);
    assert_int_equal(as_folder_make(below, NULL), ASSAY_OK);
    const char *arguments[] = {FORM "[2]", folder};
    assert_int_equal(as_sources_expand(arguments, 2, &sources, NULL), ASSAY_OK);
    assert_int_equal(sources.n, 1 + AS_COUNT_OF(sorted));
    assert_true(sources.items[0].has_range);
    for (size_t i = 0; i < AS_COUNT_OF(sorted); i++) {
        assert_string_equal(as_path_base(sources.items[1 + i].path), sorted[i]);
        assert_false(sources.items[1 + i].has_range);
    }
    as_sources_free(&sources);
    as_free(below);
    scratch_remove(folder);
}

static void what_is_missing_empty_or_ranged_wrongly_is_told(void **state)
{
    (void)state;
    char *folder = scratch_make(), *ranged = as_format("%s[1]", folder);
    as_sources sources;
    assay_error err;
    const char *missing = "no-such.pdf[1]", *empty = folder, *wrong = ranged;
    assert_int_equal(as_sources_expand(&missing, 1, &sources, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "no-such.pdf does not exist");
    assert_int_equal(as_sources_expand(&empty, 1, &sources, &err), ASSAY_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "holds no files"));
    assert_int_equal(as_sources_expand(&wrong, 1, &sources, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "is a folder, a page range needs a document"));
    as_free(ranged);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_is_one_page_several_or_the_rest),
        cmocka_unit_test(a_range_without_pages_is_wrong_usage),
        cmocka_unit_test(a_file_with_the_whole_name_is_that_file),
        cmocka_unit_test(a_folder_is_its_files_in_byte_order),
        cmocka_unit_test(what_is_missing_empty_or_ranged_wrongly_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
