/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statuses and the one place that prints errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* What the body of a test printed on stderr. */
static char printed[1024];

static FILE *capture_begin(int *saved)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    *saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    return file;
}

static void capture_end(FILE *file, int saved)
{
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    size_t n = fread(printed, 1, sizeof printed - 1, file);
    printed[n] = '\0';
    fclose(file);
}

static void every_code_has_its_exit_status(void **state)
{
    (void)state;
    static const struct {
        assay_code code;
        int status;
    } expected[] = {
        {ASSAY_OK, 0},
        {ASSAY_E_ARGUMENT, 2},
        {ASSAY_E_FORMAT, 4},
        {ASSAY_E_UNSUPPORTED, 4},
        {ASSAY_E_NOT_FOUND, 4},
        {ASSAY_E_CHANGED, 4},
        {ASSAY_E_IO, 5},
        {ASSAY_E_MEMORY, 5},
        {ASSAY_E_ENVIRONMENT, 3},
        {ASSAY_E_CHILD, 1},
        {ASSAY_E_DIFFERENT, 1},
        {ASSAY_E_INTERRUPTED, 130},
    };
    for (size_t i = 0; i < AS_COUNT_OF(expected); i++)
        assert_int_equal(as_cli_exit_status(expected[i].code), expected[i].status);
}

static void an_error_is_its_place_then_its_sentence(void **state)
{
    (void)state;
    assay_error err = {0};
    as_fail(&err, ASSAY_E_FORMAT, "weight 'w' has 27 values, its shape needs 216");
    as_error_where(&err, "det.onnx: node 41");
    int saved;
    FILE *file = capture_begin(&saved);
    int status = as_cli_fail(NULL, &err);
    capture_end(file, saved);
    assert_int_equal(status, AS_EXIT_INPUT);
    assert_string_equal(printed,
                        "assay: det.onnx: node 41: weight 'w' has 27 values, its shape "
                        "needs 216\n");
}

static void an_error_without_a_place_has_no_empty_one(void **state)
{
    (void)state;
    assay_error err = {0};
    as_fail(&err, ASSAY_E_ENVIRONMENT, "no engine");
    int saved;
    FILE *file = capture_begin(&saved);
    as_cli_fail(NULL, &err);
    capture_end(file, saved);
    assert_string_equal(printed, "assay: no engine\n");
}

static void no_name_moves_the_cursor_or_ends_the_line(void **state)
{
    (void)state;
    as_cli cli = {0};
    assay_error err = {0};
    as_fail(&err, ASSAY_E_NOT_FOUND, "%s does not exist",
            "a\033[31m\n\r\x7f\xc2\x9b\xff\xc3 \xc3\xbc\xe4\xb8\xad");
    int saved;
    FILE *file = capture_begin(&saved);
    as_cli_fail(&cli, &err);
    as_note(&cli, "b\n");
    as_warn(&cli, "c\033");
    capture_end(file, saved);
    assert_string_equal(printed, "assay: a\\x1b[31m\\x0a\\x0d\\x7f\\xc2\\x9b\\xff\\xc3 "
                                 "\xc3\xbc\xe4\xb8\xad does not exist\n"
                                 "b\\x0a\n"
                                 "assay: warning: c\\x1b\n");
}

static void quiet_drops_notes_but_no_warning(void **state)
{
    (void)state;
    as_cli cli = {.verbosity = -1};
    int saved;
    FILE *file = capture_begin(&saved);
    as_note(&cli, "a note");
    as_detail(&cli, "a detail");
    as_warn(&cli, "the governor is %s", "powersave");
    capture_end(file, saved);
    assert_string_equal(printed, "assay: warning: the governor is powersave\n");
}

static void details_need_verbose(void **state)
{
    (void)state;
    as_cli cli = {.verbosity = 0};
    int saved;
    FILE *file = capture_begin(&saved);
    as_note(&cli, "a note");
    as_detail(&cli, "hidden");
    cli.verbosity = 1;
    as_detail(&cli, "a detail");
    capture_end(file, saved);
    assert_string_equal(printed, "a note\na detail\n");
}

static void colour_stands_around_the_name_alone(void **state)
{
    (void)state;
    as_cli cli = {.color_err = true};
    int saved;
    FILE *file = capture_begin(&saved);
    int status = as_cli_usage(&cli, "no %s", "verb");
    capture_end(file, saved);
    assert_int_equal(status, AS_EXIT_USAGE);
    assert_string_equal(printed, "\033[31massay:\033[0m no verb\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_exit_status),
        cmocka_unit_test(an_error_is_its_place_then_its_sentence),
        cmocka_unit_test(an_error_without_a_place_has_no_empty_one),
        cmocka_unit_test(no_name_moves_the_cursor_or_ends_the_line),
        cmocka_unit_test(quiet_drops_notes_but_no_warning),
        cmocka_unit_test(details_need_verbose),
        cmocka_unit_test(colour_stands_around_the_name_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
