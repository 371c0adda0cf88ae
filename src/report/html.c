/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.html, one file that needs no other: style and plot stand inside, nothing is fetched, no
 * script runs.  report.md has the same sections without the picture.
 */
#include <string.h>

#include "base/compiler.h"
#include "report/outputs.h"
#include "report/sections.h"
#include "report/text.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--ground:#fbfbfa;--card:#fff;--ink:#1d2329;--soft:#5b6"
    "670;--line:#e2e5e8;--head:#f3f4f5;--good:#1c7a4c;--warn:#96640a;--bad:#b3362b;--mark"
    ":#2c6fb3}",
    "@media(prefers-color-scheme:dark){:root{--ground:#14171a;--card:#1b1f23;--ink:#e4e8e"
    "b;--soft:#98a3ad;--line:#30363c;--head:#22272c;--good:#5cc48d;--warn:#dfa94a;--bad:#"
    "f08a7e;--mark:#7db4ea}}",
    "*{box-sizing:border-box}",
    "body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-ap"
    "ple-system,'Segoe UI','Noto Sans',sans-serif}",
    "main{max-width:1120px;margin:0 auto;padding:40px 28px 80px}",
    ".eyebrow{margin:0 0 10px;max-width:none;color:var(--soft);font-size:14px}",
    ".hero{background:var(--card);border:1px solid var(--line);border-left:6px solid var("
    "--tone);border-radius:10px;padding:26px 30px 24px}",
    ".hero.good{--tone:var(--good)}.hero.warn{--tone:var(--warn)}.hero.bad{--tone:var(--b"
    "ad)}",
    "h1{font-size:30px;line-height:1.25;margin:0 0 10px;font-weight:650;letter-spacing:-."
    "01em}",
    ".lead{margin:0;max-width:none;color:var(--soft);font-size:17px}",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:14p"
    "x 28px;margin:24px 0 0;padding:20px 0 0;border-top:1px solid var(--line)}",
    ".tiles dt{color:var(--soft);font-size:13px}.tiles dd{margin:2px 0 0;font-size:21px;f"
    "ont-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}",
    ".tiles dd.good{color:var(--good)}.tiles dd.warn{color:var(--warn)}.tiles dd.bad{colo"
    "r:var(--bad)}",
    ".tiles p{margin:4px 0 0;color:var(--soft);font-size:14px}",
    "h2{font-size:20px;margin:44px 0 12px;font-weight:620}",
    "p{max-width:80ch}section p,main>p{color:var(--soft);font-size:15px}",
    ".wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-rad"
    "ius:8px}",
    "table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabula"
    "r-nums}",
    "th{font-weight:600;text-align:left;color:var(--soft);background:var(--head);font-siz"
    "e:13px;vertical-align:bottom;line-height:1.3}",
    "th,td{padding:9px 12px;border-bottom:1px solid var(--line)}",
    "tbody tr:last-child td{border-bottom:0}th.n,td.n{text-align:right}td.n{white-space:n"
    "owrap}",
    "td{overflow-wrap:break-word}",
    "td.good{color:var(--good)}td.bad{color:var(--bad);font-weight:600}td.chosen{font-wei"
    "ght:650;color:var(--mark)}",
    "figure{margin:28px 0 0;background:var(--card);border:1px solid var(--line);border-ra"
    "dius:8px;padding:18px 18px 10px}",
    "figcaption{color:var(--soft);font-size:14px;padding:6px 6px 4px}figure svg{display:b"
    "lock;width:100%;height:auto;color:var(--ink)}",
    "ul{padding-left:20px}li{margin:5px 0}",
    "#warnings+ul{background:var(--card);border:1px solid var(--line);border-left:4px sol"
    "id var(--warn);border-radius:8px;padding:12px 20px 12px 38px;font-size:15px}",
    "pre{background:var(--head);border:1px solid var(--line);border-radius:8px;padding:11"
    "px 14px;overflow-x:auto;font-size:13.5px;white-space:pre-wrap;overflow-wrap:anywhere"
    "}",
    "details{margin:14px 0}summary{cursor:pointer;color:var(--mark);font-size:15px;margin"
    "-bottom:8px}",
    "footer{margin-top:56px;color:var(--soft);font-size:13px}",
    "@media print{:root{--ground:#fff}body{font-size:12px}main{max-width:none;padding:0}h"
    "1{font-size:22px}h2{break-after:avoid}.wide{overflow:visible}tr,figure,.hero{break-i"
    "nside:avoid}table{font-size:10px}th,td{padding:4px 6px}}",
};

typedef struct tile {
    const char *title;
    const char *tone; /**< Class of the value: "", "good", "warn", "bad". */
    char value[64];
    char note[160];
} tile;

static void put_tile(FILE *out, const tile *t)
{
    fputs("<div><dt>", out);
    as_put_html(out, t->title);
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
        snprintf(t.value, sizeof t.value, "–");
        snprintf(t.note, sizeof t.note, "%zu of %d rounds", f->n_rounds_done, f->run->n_rounds);
        return t;
    }
    const as_policy_facts *chosen = &f->policy[f->choice.policy];
    if (chosen == base) {
        snprintf(t.value, sizeof t.value, "%.3f s", base->detection.median);
        snprintf(t.note, sizeof t.note, "median of %s, %.3f to %.3f, n = %zu", base->row->name,
                 base->detection.least, base->detection.greatest, base->detection.n);
        return t;
    }
    const as_estimate *e = &chosen->candidate.estimate;
    double change = e->has_interval ? (e->ratio - 1) * 100 : -chosen->reduction;
    t.tone = "good";
    snprintf(t.value, sizeof t.value, "%+.1f %%", as_percent(change));
    snprintf(t.note, sizeof t.note, "%s %.3f s, %s %.3f s (medians, n = %zu)",
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
        snprintf(t.value, sizeof t.value, "not checked");
    } else if (n_differing == 0) {
        snprintf(t.value, sizeof t.value, "all equal");
    } else {
        t.tone = "bad";
        snprintf(t.value, sizeof t.value, "%zu %s differ%s", n_differing,
                 n_differing == 1 ? "policy" : "policies", n_differing == 1 ? "s" : "");
    }
    snprintf(t.note, sizeof t.note,
             "%zu inputs, %zu answers checked; %zu input%s without a box", n_inputs, n_checks,
             f->n_empty_inputs, f->n_empty_inputs == 1 ? "" : "s");
    return t;
}

static tile certainty_tile(const as_facts *f)
{
    tile t = {.title = "Certainty", .tone = "warn"};
    size_t n = f->policy[f->run->baseline].detection.n;
    size_t n_candidates = f->n_policies > 1 ? f->n_policies - 1 : 1;
    bool any_interval = false;
    for (size_t p = 0; p < f->n_policies; p++)
        any_interval = any_interval || f->policy[p].candidate.estimate.has_interval;
    if (any_interval) {
        t.tone = f->choice.is_certain ? "good" : "warn";
        snprintf(t.value, sizeof t.value, "%s", f->choice.is_certain ? "decided" : "undecided");
        snprintf(t.note, sizeof t.note, "%zu rounds, all intervals hold together at 95 %%", n);
    } else {
        snprintf(t.value, sizeof t.value, "no interval");
        snprintf(t.note, sizeof t.note, "%zu round%s; an interval needs %zu", n,
                 n == 1 ? "" : "s", as_rounds_for_interval(n_candidates));
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
    snprintf(t.value, sizeof t.value, "%s%s%s thread%s", isa, *isa ? ", " : "",
             *threads ? threads : "?", strcmp(threads, "1") == 0 ? "" : "s");
    const char *cpu = json_string_value(json_object_get(f->machine, "cpu"));
    snprintf(t.note, sizeof t.note, "%.80s%s%zu of %zu rounds dirty%s", cpu ? cpu : "",
             cpu ? "; " : "", n_dirty, f->n_rounds,
             f->run->exclusive_hardware ? "; declared exclusive" : "");
    return t;
}

static void put_hero(as_page *page, const as_facts *f)
{
    FILE *out = page->out;
    bool is_broken = f->choice.policy == AS_NO_POLICY;
    fprintf(out, "<header><p class=\"eyebrow\">assay &middot; ");
    as_put_html(out, f->run->model_name);
    fputs(" on ", out);
    as_put_html(out, f->run->corpus_name);
    fprintf(out, " &middot; %zu documents, %zu inputs, %zu calls &middot; ", f->n_documents,
            f->n_inputs, f->n_calls);
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
        put_tile(out, &tiles[i]);
    fputs("</dl>\n</div></header>\n", out);
}

/** Copy one tag of gnuplot's picture; what names other places is left out, black follows the page. */
static const char *put_svg_tag(FILE *out, const char *at, const char *end)
{
    static const struct {
        const char *from, *to;
    } swaps[] = {{"\"black\"", "\"currentColor\""},
                 {"'black'", "'currentColor'"},
                 {"rgb(0,0,0)", "currentColor"},
                 {"rgb(  0,   0,   0)", "currentColor"},
                 {"xmlns:xlink=\"http://www.w3.org/1999/xlink\"", ""},
                 {"xmlns=\"http://www.w3.org/2000/svg\"", ""},
                 {"xlink:href", "href"}};
    while (at < end) {
        size_t i = 0;
        while (i < AS_COUNT_OF(swaps) && strncmp(at, swaps[i].from, strlen(swaps[i].from)) != 0)
            i++;
        if (i < AS_COUNT_OF(swaps)) {
            fputs(swaps[i].to, out);
            at += strlen(swaps[i].from);
        } else {
            putc(*at, out);
            if (*at++ == '>') break;
        }
    }
    return at;
}

/** The picture from its <svg> on; gnuplot's ids are its own counts, the same every time. */
static void put_svg(FILE *out, const as_bytes *svg)
{
    const char *text = (const char *)svg->data, *end = text + svg->size;
    const char *at = strstr(text, "<svg");
    while (at && at < end) {
        if (*at == '<') {
            at = put_svg_tag(out, at, end);
            continue;
        }
        putc(*at++, out);
    }
}

static void put_plot(FILE *out, const as_outputs *outputs)
{
    if (outputs->svg.size == 0) {
        fputs("<p>", out);
        as_put_html(out, outputs->plot_note);
        fputs("</p>\n", out);
        return;
    }
    fputs("<figure>\n", out);
    put_svg(out, &outputs->svg);
    fputs("<figcaption>Dots: each round against the baseline in the same round. Upright "
          "bar: the "
          "estimate (without an interval, the medians). Pale bar: its interval. Grey band: the "
          "margin of 1 %. Orange: boxes differ. Triangles: rounds beyond the edge. Script and "
          "data are in plots/.</figcaption>\n"
          "</figure>\n",
          out);
}

assay_code as_write_report_html(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    as_page page = {.markup = &as_markup_html, .out = out};
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    as_put_html(out, f->headline);
    fputs("</title>\n<style>\n", out);
    for (size_t i = 0; i < AS_COUNT_OF(style); i++)
        fprintf(out, "%s\n", style[i]);
    fputs("</style></head>\n<body><main>\n", out);
    put_hero(&page, f);
    put_plot(out, outputs);
    as_section_policies(&page, f);
    as_section_warnings(&page, f);
    assay_code code = as_sections_rest(&page, f, err);
    fputs("<footer>Derived from evidence.db by assay ", out);
    as_put_html(out, f->run->assay_version);
    fputs("; summary.json has every number.</footer>\n</main></body></html>\n", out);
    return code;
}

assay_code as_write_report_md(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    as_page page = {.markup = &as_markup_md, .out = out};
    fputs("# ", out);
    as_put_md(out, f->headline);
    fputs("\n\n", out);
    as_paragraph(&page, "%s", f->certainty);
    as_paragraph(&page,
                 "%s on %s: %zu documents, %zu inputs, %zu calls; %zu of %d rounds; started "
                 "%s.",
                 f->run->model_name, f->run->corpus_name, f->n_documents, f->n_inputs,
                 f->n_calls, f->n_rounds_done, f->run->n_rounds, f->run->created);
    as_section_policies(&page, f);
    if (outputs->svg.size)
        fputs("![Every policy against the baseline](plots/policies.svg)\n", out);
    else
        as_paragraph(&page, "%s", outputs->plot_note);
    as_section_warnings(&page, f);
    return as_sections_rest(&page, f, err);
}
