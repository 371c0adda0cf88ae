/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs on this machine: fresh processes that do a kernel a known number of times. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "base/size.h"
#include "trial/kernel_slot.h"
#include "trial/selftest_parts.h"

/* Repetitions of one slot: some 50 ms on a core of 2020. */
enum { SLOT = 1000, MOST_LOADS = 64 };

static bool is_flagged(const as_duel_result *r)
{
    return r->end == AS_DUEL_VERDICT &&
           (r->verdict == AS_VERDICT_FASTER || r->verdict == AS_VERDICT_SLOWER);
}

static void tell_noise(as_proof *proof, double sd, size_t n_dirty)
{
    snprintf(proof->seen, sizeof proof->seen, "paired SD up to %.1f %%, %zu dirty rounds",
             100 * sd, n_dirty);
}

static assay_code prove_aa(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_kernel_sides sides = {o->worker_argv, {SLOT, SLOT}};
    as_duel_result r;
    double sd = 0;
    size_t n_dirty = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        const as_duel_rules rules = {.n_rounds = 12, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_kernel_slot, &sides, &r, err);
        proof->n_counted += is_flagged(&r);
        sd = fmax(sd, r.paired_sd);
        n_dirty += r.n_dirty;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    tell_noise(proof, sd, n_dirty);
    as_proof_rarely_wrong(proof, 0.05);
    return code;
}

/* Trials on a machine whose pairs scatter by more than 5 % prove nothing either way. */
static assay_code prove_power(const as_selftest_options *o, as_proof *proof, assay_error *err)
{
    as_duel_result r;
    double sd = 0, longest_s = 0;
    size_t n_quiet = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        size_t candidate = i % 2 ? SLOT * 100 / 103 : SLOT * 103 / 100;
        as_kernel_sides sides = {o->worker_argv, {SLOT, candidate}};
        const as_duel_rules rules = {.budget_s = 60, .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, as_kernel_slot, &sides, &r, err);
        if (r.paired_sd <= 0.05) {
            n_quiet++;
            proof->n_counted += r.verdict == (i % 2 ? AS_VERDICT_FASTER : AS_VERDICT_SLOWER);
        }
        sd = fmax(sd, r.paired_sd);
        longest_s = fmax(longest_s, r.spent_s);
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    snprintf(proof->seen, sizeof proof->seen,
             "%zu of %zu trials with a paired SD of at most 5 %% (up to %.1f %%), the longest "
             "took %.0f s",
             n_quiet, proof->n, 100 * sd, longest_s);
    as_proof_at_least(proof, n_quiet);
    return code;
}

static assay_code prove_coverage(const as_selftest_options *o, as_proof *proof,
                                 assay_error *err)
{
    as_duel_result r;
    double sd = 0;
    size_t n_dirty = 0;
    uint64_t random = (uint64_t)o->seed;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        size_t candidate = SLOT * 9 / 10 + as_random_next(&random) % (SLOT / 5 + 1);
        as_kernel_sides sides = {o->worker_argv, {SLOT, candidate}};
        const as_duel_rules rules = {.n_rounds = 12, .seed = o->seed + (int64_t)i};
        double truth = (double)candidate / SLOT;
        code = as_duel_run(&rules, as_kernel_slot, &sides, &r, err);
        proof->n_counted += r.estimate.low <= truth && truth <= r.estimate.high;
        sd = fmax(sd, r.paired_sd);
        n_dirty += r.n_dirty;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    tell_noise(proof, sd, n_dirty);
    as_proof_at_least(proof, proof->n * 92 / 100);
    return code;
}

/* ---- under load ---- */

/* Sides on a machine that others use from the 13th slot on: every core is taken. */
typedef struct loaded {
    as_kernel_sides sides;
    size_t n_slots;
    as_process *loads[MOST_LOADS]; /* owns */
    size_t n_loads;
} loaded;

static void end_load(loaded *l)
{
    while (l->n_loads > 0)
        as_process_free(l->loads[--l->n_loads]);
    l->n_slots = 0;
}

static assay_code begin_load(loaded *l, assay_error *err)
{
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    const char *argv[] = {l->sides.argv[0], l->sides.argv[1], "--kernel", "1000000000", NULL};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < as_min(cpu.n_online, MOST_LOADS) && !code; i++) {
        as_process_options options = as_process_defaults(argv);
        options.out = options.err = (as_stream){.kind = AS_STREAM_NULL};
        code = as_process_start(&options, &l->loads[l->n_loads], err);
        if (!code) l->n_loads++;
    }
    return code;
}

static assay_code loaded_slot(void *context, int side, as_duel_slot *out, assay_error *err)
{
    loaded *l = context;
    assay_code code = ASSAY_OK;
    if (l->n_slots++ == 12) code = begin_load(l, err);
    return code ? code : as_kernel_slot(&l->sides, side, out, err);
}

static assay_code prove_loaded(const as_selftest_options *o, as_proof *proof, bool is_blocked,
                               size_t *n_unfit, assay_error *err)
{
    as_duel_result r;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < proof->n && !code; i++) {
        loaded l = {.sides = {o->worker_argv, {SLOT, SLOT}}};
        const as_duel_rules rules = {.is_blocked = is_blocked,
                                     .n_rounds = 12,
                                     .noise_rule = AS_NOISE_RERUN,
                                     .seed = o->seed + (int64_t)i};
        code = as_duel_run(&rules, loaded_slot, &l, &r, err);
        end_load(&l);
        proof->n_counted += is_flagged(&r);
        *n_unfit += r.end == AS_DUEL_UNFIT;
        if (!code) code = as_selftest_step(o, proof, i + 1, err);
    }
    return code;
}

static assay_code prove_load_blocked(const as_selftest_options *o, as_proof *proof,
                                     assay_error *err)
{
    size_t n_unfit = 0;
    assay_code code = prove_loaded(o, proof, true, &n_unfit, err);
    as_proof_at_least(proof, (proof->n + 1) / 2);
    return code;
}

static assay_code prove_load_ours(const as_selftest_options *o, as_proof *proof,
                                  assay_error *err)
{
    size_t n_unfit = 0;
    assay_code code = prove_loaded(o, proof, false, &n_unfit, err);
    snprintf(proof->seen, sizeof proof->seen, "%zu of %zu called unfit", n_unfit, proof->n);
    as_proof_at_most(proof, 0);
    return code;
}

const as_proof_kind as_full_proofs[] = {
    {"a/a", "a side is called faster or slower than itself in no more than 5 %", 400, prove_aa},
    {"power", "3 % are found within 60 s while the paired SD is at most 5 %", 30, prove_power},
    {"coverage", "the interval holds the injected ratio", 200, prove_coverage},
    {"load, blocked", "load on every core makes first one side, then the other fail", 10,
     prove_load_blocked},
    {"load", "under the same load no side is called the winner", 10, prove_load_ours},
    {0}};
