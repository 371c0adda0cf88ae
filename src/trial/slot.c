/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/slot.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/size.h"
#include "trial/outputs.h"
#include "trial/profile.h"
#include "trial/yield.h"
#include "verdict/tensor.h"

/* A worker that has told its end has only to leave. */
static const double leave_within_s = 30;

/* What one running slot holds; owns all but the first two. */
typedef struct slot {
    const as_slot_place *place;
    const as_slot_order *order;
    as_job job;
    as_yield *yield;
    as_process *process;
    as_process_result result;
    char *outputs;         /* owns: folder of a network's outputs, NULL where boxes are told */
    char *maps;            /* owns: folder of the maps that are saved, NULL where none are */
    as_route_check routes; /* of the profile phase */
    char name[96];         /* "round2-split" */
    char started[AS_CLOCK_LABEL];
    double total_s;
} slot;

static void name_slot(slot *s)
{
    const char *policy = s->place->policies[s->order->policy].name;
    if (s->order->phase != AS_PHASE_FORMAL)
        snprintf(s->name, sizeof s->name, "%s-%s", as_phase_name(s->order->phase), policy);
    else if (s->order->repeat == 0)
        snprintf(s->name, sizeof s->name, "round%d-%s", s->order->round + 1, policy);
    else
        snprintf(s->name, sizeof s->name, "round%d-%s-again%d", s->order->round + 1, policy,
                 s->order->repeat);
}

static as_job make_job(const as_slot_place *place, const as_slot_order *order)
{
    as_job job = {.policy_text = place->policies[order->policy].text,
                  .n_cycles = 1,
                  .inputs = place->inputs,
                  .n_inputs = place->n_inputs,
                  .calls = place->calls,
                  .n_calls = place->n_calls};
    switch (order->phase) {
    case AS_PHASE_SMOKE:
        job.n_calls = as_min(place->n_calls, (size_t)place->run->n_smoke_calls);
        break;
    case AS_PHASE_PROFILE:
        job.first_call = (int)as_profile_call(place->calls, place->n_calls);
        job.calls += job.first_call;
        job.n_calls = 1;
        job.is_traced = true;
        break;
    case AS_PHASE_FORMAL:
        job.n_cycles = place->run->n_cycles;
        break;
    }
    /* Every policy tells them in the first round, so that none has more to do than another. */
    job.tells_margins = order->phase != AS_PHASE_PROFILE && order->round == 0;
    job.keeps_margins = job.tells_margins && order->policy == place->run->baseline;
    return job;
}

/* worker_argv, then where model and corpus are; in fresh memory. */
static const char **make_argv(const slot *s)
{
    const as_slot_place *place = s->place;
    static const char *const own[] = {"/proc/self/exe", "worker", NULL};
    const char *const *worker = place->control->worker_argv ? place->control->worker_argv : own;
    size_t n = 0;
    while (worker[n])
        n++;
    const char **argv = as_alloc_array(n + 9, sizeof *argv);
    if (!argv) return NULL;
    memcpy(argv, worker, n * sizeof *argv);
    const struct {
        const char *option, *value; /* left out where there is none */
    } words[] = {{"--model", place->run->model_path},
                 {"--corpus", place->run->corpus_path},
                 {"--outputs", s->outputs},
                 {"--maps", s->maps}};
    for (size_t i = 0; i < AS_COUNT_OF(words); i++) {
        if (!words[i].value) continue;
        argv[n++] = words[i].option;
        argv[n++] = words[i].value;
    }
    return argv;
}

/* An empty folder for the outputs, where tensors are compared. */
static assay_code prepare_outputs(slot *s, assay_error *err)
{
    as_compare_kind kind;
    const char *compare = s->place->run->compare;
    assay_code code = as_compare_parse(compare ? compare : "", &kind, err);
    if (code || kind == AS_COMPARE_BOXES) return code;
    s->job.keeps_outputs = true;
    s->outputs = as_outputs_folder(s->place->run_folder);
    if (!s->outputs) return as_fail(err, ASSAY_E_MEMORY, "no memory for a folder of outputs");
    code = as_path_remove(s->outputs, err);
    return code ? code : as_folder_make(s->outputs, err);
}

/* The first round's maps are saved; evidence has the hashes of all. */
static assay_code prepare_maps(slot *s, assay_error *err)
{
    const as_slot_order *o = s->order;
    if (!s->place->run->saves_maps || o->phase != AS_PHASE_FORMAL || o->round > 0)
        return ASSAY_OK;
    char *all = as_path_join(s->place->run_folder, AS_MAPS_FOLDER);
    s->maps = as_format("%s/%s", all ? all : "", s->place->policies[o->policy].name);
    assay_code code = all && s->maps ? as_folder_make(all, err)
                                     : as_fail(err, ASSAY_E_MEMORY, "no memory to save maps");
    if (!code) code = as_folder_make(s->maps, err);
    as_free(all);
    return code;
}

static assay_code start(slot *s, assay_error *err)
{
    const char **argv = make_argv(s);
    char *log = as_format("%s/logs/%s.log", s->place->run_folder, s->name);
    assay_code code =
        argv && log ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to start a worker");
    if (!code) {
        as_process_options options = as_process_defaults(argv);
        options.name = "the worker";
        options.in = options.out = (as_stream){.kind = AS_STREAM_PIPE};
        options.err = (as_stream){.kind = AS_STREAM_FILE, .path = log};
        options.wall_s = s->place->run->slot_timeout_s;
        options.stop = s->place->control->stop;
        options.stop_context = s->place->control->stop_context;
        code = as_process_start(&options, &s->process, err);
    }
    as_free(argv);
    as_free(log);
    return code;
}

/* A worker that takes no job has died or will tell why: both are seen when its output is read. */
static assay_code give_job(slot *s, assay_error *err)
{
    char *text;
    assay_code code = as_job_write(&s->job, &text, err);
    if (!code) code = as_process_write(s->process, text, strlen(text), err);
    if (code == ASSAY_E_CHILD) code = ASSAY_OK;
    as_process_close_in(s->process);
    as_free(text);
    return code;
}

/* Rows that wait in memory: a slot of usual length stores nothing while its worker computes. */
enum { ROWS_MAX = 8192 };

/* Hand on the rows that were told so far.  What a traced call took and answered is no measurement. */
static assay_code pass_on(slot *s, assay_error *err)
{
    as_slot_record part = {.routes = s->routes.rows, .n_routes = s->routes.n};
    as_yield_record(s->yield, &part);
    if (s->job.is_traced) part.n_samples = part.n_answers = part.n_noise = 0;
    assay_code code = s->place->sink.add(s->place->sink.context, &part, err);
    as_yield_forget(s->yield);
    return code;
}

/* Gather lines until the worker's output ends; what the worker did wrong goes to *told. */
static assay_code gather(slot *s, assay_error *told, assay_error *err)
{
    const as_trial_watch *watch = &s->place->control->watch;
    size_t n_told = 0;
    for (;;) {
        char *line;
        assay_code code = as_process_read_line(s->process, 0, &line, err);
        if (code == ASSAY_E_CHILD) return ASSAY_OK; /* out of time: its end will say so */
        if (code || !line) return code;
        code = as_yield_take(s->yield, line, told);
        as_free(line);
        if (code == ASSAY_E_MEMORY && !as_yield_has_error(s->yield)) {
            if (err) *err = *told;
            return code; /* ours, not the worker's */
        }
        if (code) {
            as_process_kill(s->process);
            return ASSAY_OK;
        }
        if (as_yield_rows(s->yield) > ROWS_MAX) code = pass_on(s, err);
        if (code) return code;
        if (as_yield_calls(s->yield) == n_told) continue;
        n_told = as_yield_calls(s->yield);
        if (watch->step) watch->step(watch->context, n_told);
    }
}

/* Start, talk, wait.  @return as as_slot_run; the worker's failure goes to *told. */
static assay_code talk(slot *s, assay_error *told, assay_error *err)
{
    assay_code code = s->place->sink.begin(s->place->sink.context, err);
    if (!code) code = prepare_outputs(s, err);
    if (!code) code = prepare_maps(s, err);
    if (!code) code = start(s, err);
    if (!code) code = give_job(s, err);
    if (!code) code = gather(s, told, err);
    return code ? code : as_process_wait(s->process, leave_within_s, &s->result, err);
}

/* What is wrong with the worker's end, as a phrase; "" when nothing is. */
static void describe_end(const slot *s, const assay_error *told, char *text, size_t room)
{
    char how[128];
    size_t n_calls = s->job.n_calls * (size_t)s->job.n_cycles;
    bool is_whole = as_yield_is_whole(s->yield);
    bool was_killed = s->result.end == AS_PROCESS_SIGNALLED && s->result.signal == SIGKILL;
    as_process_describe(&s->result, how, sizeof how);
    text[0] = '\0';
    if (told->code)
        snprintf(text, room, "%s%s%s", told->where, told->where[0] ? ": " : "", told->message);
    else if (s->result.end == AS_PROCESS_TIMED_OUT && is_whole)
        snprintf(text, room, "the worker told all %zu calls, but did not leave within %.0f s",
                 n_calls, leave_within_s);
    else if (s->result.end == AS_PROCESS_TIMED_OUT)
        snprintf(text, room,
                 "the worker hung after %zu of %zu calls and was killed after %.1f s, "
                 "--slot-timeout allows %.1f s",
                 as_yield_calls(s->yield), n_calls, s->result.wall_s,
                 s->place->run->slot_timeout_s);
    else if (!is_whole || s->result.end != AS_PROCESS_EXITED || s->result.status != 0)
        snprintf(text, room,
                 "the worker crashed: %s%s after %zu of %zu calls%s; its output is in "
                 "logs/%s.log",
                 how, was_killed ? ", as the system kills where memory runs out," : "",
                 as_yield_calls(s->yield), n_calls, is_whole ? " and its end" : "", s->name);
}

static void fail(const slot *s, assay_code code, const char *what, as_slot_end *end)
{
    char turn[32];
    end->state = AS_SLOT_FAILED;
    end->code = code;
    if (s->order->phase == AS_PHASE_FORMAL)
        snprintf(turn, sizeof turn, "round %d", s->order->round + 1);
    else
        snprintf(turn, sizeof turn, "the %s phase", as_phase_name(s->order->phase));
    snprintf(end->sentence, sizeof end->sentence, "policy %s in %s: %s",
             s->place->policies[s->order->policy].name, turn, what);
}

static void judge(const slot *s, const assay_error *told, as_slot_end *end)
{
    char what[400];
    *end = (as_slot_end){.state = AS_SLOT_FINISHED, .total_s = s->total_s};
    if (!s->job.is_traced) {
        end->n_bad_clock = as_yield_bad_clocks(s->yield);
        end->n_calls = (int64_t)as_yield_calls(s->yield);
        end->has_noise = as_yield_noise(s->yield, &end->noise);
    }
    describe_end(s, told, what, sizeof what);
    if (what[0]) fail(s, told->code ? told->code : ASSAY_E_CHILD, what, end);
}

/* Hold the operators that ran to those that the policy names. */
static assay_code check_routes(slot *s, const as_profile_row *seen, as_slot_end *end,
                               assay_error *err)
{
    as_trace *trace = NULL;
    json_t *told = NULL;
    char what[200];
    assay_code code = as_json_parse(seen->trace, strlen(seen->trace), 0, &told, err);
    if (!code) code = as_trace_parse(told, &trace, err);
    if (!code) as_route_check_make(&s->place->policies[s->order->policy], trace, &s->routes);
    const as_route_row *broken = code ? NULL : as_route_check_broken(&s->routes);
    if (broken && end->state == AS_SLOT_FINISHED) {
        as_route_row_describe(broken, what, sizeof what);
        fail(s, ASSAY_E_DIFFERENT, what, end);
    }
    json_decref(told);
    as_trace_free(trace);
    return code;
}

static assay_code store(slot *s, as_slot_end *end, assay_error *err)
{
    char how[128], log[128];
    as_process_describe(&s->result, how, sizeof how);
    snprintf(log, sizeof log, "%s.log", s->name);
    as_slot_record record = {0};
    as_yield_record(s->yield, &record);
    assay_code code =
        record.n_profiles ? check_routes(s, &record.profiles[0], end, err) : ASSAY_OK;
    if (code) return code;
    record.slot.phase = s->order->phase;
    record.slot.round = s->order->round;
    record.slot.repeat = s->order->repeat;
    record.slot.position = s->order->position;
    record.slot.policy = s->order->policy;
    record.slot.state = end->state;
    record.slot.started = s->started;
    record.slot.total_s = s->total_s;
    record.slot.exit = how;
    record.slot.error = end->sentence;
    record.slot.error_code = end->code ? assay_code_name(end->code) : "";
    record.slot.log = log;
    const as_slot_sink *sink = &s->place->sink;
    code = pass_on(s, err);
    if (!code && s->outputs && end->state == AS_SLOT_FINISHED && !s->job.is_traced)
        code = sink->keep_outputs(sink->context, s->outputs, err);
    return code ? code : sink->end(sink->context, &record.slot, err);
}

assay_code as_slot_run(const as_slot_place *place, const as_slot_order *order, as_slot_end *end,
                       assay_error *err)
{
    slot s = {.place = place, .order = order, .job = make_job(place, order)};
    const as_trial_watch *watch = &place->control->watch;
    assay_error told = {0};
    name_slot(&s);
    as_clock_label(s.started);
    s.yield = as_yield_new(&s.job);
    if (!s.yield) return as_fail(err, ASSAY_E_MEMORY, "no memory for slot %s", s.name);
    if (watch->begin)
        watch->begin(watch->context, s.name, s.job.n_calls * (size_t)s.job.n_cycles);
    int64_t begin_ns = as_clock_ns();
    assay_code code = talk(&s, &told, err);
    s.total_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    if (watch->end) watch->end(watch->context);
    if (!code) {
        judge(&s, &told, end);
        code = store(&s, end, err);
    }
    as_process_result_free(&s.result);
    as_process_free(s.process);
    as_yield_free(s.yield);
    if (s.outputs && as_path_remove(s.outputs, code ? NULL : err) && !code) code = ASSAY_E_IO;
    as_free(s.outputs);
    as_free(s.maps);
    return code;
}
