/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/candidate_files.h"

enum { N = 4, N_REPEATS = 100 };

/** Rows that a test may change: b is the baseline, a equal but faster, "c,d" worse and slow, e diverged. */
typedef struct known {
    as_candidate_row rows[N];
    as_candidate_sample_row samples[3 * N_REPEATS];
    as_candidates candidates;
} known;

static known *make(void)
{
    static known k;
    const double times_us[] = {2, 4, 8};
    k.rows[0] = (as_candidate_row){"a", true, 100, 1000, 0.95, 0, 0.94};
    k.rows[1] = (as_candidate_row){"b", false, 200, 4000, 0.95, 0, NAN};
    k.rows[2] = (as_candidate_row){"c,d", false, 300, 8000, 0.9, 0, NAN};
    k.rows[3] = (as_candidate_row){"e", true, 400, 2000, NAN, 0, NAN};
    for (int i = 0; i < 3 * N_REPEATS; i++)
        k.samples[i] = (as_candidate_sample_row){i % 3, 0, i / 3, times_us[i % 3]};
    k.candidates = (as_candidates){k.rows, N, k.samples, AS_COUNT_OF(k.samples), 1, 7};
    return &k;
}

static as_candidate_report *report_of(const known *k)
{
    as_candidate_report *out;
    assay_error err;
    if (as_candidate_report_new(&k->candidates, &out, &err)) fail_msg("%s", err.message);
    return out;
}

static void the_faster_of_equals_is_chosen_and_alone_on_the_front(void **state)
{
    (void)state;
    as_candidate_report *r = report_of(make());
    assert_int_equal(r->selection.by_accuracy, 0);
    assert_int_equal(r->selection.by_latency, 0);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(r->is_front[i], i == 0);
    assert_false(r->scored[3].trained);
    as_candidate_report_free(r);
}

static void test_accuracies_move_no_choice(void **state)
{
    (void)state;
    known *k = make();
    as_candidate_report *before = report_of(k);
    for (size_t i = 0; i < N; i++)
        k->rows[i].test_accuracy = i == 2;
    as_candidate_report *after = report_of(k);
    assert_int_equal(before->selection.by_accuracy, after->selection.by_accuracy);
    assert_int_equal(before->selection.by_latency, after->selection.by_latency);
    assert_int_equal(before->selection.random_two, after->selection.random_two);
    as_candidate_report_free(before);
    as_candidate_report_free(after);
}

static void rows_that_do_not_belong_together_are_one_sentence(void **state)
{
    (void)state;
    as_candidate_report *out;
    assay_error err;
    known *k = make();
    k->samples[7].candidate = N;
    assert_int_equal(as_candidate_report_new(&k->candidates, &out, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "latency sample 7 is of candidate 4 of 4");
    k = make();
    k->samples[9].latency_us = NAN;
    assert_int_equal(as_candidate_report_new(&k->candidates, &out, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "latency sample 9 took"));
    k = make();
    k->rows[2].validation_accuracy = 1.5;
    assert_int_equal(as_candidate_report_new(&k->candidates, &out, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "an accuracy of candidate c,d is not in 0..1");
    k = make();
    k->candidates.baseline = N;
    assert_int_equal(as_candidate_report_new(&k->candidates, &out, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "the baseline is candidate 4 of 4");
    assert_null(out);
}

static as_bytes read_in(const char *folder, const char *name)
{
    as_bytes bytes = {0};
    char *path = as_path_join(folder, name);
    assert_non_null(path);
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    as_free(path);
    return bytes;
}

static void expect_text(const char *folder, const char *name, const char *text)
{
    as_bytes bytes = read_in(folder, name);
    assert_non_null(strstr((const char *)bytes.data, text));
    as_bytes_free(&bytes);
}

static void files_hold_the_rows(const char *folder)
{
    as_bytes results = read_in(folder, "candidate-results.csv");
    assert_string_equal((const char *)results.data,
                        "name,validation_acc,params,mac,median_us,p10_us,p90_us,test_acc,"
                        "pareto_validation_latency\n"
                        "a,0.95,100,1000,2,2,2,0.94,true\n"
                        "b,0.95,200,4000,4,4,4,,false\n"
                        "\"c,d\",0.9,300,8000,8,8,8,,false\n"
                        "e,,400,2000,,,,,false\n");
    as_bytes_free(&results);
    expect_text(folder, "candidate-latency-samples.csv",
                "name,round,repeat,latency_us\na,1,1,2\nb,1,1,4\n\"c,d\",1,1,8\na,1,2,2\n");
    expect_text(folder, "selection.json", "\"manual_baseline\": \"b\"");
    expect_text(folder, "selection.json", "\"validation_accuracy\": \"a\"");
    expect_text(folder, "selection.json", "\"latency_under_baseline_quality_and_cost\": \"a\"");
    expect_text(folder, "selection.json", "\"validation_accuracy_ties\": [\n    \"b\"");
}

static void the_same_rows_give_the_same_bytes(void **state)
{
    (void)state;
    char folders[2][32] = {"candidates.XXXXXX", "candidates.XXXXXX"};
    as_candidate_report *r = report_of(make());
    as_names names[2];
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(mkdtemp(folders[i]));
        assert_int_equal(as_selection_write(r, folders[i], NULL), ASSAY_OK);
        assert_int_equal(as_candidate_files_write(r, folders[i], NULL), ASSAY_OK);
        assert_int_equal(as_folder_list(folders[i], &names[i], NULL), ASSAY_OK);
        files_hold_the_rows(folders[i]);
    }
    assert_int_equal(names[0].n, names[1].n);
    for (size_t i = 0; i < names[0].n; i++) {
        as_bytes a = read_in(folders[0], names[0].items[i]);
        as_bytes b = read_in(folders[1], names[0].items[i]);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.data, b.data, a.size);
        as_bytes_free(&a);
        as_bytes_free(&b);
    }
    for (size_t i = 0; i < 2; i++) {
        as_names_free(&names[i]);
        assert_int_equal(as_path_remove(folders[i], NULL), ASSAY_OK);
    }
    as_candidate_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faster_of_equals_is_chosen_and_alone_on_the_front),
        cmocka_unit_test(test_accuracies_move_no_choice),
        cmocka_unit_test(rows_that_do_not_belong_together_are_one_sentence),
        cmocka_unit_test(the_same_rows_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
