/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/duel.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "trial/order.h"
#include "verdict/noise.h"

enum { SIDES = 2 };

/* A duel while it goes on. */
typedef struct duel {
    const as_duel_rules *rules;
    as_duel_source source;
    void *context;
    double *seconds[SIDES]; /* owns; [n_rounds] */
    size_t n_rounds, n_planned, n_redone, n_looks;
    as_duel_result *out;
} duel;

static assay_code grow(duel *d, size_t n_more, assay_error *err)
{
    for (int side = 0; side < SIDES; side++) {
        double *grown = as_alloc_array(d->n_planned + n_more, sizeof *grown);
        if (!grown)
            return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds",
                           d->n_planned + n_more);
        if (d->n_rounds) memcpy(grown, d->seconds[side], d->n_rounds * sizeof *grown);
        as_free(d->seconds[side]);
        d->seconds[side] = grown;
    }
    d->n_planned += n_more;
    return ASSAY_OK;
}

static assay_code run_slot(duel *d, size_t round, int side, as_dirt *dirt, assay_error *err)
{
    as_duel_slot slot = {0};
    assay_code code = d->source(d->context, side, &slot, err);
    d->seconds[side][round] = slot.seconds;
    d->out->spent_s += slot.total_s;
    as_dirt_add(dirt, &slot.noise);
    return code;
}

/* Both turns of a round, again while it is dirty and may be run again. */
static assay_code run_round(duel *d, size_t round, const as_order_row *turns, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (;;) {
        as_dirt dirt = as_dirt_none();
        for (int at = 0; at < SIDES && !code; at++)
            code = run_slot(d, round, turns[at].policy, &dirt, err);
        if (code || !as_dirt_is_dirty(&dirt)) return code;
        d->out->n_dirty++;
        if (d->rules->noise_rule != AS_NOISE_RERUN) return code;
        d->n_redone++;
        if (as_dirt_exceeds(&dirt, AS_DIRT_THROTTLED) ||
            d->n_redone * 100 > AS_REDONE_PERCENT * d->n_planned) {
            d->out->end = AS_DUEL_UNFIT;
            return code;
        }
    }
}

static assay_code run_planned(duel *d, assay_error *err)
{
    size_t n = d->n_planned - d->n_rounds;
    as_order_row *turns = as_alloc_array(n * SIDES, sizeof *turns);
    if (!turns) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds", n);
    assay_code code = as_order_fill(AS_ORDER_WILLIAMS, SIDES, n,
                                    d->rules->seed + (int64_t)d->n_looks, turns, err);
    for (size_t i = 0; i < n && !code && d->out->end == AS_DUEL_VERDICT; i++) {
        code = run_round(d, d->n_rounds, turns + i * SIDES, err);
        d->n_rounds++;
    }
    as_free(turns);
    return code;
}

/* All of one side, then all of the other; paired by their number as if nothing had moved. */
static assay_code run_blocked(duel *d, assay_error *err)
{
    assay_code code = ASSAY_OK;
    as_dirt dirt = as_dirt_none();
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < d->n_planned && !code; i++)
            code = run_slot(d, i, side, &dirt, err);
    d->n_rounds = d->n_planned;
    return code;
}

static double deviation(const duel *d)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < d->n_rounds; i++)
        mean += log(d->seconds[1][i] / d->seconds[0][i]) / (double)d->n_rounds;
    for (size_t i = 0; i < d->n_rounds; i++)
        sum += pow(log(d->seconds[1][i] / d->seconds[0][i]) - mean, 2);
    return d->n_rounds > 1 ? sqrt(sum / (double)(d->n_rounds - 1)) : NAN;
}

static assay_code judge(duel *d, assay_error *err)
{
    as_candidate candidate = {.boxes_equal = true};
    size_t look = d->rules->budget_s > 0 ? ++d->n_looks : 0;
    assay_code code = as_estimate_at(d->seconds[1], d->seconds[0], d->n_rounds,
                                     as_alpha_of(1, look), &candidate.estimate, err);
    d->out->estimate = candidate.estimate;
    d->out->verdict = as_verdict_of(&candidate);
    d->out->paired_sd = deviation(d);
    return code;
}

/* As many rounds again, or as many pairs as the budget holds; 0 when there is no more. */
static size_t rounds_to_buy(const duel *d)
{
    as_verdict v = d->out->verdict;
    double left_s = d->rules->budget_s - d->out->spent_s;
    double pair_s = 2 * d->out->spent_s / (double)d->n_rounds;
    if ((v != AS_VERDICT_UNDECIDED && v != AS_VERDICT_NO_INTERVAL) || left_s < pair_s) return 0;
    return as_min(d->n_rounds, 2 * (size_t)(left_s / pair_s));
}

assay_code as_duel_run(const as_duel_rules *rules, as_duel_source source, void *context,
                       as_duel_result *out, assay_error *err)
{
    *out = (as_duel_result){.end = AS_DUEL_VERDICT};
    duel d = {.rules = rules, .source = source, .context = context, .out = out};
    size_t least = as_rounds_for_alpha(as_alpha_of(1, rules->budget_s > 0 ? 1 : 0));
    size_t n_more = rules->n_rounds ? rules->n_rounds : least;
    assay_code code = ASSAY_OK;
    while (!code && n_more > 0) {
        code = grow(&d, as_round_up(n_more, SIDES), err);
        if (!code) code = rules->is_blocked ? run_blocked(&d, err) : run_planned(&d, err);
        if (code || out->end == AS_DUEL_UNFIT) break;
        code = judge(&d, err);
        n_more = rounds_to_buy(&d);
    }
    as_free(d.seconds[0]);
    as_free(d.seconds[1]);
    return code;
}
