/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_EVIDENCE_PLANNED_H
#define ASSAY_TESTS_EVIDENCE_PLANNED_H
/*
 * A run of two policies, three inputs and two calls, a slot with a row in every table, and a fresh
 * folder for each test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "evidence/evidence.h"
#include "evidence/writer.h"

static const as_policy_row policies[] = {{"base", "base=native", "native"},
                                         {"gemm", "gemm=native,conv=gemm", "native"}};
static const as_order_row orders[] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
static const as_document_row documents[] = {{"a \"quoted\".pdf", "aa"}, {"b.pdf", "bb"}};
static const as_input_row inputs[] = {
    {"p1-r1", "regions/p1-r1.png", "11", 0, 1, 300, 20, 32, 320, 0.3, 0.6, 1.5, 960, "max", ""},
    {"p1-r2", "regions/p1-r2.png", "22", 0, 1, 301, 21, 32, 320, 0.3, 0.6, 1.5, 960, "max", ""},
    {"p2-r1", "regions/p2-r1.png", "33", 1, 7, 640, 640, 640, 640, 0.2, 0.5, 2.0, 736, "min",
     ""}};
static const int first_inputs[] = {1, 0}, second_inputs[] = {2};
static const as_call_row calls[] = {{"c1", 0, {2, 3, 32, 320}, first_inputs},
                                    {"c2", 1, {1, 3, 640, 640}, second_inputs}};

static inline as_evidence_plan make_plan(void)
{
    return (as_evidence_plan){.run = {.assay_version = "0.1.0",
                                      .created = "2026-09-18T09:00:00Z",
                                      .finished = "",
                                      .command = "assay experiment -o 'a b'",
                                      .model_name = "m.onnx",
                                      .model_path = "/somewhere/m.onnx",
                                      .model_sha256 = "m256",
                                      .corpus_name = "corpus",
                                      .corpus_path = "/somewhere/corpus",
                                      .manifest_sha256 = "c256",
                                      .program_sha256 = "p256",
                                      .seed = -9007199254740993,
                                      .order = "latin",
                                      .n_rounds = 2,
                                      .n_cycles = 3,
                                      .n_smoke_calls = 12,
                                      .n_traces = 1,
                                      .baseline = 1,
                                      .on_difference = AS_ON_DIFFERENCE_MEASURE,
                                      .slot_timeout_s = 0.5,
                                      .exclusive_hardware = true,
                                      .machine_json = "{\"cpu\":\"x\"}",
                                      .findings_json = "[]",
                                      .state = AS_RUN_SMOKE,
                                      .corpus_calls = 638,
                                      .corpus_inputs = 2280},
                              .policies = policies,
                              .n_policies = 2,
                              .orders = orders,
                              .n_orders = 4,
                              .documents = documents,
                              .n_documents = 2,
                              .inputs = inputs,
                              .n_inputs = 3,
                              .calls = calls,
                              .n_calls = 2};
}

static const as_evidence_shape pieces[] = {{1, 3, 32, 320}, {1, 3, 32, 384}};
static const as_sample_row samples[] = {
    {0, 0, 0, {2, 3, 32, 320}, 2, pieces, 11, 22, 33, 44, "hash0", 0, AS_CLOCK_GOOD},
    {0,
     0,
     1,
     {1, 3, 640, 640},
     1,
     pieces,
     1,
     2,
     3,
     INT64_C(5000000000),
     "hash1",
     7,
     AS_CLOCK_DISAGREES}};
static const as_evidence_box boxes[] = {{{{0, -1}, {2, 3}, {4, 5}, {6, INT32_MAX}}, 0.75},
                                        {{{9, 9}, {9, 9}, {9, 9}, {9, 9}}, INFINITY},
                                        {{{8, 9}, {9, 9}, {9, 9}, {9, 9}}, NAN}};
static const as_slot_answer answers[] = {{0, 0, boxes, 3, NULL},
                                         {0, 1, boxes, 2, NULL},
                                         {0, 2, NULL, 0, NULL},
                                         {1, 0, boxes, 3, NULL}};
static const as_cleanup_row cleanups[] = {{0, 0, 0, 0.25}, {0, 0, 1, 0.5}};
static const as_memory_row memory[] = {
    {0, "start", -1, -1, -1, "worker", 100, 90, 80, 110, 0},
    {0, "call", 0, 1, 1, "worker", 1000, -1, -1, 1100, 4096}};
static const as_engine_row engines[] = {{0, "start", "{\"threads\":2}"}, {0, "exit", "{}"}};
static const as_pass_row passes[] = {{0, "fold-bn", 100, 90, 0.001, "Conv:50", "Conv:40"}};

static const as_profile_row profiles[] = {{0, 1, "{\"spans\":[]}"}};
static const as_route_row routes[] = {{0, "winograd=off", "winograd", "absent", 0},
                                      {0, "conv=gemm", "gemm", "ran", 7}};

static const as_noise_row noise[] = {{.noise = {.wall_s = 2.5,
                                                .cpu_s = 2,
                                                .run_delay_s = NAN,
                                                .psi_cpu_s = 0.125,
                                                .steal_ticks = 3,
                                                .total_ticks = 500,
                                                .n_throttled = -1,
                                                .major_faults = 4,
                                                .switches_wanted = 5,
                                                .switches_forced = 6,
                                                .cycles = INT64_C(7000000000),
                                                .instructions = -1,
                                                .probe_before = 2.75,
                                                .probe_after = 2.5},
                                      .n_bad_clock = 1}};

static inline as_slot_record make_slot(as_phase phase, int round, int policy)
{
    return (as_slot_record){.slot = {.phase = phase,
                                     .round = round,
                                     .position = 1,
                                     .policy = policy,
                                     .state = AS_SLOT_FINISHED,
                                     .started = "2026-09-18T09:00:01Z",
                                     .load_s = 0.5,
                                     .cleanup_s = 0.75,
                                     .total_s = NAN,
                                     .user_s = 1,
                                     .system_s = 2,
                                     .n_loads = 1,
                                     .n_forwards = 3,
                                     .n_calls = 2,
                                     .exit = "exit status 0",
                                     .error = "",
                                     .log = "smoke-base.log"},
                            .samples = samples,
                            .n_samples = 2,
                            .answers = answers,
                            .n_answers = 4,
                            .cleanups = cleanups,
                            .n_cleanups = 2,
                            .memory = memory,
                            .n_memory = 2,
                            .engines = engines,
                            .n_engines = 2,
                            .passes = passes,
                            .n_passes = 1,
                            .noise = noise,
                            .n_noise = 1};
}

/* A fresh folder for each test, and the database's path in it. */
typedef struct place {
    char folder[64];
    char path[128];
} place;

static inline int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->folder, P_tmpdir "/assay-evidence-XXXXXX");
    if (!p || !mkdtemp(p->folder)) return -1;
    snprintf(p->path, sizeof p->path, "%s/%s", p->folder, AS_EVIDENCE_FILE);
    *state = p;
    return 0;
}

static inline int teardown(void **state)
{
    place *p = *state;
    assay_error err;
    int status = as_path_remove(p->folder, &err);
    free(p);
    return status;
}

static inline as_evidence_writer *create(const char *path)
{
    assay_error err = {0};
    as_evidence_plan plan = make_plan();
    as_evidence_writer *writer;
    if (as_evidence_create(path, &plan, &writer, &err)) fail_msg("%s", err.message);
    return writer;
}

static inline void add_slot(as_evidence_writer *writer, as_phase phase, int round, int policy)
{
    assay_error err = {0};
    as_slot_record record = make_slot(phase, round, policy);
    if (as_evidence_add_slot(writer, &record, &err)) fail_msg("%s", err.message);
}

static inline as_evidence *open_reader(const char *path)
{
    assay_error err = {0};
    as_evidence *evidence;
    if (as_evidence_open(path, &evidence, &err)) fail_msg("%s", err.message);
    return evidence;
}

static inline void assert_error(const char *path, assay_code code, const char *words)
{
    assay_error err = {0};
    as_evidence *evidence;
    assert_int_equal(as_evidence_open(path, &evidence, &err), code);
    assert_null(evidence);
    if (!strstr(err.message, words)) fail_msg("'%s' lacks '%s'", err.message, words);
}

#define TABLE(NAME, TYPE)                                                                      \
    const TYPE *NAME##_read;                                                                   \
    size_t n_##NAME;                                                                           \
    assert_int_equal(as_evidence_##NAME(e, &NAME##_read, &n_##NAME, NULL), ASSAY_OK)

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

#endif
