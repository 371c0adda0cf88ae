/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/trace.h"

/* Two layers of one kind and one of another, on two threads. */
static as_trace *make_trace(void)
{
    static const as_traced_operator operators[] = {
        {"Conv", "gemm", "a", "1x3", 2, 1},
        {"Conv", "gemm", "b\xff", "1x3", 1, 1},
        {"Pool", "", "c", "1x3", 1, 4},
    };
    static const as_traced_span spans[] = {
        {0, 0, 5, 10, 10}, {0, 1, 5, 1000, 1000}, {1, 0, 15, 20, 7}, {2, 0, 40, 90, 90}};
    as_trace *trace;
    assert_int_equal(as_trace_new(&trace, NULL), ASSAY_OK);
    trace->tells_operators = true;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(as_trace_add_operator(trace, &operators[i], NULL), ASSAY_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(as_trace_add_span(trace, &spans[i], NULL), ASSAY_OK);
    assert_int_equal(
        as_trace_add_forward(trace, &(as_traced_forward){3, 200, 16, 3, 64, 96}, NULL),
        ASSAY_OK);
    trace->stages_ns[3] = 44;
    return trace;
}

static void a_trace_comes_back_from_json(void **state)
{
    (void)state;
    as_trace *trace = make_trace(), *again;
    json_t *json = as_trace_json(trace);
    assert_int_equal(as_trace_parse(json, &again, NULL), ASSAY_OK);
    assert_true(again->tells_operators);
    assert_true(again->stages_ns[0] == 0 && again->stages_ns[3] == 44);
    assert_int_equal(again->n_operators, 3);
    assert_string_equal(again->operators[0].route, "gemm");
    assert_string_equal(again->operators[1].name, "b?");
    assert_true(again->operators[2].count == 4 && again->operators[0].n_nodes == 2);
    assert_int_equal(again->n_spans, 4);
    assert_memory_equal(again->spans, trace->spans, 4 * sizeof *trace->spans);
    assert_int_equal(again->n_forwards, 1);
    assert_memory_equal(again->forwards, trace->forwards, sizeof *trace->forwards);
    json_decref(json);
    as_trace_free(trace);
    as_trace_free(again);
}

static void costs_are_thread_0s_and_equal_kinds_are_one(void **state)
{
    (void)state;
    as_trace *trace = make_trace();
    as_operator_cost *costs;
    size_t n;
    assert_int_equal(as_trace_costs(trace, &costs, &n, NULL), ASSAY_OK);
    assert_int_equal(n, 2);
    assert_string_equal(costs[0].op, "Pool");
    assert_true(costs[0].self_ns == 90 && costs[0].count == 4);
    assert_string_equal(costs[1].route, "gemm");
    assert_true(costs[1].self_ns == 17 && costs[1].count == 2);
    as_free(costs);
    as_trace_free(trace);
}

static void what_an_adapter_tells_begins_where_it_was_asked(void **state)
{
    (void)state;
    as_trace *trace = make_trace();
    json_t *told = json_loads("{\"operators\": [[\"aten::conv2d\", \"\", \"n\", \"\", 0, 1]],"
                              " \"spans\": [[0, 0, 7, 30, 10]]}",
                              0, NULL);
    assert_int_equal(as_trace_add_json(trace, told, 1000, NULL), ASSAY_OK);
    assert_int_equal(trace->n_operators, 4);
    assert_true(trace->spans[4].op == 3 && trace->spans[4].begin_ns == 1007);
    json_decref(told);
    as_trace_free(trace);
}

static void a_trace_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "{\"operators\": [], \"spans\": 3}",
        "{\"operators\": [[\"a\", \"\", \"\", \"\", 0]], \"spans\": []}",
        "{\"operators\": [[\"a\", \"\", 1, \"\", 0, 1]], \"spans\": []}",
        "{\"operators\": [[\"a\", \"\", \"\", \"\", 0, -1]], \"spans\": []}",
        "{\"operators\": [], \"spans\": [[0, 0, 0, 1, 1]]}",
        "{\"operators\": [[\"a\", \"\", \"\", \"\", 0, 1]], \"spans\": [[0, 0, 0, 1, 2]]}",
        "{\"operators\": [[\"a\", \"\", \"\", \"\", 0, 1]], \"spans\": [[0, 0, -5, 1, 1]]}",
        "{\"operators\": [[\"a\", \"\", \"\", \"\", 0, 1]], \"spans\": [[0, 0, 0.5, 1, 1]]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        as_trace *trace;
        assert_int_equal(as_trace_new(&trace, NULL), ASSAY_OK);
        json_t *told = json_loads(bad[i], 0, NULL);
        assert_non_null(told);
        if (as_trace_add_json(trace, told, 0, NULL) != ASSAY_E_FORMAT)
            fail_msg("%s is taken", bad[i]);
        json_decref(told);
        as_trace_free(trace);
    }
    as_trace *trace = make_trace(), *again;
    trace->n_forwards = 0;
    json_t *json = as_trace_json(trace);
    assert_int_equal(as_trace_parse(json, &again, NULL), ASSAY_E_FORMAT);
    assert_null(again);
    json_decref(json);
    as_trace_free(trace);
}

static void without_memory_a_trace_fails_and_leaks_nothing(void **state)
{
    (void)state;
    as_trace *trace = make_trace();
    json_t *json = as_trace_json(trace);
    const size_t held = as_memory_held();
    bool is_done = false;
    for (size_t n = 1; !is_done; n++) {
        as_trace *again;
        as_operator_cost *costs = NULL;
        size_t n_costs;
        as_memory_fail_at(n);
        assay_code code = as_trace_parse(json, &again, NULL);
        if (!code) code = as_trace_costs(again, &costs, &n_costs, NULL);
        as_memory_fail_at(0);
        is_done = code == ASSAY_OK;
        if (!is_done) assert_int_equal(code, ASSAY_E_MEMORY);
        as_free(costs);
        as_trace_free(again);
        assert_int_equal(as_memory_held(), held);
    }
    json_decref(json);
    as_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_comes_back_from_json),
        cmocka_unit_test(costs_are_thread_0s_and_equal_kinds_are_one),
        cmocka_unit_test(what_an_adapter_tells_begins_where_it_was_asked),
        cmocka_unit_test(a_trace_that_cannot_be_is_refused),
        cmocka_unit_test(without_memory_a_trace_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
