/* SPDX-License-Identifier: Apache-2.0 */
/* Fresh processes by engine, and where the choice would be another. */
#include <math.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/search_sections.h"
#include "verdict/estimate.h"
#include "verdict/statistics.h"

/** More rows than these stand behind a fold. */
enum { ROWS_MOST = 40 };

static void put_engines(as_page *page, const as_search_facts *f)
{
    as_list(page);
    for (size_t e = 0; e < f->n_engines; e++) {
        const as_engine_facts *engine = &f->engines[e];
        if (!*engine->engine)
            as_item(page, "%s: all %zu processes failed, the first with: %s", engine->policy,
                    engine->n_failed, engine->error);
        else if (engine->n_failed > 0)
            as_item(page, "%s: %s %s; %zu of its processes failed, the first with: %s",
                    engine->policy, engine->engine, engine->version, engine->n_failed,
                    engine->error);
        else
            as_item(page, "%s: %s %s", engine->policy, engine->engine, engine->version);
    }
    as_list_end(page);
}

static void process_row(as_page *page, const as_search_facts *f, size_t e, size_t i)
{
    const as_process_facts *s = &f->engines[e].slots[i];
    const size_t baseline = f->report->candidates.baseline;
    const double base_us = f->engines[e].slots[baseline].median_us;
    as_cell(page, "%s", f->report->structures[i].name);
    as_cell(page, "%s", f->engines[e].name);
    as_cell(page, "%zu", s->n);
    as_cell_us(page, s->median_us);
    as_cell_range(page, s->low_us, s->high_us);
    as_cell_range(page, s->least_us, s->greatest_us);
    if (i == baseline || s->n == 0 || isnan(base_us))
        as_cell(page, "–");
    else
        as_cell(page, "%+.1f %%", -as_reduction_percent(s->median_us, base_us));
}

static void process_table(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {
        {"structure", false},  {"policy", false},        {"processes", true},
        {"median us", true},   {"interval, 95 %", true}, {"least–greatest", true},
        {"of baseline", true},
    };
    const bool is_long = f->n_engines * f->report->n_structures > ROWS_MOST;
    if (is_long) as_fold(page, "Every structure and policy");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t e = 0; e < f->n_engines; e++)
        for (size_t i = 0; i < f->report->n_structures; i++)
            process_row(page, f, e, i);
    as_table_end(page);
    if (is_long) as_fold_end(page);
}

/** Whether the medians have intervals, and what would give them. */
static void put_intervals(as_page *page, const as_search_facts *f)
{
    const size_t needed = as_rounds_for_alpha(AS_ALPHA);
    size_t least = SIZE_MAX;
    for (size_t e = 0; e < f->n_engines; e++)
        for (size_t i = 0; i < f->report->n_structures; i++)
            if (f->engines[e].slots[i].n > 0 && f->engines[e].slots[i].n < least)
                least = f->engines[e].slots[i].n;
    if (least == SIZE_MAX) return;
    if (least < needed)
        as_paragraph(
            page,
            "No interval where there are fewer than %zu processes, and there are as few "
            "as %zu: --slots %zu gives them.",
            needed, least, needed);
    else
        as_paragraph(page,
                     "An interval inverts the signed-rank test over the processes' medians "
                     "and holds for one median alone, not for all together.");
}

/** How far our own engine's fresh processes are from the one process that chose. */
static void put_distance(as_page *page, const as_search_facts *f)
{
    double low = NAN, high = NAN;
    for (size_t i = 0; i < f->report->n_structures; i++) {
        const double us = f->report->choice->scored[i].latency_us;
        const double change = 100 * (f->engines[0].slots[i].median_us / us - 1);
        low = fmin(low, change);
        high = fmax(high, change);
    }
    if (!isnan(low))
        as_paragraph(page,
                     "The medians of %s in fresh processes lie %+.1f %% to %+.1f %% from those "
                     "in the one "
                     "process that chose.",
                     f->engines[0].name, low, high);
}

/* ---- where the choice would differ ---- */

static void cell_choice(as_page *page, const as_search_facts *f, size_t here, size_t there)
{
    as_cell_tone(page, here == there ? AS_TONE_PLAIN : AS_TONE_CHOSEN, "%s",
                 as_structure_name(f, there));
}

/** What ties with the least latency by `scored`. */
static void cell_ties(as_page *page, const as_search_facts *f, const as_scored *scored,
                      const as_selection *s)
{
    const size_t n = f->report->n_structures;
    bool *is_tie = as_alloc_array(n, sizeof *is_tie);
    if (is_tie) as_structures_ties(scored, n, s, AS_PICK_LATENCY, is_tie);
    char *names = is_tie ? as_structure_names(f, is_tie) : NULL;
    page->lacks_memory = page->lacks_memory || !names;
    as_cell(page, "%s", names && *names ? names : "–");
    as_free(names);
    as_free(is_tie);
}

static void choice_row(as_page *page, const as_search_facts *f, const char *by,
                       const as_scored *scored, const as_selection *there)
{
    const as_selection *here = &f->report->choice->selection;
    as_cell(page, "%s", by);
    cell_choice(page, f, here->by_accuracy, there->by_accuracy);
    cell_choice(page, f, here->by_latency, there->by_latency);
    cell_choice(page, f, here->random_two, there->random_two);
    as_cell(page, "%zu", there->n_feasible);
    cell_ties(page, f, scored, there);
}

/** Whether the rules choose anything else by `engine`. */
static bool differs(const as_search_facts *f, const as_engine_facts *engine)
{
    const as_selection *a = &f->report->choice->selection, *b = &engine->selection;
    return engine->has_choice &&
           (a->by_accuracy != b->by_accuracy || a->by_latency != b->by_latency ||
            a->random_two != b->random_two);
}

/** Which policies would choose otherwise, in a sentence. */
static void put_difference(as_page *page, const as_search_facts *f)
{
    size_t n_differing = 0, n_silent = 0;
    char *names = as_strdup("");
    for (size_t e = 0; e < f->n_engines && names; e++) {
        n_silent += !f->engines[e].has_choice;
        if (!differs(f, &f->engines[e])) continue;
        char *more = as_format("%s%s%s", names, n_differing++ ? ", " : "", f->engines[e].name);
        as_free(names);
        names = more;
    }
    page->lacks_memory = page->lacks_memory || !names;
    if (n_differing > 0)
        as_paragraph(
            page,
            "The same rules, applied to the processes' medians, choose otherwise by: "
            "%s.  A latency belongs to a network and an engine, not to a network alone.",
            names ? names : "");
    else if (n_silent < f->n_engines)
        as_paragraph(page,
                     "The same rules, applied to the processes' medians, choose the same by "
                     "every engine that timed all structures.");
    if (n_silent > 0)
        as_paragraph(page, "%zu of %zu policies timed not every structure and choose nothing.",
                     n_silent, f->n_engines);
    as_free(names);
}

static void put_choices(as_page *page, const as_search_facts *f)
{
    static const as_table_column columns[] = {{"timed by", false},
                                              {"best accuracy", false},
                                              {"least latency, held to baseline", false},
                                              {"among two", false},
                                              {"feasible", true},
                                              {"ties with the least latency", false}};
    static const char id[] = "differs";
    const as_candidate_report *c = f->report->choice;
    as_heading(page, 3, id, "Where the choice would differ");
    put_difference(page, f);
    as_table(page, columns, AS_COUNT_OF(columns));
    choice_row(page, f, as_page_say(page, "one process (the choice)"), c->scored,
               &c->selection);
    for (size_t e = 0; e < f->n_engines; e++)
        if (f->engines[e].has_choice)
            choice_row(page, f, f->engines[e].name, f->engines[e].scored,
                       &f->engines[e].selection);
    as_table_end(page);
    if (f->n_engines == 1)
        as_paragraph(page,
                     "No other engine was asked: --policy ort=onnxruntime,threads=1 asks ONNX "
                     "Runtime, --policy torch=torch,threads=1 PyTorch.");
}

void as_section_processes(as_page *page, const as_search_facts *f)
{
    if (f->n_engines == 0) {
        as_paragraph(
            page,
            "No fresh process timed a structure.  With --slots %zu each is timed in that "
            "many by our own engine, and by others where --policy names them.",
            as_rounds_for_alpha(AS_ALPHA));
        return;
    }
    as_paragraph(page,
                 "Each process loads one network and times its calls as above; its median is "
                 "one value.  Other engines' calls are timed inside their own process, so "
                 "the way there and back is not counted.");
    put_engines(page, f);
    process_table(page, f);
    put_intervals(page, f);
    put_distance(page, f);
    if (f->selection) put_choices(page, f);
}
