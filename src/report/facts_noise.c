/* SPDX-License-Identifier: Apache-2.0 */
/* How disturbed each round was, and which calls a broken clock takes out of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/facts.h"

/** The last snapshot of that moment: a round that was killed and resumed begins twice. */
static const as_snapshot_row *snapshot_of(const as_facts *f, int round, const char *moment)
{
    for (size_t i = f->n_snapshots; i-- > 0;) {
        const as_snapshot_row *s = &f->snapshots[i];
        if (s->phase == AS_PHASE_FORMAL && s->round == round && strcmp(s->moment, moment) == 0)
            return s;
    }
    return NULL;
}

static int64_t growth(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1;
}

/** Of evidence of schema 1, whose slots tell nothing: what the snapshots around the round show. */
static bool noise_between(const as_facts *f, int round, as_noise *out)
{
    const as_snapshot_row *before = snapshot_of(f, round, "before");
    const as_snapshot_row *after = snapshot_of(f, round, "after");
    *out = (as_noise){.cpu_s = NAN, .run_delay_s = NAN, .psi_cpu_s = NAN};
    for (size_t i = 0; i < f->n_slots; i++) {
        const as_slot_row *slot = &f->slots[i];
        if (slot->phase != AS_PHASE_FORMAL || slot->round != round) continue;
        bool is_between = before && strcmp(slot->started, before->taken) >= 0; /* labels sort */
        if (is_between && isfinite(slot->total_s)) out->wall_s += slot->total_s;
        if (slot->major_faults > 0) as_facts_add(&out->major_faults, slot->major_faults);
    }
    if (!before || !after) return false;
    int64_t psi_us = growth(before->psi_cpu_total_us, after->psi_cpu_total_us);
    if (psi_us >= 0) out->psi_cpu_s = (double)psi_us * 1e-6;
    out->steal_ticks = growth(before->steal_ticks, after->steal_ticks);
    out->total_ticks = growth(before->total_ticks, after->total_ticks);
    out->n_throttled = growth(before->n_throttled, after->n_throttled);
    return true;
}

/** The noise of a slot, or NULL. */
static const as_noise_row *noise_of(const as_facts *f, int slot)
{
    for (size_t i = 0; i < f->n_noise; i++)
        if (f->noise[i].slot == slot) return &f->noise[i];
    return NULL;
}

/* A count again; evidence that nobody of ours wrote may hold any number. */
static int64_t whole(double level)
{
    if (isnan(level)) return 0;
    return level < 0x1p63 ? (int64_t)fmax(level, -0x1p63) : INT64_MAX;
}

static void measure_round(as_facts *f, size_t r)
{
    as_round_facts *round = &f->rounds[r];
    as_dirt dirt = as_dirt_none();
    as_noise between;
    for (size_t p = 0; p < f->n_policies; p++) {
        int slot = as_facts_slot(f, r, p);
        const as_noise_row *told = slot < 0 ? NULL : noise_of(f, slot);
        if (!told) continue;
        as_dirt_add(&dirt, &told->noise);
        round->has_noise = true;
        round->off_cpu = fmax(round->off_cpu, as_noise_off_cpu_percent(&told->noise));
    }
    if (f->n_noise == 0) {
        round->has_noise = noise_between(f, round->id, &between);
        as_dirt_add(&dirt, &between);
    }
    round->psi_cpu = dirt.level[AS_DIRT_PRESSURE];
    round->run_delay = dirt.level[AS_DIRT_DELAY];
    round->steal = dirt.level[AS_DIRT_STEAL];
    round->n_throttled = whole(dirt.level[AS_DIRT_THROTTLED]);
    round->n_major_faults = whole(dirt.level[AS_DIRT_FAULTS]);
    round->is_dirty = as_dirt_is_dirty(&dirt);
    for (size_t i = 0; i < f->n_slots; i++)
        if (f->slots[i].phase == AS_PHASE_FORMAL && f->slots[i].round == round->id &&
            f->slots[i].repeat > round->n_repeats)
            round->n_repeats = f->slots[i].repeat;
}

void as_facts_noise(as_facts *f)
{
    for (size_t r = 0; r < f->n_rounds; r++) {
        f->rounds[r].off_cpu = NAN;
        measure_round(f, r);
    }
}

/* ---- clocks ---- */

static const char *const clock_columns[] = {"slot", "cycle", "call", "clock", NULL};

static int by_call(const void *a, const void *b)
{
    const as_bad_call *x = a, *y = b;
    if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
    if (x->round != y->round) return x->round < y->round ? -1 : 1;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static as_bad_call call_of(const as_facts *f, const as_sample_row *s)
{
    const as_slot_row *slot = &f->slots[s->slot];
    return (as_bad_call){slot->phase, slot->round, s->cycle, s->call};
}

static assay_code take_bad(void *context, const as_sample_row *s, assay_error *err)
{
    as_facts *f = context;
    (void)err;
    if (s->clock != AS_CLOCK_GOOD) f->bad_calls[f->n_bad_calls++] = call_of(f, s);
    return ASSAY_OK;
}

assay_code as_facts_clocks(as_facts *f, assay_error *err)
{
    bool any = false;
    for (size_t i = 0; i < f->n_noise; i++)
        any = any || f->noise[i].n_bad_clock > 0;
    if (!any) return ASSAY_OK;
    assay_code code = as_facts_array(f, f->n_samples, sizeof *f->bad_calls, &f->bad_calls, err);
    if (!code) code = as_evidence_each_sample(f->evidence, -1, clock_columns, take_bad, f, err);
    if (!code && f->n_bad_calls)
        qsort(f->bad_calls, f->n_bad_calls, sizeof *f->bad_calls, by_call);
    return code;
}

bool as_facts_is_left_out(const as_facts *f, const as_sample_row *sample)
{
    if (f->n_bad_calls == 0) return false;
    const as_bad_call wanted = call_of(f, sample);
    return bsearch(&wanted, f->bad_calls, f->n_bad_calls, sizeof wanted, by_call) != NULL;
}
