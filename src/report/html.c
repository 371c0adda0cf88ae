/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.html, one file that needs no other: style and plot stand inside, nothing is fetched, no
 * script runs.  report.md has the same sections without the picture.
 */
#include <string.h>

#include "base/compiler.h"
#include "report/html_style.h"
#include "report/outputs.h"
#include "report/sections.h"
#include "report/text.h"

typedef struct tile {
    const char *title;
    const char *tone; /**< Class of the value: "", "good", "warn", "bad". */
    char value[64];
    char note[160];
} tile;

static void put_tile(FILE *out, as_language language, const tile *t)
{
    fputs("<div><dt>", out);
    as_put_html(out, as_say(language, t->title));
    fprintf(out, "</dt><dd class=\"%s\">", t->tone);
    as_put_html(out, t->value);
    fputs("</dd><p>", out);
    as_put_html(out, t->note);
    fputs("</p></div>\n", out);
}

/** What the chosen policy saves, in the headline's number. */
static tile cost_tile(const as_facts *f)
{
    tile t = {.title = "Detection time", .tone = ""};
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

static tile boxes_tile(const as_facts *f)
{
    tile t = {.title = "Boxes", .tone = "good"};
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

static tile certainty_tile(const as_facts *f)
{
    tile t = {.title = "Certainty", .tone = "warn"};
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

static tile machine_tile(as_page *page, const as_facts *f)
{
    tile t = {.title = "Machine", .tone = ""};
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
    FILE *out = page->out;
    bool is_broken = f->choice.policy == AS_NO_POLICY;
    fprintf(out, "<header><p class=\"eyebrow\">assay &middot; ");
    char counts[160];
    as_say_into(counts, sizeof counts, f->language, "%zu documents, %zu inputs, %zu calls",
                f->n_documents, f->n_inputs, f->n_calls);
    as_put_html(out, f->run->model_name);
    fputs(" &middot; ", out);
    as_put_html(out, f->run->corpus_name);
    fputs(" &middot; ", out);
    as_put_html(out, counts);
    fputs(" &middot; ", out);
    as_put_html(out, f->run->created);
    fprintf(out, "</p>\n<div class=\"hero %s\">\n<h1>",
            is_broken                          ? "bad"
            : f->choice.is_certain && f->holds ? "good"
                                               : "warn");
    as_put_html(out, f->headline);
    fputs("</h1>\n<p class=\"lead\">", out);
    as_put_html(out, f->certainty);
    fputs("</p>\n<dl class=\"tiles\">\n", out);
    const tile tiles[] = {cost_tile(f), boxes_tile(f), certainty_tile(f),
                          machine_tile(page, f)};
    for (size_t i = 0; i < AS_COUNT_OF(tiles); i++)
        put_tile(out, f->language, &tiles[i]);
    fputs("</dl>\n</div></header>\n", out);
}

/** Links to the sections. */
static void put_contents(as_page *page, const as_facts *f)
{
    const as_section *section;
    fputs("<nav>", page->out);
    for (size_t i = 0; (section = as_section_at(i)); i++) {
        if (!as_section_is_there(section, f)) continue;
        fprintf(page->out, "<a href=\"#%s\">", section->id);
        as_put_html(page->out, as_page_say(page, section->title));
        fputs("</a>\n", page->out);
    }
    fputs("</nav>\n", page->out);
}

assay_code as_write_report_html(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    as_page page = {.markup = &as_markup_html, .out = out, .language = f->language};
    fprintf(out,
            "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
            as_language_code(f->language));
    as_put_html(out, f->headline);
    fputs("</title>\n<style>\n", out);
    for (size_t i = 0; as_html_style[i]; i++)
        fprintf(out, "%s\n", as_html_style[i]);
    fputs("</style></head>\n<body><main>\n", out);
    put_hero(&page, f);
    put_contents(&page, f);
    as_put_sections(&page, outputs);
    fputs("<footer>", out);
    as_paragraph(&page,
                 "Derived from evidence.db by assay %s; summary.json has every number, plots/ "
                 "each drawing's script and data.",
                 f->run->assay_version);
    fputs("</footer>\n</main></body></html>\n", out);
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
