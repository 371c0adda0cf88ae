/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/rounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "evidence/evidence.h"
#include "trial/duration.h"
#include "trial/order.h"

/* The rounds while they go on. */
typedef struct rounds {
    as_course *c;
    as_order_row *orders; /* owns: the plan with what was bought */
    size_t n_orders;
    int n_rounds, n_bought;
    as_rounds_end *end;
} rounds;

static bool is_over(const rounds *r) { return r->end->unfit[0] || r->end->is_undecided; }

/* ---- what was done ---- */

static int last_repeat(const rounds *r, int round)
{
    int last = 0;
    for (size_t i = 0; i < r->c->n_done; i++)
        if (r->c->done[i].round == round && r->c->done[i].repeat > last)
            last = r->c->done[i].repeat;
    return last;
}

/* Rounds run again so far. */
static int count_repeats(const rounds *r)
{
    int n = 0;
    for (int round = 0; round < r->n_rounds; round++)
        n += last_repeat(r, round);
    return n;
}

static as_dirt dirt_of(const rounds *r, int round, int repeat)
{
    as_dirt sum = as_dirt_none();
    for (size_t i = 0; i < r->c->n_done; i++) {
        const as_done *done = &r->c->done[i];
        if (done->round == round && done->repeat == repeat) as_dirt_join(&sum, &done->dirt);
    }
    return sum;
}

static bool is_due(const rounds *r, const as_order_row *o, int repeat)
{
    const as_standing *s = &r->c->standings[o->policy];
    if (s->failed || s->excluded) return false;
    for (size_t i = 0; i < r->c->n_done; i++)
        if (r->c->done[i].round == o->round && r->c->done[i].repeat == repeat &&
            r->c->done[i].policy == o->policy)
            return false;
    return true;
}

/* ---- how long it takes ---- */

/* Seconds of one slot: the mean of those that are there, else by the smoke phase. */
static assay_code slot_seconds(const rounds *r, int policy, double *seconds, assay_error *err)
{
    const as_standing *s = &r->c->standings[policy];
    as_evidence *now;
    *seconds = s->n_slots ? s->slots_s / (double)s->n_slots : 0;
    if (s->n_slots) return ASSAY_OK;
    assay_code code = as_evidence_open(r->c->path, &now, err);
    if (!code) code = as_duration_of_slot(now, policy, seconds, err);
    as_evidence_close(now);
    return code;
}

/* Seconds and slots of all that is due in rounds first..n-1. */
static assay_code due_seconds(const rounds *r, int first, int n, double *seconds,
                              size_t *n_slots, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *seconds = 2 * as_course_snapshot_s(r->c) * (n - first);
    *n_slots = 0;
    for (size_t i = 0; i < r->n_orders && !code; i++) {
        double slot_s;
        const as_order_row *o = &r->orders[i];
        if (o->round < first || o->round >= n || !is_due(r, o, last_repeat(r, o->round)))
            continue;
        code = slot_seconds(r, o->policy, &slot_s, err);
        *seconds += slot_s;
        ++*n_slots;
    }
    return code;
}

static assay_code tell_duration(const rounds *r, assay_error *err)
{
    double seconds;
    size_t n_slots;
    char text[32];
    assay_code code = due_seconds(r, 0, r->n_rounds, &seconds, &n_slots, err);
    as_duration_text(seconds, text, sizeof text);
    if (!code && n_slots > 0)
        as_course_note(r->c, "%zu %s to run, about %s (by the smoke phase)", n_slots,
                       n_slots == 1 ? "slot is" : "slots are", text);
    return code;
}

/* Whether the budget holds `seconds` more; says so where it does not. */
static bool can_afford(const rounds *r, double seconds, const char *what)
{
    char needs[32], left[32];
    double budget_s = r->c->place.run->budget_s, left_s = budget_s - r->c->spent_s;
    if (budget_s == 0 || seconds <= left_s) return true;
    as_duration_text(seconds, needs, sizeof needs);
    as_duration_text(left_s, left, sizeof left);
    as_course_note(r->c, "the budget is spent: %s would take %s, %s is left", what, needs,
                   left);
    return false;
}

/* ---- rounds ---- */

static assay_code run_turns(rounds *r, int round, int repeat, assay_error *err)
{
    bool is_begun = false;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < r->n_orders && !code; i++) {
        const as_order_row *o = &r->orders[i];
        if (o->round != round || !is_due(r, o, repeat)) continue;
        if (!is_begun) code = as_course_snapshot(r->c, AS_PHASE_FORMAL, round, "before", err);
        is_begun = true;
        as_slot_order order = {AS_PHASE_FORMAL, round, o->position, o->policy, repeat};
        if (!code) code = as_course_run_slot(r->c, &order, err);
    }
    return code || !is_begun ? code
                             : as_course_snapshot(r->c, AS_PHASE_FORMAL, round, "after", err);
}

/* A round is over: whether it has to be run again, or the machine is unfit. */
static bool is_to_repeat(rounds *r, int round, int repeat)
{
    char seen[160];
    as_dirt dirt = dirt_of(r, round, repeat);
    if (r->c->place.run->noise_rule != AS_NOISE_RERUN || !as_dirt_is_dirty(&dirt)) return false;
    as_dirt_describe(&dirt, seen, sizeof seen);
    int n_redone = count_repeats(r) + 1;
    if (as_dirt_exceeds(&dirt, AS_DIRT_THROTTLED))
        snprintf(
            r->end->unfit, sizeof r->end->unfit,
            "the machine is unfit: its CPU quota stopped round %d (%s); raise the quota, or "
            "use fewer threads",
            round + 1, seen);
    else if (n_redone * 100 > AS_REDONE_PERCENT * r->n_rounds)
        snprintf(r->end->unfit, sizeof r->end->unfit,
                 "the machine is unfit: round %d is dirty (%s), and %d of %d rounds would have "
                 "been run again, more than %d %%; see assay env, or give --noise report",
                 round + 1, seen, n_redone, r->n_rounds, AS_REDONE_PERCENT);
    else
        as_course_note(r->c, "round %d is dirty (%s): it is run again", round + 1, seen);
    return !r->end->unfit[0];
}

bool as_rounds_clock_is_broken(const as_course *c, char *unfit, size_t room)
{
    if (c->n_bad_clock * 100 <= c->n_calls * AS_BAD_CLOCK_PERCENT) return false;
    snprintf(unfit, room,
             "the machine is unfit: its clock is broken in %" PRId64 " of %" PRId64
             " calls, more than %d %%; see assay env",
             c->n_bad_clock, c->n_calls, AS_BAD_CLOCK_PERCENT);
    return true;
}

static assay_code run_round(rounds *r, int round, assay_error *err)
{
    double seconds;
    size_t n_due;
    int repeat = last_repeat(r, round);
    assay_code code = due_seconds(r, round, round + 1, &seconds, &n_due, err);
    if (!code && n_due > 0 && !can_afford(r, seconds, "another round"))
        r->end->is_undecided = true;
    while (!code && !is_over(r)) {
        code = run_turns(r, round, repeat, err);
        if (!code) as_rounds_clock_is_broken(r->c, r->end->unfit, sizeof r->end->unfit);
        if (code || is_over(r) || !is_to_repeat(r, round, repeat)) break;
        repeat++;
    }
    return code;
}

/* ---- more of them ---- */

static assay_code is_decided(const rounds *r, bool *out, assay_error *err)
{
    const as_trial_control *control = r->c->control;
    bool is_undecided = false;
    assay_code code = ASSAY_OK;
    if (control->undecided)
        code = control->undecided(control->undecided_context, r->c->run_folder, &is_undecided,
                                  err);
    *out = !is_undecided;
    return code;
}

static as_order_kind kind_of(const rounds *r)
{
    return strcmp(r->c->place.run->order, as_order_name(AS_ORDER_WILLIAMS)) == 0
               ? AS_ORDER_WILLIAMS
               : AS_ORDER_LATIN;
}

/* Plan `n_more` rounds, whole designs, behind the last one. */
static assay_code buy(rounds *r, size_t n_more, assay_error *err)
{
    size_t n = n_more * r->c->n_policies;
    as_order_row *grown = as_alloc_array(r->n_orders + n, sizeof *grown);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds", n_more);
    memcpy(grown, r->orders, r->n_orders * sizeof *grown);
    as_free(r->orders);
    r->orders = grown;
    as_order_row *more = grown + r->n_orders;
    assay_code code = as_order_fill(kind_of(r), r->c->n_policies, n_more,
                                    r->c->place.run->seed + r->n_bought + 1, more, err);
    for (size_t i = 0; i < n; i++)
        more[i].round += r->n_rounds;
    if (!code)
        code = as_evidence_buy_rounds(r->c->writer, more, n, r->n_rounds + (int)n_more, err);
    if (code) return code;
    as_course_note(r->c, "undecided after %d rounds: the budget buys %zu more", r->n_rounds,
                   n_more);
    r->n_orders += n;
    r->n_rounds += (int)n_more;
    r->n_bought++;
    return ASSAY_OK;
}

/* Seconds of a round of every policy that is still in the run. */
static assay_code round_seconds(const rounds *r, double *seconds, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *seconds = 2 * as_course_snapshot_s(r->c);
    for (size_t i = 0; i < r->c->n_policies && !code; i++) {
        double slot_s = 0;
        const as_standing *s = &r->c->standings[i];
        if (!s->failed && !s->excluded) code = slot_seconds(r, (int)i, &slot_s, err);
        *seconds += slot_s;
    }
    return code;
}

/* After all planned rounds: buy as many again, or as many designs as the budget holds, or end; few
 * looks at twice the rounds each spend less of the error than many.  @return whether there are new
 * rounds in *goes_on. */
static assay_code look(rounds *r, bool *goes_on, assay_error *err)
{
    bool decided;
    double round_s;
    *goes_on = false;
    assay_code code = is_decided(r, &decided, err);
    if (code || decided) return code;
    code = round_seconds(r, &round_s, err);
    if (code) return code;
    size_t design = as_order_design_rounds(kind_of(r), r->c->n_policies);
    double left_s = fmax(0, r->c->place.run->budget_s - r->c->spent_s);
    size_t n_held = (size_t)fmin(left_s / (round_s * (double)design), 1e6);
    size_t n_designs = as_min(n_held, as_div_up((size_t)r->n_rounds, design));
    if (!can_afford(r, (double)design * round_s, "another design of rounds")) {
        r->end->is_undecided = true;
        return ASSAY_OK;
    }
    code = buy(r, as_max(n_designs, 1) * design, err);
    *goes_on = !code;
    return code;
}

assay_code as_rounds_run(as_course *c, as_rounds_end *end, assay_error *err)
{
    *end = (as_rounds_end){0};
    rounds r = {.c = c,
                .n_orders = c->n_orders,
                .n_rounds = c->place.run->n_rounds,
                .n_bought = c->place.run->n_bought,
                .end = end};
    r.orders = as_alloc_array(c->n_orders + 1, sizeof *r.orders);
    if (!r.orders) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu turns", c->n_orders);
    memcpy(r.orders, c->orders, c->n_orders * sizeof *r.orders);
    bool goes_on = true;
    assay_code code = as_evidence_set_state(c->writer, AS_RUN_ROUNDS, "", err);
    if (!code) code = tell_duration(&r, err);
    for (int round = 0; goes_on && !code; goes_on = goes_on && !is_over(&r)) {
        for (; round < r.n_rounds && !code && !is_over(&r); round++)
            code = run_round(&r, round, err);
        goes_on = false;
        if (!code && !is_over(&r) && c->place.run->budget_s > 0) code = look(&r, &goes_on, err);
    }
    if (!code && end->unfit[0]) as_course_note(c, "%s", end->unfit);
    as_free(r.orders);
    return code;
}
