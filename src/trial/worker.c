/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/worker.h"

#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/sha256.h"
#include "engine/detector.h"
#include "image/image.h"
#include "trial/demand.h"
#include "trial/job.h"
#include "trial/noise_meter.h"
#include "trial/outputs.h"
#include "trial/protocol.h"
#include "trial/tensor_call.h"

typedef struct worker {
    as_worker_place place;
    as_job job;
    as_policy policy;               /* owns its strings */
    as_engine *engine;              /* owns */
    as_detector *detector;          /* owns */
    as_noise_meter *meter;          /* owns */
    as_image *images;               /* owns: pixels of one call's inputs */
    as_detector_input *inputs;      /* owns the array, borrows the pixels */
    as_boxes *boxes;                /* owns: answers of one call */
    char (*outputs)[AS_SHA256_HEX]; /* owns: hashes of one call's outputs */
    int64_t resolution_ns;          /* of the clock */
    size_t room;                    /* of the four arrays: the largest call's inputs */
} worker;

static assay_code tell_memory(const worker *w, const char *when, int cycle, int document,
                              int call, assay_error *err)
{
    as_memory_sample sample;
    as_memory_sample_take("", 0, &sample);
    as_memory_moment moment = {when, cycle, document, call, "worker"};
    assay_code code = as_protocol_memory(w->place.out, &moment, &sample, err);
    pid_t adapter = w->engine ? as_engine_process(w->engine) : 0;
    if (code || !adapter) return code;
    as_memory_sample_take("", adapter, &sample);
    moment.process = "adapter";
    return as_protocol_memory(w->place.out, &moment, &sample, err);
}

/* Whether the corpus is one of tensors, for any network. */
static bool has_tensors(const worker *w)
{
    return w->job.n_inputs > 0 && w->job.inputs[0].tensor[0];
}

static assay_code load(worker *w, assay_error *err)
{
    as_engine_facts facts;
    assay_code code = as_policy_parse(w->job.policy_text, &w->policy, err);
    if (!code) code = as_engine_start(&w->policy, &w->engine, err);
    if (!code) code = tell_memory(w, "start", -1, -1, -1, err);
    if (code) return code;
    int64_t begin_ns = as_clock_ns();
    code = as_engine_load(w->engine, w->place.model_path, err);
    int64_t load_ns = as_clock_ns() - begin_ns;
    if (code) return code;
    if (!has_tensors(w)) code = as_detector_new(w->engine, &w->policy, &w->detector, err);
    as_engine_describe(w->engine, &facts);
    if (!code) code = as_protocol_loaded(w->place.out, load_ns, &facts, err);
    if (!code) code = as_demand_check(&w->policy, &facts, "start", err);
    if (!code) code = tell_memory(w, "loaded", -1, -1, -1, err);
    if (!code)
        fprintf(w->place.log, "%s %s loaded %s in %.3f s: %s, %s, %s, %zu threads, %s\n",
                facts.engine, facts.version, w->place.model_path, (double)load_ns * 1e-9,
                facts.device, facts.dtype, facts.isa, facts.threads, facts.flags);
    return code;
}

static assay_code make_room(worker *w, assay_error *err)
{
    w->room = 1;
    w->resolution_ns = as_clock_resolution_ns();
    for (size_t i = 0; i < w->job.n_calls; i++)
        if (w->job.calls[i].shape.n > w->room) w->room = w->job.calls[i].shape.n;
    w->images = as_alloc_array(w->room, sizeof *w->images);
    w->inputs = as_alloc_array(w->room, sizeof *w->inputs);
    w->boxes = as_alloc_array(w->room, sizeof *w->boxes);
    w->outputs = as_alloc_array(w->room, sizeof *w->outputs);
    return w->images && w->inputs && w->boxes && w->outputs
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory for calls of %zu inputs", w->room);
}

/* Read a region and hold it to its hash and size. */
static assay_code read_region(const worker *w, const as_input_row *input, as_image *image,
                              assay_error *err)
{
    as_bytes file = {0};
    char hex[AS_SHA256_HEX];
    char *path = as_path_join(w->place.corpus_path, input->file);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory for region %s", input->file);
    assay_code code = as_file_read(path, AS_IMAGE_FILE_BYTES_MAX, &file, err);
    if (!code) code = as_sha256_bytes(file.data, file.size, hex, err);
    if (!code && strcmp(hex, input->sha256) != 0)
        code = as_fail(err, ASSAY_E_CHANGED,
                       "region %.100s has SHA-256 %.12s..., %.12s... was "
                       "frozen",
                       input->file, hex, input->sha256);
    if (!code) code = as_image_decode(file.data, file.size, input->file, image, err);
    if (!code && (image->w != input->width_px || image->h != input->height_px))
        code = as_fail(err, ASSAY_E_CHANGED, "region %.100s is %dx%d, %dx%d was frozen",
                       input->file, image->w, image->h, input->width_px, input->height_px);
    as_bytes_free(&file);
    as_free(path);
    return code;
}

static as_detect_settings settings_of(const as_input_row *input)
{
    return (as_detect_settings){
        .thresh = (float)input->thresh,
        .box_thresh = input->box_thresh,
        .unclip = input->unclip,
        .limit_side = input->limit_side,
        .limit_type = strcmp(input->limit_type, "min") == 0 ? AS_LIMIT_MIN : AS_LIMIT_MAX};
}

/* Each input's map as its outputs. */
static assay_code keep_maps(worker *w, as_call_report *report, assay_error *err)
{
    as_shape4 shape;
    size_t n_not_finite = 0; /* the report has them */
    assay_code code = ASSAY_OK;
    const float *maps = as_detector_maps(w->detector, &shape);
    for (size_t i = 0; i < shape.n && !code; i++) {
        as_engine_tensors map = {.n = 1};
        map.items[0] = (assay_tensor){.rank = 4,
                                      .dims = {1, 1, (int64_t)shape.h, (int64_t)shape.w},
                                      .data = maps + i * shape.h * shape.w};
        code = as_outputs_keep(w->place.outputs_path, &map, w->outputs[i], &n_not_finite, err);
    }
    report->outputs = (const char(*)[AS_SHA256_HEX])w->outputs;
    return code;
}

/* float32 maps[n][1][h][w] of a call, under its place among the run's calls. */
static assay_code save_maps(const worker *w, int at, assay_error *err)
{
    as_shape4 shape;
    const float *maps = as_detector_maps(w->detector, &shape);
    as_npy array = {.type = AS_NPY_F4,
                    .rank = 4,
                    .dims = {(int64_t)shape.n, 1, (int64_t)shape.h, (int64_t)shape.w},
                    .data = (void *)(uintptr_t)maps,
                    .n_elements = shape.n * shape.h * shape.w};
    char *path = as_format("%s/%05d.npy", w->place.maps_path, at);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to save maps");
    assay_code code = as_npy_write(path, &array, err);
    as_free(path);
    return code;
}

static void free_boxes(worker *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        as_boxes_free(&w->boxes[i]);
}

/* A call of regions, whose pixels have been read. */
static assay_code run_regions(worker *w, int at, as_call_report *report, assay_error *err)
{
    const as_call_row *call = &w->job.calls[at];
    as_detect_settings settings = settings_of(&w->job.inputs[call->inputs[0]]);
    free_boxes(w, call->shape.n); /* of an unseen run */
    assay_code code = as_detector_run(w->detector, &settings, w->inputs, call->shape.n,
                                      w->boxes, report, err);
    return !code && w->place.outputs_path ? keep_maps(w, report, err) : code;
}

/* A call of tensors: all its inputs have the same answer. */
static assay_code run_tensors(worker *w, int at, as_call_report *report, assay_error *err)
{
    const as_call_row *call = &w->job.calls[at];
    as_engine_tensors outputs;
    if (!w->place.outputs_path)
        return as_fail(err, ASSAY_E_ARGUMENT, "tensors have outputs, --outputs is missing");
    assay_code code = as_tensor_call_run(w->engine, &w->job, call, w->place.corpus_path,
                                         w->resolution_ns, &outputs, report, err);
    if (!code)
        code = as_outputs_keep(w->place.outputs_path, &outputs, w->outputs[0],
                               &report->n_not_finite, err);
    for (size_t i = 1; i < call->shape.n; i++)
        memcpy(w->outputs[i], w->outputs[0], sizeof *w->outputs);
    memcpy(report->map_sha256, w->outputs[0], sizeof report->map_sha256);
    report->outputs = (const char(*)[AS_SHA256_HEX])w->outputs;
    return code;
}

/* One of both. */
typedef assay_code (*call_fn)(worker *w, int at, as_call_report *report, assay_error *err);

/* Run a call once unseen, then with every forward traced. */
static assay_code run_traced(worker *w, int at, call_fn run, as_call_report *report,
                             as_trace **out, assay_error *err)
{
    assay_code code = run(w, at, report, err);
    if (!code) code = as_trace_new(out, err);
    if (code) return code;
    as_engine_trace(w->engine, *out);
    code = run(w, at, report, err);
    as_engine_trace(w->engine, NULL);
    int64_t forward_ns = 0; /* without what a profiler takes to begin and to tell */
    for (size_t i = 0; i < (*out)->n_forwards; i++)
        forward_ns += (*out)->forwards[i].elapsed_ns;
    const int64_t stages_ns[AS_TRACE_STAGES] = {report->preprocess_ns, forward_ns,
                                                report->transfer_ns, report->postprocess_ns};
    memcpy((*out)->stages_ns, stages_ns, sizeof stages_ns);
    return code;
}

static assay_code run_and_tell(worker *w, int cycle, int at, call_fn run, assay_error *err)
{
    as_call_report report = {0};
    as_trace *trace = NULL;
    assay_code code = w->job.is_traced ? run_traced(w, at, run, &report, &trace, err)
                                       : run(w, at, &report, err);
    if (!code) code = as_protocol_call(w->place.out, cycle, at, &report, w->boxes, err);
    if (!code && trace) code = as_protocol_trace(w->place.out, cycle, at, trace, err);
    as_trace_free(trace);
    return code ? code : tell_memory(w, "call", cycle, w->job.calls[at].document, at, err);
}

/* Tell the margins of every map of the call; outside of every time. */
static assay_code tell_margins(const worker *w, int at, assay_error *err)
{
    const as_call_row *call = &w->job.calls[at];
    as_shape4 shape;
    as_detect_settings settings = settings_of(&w->job.inputs[call->inputs[0]]);
    as_detect_scratch *scratch = as_detect_scratch_new();
    as_margins *margins = as_alloc_array(call->shape.n, sizeof *margins);
    const float *maps = as_detector_maps(w->detector, &shape);
    assay_code code =
        scratch && margins ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for margins");
    for (size_t i = 0; i < call->shape.n && !code; i++)
        code =
            as_margins_of_map(scratch, &settings, maps + i * shape.h * shape.w, (int)shape.h,
                              (int)shape.w, w->images[i].h, w->images[i].w, &margins[i], err);
    if (!code) code = as_protocol_margins(w->place.out, at, margins, call->shape.n, err);
    for (size_t i = 0; margins && i < call->shape.n; i++)
        as_margins_free(&margins[i]);
    as_free(margins);
    as_detect_scratch_free(scratch);
    return code;
}

static assay_code run_call(worker *w, int cycle, int at, assay_error *err)
{
    const as_call_row *call = &w->job.calls[at];
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < call->shape.n && !code; i++) {
        as_image *image = &w->images[i];
        code = read_region(w, &w->job.inputs[call->inputs[i]], image, err);
        w->inputs[i] = (as_detector_input){
            .bgr = image->bgr, .height = (size_t)image->h, .width = (size_t)image->w};
    }
    if (!code) code = run_and_tell(w, cycle, at, run_regions, err);
    if (!code && w->job.tells_margins && cycle == 0) code = tell_margins(w, at, err);
    if (!code && w->place.maps_path && cycle == 0) code = save_maps(w, at, err);
    for (size_t i = 0; i < call->shape.n; i++)
        as_image_free(&w->images[i]);
    free_boxes(w, call->shape.n);
    if (code) as_error_where(err, "call %.60s", call->id);
    return code;
}

static assay_code clean_up(worker *w, int cycle, int document, assay_error *err)
{
    assay_code code = tell_memory(w, "document", cycle, document, -1, err);
    if (code) return code;
    as_noise_meter_look(w->meter); /* threads may end with what is cleaned up */
    int64_t begin_ns = as_clock_ns();
    if (w->detector) as_detector_cleanup(w->detector);
    as_engine_cleanup(w->engine);
    int64_t elapsed_ns = as_clock_ns() - begin_ns;
    code = as_protocol_cleanup(w->place.out, cycle, document, elapsed_ns, err);
    return code ? code : tell_memory(w, "cleaned", cycle, document, -1, err);
}

static assay_code run_cycle(worker *w, int cycle, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < w->job.n_calls && !code; i++) {
        int document = w->job.calls[i].document;
        bool is_last = i + 1 == w->job.n_calls || w->job.calls[i + 1].document != document;
        code = has_tensors(w) ? run_and_tell(w, cycle, (int)i, run_tensors, err)
                              : run_call(w, cycle, (int)i, err);
        if (!code && is_last) code = clean_up(w, cycle, document, err);
    }
    if (!code) fprintf(w->place.log, "cycle %d: %zu calls\n", cycle, w->job.n_calls);
    return code;
}

static assay_code run_cycles(worker *w, assay_error *err)
{
    as_noise noise;
    assay_code code = ASSAY_OK;
    as_noise_meter_begin(w->meter, as_engine_process(w->engine));
    for (int cycle = 0; cycle < w->job.n_cycles && !code; cycle++)
        code = run_cycle(w, cycle, err);
    as_noise_meter_end(w->meter, &noise);
    return code ? code : as_protocol_noise(w->place.out, &noise, err);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* Of this process and of the adapter that it has waited for. */
static as_worker_usage usage_now(void)
{
    struct rusage own = {0}, adapter = {0};
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &adapter);
    return (as_worker_usage){.user_s = seconds_of(own.ru_utime) + seconds_of(adapter.ru_utime),
                             .system_s =
                                 seconds_of(own.ru_stime) + seconds_of(adapter.ru_stime),
                             .major_faults = own.ru_majflt + adapter.ru_majflt,
                             .switches_wanted = own.ru_nvcsw + adapter.ru_nvcsw,
                             .switches_forced = own.ru_nivcsw + adapter.ru_nivcsw};
}

static int64_t close_engine(worker *w)
{
    int64_t begin_ns = as_clock_ns();
    as_detector_free(w->detector);
    as_engine_close(w->engine);
    w->detector = NULL;
    w->engine = NULL;
    return as_clock_ns() - begin_ns;
}

static assay_code finish(worker *w, assay_error *err)
{
    as_engine_facts facts;
    as_engine_describe(w->engine, &facts);
    assay_code code = as_demand_check(&w->policy, &facts, "exit", err);
    if (!code) code = tell_memory(w, "exit", -1, -1, -1, err);
    if (code) return code;
    int64_t close_ns = close_engine(w);
    as_worker_usage usage = usage_now();
    fprintf(w->place.log, "closed after %zu forward passes, %.3f s user, %.3f s system\n",
            facts.n_forwards, usage.user_s, usage.system_s);
    return as_protocol_end(w->place.out, close_ns, &facts, &usage, err);
}

assay_code as_worker_run(const as_worker_place *place, assay_error *err)
{
    worker w = {.place = *place};
    assay_error own = {0};
    as_arena *arena = as_arena_new();
    assay_code code = arena ? as_job_read(place->in, arena, &w.job, &own)
                            : as_fail(&own, ASSAY_E_MEMORY, "no memory for a job");
    if (!code) code = make_room(&w, &own);
    if (!code) code = as_noise_meter_new("", &w.meter, &own);
    if (!code) code = load(&w, &own);
    if (!code) code = run_cycles(&w, &own);
    if (!code) code = finish(&w, &own);
    if (code) {
        fprintf(place->log, "failed: %s%s%s\n", own.where, own.where[0] ? ": " : "",
                own.message);
        as_protocol_error(place->out, &own);
        if (err) *err = own;
    }
    close_engine(&w);
    as_policy_free(&w.policy);
    as_noise_meter_free(w.meter);
    as_free(w.images);
    as_free(w.inputs);
    as_free(w.boxes);
    as_free(w.outputs);
    as_arena_free(arena);
    return code;
}
