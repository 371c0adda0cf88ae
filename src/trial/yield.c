/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/yield.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/size.h"
#include "base/trace.h"
#include "trial/protocol.h"

/* A growing array of rows; `items` is owned. */
typedef struct rows {
    void *items;
    size_t n, room;
} rows;

/* What rows are gathered of. */
enum { SAMPLES, ANSWERS, CLEANUPS, MEMORY, ENGINES, PASSES, NOISE, PROFILES, MARGINS, N_LISTS };

struct as_yield {
    const as_job *job;  /* borrows */
    as_arena *arena;    /* owns: strings, shapes, boxes */
    size_t n_documents; /* one more than the greatest index in the job */
    bool is_loaded, has_ended, has_error;
    size_t n_calls;  /* told so far */
    size_t n_traces; /* likewise */
    double load_s, cleanup_s;
    as_slot_row counts;  /* what "end" told */
    int64_t n_bad_clock; /* of the calls told so far */
    bool has_noise;
    as_noise noise; /* also when its row has been passed on */
    rows lists[N_LISTS];
};

as_yield *as_yield_new(const as_job *job)
{
    as_yield *yield = as_alloc(sizeof *yield);
    if (!yield) return NULL;
    yield->job = job;
    for (size_t i = 0; i < job->n_calls; i++)
        yield->n_documents = as_max(yield->n_documents, (size_t)job->calls[i].document + 1);
    yield->arena = as_arena_new();
    if (yield->arena) return yield;
    as_free(yield);
    return NULL;
}

void as_yield_free(as_yield *yield)
{
    if (!yield) return;
    for (size_t i = 0; i < N_LISTS; i++)
        as_free(yield->lists[i].items);
    as_arena_free(yield->arena);
    as_free(yield);
}

size_t as_yield_rows(const as_yield *yield)
{
    size_t n = 0;
    for (size_t i = 0; i < N_LISTS; i++)
        n += yield->lists[i].n;
    return n;
}

void as_yield_forget(as_yield *yield)
{
    for (size_t i = 0; i < N_LISTS; i++)
        yield->lists[i].n = 0;
    as_arena_clear(yield->arena);
}

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for what a worker tells");
}

static assay_code not_allowed(const char *what, assay_error *err)
{
    return as_fail(err, ASSAY_E_CHILD, "the worker told %s", what);
}

static assay_code add(rows *list, const void *row, size_t row_bytes, assay_error *err)
{
    void *items = as_grow(list->items, list->n, &list->room, row_bytes);
    if (!items) return no_memory(err);
    list->items = items;
    memcpy((char *)items + list->n++ * row_bytes, row, row_bytes);
    return ASSAY_OK;
}

/* A whole number in -1..most; INT_MIN where there is none. */
static int small(const json_t *object, const char *key, int64_t most)
{
    int64_t value = as_json_member_integer(object, key);
    return value >= -1 && value <= most ? (int)value : INT_MIN;
}

static bool is_index(int64_t value, size_t n) { return value >= 0 && value < (int64_t)n; }

/* The object at "engine" as a row of the moment. */
static assay_code add_engine(as_yield *yield, const json_t *event, const char *moment,
                             assay_error *err)
{
    const json_t *facts = json_object_get(event, "engine");
    if (!json_is_object(facts)) return not_allowed("nothing of its engine", err);
    char *dump = as_json_dump(facts, JSON_COMPACT);
    as_engine_row row = {.moment = moment,
                         .json = dump ? as_arena_strdup(yield->arena, dump) : NULL};
    as_free(dump);
    return row.json ? add(&yield->lists[ENGINES], &row, sizeof row, err) : no_memory(err);
}

static assay_code take_loaded(as_yield *yield, const json_t *event, assay_error *err)
{
    int64_t load_ns = as_json_member_integer(event, "load_ns");
    if (yield->is_loaded || load_ns < 0)
        return not_allowed("of loading twice or without a time", err);
    yield->is_loaded = true;
    yield->load_s = (double)load_ns * 1e-9;
    assay_code code = add_engine(yield, event, "start", err);
    size_t at;
    const json_t *pass;
    json_array_foreach(json_object_get(event, "passes"), at, pass)
    {
        as_pass_row row = {
            .name = as_arena_strdup(yield->arena, as_json_member_text(pass, "name")),
            .nodes_before = small(pass, "nodes_before", INT_MAX - 1),
            .nodes_after = small(pass, "nodes_after", INT_MAX - 1),
            .seconds = as_json_member_number(pass, "seconds"),
            .kinds_before =
                as_arena_strdup(yield->arena, as_json_member_text(pass, "kinds_before")),
            .kinds_after =
                as_arena_strdup(yield->arena, as_json_member_text(pass, "kinds_after"))};
        if (code) break;
        if (!row.name || !row.kinds_before || !row.kinds_after) return no_memory(err);
        code = isnan(row.seconds) || row.nodes_before < 0 || row.nodes_after < 0
                   ? not_allowed("a pass without its time or nodes", err)
                   : add(&yield->lists[PASSES], &row, sizeof row, err);
    }
    return code;
}

/* The evidence's index of the call that the event names, or -1 of none. */
static int call_index(const as_yield *yield, const json_t *event)
{
    int call = small(event, "call", (int64_t)yield->job->n_calls - 1);
    return call < 0 ? call : yield->job->first_call + call;
}

static assay_code take_memory(as_yield *yield, const json_t *event, assay_error *err)
{
    as_memory_row row = {
        .when = as_arena_strdup(yield->arena, as_json_member_text(event, "when")),
        .cycle = small(event, "cycle", yield->job->n_cycles - 1),
        .document = small(event, "document", (int64_t)yield->n_documents - 1),
        .call = call_index(yield, event),
        .process = as_arena_strdup(yield->arena, as_json_member_text(event, "process")),
        .rss_bytes = as_json_member_integer(event, "rss"),
        .pss_bytes = as_json_member_integer(event, "pss"),
        .uss_bytes = as_json_member_integer(event, "uss"),
        .peak_rss_bytes = as_json_member_integer(event, "peak_rss"),
        .swap_used_bytes = as_json_member_integer(event, "swap")};
    if (!row.when || !row.process) return no_memory(err);
    if (row.rss_bytes < -1 || row.pss_bytes < -1 || row.uss_bytes < -1 ||
        row.peak_rss_bytes < -1 || row.swap_used_bytes < -1 || row.cycle < -1 ||
        row.document < -1 || row.call < -1)
        return not_allowed("a memory sample that is none", err);
    return add(&yield->lists[MEMORY], &row, sizeof row, err);
}

static bool take_shape(const json_t *json, as_evidence_shape *out)
{
    size_t *extents[4] = {&out->n, &out->c, &out->h, &out->w};
    for (size_t i = 0; i < 4; i++) {
        json_int_t value = json_integer_value(json_array_get(json, i));
        if (value <= 0 || value > INT_MAX) return false;
        *extents[i] = (size_t)value;
    }
    return json_array_size(json) == 4;
}

static assay_code take_pieces(as_yield *yield, const json_t *json, as_sample_row *row,
                              assay_error *err)
{
    size_t n = json_array_size(json), n_inputs = 0;
    as_evidence_shape *pieces = as_arena_array(yield->arena, n + 1, sizeof *pieces);
    if (!pieces) return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (!take_shape(json_array_get(json, i), &pieces[i]))
            return not_allowed("a piece that has no shape", err);
        n_inputs += pieces[i].n;
    }
    if (n_inputs != row->shape.n)
        return as_fail(err, ASSAY_E_CHILD,
                       "the worker told pieces of %zu inputs, the call has %zu", n_inputs,
                       row->shape.n);
    row->pieces = pieces;
    row->n_pieces = n;
    return ASSAY_OK;
}

static bool take_box(const json_t *json, as_evidence_box *box)
{
    if (json_array_size(json) != 9) return false;
    for (size_t i = 0; i < 8; i++) {
        const json_t *value = json_array_get(json, i);
        json_int_t place = json_integer_value(value);
        if (!json_is_integer(value) || place < INT32_MIN || place > INT32_MAX) return false;
        box->corners[i / 2][i % 2] = (int32_t)place;
    }
    return as_json_take_number(json_array_get(json, 8), &box->score);
}

static assay_code take_answer(as_yield *yield, const json_t *json, int cycle, int input,
                              assay_error *err)
{
    size_t n = json_array_size(json);
    as_evidence_box *boxes = as_arena_array(yield->arena, n + 1, sizeof *boxes);
    if (!boxes) return no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!take_box(json_array_get(json, i), &boxes[i]))
            return not_allowed("a box that is none", err);
    as_slot_answer answer = {.cycle = cycle, .input = input, .boxes = boxes, .n = n};
    return add(&yield->lists[ANSWERS], &answer, sizeof answer, err);
}

/* The hash of an input's outputs, which are a file by now. */
static assay_code take_output(as_yield *yield, const json_t *json, int cycle, int input,
                              assay_error *err)
{
    const char *hex = json_string_value(json);
    if (!hex || !as_sha256_is_hex(hex)) return not_allowed("outputs without their hash", err);
    as_slot_answer answer = {
        .cycle = cycle, .input = input, .output = as_arena_strdup(yield->arena, hex)};
    return answer.output ? add(&yield->lists[ANSWERS], &answer, sizeof answer, err)
                         : no_memory(err);
}

/* Where the next call has to stand: cycles over the job's calls. */
static assay_code check_place(const as_yield *yield, int64_t cycle, int64_t call,
                              assay_error *err)
{
    size_t n = yield->job->n_calls, next = yield->n_calls;
    if (!yield->is_loaded) return not_allowed("of a call before it loaded the model", err);
    if (next >= n * (size_t)yield->job->n_cycles)
        return not_allowed("of more calls than its job has", err);
    if (cycle == (int64_t)(next / n) && call == (int64_t)(next % n)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_CHILD,
                   "the worker told of call %lld of cycle %lld where %zu of %zu has its turn",
                   (long long)call, (long long)cycle, next % n, next / n);
}

static bool take_clock(const json_t *event, as_clock_fault *out)
{
    for (int fault = AS_CLOCK_GOOD; fault <= AS_CLOCK_DISAGREES; fault++)
        if (strcmp(as_json_member_text(event, "clock"),
                   as_clock_fault_name((as_clock_fault)fault)) == 0) {
            *out = (as_clock_fault)fault;
            return true;
        }
    return false;
}

/* A time may be negative only of a call whose clock the worker has found broken. */
static assay_code take_times(const json_t *json, as_sample_row *row, assay_error *err)
{
    int64_t *times[4] = {&row->preprocess_ns, &row->forward_ns, &row->transfer_ns,
                         &row->postprocess_ns};
    for (size_t i = 0; i < 4; i++) {
        const json_t *value = json_array_get(json, i);
        *times[i] = (int64_t)json_integer_value(value);
        if (!json_is_integer(value) || (*times[i] < 0 && row->clock == AS_CLOCK_GOOD))
            return not_allowed("a time that is missing or negative", err);
        if (*times[i] < 0) *times[i] = -1;
    }
    return ASSAY_OK;
}

static assay_code check_call(const as_call_row *expected, const as_sample_row *row,
                             const json_t *answers, assay_error *err)
{
    if (memcmp(&row->shape, &expected->shape, sizeof row->shape) != 0)
        return as_fail(err, ASSAY_E_CHILD,
                       "the worker saw call %s as %zux%zux%zux%zu, it is %zux%zux%zux%zu",
                       expected->id, row->shape.n, row->shape.c, row->shape.h, row->shape.w,
                       expected->shape.n, expected->shape.c, expected->shape.h,
                       expected->shape.w);
    if (json_array_size(answers) != expected->shape.n)
        return as_fail(err, ASSAY_E_CHILD, "the worker answered %zu of call %s's %zu inputs",
                       json_array_size(answers), expected->id, expected->shape.n);
    return ASSAY_OK;
}

static assay_code take_call(as_yield *yield, const json_t *event, assay_error *err)
{
    int64_t cycle = as_json_member_integer(event, "cycle"),
            call = as_json_member_integer(event, "call");
    bool has_outputs = yield->job->keeps_outputs;
    const json_t *answers = json_object_get(event, has_outputs ? "outputs" : "boxes");
    assay_code code = check_place(yield, cycle, call, err);
    if (code) return code;
    const as_call_row *expected = &yield->job->calls[call];
    as_sample_row row = {.cycle = (int)cycle,
                         .call = yield->job->first_call + (int)call,
                         .map_sha256 =
                             as_arena_strdup(yield->arena, as_json_member_text(event, "map")),
                         .n_not_finite = as_json_member_integer(event, "not_finite")};
    if (!row.map_sha256) return no_memory(err);
    if (!as_sha256_is_hex(row.map_sha256) || row.n_not_finite < 0 ||
        !take_clock(event, &row.clock) ||
        !take_shape(json_object_get(event, "shape"), &row.shape))
        return not_allowed("a call without shape, hash, clock or count", err);
    code = check_call(expected, &row, answers, err);
    if (!code) code = take_pieces(yield, json_object_get(event, "pieces"), &row, err);
    if (!code) code = take_times(json_object_get(event, "ns"), &row, err);
    if (!code) code = add(&yield->lists[SAMPLES], &row, sizeof row, err);
    for (size_t i = 0; i < expected->shape.n && !code; i++)
        code = (has_outputs ? take_output : take_answer)(yield, json_array_get(answers, i),
                                                         (int)cycle, expected->inputs[i], err);
    if (code) return code;
    yield->n_calls++;
    yield->n_bad_clock += row.clock != AS_CLOCK_GOOD;
    return ASSAY_OK;
}

/* Of a traced job: behind each call what it consisted of. */
static assay_code take_trace(as_yield *yield, const json_t *event, assay_error *err)
{
    const json_t *told = json_object_get(event, "trace");
    as_trace *trace;
    if (!yield->job->is_traced || yield->n_traces + 1 != yield->n_calls)
        return not_allowed("a trace that it was not asked for", err);
    assay_code code = as_trace_parse(told, &trace, err);
    if (code) return code == ASSAY_E_FORMAT ? not_allowed("a trace that is none", err) : code;
    as_trace_free(trace);
    char *dump = as_json_dump(told, JSON_COMPACT);
    as_profile_row row = {.call = call_index(yield, event),
                          .trace = dump ? as_arena_strdup(yield->arena, dump) : NULL};
    as_free(dump);
    if (!row.trace) return no_memory(err);
    if (row.call < 0) return not_allowed("a trace of no call", err);
    yield->n_traces++;
    return add(&yield->lists[PROFILES], &row, sizeof row, err);
}

static double number_or_nan(const json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

static assay_code take_margin(as_yield *yield, const json_t *json, int input, assay_error *err)
{
    const json_t *box = json_array_get(json, 0);
    as_margin_row row = {.input = input,
                         .box = (int64_t)json_integer_value(box),
                         .pixel = number_or_nan(json_array_get(json, 1)),
                         .score = number_or_nan(json_array_get(json, 2))};
    if (!json_is_integer(box) || json_array_size(json) != 3 || row.box < -2)
        return not_allowed("a margin that is none", err);
    return add(&yield->lists[MARGINS], &row, sizeof row, err);
}

static assay_code take_margins(as_yield *yield, const json_t *event, assay_error *err)
{
    int64_t call = as_json_member_integer(event, "call");
    const json_t *inputs = json_object_get(event, "inputs"), *margin;
    if (!yield->job->tells_margins || !is_index(call, yield->job->n_calls) ||
        json_array_size(inputs) != yield->job->calls[call].shape.n)
        return not_allowed("margins of no call", err);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < yield->job->calls[call].shape.n && yield->job->keeps_margins; i++) {
        size_t at;
        json_array_foreach(json_array_get(inputs, i), at, margin)
        {
            code = take_margin(yield, margin, yield->job->calls[call].inputs[i], err);
            if (code) return code;
        }
    }
    return code;
}

static assay_code take_cleanup(as_yield *yield, const json_t *event, assay_error *err)
{
    int64_t elapsed_ns = as_json_member_integer(event, "ns"),
            cycle = as_json_member_integer(event, "cycle");
    as_cleanup_row row = {.cycle = (int)cycle,
                          .document = small(event, "document", INT_MAX - 1),
                          .seconds = (double)elapsed_ns * 1e-9};
    if (elapsed_ns < 0 || !is_index(cycle, (size_t)yield->job->n_cycles) ||
        !is_index(row.document, yield->n_documents))
        return not_allowed("a cleanup that is none", err);
    yield->cleanup_s += row.seconds;
    return add(&yield->lists[CLEANUPS], &row, sizeof row, err);
}

static assay_code take_noise(as_yield *yield, const json_t *event, assay_error *err)
{
    as_noise_row row = {.noise = as_protocol_take_noise(event),
                        .n_bad_clock = yield->n_bad_clock};
    const as_noise *n = &row.noise;
    const int64_t counts[] = {n->steal_ticks,  n->total_ticks,     n->n_throttled,
                              n->major_faults, n->switches_wanted, n->switches_forced,
                              n->cycles,       n->instructions};
    for (size_t i = 0; i < AS_COUNT_OF(counts); i++)
        if (counts[i] < -1) return not_allowed("noise without its counts", err);
    yield->has_noise = true;
    yield->noise = row.noise;
    return add(&yield->lists[NOISE], &row, sizeof row, err);
}

static assay_code take_end(as_yield *yield, const json_t *event, assay_error *err)
{
    const json_t *facts = json_object_get(event, "engine");
    if (yield->n_calls != yield->job->n_calls * (size_t)yield->job->n_cycles)
        return as_fail(err, ASSAY_E_CHILD, "the worker ended after %zu of %zu calls",
                       yield->n_calls, yield->job->n_calls * (size_t)yield->job->n_cycles);
    if (yield->job->is_traced && yield->n_traces != yield->n_calls)
        return not_allowed("an end before its trace", err);
    yield->has_ended = true;
    yield->cleanup_s += (double)as_json_member_integer(event, "close_ns") * 1e-9;
    yield->counts =
        (as_slot_row){.user_s = as_json_member_number(event, "user_s"),
                      .system_s = as_json_member_number(event, "system_s"),
                      .n_loads = as_json_member_integer(facts, "n_loads"),
                      .n_forwards = as_json_member_integer(facts, "n_forwards"),
                      .major_faults = as_json_member_integer(event, "major_faults"),
                      .switches_wanted = as_json_member_integer(event, "switches_wanted"),
                      .switches_forced = as_json_member_integer(event, "switches_forced")};
    if (yield->counts.n_loads != 1)
        return as_fail(err, ASSAY_E_CHILD,
                       "the worker loaded the model %lld times, once is needed",
                       (long long)yield->counts.n_loads);
    const as_slot_row *counts = &yield->counts;
    if (counts->n_forwards < 0 || as_json_member_integer(event, "close_ns") < 0 ||
        counts->major_faults < 0 || counts->switches_wanted < 0 || counts->switches_forced < 0)
        return not_allowed("an end without its counts", err);
    return add_engine(yield, event, "exit", err);
}

/* The worker's own error, with the code that it names. */
static assay_code take_error(as_yield *yield, const json_t *event, assay_error *err)
{
    yield->has_error = true;
    if (!as_json_member_text(event, "message")[0])
        return not_allowed("an error without a sentence", err);
    for (int code = 1; code <= ASSAY_E_INTERRUPTED; code++)
        if (strcmp(assay_code_name((assay_code)code), as_json_member_text(event, "code")) == 0)
            return as_fail(err, (assay_code)code, "%s", as_json_member_text(event, "message"));
    return not_allowed("an error without a known code", err);
}

assay_code as_yield_take(as_yield *yield, const char *line, assay_error *err)
{
    json_t *event;
    assay_code code = as_json_parse(line, strlen(line), 0, &event, err);
    if (code == ASSAY_E_MEMORY) return code;
    const char *kind = as_json_member_text(event, "event");
    if (yield->has_ended)
        code = not_allowed("more after its end", err);
    else if (strcmp(kind, "loaded") == 0)
        code = take_loaded(yield, event, err);
    else if (strcmp(kind, "memory") == 0)
        code = take_memory(yield, event, err);
    else if (strcmp(kind, "call") == 0)
        code = take_call(yield, event, err);
    else if (strcmp(kind, "trace") == 0)
        code = take_trace(yield, event, err);
    else if (strcmp(kind, "margins") == 0)
        code = take_margins(yield, event, err);
    else if (strcmp(kind, "cleanup") == 0)
        code = take_cleanup(yield, event, err);
    else if (strcmp(kind, "noise") == 0)
        code = take_noise(yield, event, err);
    else if (strcmp(kind, "end") == 0)
        code = take_end(yield, event, err);
    else if (strcmp(kind, "error") == 0)
        code = take_error(yield, event, err);
    else
        code = as_fail(err, ASSAY_E_CHILD, "the worker wrote '%.60s', which is no event", line);
    json_decref(event);
    return code;
}

size_t as_yield_calls(const as_yield *yield) { return yield->n_calls; }

bool as_yield_noise(const as_yield *yield, as_noise *out)
{
    *out = yield->noise;
    return yield->has_noise;
}

int64_t as_yield_bad_clocks(const as_yield *yield) { return yield->n_bad_clock; }

bool as_yield_has_error(const as_yield *yield) { return yield->has_error; }

bool as_yield_is_whole(const as_yield *yield) { return yield->has_ended; }

void as_yield_record(const as_yield *yield, as_slot_record *record)
{
    as_slot_row *slot = &record->slot;
    slot->load_s = yield->is_loaded ? yield->load_s : NAN;
    slot->cleanup_s = yield->cleanup_s;
    slot->user_s = yield->has_ended ? yield->counts.user_s : NAN;
    slot->system_s = yield->has_ended ? yield->counts.system_s : NAN;
    slot->n_loads = yield->counts.n_loads;
    slot->n_forwards = yield->counts.n_forwards;
    slot->major_faults = yield->counts.major_faults;
    slot->switches_wanted = yield->counts.switches_wanted;
    slot->switches_forced = yield->counts.switches_forced;
    slot->n_calls = (int64_t)yield->n_calls;
    record->samples = yield->lists[SAMPLES].items;
    record->n_samples = yield->lists[SAMPLES].n;
    record->answers = yield->lists[ANSWERS].items;
    record->n_answers = yield->lists[ANSWERS].n;
    record->cleanups = yield->lists[CLEANUPS].items;
    record->n_cleanups = yield->lists[CLEANUPS].n;
    record->memory = yield->lists[MEMORY].items;
    record->n_memory = yield->lists[MEMORY].n;
    record->engines = yield->lists[ENGINES].items;
    record->n_engines = yield->lists[ENGINES].n;
    record->passes = yield->lists[PASSES].items;
    record->n_passes = yield->lists[PASSES].n;
    record->margins = yield->lists[MARGINS].items;
    record->n_margins = yield->lists[MARGINS].n;
    record->noise = yield->lists[NOISE].items;
    record->n_noise = yield->lists[NOISE].n;
    record->profiles = yield->lists[PROFILES].items;
    record->n_profiles = yield->lists[PROFILES].n;
}
