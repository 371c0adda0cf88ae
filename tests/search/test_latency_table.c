/* SPDX-License-Identifier: Apache-2.0 */
/* The table of layers' latencies: what it measures, predicts, writes and refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "search/latency_table.h"

#define MODEL "data/digits.onnx"

static const as_shape4 shape = {1, 1, 8, 8};
static char path[64];

static as_latency_table *make(void)
{
    static const char *const paths[] = {MODEL, MODEL};
    const as_latency_table_options o = {
        .paths = paths, .n = 2, .shape = shape, .threads = 1, .n_rounds = 3, .n_repeats = 5};
    as_latency_table *table = NULL;
    assay_error err = {0};
    if (as_latency_table_make(&o, &table, &err)) fail_msg("%s", err.message);
    return table;
}

static void every_layer_is_there_once(void **state)
{
    (void)state;
    as_latency_table *t = make();
    assert_true(t->n_rows >= 4); /* two convolutions, pools, a product */
    for (size_t i = 0; i < t->n_rows; i++) {
        assert_true(t->rows[i].us > 0);
        assert_true(t->rows[i].low_us <= t->rows[i].us && t->rows[i].us <= t->rows[i].high_us);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(t->rows[i].layer, t->rows[k].layer);
    }
    assert_string_equal(t->checks[0].network, "digits.onnx");
    assert_int_equal(t->n_checks, 2);
    as_latency_table_free(t);
}

/* Both are one network, so what one takes beyond its layers is what the other is predicted by. */
static void a_held_out_network_is_predicted_by_the_other(void **state)
{
    (void)state;
    as_latency_table *t = make();
    const as_latency_check *a = &t->checks[0], *b = &t->checks[1];
    assert_float_equal(a->predicted_us, b->measured_us, 1e-4);
    assert_float_equal(b->predicted_us, a->measured_us, 1e-4);
    as_latency_table_free(t);
}

static void a_prediction_is_the_sum_of_the_layers_and_the_call(void **state)
{
    (void)state;
    as_latency_table *t = make();
    assay_error err = {0};
    double before = 0, after = 0;
    assert_int_equal(as_latency_table_predict(t, MODEL, shape, &before, &err), ASSAY_OK);
    t->call_us += 3;
    t->rows[0].us += 2;
    assert_int_equal(as_latency_table_predict(t, MODEL, shape, &after, &err), ASSAY_OK);
    assert_float_equal(after - before, 5, 1e-9);
    as_latency_table_free(t);
}

static void a_layer_that_is_not_there_is_named(void **state)
{
    (void)state;
    as_latency_table *t = make();
    assay_error err = {0};
    double us;
    strcpy(t->rows[0].layer, "X");
    assert_int_equal(as_latency_table_predict(t, MODEL, shape, &us, &err), ASSAY_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "the table has no layer 'Conv "));
    as_latency_table_free(t);
}

static void a_file_gives_the_table_back(void **state)
{
    (void)state;
    as_latency_table *t = make(), *again = NULL;
    assay_error err = {0};
    double a = 0, b = 0;
    assert_int_equal(as_latency_table_write(t, path, &err), ASSAY_OK);
    if (as_latency_table_read(path, &again, &err)) fail_msg("%s", err.message);
    assert_int_equal(again->n_rows, t->n_rows);
    assert_int_equal(again->n_checks, t->n_checks);
    assert_string_equal(again->cpu, t->cpu);
    assert_string_equal(again->isa, t->isa);
    assert_int_equal(as_latency_table_predict(t, MODEL, shape, &a, &err), ASSAY_OK);
    assert_int_equal(as_latency_table_predict(again, MODEL, shape, &b, &err), ASSAY_OK);
    assert_true(fabs(a - b) <= 1e-4 * a);
    as_latency_table_free(again);
    as_latency_table_free(t);
}

static void refused(const char *text, const char *words)
{
    as_latency_table *t = NULL;
    assay_error err = {0};
    assert_int_equal(as_file_write(path, text, strlen(text), &err), ASSAY_OK);
    assert_int_equal(as_latency_table_read(path, &t, &err), ASSAY_E_FORMAT);
    if (!strstr(err.message, words)) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_null(t);
}

#define HEAD "{\"format\": \"assay latency table 1\", "

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    refused("[", "");
    refused("{\"format\": \"plan\"}", "has format 'plan'");
    refused(HEAD "\"threads\": 1}", "lacks its threads or call_us");
    refused(HEAD "\"threads\": 1, \"call_us\": 1, \"layers\": [{\"us\": 1}]}",
            "entry 0 of 'layers' lacks");
    refused(HEAD "\"threads\": 1, \"call_us\": 1, \"held_out\": [{\"network\": \"a\"}]}",
            "entry 0 of 'held_out' lacks");
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static void one_network_cannot_be_held_out_and_a_stop_ends_it(void **state)
{
    (void)state;
    static const char *const paths[] = {MODEL, MODEL};
    as_latency_table_options o = {.paths = paths, .n = 1, .shape = shape, .threads = 1};
    as_latency_table *table = NULL;
    assay_error err = {0};
    assert_int_equal(as_latency_table_make(&o, &table, &err), ASSAY_E_ARGUMENT);
    o.n = 2;
    o.stop = always;
    assert_int_equal(as_latency_table_make(&o, &table, &err), ASSAY_E_INTERRUPTED);
    assert_null(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_is_there_once),
        cmocka_unit_test(a_held_out_network_is_predicted_by_the_other),
        cmocka_unit_test(a_prediction_is_the_sum_of_the_layers_and_the_call),
        cmocka_unit_test(a_layer_that_is_not_there_is_named),
        cmocka_unit_test(a_file_gives_the_table_back),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(one_network_cannot_be_held_out_and_a_stop_ends_it),
    };
    snprintf(path, sizeof path, P_tmpdir "/assay-latency-%ld.json", (long)getpid());
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return status;
}
