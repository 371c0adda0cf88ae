/* SPDX-License-Identifier: Apache-2.0 */
/* What a report holds, in the order of reading: verdict, doubts, then what they are made of. */
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "report/sections.h"

static bool has_warnings(const as_facts *f) { return f->warnings[0] != NULL; }
/** Outputs of other networks have no picture. */
static bool has_differences(const as_facts *f)
{
    return f->n_differences > 0 && f->compare == AS_COMPARE_BOXES;
}

static bool has_batches(const as_facts *f) { return f->n_batches > 0; }
static bool has_profiles(const as_facts *f) { return f->n_profiles > 0; }
static bool has_passes(const as_facts *f) { return f->n_passes > 0; }

static const as_section sections[] = {
    {"policies", "Policies", as_section_policies, NULL, true, AS_PLOT_POLICIES},
    {"warnings", "Before you trust it", as_section_warnings, has_warnings, false, 0},
    {"equality", "Equality", as_section_equality, NULL, false, 0},
    {"review", "Where boxes differ", as_section_review, has_differences, false, 0},
    {"documents", "Documents and stages", as_section_documents, NULL, true, AS_PLOT_STAGES},
    {"batches", "Batch sizes", as_section_batches, has_batches, true, AS_PLOT_BATCHES},
    {"strata", "Small and large batches", as_section_strata, NULL, false, 0},
    {"rounds", "Rounds", as_section_rounds, NULL, true, AS_PLOT_ROUNDS},
    {"profile", "Operators of one call", as_section_profile, has_profiles, false, 0},
    {"passes", "Graph passes at load", as_section_passes, has_passes, false, 0},
    {"environment", "Environment", as_section_environment, NULL, false, 0},
    {"limits", "What this does not show", as_section_limits, NULL, false, 0},
    {"reproduce", "How to reproduce", as_section_reproduce, NULL, false, 0},
};

const as_section *as_section_at(size_t i)
{
    return i < AS_COUNT_OF(sections) ? &sections[i] : NULL;
}

bool as_section_is_there(const as_section *section, const as_facts *f)
{
    return !section->is_there || section->is_there(f);
}

/** A drawing in lines of characters (free); NULL where it has none. */
static char *text_of(as_page *page, const as_plot *plot, const as_facts *f)
{
    char *text = NULL;
    size_t size;
    if (!plot->write_text || page->markup->embeds) return NULL;
    FILE *out = open_memstream(&text, &size);
    if (out) plot->write_text(out, f);
    if (!out || fclose(out) != 0) page->lacks_memory = true;
    return text;
}

/** The drawing of a section, or why there is none, which is said once. */
static void put_plot(as_page *page, const as_outputs *outputs, as_plot_id id)
{
    const as_plot *plot = as_plot_of(id);
    const as_drawn *drawn = &outputs->drawings[id];
    if (drawn->svg[AS_WIDE].size == 0 && id == AS_PLOT_POLICIES && outputs->plot_note)
        as_paragraph(page, "%s", as_page_say(page, outputs->plot_note));
    if (!plot->is_drawn(outputs->facts)) return;
    char *text = text_of(page, plot, outputs->facts);
    as_put_drawing(page, plot->name, drawn->svg, text, plot->caption);
    free(text);
}

void as_put_sections(as_page *page, const as_outputs *outputs)
{
    const as_facts *f = outputs->facts;
    for (size_t i = 0; i < AS_COUNT_OF(sections); i++) {
        const as_section *section = &sections[i];
        if (!as_section_is_there(section, f)) continue;
        as_heading(page, 2, section->id, section->title);
        if (section->has_plot) put_plot(page, outputs, section->plot);
        section->write(page, f);
    }
}
