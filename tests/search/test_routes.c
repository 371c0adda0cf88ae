/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of routes over planted costs and planted differences: no clock, no network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "search/routes.h"

#define N_LAYERS 7

/* A machine that costs what cost[layer][option] says, times a factor that drifts and jitters. */
typedef struct machine {
    as_search_layer layers[N_LAYERS];
    double cost[N_LAYERS][3];
    bool moves_boxes[N_LAYERS][3]; /* this option changes a box */
    double jitter;                 /* half width, as a share */
    uint32_t random;
    size_t n_measured, n_compared;
    double now_s, slot_s;
    assay_code fails; /* what the next measurement returns */
} machine;

static double jitter(machine *m)
{
    m->random = m->random * 1664525U + 1013904223U;
    return 1 + m->jitter * ((double)(m->random >> 8) / (double)(1U << 23) - 1);
}

static assay_code measure(void *context, const size_t *option, double *layer_s,
                          assay_error *err)
{
    machine *m = context;
    if (m->fails) return as_fail(err, m->fails, "planted");
    double drift = 1 + 0.02 * (double)(m->n_measured % 13); /* 26 %, the same for all layers */
    for (size_t i = 0; i < N_LAYERS; i++)
        layer_s[i] = m->cost[i][option[i]] * drift * jitter(m);
    m->n_measured++;
    m->now_s += m->slot_s;
    return ASSAY_OK;
}

static assay_code compare(void *context, const size_t *option, bool *is_equal, assay_error *err)
{
    machine *m = context;
    (void)err;
    m->n_compared++;
    *is_equal = true;
    for (size_t i = 0; i < N_LAYERS; i++)
        *is_equal = *is_equal && !m->moves_boxes[i][option[i]];
    return ASSAY_OK;
}

static double now_s(void *context) { return ((const machine *)context)->now_s; }

/* Every layer: "plain" exact at 10 ms, "other" exact at 15 ms, "close" at 18 ms. */
static machine plain_machine(void)
{
    static const char *const names[N_LAYERS] = {"a", "b", "c", "d", "e", "f", "g"};
    machine m = {.random = 5, .slot_s = 1};
    for (int i = 0; i < N_LAYERS; i++) {
        m.layers[i] = (as_search_layer){.node = i,
                                        .name = names[i],
                                        .op_type = "Conv",
                                        .options = {{.route = "plain", .is_exact = true},
                                                    {.route = "other", .is_exact = true},
                                                    {.route = "close"}},
                                        .n_options = 3};
        m.cost[i][0] = 0.010;
        m.cost[i][1] = 0.015;
        m.cost[i][2] = 0.018;
    }
    return m;
}

typedef struct answer {
    as_route_search search;
    assay_code code;
    assay_error err;
} answer;

static answer search(machine *m, uint64_t seed, double budget_s)
{
    const as_route_meter meter = {
        .context = m, .measure = measure, .compare = compare, .now_s = now_s};
    answer a = {.search = {.layers = m->layers,
                           .n_layers = N_LAYERS,
                           .meter = &meter,
                           .seed = seed,
                           .least_rounds = 8,
                           .most_rounds = 24,
                           .budget_s = budget_s}};
    a.code = as_routes_search(&a.search, &a.err);
    as_routes_free(&a.search);
    return a;
}

static void the_cheapest_route_of_each_layer_is_found(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.cost[2][1] = 0.005;
    m.cost[4][2] = 0.004;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_OK);
    assert_true(a.search.is_settled);
    assert_int_equal(a.search.n_rounds, 8);
    assert_int_equal(a.search.n_comparisons, 1);
    for (size_t i = 0; i < N_LAYERS; i++)
        assert_int_equal(m.layers[i].chosen, i == 2 ? 1 : i == 4 ? 2 : 0);
}

static void a_tie_within_the_margin_stays_with_the_preferred_route(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.cost[1][1] = 0.010 * 0.993; /* 0.7 % cheaper: none of the margin's business */
    m.cost[3][2] = 0.010 * 0.995;
    m.cost[5][1] = m.cost[5][2] = 0.005; /* exact before close at the same cost */
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_OK);
    assert_int_equal(m.layers[1].chosen, 0);
    assert_int_equal(m.layers[3].chosen, 0);
    assert_int_equal(m.layers[5].chosen, 1);
}

static void what_stays_undecided_stays_with_the_rule(void **state)
{
    (void)state;
    for (size_t rule = 0; rule < 2; rule++) {
        machine m = plain_machine();
        m.jitter = 0.3; /* hides which of two is cheaper */
        m.cost[1][1] = 0.010;
        m.layers[1].rule = rule;
        answer a = search(&m, 1, 8); /* the least rounds, and no more */
        assert_int_equal(a.code, ASSAY_OK);
        assert_false(a.search.is_settled);
        assert_int_equal(m.layers[1].chosen, rule);
    }
}

static void a_saving_that_the_network_never_feels_is_a_tie(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.cost[6][0] = 0.00005; /* half of it is 0.04 % of the 60 ms of all layers */
    m.cost[6][1] = 0.000025;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_OK);
    assert_true(a.search.is_settled);
    assert_int_equal(m.layers[6].chosen, 0);
}

static void tuning_again_under_noise_chooses_the_same(void **state)
{
    (void)state;
    size_t first[N_LAYERS] = {0};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        machine m = plain_machine();
        m.random = (uint32_t)seed * 7919;
        m.jitter = 0.05;
        m.cost[0][1] = 0.010;         /* a tie */
        m.cost[1][2] = 0.010 * 0.999; /* a tie */
        m.cost[2][1] = 0.008;
        m.cost[3][2] = 0.006;
        answer a = search(&m, seed, 0);
        assert_int_equal(a.code, ASSAY_OK);
        for (size_t i = 0; i < N_LAYERS; i++) {
            if (seed == 1) first[i] = m.layers[i].chosen;
            assert_int_equal(m.layers[i].chosen, first[i]);
        }
    }
    assert_int_equal(first[0], 0);
    assert_int_equal(first[1], 0);
    assert_int_equal(first[2], 1);
    assert_int_equal(first[3], 2);
}

static void the_layer_that_moves_a_box_gets_its_next_route(void **state)
{
    (void)state;
    for (size_t bad = 0; bad < N_LAYERS; bad++) {
        machine m = plain_machine();
        for (size_t i = 0; i < N_LAYERS; i++) {
            m.cost[i][2] = 0.002;
            m.cost[i][1] = 0.005;
        }
        m.moves_boxes[bad][2] = true;
        answer a = search(&m, 1, 0);
        assert_int_equal(a.code, ASSAY_OK);
        for (size_t i = 0; i < N_LAYERS; i++) {
            assert_int_equal(m.layers[i].chosen, i == bad ? 1 : 2);
            assert_int_equal(m.layers[i].options[2].changes_boxes, i == bad);
        }
        assert_true(m.n_compared <= 5); /* all, halving 7 in at most 3, all again */
    }
}

static void every_culprit_is_found_and_the_rest_stays(void **state)
{
    (void)state;
    machine m = plain_machine();
    for (size_t i = 0; i < N_LAYERS; i++)
        m.cost[i][2] = 0.002;
    m.moves_boxes[1][2] = m.moves_boxes[4][2] = m.moves_boxes[6][2] = true;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_OK);
    for (size_t i = 0; i < N_LAYERS; i++)
        assert_int_equal(m.layers[i].chosen, i == 1 || i == 4 || i == 6 ? 0 : 2);
}

static void a_hopeless_route_is_timed_three_times_but_an_exact_one_stays(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.cost[2][1] = 0.100;
    m.cost[4][2] = 0.001; /* ten times as fast as any exact one, and it moves a box */
    m.moves_boxes[4][2] = true;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_OK);
    assert_true(m.layers[2].options[1].is_hopeless);
    assert_false(m.layers[2].options[2].is_hopeless);
    assert_int_equal(m.layers[2].chosen, 0);
    assert_false(m.layers[4].options[0].is_hopeless || m.layers[4].options[1].is_hopeless);
    assert_int_equal(m.layers[4].chosen, 0);
}

static void a_round_has_no_slots_for_hopeless_routes(void **state)
{
    (void)state;
    machine m = plain_machine();
    for (size_t i = 0; i < N_LAYERS; i++)
        m.cost[i][1] = m.cost[i][2] = 0.100;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.search.n_rounds, 8);
    assert_int_equal(m.n_measured, 3 * 3 + 5);
}

static void a_difference_without_close_routes_is_an_error(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.moves_boxes[3][0] = true;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_E_DIFFERENT);
    assert_non_null(strstr(a.err.message, "exact route"));
}

static void the_budget_ends_the_rounds_but_not_before_the_least(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.jitter = 0.5;
    m.cost[1][1] = 0.0097;
    m.slot_s = 1;
    answer a = search(&m, 1, 1.0);
    assert_int_equal(a.code, ASSAY_OK);
    assert_int_equal(a.search.n_rounds, 8);
    assert_false(a.search.is_settled);
    machine free = m;
    free.n_measured = 0;
    free.now_s = 0;
    answer longer = search(&free, 1, 30.5); /* rounds of 3 slots */
    assert_int_equal(longer.search.n_rounds, 11);
    answer endless = search(&free, 1, 0);
    assert_int_equal(endless.search.n_rounds, 24);
}

static void what_the_meter_says_comes_through(void **state)
{
    (void)state;
    machine m = plain_machine();
    m.fails = ASSAY_E_INTERRUPTED;
    answer a = search(&m, 1, 0);
    assert_int_equal(a.code, ASSAY_E_INTERRUPTED);
    assert_string_equal(a.err.message, "planted");
    assert_int_equal(m.n_compared, 0);
}

static void searching_survives_every_failing_allocation(void **state)
{
    (void)state;
    assay_code code = ASSAY_E_MEMORY;
    size_t n = 1;
    for (; code == ASSAY_E_MEMORY && n < 5000; n += n < 20 ? 1 : 97) {
        machine m = plain_machine();
        as_memory_fail_at(n);
        code = search(&m, 1, 0).code;
        as_memory_fail_at(0);
    }
    assert_int_equal(code, ASSAY_OK);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_route_of_each_layer_is_found),
        cmocka_unit_test(a_tie_within_the_margin_stays_with_the_preferred_route),
        cmocka_unit_test(what_stays_undecided_stays_with_the_rule),
        cmocka_unit_test(a_saving_that_the_network_never_feels_is_a_tie),
        cmocka_unit_test(tuning_again_under_noise_chooses_the_same),
        cmocka_unit_test(the_layer_that_moves_a_box_gets_its_next_route),
        cmocka_unit_test(every_culprit_is_found_and_the_rest_stays),
        cmocka_unit_test(a_hopeless_route_is_timed_three_times_but_an_exact_one_stays),
        cmocka_unit_test(a_round_has_no_slots_for_hopeless_routes),
        cmocka_unit_test(a_difference_without_close_routes_is_an_error),
        cmocka_unit_test(the_budget_ends_the_rounds_but_not_before_the_least),
        cmocka_unit_test(what_the_meter_says_comes_through),
        cmocka_unit_test(searching_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
