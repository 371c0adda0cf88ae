/* SPDX-License-Identifier: Apache-2.0 */
#include "report/facts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

const char *as_stage_name(int stage)
{
    static const char *const names[AS_N_STAGES] = {"preprocess", "forward", "transfer",
                                                   "postprocess"};
    return names[stage];
}

double as_stages_seconds(const as_stages *stages)
{
    double sum = 0;
    for (int s = 0; s < AS_N_STAGES; s++)
        sum += (double)stages->ns[s];
    return sum / 1e9;
}

void as_facts_add(int64_t *sum, int64_t count)
{
    if (count <= 0 || *sum <= INT64_MAX - count) *sum += count;
}

assay_code as_facts_array(as_facts *f, size_t n, size_t element_bytes, void *out,
                          assay_error *err)
{
    void *memory = as_arena_array(f->arena, n ? n : 1, element_bytes);
    memcpy(out, &memory, sizeof memory);
    if (!memory) return as_fail(err, ASSAY_E_MEMORY, "no memory for the facts of a run");
    return ASSAY_OK;
}

assay_code as_facts_format(as_facts *f, const char **out, assay_error *err, const char *format,
                           ...)
{
    va_list values;
    va_start(values, format);
    char *printed = as_format_values(as_say(f->language, format), values);
    va_end(values);
    char *text = printed ? as_arena_strdup(f->arena, printed) : NULL;
    as_free(printed);
    *out = text;
    if (!text) return as_fail(err, ASSAY_E_MEMORY, "no memory for a sentence of the report");
    return ASSAY_OK;
}

static assay_code load_tables(as_facts *f, assay_error *err)
{
    as_evidence *e = f->evidence;
    assay_code code = as_evidence_policies(e, &f->policies, &f->n_policies, err);
    if (!code) code = as_evidence_orders(e, &f->orders, &f->n_orders, err);
    if (!code) code = as_evidence_documents(e, &f->documents, &f->n_documents, err);
    if (!code) code = as_evidence_inputs(e, &f->inputs, &f->n_inputs, err);
    if (!code) code = as_evidence_calls(e, &f->calls, &f->n_calls, err);
    if (!code) code = as_evidence_slots(e, &f->slots, &f->n_slots, err);
    f->n_samples = as_evidence_count_samples(e);
    if (!code) code = as_evidence_box_sets(e, &f->box_sets, &f->n_box_sets, err);
    if (!code) code = as_evidence_engines(e, &f->engines, &f->n_engines, err);
    if (!code) code = as_evidence_passes(e, &f->passes, &f->n_passes, err);
    if (!code) code = as_evidence_profiles(e, &f->profiles, &f->n_profiles, err);
    if (!code) code = as_evidence_routes(e, &f->routes, &f->n_routes, err);
    if (!code) code = as_evidence_noise(e, &f->noise, &f->n_noise, err);
    if (!code) code = as_evidence_snapshots(e, &f->snapshots, &f->n_snapshots, err);
    if (!code) code = as_evidence_processes(e, &f->processes, &f->n_processes, err);
    if (!code) code = as_evidence_reviews(e, &f->reviews, &f->n_reviews, err);
    if (!code) code = as_evidence_departures(e, &f->departures, &f->n_departures, err);
    if (!code) code = as_evidence_margins(e, &f->margins, &f->n_margins, err);
    if (!code && f->n_policies == 0)
        code =
            as_fail(err, ASSAY_E_FORMAT, "the evidence names no policy, a run has one or more");
    return code;
}

static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static size_t unique(int *values, size_t n)
{
    if (n == 0) return 0;
    qsort(values, n, sizeof *values, by_int);
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        if (values[i] != values[kept - 1]) values[kept++] = values[i];
    return kept;
}

static size_t round_index(const as_facts *f, int id)
{
    size_t i = 0;
    while (i < f->n_rounds && f->rounds[i].id != id)
        i++;
    return i;
}

/** Gather the formal rounds that the order or a slot names, and each round's finished slots. */
static assay_code find_rounds(as_facts *f, assay_error *err)
{
    int *ids;
    assay_code code = as_facts_array(f, f->n_orders + f->n_slots, sizeof *ids, &ids, err);
    if (code) return code;
    size_t n = 0;
    for (size_t i = 0; i < f->n_orders; i++)
        ids[n++] = f->orders[i].round;
    for (size_t i = 0; i < f->n_slots; i++)
        if (f->slots[i].phase == AS_PHASE_FORMAL) ids[n++] = f->slots[i].round;
    f->n_rounds = unique(ids, n);
    code = as_facts_array(f, f->n_rounds, sizeof *f->rounds, &f->rounds, err);
    if (!code)
        code = as_facts_array(f, f->n_rounds * f->n_policies, sizeof *f->slot_of, &f->slot_of,
                              err);
    if (code) return code;
    for (size_t r = 0; r < f->n_rounds; r++)
        f->rounds[r].id = ids[r];
    for (size_t i = 0; i < f->n_rounds * f->n_policies; i++)
        f->slot_of[i] = -1;
    for (size_t i = 0; i < f->n_slots; i++) {
        const as_slot_row *slot = &f->slots[i];
        if (slot->phase != AS_PHASE_FORMAL || slot->state != AS_SLOT_FINISHED) continue;
        size_t round = round_index(f, slot->round);
        f->slot_of[round * f->n_policies + (size_t)slot->policy] = (int)i;
    }
    return ASSAY_OK;
}

/** What the sums need of a timed call. */
static const char *const timed_columns[] = {
    "slot",        "cycle",          "call",         "preprocess_ns", "forward_ns",
    "transfer_ns", "postprocess_ns", "n_not_finite", "clock",         NULL};

/** Add a timed call to its slot, stratum, batch size and document. */
static assay_code add_sample(void *context, const as_sample_row *s, assay_error *err)
{
    as_facts *f = context;
    (void)err;
    const as_call_row *call = &f->calls[s->call];
    as_slot_facts *slot = &f->slot[s->slot];
    as_stages *document =
        &f->document_sum[(size_t)s->slot * f->n_documents + (size_t)call->document];
    int64_t *batch = &f->batch_ns[(size_t)s->slot * f->n_batches + f->batch_of[s->call]];
    const int64_t ns[AS_N_STAGES] = {s->preprocess_ns, s->forward_ns, s->transfer_ns,
                                     s->postprocess_ns};
    bool is_left_out = as_facts_is_left_out(f, s);
    for (int stage = 0; stage < AS_N_STAGES && !is_left_out; stage++) {
        as_facts_add(&slot->stages.ns[stage], ns[stage]);
        as_facts_add(&document->ns[stage], ns[stage]);
        as_facts_add(batch, ns[stage]);
        as_facts_add(&slot->stratum_ns[call->shape.n < AS_STRATUM_N ? AS_SMALL : AS_LARGE],
                     ns[stage]);
    }
    slot->n_samples++;
    slot->n_bad_clocks += s->clock != AS_CLOCK_GOOD || s->preprocess_ns < 0 ||
                          s->forward_ns <= 0 || s->transfer_ns < 0 || s->postprocess_ns < 0;
    as_facts_add(&slot->n_not_finite, s->n_not_finite);
    return ASSAY_OK;
}

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static const char *const peak_columns[] = {"slot",      "process",        "rss_bytes",
                                           "pss_bytes", "peak_rss_bytes", NULL};

static assay_code add_memory(void *context, const as_memory_row *m, assay_error *err)
{
    as_facts *f = context;
    (void)err;
    as_slot_facts *slot = &f->slot[m->slot];
    int process = strcmp(m->process, "adapter") == 0 ? AS_ADAPTER : AS_WORKER;
    slot->peak_pss[process] = greater(slot->peak_pss[process], m->pss_bytes);
    slot->peak_rss[process] =
        greater(slot->peak_rss[process], greater(m->rss_bytes, m->peak_rss_bytes));
    return ASSAY_OK;
}

static assay_code sum_slots(as_facts *f, assay_error *err)
{
    size_t n_sums;
    if (!as_mul(f->n_slots, f->n_documents, &n_sums))
        return as_fail(err, ASSAY_E_FORMAT, "%zu slots of %zu documents are too many",
                       f->n_slots, f->n_documents);
    assay_code code = as_facts_array(f, f->n_slots, sizeof *f->slot, &f->slot, err);
    if (!code) code = as_facts_array(f, n_sums, sizeof *f->document_sum, &f->document_sum, err);
    if (!code) code = as_facts_batches(f, err);
    if (code) return code;
    for (size_t i = 0; i < f->n_slots; i++)
        for (int p = 0; p < AS_N_PROCESSES; p++)
            f->slot[i].peak_pss[p] = f->slot[i].peak_rss[p] = -1;
    code = as_facts_clocks(f, err);
    if (!code)
        code = as_evidence_each_sample(f->evidence, -1, timed_columns, add_sample, f, err);
    if (!code)
        code = as_evidence_each_memory(f->evidence, -1, peak_columns, add_memory, f, err);
    if (code) return code;
    for (size_t i = 0; i < f->n_calls; i++) {
        int stratum = f->calls[i].shape.n < AS_STRATUM_N ? AS_SMALL : AS_LARGE;
        f->stratum_calls[stratum]++;
        f->stratum_inputs[stratum] += f->calls[i].shape.n;
    }
    return ASSAY_OK;
}

assay_code as_facts_document(const as_facts *f, size_t policy, size_t document,
                             as_summary *stages, assay_error *err)
{
    double *values = as_alloc_array(f->n_rounds ? f->n_rounds : 1, sizeof *values);
    if (!values) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu rounds", f->n_rounds);
    assay_code code = ASSAY_OK;
    for (int stage = 0; !code && stage <= AS_N_STAGES; stage++) {
        size_t n = 0;
        for (size_t r = 0; r < f->n_rounds; r++) {
            int slot = as_facts_slot(f, r, policy);
            if (slot < 0) continue;
            const as_stages *sum = &f->document_sum[(size_t)slot * f->n_documents + document];
            values[n++] =
                stage < AS_N_STAGES ? (double)sum->ns[stage] / 1e9 : as_stages_seconds(sum);
        }
        code = as_summary_of(values, n, &stages[stage], err);
    }
    as_free(values);
    return code;
}

/** A stored text as JSON; NULL in *out where it is none, which is no failure. */
static assay_code read_json(const char *text, json_t **out, assay_error *err)
{
    assay_code code = as_json_parse(text, strlen(text), JSON_DECODE_ANY, out, err);
    return code == ASSAY_E_FORMAT ? ASSAY_OK : code;
}

static assay_code read_texts(as_facts *f, assay_error *err)
{
    assay_code code = as_facts_array(f, f->n_engines, sizeof(json_t *), &f->engine_facts, err);
    if (!code) code = read_json(f->run->machine_json, &f->machine, err);
    if (!code) code = read_json(f->run->findings_json, &f->findings, err);
    for (size_t i = 0; !code && i < f->n_engines; i++)
        code = read_json(f->engines[i].json, &f->engine_facts[i], err);
    return code;
}

assay_code as_facts_load(const char *path, as_language language, as_facts **out,
                         assay_error *err)
{
    *out = NULL;
    as_facts *f = as_alloc(sizeof *f);
    if (!f) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    f->language = language;
    assay_code code = as_evidence_open(path, &f->evidence, err);
    if (!code && !(f->arena = as_arena_new()))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", path);
    if (code) goto done;
    f->run = as_evidence_run(f->evidence);
    code = load_tables(f, err);
    if (!code) code = read_texts(f, err);
    if (!code) code = find_rounds(f, err);
    if (!code) code = sum_slots(f, err);
    if (!code) as_facts_noise(f);
    if (!code) code = as_facts_compare(f, err);
    if (!code) code = as_facts_judge(f, err);
    if (!code) code = as_facts_headline(f, err);
    if (!code) code = as_facts_warn(f, err);
    if (code) {
        as_error_where(err, "%s", path);
        goto done;
    }
    *out = f;
    f = NULL;
done:
    as_facts_free(f);
    return code;
}

void as_facts_free(as_facts *f)
{
    if (!f) return;
    for (size_t i = 0; f->engine_facts && i < f->n_engines; i++)
        json_decref(f->engine_facts[i]);
    json_decref(f->machine);
    json_decref(f->findings);
    as_evidence_close(f->evidence);
    as_arena_free(f->arena);
    as_free(f);
}
