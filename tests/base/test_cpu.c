/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu_inner.h"

static void the_environment_forces_a_lower_isa(void **state)
{
    (void)state;
    for (as_isa isa = 0; isa < AS_ISA_N; isa++) {
        as_isa got = AS_ISA_N;
        assay_error err;
        setenv("ASSAY_ISA", as_isa_name(isa), 1);
        const assay_code code = as_cpu_isa(&got, &err);
        if (as_isa_available(isa)) {
            assert_int_equal(code, ASSAY_OK);
            assert_int_equal(got, isa);
        } else {
            assert_int_equal(code, ASSAY_E_ENVIRONMENT);
            assert_non_null(strstr(err.message, as_isa_name(isa)));
        }
    }
    unsetenv("ASSAY_ISA");
}

static void an_unknown_isa_is_a_wrong_argument_that_is_named(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "AVX2", "avx", "neon9"};
    for (size_t i = 0; i < 4; i++) {
        as_isa isa = AS_ISA_SCALAR;
        assay_error err;
        setenv("ASSAY_ISA", wrong[i], 1);
        assert_int_equal(as_cpu_isa(&isa, &err), ASSAY_E_ARGUMENT);
        assert_non_null(strstr(err.message, "scalar, avx2, avx512 or neon is needed"));
    }
    unsetenv("ASSAY_ISA");
}

static void the_best_available_isa_is_the_default(void **state)
{
    (void)state;
    as_isa isa = AS_ISA_N;
    unsetenv("ASSAY_ISA");
    assert_int_equal(as_cpu_isa(&isa, NULL), ASSAY_OK);
    assert_true(as_isa_available(isa));
    for (as_isa better = isa + 1; better < AS_ISA_N; better++)
        assert_false(as_isa_available(better));
    assert_true(as_isa_available(AS_ISA_SCALAR));
}

#if defined(__x86_64__)
static void flags_and_names_agree_with_the_kernels_view(void **state)
{
    (void)state;
    static char cpuinfo[16384]; /* the first processor's part lies well within */
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file) skip();
    const size_t n = fread(cpuinfo, 1, sizeof cpuinfo - 1, file);
    cpuinfo[n] = '\0';
    fclose(file);
    if (!strstr(cpuinfo, "\nflags")) skip();
    as_cpu_info info;
    as_cpu_info_get(&info);
    assert_int_equal(as_cpu_has(AS_ISA_AVX2),
                     strstr(cpuinfo, " avx2 ") && strstr(cpuinfo, " fma "));
    assert_int_equal(as_cpu_has(AS_ISA_AVX512),
                     strstr(cpuinfo, " avx512f ") && strstr(cpuinfo, " avx512bw ") &&
                         strstr(cpuinfo, " avx512dq ") && strstr(cpuinfo, " avx512vl "));
    assert_non_null(strstr(cpuinfo, info.vendor));
    assert_non_null(strstr(cpuinfo, info.model));
    assert_int_equal(strtol(strchr(strstr(cpuinfo, "cpu family"), ':') + 1, NULL, 10),
                     info.family);
    assert_int_equal(strtol(strchr(strstr(cpuinfo, "model\t"), ':') + 1, NULL, 10),
                     info.model_number);
    assert_true(info.n_online >= 1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_forces_a_lower_isa),
        cmocka_unit_test(an_unknown_isa_is_a_wrong_argument_that_is_named),
        cmocka_unit_test(the_best_available_isa_is_the_default),
#if defined(__x86_64__)
        cmocka_unit_test(flags_and_names_agree_with_the_kernels_view),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
