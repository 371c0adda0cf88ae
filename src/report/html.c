/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.html, one file that needs no other: style and plot stand inside, nothing is fetched, no
 * script runs.  report.md has the same sections without the picture.
 */
#include <string.h>

#include "base/compiler.h"
#include "report/frame.h"
#include "report/outputs.h"
#include "report/sections.h"
#include "report/text.h"

/** What the chosen policy saves, in the headline's number. */
static as_tile cost_tile(const as_facts *f)
{
    as_tile t = {.title = "Detection time", .tone = ""};
    const as_policy_facts *base = &f->policy[f->run->baseline];
    if (f->choice.policy == AS_NO_POLICY) {
        as_say_into(t.value, sizeof t.value, f->language, "–");
        as_say_into(t.note, sizeof t.note, f->language, "%zu of %d rounds", f->n_rounds_done,
                    f->run->n_rounds);
        return t;
    }
    const as_policy_facts *chosen = &f->policy[f->choice.policy];
    if (chosen == base) {
        as_say_into(t.value, sizeof t.value, f->language, "%.3f s", base->detection.median);
        as_say_into(t.note, sizeof t.note, f->language, "median of %s, %.3f to %.3f, n = %zu",
                    base->row->name, base->detection.least, base->detection.greatest,
                    base->detection.n);
        return t;
    }
    const as_estimate *e = &chosen->candidate.estimate;
    double change = e->has_interval ? (e->ratio - 1) * 100 : -chosen->reduction;
    t.tone = "good";
    as_say_into(t.value, sizeof t.value, f->language, "%+.1f %%", as_percent(change));
    as_say_into(t.note, sizeof t.note, f->language, "%s %.3f s, %s %.3f s (medians, n = %zu)",
                chosen->row->name, chosen->detection.median, base->row->name,
                base->detection.median, chosen->detection.n);
    return t;
}

static as_tile boxes_tile(const as_facts *f)
{
    as_tile t = {.title = "Boxes", .tone = "good"};
    size_t n_checks = 0, n_differing = 0, n_inputs = 0;
    for (size_t p = 0; p < f->n_policies; p++) {
        n_checks += f->policy[p].n_checks;
        n_differing += f->policy[p].n_inputs_differing > 0;
        if (f->policy[p].n_inputs_checked > n_inputs) n_inputs = f->policy[p].n_inputs_checked;
    }
    if (n_checks == 0) {
        t.tone = "";
        as_say_into(t.value, sizeof t.value, f->language, "not checked");
    } else if (n_differing == 0) {
        as_say_into(t.value, sizeof t.value, f->language, "all equal");
    } else {
        t.tone = "bad";
        as_say_into(t.value, sizeof t.value, f->language,
                    n_differing == 1 ? "%zu policy differs" : "%zu policies differ",
                    n_differing);
    }
    if (f->compare == AS_COMPARE_BOXES)
        as_say_into(t.note, sizeof t.note, f->language,
                    "%zu inputs, %zu answers checked; %zu input%s without a box", n_inputs,
                    n_checks, f->n_empty_inputs, f->n_empty_inputs == 1 ? "" : "s");
    else
        as_say_into(t.note, sizeof t.note, f->language, "%zu inputs, %zu answers checked",
                    n_inputs, n_checks);
    return t;
}

static as_tile certainty_tile(const as_facts *f)
{
    as_tile t = {.title = "Certainty", .tone = "warn"};
    size_t n = f->policy[f->run->baseline].detection.n;
    bool any_interval = false;
    for (size_t p = 0; p < f->n_policies; p++)
        any_interval = any_interval || f->policy[p].candidate.estimate.has_interval;
    if (any_interval) {
        t.tone = f->choice.is_certain ? "good" : "warn";
        as_say_into(t.value, sizeof t.value, f->language,
                    f->choice.is_certain ? "decided" : "undecided");
        as_say_into(t.note, sizeof t.note, f->language,
                    "%zu rounds, all intervals hold together at 95 %%", n);
    } else {
        as_say_into(t.value, sizeof t.value, f->language, "no interval");
        as_say_into(t.note, sizeof t.note, f->language, "%zu round%s; an interval needs %zu", n,
                    n == 1 ? "" : "s", f->rounds_needed);
    }
    return t;
}

static as_tile machine_tile(as_page *page, const as_facts *f)
{
    as_tile t = {.title = "Machine", .tone = ""};
    char isa[32], threads[16];
    size_t p = f->choice.policy == AS_NO_POLICY ? (size_t)f->run->baseline : f->choice.policy;
    size_t n_dirty = 0;
    as_engine_fact(page, f, p, "isa", isa, sizeof isa);
    as_engine_fact(page, f, p, "threads", threads, sizeof threads);
    for (size_t r = 0; r < f->n_rounds; r++)
        n_dirty += f->rounds[r].is_dirty;
    as_say_into(t.value, sizeof t.value, f->language, "%s%s%s thread%s", isa, *isa ? ", " : "",
                *threads ? threads : "?", strcmp(threads, "1") == 0 ? "" : "s");
    const char *cpu = json_string_value(json_object_get(f->machine, "cpu"));
    as_say_into(t.note, sizeof t.note, f->language, "%.80s%s%zu of %zu rounds dirty%s",
                cpu ? cpu : "", cpu ? "; " : "", n_dirty, f->n_rounds,
                f->run->exclusive_hardware ? as_say(f->language, "; declared exclusive") : "");
    return t;
}

static void put_hero(as_page *page, const as_facts *f)
{
    const bool is_broken = f->choice.policy == AS_NO_POLICY;
    char counts[160];
    as_say_into(counts, sizeof counts, f->language, "%zu documents, %zu inputs, %zu calls",
                f->n_documents, f->n_inputs, f->n_calls);
    const as_tile tiles[] = {cost_tile(f), boxes_tile(f), certainty_tile(f),
                             machine_tile(page, f)};
    const as_hero hero = {
        .tone = is_broken                          ? "bad"
                : f->choice.is_certain && f->holds ? "good"
                                                   : "warn",
        .what = {f->run->model_name, f->run->corpus_name, counts, f->run->created},
        .headline = f->headline,
        .lead = f->certainty,
        .tiles = tiles,
        .n_tiles = AS_COUNT_OF(tiles)};
    as_frame_hero(page, &hero);
}

/** No report has more sections. */
enum { LINKS_MOST = 24 };

static void put_contents(as_page *page, const as_facts *f)
{
    as_link links[LINKS_MOST];
    const as_section *section;
    size_t n = 0;
    for (size_t i = 0; (section = as_section_at(i)) && n < LINKS_MOST; i++)
        if (as_section_is_there(section, f))
            links[n++] = (as_link){section->id, section->title};
    as_frame_links(page, links, n);
}

assay_code as_write_report_html(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    as_page page = {.markup = &as_markup_html, .out = out, .language = f->language};
    as_frame_begin(&page, f->headline);
    put_hero(&page, f);
    put_contents(&page, f);
    as_put_sections(&page, outputs);
    fputs("<footer>", out);
    as_paragraph(&page,
                 "Derived from evidence.db by assay %s; summary.json has every number, plots/ "
                 "each drawing's script and data.",
                 f->run->assay_version);
    fputs("</footer>\n", out);
    as_frame_end(&page);
    return as_page_check(&page, err); /* of all that was said, this too */
}

assay_code as_write_report_md(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    as_page page = {.markup = &as_markup_md, .out = out, .language = f->language};
    fputs("# ", out);
    as_put_md(out, f->headline);
    fputs("\n\n", out);
    as_paragraph(&page, "%s", f->certainty);
    as_paragraph(&page,
                 "%s on %s: %zu documents, %zu inputs, %zu calls; %zu of %d rounds; started "
                 "%s.",
                 f->run->model_name, f->run->corpus_name, f->n_documents, f->n_inputs,
                 f->n_calls, f->n_rounds_done, f->run->n_rounds, f->run->created);
    as_put_sections(&page, outputs);
    return as_page_check(&page, err);
}
