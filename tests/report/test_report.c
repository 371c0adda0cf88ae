/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers and words of the report, of runs whose every number is known. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/report.h"
#include "synthetic.h"

#include "../evidence/old_schema.h"

/** An opened report of a synthetic run. */
typedef struct opened {
    char *folder;
    as_report *report;
    json_t *summary;
} opened;

static opened open_run(const synthetic *what)
{
    opened o = {.folder = synthetic_folder()};
    assay_error err = {0};
    json_error_t where;
    synthetic_write(what, o.folder);
    if (as_report_open(o.folder, &o.report, &err)) fail_msg("%s", err.message);
    o.summary = json_loads(as_report_json(o.report), 0, &where);
    if (!o.summary) fail_msg("summary.json: %s in line %d", where.text, where.line);
    return o;
}

static void close_run(opened *o)
{
    json_decref(o->summary);
    as_report_close(o->report);
    synthetic_remove(o->folder);
}

/** The value at "policies.2.equality.inputs_checked". */
static const json_t *at(const opened *o, const char *path)
{
    const json_t *value = o->summary;
    char *copy = as_strdup(path), *rest = copy;
    for (char *key; value && (key = strsep(&rest, "."));)
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                     : json_object_get(value, key);
    if (!value) fail_msg("summary.json has no %s", path);
    as_free(copy);
    return value;
}

static void assert_number(const opened *o, const char *path, double expected)
{
    double value = json_number_value(at(o, path));
    if (!json_is_number(at(o, path)) || !(fabs(value - expected) <= 1e-10 * fabs(expected)))
        fail_msg("%s is %.12g, not %.12g", path, value, expected);
}

static void assert_text(const opened *o, const char *path, const char *expected)
{
    assert_non_null(json_string_value(at(o, path)));
    assert_string_equal(json_string_value(at(o, path)), expected);
}

/** Whether a warning says `part`. */
static bool warns(const opened *o, const char *part)
{
    for (const char *const *w = as_report_warnings(o->report); *w; w++)
        if (strstr(*w, part)) return true;
    return false;
}

static const synthetic five = {.n_policies = 5,
                               .n_rounds = 3,
                               .n_rounds_done = 3,
                               .state = AS_RUN_FINISHED,
                               .has_snapshots = true};

/* Medians, quartiles, ratios: numpy on the times of synthetic.h. */
static void three_rounds_give_medians_and_no_interval(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_text(
        &o, "verdict.headline",
        "split looks the cheapest with equal boxes: 8.5 % less detection time than base.");
    assert_text(
        &o, "verdict.certainty",
        "No interval: 3 rounds, 8 are needed.  Medians: 0.226 s against 0.247 s; faster "
        "in 3 of 3 rounds.");
    assert_text(&o, "verdict.chosen", "split");
    assert_true(json_is_false(at(&o, "verdict.is_certain")));
    assert_number(&o, "policies.0.detection_s.median", 0.2473968);
    assert_number(&o, "policies.1.detection_s.median", 0.288624);
    assert_number(&o, "policies.2.detection_s.median", 0.22638);
    assert_number(&o, "policies.2.detection_s.least", 0.223356);
    assert_number(&o, "policies.2.rounds_s.1", 0.22678068);
    assert_number(&o, "policies.2.reduction_percent", 8.49517859568);
    assert_number(&o, "policies.1.reduction_percent", -16.6644030966);
    assert_number(&o, "policies.2.ratio", 0.91280691599);
    assert_number(&o, "policies.1.ratio", 1.16986008532);
    assert_text(&o, "policies.2.interval", "no interval: 3 rounds");
    assert_true(warns(&o, "No interval: 3 rounds."));
    close_run(&o);
}

static void twelve_rounds_give_intervals_and_certainty(void **state)
{
    (void)state;
    synthetic what = {
        .n_policies = 3, .n_rounds = 12, .n_rounds_done = 12, .state = AS_RUN_FINISHED};
    opened o = open_run(&what);
    assert_number(&o, "policies.2.ratio", 0.916042892915);
    assert_number(&o, "policies.2.interval.low", 0.908376233115);
    assert_number(&o, "policies.2.interval.high", 0.916475869104);
    assert_number(&o, "policies.2.interval.level", 0.975);
    assert_number(&o, "policies.1.interval.low", 1.16552078679);
    assert_text(&o, "policies.2.verdict", "faster");
    assert_text(&o, "policies.1.verdict", "slower");
    assert_text(&o, "verdict.certainty",
                "97.5 % interval: 8.4 to 9.2 % less, from 12 paired rounds; faster in 12 of "
                "them.");
    assert_true(json_is_true(at(&o, "verdict.is_certain")));
    assert_true(as_report_holds(o.report));
    assert_false(warns(&o, "No interval"));
    close_run(&o);
}

static void one_moved_corner_excludes_a_faster_policy(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_text(&o, "policies.3.verdict", "boxes differ");
    assert_number(&o, "policies.3.equality.inputs_differing", 3);
    assert_number(&o, "policies.3.equality.answers_differing", 9);
    assert_number(&o, "policies.3.equality.farthest_corner_px", 5);
    assert_true(json_is_null(at(&o, "policies.3.equality.mismatch_rate_at_most")));
    assert_text(&o, "differences.0.input", "p1-r2");
    assert_text(&o, "differences.0.first_difference",
                "box 1 of 1 is (13,12) (103,12) (106,34) (13,30) where the truth has (13,12) "
                "(103,12) (103,30) (13,30)");
    assert_int_equal(json_array_size(at(&o, "differences")), 3);
    assert_false(as_report_holds(o.report));
    assert_true(warns(&o, "bucket changes boxes on 3 of 21 inputs, corners up to 5.0 px away"));
    close_run(&o);
}

static void equality_counts_inputs_answers_and_empty_ones(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_number(&o, "policies.2.equality.inputs_checked", 21);
    assert_number(&o, "policies.2.equality.inputs_with_boxes", 15); /* 0, 4, ... 20 have none */
    assert_number(&o, "policies.2.equality.answers_checked", 63);
    assert_number(&o, "policies.2.equality.mismatch_rate_at_most", 3.0 / 15);
    assert_number(&o, "policies.0.equality.answers_checked", 42); /* its first ones are truth */
    assert_int_equal(json_array_size(at(&o, "inputs_without_boxes")), 6);
    assert_text(&o, "inputs_without_boxes.1", "p1-r5");
    assert_true(warns(&o, "6 of 21 inputs have no box in the truth"));
    close_run(&o);
}

static void a_failed_policy_is_told_with_its_sentence(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_text(&o, "policies.4.verdict", "failed");
    assert_text(&o, "policies.4.failure", "The worker of broken crashed in call a1");
    assert_true(warns(&o, "broken failed in round 2: The worker of broken crashed in call a1 "
                          "(signal 11 (Segmentation fault), log round-2-broken.log)"));
    assert_number(&o, "policies.4.detection_s.n", 1);
    /* Against the baseline's first round, not its median over all: 0.24528 s to 0.2436 s. */
    assert_number(&o, "policies.4.reduction_percent", (1 - 0.24528 / 0.2436) * 100);
    close_run(&o);
}

static void memory_strata_and_stages_are_summed_where_they_belong(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_number(&o, "policies.2.peak_pss_bytes.worker", 170 << 20);
    assert_number(&o, "policies.2.peak_rss_bytes.worker", 222 << 20);
    assert_number(&o, "policies.0.strata.0.detection_s.median", 0.058904);
    assert_number(&o, "policies.2.strata.0.detection_s.median", 0.0539);
    assert_number(&o, "policies.0.strata.0.calls", 2);
    assert_number(&o, "policies.0.strata.1.inputs", 16);
    assert_number(&o, "policies.2.documents.0.forward_s.median", 0.16524);
    assert_number(&o, "policies.2.documents.0.postprocess_s.median", 0.009);
    assert_number(&o, "policies.2.documents.1.transfer_s.median", 0.0003);
    assert_number(&o, "slots.2.forwards", 4);
    assert_number(&o, "slots.2.total_s", synthetic_detection_s(2, 0) + 0.2);
    close_run(&o);
}

static void a_round_is_dirty_by_what_its_slots_tell(void **state)
{
    (void)state;
    opened o = open_run(&(synthetic){.n_policies = 3,
                                     .n_rounds = 3,
                                     .n_rounds_done = 3,
                                     .state = AS_RUN_FINISHED,
                                     .tells_noise = true});
    assert_number(&o, "noise.1.run_delay_percent", 8);
    assert_number(&o, "noise.1.off_cpu_percent", 25);
    assert_true(json_is_true(at(&o, "noise.1.dirty")));
    assert_true(json_is_false(at(&o, "noise.0.dirty")));
    assert_true(warns(&o, "1 of 3 rounds was dirty, and counted: round 2 (run delay 8.0 %)."));
    close_run(&o);
}

static void a_call_with_a_broken_clock_is_left_out_of_every_policy(void **state)
{
    (void)state;
    synthetic what = {.n_policies = 3,
                      .n_rounds = 3,
                      .n_rounds_done = 3,
                      .state = AS_RUN_FINISHED,
                      .tells_noise = true};
    opened whole = open_run(&what);
    what.breaks_clock = true;
    opened o = open_run(&what);
    for (int p = 0; p < 3; p++) { /* call a1 of two inputs is a tenth of 21 */
        char key[64];
        snprintf(key, sizeof key, "policies.%d.rounds_s.0", p);
        double all = json_number_value(at(&whole, key)), left = json_number_value(at(&o, key));
        if (!(fabs(left / all - 19.0 / 21) < 1e-6))
            fail_msg("%s: %.9g of %.9g", key, left, all);
        snprintf(key, sizeof key, "policies.%d.rounds_s.1", p);
        assert_true(json_number_value(at(&whole, key)) == json_number_value(at(&o, key)));
    }
    assert_true(warns(&o, "1 of 27 calls have no duration, the clock is broken"));
    close_run(&whole);
    close_run(&o);
}

static void an_unfit_machine_has_no_verdict(void **state)
{
    (void)state;
    opened o = open_run(&(synthetic){.n_policies = 3,
                                     .n_rounds = 12,
                                     .n_rounds_done = 12,
                                     .state = AS_RUN_STOPPED,
                                     .unfit = "the machine is unfit: it was throttled"});
    assert_text(&o, "verdict.headline", "No verdict: the machine is unfit to measure on.");
    assert_text(&o, "verdict.certainty",
                "Why there is no verdict: the machine is unfit: it was throttled.");
    close_run(&o);
}

/* The third look may spend 1/12 of the error: 5 % / 12 / 2 candidates. */
static void rounds_that_were_bought_share_the_error_with_the_looks_before(void **state)
{
    (void)state;
    opened o = open_run(&(synthetic){.n_policies = 3,
                                     .n_rounds = 12,
                                     .n_rounds_done = 12,
                                     .state = AS_RUN_FINISHED,
                                     .n_bought = 2});
    assert_number(&o, "policies.2.interval.level", 1 - 0.05 / 12 / 2);
    close_run(&o);
}

static void time_over_the_batch_size_is_by_the_image_and_says_where_it_breaks_even(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_int_equal(json_array_size(at(&o, "policies.0.batches")), 3);
    assert_number(&o, "policies.0.batches.0.n", 2);
    assert_number(&o, "policies.0.batches.2.inputs", 16);
    assert_number(&o, "policies.0.batches.2.megapixels", 16 * 128 * 256 / 1e6);
    assert_number(&o, "policies.0.batches.1.ms_per_image.median", 10.1808 + 1.6);
    assert_number(&o, "policies.2.break_even_n", 2); /* cheaper everywhere */
    assert_true(json_is_null(at(&o, "policies.1.break_even_n")));
    assert_true(json_is_null(at(&o, "policies.0.break_even_n")));
    assert_number(&o, "policies.0.stages.preprocess_s.median", 0.021);
    close_run(&o);
}

static void a_disturbed_round_is_dirty_and_still_counted(void **state)
{
    (void)state;
    opened o = open_run(&five);
    assert_true(json_is_false(at(&o, "noise.0.dirty")));
    assert_true(json_is_true(at(&o, "noise.1.dirty")));
    assert_number(&o, "noise.1.major_faults", 3);
    assert_true(warns(&o, "1 of 3 rounds was dirty, and counted: round 2 (PSI cpu 8."));
    assert_true(warns(&o, "When the run began: load average 3.00 on 2 CPUs"));
    assert_false(warns(&o, "turbo")); /* only what spoils */
    close_run(&o);
}

static void an_unfinished_run_says_how_far_it_got(void **state)
{
    (void)state;
    synthetic what = {
        .n_policies = 3, .n_rounds = 3, .n_rounds_done = 1, .state = AS_RUN_ROUNDS};
    opened o = open_run(&what);
    assert_true(warns(&o, "The run is unfinished: 1 of 3 rounds"));
    assert_false(as_report_is_finished(o.report));
    assert_text(&o, "state", "rounds");
    assert_number(&o, "rounds_done", 1);
    assert_true(json_is_null(at(&o, "policies.0.rounds_s.2")));
    close_run(&o);
}

static void a_run_without_a_slot_has_no_verdict(void **state)
{
    (void)state;
    synthetic what = {.n_policies = 3, .n_rounds = 3, .state = AS_RUN_SMOKE};
    opened o = open_run(&what);
    assert_text(&o, "verdict.headline", "No verdict yet: no formal round is finished.");
    assert_true(json_is_null(at(&o, "verdict.chosen")));
    assert_true(json_is_null(at(&o, "policies.1.equality.boxes_equal")));
    close_run(&o);
}

static void a_stopped_run_names_who_differed(void **state)
{
    (void)state;
    synthetic what = {
        .n_policies = 4, .n_rounds = 3, .state = AS_RUN_STOPPED, .is_smoke_only = true};
    opened o = open_run(&what);
    assert_text(&o, "verdict.headline",
                "Stopped before the rounds: bucket changed boxes against base.");
    assert_false(as_report_holds(o.report));
    assert_true(as_report_is_finished(o.report));
    close_run(&o);
}

static void a_baseline_that_wavers_decides_nothing(void **state)
{
    (void)state;
    synthetic what = {.n_policies = 3,
                      .n_rounds = 3,
                      .n_rounds_done = 3,
                      .state = AS_RUN_FINISHED,
                      .baseline_wavers = true};
    opened o = open_run(&what);
    assert_text(
        &o, "verdict.headline",
        "No verdict: the baseline base does not repeat its own boxes on 1 of 21 inputs.");
    assert_false(as_report_holds(o.report));
    close_run(&o);
}

static void one_policy_alone_is_measured_not_compared(void **state)
{
    (void)state;
    synthetic what = {
        .n_policies = 1, .n_rounds = 1, .n_rounds_done = 1, .state = AS_RUN_FINISHED};
    opened o = open_run(&what);
    assert_text(&o, "verdict.headline", "base was measured alone: 0.244 s (n = 1).");
    assert_true(as_report_holds(o.report));
    close_run(&o);
}

static void the_baseline_stays_when_nothing_is_faster(void **state)
{
    (void)state;
    synthetic what = {
        .n_policies = 2, .n_rounds = 6, .n_rounds_done = 6, .state = AS_RUN_FINISHED};
    opened o = open_run(&what);
    assert_text(&o, "verdict.headline", "base stays: no policy with equal boxes is faster.");
    assert_true(json_is_true(at(&o, "verdict.is_certain")));
    close_run(&o);
}

static void a_slot_that_lacks_a_call_breaks_the_constraint(void **state)
{
    (void)state;
    synthetic what = {.n_policies = 2,
                      .n_rounds = 1,
                      .n_rounds_done = 1,
                      .state = AS_RUN_FINISHED,
                      .leaves_out_call = true};
    opened o = open_run(&what);
    assert_true(warns(&o, "1 slot does not hold every call and every answer exactly once."));
    assert_false(as_report_holds(o.report));
    close_run(&o);
}

static void scores_that_are_no_numbers_are_equal_to_themselves_and_counted(void **state)
{
    (void)state;
    synthetic what = {.n_policies = 2,
                      .n_rounds = 1,
                      .n_rounds_done = 1,
                      .state = AS_RUN_FINISHED,
                      .is_wild = true};
    opened o = open_run(&what);
    assert_number(&o, "policies.1.equality.inputs_checked", 21);
    assert_true(json_is_true(at(&o, "policies.1.equality.boxes_equal")));
    assert_true(warns(&o, "gemm's maps hold 3 values that are no numbers."));
    close_run(&o);
}

static void the_terminal_gets_a_table(void **state)
{
    (void)state;
    opened o = open_run(&five);
    const char *text = as_report_text(o.report);
    assert_non_null(
        strstr(text, "policy  median s         range  n    change  PSS MiB  RSS MiB  boxes"));
    assert_non_null(strstr(text, "split      0.226  0.223..0.227  3    -8.5 %      170      "
                                 "222  21 equal        chosen\n"));
    assert_non_null(strstr(text, "3 of 21 differ  boxes differ\n"));
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(end - line <= 110);
    close_run(&o);
}

static void folders_that_are_no_run_get_one_sentence(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    char *path = as_path_join(folder, AS_EVIDENCE_FILE);
    as_report *report;
    assay_error err = {0};
    assert_int_equal(as_report_open("no/such/run", &report, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message,
                        "no/such/run does not exist, a run's folder holds evidence.db");
    assert_int_equal(as_report_open(folder, &report, &err), ASSAY_E_NOT_FOUND);
    assert_non_null(strstr(err.message, " holds no evidence.db, so it is no run"));
    assert_int_equal(as_file_write(path, "hello", 5, &err), ASSAY_OK);
    assert_int_equal(as_report_open(folder, &report, &err), ASSAY_E_FORMAT);
    assert_int_equal(as_report_open(path, &report, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, " is a file, a run is a folder with evidence.db"));
    assert_null(report);
    as_free(path);
    synthetic_remove(folder);
}

static void evidence_of_schema_1_gives_its_report(void **state)
{
    (void)state;
    opened o = {.folder = synthetic_folder()};
    char *path = as_path_join(o.folder, AS_EVIDENCE_FILE);
    assay_error err = {0};
    write_old_schema(path);
    if (as_report_open(o.folder, &o.report, &err)) fail_msg("%s", err.message);
    if (as_report_write_files(o.report, &err)) fail_msg("%s", err.message);
    o.summary = json_loads(as_report_json(o.report), 0, NULL);
    assert_number(&o, "rounds_done", 2);
    assert_number(&o, "policies.1.rounds_s.1", synthetic_detection_s(1, 1));
    assert_number(&o, "policies.1.equality.inputs_checked", SYNTHETIC_INPUTS);
    assert_true(json_is_null(at(&o, "corpus.calls_of_all")));
    as_free(path);
    close_run(&o);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    char *folder = synthetic_folder();
    synthetic_write(&five, folder);
    as_report *report;
    size_t before = as_memory_count();
    assert_int_equal(as_report_open(folder, &report, NULL), ASSAY_OK);
    size_t n = as_memory_count() - before;
    as_report_close(report);
    for (size_t i = 1; i <= n; i += 1 + n / 150) {
        assay_error err = {0};
        as_memory_fail_at(i);
        assay_code code = as_report_open(folder, &report, &err);
        as_memory_fail_at(0);
        if (code != ASSAY_E_MEMORY) fail_msg("allocation %zu of %zu: code %d", i, n, code);
        assert_null(report);
    }
    synthetic_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_rounds_give_medians_and_no_interval),
        cmocka_unit_test(twelve_rounds_give_intervals_and_certainty),
        cmocka_unit_test(a_round_is_dirty_by_what_its_slots_tell),
        cmocka_unit_test(a_call_with_a_broken_clock_is_left_out_of_every_policy),
        cmocka_unit_test(an_unfit_machine_has_no_verdict),
        cmocka_unit_test(rounds_that_were_bought_share_the_error_with_the_looks_before),
        cmocka_unit_test(one_moved_corner_excludes_a_faster_policy),
        cmocka_unit_test(equality_counts_inputs_answers_and_empty_ones),
        cmocka_unit_test(a_failed_policy_is_told_with_its_sentence),
        cmocka_unit_test(memory_strata_and_stages_are_summed_where_they_belong),
        cmocka_unit_test(
            time_over_the_batch_size_is_by_the_image_and_says_where_it_breaks_even),
        cmocka_unit_test(a_disturbed_round_is_dirty_and_still_counted),
        cmocka_unit_test(an_unfinished_run_says_how_far_it_got),
        cmocka_unit_test(a_run_without_a_slot_has_no_verdict),
        cmocka_unit_test(a_stopped_run_names_who_differed),
        cmocka_unit_test(a_baseline_that_wavers_decides_nothing),
        cmocka_unit_test(one_policy_alone_is_measured_not_compared),
        cmocka_unit_test(the_baseline_stays_when_nothing_is_faster),
        cmocka_unit_test(a_slot_that_lacks_a_call_breaks_the_constraint),
        cmocka_unit_test(scores_that_are_no_numbers_are_equal_to_themselves_and_counted),
        cmocka_unit_test(the_terminal_gets_a_table),
        cmocka_unit_test(folders_that_are_no_run_get_one_sentence),
        cmocka_unit_test(evidence_of_schema_1_gives_its_report),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
