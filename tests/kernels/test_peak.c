/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "kernels/peak.h"

static void rates_are_numbers_at_any_size(void **state)
{
    (void)state;
    static const size_t bytes[] = {516, (size_t)1 << 20};
    for (as_isa isa = 0; isa < AS_ISA_N; isa++)
        for (size_t i = 0; as_isa_available(isa) && i < AS_COUNT_OF(bytes); i++) {
            double bytes_s = as_stream_bytes_s(isa, bytes[i]);
            assert_true(bytes_s > 0 && isfinite(bytes_s));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_numbers_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
