/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker without an engine: it speaks the protocol and answers every input with two boxes that
 * depend on the input alone.  The policy's name says how it misbehaves (its first word).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "trial/job.h"
#include "trial/protocol.h"

/* Calls of the formal slots in fake_run.h; the smoke phase has fewer. */
enum { FORMAL_CALLS = 14, MISHAP_AT = 3, BATCH = 4 };

static void pause_ms(long ms)
{
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&wait, NULL);
}

static int is_mode(const as_job *job, const char *mode)
{
    size_t n = strlen(mode);
    return strncmp(job->policy_text, mode, n) == 0 && strchr("=-", job->policy_text[n]);
}

static as_engine_facts facts_of(const as_job *job, size_t n_forwards)
{
    as_engine_facts facts = {.engine = "fake",
                             .version = "1",
                             .device = "cpu",
                             .dtype = "float32",
                             .isa = "none",
                             .flags = "",
                             .threads = 1,
                             .n_loads = is_mode(job, "reload") ? 2 : 1,
                             .n_forwards = n_forwards,
                             .n_passes = 1};
    strcpy(facts.passes[0].name, "fold");
    facts.passes[0].nodes_before = 9;
    facts.passes[0].nodes_after = 7;
    return facts;
}

static void answer(const as_job *job, int call, int input, int cycle, as_boxes *boxes)
{
    static int n_asked = 0;
    int is_formal = job->n_calls == FORMAL_CALLS;
    as_box box = {.corners = {{input, 1}, {9, 1}, {9, 9}, {input, 9}}, .score = 0.5 + input};
    if (is_mode(job, "other") && call == 1) box.corners[2][0] = 10;
    if (is_mode(job, "later") && is_formal && call == 13) box.corners[2][1] = 10;
    if (is_mode(job, "nearly")) box.score += 0.9e-5;
    if (is_mode(job, "barely") && call == 1) box.score += 1.1e-5;
    if (is_mode(job, "moody") && is_formal && cycle == 1) box.corners[0][0] += n_asked % 2;
    n_asked++;
    as_boxes_add(boxes, &box, NULL);
    box.corners[0][1] = 0;
    if (!is_mode(job, "fewer") || call != 2) as_boxes_add(boxes, &box, NULL);
}

static void misbehave(const as_job *job, int call)
{
    int is_formal = job->n_calls == FORMAL_CALLS;
    if (call != MISHAP_AT) return;
    if (is_mode(job, "crash") && is_formal) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn it into an exit */
        raise(SIGSEGV);
    }
    if (is_mode(job, "oomkilled") && is_formal) raise(SIGKILL);
    if (is_mode(job, "nomemory") && is_formal) {
        assay_error why = {.code = ASSAY_E_MEMORY, .message = "no memory for 9 boxes"};
        as_protocol_error(stdout, &why);
        _exit(5);
    }
    if (is_mode(job, "hang") && is_formal) pause_ms(60000);
    if (is_mode(job, "smokecrash")) abort();
    if (is_mode(job, "truncate") && is_formal) {
        printf("{\"event\":\"call\",\"cycle\":0,\"ca");
        fflush(stdout);
        _exit(0);
    }
    if (is_mode(job, "early") && is_formal) _exit(0);
    if (is_mode(job, "garbage") && is_formal) printf("lalala\n");
    if (is_mode(job, "unfit") || is_mode(job, "broken")) {
        assay_error why = {.code = is_mode(job, "unfit") ? ASSAY_E_ENVIRONMENT : ASSAY_E_FORMAT,
                           .message = "threads is 1, 2 is needed",
                           .where = "call c3"};
        as_protocol_error(stdout, &why);
        _exit(3);
    }
}

/* A quiet machine, but for what the mode says.  "once" is dirty in the first formal slot of a corpus. */
static void tell_noise(const as_job *job, const char *corpus)
{
    as_noise noise = {.wall_s = 10,
                      .cpu_s = 9,
                      .psi_cpu_s = 0.1,
                      .total_ticks = 1000,
                      .n_throttled = -1,
                      .cycles = -1,
                      .instructions = -1};
    int is_formal = job->n_calls == FORMAL_CALLS;
    if (is_mode(job, "dirty") && is_formal) noise.run_delay_s = 0.7;
    if (is_mode(job, "throttled") && is_formal) noise.n_throttled = 3;
    if (is_mode(job, "once") && is_formal) {
        char path[256];
        snprintf(path, sizeof path, "%s/dirty-once", corpus);
        if (access(path, F_OK) != 0) noise.major_faults = 2;
        FILE *mark = fopen(path, "w");
        if (mark) fclose(mark);
    }
    as_protocol_noise(stdout, &noise, NULL);
}

/* One operator; what it is called follows the policy's name. */
static void tell_trace(const as_job *job, int cycle, int call)
{
    const as_call_row *row = &job->calls[call];
    as_trace *trace;
    if (as_trace_new(&trace, NULL)) abort();
    trace->tells_operators = !is_mode(job, "mute");
    as_trace_add_forward(trace,
                         &(as_traced_forward){.elapsed_ns = 100000,
                                              .n = row->shape.n,
                                              .c = row->shape.c,
                                              .h = row->shape.h,
                                              .w = row->shape.w},
                         NULL);
    const as_traced_operator op = {.op = "Conv",
                                   .route = is_mode(job, "otherway") ? "winograd4" : "direct",
                                   .name = "stem",
                                   .shape = "",
                                   .n_nodes = 1,
                                   .count = 1};
    as_trace_add_operator(trace, &op, NULL);
    as_trace_add_span(trace, &(as_traced_span){0, 0, 10, 20, 20}, NULL);
    as_protocol_trace(stdout, cycle, call, trace, NULL);
    as_trace_free(trace);
}

static void run_call(const as_job *job, int cycle, int call)
{
    as_boxes boxes[BATCH] = {{0}};
    const as_call_row *row = &job->calls[call];
    as_shape4 shape = {row->shape.n, row->shape.c, row->shape.h, row->shape.w};
    as_call_report report = {.call = shape,
                             .n_pieces = 1,
                             .pieces = {shape},
                             .preprocess_ns = 1000,
                             .forward_ns = 100000 + call,
                             .transfer_ns = 10,
                             .postprocess_ns = 2000};
    if (is_mode(job, "backclock") && call == 2) {
        report.clock = AS_CLOCK_NEGATIVE;
        report.forward_ns = -52000;
    }
    memset(report.map_sha256, 'a', sizeof report.map_sha256 - 1);
    if (is_mode(job, "reshape") && call == 2) report.call.h++;
    if (is_mode(job, "halfpiece") && call == 2) report.pieces[0].n--;
    if (is_mode(job, "backwards") && call == 2) report.forward_ns = -1;
    for (size_t i = 0; i < row->shape.n; i++)
        answer(job, call, row->inputs[i], cycle, &boxes[i]);
    misbehave(job, call);
    as_protocol_call(stdout, cycle, call, &report, boxes, NULL);
    if (is_mode(job, "twice") && call == 2)
        as_protocol_call(stdout, cycle, call, &report, boxes, NULL);
    for (size_t i = 0; i < row->shape.n; i++)
        as_boxes_free(&boxes[i]);
    if (job->is_traced && !is_mode(job, "untraced")) tell_trace(job, cycle, call);
    as_memory_sample sample;
    as_memory_sample_take("", 0, &sample);
    as_protocol_memory(stdout,
                       &(as_memory_moment){"call", cycle, row->document, call, "worker"},
                       &sample, NULL);
    if (is_mode(job, "slow")) pause_ms(3);
}

int main(int argc, char **argv)
{
    as_arena *arena = as_arena_new();
    as_job job;
    as_worker_usage usage = {.user_s = 0.1, .system_s = 0.2};
    assay_error err;
    if (argc != 5 || strcmp(argv[1], "--model") != 0 || strcmp(argv[3], "--corpus") != 0)
        return 2;
    if (!arena || as_job_read(stdin, arena, &job, &err)) return 4;
    if (is_mode(&job, "hardware") && job.n_calls == FORMAL_CALLS) _exit(7);
    fprintf(stderr, "fake worker of %s\n", job.policy_text);
    as_engine_facts facts = facts_of(&job, 0);
    as_protocol_loaded(stdout, 5000000, &facts, &err);
    for (int cycle = 0; cycle < job.n_cycles; cycle++)
        for (size_t i = 0; i < job.n_calls; i++) {
            run_call(&job, cycle, (int)i);
            if (i + 1 == job.n_calls || job.calls[i + 1].document != job.calls[i].document)
                as_protocol_cleanup(stdout, cycle, job.calls[i].document, 1000000, &err);
        }
    tell_noise(&job, argv[4]);
    facts = facts_of(&job, job.n_calls * (size_t)job.n_cycles);
    as_protocol_end(stdout, 2000000, &facts, &usage, &err);
    int status = is_mode(&job, "sulky") ? 9 : 0;
    as_arena_free(arena);
    return status;
}
