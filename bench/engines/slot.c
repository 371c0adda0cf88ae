/* SPDX-License-Identifier: Apache-2.0 */
#include "slot.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/size.h"
#include "engine/engine.h"
#include "trial/memory_sample.h"
#include "verdict/statistics.h"

#define MOST_CALLS   1000
#define MOST_WARM_UP 20
#define SLOT_LIMIT_S 600

/* What a slot's process holds. */
typedef struct inside {
    as_policy policy;
    as_engine *engine; /* owns */
    float *own_input;  /* owns; used by an engine that lends no memory */
    float *x;
    as_shape4 shape;
    size_t n_floats;
    int64_t ns[MOST_CALLS];
    double load_ms, first_ms;
    size_t n_calls;
} inside;

assay_code bench_shape_parse(const char *text, size_t shape[4], assay_error *err)
{
    char rest;
    if (sscanf(text, "%zux%zux%zux%zu%c", &shape[0], &shape[1], &shape[2], &shape[3], &rest) ==
        4)
        for (int i = 0; i < 4; i++)
            if (shape[i] == 0 || shape[i] > 65536) text = "";
    if (strlen(text) >= 7 && strspn(text, "0123456789x") == strlen(text)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT, "a shape is four extents, as in 1x3x640x640");
}

/* Uniform in -2..2, about what a normalised image holds; the same each time. */
static void fill(float *data, size_t n)
{
    uint32_t state = 20260918;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U; /* Numerical Recipes' constants */
        data[i] = (float)(state >> 8) / (float)(1U << 22) - 2.0F;
    }
}

static void pin_to_first(size_t n)
{
    cpu_set_t mask, first;
    CPU_ZERO(&first);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE && (size_t)CPU_COUNT(&first) < n; cpu++)
        if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &first);
    sched_setaffinity(0, sizeof first, &first);
}

static assay_code prepare(inside *s, char *const argv[], assay_error *err)
{
    size_t e[4], threads = strtoul(argv[3], NULL, 10);
    pin_to_first(threads);
    assay_code code = bench_shape_parse(argv[2], e, err);
    if (!code) code = as_policy_parse(argv[0], &s->policy, err);
    if (code) return code;
    s->policy.threads = threads;
    s->shape = (as_shape4){e[0], e[1], e[2], e[3]};
    s->n_floats = e[0] * e[1] * e[2] * e[3];
    code = as_engine_start(&s->policy, &s->engine, err);
    if (!code) code = as_engine_input(s->engine, s->n_floats, &s->x, err);
    if (code) return code;
    if (!s->x) s->x = s->own_input = as_alloc_array(s->n_floats, sizeof *s->x);
    if (!s->x) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", argv[2]);
    fill(s->x, s->n_floats);
    return ASSAY_OK;
}

/* Resident bytes of the engine's process; its peak counts from here on. */
static int64_t begin_memory(pid_t process)
{
    char path[64];
    as_memory_sample now;
    as_memory_sample_take("", process, &now);
    snprintf(path, sizeof path, "/proc/%ld/clear_refs", (long)(process ? process : getpid()));
    FILE *file = fopen(path, "we");
    if (file) {
        fputs("5\n", file); /* proc(5): resets the peak resident set size */
        fclose(file);
    }
    return now.rss_bytes;
}

static assay_code measure(inside *s, const char *model, double seconds, assay_error *err)
{
    int64_t begin_ns = as_clock_ns();
    assay_code code = as_engine_load(s->engine, model, err);
    s->load_ms = (double)(as_clock_ns() - begin_ns) * 1e-6;
    if (!code) code = as_engine_time(s->engine, s->x, s->shape, 1, s->ns, err);
    s->first_ms = (double)s->ns[0] * 1e-6;
    if (!code) code = as_engine_time(s->engine, s->x, s->shape, 1, s->ns, err);
    if (code) return code;
    double fit = seconds * 1e9 / (double)s->ns[0];
    size_t warm = (size_t)(fit / 4 < MOST_WARM_UP ? fit / 4 : MOST_WARM_UP);
    s->n_calls = (size_t)(fit < 2 ? 2 : fit < MOST_CALLS ? fit : MOST_CALLS);
    if (warm) code = as_engine_time(s->engine, s->x, s->shape, warm, s->ns, err);
    return code ? code : as_engine_time(s->engine, s->x, s->shape, s->n_calls, s->ns, err);
}

/* An adapter's tensors are shared memory that its engine did not ask for. */
static int64_t shared_bytes(const inside *s, assay_error *err)
{
    const float *map;
    as_shape4 m = {0};
    if (!as_engine_process(s->engine)) return 0;
    if (as_engine_forward(s->engine, s->x, s->shape, &map, &m, err)) return 0;
    return (int64_t)((s->n_floats + m.n * m.c * m.h * m.w) * sizeof(float));
}

static json_t *result_json(const inside *s, int64_t peak_bytes)
{
    as_engine_facts facts;
    double ms[MOST_CALLS];
    as_engine_describe(s->engine, &facts);
    for (size_t i = 0; i < s->n_calls; i++)
        ms[i] = (double)s->ns[i] * 1e-6;
    as_sort(ms, s->n_calls);
    if (facts.threads != s->policy.threads)
        return json_pack("{s:s}", "error", "the engine holds another number of threads");
    return json_pack("{s:f, s:f, s:f, s:f, s:I, s:s, s:s}", "load_ms", s->load_ms, "first_ms",
                     s->first_ms, "median_ms", as_quantile_of_sorted(ms, s->n_calls, 0.5),
                     "peak_mib", (double)peak_bytes / 1048576.0, "n", (json_int_t)s->n_calls,
                     "version", facts.version, "flags", facts.flags);
}

int bench_slot_main(char *const argv[])
{
    static inside s;
    assay_error err = {0};
    json_t *result = NULL;
    assay_code code = prepare(&s, argv, &err);
    if (!code) {
        pid_t process = as_engine_process(s.engine);
        int64_t before = begin_memory(process);
        as_memory_sample after = {0};
        code = measure(&s, argv[1], strtod(argv[4], NULL), &err);
        if (!code) {
            as_memory_sample_take("", process, &after);
            int64_t tensors = shared_bytes(&s, &err);
            result = result_json(&s, after.peak_rss_bytes - before - tensors);
        }
    }
    if (!result) result = json_pack("{s:s}", "error", err.message);
    json_dumpf(result, stdout, JSON_COMPACT);
    json_decref(result);
    as_engine_close(s.engine);
    as_policy_free(&s.policy);
    as_free(s.own_input);
    return 0;
}

static assay_code take(const as_process_result *process, bench_result *out, assay_error *err)
{
    char how[128];
    assay_code code = ASSAY_OK;
    json_t *json = json_loads((const char *)process->out.data, 0, NULL);
    const char *error = json_string_value(json_object_get(json, "error"));
    as_process_describe(process, how, sizeof how);
    if (error)
        code = as_fail(err, ASSAY_E_CHILD, "%s", error);
    else if (!json)
        code = as_fail(err, ASSAY_E_CHILD, "its process told nothing: %s", how);
    if (!code) {
        out->load_ms = json_number_value(json_object_get(json, "load_ms"));
        out->first_ms = json_number_value(json_object_get(json, "first_ms"));
        out->median_ms = json_number_value(json_object_get(json, "median_ms"));
        out->peak_mib = json_number_value(json_object_get(json, "peak_mib"));
        out->n_calls = (size_t)json_integer_value(json_object_get(json, "n"));
        snprintf(out->version, sizeof out->version, "%s",
                 json_string_value(json_object_get(json, "version")));
        snprintf(out->flags, sizeof out->flags, "%s",
                 json_string_value(json_object_get(json, "flags")));
    }
    json_decref(json);
    return code;
}

assay_code bench_slot_run(const bench_slot *slot, bench_result *out, assay_error *err)
{
    char shape[64], threads[24], seconds[32];
    as_process_result result = {0};
    snprintf(shape, sizeof shape, "%zux%zux%zux%zu", slot->shape[0], slot->shape[1],
             slot->shape[2], slot->shape[3]);
    snprintf(threads, sizeof threads, "%zu", slot->threads);
    snprintf(seconds, sizeof seconds, "%.3f", slot->seconds);
    as_process_options options = as_process_defaults((const char *[]){
        "/proc/self/exe", "--slot", slot->policy, slot->model, shape, threads, seconds, NULL});
    options.err = (as_stream){.kind = AS_STREAM_NULL};
    options.wall_s = SLOT_LIMIT_S;
    assay_code code = as_process_run(&options, &result, err);
    if (!code) code = take(&result, out, err);
    as_process_result_free(&result);
    return code;
}
