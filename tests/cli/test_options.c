/* SPDX-License-Identifier: Apache-2.0 */
/* The options table: every kind, every way to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"

typedef struct sample {
    bool force;
    const char *output;
    int64_t threads;
    double thresh;
    int limit;
    as_strings policies;
} sample;

static const as_option options[] = {
    AS_FLAG(sample, force, "force", "replace what is there"),
    AS_TEXT(sample, output, "o,output", "DIR", "where to"),
    AS_INT(sample, threads, "threads", "N", 1, 1024, "threads"),
    AS_DOUBLE(sample, thresh, "thresh", "T", 0, 1, "threshold"),
    AS_CHOICE(sample, limit, "limit-type", "max|min", "which side"),
    AS_LIST(sample, policies, "policy", "P", "a policy; repeat"),
    AS_OPTIONS_END,
};

enum { MOST_WORDS = 16 };

/* Parse words up to NULL; getopt reorders the array, so each call has its own. */
static assay_code parse(const char *const *words, sample *values, as_parsed *parsed,
                        assay_error *err)
{
    char *argv[MOST_WORDS + 1] = {(char *)"verb"};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    return as_options_parse(options, argc, argv, values, parsed, err);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_kind_reaches_its_field(void **state)
{
    (void)state;
    sample values = {0};
    as_parsed parsed;
    assert_int_equal(
        parse(WORDS("--force", "-o", "run", "--threads=7", "--thresh", "0.25", "--limit-type",
                    "min", "--policy", "A=native", "--policy", "B=native,conv=gemm"),
              &values, &parsed, NULL),
        ASSAY_OK);
    assert_true(values.force);
    assert_string_equal(values.output, "run");
    assert_int_equal(values.threads, 7);
    assert_true(values.thresh == 0.25);
    assert_int_equal(values.limit, 1);
    assert_int_equal(values.policies.n, 2);
    assert_string_equal(values.policies.items[0], "A=native");
    assert_string_equal(values.policies.items[1], "B=native,conv=gemm");
    as_options_free(options, &values, &parsed);
    assert_null(values.policies.items);
}

static void defaults_stay_where_nothing_is_said(void **state)
{
    (void)state;
    sample values = {.threads = 3, .thresh = 0.6, .output = "here"};
    as_parsed parsed;
    assert_int_equal(parse(WORDS("page.png"), &values, &parsed, NULL), ASSAY_OK);
    assert_int_equal(values.threads, 3);
    assert_true(values.thresh == 0.6);
    assert_string_equal(values.output, "here");
    assert_int_equal(parsed.verbosity, 0);
    as_options_free(options, &values, &parsed);
}

static void arguments_and_options_mix_and_two_dashes_end_options(void **state)
{
    (void)state;
    sample values = {0};
    as_parsed parsed;
    assert_int_equal(
        parse(WORDS("a.pdf", "--force", "b.pdf", "--", "--threads"), &values, &parsed, NULL),
        ASSAY_OK);
    assert_int_equal(parsed.arguments.n, 3);
    assert_string_equal(parsed.arguments.items[0], "a.pdf");
    assert_string_equal(parsed.arguments.items[1], "b.pdf");
    assert_string_equal(parsed.arguments.items[2], "--threads");
    as_options_free(options, &values, &parsed);
}

static void the_frame_has_help_version_verbose_and_quiet(void **state)
{
    (void)state;
    sample values = {0};
    as_parsed parsed;
    assert_int_equal(parse(WORDS("--help", "--version", "-vv"), &values, &parsed, NULL),
                     ASSAY_OK);
    assert_true(parsed.help && parsed.version);
    assert_int_equal(parsed.verbosity, 2);
    as_options_free(options, &values, &parsed);
    assert_int_equal(parse(WORDS("-v", "--quiet"), &values, &parsed, NULL), ASSAY_OK);
    assert_int_equal(parsed.verbosity, -1);
    as_options_free(options, &values, &parsed);
}

static void wrong_use_is_one_sentence_with_the_value_seen(void **state)
{
    (void)state;
    static const struct {
        const char *words[3];
        const char *sentence;
    } wrong[] = {
        {{"--frobnicate"}, "--frobnicate is not an option, --help lists them"},
        {{"-x"}, "-x is not an option, --help lists them"},
        {{"--threads"}, "--threads needs a value N"},
        {{"-o"}, "--output needs a value DIR"},
        {{"--force=yes"}, "--force=yes was given a value, it takes none"},
        {{"--help=me"}, "--help=me was given a value, it takes none"},
        {{"--threads", "0"}, "--threads '0' is not a whole number in 1..1024"},
        {{"--threads", "1025"}, "--threads '1025' is not a whole number in 1..1024"},
        {{"--threads", "2x"}, "--threads '2x' is not a whole number in 1..1024"},
        {{"--threads", ""}, "--threads '' is not a whole number in 1..1024"},
        {{"--thresh", "1.5"}, "--thresh '1.5' is not a number in 0..1"},
        {{"--thresh", "0,5"}, "--thresh '0,5' is not a number in 0..1"},
        {{"--thresh", "nan"}, "--thresh 'nan' is not a number in 0..1"},
        {{"--limit-type", "mid"}, "--limit-type 'mid' is none of max|min"},
        {{"--output", ""}, "--output was given '', it needs a value DIR"},
        {{"--policy", ""}, "--policy was given '', it needs a value P"},
        {{"--limit-type", "ma"}, "--limit-type 'ma' is none of max|min"},
    };
    for (size_t i = 0; i < AS_COUNT_OF(wrong); i++) {
        sample values = {0};
        as_parsed parsed;
        assay_error err = {0};
        assert_int_equal(parse(wrong[i].words, &values, &parsed, &err), ASSAY_E_ARGUMENT);
        assert_int_equal(err.code, ASSAY_E_ARGUMENT);
        assert_string_equal(err.message, wrong[i].sentence);
        as_options_free(options, &values, &parsed);
    }
}

static void a_failed_allocation_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    for (size_t n = 1; n < 100; n++) {
        sample values = {0};
        as_parsed parsed;
        as_memory_fail_at(n);
        assay_code code = parse(WORDS("a.pdf", "--policy", "A=native"), &values, &parsed, NULL);
        as_memory_fail_at(0);
        as_options_free(options, &values, &parsed);
        if (code == ASSAY_OK) {
            assert_true(n > 2);
            return;
        }
        assert_int_equal(code, ASSAY_E_MEMORY);
    }
    fail_msg("parsing allocates without end");
}

static void whole_numbers_are_decimal_and_whole(void **state)
{
    (void)state;
    int64_t value = 42;
    static const char *const wrong[] = {
        "", "-", "+1", " 1", "1 ", "0x10", "1e3", "1.0", "9223372036854775808"};
    for (size_t i = 0; i < AS_COUNT_OF(wrong); i++)
        assert_false(as_parse_int(wrong[i], INT64_MIN, INT64_MAX, &value));
    assert_int_equal(value, 42);
    assert_true(as_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &value));
    assert_true(value == INT64_MIN);
    assert_true(as_parse_int("007", 0, 10, &value));
    assert_int_equal(value, 7);
}

static void numbers_are_finite_and_have_a_point_in_every_locale(void **state)
{
    (void)state;
    double value = 42;
    static const char *const wrong[] = {"",     "inf", "nan", "0x1p3", "1e999", "1,5",
                                        "1.5x", " 1",  "e",   "--1",   "."};
    for (size_t i = 0; i < AS_COUNT_OF(wrong); i++)
        assert_false(as_parse_double(wrong[i], -INFINITY, INFINITY, &value));
    assert_true(value == 42);
    /* Where the machine has a locale with a comma, it must not matter. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    assert_true(as_parse_double("1.5e-3", -1, 1, &value));
    setlocale(LC_ALL, "C");
    assert_true(value == 1.5e-3);
}

static void shapes_are_extents_with_x_between(void **state)
{
    (void)state;
    int64_t extents[8];
    size_t n = 0;
    assert_int_equal(as_parse_shape("--shape", "1x3x640x960", 8, extents, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 4);
    assert_int_equal(extents[0], 1);
    assert_int_equal(extents[3], 960);
    static const char *const wrong[] = {"",     "x",   "1x",    "x1",    "1xx2",         "1x0",
                                        "1x-3", "1X3", "1x3.0", "1x3x4", "1x99999999999"};
    for (size_t i = 0; i < AS_COUNT_OF(wrong); i++) {
        assay_error err = {0};
        assert_int_equal(as_parse_shape("--shape", wrong[i], 2, extents, &n, &err),
                         ASSAY_E_ARGUMENT);
        assert_non_null(strstr(err.message, "as in 1x3x640x640"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_reaches_its_field),
        cmocka_unit_test(defaults_stay_where_nothing_is_said),
        cmocka_unit_test(arguments_and_options_mix_and_two_dashes_end_options),
        cmocka_unit_test(the_frame_has_help_version_verbose_and_quiet),
        cmocka_unit_test(wrong_use_is_one_sentence_with_the_value_seen),
        cmocka_unit_test(a_failed_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(whole_numbers_are_decimal_and_whole),
        cmocka_unit_test(numbers_are_finite_and_have_a_point_in_every_locale),
        cmocka_unit_test(shapes_are_extents_with_x_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
