/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "engine/policy.h"

static void a_whole_policy_is_read_key_by_key(void **state)
{
    (void)state;
    as_policy p;
    assert_int_equal(as_policy_parse("s.8=native,threads=3,split-at=16,split-to=8,bucket=64,"
                                     "conv=gemm,fuse=off,winograd=off",
                                     &p, NULL),
                     ASSAY_OK);
    assert_string_equal(p.name, "s.8");
    assert_string_equal(p.engine, "native");
    assert_int_equal(p.threads, 3);
    assert_int_equal(p.split_at, 16);
    assert_int_equal(p.split_to, 8);
    assert_int_equal(p.bucket, 64);
    assert_string_equal(p.conv, "gemm");
    assert_false(p.fuse);
    assert_false(p.winograd);
    as_policy_free(&p);
}

static void a_bare_policy_has_the_defaults(void **state)
{
    (void)state;
    as_policy p;
    assert_int_equal(as_policy_parse("W=native", &p, NULL), ASSAY_OK);
    assert_true(p.fuse && p.winograd && !p.conv && !p.threads && !p.split_at && !p.bucket);
    as_policy_free(&p);
}

static void a_plan_stands_alone(void **state)
{
    (void)state;
    as_policy p;
    assert_int_equal(as_policy_parse("T=native,threads=1,plan=a/plan.json", &p, NULL),
                     ASSAY_OK);
    assert_string_equal(p.plan, "a/plan.json");
    as_policy_free(&p);
}

static void another_engine_takes_its_adapters_keys(void **state)
{
    (void)state;
    as_policy p;
    assert_int_equal(as_policy_parse("O=x,threads=2,adapter=run me,python=p,option.a=1,"
                                     "option.b=c=d",
                                     &p, NULL),
                     ASSAY_OK);
    assert_string_equal(p.engine, "x");
    assert_string_equal(p.adapter, "run me");
    assert_string_equal(p.python, "p");
    assert_int_equal(p.n_options, 2);
    assert_string_equal(p.options[0], "a=1");
    assert_string_equal(p.options[1], "b=c=d");
    as_policy_free(&p);
}

static void torch_takes_its_switches(void **state)
{
    (void)state;
    as_policy p;
    assert_int_equal(
        as_policy_parse("A=torch,adapter=y,mkldnn=off,nnpack=on,split-at=16,split-to=8", &p,
                        NULL),
        ASSAY_OK);
    assert_int_equal(p.mkldnn, AS_SWITCH_OFF);
    assert_int_equal(p.nnpack, AS_SWITCH_ON);
    assert_int_equal(p.split_to, 8);
    as_policy_free(&p);
    assert_int_equal(as_policy_parse("A=torch,adapter=y", &p, NULL), ASSAY_OK);
    assert_int_equal(p.mkldnn, AS_SWITCH_DEFAULT);
    assert_int_equal(p.nnpack, AS_SWITCH_DEFAULT);
    as_policy_free(&p);
}

static void each_mistake_gets_its_own_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        assay_code code;
    } cases[] = {
        {"", "has no '='", ASSAY_E_ARGUMENT},
        {"native", "has no '='", ASSAY_E_ARGUMENT},
        {"=native", "policy name ''", ASSAY_E_ARGUMENT},
        {"a b=native", "policy name 'a b'", ASSAY_E_ARGUMENT},
        {"../x=native", "policy name '../x'", ASSAY_E_ARGUMENT},
        {"A=native,colour=red", "policy key 'colour' is unknown", ASSAY_E_ARGUMENT},
        {"A=native,threads", "policy part 'threads' has no '='", ASSAY_E_ARGUMENT},
        {"A=native,threads=0", "'threads' has the value '0'", ASSAY_E_ARGUMENT},
        {"A=native,threads=2x", "'threads' has the value '2x'", ASSAY_E_ARGUMENT},
        {"A=native,threads=-1", "'threads' has the value '-1'", ASSAY_E_ARGUMENT},
        {"A=native,plan=", "'plan' is empty", ASSAY_E_ARGUMENT},
        {"A=native,plan=p,conv=gemm", "a plan stands alone", ASSAY_E_ARGUMENT},
        {"A=native,winograd=off,plan=p", "a plan stands alone", ASSAY_E_ARGUMENT},
        {"A=native,split-at=16", "has split-at without split-to", ASSAY_E_ARGUMENT},
        {"A=native,split-to=8", "has split-to without split-at", ASSAY_E_ARGUMENT},
        {"A=native,fuse=maybe", "'fuse' has the value 'maybe'", ASSAY_E_ARGUMENT},
        {"A=native,conv=", "'conv' is empty", ASSAY_E_ARGUMENT},
        {"A=native,python=python3", "'python' is for other engines", ASSAY_E_ARGUMENT},
        {"A=native,option.x=1", "'option.' is for other engines", ASSAY_E_ARGUMENT},
        {"A=x,adapter=y,conv=gemm", "'conv' is native's own", ASSAY_E_ARGUMENT},
        {"A=native,nnpack=on", "'nnpack' is torch's own", ASSAY_E_ARGUMENT},
        {"A=x,adapter=y,mkldnn=off", "'mkldnn' is torch's own", ASSAY_E_ARGUMENT},
        {"A=torch,adapter=y,mkldnn=1", "'mkldnn' has the value '1', on or off",
         ASSAY_E_ARGUMENT},
        {"A=torch,adapter=y,nnpack=on,nnpack=off", "'nnpack' stands twice", ASSAY_E_ARGUMENT},
        {"A=x,adapter=y,option.=1", "'option.' has no name", ASSAY_E_ARGUMENT},
        {"A=x,adapter=", "'adapter' is empty", ASSAY_E_ARGUMENT},
        {"A=../x", "engine name '../x'", ASSAY_E_ARGUMENT},
        {"A=", "engine name ''", ASSAY_E_ARGUMENT},
        {"A=warp", "engine 'warp', which is not here", ASSAY_E_ENVIRONMENT},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_policy p;
        assay_error err = {0};
        assert_int_equal(as_policy_parse(cases[i].text, &p, &err), cases[i].code);
        if (!strstr(err.message, cases[i].part))
            fail_msg("'%s' says '%s', '%s' was expected", cases[i].text, err.message,
                     cases[i].part);
        assert_null(p.name);
    }
}

static void parsing_survives_every_failing_allocation(void **state)
{
    (void)state;
    assay_code code = ASSAY_E_MEMORY;
    for (size_t n = 1; code == ASSAY_E_MEMORY && n < 50; n++) {
        as_policy p;
        as_memory_fail_at(n);
        code = as_policy_parse("A=native,conv=gemm", &p, NULL);
        as_memory_fail_at(0);
        as_policy_free(&p);
    }
    assert_int_equal(code, ASSAY_OK);
    code = ASSAY_E_MEMORY;
    for (size_t n = 1; code == ASSAY_E_MEMORY && n < 50; n++) {
        as_policy p;
        as_memory_fail_at(n);
        code = as_policy_parse("A=x,adapter=y,python=z,option.a=1,option.b=2", &p, NULL);
        as_memory_fail_at(0);
        as_policy_free(&p);
    }
    assert_int_equal(code, ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_policy_is_read_key_by_key),
        cmocka_unit_test(a_bare_policy_has_the_defaults),
        cmocka_unit_test(a_plan_stands_alone),
        cmocka_unit_test(another_engine_takes_its_adapters_keys),
        cmocka_unit_test(torch_takes_its_switches),
        cmocka_unit_test(each_mistake_gets_its_own_sentence),
        cmocka_unit_test(parsing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
