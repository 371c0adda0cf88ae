/* SPDX-License-Identifier: Apache-2.0 */
/* assay bench: how long one network takes on one shape, whole or layer by layer; or operators alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "cli/bench_latency.h"
#include "cli/bench_operators.h"
#include "cli/cli.h"
#include "cli/resident.h"
#include "kernels/peak.h"
#include "report/text.h"
#include "run/run.h"
#include "verdict/series.h"
#include "verdict/statistics.h"
#include "verdict/steady.h"

typedef struct bench_options {
    const char *shape, *conv, *plan, *output, *latency_table;
    int64_t threads, repeat, rounds, seed;
    as_strings cases;
    bool layers, json, no_fuse, operators, exclusive_hardware, force;
} bench_options;

/* repeat 0: 44 calls of a network, 200 of an operator in each round. */
static const bench_options defaults = {.seed = 20260918};
#define DEFAULT_SHAPE   "1x3x640x640"
#define NETWORK_REPEAT  44
#define OPERATOR_REPEAT 200
#define OPERATOR_ROUNDS 3

static const as_option options[] = {
    AS_TEXT(bench_options, shape, "shape", "NxCxHxW", "input shape; default 1x3x640x640"),
    AS_INT(bench_options, threads, "threads", "T", 1, 1024,
           "threads; default: what the process may use"),
    AS_INT(bench_options, repeat, "repeat", "N", 1, 1000000,
           "timed calls; default 44, 200 a round with --operators"),
    AS_TEXT(bench_options, conv, "conv", "ROUTE", "prefer this convolution route"),
    AS_TEXT(bench_options, plan, "plan", "FILE", "run by a plan file of `assay tune`"),
    AS_FLAG(bench_options, no_fuse, "no-fuse", "run every node by itself"),
    AS_FLAG(bench_options, layers, "layers", "time each layer"),
    AS_FLAG(bench_options, json, "json", "print JSON"),
    AS_TEXT(bench_options, latency_table, "latency-table", "FILE",
            "of several MODELs: time their layers into FILE; of one: predict by FILE"),
    AS_FLAG(bench_options, operators, "operators",
            "no MODEL: a standard 3x3 convolution against depthwise + pointwise, into DIR"),
    AS_TEXT(bench_options, output, "o,output", "DIR", "folder for the operators' files"),
    AS_LIST(bench_options, cases, "case", "ICxOCxHxW",
            "another shape for the operators besides 32x64x32x32 and 4x16x4x4"),
    AS_INT(bench_options, rounds, "rounds", "N", 1, 1000,
           "rounds of the operators, 6 and more give intervals; default 3"),
    AS_INT(bench_options, seed, "seed", "N", 0, INT64_MAX,
           "of the operators' weights and orders; default 20260918"),
    AS_FLAG(bench_options, exclusive_hardware, "exclusive-hardware",
            "note that nothing else runs here"),
    AS_FLAG(bench_options, force, "force",
            "replace the operators' files that are in DIR, or the table FILE"),
    AS_OPTIONS_END,
};

/* What is measured, and what it is measured on. */
typedef struct bench {
    assay_model *model;
    assay_session *session;
    assay_tensor input;
    float *data; /* owns */
    double load_ms, first_ms;
    double plan_ms;  /* of first_ms: making the plan, packing weights */
    double *call_ms; /* owns; [n] */
    as_timed *calls; /* owns; [n] the same on the clock */
    size_t n;
    as_steady steady;
    as_series_report *series; /* owns */
    double **layer_ms;        /* owns; [n_layers][n], with --layers */
    size_t n_layers;
    double peak_gflops; /* of all threads */
    size_t before_bytes, peak_bytes;
} bench;

static double ms_since(int64_t start_ns) { return (double)(as_clock_ns() - start_ns) / 1e6; }

/* Uniform in -2..2, about what a normalised image holds; the same each time. */
static void fill_input(float *data, size_t n)
{
    uint32_t state = 20260918;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U; /* Numerical Recipes' constants */
        data[i] = (float)(state >> 8) / (float)(1U << 22) - 2.0F;
    }
}

static assay_code make_input(bench *b, const char *text, assay_error *err)
{
    size_t rank = 0, n_floats = 1;
    assay_code code =
        as_parse_shape("--shape", text, ASSAY_MAX_RANK, b->input.dims, &rank, err);
    for (size_t i = 0; !code && i < rank; i++)
        if (!as_mul(n_floats, (size_t)b->input.dims[i], &n_floats))
            code = as_fail(err, ASSAY_E_ARGUMENT, "--shape %s exceeds all memory", text);
    if (code) return code;
    b->input.rank = (int)rank;
    b->data = as_alloc_array(n_floats, sizeof *b->data);
    if (!b->data) return as_fail(err, ASSAY_E_MEMORY, "no memory for an input of %s", text);
    fill_input(b->data, n_floats);
    b->input.data = b->data;
    return ASSAY_OK;
}

static assay_code load(bench *b, const char *path, const bench_options *o, assay_error *err)
{
    assay_model_options how = assay_model_options_defaults();
    how.conv = o->conv;
    how.plan = o->plan;
    how.fuse = !o->no_fuse;
    b->before_bytes = as_resident_bytes();
    int64_t start = as_clock_ns();
    assay_code code = assay_model_load(path, &how, &b->model, err);
    if (!code) code = assay_session_new(b->model, (size_t)o->threads, &b->session, err);
    b->load_ms = ms_since(start);
    if (!code && assay_model_n_inputs(b->model) != 1)
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s has %d inputs, bench feeds one", path,
                       assay_model_n_inputs(b->model));
    return code;
}

static assay_code call(bench *b, double *elapsed_ms, assay_error *err)
{
    int n_outputs = assay_model_n_outputs(b->model);
    assay_tensor *outputs = as_alloc_array((size_t)n_outputs, sizeof *outputs);
    if (!outputs) return as_fail(err, ASSAY_E_MEMORY, "no memory for %d outputs", n_outputs);
    int64_t start = as_clock_ns();
    assay_code code = assay_session_run(b->session, &b->input, 1, outputs, n_outputs, err);
    *elapsed_ms = ms_since(start);
    as_free(outputs);
    return code;
}

static assay_code warm_up(bench *b, assay_error *err)
{
    assay_code code = ASSAY_OK;
    while (!code && as_steady_goes_on(&b->steady)) {
        double call_ms;
        code = call(b, &call_ms, err);
        if (!code) as_steady_add(&b->steady, call_ms);
    }
    return code;
}

static assay_code make_layer_room(bench *b, assay_error *err)
{
    b->n_layers = as_session_plan(b->session)->n_layers;
    b->layer_ms = as_alloc_array(b->n_layers, sizeof *b->layer_ms);
    for (size_t i = 0; b->layer_ms && i < b->n_layers; i++)
        if (!(b->layer_ms[i] = as_alloc_array(b->n, sizeof **b->layer_ms)))
            return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu samples", b->n);
    as_session_trace(b->session, true);
    return b->layer_ms ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for samples");
}

static assay_code measure(bench *b, const as_cli *cli, const bench_options *o, assay_error *err)
{
    b->n = (size_t)o->repeat;
    b->call_ms = as_alloc_array(b->n, sizeof *b->call_ms);
    b->calls = as_alloc_array(b->n, sizeof *b->calls);
    if (!b->call_ms || !b->calls)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu samples", b->n);
    assay_code code = call(b, &b->first_ms, err);
    b->plan_ms = 1e-6 * (double)as_session_plan_ns(b->session);
    if (!code) code = warm_up(b, err);
    if (!code && o->layers) code = make_layer_room(b, err);
    if (!code)
        b->peak_gflops = (double)as_session_threads(b->session) *
                         as_peak_gflops(as_model_kernels(b->model)->isa);
    as_progress bar;
    as_progress_start(&bar, cli, "calls", b->n);
    for (size_t i = 0; !code && i < b->n; i++) {
        int64_t begin_ns = as_clock_ns();
        code = call(b, &b->call_ms[i], err);
        b->calls[i] = (as_timed){(int64_t)i, begin_ns, as_clock_ns(), true};
        const int64_t *layer_ns = as_session_layer_ns(b->session);
        for (size_t l = 0; !code && o->layers && l < b->n_layers; l++)
            b->layer_ms[l][i] = (double)layer_ns[l] / 1e6;
        as_progress_step(&bar, i + 1, NULL);
        if (!code && as_interrupted())
            code = as_fail(err, ASSAY_E_INTERRUPTED, "stopped after %zu of %zu calls", i + 1,
                           b->n);
    }
    as_progress_end(&bar);
    size_t peak = as_resident_peak_bytes();
    b->peak_bytes = peak > b->before_bytes ? peak - b->before_bytes : 0;
    return code;
}

/* What the calls themselves say against being believed.  Winograd F(4x4,3x3) does a convolution with a
 * quarter of its multiply-adds, so four times the peak is the most that can be. */
static assay_code look_at_series(bench *b, assay_error *err)
{
    const as_plan *plan = as_session_plan(b->session);
    as_series_what what = {.resolution_ns = as_clock_resolution_ns(),
                           .peak_macs_s = 4 * 0.5e9 * b->peak_gflops};
    for (size_t i = 0; i < plan->n_layers; i++)
        what.macs += (double)plan->layers[i].macs;
    return as_series_look(b->calls, b->n, &what, &b->series, err);
}

/* Findings of a flag from the i-th on; 0 where an earlier one has it, which told them all. */
static size_t count_flag(const as_series_report *series, size_t i)
{
    size_t n = 0;
    for (size_t j = 0; j < series->n_findings; j++) {
        if (series->findings[j].flag != series->findings[i].flag) continue;
        if (j < i) return 0;
        n++;
    }
    return n;
}

/* Once for each flag: a network of microseconds may have thousands of calls below the clock's resolution. */
static void warn_of_series(const as_cli *cli, const bench *b)
{
    for (size_t i = 0; i < b->series->n_findings; i++) {
        const as_series_finding *f = &b->series->findings[i];
        if (f->flag == AS_SERIES_FEW || f->flag == AS_SERIES_OUTLIER)
            continue; /* n and spread say it */
        const size_t n = count_flag(b->series, i);
        if (n == 0) continue;
        char which[80] = "";
        if (f->id >= 0 && n == 1)
            snprintf(which, sizeof which, " (call %lld)", (long long)f->id + 1);
        else if (f->id >= 0)
            snprintf(which, sizeof which, " (%zu calls, the first is call %lld)", n,
                     (long long)f->id + 1);
        if (f->flag == AS_SERIES_TREND || f->flag == AS_SERIES_SHIFT)
            snprintf(which, sizeof which, " (%+.1f %%)", 100 * b->series->change);
        as_warn(cli, "%s%s: %s", as_series_flag_name(f->flag), which,
                as_series_flag_advice(f->flag));
    }
}

static json_t *notes_json(const bench *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->series->n_findings; i++)
        as_json_append(&list, json_pack("{s:s, s:o}", "flag",
                                        as_series_flag_name(b->series->findings[i].flag),
                                        "call", as_json_count(b->series->findings[i].id)));
    return list;
}

/* GFLOP/s of a layer, 0 where it multiplies nothing. */
static double gflops_of(const as_layer *layer, double ms)
{
    return ms > 0 ? 2e-6 * (double)layer->macs / ms : 0;
}

static json_t *layers_json(const bench *b, double whole_ms)
{
    json_t *list = json_array();
    const as_plan *plan = as_session_plan(b->session);
    assay_error err;
    for (size_t i = 0; i < b->n_layers; i++) {
        as_summary s = {0};
        if (as_summary_of(b->layer_ms[i], b->n, &s, &err)) {
            json_decref(list);
            return NULL;
        }
        const as_layer *layer = &plan->layers[i];
        as_json_append(&list,
                       json_pack("{s:o, s:o, s:s, s:i, s:f, s:f, s:f, s:I, s:f, s:f, s:f}",
                                 "name", as_json_name(layer->name), "op",
                                 as_json_name(layer->op_type), "route", as_layer_route(layer),
                                 "nodes", layer->n_nodes, "median_ms", s.median,
                                 "lower_quartile_ms", s.lower_quartile, "upper_quartile_ms",
                                 s.upper_quartile, "macs", (json_int_t)layer->macs, "gflops",
                                 gflops_of(layer, s.median), "percent_of_peak",
                                 100 * gflops_of(layer, s.median) / b->peak_gflops,
                                 "percent_of_call", 100 * s.median / whole_ms));
    }
    return list;
}

static int print_json(const as_cli *cli, const bench *b, const as_summary *s, double p90,
                      const bench_options *o)
{
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    json_t *root = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:o, s:I, s:I}", "load_ms", b->load_ms, "plan_ms",
        b->plan_ms, "first_ms", b->first_ms, "median_ms", s->median, "min_ms", s->least,
        "p90_ms", s->n < as_percentile_least(0.9) ? json_null() : as_json_number(p90), "n",
        (json_int_t)s->n, "peak_rss_bytes", (json_int_t)b->peak_bytes);
    json_t *more = json_pack("{s:s, s:s, s:I, s:s, s:I, s:b, s:f, s:f, s:o}", "cpu", cpu.model,
                             "isa", as_isa_name(as_model_kernels(b->model)->isa), "threads",
                             (json_int_t)as_session_threads(b->session), "shape", o->shape,
                             "warm_up_calls", (json_int_t)b->steady.n_calls, "steady",
                             b->steady.is_steady, "lower_quartile_ms", s->lower_quartile,
                             "upper_quartile_ms", s->upper_quartile, "notes", notes_json(b));
    if (json_object_update(root, more)) {
        json_decref(root);
        root = NULL;
    }
    json_decref(more);
    if (o->layers) {
        as_json_set(&root, "peak_gflops", json_real(b->peak_gflops));
        as_json_set(&root, "layers", layers_json(b, s->median));
    }
    assay_error err = {0};
    assay_code code = as_output_json(root, false, &err);
    json_decref(root);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

static void print_layers(const bench *b, double whole_ms)
{
    const as_plan *plan = as_session_plan(b->session);
    assay_error err;
    printf("peak    %9.1f GFLOP/s, fused multiply-adds alone\n", b->peak_gflops);
    printf("\n%-4s %-18s %-11s %5s %9s %17s %8s %6s %6s  %s\n", "#", "operator", "route",
           "nodes", "median ms", "quartiles", "GFLOP/s", "% peak", "share", "name");
    for (size_t i = 0; i < b->n_layers; i++) {
        as_summary s = {0};
        if (as_summary_of(b->layer_ms[i], b->n, &s, &err)) return;
        const as_layer *layer = &plan->layers[i];
        char flops[16] = "-", peak[16] = "-";
        double gflops = gflops_of(layer, s.median);
        if (gflops > 0) {
            snprintf(flops, sizeof flops, "%.1f", gflops);
            snprintf(peak, sizeof peak, "%.1f", 100 * gflops / b->peak_gflops);
        }
        printf("%-4zu %-18.18s %-11.11s %5d %9.3f %8.3f-%8.3f %8s %6s %5.1f%%  %.40s\n", i,
               layer->op_type, as_layer_route(layer), layer->n_nodes, s.median,
               s.lower_quartile, s.upper_quartile, flops, peak, 100 * s.median / whole_ms,
               layer->name);
    }
}

static void print_text(const bench *b, const as_summary *s, double p90, const bench_options *o)
{
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    printf("%s, %s, %zu thread%s, input %s\n", cpu.model,
           as_isa_name(as_model_kernels(b->model)->isa), as_session_threads(b->session),
           as_session_threads(b->session) == 1 ? "" : "s", o->shape);
    printf("median  %9.3f ms   quartiles %.3f-%.3f, least %.3f, n=%zu\n", s->median,
           s->lower_quartile, s->upper_quartile, s->least, s->n);
    if (s->n < as_percentile_least(0.9))
        printf("p90     n too small (%zu calls needed)\n", as_percentile_least(0.9));
    else
        printf("p90     %9.3f ms\n", p90);
    printf("load    %9.3f ms\nplan    %9.3f ms   (part of the first call)\nfirst   %9.3f ms\n",
           b->load_ms, b->plan_ms, b->first_ms);
    printf("memory  %9.1f MiB above before-load\n", (double)b->peak_bytes / 1048576.0);
    printf("warm-up %9zu calls, %s\n", b->steady.n_calls,
           b->steady.is_steady ? "steady" : "no steady state");
    if (o->layers) print_layers(b, s->median);
}

static void release(bench *b)
{
    for (size_t i = 0; b->layer_ms && i < b->n_layers; i++)
        as_free(b->layer_ms[i]);
    as_free(b->layer_ms);
    as_free(b->call_ms);
    as_free(b->calls);
    as_series_free(b->series);
    as_free(b->data);
    assay_session_free(b->session);
    assay_model_free(b->model);
}

static int run_network(const as_cli *cli, const bench_options *o)
{
    bench b = {0};
    as_summary s = {0};
    double p90 = 0;
    assay_error err = {0};
    assay_code code = make_input(&b, o->shape, &err);
    if (!code) code = load(&b, cli->arguments.items[0], o, &err);
    if (!code) code = measure(&b, cli, o, &err);
    if (!code) code = look_at_series(&b, &err);
    if (!code) code = as_summary_of(b.call_ms, b.n, &s, &err);
    int status = AS_EXIT_DONE;
    if (code) {
        status = as_cli_fail(cli, &err);
    } else {
        as_sort(b.call_ms, b.n);
        p90 = as_quantile_of_sorted(b.call_ms, b.n, 0.9);
        warn_of_series(cli, &b);
        if (o->json)
            status = print_json(cli, &b, &s, p90, o);
        else
            print_text(&b, &s, p90, o);
    }
    release(&b);
    return status;
}

static int run_operators(const as_cli *cli, const bench_options *o)
{
    if (cli->arguments.n > 0 || o->shape || o->plan || o->layers || o->no_fuse || o->threads)
        return as_cli_usage(cli, "--operators goes without MODEL, --shape, --threads, --plan, "
                                 "--layers and --no-fuse: it runs kernels alone on one thread");
    if (!o->output)
        return as_cli_usage(cli, "-o DIR is missing, the folder for the operators' files");
    const as_bench_operators how = {.output = o->output,
                                    .cases = o->cases,
                                    .conv = o->conv,
                                    .rounds = o->rounds ? o->rounds : OPERATOR_ROUNDS,
                                    .repeat = o->repeat ? o->repeat : OPERATOR_REPEAT,
                                    .seed = o->seed,
                                    .exclusive_hardware = o->exclusive_hardware,
                                    .force = o->force,
                                    .json = o->json};
    return as_bench_operators_run(cli, &how);
}

static int run_latency(const as_cli *cli, const bench_options *o)
{
    if (o->conv || o->plan || o->layers || o->no_fuse || o->output || o->cases.n > 0 ||
        o->rounds)
        return as_cli_usage(cli, "--latency-table goes with MODEL..., --shape, --threads, "
                                 "--repeat, --seed, --json and --force alone");
    const as_bench_latency how = {.file = o->latency_table,
                                  .shape = o->shape ? o->shape : DEFAULT_SHAPE,
                                  .threads = o->threads,
                                  .repeat = o->repeat,
                                  .seed = o->seed,
                                  .force = o->force,
                                  .json = o->json};
    return as_bench_latency_run(cli, &how);
}

static int run(const as_cli *cli, const void *values)
{
    bench_options o = *(const bench_options *)values;
    if (o.operators) return run_operators(cli, &o);
    if (o.latency_table && cli->arguments.n > 0) return run_latency(cli, &o);
    if (cli->arguments.n > 1)
        return as_cli_usage(cli, "several MODELs are timed with --latency-table FILE alone");
    if (o.output || o.cases.n > 0 || o.rounds || o.exclusive_hardware || o.force)
        return as_cli_usage(cli,
                            "-o, --case, --rounds, --exclusive-hardware and --force are of "
                            "--operators");
    if (cli->arguments.n == 0)
        return as_cli_usage(cli, "MODEL is missing, the network to run, or --operators");
    if (!o.shape) o.shape = DEFAULT_SHAPE;
    if (!o.repeat) o.repeat = NETWORK_REPEAT;
    return run_network(cli, &o);
}

const as_verb as_verb_bench = {
    .name = "bench",
    .summary = "measure a network's latency on one input shape",
    .usage = "MODEL [--shape NxCxHxW] [--threads T] [--repeat N]  |  --operators -o DIR  |  "
             "MODEL... --latency-table FILE",
    .description =
        "Loads the model, runs it until it is steady, and times N calls. The input is "
        "pseudo-random and the same each time. A comparison of two ways needs "
        "interleaved runs: `assay experiment` does them.\n--operators measures no network: it "
        "holds a standard 3x3 convolution against a depthwise and a pointwise one,\nkernels "
        "alone, and says why fewer multiply-adds need not be faster.\n--latency-table of "
        "several "
        "networks times each of their layers by itself; a network is then predicted as "
        "the\nsum "
        "of its layers and what a call takes besides, and each is held out once to tell how "
        "far "
        "that is wrong.",
    .example = "assay bench models/ch_PP-OCRv4_det_infer.onnx --shape 1x3x640x640 --threads 1\n"
               "assay bench --operators -o operators --case 16x32x24x24",
    .options = options,
    .values_bytes = sizeof(bench_options),
    .defaults = &defaults,
    .most_arguments = AS_ANY_NUMBER,
    .run = run,
};
