/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

static void check(as_array a, as_array b, as_array wanted)
{
    one_op t = start(AS_OP_MATMUL);
    give(&t, a);
    give(&t, b);
    run(&t, 1);
    expect(&t, 0, wanted);
    stop(&t);
}

static void vectors_are_rows_and_columns(void **state)
{
    (void)state;
    const as_array v = F32(SHAPE(2), 1, 2), m = F32(SHAPE(2, 2), 1, 2, 3, 4);
    check(v, v, F32(SCALAR, 5));
    check(v, m, F32(SHAPE(2), 7, 10));
    check(m, v, F32(SHAPE(2), 5, 11));
    check(m, m, F32(SHAPE(2, 2), 7, 10, 15, 22));
    check(v, F32(SHAPE(2, 2, 1), 1, 2, 3, 4), F32(SHAPE(2, 1), 5, 11));
    check(F32(SHAPE(2, 1, 2), 1, 2, 3, 4), v, F32(SHAPE(2, 1), 5, 11));
}

static void batches_spread(void **state)
{
    (void)state;
    check(F32(SHAPE(2, 1, 1, 2), 1, 2, 3, 4), F32(SHAPE(3, 2, 1), 1, 1, 0, 1, 1, 0),
          F32(SHAPE(2, 3, 1, 1), 3, 2, 1, 7, 4, 3));
    check(I64(SHAPE(1, 2, 1), 1, 2), I64(SHAPE(2, 1, 2), 1, 2, 3, 4),
          I64(SHAPE(2, 2, 2), 1, 2, 2, 4, 3, 4, 6, 8));
    check(I32(SHAPE(1, 1), INT32_MAX), I32(SHAPE(1, 1), 2), I32(SHAPE(1, 1), -2));
}

static void a_product_over_nothing_is_zero(void **state)
{
    (void)state;
    check(F32(SHAPE(1, 0), 0), F32(SHAPE(0, 2), 0), F32(SHAPE(1, 2), 0, 0));
}

/* Small whole numbers, so that every order of additions gives the same float. */
static float whole(size_t i) { return (float)((int)(i * 2654435761u >> 7) % 9 - 4); }

#define MOST 700

static void gemm(size_t m, size_t k, size_t n, bool ta, bool tb)
{
    static float a[MOST * 40], b[MOST * 40], wanted[MOST * 40];
    assert_true(m * k <= MOST * 40 && k * n <= MOST * 40 && m * n <= MOST * 40);
    const int64_t rows = (int64_t)m, depth = (int64_t)k, columns = (int64_t)n;
    for (size_t i = 0; i < m * k; i++)
        a[i] = whole(i);
    for (size_t i = 0; i < k * n; i++)
        b[i] = whole(i + 77);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t d = 0; d < k; d++)
                sum += (ta ? a[d * m + i] : a[i * k + d]) * (tb ? b[j * k + d] : b[d * n + j]);
            wanted[i * n + j] = 2 * sum + 0.5f * whole(i + 5);
        }
    one_op t = start(AS_OP_GEMM);
    t.attributes->gemm.alpha = 2;
    t.attributes->gemm.beta = 0.5f;
    t.attributes->gemm.is_a_transposed = ta;
    t.attributes->gemm.is_b_transposed = tb;
    give(&t, (as_array){AS_F32, ta ? SHAPE(depth, rows) : SHAPE(rows, depth), a});
    give(&t, (as_array){AS_F32, tb ? SHAPE(columns, depth) : SHAPE(depth, columns), b});
    float c[MOST];
    for (size_t i = 0; i < m; i++)
        c[i] = whole(i + 5);
    give(&t, (as_array){AS_F32, SHAPE(rows, 1), c});
    run(&t, 1);
    expect(&t, 0, (as_array){AS_F32, SHAPE(rows, columns), wanted});
    stop(&t);
}

static void sizes_about_the_blocks_are_right_transposed_or_not(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        gemm(1, 1, 1, form & 1, form & 2);
        gemm(5, 7, 17, form & 1, form & 2);
        gemm(4, 257, 15, form & 1, form & 2);
        gemm(9, 513, 33, form & 1, form & 2);
        gemm(23, 255, 16, form & 1, form & 2);
    }
}

/* call.h runs it row by row too, and compares the bytes. */
static void a_row_alone_has_the_same_bits_as_among_others(void **state)
{
    (void)state;
    static float a[13 * 300], b[300 * 21];
    for (size_t i = 0; i < AS_COUNT_OF(a); i++)
        a[i] = whole(i) / 7;
    for (size_t i = 0; i < AS_COUNT_OF(b); i++)
        b[i] = whole(i + 3) / 11;
    one_op t = start(AS_OP_MATMUL);
    give(&t, (as_array){AS_F32, SHAPE(13, 300), a});
    give(&t, (as_array){AS_F32, SHAPE(300, 21), b});
    run(&t, 1);
    assert_int_equal(t.code, ASSAY_OK);
    stop(&t);
}

static void gemms_third_input_may_be_left_out_or_spread(void **state)
{
    (void)state;
    one_op t = start(AS_OP_GEMM);
    give(&t, F32(SHAPE(2, 1), 1, 2));
    give(&t, F32(SHAPE(1, 2), 3, 4));
    run(&t, 1);
    expect(&t, 0, F32(SHAPE(2, 2), 3, 4, 6, 8));
    stop(&t);
    t = start(AS_OP_GEMM);
    give(&t, I32(SHAPE(2, 1), 1, 2));
    give(&t, I32(SHAPE(1, 2), 3, 4));
    give(&t, I32(SCALAR, 10));
    run(&t, 1);
    expect(&t, 0, I32(SHAPE(2, 2), 13, 14, 16, 18));
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_rows_and_columns),
        cmocka_unit_test(batches_spread),
        cmocka_unit_test(a_product_over_nothing_is_zero),
        cmocka_unit_test(sizes_about_the_blocks_are_right_transposed_or_not),
        cmocka_unit_test(a_row_alone_has_the_same_bits_as_among_others),
        cmocka_unit_test(gemms_third_input_may_be_left_out_or_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
