/* SPDX-License-Identifier: Apache-2.0 */
/* Expected bits come from numpy: float32(p) * float32(1/255) / std - mean / std. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "detect/normalise.h"

static void bytes_become_numpys_floats_bit_for_bit(void **state)
{
    (void)state;
    static const uint8_t bytes[5] = {0, 1, 127, 128, 255};
    static const float expected[3][5] = {
        {-0x1.0f177ap+1f, -0x1.0ce656p+1f, 0x1.d274p-5f, 0x1.2f5e8p-4f, 0x1.1fdc3ep+1f},
        {-0x1.049248p+1f, -0x1.02549cp+1f, 0x1.805bep-3f, 0x1.a436ap-3f, 0x1.36db7p+1f},
        {-0x1.cdf012p+0f, -0x1.c979d4p+0f, 0x1.a2e188p-2f, 0x1.b4ba78p-2f, 0x1.51eb88p+1f}};
    for (int c = 0; c < 3; c++) {
        float out[5];
        as_normalise_row(c, bytes, 5, out);
        assert_memory_equal(out, expected[c], sizeof out);
    }
}

static void the_place_in_a_row_does_not_matter(void **state)
{
    (void)state;
    enum { N = 263 };
    uint8_t bytes[N];
    float out[N + 1], one;
    for (int i = 0; i < N; i++)
        bytes[i] = (uint8_t)i;
    for (int c = 0; c < 3; c++) {
        out[N] = 7;
        as_normalise_row(c, bytes, N, out);
        assert_true(out[N] == 7);
        for (int i = 0; i < N; i++) {
            as_normalise_row(c, bytes + i, 1, &one);
            assert_memory_equal(&out[i], &one, sizeof one);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_numpys_floats_bit_for_bit),
        cmocka_unit_test(the_place_in_a_row_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
