/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a traced run tell of it, on a whole detector with groups and plain layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trace.h"
#include "plan/group.h"
#include "run/run.h"

#define MODEL "data/tiny_detector.onnx"
enum { N = 2, HEIGHT = 160, WIDTH = 96, IN = N * 3 * HEIGHT * WIDTH };

/* A session that noted its last run. */
typedef struct traced {
    assay_model *model;
    assay_session *session;
    float *x;
    assay_tensor in, out;
} traced;

static void run(traced *t)
{
    assay_error err;
    if (assay_session_run(t->session, &t->in, 1, &t->out, 1, &err)) fail_msg("%s", err.message);
}

static traced begin(size_t threads, bool fuse)
{
    traced t = {.x = as_alloc_array(IN, sizeof(float))};
    assay_error err;
    assay_model_options options = assay_model_options_defaults();
    options.fuse = fuse;
    if (assay_model_load(MODEL, &options, &t.model, &err)) fail_msg("%s", err.message);
    assert_int_equal(assay_session_new(t.model, threads, &t.session, NULL), ASSAY_OK);
    for (size_t i = 0; i < IN; i++)
        t.x[i] = (float)(i % 251) / 64 - 2;
    t.in = (assay_tensor){.rank = 4, .dims = {N, 3, HEIGHT, WIDTH}, .data = t.x};
    return t;
}

static void end(traced *t)
{
    assay_session_free(t->session);
    assay_model_free(t->model);
    as_free(t->x);
}

static void a_traced_run_has_the_bits_of_another(void **state)
{
    (void)state;
    static float before[N * HEIGHT * WIDTH];
    traced t = begin(3, true);
    run(&t);
    assert_int_equal(t.out.dims[2] * t.out.dims[3], HEIGHT * WIDTH);
    memcpy(before, t.out.data, sizeof before);
    assert_null(as_session_spans(t.session));
    as_session_take_spans(t.session, true);
    run(&t);
    assert_memory_equal(before, t.out.data, sizeof before);
    assert_non_null(as_session_spans(t.session));
    end(&t);
}

/* Each thread's spans follow one another inside the run, and every layer has one. */
static void check_spans(size_t threads, bool fuse)
{
    traced t = begin(threads, fuse);
    as_session_take_spans(t.session, true);
    run(&t);
    const int64_t begin_ns = as_clock_ns();
    run(&t);
    const int64_t end_ns = as_clock_ns();
    const as_spans *spans = as_session_spans(t.session);
    const as_plan *plan = as_session_plan(t.session);
    bool *seen = as_alloc_array(plan->n_layers, sizeof *seen);
    assert_int_equal(spans->n_threads, threads);
    for (size_t thread = 0; thread < threads; thread++) {
        assert_true(spans->counts[thread] <= spans->room);
        for (size_t i = 0; i < spans->counts[thread]; i++) {
            const as_span *s = &spans->items[thread * spans->room + i];
            assert_true(s->layer < plan->n_layers);
            assert_true(begin_ns <= s->begin_ns && s->begin_ns <= s->end_ns &&
                        s->end_ns <= end_ns);
            if (i > 0) assert_true(s[-1].end_ns <= s->begin_ns);
            seen[s->layer] = true;
        }
    }
    for (size_t i = 0; i < plan->n_layers; i++)
        assert_true(seen[i]);
    as_free(seen);
    end(&t);
}

static void every_layer_has_a_span_inside_the_run(void **state)
{
    (void)state;
    check_spans(1, true);
    check_spans(2, true);
    check_spans(3, true);
    check_spans(2, false);
}

static void a_second_traced_run_allocates_nothing(void **state)
{
    (void)state;
    traced t = begin(2, true);
    as_session_take_spans(t.session, true);
    run(&t);
    const size_t n = as_memory_count();
    run(&t);
    assert_int_equal(as_memory_count(), n);
    assay_session_clear(t.session);
    assert_null(as_session_spans(t.session));
    end(&t);
}

static void a_session_tells_each_layer_with_its_route_and_shape(void **state)
{
    (void)state;
    traced t = begin(1, true);
    as_trace *trace;
    as_session_take_spans(t.session, true);
    run(&t);
    assert_int_equal(as_trace_new(&trace, NULL), ASSAY_OK);
    run(&t);
    assert_int_equal(as_session_tell(t.session, trace, NULL), ASSAY_OK);
    const as_plan *plan = as_session_plan(t.session);
    assert_true(trace->tells_operators);
    assert_int_equal(trace->n_operators, plan->n_layers);
    assert_int_equal(trace->n_spans, as_session_spans(t.session)->counts[0]);
    size_t n_convs = 0;
    for (size_t i = 0; i < plan->n_layers; i++) {
        const as_traced_operator *op = &trace->operators[i];
        assert_string_equal(op->route, as_layer_route(&plan->layers[i]));
        assert_non_null(strstr(op->shape, " -> "));
        assert_int_equal(op->count, 1);
        n_convs += strcmp(op->op, "Conv") == 0;
    }
    assert_true(n_convs > 0);
    for (size_t i = 0; i < trace->n_spans; i++)
        assert_true(trace->spans[i].begin_ns >= 0);
    as_trace_free(trace);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_traced_run_has_the_bits_of_another),
        cmocka_unit_test(every_layer_has_a_span_inside_the_run),
        cmocka_unit_test(a_second_traced_run_allocates_nothing),
        cmocka_unit_test(a_session_tells_each_layer_with_its_route_and_shape),
    };
    return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
