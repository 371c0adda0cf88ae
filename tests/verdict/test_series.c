/* SPDX-License-Identifier: Apache-2.0 */
/* Case B29: thirteen series of samples with known faults, and the flags that each must get. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "verdict/series.h"

#define CASE "cases/B29-clock-outliers-dead-code/"
enum { MOST = 64 };

typedef struct series {
    as_timed samples[MOST];
    size_t n;
} series;

/* The lines of one series, as they stand in the file. */
static series read_series(const char *name)
{
    series s = {.n = 0};
    char line[512];
    FILE *file = fopen(CASE "samples.jsonl", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        json_t *row = json_loads(line, 0, NULL);
        const json_t *end = json_object_get(row, "t_end_ns");
        assert_non_null(row);
        if (strcmp(json_string_value(json_object_get(row, "series")), name) == 0) {
            assert_true(s.n < MOST);
            s.samples[s.n++] =
                (as_timed){.id = json_integer_value(json_object_get(row, "id")),
                           .begin_ns = json_integer_value(json_object_get(row, "t_start_ns")),
                           .end_ns = json_integer_value(end),
                           .is_complete = json_is_integer(end)};
        }
        json_decref(row);
    }
    fclose(file);
    assert_true(s.n > 0);
    return s;
}

/* 2.0e8 multiply-adds a call are declared; no machine does 1e13 in a second on one core. */
static as_series_report *look(const series *s, bool has_work)
{
    as_series_report *report;
    assay_error err = {0};
    as_series_what what = {.resolution_ns = 1};
    if (has_work) what.macs = 2.0e8;
    if (has_work) what.peak_macs_s = 1e13;
    if (as_series_look(s->samples, s->n, &what, &report, &err)) fail_msg("%s", err.message);
    return report;
}

static bool has(const as_series_report *report, const char *flag, int64_t id)
{
    for (size_t i = 0; i < report->n_findings; i++)
        if (strcmp(as_series_flag_name(report->findings[i].flag), flag) == 0 &&
            report->findings[i].id == id)
            return true;
    return false;
}

/* expected.json is {"series": {"flags": [{"id": 7, "flag": "negative"}, ...], ...}, ...}. */
static void every_series_gets_its_flags_and_no_other(void **state)
{
    (void)state;
    json_t *expected = json_load_file(CASE "expected.json", 0, NULL);
    const char *name;
    json_t *of_series;
    assert_int_equal(json_object_size(expected), 13);
    json_object_foreach(expected, name, of_series)
    {
        series s = read_series(name);
        as_series_report *report = look(&s, strcmp(name, "implausible_speed") == 0);
        const json_t *flags = json_object_get(of_series, "flags");
        for (size_t i = 0; i < json_array_size(flags); i++) {
            const json_t *flag = json_array_get(flags, i), *id = json_object_get(flag, "id");
            const char *words = json_string_value(json_object_get(flag, "flag"));
            if (!has(report, words, id ? json_integer_value(id) : -1))
                fail_msg("%s lacks '%s'", name, words);
        }
        if (report->n_findings != json_array_size(flags))
            for (size_t i = 0; i < report->n_findings; i++)
                print_message("%s: %s, id %lld\n", name,
                              as_series_flag_name(report->findings[i].flag),
                              (long long)report->findings[i].id);
        assert_int_equal(report->n_findings, json_array_size(flags));
        as_series_free(report);
    }
    json_decref(expected);
}

static void what_is_no_duration_is_left_out_and_counted(void **state)
{
    (void)state;
    series normal = read_series("normal"), negative = read_series("negative_duration");
    series zero = read_series("zero_duration"), missing = read_series("missing_end");
    as_series_report *a = look(&normal, false), *b = look(&negative, false);
    as_series_report *c = look(&zero, false), *d = look(&missing, false);
    assert_int_equal((int64_t)a->ns.median, 9980315);
    assert_int_equal(a->ns.n, 20);
    assert_true(b->ns.n == 19 && b->n_left_out == 1 && b->ns.least > 9e6);
    assert_true(c->ns.n == 18 && c->n_left_out == 2 && c->ns.least > 9e6);
    assert_true(d->ns.n == 19 && d->n_left_out == 1 && d->ns.least > 9e6);
    as_series_free(a);
    as_series_free(b);
    as_series_free(c);
    as_series_free(d);
}

static void a_cold_call_is_told_apart_and_an_outlier_is_kept(void **state)
{
    (void)state;
    series cold = read_series("cold_first"), wild = read_series("one_outlier");
    as_series_report *a = look(&cold, false), *b = look(&wild, false);
    assert_true(a->first_ns == 95000000 && a->ns.n == 19 && a->ns.greatest < 11e6);
    assert_true(b->ns.n == 20 && b->ns.greatest == 1.1e9);
    assert_true(b->ns.median > 9.9e6 && b->ns.median < 10.1e6);
    assert_true(isnan(b->first_ns));
    as_series_free(a);
    as_series_free(b);
}

static void drift_and_jump_say_how_far(void **state)
{
    (void)state;
    series drift = read_series("drift_up"), jump = read_series("two_levels");
    as_series_report *a = look(&drift, false), *b = look(&jump, false);
    assert_true(fabs(a->change - 0.38) < 0.01); /* 19 steps of 2 % of the start value */
    assert_true(fabs(b->change - 0.40) < 0.02);
    as_series_free(a);
    as_series_free(b);
}

static void ids_are_sorted_as_numbers_and_a_doubled_one_is_refused(void **state)
{
    (void)state;
    series permuted = read_series("non_monotonic_ids"), doubled = read_series("duplicate_id");
    as_series_report *a = look(&permuted, false), *b = look(&doubled, false);
    assert_true(!a->is_refused && a->ns.n == 20);
    assert_true(b->is_refused && b->ns.n == 0);
    as_series_free(a);
    as_series_free(b);
}

static void a_steady_series_is_not_flagged_by_chance(void **state)
{
    (void)state;
    uint64_t random = 20260918;
    size_t n_courses = 0;
    for (int trial = 0; trial < 400; trial++) {
        series s = {.n = 20};
        for (size_t i = 0; i < s.n; i++) {
            int64_t sum = 0; /* of 12 uniform values: nearly normal, deviation 1 */
            for (int k = 0; k < 12; k++) {
                random = random * 6364136223846793005U + 1442695040888963407U;
                sum += (int64_t)(random >> 44); /* 20 bits */
            }
            int64_t ns = 10000000 + (sum - 6 * 1048576) / 11;
            s.samples[i] = (as_timed){(int64_t)i, 0, ns, true};
        }
        as_series_report *report = look(&s, false);
        n_courses += report->change != 0;
        as_series_free(report);
    }
    assert_true(n_courses <= 4);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    series s = read_series("cold_first");
    const as_series_what what = {.resolution_ns = 1};
    assay_code code = ASSAY_E_MEMORY;
    size_t at = 0;
    while (code) {
        as_series_report *report;
        as_memory_fail_at(++at);
        code = as_series_look(s.samples, s.n, &what, &report, NULL);
        as_memory_fail_at(0);
        assert_true(!code == (report != NULL));
        as_series_free(report);
    }
    assert_true(at > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_series_gets_its_flags_and_no_other),
        cmocka_unit_test(what_is_no_duration_is_left_out_and_counted),
        cmocka_unit_test(a_cold_call_is_told_apart_and_an_outlier_is_kept),
        cmocka_unit_test(drift_and_jump_say_how_far),
        cmocka_unit_test(ids_are_sorted_as_numbers_and_a_doubled_one_is_refused),
        cmocka_unit_test(a_steady_series_is_not_flagged_by_chance),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
