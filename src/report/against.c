/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs' facts side by side: who is in both, what each cost and answered, what else changed. */
#include "report/against.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/trace.h"
#include "report/against_layers.h"
#include "verdict/two_samples.h"

static const char *const stage_names[AS_N_STAGES] =
    /* said */ {"preprocess", "forward", "transfer", "postprocess"};

/* Both runs while they are compared. */
typedef struct pair {
    const as_facts *now, *then;
    as_against *out;
    size_t n_common;        /* policies in both */
    double *now_s, *then_s; /* own; room for either's rounds */
    assay_error *err;
} pair;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to compare two runs");
}

static assay_code add(pair *p, const as_change *change)
{
    as_against *a = p->out;
    as_change *grown = as_grow(a->changes, a->n, &a->room, sizeof *grown);
    if (!grown) return no_memory(p->err);
    a->changes = grown;
    a->changes[a->n++] = *change;
    a->n_regressions += change->is_regression;
    return ASSAY_OK;
}

/* printf into the arena; NULL without memory. */
static const char *text(pair *p, const char *format, ...) AS_PRINTF(2, 3);

static const char *text(pair *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *printed = as_format_values(format, values);
    va_end(values);
    const char *kept = printed ? as_arena_strdup(p->out->arena, printed) : NULL;
    as_free(printed);
    return kept;
}

/* `english` in the language of the comparison. */
static const char *say(const pair *p, const char *english) AS_FORMAT_OF(2);

static const char *say(const pair *p, const char *english)
{
    return as_say(p->out->language, english);
}

/* Note `what` where its texts differ; NULL stands for "not there". */
static assay_code add_text(pair *p, as_change_kind kind, const char *what, const char *then,
                           const char *now, bool is_regression)
{
    if (!what) return no_memory(p->err);
    if (then && now && strcmp(then, now) == 0) return ASSAY_OK;
    if (!then && !now) return ASSAY_OK;
    as_change change = {.kind = kind,
                        .what = what,
                        .then = then ? then : say(p, "not there"),
                        .now = now ? now : say(p, "not there"),
                        .is_regression = is_regression};
    return add(p, &change);
}

/* The policy of this name, or -1. */
static int find_policy(const as_facts *f, const char *name)
{
    for (size_t i = 0; i < f->n_policies; i++)
        if (strcmp(f->policies[i].name, name) == 0) return (int)i;
    return -1;
}

/* Seconds of a policy in each round that it finished: of a stage, or of detection. */
static size_t seconds_of(const as_facts *f, size_t policy, int stage, double *out)
{
    size_t n = 0;
    for (size_t r = 0; r < f->n_rounds; r++) {
        int slot = as_facts_slot(f, r, policy);
        if (slot < 0) continue;
        const as_stages *stages = &f->slot[slot].stages;
        double s =
            stage < AS_N_STAGES ? (double)stages->ns[stage] / 1e9 : as_stages_seconds(stages);
        if (s > 0) out[n++] = s;
    }
    return n;
}

static assay_code add_cost(pair *p, size_t now, size_t then, int stage)
{
    as_summary a, b;
    bool is_whole = stage == AS_N_STAGES;
    size_t n_now = seconds_of(p->now, now, stage, p->now_s);
    size_t n_then = seconds_of(p->then, then, stage, p->then_s);
    size_t n_comparisons = p->n_common * (is_whole ? 1 : AS_N_STAGES);
    if (n_now == 0 || n_then == 0) return ASSAY_OK;
    as_change change = {.kind = AS_CHANGE_COST};
    assay_code code = as_estimate_two_samples(p->now_s, n_now, p->then_s, n_then, n_comparisons,
                                              &change.estimate, p->err);
    if (!code) code = as_summary_of(p->now_s, n_now, &a, p->err);
    if (!code) code = as_summary_of(p->then_s, n_then, &b, p->err);
    if (code) return code;
    const as_estimate *e = &change.estimate;
    bool is_slower = e->has_interval && e->low > 1 + AS_MARGIN;
    bool is_faster = e->has_interval && e->high < 1 - AS_MARGIN;
    if (!is_whole && !is_slower && !is_faster) return ASSAY_OK;
    change.now_s = a.median;
    change.then_s = b.median;
    change.is_regression = is_whole && is_slower;
    change.what =
        is_whole ? as_facts_name(p->now, now)
                 : text(p, "%s %s", as_facts_name(p->now, now), say(p, stage_names[stage]));
    return change.what ? add(p, &change) : no_memory(p->err);
}

static assay_code add_costs(pair *p)
{
    assay_code code = ASSAY_OK;
    for (int stage = AS_N_STAGES; stage >= 0 && !code; stage--)
        for (size_t i = 0; i < p->now->n_policies && !code; i++) {
            int then = find_policy(p->then, as_facts_name(p->now, i));
            if (then >= 0) code = add_cost(p, i, (size_t)then, stage);
        }
    return code;
}

static bool has_equal_boxes(const as_facts *f, size_t policy)
{
    const as_candidate *c = &f->policy[policy].candidate;
    return !c->failed && c->boxes_equal;
}

static const char *standing_of(const pair *p, const as_facts *f, size_t policy)
{
    if (f->policy[policy].candidate.failed) return say(p, "failed");
    return has_equal_boxes(f, policy) ? say(p, "boxes equal") : say(p, "boxes differ");
}

/* Inputs whose truth is other boxes in both runs; inputs go by id and hash. */
static assay_code count_answers(pair *p, size_t *n_same, size_t *n_other)
{
    const as_facts *now = p->now, *then = p->then;
    as_boxes a = {0}, b = {0};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < now->n_inputs && i < then->n_inputs && !code; i++) {
        if (now->truth[i] < 0 || then->truth[i] < 0 ||
            strcmp(now->inputs[i].id, then->inputs[i].id) != 0 ||
            strcmp(now->inputs[i].sha256, then->inputs[i].sha256) != 0)
            continue;
        code = as_facts_boxes(&now->box_sets[now->truth[i]], &a, p->err);
        if (!code) code = as_facts_boxes(&then->box_sets[then->truth[i]], &b, p->err);
        bool is_same = !code && as_boxes_compare(&b, &a).equal;
        *n_same += is_same;
        *n_other += !code && !is_same;
    }
    as_boxes_free(&a);
    as_boxes_free(&b);
    return code;
}

static assay_code add_answers(pair *p)
{
    size_t n_same = 0, n_other = 0;
    assay_code code = count_answers(p, &n_same, &n_other);
    if (!code && n_other > 0) {
        const char *then = text(p, say(p, "%zu inputs"), n_same + n_other);
        const char *now = text(p, say(p, "other boxes on %zu of them"), n_other);
        if (!then || !now) return no_memory(p->err);
        code = add_text(p, AS_CHANGE_ANSWERS, say(p, "the truth"), then, now, true);
    }
    for (size_t i = 0; i < p->now->n_policies && !code; i++) {
        int then = find_policy(p->then, as_facts_name(p->now, i));
        if (then < 0) continue;
        code = add_text(p, AS_CHANGE_ANSWERS, as_facts_name(p->now, i),
                        standing_of(p, p->then, (size_t)then), standing_of(p, p->now, i),
                        !has_equal_boxes(p->now, i));
    }
    return code;
}

/* The first finished slot of a policy, -1 without one. */
static int first_slot(const as_facts *f, size_t policy)
{
    for (size_t i = 0; i < f->n_slots; i++)
        if ((size_t)f->slots[i].policy == policy && f->slots[i].state == AS_SLOT_FINISHED)
            return (int)i;
    return -1;
}

/* Every leaf of two objects, keys joined by dots; those of `a` first, then what only `b` has. */
static assay_code add_objects(pair *p, as_change_kind kind, const char *prefix,
                              const json_t *then, const json_t *now)
{
    const char *key;
    json_t *value;
    assay_code code = ASSAY_OK;
    for (int side = 0; side < 2 && !code; side++) {
        json_object_foreach((json_t *)(side ? then : now), key, value)
        {
            const json_t *was = json_object_get(then, key), *is = json_object_get(now, key);
            if (code || (side && is) || json_equal(was, is)) continue;
            const char *name = text(p, "%s%s%s", prefix, *prefix ? "." : "", key);
            if (!name) return no_memory(p->err);
            if (json_is_object(was) && json_is_object(is)) {
                code = add_objects(p, kind, name, was, is);
                continue;
            }
            char *a = was ? as_json_dump(was, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
            char *b = is ? as_json_dump(is, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
            const char *before = a ? text(p, "%s", a) : NULL,
                       *after = b ? text(p, "%s", b) : NULL;
            code = (was && !before) || (is && !after)
                       ? no_memory(p->err)
                       : add_text(p, kind, name, before, after, false);
            as_free(a);
            as_free(b);
        }
    }
    return code;
}

static const json_t *engine_of(const as_facts *f, size_t policy)
{
    int slot = first_slot(f, policy);
    for (size_t i = 0; i < f->n_engines; i++)
        if (f->engines[i].slot == slot && strcmp(f->engines[i].moment, "start") == 0)
            return f->engine_facts[i];
    return NULL;
}

static const as_pass_row *pass_of(const as_facts *f, size_t policy, const char *name)
{
    int slot = first_slot(f, policy);
    for (size_t i = 0; i < f->n_passes; i++)
        if (f->passes[i].slot == slot && strcmp(f->passes[i].name, name) == 0)
            return &f->passes[i];
    return NULL;
}

static assay_code add_passes(pair *p, size_t now, size_t then)
{
    int slot = first_slot(p->now, now);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < p->now->n_passes && !code; i++) {
        const as_pass_row *is = &p->now->passes[i];
        if (is->slot != slot) continue;
        const as_pass_row *was = pass_of(p->then, then, is->name);
        const char *what = text(p, "%s %s", as_facts_name(p->now, now), is->name);
        const char *after = text(p, say(p, "%d nodes: %s"), is->nodes_after, is->kinds_after);
        const char *before =
            was ? text(p, say(p, "%d nodes: %s"), was->nodes_after, was->kinds_after)
                : say(p, "not there");
        code = !after || !before ? no_memory(p->err)
                                 : add_text(p, AS_CHANGE_PASS, what, before, after, false);
    }
    return code;
}

static assay_code read_trace(const as_profile_row *profile, as_trace **out, assay_error *err)
{
    json_t *told = NULL;
    *out = NULL;
    assay_code code = as_json_parse(profile->trace, strlen(profile->trace), 0, &told, err);
    if (!code) code = as_trace_parse(told, out, err);
    json_decref(told);
    return code;
}

/* All traces of a policy in one run. */
typedef struct traces {
    as_trace **items; /* owns, and what they point at */
    size_t n;
    int call; /* that all of them traced */
} traces;

static void free_traces(traces *t)
{
    for (size_t i = 0; i < t->n; i++)
        as_trace_free(t->items[i]);
    as_free(t->items);
}

static assay_code read_traces(const as_facts *f, size_t policy, traces *out, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *out = (traces){.items = as_alloc_array(f->n_profiles + 1, sizeof *out->items)};
    if (!out->items) return no_memory(err);
    for (size_t i = 0; i < f->n_profiles && !code; i++) {
        const as_profile_row *profile = &f->profiles[i];
        if ((size_t)f->slots[profile->slot].policy != policy) continue;
        out->call = profile->call;
        code = read_trace(profile, &out->items[out->n], err);
        if (!code) out->n++;
    }
    return code;
}

/* Whether both traced the same call. */
static bool is_same_call(const as_facts *a, int x, const as_facts *b, int y)
{
    return strcmp(a->calls[x].id, b->calls[y].id) == 0 &&
           memcmp(&a->calls[x].shape, &b->calls[y].shape, sizeof a->calls[x].shape) == 0;
}

static assay_code add_layer(pair *p, const char *policy, const as_layer_change *layer)
{
    const as_change change = {.kind = AS_CHANGE_LAYER,
                              .what = text(p, "%s %s", policy, layer->what),
                              .then = layer->then ? layer->then : say(p, "not there"),
                              .now = layer->now ? layer->now : say(p, "not there"),
                              .estimate = layer->estimate};
    return change.what ? add(p, &change) : no_memory(p->err);
}

static assay_code compare_layers(pair *p, size_t policy, const traces *before,
                                 const traces *after)
{
    as_layer_change *changes = NULL;
    size_t n = 0;
    const as_layer_traces then = {(const as_trace *const *)before->items, before->n};
    const as_layer_traces now = {(const as_trace *const *)after->items, after->n};
    assay_code code = as_layers_compare(&then, &now, p->out->arena, &changes, &n, p->err);
    for (size_t i = 0; i < n && !code; i++)
        code = add_layer(p, as_facts_name(p->now, policy), &changes[i]);
    as_free(changes);
    return code;
}

static assay_code add_layers(pair *p, size_t now, size_t then)
{
    traces after = {0}, before = {0};
    assay_code code = read_traces(p->now, now, &after, p->err);
    if (!code) code = read_traces(p->then, then, &before, p->err);
    if (!code && after.n && before.n && is_same_call(p->now, after.call, p->then, before.call))
        code = compare_layers(p, now, &before, &after);
    free_traces(&before);
    free_traces(&after);
    return code;
}

static assay_code add_policies(pair *p)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < p->now->n_policies && !code; i++) {
        const char *name = as_facts_name(p->now, i);
        int then = find_policy(p->then, name);
        const char *was = then < 0 ? NULL : p->then->policies[then].text;
        code = add_text(p, AS_CHANGE_POLICY, name, was, p->now->policies[i].text, false);
        if (code || then < 0) continue;
        code = add_objects(p, AS_CHANGE_KERNEL, name, engine_of(p->then, (size_t)then),
                           engine_of(p->now, i));
        if (!code) code = add_layers(p, i, (size_t)then);
        if (!code) code = add_passes(p, i, (size_t)then);
    }
    for (size_t i = 0; i < p->then->n_policies && !code; i++)
        if (find_policy(p->now, as_facts_name(p->then, i)) < 0)
            code = add_text(p, AS_CHANGE_POLICY, as_facts_name(p->then, i),
                            p->then->policies[i].text, NULL, false);
    return code;
}

static assay_code add_run(pair *p)
{
    const as_run_row *now = p->now->run, *then = p->then->run;
    const struct {
        const char *what, *then, *now;
    } fields[] = /* said */ {{"model", then->model_name, now->model_name},
                             {"model SHA-256", then->model_sha256, now->model_sha256},
                             {"manifest SHA-256", then->manifest_sha256, now->manifest_sha256},
                             {"program SHA-256", then->program_sha256, now->program_sha256},
                             {"assay", then->assay_version, now->assay_version},
                             {"baseline", as_facts_name(p->then, (size_t)then->baseline),
                              as_facts_name(p->now, (size_t)now->baseline)},
                             {"order", then->order, now->order}};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < AS_COUNT_OF(fields) && !code; i++)
        code = add_text(p, AS_CHANGE_RUN, say(p, fields[i].what), fields[i].then, fields[i].now,
                        false);
    return code ? code
                : add_objects(p, AS_CHANGE_MACHINE, "", p->then->machine, p->now->machine);
}

static bool has_same_calls(const as_facts *a, const as_facts *b)
{
    if (a->n_calls != b->n_calls || a->run->n_cycles != b->run->n_cycles ||
        strcmp(a->run->manifest_sha256, b->run->manifest_sha256) != 0)
        return false;
    for (size_t i = 0; i < a->n_calls; i++)
        if (strcmp(a->calls[i].id, b->calls[i].id) != 0) return false;
    return true;
}

static as_disturbed disturbed(const as_facts *f)
{
    as_disturbed d = {.n_rounds = f->n_rounds};
    for (size_t r = 0; r < f->n_rounds; r++)
        d.n_dirty += f->rounds[r].is_dirty;
    return d;
}

static assay_code compare(pair *p)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < p->now->n_policies; i++)
        p->n_common += find_policy(p->then, as_facts_name(p->now, i)) >= 0;
    p->out->has_same_calls = has_same_calls(p->now, p->then);
    p->out->then_created = p->then->run->created;
    p->out->now_created = p->now->run->created;
    p->out->then_noise = disturbed(p->then);
    p->out->now_noise = disturbed(p->now);
    if (p->out->has_same_calls) code = add_costs(p);
    if (!code && p->out->has_same_calls) code = add_answers(p);
    if (!code) code = add_policies(p);
    return code ? code : add_run(p);
}

assay_code as_against_make(const as_facts *now, const as_facts *then, as_language language,
                           as_against **out, assay_error *err)
{
    pair p = {.now = now, .then = then, .err = err};
    *out = NULL;
    p.out = as_alloc(sizeof *p.out);
    if (p.out) *p.out = (as_against){.language = language, .arena = as_arena_new()};
    p.now_s = as_alloc_array(now->n_rounds + 1, sizeof *p.now_s);
    p.then_s = as_alloc_array(then->n_rounds + 1, sizeof *p.then_s);
    assay_code code =
        p.out && p.out->arena && p.now_s && p.then_s ? compare(&p) : no_memory(err);
    as_free(p.now_s);
    as_free(p.then_s);
    if (code)
        as_against_free(p.out);
    else
        *out = p.out;
    return code;
}

void as_against_free(as_against *against)
{
    if (!against) return;
    as_free(against->changes);
    as_arena_free(against->arena);
    as_free(against);
}
