/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators.json: costs by operator, route and shape, and which routes were asked for.
 *
 * cpu-trace.json: the call in the Trace Event Format ("JSON Object Format", complete events "X" and
 * metadata "M"), which chrome://tracing and Perfetto open: a track of stages, one of forward passes,
 * and one for each thread with its operators.
 */
#include "report/trace_files.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/text.h"
#include "report/whole_file.h"

enum { PROCESS = 1, TRACK_STAGES = 1, TRACK_FORWARDS, TRACK_THREADS };

/* Those of assay have no more, and a track each. */
enum { MOST_THREADS = 1024 };

static const char *const stages[AS_TRACE_STAGES] = {"preprocess", "forward", "transfer",
                                                    "postprocess"};

/* Microseconds with a nanosecond's digits. */
static json_t *us_json(int64_t ns) { return json_real((double)ns / 1e3); }

/* Take `root` over and write it as folder/name. */
static assay_code put(const char *folder, const char *name, json_t *root, assay_error *err)
{
    char *text = as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    char *path = as_path_join(folder, name);
    assay_code code = text && path
                          ? as_file_write(path, text, strlen(text), err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", name);
    json_decref(root);
    as_free(text);
    as_free(path);
    return code;
}

/* ---- operators.json ---- */

static json_t *shape_json(size_t n, size_t c, size_t h, size_t w)
{
    return json_pack("[I, I, I, I]", (json_int_t)n, (json_int_t)c, (json_int_t)h,
                     (json_int_t)w);
}

static json_t *routes_json(const as_trace_page *page)
{
    json_t *list = json_array();
    for (size_t i = 0; i < page->n_routes; i++) {
        const as_route_row *row = &page->routes[i];
        as_json_append(&list,
                       json_pack("{s:o, s:o, s:s, s:o, s:b}", "setting",
                                 as_json_text(row->setting), "pattern",
                                 as_json_text(row->pattern), "wanted", row->wanted, "count",
                                 as_json_count(row->count), "holds", as_route_row_holds(row)));
    }
    return list;
}

static json_t *costs_json(const as_operator_cost *costs, size_t n, int64_t forward_ns)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const as_operator_cost *c = &costs[i];
        const double share = forward_ns ? 100 * (double)c->self_ns / (double)forward_ns : NAN;
        as_json_append(&list, json_pack("{s:o, s:o, s:o, s:I, s:o, s:o}", "operator",
                                        as_json_text(c->op), "route", as_json_text(c->route),
                                        "shape", as_json_text(c->shape), "count",
                                        (json_int_t)c->count, "self_us", us_json(c->self_ns),
                                        "percent_of_forward", as_json_real(share)));
    }
    return list;
}

static json_t *forwards_json(const as_trace *trace)
{
    json_t *list = json_array();
    for (size_t i = 0; i < trace->n_forwards; i++) {
        const as_traced_forward *f = &trace->forwards[i];
        as_json_append(&list,
                       json_pack("{s:o, s:o}", "shape", shape_json(f->n, f->c, f->h, f->w),
                                 "us", us_json(f->elapsed_ns)));
    }
    return list;
}

static assay_code write_operators(const as_trace_page *page, const char *folder,
                                  assay_error *err)
{
    const as_trace *trace = page->trace;
    as_operator_cost *costs;
    size_t n;
    int64_t forward_ns = 0;
    bool holds = true;
    assay_code code = as_trace_costs(trace, &costs, &n, err);
    if (code) return code;
    for (size_t i = 0; i < trace->n_forwards; i++)
        forward_ns += trace->forwards[i].elapsed_ns;
    int64_t between_ns = forward_ns;
    for (size_t i = 0; i < n; i++)
        between_ns -= costs[i].self_ns;
    for (size_t i = 0; i < page->n_routes; i++)
        holds = holds && as_route_row_holds(&page->routes[i]);
    json_t *times = json_object();
    for (size_t i = 0; i < AS_TRACE_STAGES; i++)
        as_json_set(&times, stages[i], us_json(trace->stages_ns[i]));
    json_t *root = json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:o}", "schema", 1, "policy",
        as_json_text(page->policy), "engine", as_json_text(page->engine), "call",
        as_json_text(page->call), "shape",
        shape_json(page->shape.n, page->shape.c, page->shape.h, page->shape.w), "stages_us",
        times, "forwards", forwards_json(trace), "routes_hold", holds, "routes",
        routes_json(page), "tells_operators", trace->tells_operators, "operators",
        costs_json(costs, n, forward_ns), "between_us", us_json(between_ns));
    as_free(costs);
    return put(folder, "operators.json", root, err);
}

/* ---- cpu-trace.json ---- */

/* Where events go, one a line. */
typedef struct sink {
    FILE *out;
    size_t n;
    bool has_failed; /* memory ended */
} sink;

/* Print `event` and take it over. */
static void put_event(sink *to, json_t *event)
{
    fputs(to->n++ ? ",\n" : "\n", to->out);
    if (!event || json_dumpf(event, to->out, JSON_COMPACT | JSON_REAL_PRECISION(15)))
        to->has_failed = true;
    json_decref(event);
}

/* A complete event: `what` from begin_ns on; takes `args` over. */
static void put_span(sink *to, const char *what, int track, int64_t begin_ns,
                     int64_t elapsed_ns, json_t *args)
{
    static const char *const categories[] = {
        [TRACK_STAGES] = "stage", [TRACK_FORWARDS] = "forward", [TRACK_THREADS] = "operator"};
    const char *category = categories[track < TRACK_THREADS ? track : TRACK_THREADS];
    put_event(to,
              json_pack("{s:o, s:s, s:s, s:o, s:o, s:i, s:i, s:o}", "name", as_json_text(what),
                        "cat", category, "ph", "X", "ts", us_json(begin_ns), "dur",
                        us_json(elapsed_ns), "pid", PROCESS, "tid", track, "args", args));
}

static void put_name(sink *to, const char *of_what, int track, const char *name)
{
    put_event(to, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "name", of_what, "ph", "M", "pid",
                            PROCESS, "tid", track, "args", "name", as_json_text(name)));
}

/* Viewers sort tracks by name unless told: they read best as the call goes, stages down to operators. */
static void put_track(sink *to, int track, const char *name)
{
    put_name(to, "thread_name", track, name);
    put_event(to, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "name", "thread_sort_index", "ph",
                            "M", "pid", PROCESS, "tid", track, "args", "sort_index", track));
}

static void put_names(sink *to, const as_trace_page *page)
{
    char name[32];
    int last = -1;
    put_name(to, "process_name", TRACK_STAGES, page->policy);
    put_track(to, TRACK_STAGES, "stages");
    put_track(to, TRACK_FORWARDS, "forward passes");
    for (size_t i = 0; i < page->trace->n_spans; i++)
        if (page->trace->spans[i].thread > last) last = page->trace->spans[i].thread;
    for (int thread = 0; thread <= last && thread < MOST_THREADS; thread++) {
        snprintf(name, sizeof name, "thread %d", thread);
        put_track(to, TRACK_THREADS + thread, name);
    }
}

/* Stages end to end: what lies between them is not timed. */
static void put_stages(sink *to, const as_trace *trace)
{
    int64_t begin_ns = 0;
    for (size_t i = 0; i < AS_TRACE_STAGES; i++) {
        put_span(to, stages[i], TRACK_STAGES, begin_ns, trace->stages_ns[i], json_object());
        begin_ns += trace->stages_ns[i];
    }
    for (size_t i = 0; i < trace->n_forwards; i++) {
        const as_traced_forward *f = &trace->forwards[i];
        char what[96];
        snprintf(what, sizeof what, "%zux%zux%zux%zu", f->n, f->c, f->h, f->w);
        put_span(to, what, TRACK_FORWARDS, f->begin_ns, f->elapsed_ns, json_object());
    }
}

static void put_operators(sink *to, const as_trace *trace)
{
    for (size_t i = 0; i < trace->n_spans && !to->has_failed; i++) {
        const as_traced_span *s = &trace->spans[i];
        const as_traced_operator *op = &trace->operators[s->op];
        char what[160];
        snprintf(what, sizeof what, "%.90s%s%.60s", op->op, op->route[0] ? " " : "", op->route);
        json_t *args = json_pack("{s:o, s:o, s:o}", "node", as_json_text(op->name), "shape",
                                 as_json_text(op->shape), "self_us", us_json(s->self_ns));
        put_span(to, what,
                 TRACK_THREADS + (s->thread < MOST_THREADS ? s->thread : MOST_THREADS),
                 s->begin_ns, s->elapsed_ns, args);
    }
}

static assay_code write_trace(const as_trace_page *page, const char *folder, assay_error *err)
{
    as_whole_file file;
    char *path = as_path_join(folder, "cpu-trace.json");
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write cpu-trace.json");
    assay_code code = as_whole_file_open(path, &file, err);
    if (!code) {
        sink to = {.out = file.out};
        fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", file.out);
        put_names(&to, page);
        put_stages(&to, page->trace);
        put_operators(&to, page->trace);
        fputs("\n]}\n", file.out);
        if (to.has_failed)
            code = as_fail(err, ASSAY_E_MEMORY, "no memory to write cpu-trace.json");
        code = as_whole_file_close(&file, code, err);
    }
    as_free(path);
    return code;
}

assay_code as_trace_files_write(const as_trace_page *page, const char *folder, assay_error *err)
{
    assay_code code = write_operators(page, folder, err);
    return code ? code : write_trace(page, folder, err);
}
