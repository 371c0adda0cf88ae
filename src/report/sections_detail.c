/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds, documents, passes and environment: what the verdict is made of. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "report/sections.h"

static void cell_number(as_page *page, const char *format, double value)
{
    char text[32];
    if (!isfinite(value)) {
        as_cell(page, "–");
        return;
    }
    snprintf(text, sizeof text, format, value);
    as_cell(page, "%s", text);
}

static void round_row(as_page *page, const as_facts *f, const as_order_row *turn, size_t round)
{
    int index = as_facts_slot(f, round, (size_t)turn->policy);
    as_cell(page, "%d", turn->round + 1);
    as_cell(page, "%d", turn->position + 1);
    as_cell(page, "%s", as_facts_name(f, (size_t)turn->policy));
    if (index < 0) {
        bool failed = false;
        for (size_t i = 0; i < f->n_slots; i++)
            failed = failed ||
                     (f->slots[i].phase == AS_PHASE_FORMAL &&
                      f->slots[i].round == turn->round && f->slots[i].policy == turn->policy);
        as_cell_tone(page, failed ? AS_TONE_BAD : AS_TONE_PLAIN, failed ? "failed" : "not run");
        for (int i = 0; i < 5; i++)
            as_cell(page, "–");
        return;
    }
    const as_slot_row *slot = &f->slots[index];
    as_cell(page, "%.3f", as_stages_seconds(&f->slot[index].stages));
    cell_number(page, "%.3f", slot->load_s);
    cell_number(page, "%.3f", slot->cleanup_s);
    cell_number(page, "%.3f", slot->total_s);
    as_cell(page, "%lld", (long long)slot->n_forwards);
    as_cell(page, "%zu", f->slot[index].n_samples);
}

static void noise_table(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"round", true},      {"PSI cpu, %", true}, {"run delay, %", true},
        {"steal, %", true},   {"throttled", true},  {"major faults", true},
        {"off CPU, %", true}, {"run again", true},  {"", false}};
    as_fold(page, "Noise of each round");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t r = 0; r < f->n_rounds; r++) {
        const as_round_facts *round = &f->rounds[r];
        as_cell(page, "%d", round->id + 1);
        cell_number(page, "%.1f", round->psi_cpu);
        cell_number(page, "%.1f", round->run_delay);
        cell_number(page, "%.2f", round->steal);
        as_cell(page, "%lld", (long long)round->n_throttled);
        as_cell(page, "%lld", (long long)round->n_major_faults);
        cell_number(page, "%.1f", round->off_cpu);
        as_cell(page, "%d", round->n_repeats);
        as_cell_tone(page, round->is_dirty ? AS_TONE_BAD : AS_TONE_PLAIN,
                     round->is_dirty    ? "dirty"
                     : round->has_noise ? "clean"
                                        : "not observed");
    }
    as_table_end(page);
    as_paragraph(
        page,
        "Dirty: any throttling, any major fault, steal above 2 %%, or PSI cpu or run delay "
        "above 5 %%.  The rules look at these, never at the times.  Off CPU is told and no "
        "rule.");
    as_fold_end(page);
}

void as_section_rounds(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"round", true},        {"place", true},    {"policy", false},
        {"detection, s", true}, {"load, s", true},  {"cleanup, s", true},
        {"total, s", true},     {"forwards", true}, {"calls", true}};
    as_paragraph(page,
                 "Order: %s, seed %lld.  Each row is one fresh process.  Total is the whole "
                 "process's wall time; loading and cleanup are no part of detection.",
                 f->run->order, (long long)f->run->seed);
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t r = 0; r < f->n_rounds; r++)
        for (size_t i = 0; i < f->n_orders; i++)
            if (f->orders[i].round == f->rounds[r].id) round_row(page, f, &f->orders[i], r);
    as_table_end(page);
    noise_table(page, f);
}

/** More rows than this are folded away. */
#define OPEN_ROWS_MAX 24

void as_section_documents(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"document", false},      {"policy", false},
                                              {"calls", true},          {"preprocess, s", true},
                                              {"forward, s", true},     {"transfer, s", true},
                                              {"postprocess, s", true}, {"detection, s", true},
                                              {"least–greatest", true}, {"rounds", true}};
    bool is_long = f->n_documents * f->n_policies > OPEN_ROWS_MAX;
    assay_error err = {0};
    assay_code code = ASSAY_OK;
    size_t *n_calls = as_alloc_array(f->n_documents ? f->n_documents : 1, sizeof *n_calls);
    page->lacks_memory = page->lacks_memory || !n_calls;
    if (!n_calls) return;
    for (size_t i = 0; i < f->n_calls; i++)
        n_calls[f->calls[i].document]++;
    as_paragraph(page, "Medians over the rounds.");
    if (is_long) as_fold(page, "Every document");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t d = 0; !code && d < f->n_documents; d++) {
        for (size_t p = 0; !code && p < f->n_policies; p++) {
            as_summary stages[AS_N_STAGES + 1];
            code = as_facts_document(f, p, d, stages, &err);
            if (code || stages[AS_N_STAGES].n == 0) continue;
            as_cell(page, "%s", f->documents[d].name);
            as_cell(page, "%s", as_facts_name(f, p));
            as_cell(page, "%zu", n_calls[d]);
            for (int s = 0; s <= AS_N_STAGES; s++)
                as_cell(page, "%.3f", stages[s].median);
            as_cell(page, "%.3f–%.3f", stages[AS_N_STAGES].least, stages[AS_N_STAGES].greatest);
            as_cell(page, "%zu", stages[AS_N_STAGES].n);
        }
    }
    as_table_end(page);
    if (is_long) as_fold_end(page);
    as_free(n_calls);
    as_page_keep(page, code, &err);
}

/** The first formal slot of `policy` that finished, else the first smoke slot; -1. */
static int first_slot(const as_facts *f, size_t policy)
{
    int smoke = -1;
    for (size_t i = 0; i < f->n_slots; i++) {
        const as_slot_row *slot = &f->slots[i];
        if ((size_t)slot->policy != policy || slot->state != AS_SLOT_FINISHED) continue;
        if (slot->phase == AS_PHASE_FORMAL) return (int)i;
        if (smoke < 0) smoke = (int)i;
    }
    return smoke;
}

void as_section_passes(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"policy", false},      {"pass", false},
                                              {"nodes before", true}, {"nodes after", true},
                                              {"ms", true},           {"kinds before", false},
                                              {"kinds after", false}};
    as_fold(page, "Nodes before and after each pass, first slot of each policy");
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t p = 0; p < f->n_policies; p++) {
        int slot = first_slot(f, p);
        for (size_t i = 0; i < f->n_passes; i++) {
            if (f->passes[i].slot != slot) continue;
            as_cell(page, "%s", as_facts_name(f, p));
            as_cell(page, "%s", f->passes[i].name);
            as_cell(page, "%d", f->passes[i].nodes_before);
            as_cell(page, "%d", f->passes[i].nodes_after);
            cell_number(page, "%.2f", f->passes[i].seconds * 1e3);
            as_cell(page, "%s", f->passes[i].kinds_before);
            as_cell(page, "%s", f->passes[i].kinds_after);
        }
    }
    as_table_end(page);
    as_fold_end(page);
}

/** A JSON value as words (as_free): strings as they are, the rest as JSON. */
static char *value_text(const json_t *value)
{
    if (json_is_string(value)) return as_strdup(json_string_value(value));
    return as_json_dump(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

void as_object_rows(as_page *page, const char *prefix, const json_t *object, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char *name = as_format("%s%s%s", prefix, *prefix ? "." : "", key);
        if (name && json_is_object(value) && depth > 0) {
            as_object_rows(page, name, value, depth - 1);
        } else {
            char *text = value_text(value);
            page->lacks_memory = page->lacks_memory || !name || !text;
            as_cell(page, "%s", name ? name : "");
            as_cell(page, "%s", text && *text ? text : "–");
            as_free(text);
        }
        as_free(name);
    }
}

void as_engine_fact(as_page *page, const as_facts *f, size_t policy, const char *key,
                    char *text, size_t room)
{
    int slot = first_slot(f, policy);
    text[0] = '\0';
    for (size_t i = 0; i < f->n_engines; i++) {
        const as_engine_row *row = &f->engines[i];
        if (row->slot != slot || strcmp(row->moment, "start") != 0) continue;
        const json_t *value = json_object_get(f->engine_facts[i], key);
        char *words = value ? value_text(value) : NULL;
        if (words) snprintf(text, room, "%s", words);
        page->lacks_memory = page->lacks_memory || (value && !words);
        as_free(words);
        return;
    }
}

static void engine_table(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"policy", false}, {"engine", false}, {"version", false}, {"isa", false},
        {"threads", true}, {"dtype", false},  {"flags", false}};
    static const char *const keys[] = {"engine", "version", "isa", "threads", "dtype", "flags"};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t p = 0; p < f->n_policies; p++) {
        as_cell(page, "%s", as_facts_name(f, p));
        for (size_t k = 0; k < AS_COUNT_OF(keys); k++) {
            char text[256];
            as_engine_fact(page, f, p, keys[k], text, sizeof text);
            as_cell(page, "%s", *text ? text : "–");
        }
    }
    as_table_end(page);
}

void as_findings_table(as_page *page, const json_t *findings)
{
    static const as_table_column columns[] = {
        {"what", false}, {"", false}, {"seen", false}, {"effect", false}, {"advice", false}};
    const json_t *item;
    size_t i;
    if (json_array_size(findings) > 0) {
        as_fold(page, "The machine when the run began, as assay env sees it");
        as_table(page, columns, AS_COUNT_OF(columns));
        json_array_foreach(findings, i, item)
        {
            const char *name = json_string_value(json_object_get(item, "name"));
            const char *severity = json_string_value(json_object_get(item, "severity"));
            bool spoils = severity && strcmp(severity, "spoils") == 0;
            char seen[AS_SEEN_TEXT];
            as_finding_seen(page->language, item, seen);
            const char *const cells[] = {name ? name : "",
                                         as_finding_text(page->language, item, "severity"),
                                         seen, as_finding_text(page->language, item, "effect"),
                                         as_finding_text(page->language, item, "advice")};
            for (size_t k = 0; k < AS_COUNT_OF(cells); k++)
                as_cell_tone(page, spoils && k == 1 ? AS_TONE_BAD : AS_TONE_PLAIN, "%s",
                             *cells[k] ? cells[k] : "–");
        }
        as_table_end(page);
        as_fold_end(page);
    }
}

void as_section_environment(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {{"what", false}, {"value", false}};
    const as_run_row *run = f->run;
    engine_table(page, f);
    as_table(page, columns, AS_COUNT_OF(columns));
    const char *const rows[][2] = {
        {as_page_say(page, "model"), run->model_name},
        {as_page_say(page, "model SHA-256"), run->model_sha256},
        {as_page_say(page, "corpus"), run->corpus_name},
        {as_page_say(page, "manifest SHA-256"), run->manifest_sha256},
        {as_page_say(page, "assay"), run->assay_version},
        {as_page_say(page, "program SHA-256"), run->program_sha256},
        {as_page_say(page, "started"), run->created},
        {as_page_say(page, "finished"), *run->finished ? run->finished : "–"},
        {as_page_say(page, "exclusive hardware"), run->exclusive_hardware
                                                      ? as_page_say(page, "yes, says the user")
                                                      : as_page_say(page, "not declared")}};
    for (size_t i = 0; i < AS_COUNT_OF(rows); i++) {
        as_cell(page, "%s", rows[i][0]);
        as_cell(page, "%s", rows[i][1]);
    }
    as_object_rows(page, "", f->machine, 2);
    as_table_end(page);
    as_findings_table(page, f->findings);
}
