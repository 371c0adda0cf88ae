/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs on simulated machines: the truth is known, and thousands of slots take no time. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "trial/order.h"
#include "trial/selftest_parts.h"
#include "trial/simulated.h"

/* What two-core virtual machines do: they grow 3 % slower within half a trial, wander, and now and then
 * take half as long again for no reason that shows (MEASURING, beginning). */
static as_simulated shared_machine(const as_selftest_options *o, size_t trial)
{
    as_simulated m = as_simulated_new((uint64_t)o->seed * 1000003 + trial);
    m.sd = 0.02;
    m.drift = 0.03 / 12;
    m.walk_sd = 0.003;
    m.wild_share = 0.05;
    return m;
}

/* ---- the order ---- */

/* Whether every policy stands at every place, and behind every other one, equally often. */
static bool is_balanced(const as_order_row *turns, size_t k, size_t n_rounds)
{
    enum { MOST = 12 };
    size_t places[MOST][MOST] = {{0}}, pairs[MOST][MOST] = {{0}};
    bool is_even = true;
    for (size_t i = 0; i < n_rounds * k; i++) {
        places[turns[i].policy][turns[i].position]++;
        if (turns[i].position > 0) pairs[turns[i - 1].policy][turns[i].policy]++;
    }
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            is_even = is_even && places[a][b] == n_rounds / k &&
                      (a == b || pairs[a][b] == n_rounds / k);
    return is_even;
}

static assay_code prove_order(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_order_row turns[24 * 12];
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        size_t k = 2 + i, n_rounds = as_order_design_rounds(AS_ORDER_WILLIAMS, k);
        code = as_order_fill(AS_ORDER_WILLIAMS, k, n_rounds, o->seed, turns, err);
        proof->n_counted += !code && is_balanced(turns, k, n_rounds);
    }
    as_proof_at_least(proof, proof->n);
    return code;
}

/* ---- the clock ---- */

/* A duration of 10 ms on a clock that is sound, or broken in one of four ways. */
static as_clock_fault judge_duration(uint64_t *random, bool is_broken)
{
    uint64_t way = as_random_next(random) % 4;
    as_stamp begin = {.raw_ns = 5000000000, .mono_ns = 900000000, .apart_ns = 40};
    int64_t ns = 9000000 + (int64_t)(as_random_next(random) % 2000000);
    as_stamp end = {
        .raw_ns = begin.raw_ns + ns, .mono_ns = begin.mono_ns + ns + ns / 4000, .apart_ns = 40};
    if (is_broken && way == 0) end.raw_ns -= 50000000;    /* it goes back 50 ms */
    if (is_broken && way == 1) end.mono_ns += 2000000000; /* one reading is 2 s ahead */
    if (is_broken && way == 2) end.raw_ns = begin.raw_ns; /* it stands still */
    if (is_broken && way == 3) end.raw_ns += 20000;       /* one clock jumps by 20 us */
    return as_clock_judge(&begin, &end, 25);
}

static assay_code prove_clock(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    uint64_t random = (uint64_t)o->seed;
    (void)err;
    for (size_t i = 0; i < proof->n; i++) {
        bool is_broken = i % 100 == 7;
        bool is_found = judge_duration(&random, is_broken) != AS_CLOCK_GOOD;
        proof->n_counted += is_found == is_broken;
    }
    as_proof_at_least(proof, proof->n);
    return ASSAY_OK;
}

/* ---- sides that are equal, or not ---- */

static bool is_flagged(const as_duel_result *r)
{
    return r->end == AS_DUEL_VERDICT &&
           (r->verdict == AS_VERDICT_FASTER || r->verdict == AS_VERDICT_SLOWER);
}

/* Trials of a side against itself. */
static assay_code count_flagged(const as_selftest_options *o, as_proof *proof, bool is_blocked,
                                assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = shared_machine(o, i);
        const as_duel_rules rules = {
            .is_blocked = is_blocked, .n_rounds = 12, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        proof->n_counted += is_flagged(&r);
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    return code;
}

static assay_code prove_aa(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    assay_code code = count_flagged(o, proof, false, err);
    as_proof_rarely_wrong(proof, 0.05);
    return code;
}

static assay_code prove_blocked(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    assay_code code = count_flagged(o, proof, true, err);
    as_proof_at_least(proof, proof->n / 5);
    return code;
}

/* A side that looks again and again while its budget lasts is still wrong in no more than 5 %. */
static assay_code prove_looks(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = as_simulated_new((uint64_t)o->seed * 7919 + i);
        m.sd = 0.05;
        const as_duel_rules rules = {.budget_s = 30, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        proof->n_counted += is_flagged(&r);
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    as_proof_rarely_wrong(proof, 0.05);
    return code;
}

static assay_code prove_power(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    double longest_s = 0, sd = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = as_simulated_new((uint64_t)o->seed * 104729 + i);
        m.ratio = i % 2 ? 100.0 / 103 : 103.0 / 100;
        m.sd = 0.05 / sqrt(2);
        const as_duel_rules rules = {.budget_s = 60, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        proof->n_counted += r.verdict == (i % 2 ? AS_VERDICT_FASTER : AS_VERDICT_SLOWER);
        longest_s = fmax(longest_s, r.spent_s);
        sd = fmax(sd, r.paired_sd);
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    snprintf(proof->seen, sizeof proof->seen,
             "paired SD up to %.1f %%, the longest trial takes %.0f s", 100 * sd, longest_s);
    as_proof_at_least(proof, proof->n);
    return code;
}

static assay_code prove_coverage(const as_selftest_options *o, as_proof *proof,
                                 assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = shared_machine(o, i);
        m.ratio = 0.9 + 0.2 * as_simulated_uniform(&m);
        const as_duel_rules rules = {.n_rounds = 12, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        proof->n_counted += r.estimate.low <= m.ratio && m.ratio <= r.estimate.high;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    as_proof_at_least(proof, proof->n * 92 / 100);
    return code;
}

/* ---- noise ---- */

/* Something disturbs one side's slots and shows in their noise: the dirty rounds are run again. */
static assay_code prove_rerun(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    size_t n_dirty = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = as_simulated_new((uint64_t)o->seed * 15485863 + i);
        m.dirty_share = 0.04;
        m.dirty_cost = 0.3;
        const as_duel_rules rules = {
            .n_rounds = 24, .noise_rule = AS_NOISE_RERUN, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        bool is_clean = r.end == AS_DUEL_VERDICT && fabs(r.estimate.ratio - 1) < 0.01;
        proof->n_counted += r.end == AS_DUEL_UNFIT || is_clean;
        n_dirty += r.n_dirty;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    snprintf(proof->seen, sizeof proof->seen, "%zu dirty rounds", n_dirty);
    as_proof_at_least(proof, proof->n);
    return code;
}

static assay_code prove_unfit(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = as_simulated_new((uint64_t)o->seed * 32452843 + i);
        m.dirty_share = 0.5;
        m.dirty_cost = 0.3;
        const as_duel_rules rules = {
            .n_rounds = 12, .noise_rule = AS_NOISE_RERUN, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        proof->n_counted += r.end == AS_DUEL_UNFIT;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    as_proof_at_least(proof, proof->n);
    return code;
}

/* ---- the choice ---- */

/* Of two that differ by less than the margin the simpler one is taken. */
static assay_code prove_choice(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        as_simulated m = as_simulated_new((uint64_t)o->seed * 49979687 + i);
        m.ratio = 0.995;
        const as_duel_rules rules = {.n_rounds = 12, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_simulated_slot, &m, &r, err);
        as_candidate sides[2] = {
            {.is_baseline = true, .boxes_equal = true, .median_s = 1, .n_settings = 0},
            {.boxes_equal = true,
             .median_s = r.estimate.ratio,
             .n_settings = 1,
             .estimate = r.estimate}};
        for (int side = 0; side < 2; side++)
            sides[side].verdict = as_verdict_of(&sides[side]);
        proof->n_counted += as_verdict_choose(sides, 2, 0).policy != 0;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    as_proof_rarely_wrong(proof, 0.05);
    return code;
}

const as_proof_kind as_quick_proofs[] = {
    {"order", "designs of 2 to 9 policies have each at each place and behind each other alike",
     8, prove_order},
    {"clock", "a broken clock is found in 1 of 100 durations, and in no other", 10000,
     prove_clock},
    {"a/a", "a side is called faster or slower than itself in no more than 5 %", 200, prove_aa},
    {"blocked", "the same machines make first all of one side, then all of the other fail", 200,
     prove_blocked},
    {"looks", "looking again while a budget lasts is wrong in no more than 5 %", 200,
     prove_looks},
    {"power", "3 % are found within 60 s", 30, prove_power},
    {"coverage", "the interval holds the injected ratio", 200, prove_coverage},
    {"rerun", "disturbed rounds that are run again leave the ratio within 1 %, or are unfit",
     100, prove_rerun},
    {"unfit", "a machine disturbed half the time is called unfit", 100, prove_unfit},
    {"choice", "half a per cent takes a choice from the simpler side in no more than 5 %", 200,
     prove_choice},
    {0}};
