/* SPDX-License-Identifier: Apache-2.0 */
#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "image/image.h"

const double synthetic_share[5] = {1.0, 1.2, 0.9, 0.8, 1.0};

static const as_policy_row policies[5] = {
    {"base", "base=native", "native"},
    {"gemm", "gemm=native,conv=gemm", "native"},
    {"split", "split=native,split-at=16,split-to=8", "native"},
    {"bucket", "bucket=native,bucket=64", "native"},
    {"broken", "broken=native,threads=7", "native"}};

enum { N_CALLS = 3 };
static const int call_first[N_CALLS] = {0, 16, 18};
static const int call_size[N_CALLS] = {16, 2, 3};

static int64_t forward_ns(int policy, int round, int n)
{
    double jitter = 1 + ((round * 7 + policy * 3) % 5) / 250.0;
    return llround(n * 1e7 * (1 + round / 100.0) * jitter * synthetic_share[policy]);
}

double synthetic_detection_s(int policy, int round)
{
    int64_t ns = 0;
    for (int c = 0; c < N_CALLS; c++)
        ns += forward_ns(policy, round, call_size[c]) + call_size[c] * INT64_C(1600000);
    return (double)ns / 1e9;
}

char *synthetic_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = as_format("%s/assay-report-XXXXXX", base && *base ? base : P_tmpdir);
    assert_non_null(folder);
    assert_non_null(mkdtemp(folder));
    return folder;
}

void synthetic_remove(char *folder)
{
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
    as_free(folder);
}

/** A box of the truth; the k-th of input i, bucket's with one corner moved. */
static as_evidence_box box_of(const synthetic *what, int i, int k, bool moved)
{
    int x = 10 + 3 * i, y = 12 + 30 * k;
    as_evidence_box box = {.corners = {{x, y}, {x + 90, y}, {x + 90, y + 18}, {x, y + 18}},
                           .score = 0.7 + 0.01 * k};
    if (moved) {
        box.corners[2][0] += 3;
        box.corners[2][1] += 4;
    }
    if (what->is_wild) box.score = k == 0 ? NAN : INFINITY;
    return box;
}

/** Inputs, calls and documents. */
typedef struct corpus {
    as_document_row documents[2];
    as_input_row inputs[SYNTHETIC_INPUTS];
    as_call_row calls[N_CALLS];
    int members[SYNTHETIC_INPUTS];
    char ids[SYNTHETIC_INPUTS][16], files[SYNTHETIC_INPUTS][32];
} corpus;

static void fill_corpus(const synthetic *what, corpus *c)
{
    static const char *const call_ids[N_CALLS] = {"a0", "a1", "b0"};
    c->documents[0] = (as_document_row){"notes.pdf", "d0"};
    c->documents[1] = (as_document_row){"form.pdf", "d1"};
    if (what->has_hostile_names) {
        c->documents[0].name = "<script>|a*b_\"`.pdf";
        c->documents[1].name = "caf\xe9\x1b[31m,\"x\"\n.pdf";
    }
    for (int i = 0; i < SYNTHETIC_INPUTS; i++) {
        snprintf(c->ids[i], sizeof c->ids[i], "p%d-r%d", i / 6 + 1, i % 6 + 1);
        snprintf(c->files[i], sizeof c->files[i], "regions/%s.png", c->ids[i]);
        c->members[i] = i;
        c->inputs[i] = (as_input_row){.id = c->ids[i],
                                      .file = c->files[i],
                                      .sha256 = "in",
                                      .document = i >= 18,
                                      .page = i / 6 + 1,
                                      .width_px = 240,
                                      .height_px = 120,
                                      .network_h = 128,
                                      .network_w = 256,
                                      .thresh = 0.3,
                                      .box_thresh = 0.6,
                                      .unclip = 1.5,
                                      .limit_side = 960,
                                      .limit_type = "max"};
    }
    for (int k = 0; k < N_CALLS; k++)
        c->calls[k] = (as_call_row){.id = call_ids[k],
                                    .document = k == 2,
                                    .shape = {(size_t)call_size[k], 3, 128, 256},
                                    .inputs = &c->members[call_first[k]]};
}

static as_evidence_writer *create(const synthetic *what, const char *path)
{
    corpus c;
    fill_corpus(what, &c);
    as_order_row orders[64];
    size_t n_orders = 0;
    for (int r = 0; r < what->n_rounds; r++)
        for (int at = 0; at < what->n_policies; at++)
            orders[n_orders++] = (as_order_row){
                r, at, (at + what->n_policies - r % what->n_policies) % what->n_policies};
    as_evidence_plan plan = {
        .run = {.assay_version = "0.1.0",
                .created = "2026-09-18T09:00:00Z",
                .finished = what->state == AS_RUN_FINISHED ? "2026-09-18T09:05:00Z" : "",
                .command = "assay experiment --model m.onnx --corpus pages -o run",
                .model_name = "m.onnx",
                .model_path = "models/m.onnx",
                .model_sha256 = "aaaa",
                .corpus_name = "pages",
                .corpus_path = "pages",
                .manifest_sha256 = "bbbb",
                .program_sha256 = "cccc",
                .seed = 20260918,
                .order = "latin",
                .n_rounds = what->n_rounds,
                .n_cycles = 1,
                .n_smoke_calls = 3,
                .n_traces = what->n_traces ? what->n_traces : 1,
                .baseline = 0,
                .on_difference = AS_ON_DIFFERENCE_MEASURE,
                .exclusive_hardware = false,
                .machine_json = "{\"cpu\":\"Imaginary 9000\",\"kernel\":\"6.1\",\"cpus\":2,"
                                "\"libraries\":{\"leptonica\":\"1.82\"}}",
                .findings_json =
                    "[{\"name\":\"load\",\"severity\":\"spoils\",\"seen\":\"load average 3.00 "
                    "on 2 CPUs\",\"said\":[[\"load average %.2f on %zu CPUs\",\"3.00\",\"2\"]],"
                    "\"effect\":\"other work takes CPU time, caches and memory bandwidth\","
                    "\"advice\":\"stop it, or wait until it is done\"},"
                    "{\"name\":\"turbo\",\"severity\":\"note\",\"seen\":\"turbo on\","
                    "\"effect\":\"speed varies\",\"advice\":\"switch it off\"}]",
                .state = what->state,
                .budget_s = what->n_bought ? 600 : 0,
                .n_bought = what->n_bought,
                .unfit = what->unfit ? what->unfit : ""},
        .policies = policies,
        .n_policies = (size_t)what->n_policies,
        .orders = orders,
        .n_orders = n_orders,
        .documents = c.documents,
        .n_documents = 2,
        .inputs = c.inputs,
        .n_inputs = SYNTHETIC_INPUTS,
        .calls = c.calls,
        .n_calls = N_CALLS};
    as_evidence_writer *writer;
    assay_error err = {0};
    if (as_evidence_create(path, &plan, &writer, &err)) fail_msg("%s", err.message);
    return writer;
}

static void add_failed_slot(as_evidence_writer *writer, int round, int policy)
{
    as_slot_record record = {.slot = {.phase = AS_PHASE_FORMAL,
                                      .round = round,
                                      .position = policy,
                                      .policy = policy,
                                      .state = AS_SLOT_FAILED,
                                      .started = "2026-09-18T09:02:00Z",
                                      .load_s = NAN,
                                      .cleanup_s = NAN,
                                      .total_s = 0.4,
                                      .user_s = 0.1,
                                      .system_s = 0.1,
                                      .exit = "signal 11 (Segmentation fault)",
                                      .error = "The worker of broken crashed in call a1",
                                      .error_code = "ASSAY_E_CHILD",
                                      .log = "round-2-broken.log"}};
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_OK);
}

/** What a slot's worker yields, with the memory that the record borrows. */
typedef struct yield {
    as_evidence_shape pieces[N_CALLS];
    as_sample_row samples[N_CALLS];
    as_evidence_box boxes[SYNTHETIC_INPUTS][4];
    as_slot_answer answers[SYNTHETIC_INPUTS];
    as_memory_row memory[2];
    as_noise_row noise;
} yield;

static int64_t slowed(const synthetic *what, int64_t ns)
{
    return what->slowdown > 0 ? llround((double)ns * what->slowdown) : ns;
}

static void fill_samples(const synthetic *what, int round, int policy, yield *y)
{
    for (int c = 0; c < N_CALLS; c++) {
        int64_t n = call_size[c];
        y->pieces[c] = (as_evidence_shape){(size_t)n, 3, 128, 256};
        y->samples[c] =
            (as_sample_row){.call = c,
                            .shape = y->pieces[c],
                            .n_pieces = 1,
                            .pieces = &y->pieces[c],
                            .preprocess_ns = n * 1000000,
                            .forward_ns = slowed(what, forward_ns(policy, round, call_size[c])),
                            .transfer_ns = n * 100000,
                            .postprocess_ns = n * 500000,
                            .map_sha256 = "ff",
                            .n_not_finite = what->is_wild && policy == 1};
        if (!what->breaks_clock || policy != 0 || round != 0 || c != 1) continue;
        y->samples[c].clock = AS_CLOCK_DISAGREES;
        y->samples[c].forward_ns = INT64_C(3600000000000);
    }
}

static void fill_answers(const synthetic *what, int round, int policy, yield *y)
{
    bool wavers = what->baseline_wavers && policy == 0 && round + 1 == what->n_rounds_done;
    for (int i = 0; i < SYNTHETIC_INPUTS; i++) {
        bool moved = (policy == 3 && i >= 1 && i <= 3) || (wavers && i == 5);
        for (int k = 0; k < i % 4; k++)
            y->boxes[i][k] = box_of(what, i, k, moved && k == 0);
        y->answers[i] = (as_slot_answer){0, i, y->boxes[i], (size_t)(i % 4), NULL};
    }
}

static void fill_memory(int policy, yield *y)
{
    as_memory_row busy = {.when = "call",
                          .process = "worker",
                          .rss_bytes = 200 << 20,
                          .pss_bytes = (150 + 10 * policy) << 20,
                          .uss_bytes = 140 << 20,
                          .peak_rss_bytes = (220 + policy) << 20,
                          .swap_used_bytes = 0};
    y->memory[0] = y->memory[1] = busy;
    y->memory[1].when = "exit";
    y->memory[1].cycle = y->memory[1].document = y->memory[1].call = -1;
    y->memory[1].pss_bytes = 80 << 20;
}

static void fill_noise(const synthetic *what, int round, int policy, yield *y)
{
    y->noise = (as_noise_row){.noise = {.wall_s = 10,
                                        .cpu_s = 7.5,
                                        .run_delay_s = round == 1 && policy == 1 ? 0.8 : 0.1,
                                        .psi_cpu_s = 0.2,
                                        .total_ticks = 2000,
                                        .n_throttled = -1},
                              .n_bad_clock = what->breaks_clock && policy == 0 && round == 0};
}

static as_slot_row slot_row(const synthetic *what, as_phase phase, int round, int policy)
{
    return (as_slot_row){.phase = phase,
                         .round = round,
                         .position = policy,
                         .policy = policy,
                         .state = AS_SLOT_FINISHED,
                         .started = "2026-09-18T09:01:00Z",
                         .load_s = 0.05,
                         .cleanup_s = 0.01,
                         .total_s = synthetic_detection_s(policy, round) + 0.2,
                         .user_s = 0.2,
                         .system_s = 0.02,
                         .n_loads = 1,
                         .n_forwards = policy == 2 ? 4 : 3,
                         .n_calls = 3,
                         .major_faults =
                             what->has_snapshots && round == 1 && policy == 0 ? 3 : 0,
                         .exit = "exit status 0",
                         .error = "",
                         .error_code = "",
                         .log = "slot.log"};
}

static void add_slot(const synthetic *what, as_evidence_writer *writer, as_phase phase,
                     int round, int policy)
{
    static const as_engine_row engine = {
        0, "start",
        "{\"engine\":\"native\",\"version\":\"0.1.0\",\"device\":\"cpu\",\"dtype\":\"float32\","
        "\"isa\":\"avx2\",\"flags\":\"fuse=on\",\"threads\":2}"};
    static const as_pass_row pass = {
        0, "fold_batch_norm", 120, 90, 0.002, "Conv:40 BatchNormalization:30", "Conv:40"};
    yield y;
    fill_samples(what, round, policy, &y);
    fill_answers(what, round, policy, &y);
    fill_memory(policy, &y);
    fill_noise(what, round, policy, &y);
    as_slot_record record = {.slot = slot_row(what, phase, round, policy),
                             .samples = y.samples,
                             .n_samples =
                                 what->leaves_out_call && policy == 0 ? N_CALLS - 1 : N_CALLS,
                             .answers = y.answers,
                             .n_answers = SYNTHETIC_INPUTS,
                             .memory = y.memory,
                             .n_memory = 2,
                             .engines = &engine,
                             .n_engines = 1,
                             .noise = &y.noise,
                             .n_noise = what->tells_noise,
                             .passes = &pass,
                             .n_passes = 1};
    assay_error err = {0};
    if (as_evidence_add_slot(writer, &record, &err)) fail_msg("%s", err.message);
}

/** Around round `round`: the pressure grows by 8 % of the round's time in round 2, by 1 % else. */
static void add_snapshot(const synthetic *what, as_evidence_writer *writer, int round,
                         bool is_after)
{
    double wall_s = 0;
    for (int p = 0; p < what->n_policies; p++)
        wall_s += synthetic_detection_s(p, round) + 0.2;
    int64_t start = 1000000 * (int64_t)(round + 1);
    as_snapshot_row row = {
        .phase = AS_PHASE_FORMAL,
        .round = round,
        .moment = is_after ? "after" : "before",
        .taken = "2026-09-18T09:01:00Z",
        .load_1 = 0.5,
        .load_5 = 0.4,
        .load_15 = NAN,
        .psi_cpu_avg10 = 1.25,
        .psi_cpu_total_us =
            start + (is_after ? llround(wall_s * (round == 1 ? 0.08 : 0.01) * 1e6) : 0),
        .steal_ticks = is_after ? 101 : 100,
        .total_ticks = is_after ? 2000 : 1000,
        .n_throttled = -1,
        .throttled_us = -1,
        .swap_used_bytes = 0};
    as_process_row process = {
        .pid = 4242, .name = "other", .cpu_percent = 3.5, .rss_bytes = 1 << 20};
    assert_int_equal(as_evidence_add_snapshot(writer, &row, &process, 1, NULL), ASSAY_OK);
}

/** The pictures of the inputs that bucket or a wavering baseline changes. */
static void add_reviews(const synthetic *what, as_evidence_writer *writer)
{
    for (int i = 1; i <= 5; i++) {
        as_image image = {0};
        as_bytes png = {0};
        if (i <= 3 ? what->n_policies < 4 : i == 4 || !what->baseline_wavers) continue;
        assert_int_equal(as_image_init(&image, 120, 240, NULL), ASSAY_OK);
        assert_int_equal(as_image_encode_png(&image, &png, NULL), ASSAY_OK);
        as_review_row review = {i, png.data, png.size};
        assert_int_equal(as_evidence_add_review(writer, &review, NULL), ASSAY_OK);
        as_bytes_free(&png);
        as_image_free(&image);
    }
}

/** What a traced call of policy 0 or 1 told: two operators of 3 and 1 ms in a forward pass of 5 ms. */
static void add_profile(const synthetic *what, as_evidence_writer *writer, int policy,
                        int repeat)
{
    const int relu = what->profile_relu_ns ? what->profile_relu_ns : 1000000;
    const int relu_ns = relu + relu / 100 * repeat;
    char trace[640];
    snprintf(trace, sizeof trace,
             "{\"tells_operators\":true,\"stages_ns\":[1000000,5000000,0,500000],"
             "\"forwards\":[[0,5000000,3,3,128,256]],"
             "\"operators\":[[\"Conv\",\"%s\",\"c1\",\"3x3x128x256 -> 3x8x64x128\",1,1],"
             "[\"Relu\",\"map\",\"r1\",\"\",1,1]],"
             "\"spans\":[[0,0,500000,3000000,3000000],[1,0,3500000,%d,%d]]}",
             what->profile_route ? what->profile_route : "direct", relu_ns, relu_ns);
    const as_profile_row profile = {0, 2, trace};
    static const as_route_row route = {0, "conv=gemm", "gemm", "ran", 0};
    as_slot_record record = {.slot = slot_row(what, AS_PHASE_PROFILE, 0, policy),
                             .profiles = &profile,
                             .n_profiles = 1,
                             .routes = &route,
                             .n_routes = policy == 1};
    record.slot.repeat = repeat;
    assay_error err = {0};
    if (as_evidence_add_slot(writer, &record, &err)) fail_msg("%s", err.message);
}

void synthetic_write(const synthetic *what, const char *folder)
{
    assert_int_equal(as_folder_make(folder, NULL), ASSAY_OK);
    char *path = as_path_join(folder, AS_EVIDENCE_FILE);
    assert_non_null(path);
    as_evidence_writer *writer = create(what, path);
    const int n_traces = what->n_traces ? what->n_traces : 1;
    for (int p = 0; what->is_smoke_only && p < what->n_policies; p++)
        add_slot(what, writer, AS_PHASE_SMOKE, 0, p);
    for (int k = 0; what->has_profiles && k < 2 * n_traces; k++)
        add_profile(what, writer, k % 2, k / 2);
    for (int r = 0; r < what->n_rounds_done; r++) {
        if (what->has_snapshots) add_snapshot(what, writer, r, false);
        for (int p = 0; p < what->n_policies; p++) {
            if (p == 4 && r > 1) continue;
            if (p == 4 && r == 1)
                add_failed_slot(writer, r, p);
            else
                add_slot(what, writer, AS_PHASE_FORMAL, r, p);
        }
        if (what->has_snapshots) add_snapshot(what, writer, r, true);
    }
    add_reviews(what, writer);
    assay_error err = {0};
    if (as_evidence_writer_close(writer, &err)) fail_msg("%s", err.message);
    as_free(path);
}
