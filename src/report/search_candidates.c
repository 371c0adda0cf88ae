/* SPDX-License-Identifier: Apache-2.0 */
/* A search's structures in tables: accuracies and costs, what seeds do, trainings, those that diverged. */
#include <math.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/search_plots.h"
#include "report/search_sections.h"

void as_cell_percent(as_page *page, double share)
{
    if (isnan(share))
        as_cell(page, "–");
    else
        as_cell(page, "%.2f", 100 * share);
}

void as_cell_us(as_page *page, double us)
{
    if (isnan(us))
        as_cell(page, "–");
    else
        as_cell(page, "%.2f", us);
}

void as_cell_range(as_page *page, double least, double greatest)
{
    if (isnan(least) || isnan(greatest))
        as_cell(page, "–");
    else
        as_cell(page, "%.2f–%.2f", least, greatest);
}

/** The name, which says whether it is chosen or the baseline. */
static void cell_name(as_page *page, const as_search_facts *f, size_t i)
{
    const as_selection *s = &f->report->choice->selection;
    const bool is_chosen = f->selection && !s->baseline_failed && i == s->by_latency;
    const char *name = f->report->structures[i].name;
    if (i == s->manual_baseline)
        as_cell_tone(page, is_chosen ? AS_TONE_CHOSEN : AS_TONE_PLAIN, "%s (baseline)", name);
    else
        as_cell_tone(page, is_chosen ? AS_TONE_CHOSEN : AS_TONE_PLAIN, "%s", name);
}

static void candidate_row(as_page *page, const as_search_facts *f, size_t i)
{
    const as_candidate_report *c = f->report->choice;
    const as_candidate_row *row = &f->report->rows[i];
    const bool has_accuracy = !isnan(row->validation_accuracy);
    cell_name(page, f, i);
    if (f->spreads[i].n_diverged > 0)
        as_cell_tone(page, AS_TONE_BAD, "diverged");
    else
        as_cell_percent(page, row->validation_accuracy);
    as_cell_percent(page, has_accuracy ? row->accuracy_noise : NAN);
    as_cell_percent(page, row->test_accuracy);
    as_cell(page, "%lld", (long long)row->params);
    as_cell(page, "%lld", (long long)row->macs);
    as_cell_us(page, c->scored[i].latency_us);
    as_cell_range(page, c->p10_us[i], c->p90_us[i]);
    as_cell(page, "%s", c->is_front[i] ? as_page_say(page, "yes") : "");
}

/** Where seeds lead: only where some structure was trained more than once. */
static void seeds_table(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {
        {"structure", false},    {"trainings", true},      {"validation %, mean", true},
        {"± error", true},       {"least–greatest", true}, {"test %, mean", true},
        {"least–greatest", true}};
    if (f->n_planned == f->report->n_structures) return;
    as_fold(page, "What the seeds do");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < f->report->n_structures; i++) {
        const as_candidate_row *row = &f->report->rows[i];
        const as_spread_facts *s = &f->spreads[i];
        as_cell(page, "%s", row->name);
        as_cell(page, "%zu", s->n);
        as_cell_percent(page, row->validation_accuracy);
        as_cell_percent(page, isnan(row->validation_accuracy) ? NAN : row->accuracy_noise);
        as_cell_range(page, 100 * s->least, 100 * s->greatest);
        as_cell_percent(page, row->test_accuracy);
        as_cell_range(page, 100 * s->test_least, 100 * s->test_greatest);
    }
    as_table_end(page);
    as_fold_end(page);
}

void as_section_candidates(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {
        {"structure", false}, {"validation %", true}, {"± error", true},
        {"test %", true},     {"parameters", true},   {"MACs", true},
        {"median us", true},  {"p10–p90 us", true},   {"front", false}};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < f->report->n_structures; i++)
        candidate_row(page, f, i);
    as_table_end(page);
    as_paragraph(
        page,
        "Latency is of forward alone, batch 1, one thread: %lld rounds of %lld calls, all "
        "structures in one process, each round in an order of its own.  ± is one "
        "standard error.  Test accuracies had no part in any choice.",
        (long long)f->report->search->n_rounds, (long long)f->report->search->n_repeats);
    seeds_table(page, f);
}

void as_section_front(as_page *page, const as_search_facts *f)
{
    const as_candidate_report *c = f->report->choice;
    char *names = as_structure_names(f, c->is_front);
    page->lacks_memory = page->lacks_memory || !names;
    if (names && *names)
        as_paragraph(
            page,
            "On the front: %s.  Each other one has one beside it that is as accurate and "
            "as fast and better in one of both, by these medians and accuracies as they "
            "are: what lies within the bars may change places.",
            names);
    else if (names)
        as_paragraph(page, "No structure is trained and timed, so there is no front.");
    as_free(names);
}

void as_section_latency(as_page *page, const as_search_facts *f)
{
    const as_search_row *s = f->report->search;
    as_paragraph(
        page,
        "%lld warm-up calls, then %lld x %lld timed ones of each structure, one by one; "
        "candidate-latency-samples.csv has every one.  They come from one process, so "
        "they say nothing of how another process would lay out its memory: that is what "
        "the fresh processes below are for.",
        (long long)s->n_warm_up, (long long)s->n_rounds, (long long)s->n_repeats);
}

static void training_row(as_page *page, const as_search_facts *f, size_t t)
{
    const as_training_row *row = f->report->sorted[t].row;
    as_cell(page, "%s", f->report->structures[row->structure].name);
    as_cell(page, "%lld", (long long)row->seed);
    if (row->diverged_epoch)
        as_cell_tone(page, AS_TONE_BAD, "diverged");
    else
        as_cell(page, "%d", row->best_epoch);
    if (isfinite(row->validation_loss))
        as_cell(page, "%.4f", row->validation_loss);
    else
        as_cell(page, "–");
    as_cell_percent(page, row->validation_accuracy);
    as_cell(page, "%.2f", row->seconds);
}

void as_section_learning(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {{"structure", false},   {"seed", true},
                                              {"epoch kept", true},   {"validation loss", true},
                                              {"validation %", true}, {"seconds", true}};
    as_paragraph(page,
                 "Of each training the epoch with the least validation loss is kept.  Where "
                 "that is the last one, more epochs might still have helped.");
    if (f->report->n_structures > AS_LEARNING_PANELS_MOST)
        as_paragraph(page,
                     "Drawn are the first %d of %zu structures; training-epochs.csv has all.",
                     AS_LEARNING_PANELS_MOST, f->report->n_structures);
    as_fold(page, "Every training");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t t = 0; t < f->report->n_trainings; t++)
        training_row(page, f, t);
    as_table_end(page);
    as_fold_end(page);
}

void as_section_diverged(as_page *page, const as_search_facts *f)
{
    as_list(page);
    for (size_t t = 0; t < f->report->n_trainings; t++) {
        const as_training_row *row = f->report->sorted[t].row;
        if (row->diverged_epoch)
            as_item(page, "%s, seed %lld: in epoch %d its loss was no finite number.",
                    f->report->structures[row->structure].name, (long long)row->seed,
                    row->diverged_epoch);
    }
    as_list_end(page);
    as_paragraph(page,
                 "A structure of which one training diverged has no accuracy and is never "
                 "chosen; the others are not touched by it.  A lower rate often helps.");
}
