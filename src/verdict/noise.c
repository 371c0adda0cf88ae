/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/noise.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static double count(int64_t n) { return n < 0 ? NAN : (double)n; }

static double percent(double part, double whole)
{
    return part >= 0 && whole > 0 ? 100 * part / whole : NAN;
}

static double throttled(const as_noise *n) { return count(n->n_throttled); }
static double faults(const as_noise *n) { return count(n->major_faults); }
static double steal(const as_noise *n)
{
    return percent(count(n->steal_ticks), count(n->total_ticks));
}
static double delay(const as_noise *n) { return percent(n->run_delay_s, n->wall_s); }
static double pressure(const as_noise *n) { return percent(n->psi_cpu_s, n->wall_s); }

static const struct {
    double (*level)(const as_noise *noise);
    double gate;
    bool is_count;
    const char *format;
} kinds[AS_N_DIRT] = /* said */ {
    [AS_DIRT_THROTTLED] = {throttled, 0, true, "throttled (%.0f times)"},
    [AS_DIRT_FAULTS] = {faults, 0, true, "%.0f major faults"},
    [AS_DIRT_STEAL] = {steal, AS_STEAL_PERCENT, false, "steal %.1f %%"},
    [AS_DIRT_DELAY] = {delay, AS_DELAY_PERCENT, false, "run delay %.1f %%"},
    [AS_DIRT_PRESSURE] = {pressure, AS_PRESSURE_PERCENT, false, "CPU pressure %.1f %%"},
};

as_dirt as_dirt_none(void)
{
    as_dirt dirt;
    for (int k = 0; k < AS_N_DIRT; k++)
        dirt.level[k] = NAN;
    return dirt;
}

void as_dirt_join(as_dirt *dirt, const as_dirt *other)
{
    for (int k = 0; k < AS_N_DIRT; k++) {
        double level = other->level[k], *sum = &dirt->level[k];
        if (isnan(level)) continue;
        if (isnan(*sum))
            *sum = level;
        else
            *sum = kinds[k].is_count ? *sum + level : fmax(*sum, level);
    }
}

void as_dirt_add(as_dirt *dirt, const as_noise *noise)
{
    as_dirt one;
    for (int k = 0; k < AS_N_DIRT; k++)
        one.level[k] = kinds[k].level(noise);
    as_dirt_join(dirt, &one);
}

bool as_dirt_exceeds(const as_dirt *dirt, as_dirt_kind kind)
{
    return dirt->level[kind] > kinds[kind].gate; /* false for NaN */
}

bool as_dirt_is_dirty(const as_dirt *dirt)
{
    bool is_dirty = false;
    for (int k = 0; k < AS_N_DIRT; k++)
        is_dirty = is_dirty || as_dirt_exceeds(dirt, (as_dirt_kind)k);
    return is_dirty;
}

const char *as_dirt_format(as_dirt_kind kind) { return kinds[kind].format; }

void as_dirt_describe(const as_dirt *dirt, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < AS_N_DIRT; k++) {
        char level[48];
        if (!as_dirt_exceeds(dirt, (as_dirt_kind)k)) continue;
        snprintf(level, sizeof level, kinds[k].format, dirt->level[k]);
        int n = snprintf(text + used, room - used, "%s%s", used ? ", " : "", level);
        if (n < 0 || used + (size_t)n >= room) return;
        used += (size_t)n;
    }
}

double as_noise_off_cpu_percent(const as_noise *noise)
{
    if (isnan(noise->cpu_s)) return NAN;
    return percent(fmax(0, noise->wall_s - noise->cpu_s), noise->wall_s);
}
