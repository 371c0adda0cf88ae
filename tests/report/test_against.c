/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs against each other, and a run against a requirement; their numbers are synthetic.h's. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "report/report.h"
#include "synthetic.h"

static const synthetic twelve = {
    .n_policies = 3, .n_rounds = 12, .n_rounds_done = 12, .state = AS_RUN_FINISHED};

/** What --against says of two runs. */
typedef struct said {
    char *text; /* free */
    json_t *json;
    size_t n_regressions;
} said;

static void say(const as_report *report, const char *folder, bool as_json, char **text,
                size_t *n_regressions)
{
    size_t size;
    assay_error err = {0};
    FILE *out = open_memstream(text, &size);
    assert_non_null(out);
    if (as_report_against(report, folder, as_json, out, n_regressions, &err))
        fail_msg("%s", err.message);
    fclose(out);
}

static said compare_in(as_language language, const synthetic *now, const synthetic *then)
{
    said s = {0};
    as_report *report;
    assay_error err = {0};
    char *folders[2] = {synthetic_folder(), synthetic_folder()}, *json;
    synthetic_write(now, folders[0]);
    synthetic_write(then, folders[1]);
    if (as_report_open_in(folders[0], language, &report, &err)) fail_msg("%s", err.message);
    say(report, folders[1], false, &s.text, &s.n_regressions);
    say(report, folders[1], true, &json, &s.n_regressions);
    s.json = json_loads(json, 0, NULL);
    assert_non_null(s.json);
    free(json);
    as_report_close(report);
    synthetic_remove(folders[0]);
    synthetic_remove(folders[1]);
    return s;
}

static said compare(const synthetic *now, const synthetic *then)
{
    return compare_in(AS_ENGLISH, now, then);
}

static void forget(said *s)
{
    free(s->text);
    json_decref(s->json);
}

/** The change of this kind and name; NULL without one. */
static const json_t *find(const said *s, const char *kind, const char *what)
{
    size_t i;
    const json_t *change;
    json_array_foreach(json_object_get(s->json, "changes"), i, change)
    {
        if (strcmp(json_string_value(json_object_get(change, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(change, "what")), what) == 0)
            return change;
    }
    return NULL;
}

static double number(const json_t *change, const char *key)
{
    assert_non_null(change);
    return json_number_value(json_object_get(change, key));
}

static void a_run_against_itself_has_no_change_but_costs(void **state)
{
    (void)state;
    said s = compare(&twelve, &twelve);
    assert_int_equal(s.n_regressions, 0);
    assert_int_equal(json_array_size(json_object_get(s.json, "changes")), 3);
    assert_true(fabs(number(find(&s, "cost", "split"), "ratio") - 1) < 1e-12);
    assert_non_null(
        strstr(s.text, "Against the run of 2026-09-18T09:00:00Z: no regression.\n"));
    forget(&s);
}

/* Forward is 10 ms of 11.6 ms for each input of base: 20 % more of it is 17.2 % of the whole. */
static void a_slower_forward_is_found_with_its_stage(void **state)
{
    (void)state;
    synthetic slow = twelve;
    slow.slowdown = 1.2;
    said s = compare(&slow, &twelve);
    assert_int_equal(s.n_regressions, 3);
    const json_t *whole = find(&s, "cost", "base"), *stage = find(&s, "cost", "base forward");
    assert_true(number(whole, "low") > 1.1 && number(whole, "high") < 1.25);
    assert_true(number(whole, "low") < 1.172 && number(whole, "high") > 1.172);
    assert_true(number(stage, "low") < 1.2 && number(stage, "high") > 1.2);
    assert_null(find(&s, "cost", "base preprocess"));
    assert_non_null(strstr(s.text, "3 regressions.\n! cost     base: "));
    forget(&s);
    s = compare(&twelve, &slow);
    assert_int_equal(s.n_regressions, 0);
    assert_string_equal(json_string_value(json_object_get(find(&s, "cost", "base"), "verdict")),
                        "faster");
    forget(&s);
}

static void three_rounds_decide_nothing_and_say_how_many_would(void **state)
{
    (void)state;
    synthetic now = twelve, then = twelve;
    now.n_rounds = now.n_rounds_done = then.n_rounds = then.n_rounds_done = 3;
    now.slowdown = 1.5;
    said s = compare(&now, &then);
    assert_int_equal(s.n_regressions, 0);
    /* Three policies: P(U = 0) of 5 and 5 is 1/252, of 4 and 4 1/70, and 0.05 / 3 / 2 is 1/120. */
    assert_non_null(strstr(s.text, "no interval, 5 rounds of each run are needed"));
    forget(&s);
}

static void changed_boxes_are_a_regression_of_whoever_changed(void **state)
{
    (void)state;
    synthetic wavers = twelve;
    wavers.baseline_wavers = true;
    said s = compare(&wavers, &twelve);
    const json_t *change = find(&s, "answers", "base");
    assert_non_null(change);
    assert_string_equal(json_string_value(json_object_get(change, "now")), "boxes differ");
    assert_int_equal(s.n_regressions, 1);
    forget(&s);
    s = compare(&twelve, &wavers);
    assert_int_equal(s.n_regressions, 0);
    forget(&s);
}

static void policies_in_one_run_alone_are_named(void **state)
{
    (void)state;
    synthetic two = twelve;
    two.n_policies = 2;
    said s = compare(&twelve, &two);
    const json_t *change = find(&s, "policy", "split");
    assert_non_null(change);
    assert_string_equal(json_string_value(json_object_get(change, "then")), "not there");
    assert_null(find(&s, "cost", "split"));
    forget(&s);
    s = compare(&two, &twelve);
    assert_non_null(
        strstr(s.text, "  policy   split: split=native,split-at=16,split-to=8 -> not there\n"));
    forget(&s);
}

/* Between two runs nothing cancels what disturbed one of them, so that is said beside their times. */
static void dirty_rounds_of_either_run_are_said(void **state)
{
    (void)state;
    synthetic disturbed = twelve;
    disturbed.tells_noise = true;
    said s = compare(&disturbed, &twelve);
    assert_non_null(strstr(s.text, "0 of 12 rounds were dirty then, 1 of 12 now: what "));
    assert_true(number(json_object_get(s.json, "now_rounds"), "dirty") == 1);
    assert_true(number(json_object_get(s.json, "then_rounds"), "of") == 12);
    forget(&s);
    s = compare(&twelve, &twelve);
    assert_null(strstr(s.text, "dirty"));
    forget(&s);
}

/** The gate's answer on a run of `rounds` rounds, and its lines. */
static as_requirement_state gate_in(as_language language, int n_policies, int rounds,
                                    const char *wanted, char **lines)
{
    synthetic what = {.n_policies = n_policies,
                      .n_rounds = rounds,
                      .n_rounds_done = rounds,
                      .state = AS_RUN_FINISHED};
    as_report *report;
    as_requirement requirement;
    size_t size;
    char *folder = synthetic_folder();
    synthetic_write(&what, folder);
    assert_int_equal(as_report_open_in(folder, language, &report, NULL), ASSAY_OK);
    assert_int_equal(as_requirement_parse(wanted, &requirement, NULL), ASSAY_OK);
    FILE *out = open_memstream(lines, &size);
    as_requirement_state state = as_report_require(report, &requirement, out);
    fclose(out);
    as_report_close(report);
    synthetic_remove(folder);
    return state;
}

static as_requirement_state gate(int n_policies, int rounds, const char *wanted, char **lines)
{
    return gate_in(AS_ENGLISH, n_policies, rounds, wanted, lines);
}

static void layers_with_another_route_and_those_that_moved_are_named(void **state)
{
    (void)state;
    synthetic now = twelve, then = twelve;
    now.has_profiles = then.has_profiles = true;
    said s = compare(&now, &then);
    assert_null(strstr(s.text, "layer"));
    forget(&s);
    now.profile_route = "winograd4";
    now.profile_relu_ns = 1500000;
    s = compare(&now, &then);
    const json_t *conv = find(&s, "layer", "base Conv c1 3x3x128x256 -> 3x8x64x128"),
                 *relu = find(&s, "layer", "base Relu r1");
    assert_non_null(conv);
    assert_string_equal(json_string_value(json_object_get(conv, "then")), "direct, 3.000 ms");
    assert_string_equal(json_string_value(json_object_get(conv, "now")), "winograd4, 3.000 ms");
    assert_non_null(relu);
    assert_string_equal(json_string_value(json_object_get(relu, "now")), "map, 1.500 ms");
    assert_int_equal(s.n_regressions, 0);
    assert_non_null(strstr(s.text,
                           "Layers are those of traced calls: a hint where to look.  No "
                           "interval from 1 of each run: --traces 5 gives one."));
    forget(&s);
}

/* Five traces of 1.5 to 1.56 ms against five of 1 to 1.04: two layers hold together at 97.5 %. */
static void layers_of_enough_traces_have_an_interval(void **state)
{
    (void)state;
    synthetic now = twelve, then = twelve;
    now.has_profiles = then.has_profiles = true;
    now.n_traces = then.n_traces = 5;
    now.profile_relu_ns = 1500000;
    said s = compare(&now, &then);
    const json_t *relu = find(&s, "layer", "base Relu r1");
    assert_string_equal(json_string_value(json_object_get(relu, "now")), "map, 1.530 ms");
    assert_string_equal(json_string_value(json_object_get(relu, "verdict")), "slower");
    const double low = json_number_value(json_object_get(relu, "low")),
                 high = json_number_value(json_object_get(relu, "high"));
    assert_true(low > 1.44 && low < 1.5 && high > 1.5 && high < 1.56);
    assert_true(fabs(json_number_value(json_object_get(relu, "level")) - 0.975) < 1e-12);
    assert_non_null(strstr(s.text, "Medians of 5 traces or more of each run, "));
    assert_null(find(&s, "layer", "base Conv c1 3x3x128x256 -> 3x8x64x128"));
    assert_int_equal(s.n_regressions, 0);
    forget(&s);
}

static void a_requirement_holds_every_candidate(void **state)
{
    (void)state;
    char *lines;
    /* gemm takes 1.17 of base's time, split 0.91. */
    assert_int_equal(gate(3, 12, "not-slower", &lines), AS_REQUIREMENT_BROKEN);
    assert_non_null(strstr(lines, "require: gemm is broken: +"));
    assert_non_null(strstr(lines,
                           "require: split is met: -8.4 % of time, 97.5 % interval -9.2 to "
                           "-8.4, at most +1.0 is needed\n"));
    free(lines);
    assert_int_equal(gate(3, 3, "not-slower", &lines), AS_REQUIREMENT_UNDECIDED);
    assert_non_null(
        strstr(lines, "split is undecided: no interval from 3 rounds, 7 are needed"));
    free(lines);
    assert_int_equal(gate(1, 12, "not-slower", &lines), AS_REQUIREMENT_UNDECIDED);
    free(lines);
    assert_int_equal(gate(4, 12, "faster=1.05", &lines), AS_REQUIREMENT_BROKEN);
    assert_non_null(strstr(lines, "require: bucket is broken: boxes differ\n"));
    free(lines);
}

/* Words are Chinese, numbers, names and what programs read are not. */
static void lines_are_chinese_and_json_stays(void **state)
{
    (void)state;
    char *lines;
    synthetic slow = twelve, two = twelve;
    slow.slowdown = 1.2;
    two.n_policies = 2;
    assert_int_equal(gate_in(AS_CHINESE, 4, 12, "not-slower", &lines), AS_REQUIREMENT_BROKEN);
    assert_non_null(strstr(lines, "要求：gemm 不符：用时 +"));
    assert_non_null(strstr(lines, "要求：split 符合：用时 -8.4 %，"));
    assert_non_null(strstr(lines, "要求：bucket 不符：框不同\n"));
    free(lines);
    gate_in(AS_CHINESE, 3, 3, "not-slower", &lines);
    assert_non_null(strstr(lines, "要求：split 未决：3 轮得不出区间，需要 7 轮\n"));
    free(lines);
    said s = compare_in(AS_CHINESE, &slow, &twelve);
    assert_non_null(strstr(s.text, "与 2026-09-18T09:00:00Z 的运行相比：3 处退步。\n"));
    assert_non_null(strstr(s.text, "! 开销     base: 原为 "));
    assert_non_null(strstr(s.text, "  开销     base 前向: "));
    assert_non_null(find(&s, "cost", "base forward"));
    forget(&s);
    s = compare_in(AS_CHINESE, &two, &twelve);
    assert_non_null(strstr(s.text, "split=native,split-at=16,split-to=8 -> 不存在\n"));
    const json_t *gone = find(&s, "policy", "split");
    assert_string_equal(json_string_value(json_object_get(gone, "now")), "not there");
    forget(&s);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic traced = twelve;
    traced.has_profiles = true;
    synthetic_write(&traced, folder);
    as_report *report;
    FILE *out = fopen("/dev/null", "w");
    size_t n_regressions;
    assert_int_equal(as_report_open(folder, &report, NULL), ASSAY_OK);
    size_t before = as_memory_count();
    assert_int_equal(as_report_against(report, folder, true, out, &n_regressions, NULL),
                     ASSAY_OK);
    size_t n = as_memory_count() - before;
    for (size_t i = 1; i <= n; i += 1 + n / 100) {
        as_memory_fail_at(i);
        assay_code code = as_report_against(report, folder, true, out, &n_regressions, NULL);
        as_memory_fail_at(0);
        if (code != ASSAY_E_MEMORY) fail_msg("allocation %zu of %zu: code %d", i, n, code);
    }
    fclose(out);
    as_report_close(report);
    synthetic_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_against_itself_has_no_change_but_costs),
        cmocka_unit_test(a_slower_forward_is_found_with_its_stage),
        cmocka_unit_test(three_rounds_decide_nothing_and_say_how_many_would),
        cmocka_unit_test(changed_boxes_are_a_regression_of_whoever_changed),
        cmocka_unit_test(policies_in_one_run_alone_are_named),
        cmocka_unit_test(layers_of_enough_traces_have_an_interval),
        cmocka_unit_test(layers_with_another_route_and_those_that_moved_are_named),
        cmocka_unit_test(dirty_rounds_of_either_run_are_said),
        cmocka_unit_test(a_requirement_holds_every_candidate),
        cmocka_unit_test(lines_are_chinese_and_json_stays),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
