/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine in another process: an adapter that only loads a model and forwards float32 tensors in
 * shared memory.  The lines that are spoken are described, for who writes one, in
 * docs/engine-protocol.md; an adapter is believed nothing that can be checked here.
 */
#include "base/process.h"

#include <inttypes.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/threads.h"
#include "engine/adapter.h"
#include "engine/backend.h"
#include "engine/shared.h"

#define PROTOCOL_VERSION 1
#define LARGEST_REPEAT   100000
#define LARGEST_EXTENT   ((size_t)1 << 31)

/* Nothing that an adapter is asked takes longer: a batch of 16 large regions forwards in seconds,
 * a model converts in less than one.  ASSAY_ADAPTER_SECONDS sets another limit. */
static const double default_reply_s = 300;
static const double quit_s = 10;

typedef struct process_engine {
    char *name;              /* owns; the policy's engine */
    as_process *child;       /* owns; NULL once it is gone */
    as_shared input, output; /* tensors */
    size_t threads;          /* asked for */
    char version[64];
    bool can_trace;  /* it says that it tells operators */
    as_trace *trace; /* borrows; NULL: none is asked for */
} process_engine;

static double reply_limit(void)
{
    const char *text = getenv("ASSAY_ADAPTER_SECONDS");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : default_reply_s;
}

/* The child has ended or has to: say how, and be without one from here on. */
static assay_code lose_child(process_engine *p, const char *what, assay_error *err)
{
    as_process_result result = {0};
    char how[128] = "it cannot be waited for";
    if (as_process_wait(p->child, quit_s, &result, NULL) == ASSAY_OK)
        as_process_describe(&result, how, sizeof how);
    as_process_result_free(&result);
    as_process_free(p->child);
    p->child = NULL;
    return as_fail(err, ASSAY_E_CHILD, "the adapter of %s ended when it was asked to %s: %s",
                   p->name, what, how);
}

static void drop_child(process_engine *p)
{
    as_process_free(p->child);
    p->child = NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* The adapter's own words for why it cannot, with the code of their kind. */
static assay_code refused(const process_engine *p, const json_t *reply, assay_error *err)
{
    static const struct {
        const char *kind;
        assay_code code;
    } kinds[] = {{"missing", ASSAY_E_ENVIRONMENT},
                 {"option", ASSAY_E_ARGUMENT},
                 {"model", ASSAY_E_UNSUPPORTED}};
    const char *kind = text_of(reply, "kind"), *why = text_of(reply, "error");
    if (strcmp(kind, "missing") == 0)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "engine %s is missing (%.120s), 'tools/engines %s' installs it", p->name,
                       why, p->name);
    assay_code code = ASSAY_E_CHILD;
    for (size_t i = 0; i < AS_COUNT_OF(kinds); i++)
        if (strcmp(kind, kinds[i].kind) == 0) code = kinds[i].code;
    return as_fail(err, code, "%s: %.200s", p->name, why);
}

static assay_code read_reply(process_engine *p, const char *what, json_t **reply,
                             assay_error *err)
{
    char *line = NULL;
    assay_error why = {0};
    double limit_s = reply_limit();
    assay_code code = as_process_read_line(p->child, limit_s, &line, &why);
    if (code == ASSAY_E_CHILD) {
        drop_child(p);
        return as_fail(err, code, "the adapter of %s hung: no reply to %s within %.1f s",
                       p->name, what, limit_s);
    }
    if (code) return as_fail(err, code, "%s", why.message);
    if (!line) return lose_child(p, what, err);
    code = as_json_parse(line, strlen(line), 0, reply, err);
    if (code == ASSAY_E_MEMORY) {
        drop_child(p);
    } else if (!json_is_object(*reply)) {
        code = as_fail(err, ASSAY_E_CHILD,
                       "the adapter of %s wrote '%.60s', a JSON object is the reply to %s",
                       p->name, line, what);
        drop_child(p);
    } else if (json_object_get(*reply, "error")) {
        code = refused(p, *reply, err);
    }
    as_free(line);
    if (code) json_decref(*reply);
    if (code) *reply = NULL;
    return code;
}

/* Send `request`, which is taken over, and take the reply, which is the caller's. */
static assay_code ask(process_engine *p, const char *what, json_t *request, json_t **reply,
                      assay_error *err)
{
    *reply = NULL;
    char *line = as_json_dump(request, JSON_COMPACT);
    json_decref(request);
    assay_code code = ASSAY_OK;
    if (!p->child)
        code = as_fail(err, ASSAY_E_CHILD, "the adapter of %s is gone", p->name);
    else if (!line)
        code = as_fail(err, ASSAY_E_ARGUMENT, "%s cannot be told to %s: no memory, or no UTF-8",
                       p->name, what);
    else if (as_process_write(p->child, line, strlen(line), err) ||
             as_process_write(p->child, "\n", 1, err))
        code = lose_child(p, what, err);
    as_free(line);
    return code ? code : read_reply(p, what, reply, err);
}

static void process_close(void *state)
{
    static const char quit[] = "{\"do\":\"quit\"}\n";
    process_engine *p = state;
    if (!p) return;
    if (p->child) {
        as_process_result result = {0};
        (void)as_process_write(p->child, quit, strlen(quit), NULL); /* or the end of input */
        as_process_close_in(p->child);
        (void)as_process_wait(p->child, quit_s, &result, NULL);
        as_process_result_free(&result);
    }
    as_process_free(p->child);
    as_shared_free(&p->input);
    as_shared_free(&p->output);
    as_free(p->name);
    as_free(p);
}

/* Start it with both files inherited; *fds are the numbers under which it has them. */
static assay_code start(process_engine *p, const as_policy *policy, int fds[2],
                        assay_error *err)
{
    as_adapter adapter;
    assay_code code = as_adapter_find(policy, &adapter, err);
    if (code) return code;
    fds[0] = as_shared_inherit(&p->input);
    fds[1] = as_shared_inherit(&p->output);
    as_process_options options = as_process_defaults(adapter.argv);
    options.in = options.out = (as_stream){.kind = AS_STREAM_PIPE};
    options.err = (as_stream){.kind = AS_STREAM_INHERIT};
    code = fds[0] >= 0 && fds[1] >= 0
               ? as_process_start(&options, &p->child, err)
               : as_fail(err, ASSAY_E_IO, "no descriptor for an adapter of %s", p->name);
    if (code == ASSAY_E_NOT_FOUND) code = ASSAY_E_ENVIRONMENT;
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0) close(fds[i]);
    as_adapter_free(&adapter);
    return code;
}

/* The first `n` CPUs that this process may use: where our own threads would be. */
static json_t *cpus_json(size_t n)
{
    cpu_set_t mask;
    json_t *list = json_array();
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    for (int cpu = 0; cpu < CPU_SETSIZE && json_array_size(list) < n; cpu++)
        if (CPU_ISSET(cpu, &mask)) as_json_append(&list, json_integer(cpu));
    return list;
}

/* The policy's own switches reach the adapter as options. */
static void add_switch(json_t **object, const char *key, as_switch s)
{
    if (s != AS_SWITCH_DEFAULT) as_json_set(object, key, json_string(as_switch_text(s)));
}

static json_t *options_json(const as_policy *policy)
{
    json_t *object = json_object();
    add_switch(&object, "mkldnn", policy->mkldnn);
    add_switch(&object, "nnpack", policy->nnpack);
    for (size_t i = 0; i < policy->n_options; i++) {
        const char *pair = policy->options[i], *equals = strchr(pair, '=');
        char *key = as_format("%.*s", (int)(equals - pair), pair);
        as_json_set(&object, key, json_string(equals + 1));
        as_free(key);
    }
    return object;
}

static assay_code greet(process_engine *p, const as_policy *policy, const int fds[2],
                        assay_error *err)
{
    json_t *reply;
    json_t *hello = json_pack("{s:s, s:i, s:i, s:i, s:I, s:o, s:o}", "do", "hello", "protocol",
                              PROTOCOL_VERSION, "input_fd", fds[0], "output_fd", fds[1],
                              "threads", (json_int_t)p->threads, "cpus", cpus_json(p->threads),
                              "options", options_json(policy));
    assay_code code = ask(p, "hello", hello, &reply, err);
    if (code) return code;
    json_int_t protocol = json_integer_value(json_object_get(reply, "protocol"));
    const char *engine = text_of(reply, "engine");
    snprintf(p->version, sizeof p->version, "%s", text_of(reply, "version"));
    p->can_trace = json_is_true(json_object_get(reply, "traces"));
    if (protocol != PROTOCOL_VERSION)
        code =
            as_fail(err, ASSAY_E_CHILD,
                    "the adapter of %s speaks protocol %" JSON_INTEGER_FORMAT ", %d is needed",
                    p->name, protocol, PROTOCOL_VERSION);
    else if (strcmp(engine, p->name) != 0)
        code = as_fail(err, ASSAY_E_CHILD, "the adapter of %s says that it is '%.40s'", p->name,
                       engine);
    json_decref(reply);
    return code;
}

static assay_code process_load(const as_policy *policy, const char *model_path, void **state,
                               assay_error *err)
{
    process_engine *p = *state;
    json_t *reply;
    (void)policy; /* told at hello */
    char *absolute = realpath(model_path, NULL);
    if (!absolute) return as_fail(err, ASSAY_E_NOT_FOUND, "%.200s does not exist", model_path);
    json_t *request = json_pack("{s:s, s:s}", "do", "load", "model", absolute);
    assay_code code = ask(p, "load", request, &reply, err);
    free(absolute);
    if (!code) json_decref(reply);
    return code;
}

static assay_code process_start(const as_policy *policy, void **state, assay_error *err)
{
    int fds[2];
    *state = NULL;
    process_engine *p = as_alloc(sizeof *p);
    if (!p) return as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    p->input.fd = p->output.fd = -1;
    p->threads = policy->threads ? policy->threads : as_threads_default();
    p->name = as_strdup(policy->engine);
    assay_code code =
        p->name ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for an engine");
    if (!code) code = as_shared_new("assay-input", &p->input, err);
    if (!code) code = as_shared_new("assay-output", &p->output, err);
    if (!code) code = start(p, policy, fds, err);
    if (!code) code = greet(p, policy, fds, err);
    if (code)
        process_close(p);
    else
        *state = p;
    return code;
}

static assay_code bytes_of(as_shape4 s, size_t *bytes, assay_error *err)
{
    size_t n = 0;
    if (as_mul(s.n, s.c, &n) && as_mul(n, s.h, &n) && as_mul(n, s.w, &n) &&
        as_mul(n, sizeof(float), bytes))
        return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "a tensor of %zux%zux%zux%zu is too large", s.n, s.c,
                   s.h, s.w);
}

static assay_code process_input(void *state, size_t n_floats, float **out, assay_error *err)
{
    process_engine *p = state;
    assay_code code = as_shared_grow(&p->input, n_floats * sizeof(float), err);
    if (!code) *out = (float *)(void *)p->input.data;
    return code;
}

/* Put x where the adapter sees it, unless it is there; *at is its place in bytes. */
static assay_code place_input(process_engine *p, const float *x, size_t bytes, size_t *at,
                              assay_error *err)
{
    uintptr_t place = (uintptr_t)x, begin = (uintptr_t)p->input.data;
    if (p->input.data && place >= begin && place < begin + p->input.bytes) {
        *at = place - begin;
        return ASSAY_OK;
    }
    *at = 0;
    assay_code code = as_shared_grow(&p->input, bytes, err);
    if (!code) memcpy(p->input.data, x, bytes);
    return code;
}

static assay_code take_shape(const process_engine *p, const json_t *reply, as_shape4 *out,
                             assay_error *err)
{
    const json_t *list = json_object_get(reply, "shape");
    size_t *extents[4] = {&out->n, &out->c, &out->h, &out->w};
    const size_t rank = json_array_size(list);
    bool is_good = rank >= 1 && rank <= 4;
    *out = (as_shape4){1, 1, 1, 1};
    for (size_t i = 0; is_good && i < rank; i++) {
        json_int_t extent = json_integer_value(json_array_get(list, i));
        is_good = extent > 0 && (size_t)extent < LARGEST_EXTENT;
        if (is_good) *extents[i] = (size_t)extent;
    }
    if (is_good) return ASSAY_OK;
    char *text = as_json_dump(list ? list : reply, JSON_COMPACT);
    assay_code code =
        as_fail(err, ASSAY_E_UNSUPPORTED,
                "%s gives an output of shape %.60s, it needs one to four extents above 0",
                p->name, text ? text : "?");
    as_free(text);
    return code;
}

static assay_code take_times(const process_engine *p, const json_t *reply, size_t n,
                             int64_t *ns, assay_error *err)
{
    const json_t *list = json_object_get(reply, "ns");
    for (size_t i = 0; i < n; i++) {
        ns[i] = (int64_t)json_integer_value(json_array_get(list, i));
        if (json_array_size(list) == n && ns[i] > 0) continue;
        return as_fail(err, ASSAY_E_CHILD,
                       "the adapter of %s told %zu times of %zu runs, all above 0 are needed",
                       p->name, json_array_size(list), n);
    }
    return ASSAY_OK;
}

/* What a run took by the adapter's own clock and, where it tells them, its operators on ours. */
static assay_code take_trace(const process_engine *p, const json_t *reply, as_shape4 shape,
                             int64_t asked_ns, assay_error *err)
{
    as_traced_forward forward = {.begin_ns = asked_ns - p->trace->begin_ns,
                                 .n = shape.n,
                                 .c = shape.c,
                                 .h = shape.h,
                                 .w = shape.w};
    assay_error why = {0};
    assay_code code = take_times(p, reply, 1, &forward.elapsed_ns, err);
    if (!code) code = as_trace_add_forward(p->trace, &forward, err);
    if (code || !p->can_trace) return code;
    code = as_trace_add_json(p->trace, reply, forward.begin_ns, &why);
    if (code == ASSAY_E_FORMAT)
        return as_fail(err, ASSAY_E_CHILD, "the adapter of %s: %.200s", p->name, why.message);
    return code ? as_fail(err, code, "%s", why.message) : ASSAY_OK;
}

/* Run n times on one tensor; `ns` may be NULL. */
static assay_code forward(process_engine *p, const float *x, as_shape4 shape, size_t n,
                          int64_t *ns, as_shape4 *map_shape, assay_error *err)
{
    size_t bytes = 0, at = 0, map_bytes = 0;
    json_t *reply = NULL;
    assay_code code = bytes_of(shape, &bytes, err);
    if (!code) code = place_input(p, x, bytes, &at, err);
    if (code) return code;
    const char *what = p->trace && p->can_trace ? "trace" : "forward";
    json_t *request =
        json_pack("{s:s, s:I, s:[I, I, I, I], s:I}", "do", what, "at", (json_int_t)at, "shape",
                  (json_int_t)shape.n, (json_int_t)shape.c, (json_int_t)shape.h,
                  (json_int_t)shape.w, "repeat", (json_int_t)n);
    int64_t asked_ns = p->trace ? as_clock_ns() : 0;
    code = ask(p, what, request, &reply, err);
    if (!code && p->trace) code = take_trace(p, reply, shape, asked_ns, err);
    if (!code) code = take_shape(p, reply, map_shape, err);
    if (!code && ns) code = take_times(p, reply, n, ns, err);
    if (!code) code = bytes_of(*map_shape, &map_bytes, err);
    if (!code) code = as_shared_map(&p->output, map_bytes, err);
    json_decref(reply);
    return code;
}

static assay_code process_forward(void *state, const float *x, as_shape4 shape,
                                  const float **map, as_shape4 *map_shape, assay_error *err)
{
    process_engine *p = state;
    assay_code code = forward(p, x, shape, 1, NULL, map_shape, err);
    if (!code) *map = (const float *)(const void *)p->output.data;
    return code;
}

static assay_code process_time(void *state, const float *x, as_shape4 shape, size_t n,
                               int64_t *ns, assay_error *err)
{
    as_shape4 map_shape;
    if (n == 0 || n > LARGEST_REPEAT)
        return as_fail(err, ASSAY_E_ARGUMENT, "%zu runs were asked for, 1 to %d are possible",
                       n, LARGEST_REPEAT);
    return forward(state, x, shape, n, ns, &map_shape, err);
}

static void process_trace(void *state, as_trace *trace)
{
    process_engine *p = state;
    p->trace = trace;
}

static void process_cleanup(void *state)
{
    process_engine *p = state;
    json_t *reply;
    if (ask(p, "cleanup", json_pack("{s:s}", "do", "cleanup"), &reply, NULL) == ASSAY_OK)
        json_decref(reply);
    as_shared_forget(&p->input);
    as_shared_forget(&p->output);
}

/* What the adapter says now; of one that is gone, nothing but its name. */
static void process_describe(void *state, as_engine_facts *out)
{
    process_engine *p = state;
    json_t *reply;
    snprintf(out->engine, sizeof out->engine, "%s", p->name);
    snprintf(out->version, sizeof out->version, "%s", p->version);
    if (ask(p, "describe", json_pack("{s:s}", "do", "describe"), &reply, NULL)) return;
    snprintf(out->device, sizeof out->device, "%s", text_of(reply, "device"));
    snprintf(out->dtype, sizeof out->dtype, "%s", text_of(reply, "dtype"));
    snprintf(out->isa, sizeof out->isa, "%s", text_of(reply, "isa"));
    snprintf(out->flags, sizeof out->flags, "%s", text_of(reply, "flags"));
    json_int_t threads = json_integer_value(json_object_get(reply, "threads"));
    out->threads = threads > 0 ? (size_t)threads : 0;
    json_decref(reply);
}

static pid_t process_id(const void *state)
{
    const process_engine *p = state;
    return p->child ? as_process_id(p->child) : 0;
}

const as_backend as_backend_process = {
    .start = process_start,
    .load = process_load,
    .close = process_close,
    .input = process_input,
    .forward = process_forward,
    .time = process_time,
    .trace = process_trace,
    .cleanup = process_cleanup,
    .describe = process_describe,
    .process_id = process_id,
};
