/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "plan/weights.h"

#define N_LAYERS 7

/* Layers of 3x3 convolutions that get wider, so that threads take jobs of different sizes. */
typedef struct layers {
    const as_route *route;
    as_conv_shape shapes[N_LAYERS];
    float *oihw[N_LAYERS], *bias[N_LAYERS];
    const float *packed[N_LAYERS];
} layers;

static void fill(float *values, size_t n)
{
    uint32_t state = 3;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U;
        values[i] = (float)(state >> 8) * 0x1p-24F - 0.5F;
    }
}

static void make(layers *l, const char *route)
{
    const as_kernels *k = as_kernels_get(AS_ISA_SCALAR);
    l->route = as_route_find(k->conv, k->n_conv, route);
    assert_non_null(l->route);
    for (size_t i = 0; i < N_LAYERS; i++) {
        as_conv_shape *s = &l->shapes[i];
        *s = (as_conv_shape){.n = 1, .ih = 8, .iw = 8, .oh = 8, .ow = 8, .kh = 3, .kw = 3};
        s->ic = 1 + 11 * i, s->oc = 2 + 13 * i;
        s->sh = s->sw = s->dh = s->dw = s->group = s->pad_top = s->pad_left = 1;
        l->oihw[i] = as_alloc_array(s->oc * s->ic * 9, sizeof(float));
        l->bias[i] = as_alloc_array(s->oc, sizeof(float));
        assert_true(l->oihw[i] && l->bias[i]);
        fill(l->oihw[i], s->oc * s->ic * 9);
        fill(l->bias[i], s->oc);
    }
}

static void ask(as_weights *weights, layers *l)
{
    for (size_t i = 0; i < N_LAYERS; i++)
        assert_int_equal(as_weights_get(weights, (int)i, l->route, &l->shapes[i], l->oihw[i],
                                        l->bias[i], &l->packed[i], NULL),
                         ASSAY_OK);
}

static void let_go(layers *l)
{
    for (size_t i = 0; i < N_LAYERS; i++) {
        as_free(l->oihw[i]);
        as_free(l->bias[i]);
    }
}

static void assert_packed(const layers *l)
{
    for (size_t i = 0; i < N_LAYERS; i++) {
        const size_t n = l->route->packed_floats(&l->shapes[i]);
        float *wanted = as_alloc_array(n, sizeof *wanted);
        assert_non_null(wanted);
        l->route->pack(&l->shapes[i], l->oihw[i], l->bias[i], wanted);
        assert_memory_equal(l->packed[i], wanted, n * sizeof *wanted);
        as_free(wanted);
    }
}

static void any_number_of_threads_packs_what_one_call_of_the_route_packs(void **state)
{
    (void)state;
    const char *routes[] = {"direct", "winograd4"};
    for (size_t threads = 0; threads < 4; threads++)
        for (size_t r = 0; r < 2; r++) {
            layers l = {0};
            as_threads *pool = NULL;
            as_weights *weights = as_weights_new();
            assert_non_null(weights);
            if (threads) assert_int_equal(as_threads_new(threads, &pool, NULL), ASSAY_OK);
            make(&l, routes[r]);
            ask(weights, &l);
            as_weights_pack(weights, pool);
            assert_packed(&l);
            let_go(&l);
            as_weights_free(weights);
            as_threads_free(pool);
        }
}

static void who_asks_again_gets_the_same_floats_and_packs_nothing(void **state)
{
    (void)state;
    layers l = {0}, again = {0};
    as_weights *weights = as_weights_new();
    assert_non_null(weights);
    make(&l, "direct");
    ask(weights, &l);
    as_weights_pack(weights, NULL);
    const size_t bytes = as_weights_bytes(weights);
    again = l;
    memset(again.oihw, 0, sizeof again.oihw); /* packing it again would read NULL */
    ask(weights, &again);
    as_weights_pack(weights, NULL);
    assert_memory_equal(again.packed, l.packed, sizeof l.packed);
    assert_int_equal(as_weights_bytes(weights), bytes);
    assert_packed(&l);
    let_go(&l);
    as_weights_free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_packs_what_one_call_of_the_route_packs),
        cmocka_unit_test(who_asks_again_gets_the_same_floats_and_packs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
