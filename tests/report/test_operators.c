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
#include "report/operator_files.h"

enum { N_OPS = 4, N_ROUNDS = 6, N_REPEATS = 10 };

/** A study of one shape whose times are known: standard 40 us, dw_pw 10, dw 4, pw 6. */
typedef struct known {
    as_operator_row ops[N_OPS];
    as_operator_sample_row samples[N_OPS * N_ROUNDS * N_REPEATS];
    as_operator_study study;
} known;

static known *make(double standard_us)
{
    static known k;
    const double times_us[N_OPS] = {standard_us, 10, 4, 6};
    k.ops[0] = (as_operator_row){.module = "standard",
                                 .params = 144,
                                 .macs = 4000000,
                                 .products = 1000000,
                                 .traffic_bytes = 40000,
                                 .routes = "winograd4"};
    k.ops[1] = (as_operator_row){.module = "dw_pw",
                                 .params = 40,
                                 .macs = 500000,
                                 .products = 500000,
                                 .traffic_bytes = 80000,
                                 .routes = "depthwise + direct"};
    k.ops[2] = (as_operator_row){.module = "dw",
                                 .is_part = true,
                                 .macs = 100000,
                                 .products = 100000,
                                 .traffic_bytes = 40000,
                                 .routes = "depthwise"};
    k.ops[3] = (as_operator_row){.module = "pw",
                                 .is_part = true,
                                 .macs = 400000,
                                 .products = 400000,
                                 .traffic_bytes = 40000,
                                 .routes = "direct"};
    for (size_t i = 0; i < N_OPS; i++) {
        k.ops[i].shape = "a,b";
        k.ops[i].ic = 4, k.ops[i].oc = 4, k.ops[i].h = 5, k.ops[i].w = 6;
        k.ops[i].ledger_bytes = 960;
        k.ops[i].copy_bytes_s = 2e10;
        k.ops[i].n_calls = 1;
        k.ops[i].factor_error = i == 1 ? 2e-7 : NAN;
    }
    size_t n = 0;
    for (int round = 0; round < N_ROUNDS; round++)
        for (int op = 0; op < N_OPS; op++)
            for (int i = 0; i < N_REPEATS; i++)
                k.samples[n++] = (as_operator_sample_row){op, round, i, times_us[op]};
    k.study = (as_operator_study){.how = {.n_warm_ups = 30,
                                          .n_rounds = N_ROUNDS,
                                          .n_repeats = N_REPEATS,
                                          .n_threads = 1,
                                          .seed = 1,
                                          .isa = "avx2",
                                          .peak_macs_s = 1e11,
                                          .near_bytes_s = 3e11,
                                          .far_bytes_s = 2e10,
                                          .near_bytes = 16384,
                                          .far_bytes = 1 << 24},
                                  .ops = k.ops,
                                  .n_ops = N_OPS,
                                  .samples = k.samples,
                                  .n_samples = n};
    return &k;
}

static as_operator_report *report_of(const as_operator_study *study)
{
    as_operator_report *out;
    assay_error err;
    if (as_operator_report_new(study, AS_ENGLISH, &out, &err)) fail_msg("%s", err.message);
    return out;
}

static void rates_and_roofs_are_those_of_the_numbers(void **state)
{
    (void)state;
    as_operator_report *r = report_of(&make(40)->study);
    /* 4e6 MACs in 40 us, a quarter of them multiplied; 1e6 products at the peak take 10 us, 40 kB 2 us. */
    assert_float_equal(r->rooflines[0].macs_s, 1e11, 1);
    assert_float_equal(r->rooflines[0].peak_share, 0.25, 1e-9);
    assert_float_equal(r->rooflines[0].roof_us, 10, 1e-9);
    assert_false(r->rooflines[0].is_bound_by_bytes);
    /* 1e5 MACs take 1 us, 40 kB 2 us. */
    assert_float_equal(r->rooflines[2].roof_us, 2, 1e-9);
    assert_float_equal(r->rooflines[2].copy_share, 0.5, 1e-9);
    assert_true(r->rooflines[2].is_bound_by_bytes);
    as_operator_report_free(r);
}

static void mac_ratio_stands_beside_time_ratio(void **state)
{
    (void)state;
    as_operator_report *r = report_of(&make(40)->study);
    assert_int_equal(r->n_ratios, 1);
    assert_float_equal(r->ratios[0].mac_ratio, 8, 1e-9);
    assert_float_equal(r->ratios[0].time_ratio.ratio, 4, 1e-9);
    assert_true(r->ratios[0].time_ratio.has_interval);
    assert_non_null(strstr(r->sentences[0],
                           "8.00 times fewer MACs than the standard 3x3 and is "
                           "faster by 4.00 times (95 % interval 4.00 to 4.00)"));
    as_operator_report_free(r);
}

static void fewer_macs_that_are_slower_are_called_slower(void **state)
{
    (void)state;
    as_operator_report *r = report_of(&make(5)->study);
    assert_non_null(strstr(r->sentences[0], "slower by 2.00 times"));
    as_operator_report_free(r);
}

static void an_interval_that_holds_1_calls_neither_faster(void **state)
{
    (void)state;
    known *k = make(10);
    for (size_t i = 0; i < k->study.n_samples;
         i++) /* faster in some rounds, slower in others */
        if (k->samples[i].op == 0) k->samples[i].latency_us = k->samples[i].round % 2 ? 9 : 12;
    as_operator_report *r = report_of(&k->study);
    assert_true(r->ratios[0].time_ratio.low < 1 && r->ratios[0].time_ratio.high > 1);
    assert_non_null(strstr(r->sentences[0], "which is faster is undecided"));
    assert_null(strstr(r->sentences[0], "faster by"));
    as_operator_report_free(r);
}

static void few_rounds_have_no_interval_and_few_samples_no_percentile(void **state)
{
    (void)state;
    known *k = make(40);
    k->study.how.n_rounds = 1;
    k->study.n_samples = (size_t)N_OPS * N_REPEATS;
    as_operator_report *r = report_of(&k->study);
    assert_non_null(strstr(r->sentences[0], "(no interval: 1 rounds)"));
    assert_true(isnan(r->times[0].p90_us) && r->times[0].n == N_REPEATS);
    as_operator_report_free(r);
}

static void a_kernel_beyond_the_tolerance_is_told(void **state)
{
    (void)state;
    known *k = make(40);
    assert_true(as_operator_factors_hold(&k->study));
    k->ops[1].factor_error = 1.1e-5;
    assert_false(as_operator_factors_hold(&k->study));
}

static void rows_that_do_not_belong_together_are_one_sentence(void **state)
{
    (void)state;
    as_operator_report *out;
    assay_error err;
    known *k = make(40);
    k->samples[7].op = N_OPS;
    assert_int_equal(as_operator_report_new(&k->study, AS_ENGLISH, &out, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "sample 7"));
    k = make(40);
    k->samples[9].latency_us = NAN;
    assert_int_equal(as_operator_report_new(&k->study, AS_ENGLISH, &out, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "sample 9"));
    k = make(40);
    k->ops[2].module = "other";
    assert_int_equal(as_operator_report_new(&k->study, AS_ENGLISH, &out, &err), ASSAY_E_FORMAT);
    assert_string_equal(err.message, "shape a,b of the operator study lacks a module");
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

static void the_same_rows_give_the_same_bytes(void **state)
{
    (void)state;
    char folders[2][32] = {"operators.XXXXXX", "operators.XXXXXX"};
    as_operator_report *r = report_of(&make(40)->study);
    as_names names[2];
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(mkdtemp(folders[i]));
        assert_int_equal(as_operator_files_write(r, folders[i], NULL), ASSAY_OK);
        assert_int_equal(as_folder_list(folders[i], &names[i], NULL), ASSAY_OK);
    }
    assert_int_equal(names[0].n, names[1].n);
    assert_true(names[0].n >= 8);
    for (size_t i = 0; i < names[0].n; i++) {
        as_bytes a = read_in(folders[0], names[0].items[i]);
        as_bytes b = read_in(folders[1], names[0].items[i]);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.data, b.data, a.size);
        as_bytes_free(&a);
        as_bytes_free(&b);
    }
    as_bytes costs = read_in(folders[0], "operator-costs.csv");
    assert_string_equal((const char *)costs.data,
                        "case,module,input_shape,output_shape,params,mac,"
                        "activation_ledger_bytes,p10_us,median_us,p90_us\n"
                        "\"a,b\",standard,1x4x5x6,1x4x5x6,144,4000000,960,40,40,40\n"
                        "\"a,b\",dw_pw,1x4x5x6,1x4x5x6,40,500000,960,10,10,10\n");
    as_bytes_free(&costs);
    for (size_t i = 0; i < 2; i++) {
        as_names_free(&names[i]);
        assert_int_equal(as_path_remove(folders[i], NULL), ASSAY_OK);
    }
    as_operator_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_roofs_are_those_of_the_numbers),
        cmocka_unit_test(mac_ratio_stands_beside_time_ratio),
        cmocka_unit_test(fewer_macs_that_are_slower_are_called_slower),
        cmocka_unit_test(an_interval_that_holds_1_calls_neither_faster),
        cmocka_unit_test(few_rounds_have_no_interval_and_few_samples_no_percentile),
        cmocka_unit_test(a_kernel_beyond_the_tolerance_is_told),
        cmocka_unit_test(rows_that_do_not_belong_together_are_one_sentence),
        cmocka_unit_test(the_same_rows_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
