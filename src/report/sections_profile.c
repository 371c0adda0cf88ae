/* SPDX-License-Identifier: Apache-2.0 */
/* What one traced call of each policy consisted of, and whether the routes that ran are the policy's. */
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/trace.h"
#include "report/sections.h"

/** Kinds of operators that are listed; the rest is one row. */
#define LISTED_KINDS_MOST 12

static void routes_table(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"policy", false},      {"setting", false},
                                              {"looked for", false},  {"wanted", false},
                                              {"times it ran", true}, {"", false}};
    if (f->n_routes == 0) {
        as_paragraph(page, "No policy forces or forbids a route.");
        return;
    }
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < f->n_routes; i++) {
        const as_route_row *row = &f->routes[i];
        if (f->slots[row->slot].repeat > 0) continue; /* as the first trace has it */
        as_cell(page, "%s", as_facts_name(f, (size_t)f->slots[row->slot].policy));
        as_cell(page, "%s", row->setting);
        as_cell(page, "%s", row->pattern);
        as_cell(page, row->wanted[0] == 'r' ? "ran" : "absent");
        if (row->count < 0)
            as_cell(page, "not told");
        else
            as_cell(page, "%lld", (long long)row->count);
        if (as_route_row_holds(row))
            as_cell_tone(page, AS_TONE_GOOD, "holds");
        else
            as_cell_tone(page, AS_TONE_BAD, "broken");
    }
    as_table_end(page);
}

static void cost_row(as_page *page, const char *op, const char *route, const char *shape,
                     int64_t count, int64_t self_ns, int64_t forward_ns)
{
    as_cell(page, "%s", op);
    as_cell(page, "%s", *route ? route : "–");
    as_cell(page, "%s", *shape ? shape : "–");
    as_cell(page, "%lld", (long long)count);
    as_cell(page, "%.3f", (double)self_ns / 1e6);
    as_cell(page, "%.1f", forward_ns > 0 ? 100 * (double)self_ns / (double)forward_ns : 0);
}

/** The kinds of operators of a trace, the dearest first. */
static void costs_table(as_page *page, const as_trace *trace)
{
    static const as_table_column columns[] = {{"operator", false}, {"route", false},
                                              {"shape", false},    {"times", true},
                                              {"self, ms", true},  {"of forward, %", true}};
    as_operator_cost *costs;
    size_t n;
    assay_error err = {0};
    int64_t forward_ns = 0, count = 0, self_ns = 0;
    assay_code code = as_trace_costs(trace, &costs, &n, &err);
    as_page_keep(page, code, &err);
    if (code) return;
    for (size_t i = 0; i < trace->n_forwards; i++)
        forward_ns += trace->forwards[i].elapsed_ns;
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < n; i++) {
        const as_operator_cost *c = &costs[i];
        if (i < LISTED_KINDS_MOST) {
            cost_row(page, c->op, c->route, c->shape, c->count, c->self_ns, forward_ns);
            continue;
        }
        as_facts_add(&count, c->count);
        as_facts_add(&self_ns, c->self_ns);
    }
    int64_t outside_ns = forward_ns - self_ns;
    for (size_t i = 0; i < n && i < LISTED_KINDS_MOST; i++)
        outside_ns -= costs[i].self_ns;
    if (n > LISTED_KINDS_MOST)
        cost_row(page, as_page_say(page, "all others"), "", "", count, self_ns, forward_ns);
    cost_row(page, as_page_say(page, "outside of them, waits included"), "", "",
             (int64_t)trace->n_forwards, outside_ns, forward_ns);
    as_table_end(page);
    as_free(costs);
}

/** What the profile of one policy saw. */
static void put_profile(as_page *page, const as_facts *f, const as_profile_row *profile)
{
    const as_call_row *call = &f->calls[profile->call];
    json_t *told = NULL;
    as_trace *trace = NULL;
    assay_error err = {0};
    assay_code code = as_json_parse(profile->trace, strlen(profile->trace), 0, &told, &err);
    if (!code) code = as_trace_parse(told, &trace, &err);
    char *title = as_format(as_page_say(page, "%s: call %s, %zux%zux%zux%zu"),
                            as_facts_name(f, (size_t)f->slots[profile->slot].policy), call->id,
                            call->shape.n, call->shape.c, call->shape.h, call->shape.w);
    page->lacks_memory = page->lacks_memory || !title;
    as_page_keep(page, code, &err);
    if (!code && title) {
        as_fold(page, title);
        if (trace->tells_operators)
            costs_table(page, trace);
        else
            as_paragraph(page, "This engine tells no operators.");
        as_fold_end(page);
    }
    as_free(title);
    as_trace_free(trace);
    json_decref(told);
}

void as_section_profile(as_page *page, const as_facts *f)
{
    as_paragraph(page,
                 "One call of each policy, traced before the rounds and in no time of theirs.  "
                 "Self is what an operator took in the first thread without those inside it.  "
                 "diagnostics/ holds every operator and a trace that Perfetto opens.");
    routes_table(page, f);
    for (size_t i = 0; i < f->n_profiles; i++)
        if (as_facts_is_first_trace(f, &f->profiles[i])) put_profile(page, f, &f->profiles[i]);
}
