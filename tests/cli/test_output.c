/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is always JSON, files that are not overwritten unasked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/output.h"

static int make_folder(void **state)
{
    char *folder = as_strdup(P_tmpdir "/assay-XXXXXX");
    if (!folder || !mkdtemp(folder)) return -1;
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    assay_code code = as_path_remove(*state, NULL);
    as_free(*state);
    return (int)code;
}

static void numbers_that_are_not_finite_become_strings(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } expected[] = {{NAN, "nan"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}};
    for (size_t i = 0; i < AS_COUNT_OF(expected); i++) {
        json_t *number = as_json_number(expected[i].value);
        assert_string_equal(json_string_value(number), expected[i].text);
        json_decref(number);
    }
    json_t *number = as_json_number(0.1);
    assert_true(json_real_value(number) == 0.1);
    json_decref(number);
}

static void an_existing_file_stays_without_force(void **state)
{
    char *path = as_path_join(*state, "boxes.json");
    assay_error err = {0};
    assert_int_equal(as_output_write(path, "old", 3, false, &err), ASSAY_OK);
    assert_int_equal(as_output_write(path, "newer", 5, false, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "boxes.json exists already, --force replaces it"));
    as_bytes bytes;
    assert_int_equal(as_file_read(path, 0, &bytes, &err), ASSAY_OK);
    assert_string_equal((char *)bytes.data, "old");
    as_bytes_free(&bytes);
    assert_int_equal(as_output_write(path, "newer", 5, true, &err), ASSAY_OK);
    assert_int_equal(as_file_read(path, 0, &bytes, &err), ASSAY_OK);
    assert_string_equal((char *)bytes.data, "newer");
    as_bytes_free(&bytes);
    as_free(path);
}

static void a_minus_is_stdout_and_never_claimed(void **state)
{
    (void)state;
    assert_int_equal(as_output_claim("-", false, NULL), ASSAY_OK);
}

static void paint_is_empty_when_off(void **state)
{
    (void)state;
    for (int color = AS_PLAIN; color <= AS_YELLOW; color++) {
        assert_string_equal(as_paint(false, (as_color)color), "");
        assert_int_equal(as_paint(true, (as_color)color)[0], '\033');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_finite_become_strings),
        cmocka_unit_test_setup_teardown(an_existing_file_stays_without_force, make_folder,
                                        remove_folder),
        cmocka_unit_test(a_minus_is_stdout_and_never_claimed),
        cmocka_unit_test(paint_is_empty_when_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
