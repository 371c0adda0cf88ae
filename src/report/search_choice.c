/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a search in words: who was chosen by each rule, why, and what it is worth. */
#include <math.h>

#include "base/memory.h"
#include "report/search_sections.h"
#include "verdict/statistics.h"

static const as_scored *scored_of(const as_search_facts *f, size_t place)
{
    return &f->report->choice->scored[place];
}

static const as_selection *selection_of(const as_search_facts *f)
{
    return &f->report->choice->selection;
}

static const as_scored *baseline_of(const as_search_facts *f)
{
    return scored_of(f, selection_of(f)->manual_baseline);
}

/** How much faster than the baseline a structure is, in percent. */
static double reduction(const as_search_facts *f, size_t place)
{
    return as_reduction_percent(scored_of(f, place)->latency_us, baseline_of(f)->latency_us);
}

/* ---- in one sentence ---- */

char *as_search_headline(const as_search_facts *f)
{
    const as_selection *s = selection_of(f);
    const char *baseline = baseline_of(f)->name;
    if (!f->selection)
        return as_format(as_say(f->language, "No choice yet: %zu of %zu trainings have ended."),
                         f->report->n_trainings, f->n_planned);
    if (s->baseline_failed)
        return as_format(as_say(f->language, "No choice under constraints: the baseline %s is "
                                             "not trained."),
                         baseline);
    if (s->n_feasible == 0)
        return as_format(
            as_say(f->language, "%s stays: no other structure is as accurate and as fast."),
            baseline);
    if (s->by_latency == s->manual_baseline)
        return as_format(as_say(f->language, "%s stays: no structure as accurate is faster."),
                         baseline);
    return as_format(as_say(f->language, "%s takes the place of %s: no less accurate on the "
                                         "validation samples, %.1f %% less latency."),
                     scored_of(f, s->by_latency)->name, baseline, reduction(f, s->by_latency));
}

/** Whether each structure was trained once. */
static bool has_one_seed(const as_search_facts *f)
{
    return f->n_planned == f->report->n_structures;
}

char *as_search_lead(const as_search_facts *f)
{
    const as_selection *s = selection_of(f);
    if (!f->selection)
        return as_strdup(as_say(f->language,
                                "What follows is of the trainings that have ended; "
                                "'assay search --resume' goes on."));
    if (s->by_accuracy == AS_NO_STRUCTURE)
        return as_strdup(as_say(f->language, "No structure is trained: every one diverged."));
    const as_scored *best = scored_of(f, s->by_accuracy);
    const char *seeds =
        as_say(f->language, has_one_seed(f) ? "  One seed each: another may choose another."
                                            : "  Accuracies are means over seeds.");
    if (s->n_accuracy_ties > 0)
        return as_format(as_say(f->language, "Best validation accuracy: %s, %.2f %%, and %zu "
                                             "within its noise.%s"),
                         best->name, 100 * best->accuracy, s->n_accuracy_ties, seeds);
    return as_format(as_say(f->language, "Best validation accuracy: %s, %.2f %%, beyond the "
                                         "noise of every other.%s"),
                     best->name, 100 * best->accuracy, seeds);
}

/* ---- the four rules ---- */

static void put_baseline(as_page *page, const as_search_facts *f)
{
    const as_scored *b = baseline_of(f);
    if (b->trained)
        as_item(page,
                "The baseline is %s, named by the space: %.2f %% on the validation samples, "
                "%.2f us a call.",
                b->name, 100 * b->accuracy, b->latency_us);
    else
        as_item(page, "The baseline is %s, named by the space.  It is not trained.", b->name);
}

/** What ties with a choice, as the end of its sentence (as_free). */
static char *ties_text(const as_search_facts *f, as_pick pick)
{
    char *names = as_structure_names(f, f->ties[pick]);
    char *text = NULL;
    if (names && *names)
        text = as_format(as_say(f->language, "  Within the noise are also: %s."), names);
    else if (names)
        text = as_strdup("");
    as_free(names);
    return text;
}

static void put_best(as_page *page, const as_search_facts *f)
{
    const size_t best = selection_of(f)->by_accuracy;
    char *ties = ties_text(f, AS_PICK_ACCURACY);
    page->lacks_memory = page->lacks_memory || !ties;
    if (best == AS_NO_STRUCTURE)
        as_item(page, "Best validation accuracy: none, for no structure is trained.");
    else
        as_item(
            page,
            "Best validation accuracy: %s with %.2f %% and %.2f us a call; among equals the "
            "faster would be taken.%s",
            scored_of(f, best)->name, 100 * scored_of(f, best)->accuracy,
            scored_of(f, best)->latency_us, ties ? ties : "");
    as_free(ties);
}

/** Why no other is feasible. */
static void put_refused(as_page *page, const as_search_facts *f)
{
    const as_scored *b = baseline_of(f);
    size_t n_worse = 0, n_slower = 0, n_both = 0, n_untrained = 0;
    for (size_t i = 0; i < f->report->n_structures; i++) {
        const as_scored *s = scored_of(f, i);
        const bool is_worse = s->accuracy < b->accuracy - AS_SAME_ACCURACY;
        const bool is_slower = s->latency_us > b->latency_us;
        n_untrained += !s->trained;
        if (!s->trained || i == selection_of(f)->manual_baseline) continue;
        n_both += is_worse && is_slower;
        n_worse += is_worse && !is_slower;
        n_slower += is_slower && !is_worse;
    }
    as_item(page,
            "Least latency among those no less accurate and no slower than the baseline: there "
            "is no other, so %s stays.  Of the others %zu are less accurate, %zu slower, %zu "
            "both, %zu not trained.",
            b->name, n_worse, n_slower, n_both, n_untrained);
}

static void put_fastest(as_page *page, const as_search_facts *f)
{
    const as_selection *s = selection_of(f);
    const as_scored *chosen = scored_of(f, s->by_latency), *b = baseline_of(f);
    char *ties = ties_text(f, AS_PICK_LATENCY);
    page->lacks_memory = page->lacks_memory || !ties;
    if (s->baseline_failed)
        as_item(page, "Least latency among those no less accurate and no slower than the "
                      "baseline: none, for nothing can be held to a baseline that is not "
                      "trained.");
    else if (s->n_feasible == 0)
        put_refused(page, f);
    else
        as_item(
            page,
            "Least latency among those no less accurate and no slower than the baseline: %s, "
            "%.2f us against %.2f us, %.2f %% against %.2f %%; %zu met both.%s",
            chosen->name, chosen->latency_us, b->latency_us, 100 * chosen->accuracy,
            100 * b->accuracy, s->n_feasible, ties ? ties : "");
    as_free(ties);
}

static void put_random(as_page *page, const as_search_facts *f)
{
    const as_selection *s = selection_of(f);
    const char *a = as_structure_name(f, s->random_names[0]);
    const char *b = as_structure_name(f, s->random_names[1]);
    if (s->random_names[1] == AS_NO_STRUCTURE)
        as_item(page, "The same among two at random: there is one structure alone.");
    else if (s->random_fell_back)
        as_item(page,
                "The same among two that were drawn at random, %s and %s: neither meets it, so "
                "%s stays.",
                a, b, baseline_of(f)->name);
    else
        as_item(page, "The same among two that were drawn at random, %s and %s: %s.", a, b,
                scored_of(f, s->random_two)->name);
}

/* ---- what it is worth ---- */

static void put_worth(as_page *page, const as_search_facts *f)
{
    double least = NAN, greatest = NAN, apart = NAN;
    for (size_t i = 0; i < f->report->n_structures; i++) {
        if (!scored_of(f, i)->trained) continue;
        least = fmin(least, scored_of(f, i)->accuracy_noise);
        greatest = fmax(greatest, scored_of(f, i)->accuracy_noise);
        apart = fmax(apart, f->spreads[i].greatest - f->spreads[i].least);
    }
    if (isnan(least)) return;
    if (has_one_seed(f))
        as_paragraph(
            page,
            "What one seed's accuracy is worth: the share of right answers among %lld "
            "validation samples has a standard error of %.2f to %.2f points here, and "
            "two of them count as different only beyond two standard errors of their "
            "difference.  That is the samples' part alone: another seed moves it, too, "
            "and --seeds 5 says how far.",
            (long long)f->report->search->n_validation, 100 * least, 100 * greatest);
    else
        as_paragraph(
            page,
            "What one seed's accuracy is worth: trainings of one structure that differ "
            "in the seed alone lie up to %.2f points apart.  An accuracy here is the "
            "mean over its seeds, with a standard error of %.2f to %.2f points; what "
            "lies within two standard errors of a difference counts as a tie.",
            100 * apart, 100 * least, 100 * greatest);
}

static void put_test(as_page *page, const as_search_facts *f)
{
    const as_selection *s = selection_of(f);
    const double accuracy = f->report->rows[s->by_latency].test_accuracy;
    if (isnan(accuracy)) return;
    as_paragraph(page,
                 "The choice was on disk at %s, before a test sample was read (selection.json, "
                 "SHA-256 %.16s).  Only then: %s has %.2f %% on the test samples.",
                 f->selection->written, f->selection->sha256, scored_of(f, s->by_latency)->name,
                 100 * accuracy);
}

void as_section_choice(as_page *page, const as_search_facts *f)
{
    if (!f->selection) {
        as_paragraph(page,
                     "Nothing is chosen before every training has ended and every network "
                     "is timed.");
        return;
    }
    as_list(page);
    put_baseline(page, f);
    put_best(page, f);
    put_fastest(page, f);
    put_random(page, f);
    as_list_end(page);
    put_worth(page, f);
    put_test(page, f);
}
