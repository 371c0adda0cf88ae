/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trial/profile.h"
#include "trial/route_check.h"

#define NNPACK "aten::_nnpack_spatial_convolution"

/* A trace of one forward of n inputs in which these operators ran, "op/route" each. */
static as_trace *trace_of(size_t n, const char *const *operators)
{
    as_trace *trace;
    assert_int_equal(as_trace_new(&trace, NULL), ASSAY_OK);
    trace->tells_operators = true;
    const as_traced_forward forward = {.elapsed_ns = 1, .n = n, .c = 3, .h = 32, .w = 32};
    assert_int_equal(as_trace_add_forward(trace, &forward, NULL), ASSAY_OK);
    for (; *operators; operators++) {
        char op[64];
        snprintf(op, sizeof op, "%s", *operators);
        char *route = strchr(op, '/');
        *route++ = '\0';
        const as_traced_operator row = {
            .op = op, .route = route, .name = "", .shape = "", .n_nodes = 1, .count = 3};
        assert_int_equal(as_trace_add_operator(trace, &row, NULL), ASSAY_OK);
    }
    return trace;
}

#define RAN(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Hold the policy "p=<text>" to what ran; `words` of the first that is broken, or NULL. */
static void assert_check(const char *text, as_trace *trace, size_t n, const char *words)
{
    char whole[128], engine[32], said[200] = "";
    as_route_check check;
    snprintf(whole, sizeof whole, "p=%s", text);
    snprintf(engine, sizeof engine, "%.*s", (int)strcspn(text, ","), text);
    const as_policy_row policy = {.name = "p", .text = whole, .engine = engine};
    as_route_check_make(&policy, trace, &check);
    assert_int_equal(check.n, n);
    const as_route_row *broken = as_route_check_broken(&check);
    if (broken) as_route_row_describe(broken, said, sizeof said);
    if (!words && broken) fail_msg("%s: %s", text, said);
    if (words && !strstr(said, words)) fail_msg("%s: '%s' lacks '%s'", text, said, words);
    as_trace_free(trace);
}

static void a_policy_that_names_no_route_is_held_to_none(void **state)
{
    (void)state;
    assert_check("native,threads=2,split-at=16,split-to=8", trace_of(16, RAN("Conv/winograd4")),
                 0, NULL);
    assert_check("onnxruntime", trace_of(16, RAN("Conv/")), 0, NULL);
}

static void a_named_route_has_to_run_somewhere(void **state)
{
    (void)state;
    assert_check("native,conv=gemm", trace_of(1, RAN("Conv/direct", "Conv/gemm")), 1, NULL);
    assert_check("native,conv=gemm", trace_of(1, RAN("Conv/direct", "Gemm/map")), 1,
                 "conv=gemm, but 'gemm' ran 0 times");
}

static void a_forbidden_route_must_not_run(void **state)
{
    (void)state;
    assert_check("native,winograd=off", trace_of(1, RAN("Conv/direct")), 1, NULL);
    assert_check("native,winograd=off", trace_of(1, RAN("Conv/winograd2", "Conv/winograd4")), 1,
                 "winograd=off, but 'winograd' ran 6 times");
    as_trace *trace = trace_of(1, RAN("Conv/direct"));
    trace->operators[0].n_nodes = 2;
    assert_check("native,fuse=off", trace, 1, "fuse=off, but 'several nodes' ran 3 times");
}

static void nnpack_runs_where_pytorch_takes_it_and_only_there(void **state)
{
    (void)state;
    assert_check("torch,mkldnn=off,nnpack=on", trace_of(16, RAN(NNPACK "/")), 2, NULL);
    assert_check("torch,mkldnn=off,nnpack=on", trace_of(16, RAN("aten::thnn_conv2d/")), 2,
                 "nnpack=on, but '_nnpack_spatial_convolution' ran 0 times");
    assert_check("torch,mkldnn=off,nnpack=on", trace_of(15, RAN("aten::thnn_conv2d/")), 2,
                 NULL);
    assert_check("torch,mkldnn=off,nnpack=on", trace_of(8, RAN(NNPACK "/")), 2,
                 "nnpack=on, but");
    assert_check("torch,mkldnn=off,nnpack=off", trace_of(16, RAN(NNPACK "/")), 2,
                 "nnpack=off, but");
    assert_check("torch,nnpack=off", trace_of(16, RAN("aten::mkldnn_convolution/")), 1, NULL);
    assert_check("torch,mkldnn=off", trace_of(16, RAN("aten::mkldnn_convolution/")), 1,
                 "mkldnn=off, but");
}

static void an_engine_that_tells_nothing_shows_nothing(void **state)
{
    (void)state;
    as_trace *trace = trace_of(16, (const char *const[]){NULL});
    trace->tells_operators = false;
    assert_check("torch,nnpack=off", trace, 1, "cannot be shown");
}

static void the_first_call_of_16_is_looked_at_else_the_first_of_the_most(void **state)
{
    (void)state;
    as_call_row calls[4] = {{.shape.n = 3}, {.shape.n = 20}, {.shape.n = 16}, {.shape.n = 16}};
    assert_int_equal(as_profile_call(calls, 4), 2);
    assert_int_equal(as_profile_call(calls, 2), 1);
    calls[1].shape.n = 3;
    assert_int_equal(as_profile_call(calls, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_names_no_route_is_held_to_none),
        cmocka_unit_test(a_named_route_has_to_run_somewhere),
        cmocka_unit_test(a_forbidden_route_must_not_run),
        cmocka_unit_test(nnpack_runs_where_pytorch_takes_it_and_only_there),
        cmocka_unit_test(an_engine_that_tells_nothing_shows_nothing),
        cmocka_unit_test(the_first_call_of_16_is_looked_at_else_the_first_of_the_most),
    };
    return cmocka_run_group_tests_name("route_check", tests, NULL, NULL);
}
