/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/structures.h"

#include <math.h>

#include "base/random.h"
#include "verdict/verdict.h"

bool as_structure_is_feasible(const as_scored *s, const as_scored *baseline)
{
    return s->trained && baseline->trained &&
           s->accuracy >= baseline->accuracy - AS_SAME_ACCURACY &&
           s->latency_us <= baseline->latency_us;
}

static bool has_interval(const as_scored *s)
{
    return s->low_us > 0 && s->high_us >= s->low_us; /* false for NaN */
}

bool as_latencies_tie(const as_scored *a, const as_scored *b)
{
    if (!a->trained || !b->trained) return false;
    double least = fmin(a->latency_us, b->latency_us);
    if (fabs(a->latency_us - b->latency_us) <= AS_MARGIN * least) return true;
    return has_interval(a) && has_interval(b) && a->low_us <= b->high_us &&
           b->low_us <= a->high_us;
}

bool as_accuracies_tie(const as_scored *a, const as_scored *b)
{
    if (!a->trained || !b->trained) return false;
    double noise = 2 * hypot(a->accuracy_noise, b->accuracy_noise);
    return fabs(a->accuracy - b->accuracy) <= fmax(AS_SAME_ACCURACY, noise);
}

/** The faster of two places, the first when equal; AS_NO_STRUCTURE is slower than all. */
static size_t faster_of(const as_scored *scored, size_t a, size_t b)
{
    if (a == AS_NO_STRUCTURE) return b;
    return scored[b].latency_us < scored[a].latency_us ? b : a;
}

static size_t most_accurate(const as_scored *scored, size_t n)
{
    double best = -INFINITY;
    size_t chosen = AS_NO_STRUCTURE;
    for (size_t i = 0; i < n; i++)
        if (scored[i].trained) best = fmax(best, scored[i].accuracy);
    for (size_t i = 0; i < n; i++)
        if (scored[i].trained && scored[i].accuracy >= best - AS_SAME_ACCURACY)
            chosen = faster_of(scored, chosen, i);
    return chosen;
}

/** The fastest feasible one among n_places places; AS_NO_STRUCTURE when none is. */
static size_t fastest_feasible(const as_scored *scored, const size_t *places, size_t n_places,
                               size_t baseline)
{
    size_t chosen = AS_NO_STRUCTURE;
    for (size_t i = 0; i < n_places; i++)
        if (places[i] != AS_NO_STRUCTURE &&
            as_structure_is_feasible(&scored[places[i]], &scored[baseline]))
            chosen = faster_of(scored, chosen, places[i]);
    return chosen;
}

/** Two different places of n, each pair as likely; fewer where there are fewer. */
static void draw_two(size_t n, uint64_t seed, size_t two[2])
{
    two[0] = two[1] = AS_NO_STRUCTURE;
    if (n > 0) two[0] = as_random_next(&seed) % n;
    if (n < 2) return;
    two[1] = as_random_next(&seed) % (n - 1);
    two[1] += two[1] >= two[0];
}

void as_structures_select(const as_scored *scored, size_t n, size_t baseline, uint64_t seed,
                          as_selection *out)
{
    *out = (as_selection){.manual_baseline = baseline,
                          .by_accuracy = most_accurate(scored, n),
                          .by_latency = baseline,
                          .baseline_failed = !scored[baseline].trained};
    for (size_t i = 0; i < n; i++) {
        if (!as_structure_is_feasible(&scored[i], &scored[baseline])) continue;
        out->by_latency = faster_of(scored, out->by_latency, i);
        out->n_feasible += i != baseline;
    }
    draw_two(n, seed, out->random_names);
    out->random_two = fastest_feasible(scored, out->random_names, 2, baseline);
    out->random_fell_back = out->random_two == AS_NO_STRUCTURE;
    if (out->random_fell_back) out->random_two = baseline;
    out->n_accuracy_ties = as_structures_ties(scored, n, out, AS_PICK_ACCURACY, NULL);
    out->n_latency_ties = as_structures_ties(scored, n, out, AS_PICK_LATENCY, NULL);
}

size_t as_structures_ties(const as_scored *scored, size_t n, const as_selection *selection,
                          as_pick pick, bool *is_tie)
{
    const bool by_accuracy = pick == AS_PICK_ACCURACY;
    const size_t chosen = by_accuracy ? selection->by_accuracy : selection->by_latency;
    const as_scored *baseline = &scored[selection->manual_baseline];
    size_t n_ties = 0;
    for (size_t i = 0; i < n; i++) {
        bool ties = chosen != AS_NO_STRUCTURE && i != chosen;
        if (ties && by_accuracy) ties = as_accuracies_tie(&scored[i], &scored[chosen]);
        if (ties && !by_accuracy)
            ties = as_structure_is_feasible(&scored[i], baseline) &&
                   as_latencies_tie(&scored[i], &scored[chosen]);
        if (is_tie) is_tie[i] = ties;
        n_ties += ties;
    }
    return n_ties;
}

/** Whether `a` is as good as `b` in both and better in one. */
static bool beats(const as_scored *a, const as_scored *b)
{
    return a->trained && a->accuracy >= b->accuracy && a->latency_us <= b->latency_us &&
           (a->accuracy > b->accuracy || a->latency_us < b->latency_us);
}

void as_pareto_front(const as_scored *scored, size_t n, bool *is_front)
{
    for (size_t i = 0; i < n; i++) {
        is_front[i] = scored[i].trained;
        for (size_t j = 0; j < n && is_front[i]; j++)
            is_front[i] = !beats(&scored[j], &scored[i]);
    }
}
