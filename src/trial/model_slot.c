/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/model_slot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "base/size.h"
#include "trial/noise_meter.h"
#include "trial/protocol.h"
#include "verdict/statistics.h"

/* Engines that are Python programs load for seconds; 630 calls of what a slot is for take one. */
static const double slot_limit_s = 300;

as_latency_protocol as_latency_protocol_default(void)
{
    return (as_latency_protocol){
        .n_warm_up = 30, .n_rounds = 3, .n_repeats = 200, .seed = 20260918};
}

/* One network that is loaded. */
typedef struct bench {
    as_engine *engine; /* owns */
    const float *x;    /* borrows the input that all share */
    as_shape4 shape;
    int64_t *ns; /* borrows int64 ns[room] */
} bench;

static assay_code check_stop(const as_latency_models *models, assay_error *err)
{
    if (!models->stop || !models->stop(models->stop_context)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_INTERRUPTED, "stopped while latencies were measured");
}

/* A new tensor, uniform in 0..1. */
static assay_code make_input(as_shape4 shape, uint64_t seed, float **out, assay_error *err)
{
    size_t n = 0;
    *out = NULL;
    if (as_mul(shape.n, shape.c, &n) && as_mul(n, shape.h, &n) && as_mul(n, shape.w, &n))
        *out = as_alloc_array(n, sizeof **out);
    if (!*out) return as_fail(err, ASSAY_E_MEMORY, "no memory for an input");
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (float)ldexp((double)(as_random_next(&seed) >> 40), -24);
    return ASSAY_OK;
}

/* `n` calls; us NULL: they are not kept. */
static assay_code call(const bench *b, size_t n, double *us, assay_error *err)
{
    assay_code code = as_engine_time(b->engine, b->x, b->shape, n, b->ns, err);
    for (size_t i = 0; !code && us && i < n; i++)
        us[i] = 1e-3 * (double)b->ns[i];
    return code;
}

static assay_code warm_up(const bench *b, size_t n, assay_error *err)
{
    return n ? call(b, n, NULL, err) : ASSAY_OK;
}

/* ---- Several in this process ---- */

typedef struct benches {
    const as_latency_models *models;
    as_policy policy;
    bench *items;
    size_t *order;
    float *x;
    int64_t *ns;
} benches;

static assay_code open_all(benches *b, const as_latency_protocol *p, assay_error *err)
{
    const as_latency_models *models = b->models;
    const size_t room = p->n_warm_up > p->n_repeats ? p->n_warm_up : p->n_repeats;
    assay_code code = as_policy_parse(models->policy, &b->policy, err);
    if (!code) code = make_input(models->shape, p->seed, &b->x, err);
    if (code) return code;
    b->items = as_alloc_array(models->n + 1, sizeof *b->items);
    b->order = as_alloc_array(models->n + 1, sizeof *b->order);
    b->ns = as_alloc_array(room + 1, sizeof *b->ns);
    if (!b->items || !b->order || !b->ns)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu networks", models->n);
    for (size_t i = 0; i < models->n && !code; i++) {
        b->order[i] = i;
        b->items[i] = (bench){.x = b->x, .shape = models->shape, .ns = b->ns};
        code = as_engine_open(&b->policy, models->paths[i], &b->items[i].engine, err);
        if (!code) code = warm_up(&b->items[i], p->n_warm_up, err);
        if (!code) code = check_stop(models, err);
    }
    return code;
}

static void close_all(benches *b)
{
    for (size_t i = 0; b->items && i < b->models->n; i++)
        as_engine_close(b->items[i].engine);
    as_policy_free(&b->policy);
    as_free(b->items);
    as_free(b->order);
    as_free(b->x);
    as_free(b->ns);
}

assay_code as_models_measure(const as_latency_models *models, const as_latency_protocol *p,
                             double *us, assay_error *err)
{
    benches b = {.models = models};
    uint64_t random = p->seed;
    assay_code code = open_all(&b, p, err);
    for (size_t round = 0; round < p->n_rounds && !code; round++) {
        as_random_shuffle(b.order, models->n, &random);
        for (size_t i = 0; i < models->n && !code; i++) {
            const size_t k = b.order[i];
            code = call(&b.items[k], p->n_repeats,
                        us + (k * p->n_rounds + round) * p->n_repeats, err);
            if (!code) code = check_stop(models, err);
        }
    }
    close_all(&b);
    return code;
}

/* ---- One in a fresh process: inside ---- */

static size_t whole(const json_t *job, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(job, key));
    return value > 0 ? (size_t)value : 0;
}

static assay_code tell(FILE *out, const as_engine *engine, const double *us, size_t n,
                       assay_error *err)
{
    as_engine_facts facts;
    as_summary all;
    as_engine_describe(engine, &facts);
    assay_code code = as_summary_of(us, n, &all, err);
    json_t *line = code ? NULL
                        : json_pack("{s:f s:f s:s s:s s:I}", "median_us", all.median,
                                    "least_us", all.least, "engine", facts.engine, "version",
                                    facts.version, "threads", (json_int_t)facts.threads);
    char *text = line ? as_json_dump(line, JSON_COMPACT) : NULL;
    if (text && fprintf(out, "%s\n", text) < 0)
        code = as_fail(err, ASSAY_E_IO, "nobody reads the latencies");
    else if (!text && !code)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to tell latencies");
    as_free(text);
    json_decref(line);
    return code;
}

/* What a job asks for; borrows it. */
static assay_code read_job(const json_t *job, as_latency_models *models, as_latency_protocol *p,
                           assay_error *err)
{
    json_t *shape = json_object_get(job, "shape");
    size_t extents[4] = {0};
    for (size_t i = 0; i < 4; i++)
        extents[i] = (size_t)json_integer_value(json_array_get(shape, i));
    models->policy = json_string_value(json_object_get(job, "policy"));
    models->shape = (as_shape4){extents[0], extents[1], extents[2], extents[3]};
    *p = (as_latency_protocol){.n_warm_up = whole(job, "warm_up"),
                               .n_rounds = whole(job, "rounds"),
                               .n_repeats = whole(job, "repeats"),
                               .seed = whole(job, "seed")};
    size_t n = 0;
    if (models->policy && as_mul(p->n_rounds, p->n_repeats, &n) && n > 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_FORMAT,
                   "a job of latencies needs a policy, rounds and repeats");
}

static assay_code measure_alone(benches *b, const as_latency_protocol *p, FILE *out,
                                assay_error *err)
{
    const size_t n = p->n_rounds * p->n_repeats;
    as_noise_meter *meter = NULL;
    as_noise noise;
    double *us = as_alloc_array(n, sizeof *us);
    assay_code code =
        us ? open_all(b, p, err) : as_fail(err, ASSAY_E_MEMORY, "no memory for %zu calls", n);
    if (!code) code = as_noise_meter_new("", &meter, err);
    if (!code) {
        as_noise_meter_begin(meter, as_engine_process(b->items[0].engine));
        for (size_t round = 0; round < p->n_rounds && !code; round++)
            code = call(&b->items[0], p->n_repeats, us + round * p->n_repeats, err);
        as_noise_meter_end(meter, &noise);
    }
    if (!code) code = tell(out, b->items[0].engine, us, n, err);
    if (!code) code = as_protocol_noise(out, &noise, err);
    as_noise_meter_free(meter);
    close_all(b);
    as_free(us);
    return code;
}

assay_code as_model_slot_main(const char *model_path, const char *job, FILE *out,
                              assay_error *err)
{
    assay_error why = {0};
    as_latency_models models = {.paths = &model_path, .n = 1};
    as_latency_protocol protocol;
    benches b = {.models = &models};
    json_t *root = NULL;
    assay_code code = as_json_parse(job, strlen(job), 0, &root, &why);
    if (!code) code = read_job(root, &models, &protocol, &why);
    if (!code) code = measure_alone(&b, &protocol, out, &why);
    if (code) as_protocol_error(out, &why);
    if (code && err) *err = why;
    json_decref(root);
    return code;
}

/* ---- One in a fresh process: outside ---- */

static char *print_job(const as_latency_models *models, const as_latency_protocol *p)
{
    const as_shape4 s = models->shape;
    json_t *job =
        json_pack("{s:s s:[IIII] s:I s:I s:I s:I}", "policy", models->policy, "shape",
                  (json_int_t)s.n, (json_int_t)s.c, (json_int_t)s.h, (json_int_t)s.w, "warm_up",
                  (json_int_t)p->n_warm_up, "rounds", (json_int_t)p->n_rounds, "repeats",
                  (json_int_t)p->n_repeats, "seed", (json_int_t)(p->seed & INT64_MAX));
    char *text = job ? as_json_dump(job, JSON_COMPACT) : NULL;
    json_decref(job);
    return text;
}

/* The failure that the process told, by its code. */
static assay_code told_error(const json_t *event, assay_error *err)
{
    for (int code = 1; code <= ASSAY_E_INTERRUPTED; code++)
        if (strcmp(assay_code_name((assay_code)code), as_json_member_text(event, "code")) == 0)
            return as_fail(err, (assay_code)code, "%s", as_json_member_text(event, "message"));
    return as_fail(err, ASSAY_E_CHILD,
                   "a network's process told an error without a known code");
}

static void take_times(const json_t *times, const json_t *noise, as_model_slot *out)
{
    out->median_us = as_json_member_number(times, "median_us");
    out->least_us = as_json_member_number(times, "least_us");
    out->threads = whole(times, "threads");
    snprintf(out->engine, sizeof out->engine, "%s", as_json_member_text(times, "engine"));
    snprintf(out->version, sizeof out->version, "%s", as_json_member_text(times, "version"));
    out->noise = as_protocol_take_noise(noise);
}

/* The line of times and that of noise, or the one of an error, that the process printed. */
static assay_code take(const char *text, as_model_slot *out, assay_error *err)
{
    const char *second = strchr(text, '\n');
    const size_t n_first = second ? (size_t)(second - text) : strlen(text);
    json_t *times = NULL, *noise = NULL;
    assay_code code = as_json_parse(text, n_first, 0, &times, NULL);
    const bool is_error = !code && as_json_member_text(times, "event")[0];
    if (!code && !is_error && second)
        code = as_json_parse(second, strlen(second), 0, &noise, NULL);
    if (!code && noise) take_times(times, noise, out);
    if (code == ASSAY_E_MEMORY)
        as_fail(err, code, "no memory for a network's times");
    else if (is_error)
        code = told_error(times, err);
    else if (code || !(out->median_us > 0))
        code = as_fail(err, ASSAY_E_CHILD, "a network's process told no time: %.80s", text);
    json_decref(times);
    json_decref(noise);
    return code;
}

/* What the process printed, or how it ended instead. */
static assay_code take_result(const as_process_result *result, as_model_slot *out,
                              assay_error *err)
{
    char how[128];
    if (result->end == AS_PROCESS_EXITED && result->out.size > 0)
        return take((const char *)result->out.data, out, err);
    as_process_describe(result, how, sizeof how);
    return as_fail(err, ASSAY_E_CHILD, "a network's process broke, %s: %.120s", how,
                   result->err.data ? (const char *)result->err.data : "");
}

assay_code as_model_slot_run(const as_latency_models *models, size_t which,
                             const as_latency_protocol *protocol, const char *const *argv,
                             as_model_slot *out, assay_error *err)
{
    static const char *const own[] = {"/proc/self/exe", "worker", NULL};
    const char *words[10] = {0};
    as_process_result result = {0};
    size_t n = 0;
    *out = (as_model_slot){0};
    char *job = print_job(models, protocol);
    if (!job) return as_fail(err, ASSAY_E_MEMORY, "no memory to start a network's process");
    for (argv = argv ? argv : own; argv[n] && n < 5; n++)
        words[n] = argv[n];
    words[n++] = "--model";
    words[n++] = models->paths[which];
    words[n++] = "--latency";
    words[n] = job;
    as_process_options options = as_process_defaults(words);
    options.wall_s = slot_limit_s;
    options.stop = models->stop;
    options.stop_context = models->stop_context;
    assay_code code = as_process_run(&options, &result, err);
    if (!code) code = take_result(&result, out, err);
    out->total_s = result.wall_s;
    as_process_result_free(&result);
    as_free(job);
    return code;
}
