/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_page.h"

#include <math.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/frame.h"
#include "report/search_plots.h"
#include "report/search_sections.h"
#include "report/text.h"
#include "report/whole_file.h"

/* ---- sections ---- */

static bool has_diverged(const as_search_facts *f) { return f->n_diverged > 0; }
static bool has_operators(const as_search_facts *f) { return f->operators != NULL; }
static bool has_epochs(const as_search_facts *f) { return f->report->n_epochs > 0; }

/** No drawing belongs to a section. */
#define NO_PLOT AS_N_SEARCH_PLOTS

typedef struct section {
    const char *id, *title;
    void (*write)(as_page *page, const as_search_facts *f);
    bool (*is_there)(const as_search_facts *f); /* NULL: in every report */
    as_search_plot_id plot;
} section;

/** In the order of reading: the choice, what it rests on, then what that was made from. */
static const section sections[] = {
    {"choice", "The choice", as_section_choice, NULL, NO_PLOT},
    {"candidates", "Candidates", as_section_candidates, NULL, NO_PLOT},
    {"front", "Accuracy against latency", as_section_front, NULL, AS_SEARCH_PLOT_PARETO},
    {"latency", "Latency in one process", as_section_latency, NULL, AS_SEARCH_PLOT_LATENCY},
    {"processes", "Fresh processes, by engine", as_section_processes, NULL,
     AS_SEARCH_PLOT_ENGINES},
    {"learning", "Learning curves", as_section_learning, has_epochs, AS_SEARCH_PLOT_LEARNING},
    {"diverged", "Trainings that diverged", as_section_diverged, has_diverged, NO_PLOT},
    {"operators", "Operators alone", as_section_operators, has_operators, NO_PLOT},
    {"data", "Data, split and training", as_section_data, NULL, NO_PLOT},
    {"environment", "Environment", as_section_search_environment, NULL, NO_PLOT},
    {"limits", "What this does not show", as_section_search_limits, NULL, NO_PLOT},
    {"reproduce", "How to reproduce", as_section_search_reproduce, NULL, NO_PLOT},
};

static bool is_there(const section *s, const as_search_facts *f)
{
    return !s->is_there || s->is_there(f);
}

/** The drawing of a section, or why there is none, which is said once. */
static void put_plot(as_page *page, const as_search_facts *f, as_search_plot_id id)
{
    if (id == NO_PLOT) return;
    const as_search_plot *plot = as_search_plot_of(id);
    if (id == AS_SEARCH_PLOT_PARETO && f->plot_note)
        as_paragraph(page, "%s", as_page_say(page, f->plot_note));
    if (plot->is_drawn(f))
        as_put_drawing(page, plot->name, f->drawn[id].svg, NULL, plot->caption);
}

static void put_sections(as_page *page, const as_search_facts *f)
{
    for (size_t i = 0; i < AS_COUNT_OF(sections); i++) {
        if (!is_there(&sections[i], f)) continue;
        as_heading(page, 2, sections[i].id, sections[i].title);
        put_plot(page, f, sections[i].plot);
        sections[i].write(page, f);
    }
}

static void put_links(as_page *page, const as_search_facts *f)
{
    as_link links[AS_COUNT_OF(sections)];
    size_t n = 0;
    for (size_t i = 0; i < AS_COUNT_OF(sections); i++)
        if (is_there(&sections[i], f))
            links[n++] = (as_link){sections[i].id, sections[i].title};
    as_frame_links(page, links, n);
}

/* ---- tiles ---- */

static as_tile chosen_tile(const as_search_facts *f)
{
    const as_candidate_report *c = f->report->choice;
    const as_selection *s = &c->selection;
    as_tile t = {.title = "Chosen under constraints", .tone = ""};
    if (!f->selection || s->baseline_failed) {
        snprintf(t.value, sizeof t.value, "–");
        return t;
    }
    const as_scored *chosen = &c->scored[s->by_latency];
    t.tone = s->n_feasible > 0 ? "good" : "";
    snprintf(t.value, sizeof t.value, "%s", chosen->name);
    as_say_into(t.note, sizeof t.note, f->language, "%.2f us a call, %.2f %% on validation",
                chosen->latency_us, 100 * chosen->accuracy);
    return t;
}

static as_tile accuracy_tile(const as_search_facts *f)
{
    const as_candidate_report *c = f->report->choice;
    const size_t best = c->selection.by_accuracy;
    as_tile t = {.title = "Best validation accuracy", .tone = ""};
    if (best == AS_NO_STRUCTURE) {
        snprintf(t.value, sizeof t.value, "–");
        return t;
    }
    const double test = f->report->rows[best].test_accuracy;
    snprintf(t.value, sizeof t.value, "%.2f %%", 100 * c->scored[best].accuracy);
    if (isnan(test))
        as_say_into(t.note, sizeof t.note, f->language, "%s, ± %.2f", c->scored[best].name,
                    100 * c->scored[best].accuracy_noise);
    else
        as_say_into(t.note, sizeof t.note, f->language, "%s, ± %.2f; test %.2f %%",
                    c->scored[best].name, 100 * c->scored[best].accuracy_noise, 100 * test);
    return t;
}

static as_tile trainings_tile(const as_search_facts *f)
{
    as_tile t = {.title = "Trainings", .tone = f->n_diverged ? "bad" : ""};
    as_say_into(t.value, sizeof t.value, f->language, "%zu of %zu", f->report->n_trainings,
                f->n_planned);
    as_say_into(t.note, sizeof t.note, f->language, "%zu structures; %zu trainings diverged",
                f->report->n_structures, f->n_diverged);
    return t;
}

static as_tile machine_tile(const as_search_facts *f)
{
    as_tile t = {.title = "Machine", .tone = ""};
    const char *isa = as_json_member_text(f->machine, "isa");
    const char *cpu = as_json_member_text(f->machine, "cpu");
    as_say_into(t.value, sizeof t.value, f->language, "%s%s%s thread%s", isa, *isa ? ", " : "",
                "1", "");
    as_say_into(t.note, sizeof t.note, f->language, "%.80s%s", cpu,
                f->run->exclusive_hardware ? as_say(f->language, "; declared exclusive") : "");
    return t;
}

/* ---- pages ---- */

static void put_hero(as_page *page, const as_search_facts *f, const char *headline,
                     const char *lead)
{
    const as_candidate_report *c = f->report->choice;
    const bool is_broken = !f->selection || c->selection.baseline_failed;
    char counts[160];
    as_say_into(counts, sizeof counts, f->language, "%zu structures, %zu trainings",
                f->report->n_structures, f->report->n_trainings);
    const as_tile tiles[] = {chosen_tile(f), accuracy_tile(f), trainings_tile(f),
                             machine_tile(f)};
    const as_hero hero = {.tone = is_broken                                       ? "bad"
                                  : c->selection.n_feasible > 0 && !f->n_diverged ? "good"
                                                                                  : "warn",
                          .what = {as_page_say(page, "structure search"),
                                   f->report->search->space_name, counts, f->run->created},
                          .headline = headline,
                          .lead = lead,
                          .tiles = tiles,
                          .n_tiles = AS_COUNT_OF(tiles)};
    as_frame_hero(page, &hero);
}

static void put_html(as_page *page, const as_search_facts *f, const char *headline,
                     const char *lead)
{
    as_frame_begin(page, headline);
    put_hero(page, f, headline, lead);
    put_links(page, f);
    put_sections(page, f);
    fputs("<footer>", page->out);
    as_paragraph(
        page,
        "Derived from evidence.db by assay %s; the CSV files beside it have every number, "
        "plots/ each drawing's script and data.",
        f->run->assay_version);
    fputs("</footer>\n", page->out);
    as_frame_end(page);
}

static void put_md(as_page *page, const as_search_facts *f, const char *headline,
                   const char *lead)
{
    fputs("# ", page->out);
    as_put_md(page->out, headline);
    fputs("\n\n", page->out);
    as_paragraph(page, "%s", lead);
    as_paragraph(page, "Search %s: %zu structures, %zu trainings; started %s.",
                 f->report->search->space_name, f->report->n_structures, f->report->n_trainings,
                 f->run->created);
    put_sections(page, f);
}

static const struct {
    const char *name;
    const as_markup *markup;
    void (*put)(as_page *page, const as_search_facts *f, const char *headline,
                const char *lead);
} pages[] = {{"report.md", &as_markup_md, put_md}, {"report.html", &as_markup_html, put_html}};

static assay_code write_page(const as_search_facts *f, size_t i, assay_error *err)
{
    as_whole_file file;
    char *headline = as_search_headline(f), *lead = as_search_lead(f);
    assay_code code = headline && lead
                          ? as_whole_file_open_in(f->report->folder, pages[i].name, &file, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory for a page of the report");
    if (!code) {
        as_page page = {.markup = pages[i].markup, .out = file.out, .language = f->language};
        pages[i].put(&page, f, headline, lead);
        code = as_whole_file_close(&file, as_page_check(&page, err), err);
    }
    as_free(headline);
    as_free(lead);
    return code;
}

assay_code as_search_page_write(const as_search_report *report, assay_error *err)
{
    as_search_facts *f;
    assay_code code = as_search_facts_new(report, &f, err);
    if (!code) code = as_search_plots_write(f, err);
    for (size_t i = 0; !code && i < AS_COUNT_OF(pages); i++)
        code = write_page(f, i, err);
    as_search_facts_free(f);
    return code;
}
