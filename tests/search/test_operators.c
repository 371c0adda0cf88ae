/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/denormals.h"
#include "search/operator_bench.h"
#include "search/operators.h"

enum { PER_SHAPE = AS_N_OPERATORS };

/** A study that takes no time. */
static as_operators_options quick(void)
{
    as_operators_options o = as_operators_defaults();
    o.n_warm_ups = 1;
    o.n_rounds = 4;
    o.n_repeats = 3;
    return o;
}

static as_operators *run_of(const as_operators_options *o)
{
    as_operators *out;
    assay_error err;
    if (as_operators_run(o, &out, &err)) fail_msg("%s", err.message);
    return out;
}

static const as_operator_row *row_of(const as_operators *s, size_t shape, size_t module)
{
    return &s->ops[shape * PER_SHAPE + module];
}

static void the_defaults_are_the_two_shapes_by_the_protocol(void **state)
{
    (void)state;
    as_operators_options o = as_operators_defaults();
    assert_int_equal(o.n_warm_ups, 30);
    assert_int_equal(o.n_rounds, 3);
    assert_int_equal(o.n_repeats, 200);
    assert_int_equal(o.n_shapes, 2);
    assert_string_equal(o.shapes[0].name, "large");
    assert_string_equal(o.shapes[1].name, "small");
}

static void costs_are_those_of_the_shapes(void **state)
{
    (void)state;
    as_operators_options o = quick();
    as_operators *s = run_of(&o);
    const as_operator_row *standard = row_of(s, 0, AS_OPERATOR_STANDARD);
    const as_operator_row *dw_pw = row_of(s, 0, AS_OPERATOR_DW_PW);
    assert_int_equal(standard->params, 64 * 32 * 9);
    assert_int_equal(standard->macs, 64 * 32 * 9 * 1024);
    assert_int_equal(standard->ledger_bytes, 4 * 1024 * (32 + 64));
    assert_int_equal(standard->traffic_bytes, 4 * (1024 * (32 + 64) + 64 * 32 * 9));
    assert_int_equal(dw_pw->params, 32 * 9 + 64 * 32);
    assert_int_equal(dw_pw->macs, (32 * 9 + 64 * 32) * 1024);
    assert_int_equal(dw_pw->ledger_bytes, 4 * 1024 * (32 + 32 + 64));
    assert_int_equal(dw_pw->traffic_bytes, 4 * (1024 * (64 + 96) + 32 * 9 + 64 * 32));
    /* A module is its parts. */
    for (size_t shape = 0; shape < 2; shape++) {
        const as_operator_row *both = row_of(s, shape, AS_OPERATOR_DW_PW);
        const as_operator_row *dw = row_of(s, shape, AS_OPERATOR_DW);
        const as_operator_row *pw = row_of(s, shape, AS_OPERATOR_PW);
        assert_int_equal(both->macs, dw->macs + pw->macs);
        assert_int_equal(both->traffic_bytes, dw->traffic_bytes + pw->traffic_bytes);
        assert_true(dw->is_part && pw->is_part && !both->is_part);
    }
    as_operators_free(s);
}

static void every_operator_has_every_sample_in_every_round(void **state)
{
    (void)state;
    as_operators_options o = quick();
    as_operators *s = run_of(&o);
    size_t seen[2 * PER_SHAPE][4][3] = {0};
    assert_int_equal(s->study.n_ops, 2 * PER_SHAPE);
    assert_int_equal(s->study.n_samples, 2 * PER_SHAPE * 4 * 3);
    for (size_t i = 0; i < s->study.n_samples; i++) {
        const as_operator_sample_row *sample = &s->samples[i];
        seen[sample->op][sample->round][sample->repeat]++;
        assert_true(sample->latency_us > 0);
    }
    for (size_t op = 0; op < 2 * PER_SHAPE; op++)
        for (size_t i = 0; i < 4 * 3; i++)
            assert_int_equal(seen[op][i / 3][i % 3], 1);
    as_operators_free(s);
}

static void rounds_have_orders_of_their_own_that_the_seed_repeats(void **state)
{
    (void)state;
    as_operators_options o = quick();
    as_operators *a = run_of(&o), *b = run_of(&o);
    const size_t per_round = 2 * PER_SHAPE * 3;
    bool differs = false;
    for (size_t i = 0; i < a->study.n_samples; i++) {
        assert_int_equal(a->samples[i].op, b->samples[i].op);
        differs = differs || a->samples[i].op != a->samples[i % per_round].op;
    }
    assert_true(differs);
    as_operators_free(a);
    as_operators_free(b);
}

static void a_kernel_that_is_a_product_gives_the_same_by_any_route(void **state)
{
    (void)state;
    static const char *const routes[] = {NULL, "direct", "gemm", "winograd4"};
    const as_operator_shape shapes[] = {
        {"large", 32, 64, 32, 32}, {"small", 4, 16, 4, 4}, {"odd", 7, 13, 5, 11}};
    for (size_t r = 0; r < AS_COUNT_OF(routes); r++) {
        as_operators_options o = quick();
        o.shapes = shapes;
        o.n_shapes = AS_COUNT_OF(shapes);
        o.conv = routes[r];
        as_operators *s = run_of(&o);
        for (size_t i = 0; i < AS_COUNT_OF(shapes); i++) {
            assert_true(row_of(s, i, AS_OPERATOR_DW_PW)->factor_error <= AS_FACTOR_TOLERANCE);
            if (routes[r])
                assert_string_equal(row_of(s, i, AS_OPERATOR_STANDARD)->routes, routes[r]);
        }
        as_operators_free(s);
    }
}

static void winograd_is_told_by_its_products(void **state)
{
    (void)state;
    as_operators_options o = quick();
    o.conv = "winograd4";
    as_operators *s = run_of(&o);
    const as_operator_row *row = row_of(s, 0, AS_OPERATOR_STANDARD);
    assert_int_equal(row->products * 4, row->macs);
    assert_int_equal(row_of(s, 0, AS_OPERATOR_DW)->products,
                     row_of(s, 0, AS_OPERATOR_DW)->macs);
    as_operators_free(s);
}

static void a_sample_outweighs_the_clock(void **state)
{
    (void)state;
    const as_operator_shape tiny = {"tiny", 1, 1, 1, 1};
    as_operators_options o = quick();
    o.shapes = &tiny;
    o.n_shapes = 1;
    as_operators *s = run_of(&o);
    assert_true(row_of(s, 0, AS_OPERATOR_PW)->n_calls > 1);
    as_operators_free(s);
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void what_cannot_be_studied_is_one_sentence(void **state)
{
    (void)state;
    const as_operator_shape empty = {"empty", 4, 0, 4, 4};
    const as_operator_shape huge = {"huge", 60000, 60000, 4, 4};
    as_operators *out;
    assay_error err = {0};
    as_operators_options o = quick();
    o.stop = stop_at_once;
    assert_int_equal(as_operators_run(&o, &out, &err), ASSAY_E_INTERRUPTED);
    assert_string_equal(err.message, "stopped in round 1 of 4");
    o = quick();
    o.n_shapes = 1;
    o.shapes = &empty;
    assert_int_equal(as_operators_run(&o, &out, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "shape empty"));
    o.shapes = &huge;
    assert_int_equal(as_operators_run(&o, &out, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "shape huge"));
    o.n_shapes = 0;
    assert_int_equal(as_operators_run(&o, &out, &err), ASSAY_E_ARGUMENT);
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_the_two_shapes_by_the_protocol),
        cmocka_unit_test(costs_are_those_of_the_shapes),
        cmocka_unit_test(every_operator_has_every_sample_in_every_round),
        cmocka_unit_test(rounds_have_orders_of_their_own_that_the_seed_repeats),
        cmocka_unit_test(a_kernel_that_is_a_product_gives_the_same_by_any_route),
        cmocka_unit_test(winograd_is_told_by_its_products),
        cmocka_unit_test(a_sample_outweighs_the_clock),
        cmocka_unit_test(what_cannot_be_studied_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
