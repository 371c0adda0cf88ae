/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/sha256.h"
#include "trial/demand.h"

static as_engine_facts good_facts(void)
{
    as_engine_facts facts = {.engine = "native",
                             .device = "cpu",
                             .dtype = "float32",
                             .flags = "conv=default,fuse=on,winograd=on",
                             .threads = 3,
                             .n_loads = 1};
    as_isa isa;
    assert_int_equal(as_cpu_isa(&isa, NULL), ASSAY_OK);
    snprintf(facts.isa, sizeof facts.isa, "%s", as_isa_name(isa));
    return facts;
}

/* Check the facts under a policy; a failure's sentence has to hold `words`. */
static void assert_demand(const char *policy_text, const as_engine_facts *facts,
                          const char *words)
{
    as_policy policy;
    assay_error err = {0};
    assert_int_equal(as_policy_parse(policy_text, &policy, NULL), ASSAY_OK);
    assay_code code = as_demand_check(&policy, facts, "exit", &err);
    as_policy_free(&policy);
    if (!words && code) fail_msg("%s", err.message);
    if (!words) return;
    assert_int_equal(code, ASSAY_E_ENVIRONMENT);
    if (!strstr(err.message, words)) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_non_null(strstr(err.message, "exit"));
}

static void what_the_policy_names_is_accepted(void **state)
{
    (void)state;
    as_engine_facts facts = good_facts();
    assert_demand("p=native,threads=3", &facts, NULL);
    strcpy(facts.flags, "conv=gemm,fuse=off,winograd=off");
    assert_demand("p=native,threads=3,conv=gemm,fuse=off,winograd=off", &facts, NULL);
}

static void the_plan_is_the_file_that_lies_there(void **state)
{
    (void)state;
    as_engine_facts facts = good_facts();
    const char *policy = "p=native,threads=3,plan=data/tiny_detector.onnx"; /* any file */
    char hex[AS_SHA256_HEX];
    assert_int_equal(as_sha256_file("data/tiny_detector.onnx", hex, NULL), ASSAY_OK);
    assert_demand(policy, &facts, hex);
    snprintf(facts.flags, sizeof facts.flags, "conv=default,fuse=on,winograd=on,plan=%s", hex);
    assert_demand(policy, &facts, NULL);
}

static void each_fact_is_asserted(void **state)
{
    (void)state;
    as_engine_facts facts = good_facts();
    assert_demand("p=native,threads=2", &facts, "number of threads is 3, 2 is needed");
    assert_demand("p=native,threads=3,conv=gemm", &facts, "conv=gemm is needed");
    assert_demand("p=native,threads=3,fuse=off", &facts, "fuse=off is needed");
    assert_demand("p=native,threads=3,winograd=off", &facts, "winograd=off is needed");
    strcpy(facts.device, "gpu");
    assert_demand("p=native,threads=3", &facts, "device is 'gpu', 'cpu' is needed");
    facts = good_facts();
    strcpy(facts.dtype, "bfloat16");
    assert_demand("p=native,threads=3", &facts, "number type is 'bfloat16'");
    facts = good_facts();
    strcpy(facts.isa, "mmx");
    assert_demand("p=native,threads=3", &facts, "instruction set is 'mmx'");
    facts = good_facts();
    facts.n_loads = 2;
    assert_demand("p=native,threads=3", &facts, "model loads is 2, 1 is needed");
    facts = good_facts();
    strcpy(facts.engine, "other");
    assert_demand("p=native,threads=3", &facts, "engine is 'other', 'native' is needed");
}

static void switches_and_options_of_another_engine_are_asserted(void **state)
{
    (void)state;
    as_engine_facts facts = good_facts();
    strcpy(facts.engine, "torch");
    strcpy(facts.flags, "mkldnn=off,nnpack=on,layout=nchw");
    const char *base = "p=torch,adapter=x,threads=3,mkldnn=off,nnpack=on,option.layout=nchw";
    assert_demand(base, &facts, NULL);
    assert_demand("p=torch,adapter=x,threads=3,option.untold=7", &facts, NULL);
    assert_demand("p=torch,adapter=x,threads=3,mkldnn=on", &facts, "mkldnn=on is needed");
    assert_demand("p=torch,adapter=x,threads=3,nnpack=off", &facts, "nnpack=off is needed");
    assert_demand("p=torch,adapter=x,threads=3,option.layout=nc", &facts,
                  "'mkldnn=off,nnpack=on,layout=nchw', layout=nc is needed");
    strcpy(facts.flags, "mkldnn=off,nnpackx=on");
    assert_demand(base, &facts, "nnpack=on is needed");
}

static void without_fusion_no_fusing_pass_may_change_the_graph(void **state)
{
    (void)state;
    as_engine_facts facts = good_facts();
    strcpy(facts.flags, "conv=default,fuse=off,winograd=on");
    facts.n_passes = 1;
    strcpy(facts.passes[0].name, "constants");
    facts.passes[0].nodes_before = 9;
    facts.passes[0].nodes_after = 7;
    assert_demand("p=native,threads=3,fuse=off", &facts, NULL);
    strcpy(facts.passes[0].name, "no-such-pass");
    assert_demand("p=native,threads=3,fuse=off", &facts,
                  "made 7 nodes of 9, fuse=off needs none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_policy_names_is_accepted),
        cmocka_unit_test(the_plan_is_the_file_that_lies_there),
        cmocka_unit_test(each_fact_is_asserted),
        cmocka_unit_test(switches_and_options_of_another_engine_are_asserted),
        cmocka_unit_test(without_fusion_no_fusing_pass_may_change_the_graph),
    };
    return cmocka_run_group_tests_name("demand", tests, NULL, NULL);
}
