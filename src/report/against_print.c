/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/against.h"
#include "report/text.h"
#include "verdict/two_samples.h"

static const char *const kind_names[] =
    /* said */ {[AS_CHANGE_COST] = "cost",     [AS_CHANGE_ANSWERS] = "answers",
                [AS_CHANGE_POLICY] = "policy", [AS_CHANGE_KERNEL] = "kernel",
                [AS_CHANGE_LAYER] = "layer",   [AS_CHANGE_PASS] = "pass",
                [AS_CHANGE_RUN] = "run",       [AS_CHANGE_MACHINE] = "machine"};

static const char *word_of(const as_estimate *e)
{
    static const char *const words[] =
        /* said */ {"no interval", "slower", "faster", "equal", "undecided"};
    if (!e->has_interval) return words[0];
    if (e->low > 1 + AS_MARGIN) return words[1];
    if (e->high < 1 - AS_MARGIN) return words[2];
    return words[e->low >= 1 - AS_MARGIN && e->high <= 1 + AS_MARGIN ? 3 : 4];
}

static void print_interval(const as_estimate *e, as_language l, FILE *out)
{
    if (e->has_interval)
        fprintf(out, as_say(l, " [%+.1f, %+.1f at %.4g %%]"), as_percent((e->low - 1) * 100),
                as_percent((e->high - 1) * 100), e->level * 100);
}

/* Of each run, for an interval of as many comparisons as `e` is one of. */
static size_t samples_needed(const as_estimate *e)
{
    return as_rounds_for_two_samples((size_t)lround(AS_ALPHA / (1 - e->level)));
}

static void print_cost(const as_change *c, as_language l, FILE *out)
{
    const as_estimate *e = &c->estimate;
    fprintf(out, as_say(l, "%.3f s was, %.3f s is, %+.1f %%"), c->then_s, c->now_s,
            as_percent((e->ratio - 1) * 100));
    print_interval(e, l, out);
    fprintf(out, ": %s", as_say(l, word_of(e)));
    if (!e->has_interval)
        fprintf(out, as_say(l, ", %zu rounds of each run are needed"), samples_needed(e));
}

static void print_change(const as_change *c, as_language l, FILE *out)
{
    enum { KIND_COLUMNS = 8 };
    const char *kind = as_say(l, kind_names[c->kind]);
    const size_t columns = as_text_columns(kind);
    fprintf(out, "%c %s%*s ", c->is_regression ? '!' : ' ', kind,
            columns < KIND_COLUMNS ? (int)(KIND_COLUMNS - columns) : 0, "");
    as_put_plain(out, c->what);
    fputs(": ", out);
    if (c->kind == AS_CHANGE_COST) {
        print_cost(c, l, out);
    } else {
        as_put_plain(out, c->then);
        fputs(" -> ", out);
        as_put_plain(out, c->now);
        print_interval(&c->estimate, l, out);
    }
    putc('\n', out);
}

/* Rounds of one run share a disturbance; between two runs nothing cancels it. */
static void print_noise(const as_against *a, FILE *out)
{
    const as_disturbed *then = &a->then_noise, *now = &a->now_noise;
    if (then->n_dirty + now->n_dirty == 0) return;
    fprintf(out,
            as_say(a->language, "%zu of %zu rounds were dirty then, %zu of %zu now: what "
                                "disturbed them is part of these times."),
            then->n_dirty, then->n_rounds, now->n_dirty, now->n_rounds);
    putc('\n', out);
}

/* What the layers' times stand on. */
static void print_layers_basis(const as_against *a, FILE *out)
{
    const as_estimate *e = NULL;
    bool has_layers = false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->changes[i].kind != AS_CHANGE_LAYER) continue;
        has_layers = true;
        if (!e && a->changes[i].estimate.n) e = &a->changes[i].estimate;
    }
    if (has_layers)
        fprintf(out, "%s",
                as_say(a->language, "Layers are those of traced calls: a hint where to look."));
    if (e)
        fprintf(out,
                as_say(a->language, e->has_interval
                                        ? "  Medians of %zu traces or more of each run, "
                                          "intervals for all layers together, %zu are needed."
                                        : "  No interval from %zu of each run: --traces %zu "
                                          "gives one."),
                e->n, samples_needed(e));
    if (has_layers) putc('\n', out);
}

void as_against_print(const as_against *a, FILE *out)
{
    const as_language l = a->language;
    fprintf(out, as_say(l, "Against the run of %s: "), a->then_created);
    fprintf(out,
            a->n_regressions == 0   ? as_say(l, "no regression.")
            : a->n_regressions == 1 ? as_say(l, "%zu regression.")
                                    : as_say(l, "%zu regressions."),
            a->n_regressions);
    putc('\n', out);
    if (!a->has_same_calls)
        fprintf(out, "%s\n",
                as_say(l,
                       "The runs do not replay the same calls: neither times nor answers are "
                       "compared."));
    else
        print_noise(a, out);
    for (size_t i = 0; i < a->n; i++)
        print_change(&a->changes[i], l, out);
    print_layers_basis(a, out);
}

static json_t *change_json(const as_change *c)
{
    json_t *o = json_pack("{s:s, s:o, s:b}", "kind", kind_names[c->kind], "what",
                          as_json_text(c->what), "is_regression", (int)c->is_regression);
    if (c->kind != AS_CHANGE_COST) {
        as_json_set(&o, "then", as_json_text(c->then));
        as_json_set(&o, "now", as_json_text(c->now));
    } else {
        as_json_set(&o, "then_s", as_json_real(c->then_s));
        as_json_set(&o, "now_s", as_json_real(c->now_s));
    }
    const as_estimate *e = &c->estimate;
    if (e->n == 0) return o;
    as_json_set(&o, "ratio", as_json_real(e->ratio));
    as_json_set(&o, "low", as_json_real(e->low));
    as_json_set(&o, "high", as_json_real(e->high));
    as_json_set(&o, "level", as_json_real(e->level));
    as_json_set(&o, "verdict", json_string(word_of(e)));
    return o;
}

static json_t *noise_json(const as_disturbed *d)
{
    return json_pack("{s:I, s:I}", "dirty", (json_int_t)d->n_dirty, "of",
                     (json_int_t)d->n_rounds);
}

json_t *as_against_json(const as_against *a)
{
    json_t *changes = json_array();
    for (size_t i = 0; i < a->n; i++)
        as_json_append(&changes, change_json(&a->changes[i]));
    return json_pack("{s:o, s:o, s:I, s:b, s:o, s:o, s:o}", "now", as_json_text(a->now_created),
                     "then", as_json_text(a->then_created), "regressions",
                     (json_int_t)a->n_regressions, "same_calls", (int)a->has_same_calls,
                     "then_rounds", noise_json(&a->then_noise), "now_rounds",
                     noise_json(&a->now_noise), "changes", changes);
}
