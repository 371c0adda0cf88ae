/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/memory.h"
#include "evidence/evidence.h"
#include "evidence/pages.h"
#include "evidence/writer.h"
#include "old_schema.h"

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

static as_evidence_plan make_plan(void)
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

static as_slot_record make_slot(as_phase phase, int round, int policy)
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

static int setup(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->folder, P_tmpdir "/assay-evidence-XXXXXX");
    if (!p || !mkdtemp(p->folder)) return -1;
    snprintf(p->path, sizeof p->path, "%s/%s", p->folder, AS_EVIDENCE_FILE);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    place *p = *state;
    assay_error err;
    int status = as_path_remove(p->folder, &err);
    free(p);
    return status;
}

static as_evidence_writer *create(const char *path)
{
    assay_error err = {0};
    as_evidence_plan plan = make_plan();
    as_evidence_writer *writer;
    if (as_evidence_create(path, &plan, &writer, &err)) fail_msg("%s", err.message);
    return writer;
}

static void add_slot(as_evidence_writer *writer, as_phase phase, int round, int policy)
{
    assay_error err = {0};
    as_slot_record record = make_slot(phase, round, policy);
    if (as_evidence_add_slot(writer, &record, &err)) fail_msg("%s", err.message);
}

static as_evidence *open_reader(const char *path)
{
    assay_error err = {0};
    as_evidence *evidence;
    if (as_evidence_open(path, &evidence, &err)) fail_msg("%s", err.message);
    return evidence;
}

static void assert_error(const char *path, assay_code code, const char *words)
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

static void the_plan_comes_back_as_it_was_written(void **state)
{
    place *p = *state;
    assert_int_equal(as_evidence_writer_close(create(p->path), NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    const as_run_row *run = as_evidence_run(e);
    assert_int_equal(run->schema_version, AS_EVIDENCE_SCHEMA);
    assert_string_equal(run->command, "assay experiment -o 'a b'");
    assert_true(run->seed == -9007199254740993);
    assert_int_equal(run->baseline, 1);
    assert_int_equal(run->on_difference, AS_ON_DIFFERENCE_MEASURE);
    assert_true(run->slot_timeout_s == 0.5 && run->exclusive_hardware);
    assert_string_equal(run->machine_json, "{\"cpu\":\"x\"}");
    assert_true(run->corpus_calls == 638 && run->corpus_inputs == 2280);
    TABLE(policies, as_policy_row);
    assert_int_equal(n_policies, 2);
    assert_string_equal(policies_read[1].text, policies[1].text);
    TABLE(orders, as_order_row);
    assert_int_equal(n_orders, 4);
    assert_memory_equal(orders_read, orders, sizeof orders);
    TABLE(documents, as_document_row);
    assert_int_equal(n_documents, 2);
    assert_string_equal(documents_read[0].name, "a \"quoted\".pdf");
    TABLE(inputs, as_input_row);
    assert_int_equal(n_inputs, 3);
    assert_string_equal(inputs_read[2].limit_type, "min");
    assert_true(inputs_read[2].unclip == 2.0 && inputs_read[2].page == 7);
    TABLE(calls, as_call_row);
    assert_int_equal(n_calls, 2);
    assert_memory_equal(&calls_read[0].shape, &calls[0].shape, sizeof calls[0].shape);
    assert_memory_equal(calls_read[0].inputs, first_inputs, sizeof first_inputs);
    as_evidence_close(e);
}

static void a_profile_comes_back_with_its_routes(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    as_slot_record record = make_slot(AS_PHASE_PROFILE, 0, 1);
    record.n_samples = record.n_answers = 0;
    record.profiles = profiles;
    record.n_profiles = 1;
    record.routes = routes;
    record.n_routes = 2;
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    TABLE(slots, as_slot_row);
    assert_int_equal(slots_read[1].phase, AS_PHASE_PROFILE);
    TABLE(profiles, as_profile_row);
    assert_int_equal(n_profiles, 1);
    assert_true(profiles_read[0].slot == 1 && profiles_read[0].call == 1);
    assert_string_equal(profiles_read[0].trace, profiles[0].trace);
    TABLE(routes, as_route_row);
    assert_int_equal(n_routes, 2);
    assert_true(routes_read[1].slot == 1 && routes_read[1].count == 7);
    assert_string_equal(routes_read[1].pattern, "gemm");
    assert_true(as_route_row_holds(&routes_read[0]) && as_route_row_holds(&routes_read[1]));
    as_route_row broken = routes[0];
    broken.count = 1;
    assert_false(as_route_row_holds(&broken));
    as_evidence_close(e);
}

static void a_slot_comes_back_with_all_its_rows(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    add_slot(writer, AS_PHASE_FORMAL, 1, 1);
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    TABLE(slots, as_slot_row);
    assert_int_equal(n_slots, 2);
    assert_int_equal(slots_read[1].phase, AS_PHASE_FORMAL);
    assert_true(slots_read[1].load_s == 0.5 && isnan(slots_read[1].total_s));
    TABLE(samples, as_sample_row);
    assert_int_equal(n_samples, 4);
    assert_int_equal(samples_read[2].slot, 1);
    assert_int_equal(samples_read[2].n_pieces, 2);
    assert_memory_equal(samples_read[2].pieces, pieces, sizeof pieces);
    assert_true(samples_read[3].postprocess_ns == INT64_C(5000000000));
    assert_string_equal(samples_read[3].map_sha256, "hash1");
    assert_int_equal(samples_read[2].clock, AS_CLOCK_GOOD);
    assert_int_equal(samples_read[3].clock, AS_CLOCK_DISAGREES);
    TABLE(cleanups, as_cleanup_row);
    assert_int_equal(n_cleanups, 4);
    assert_true(cleanups_read[3].seconds == 0.5 && cleanups_read[3].slot == 1);
    TABLE(memory, as_memory_row);
    assert_int_equal(n_memory, 4);
    assert_true(memory_read[1].pss_bytes == -1 && memory_read[1].call == 1);
    assert_string_equal(memory_read[0].when, "start");
    TABLE(engines, as_engine_row);
    assert_int_equal(n_engines, 4);
    assert_string_equal(engines_read[0].json, "{\"threads\":2}");
    TABLE(passes, as_pass_row);
    assert_int_equal(n_passes, 2);
    assert_int_equal(passes_read[1].nodes_after, 90);
    assert_string_equal(passes_read[1].kinds_after, "Conv:40");
    as_evidence_close(e);
}

static void the_noise_of_a_slot_comes_back(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    as_slot_record silent = make_slot(AS_PHASE_SMOKE, 0, 0);
    silent.n_noise = 0;
    assert_int_equal(as_evidence_add_slot(writer, &silent, NULL), ASSAY_OK);
    add_slot(writer, AS_PHASE_FORMAL, 0, 1);
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    TABLE(noise, as_noise_row);
    assert_int_equal(n_noise, 1);
    assert_true(noise_read[0].slot == 1 && noise_read[0].n_bad_clock == 1);
    const as_noise *was = &noise[0].noise, *is = &noise_read[0].noise;
    assert_true(is->wall_s == was->wall_s && is->cpu_s == was->cpu_s && isnan(is->run_delay_s));
    assert_true(is->psi_cpu_s == was->psi_cpu_s && is->probe_before == was->probe_before);
    assert_true(is->probe_after == was->probe_after && is->cycles == was->cycles);
    assert_true(is->steal_ticks == 3 && is->total_ticks == 500 && is->n_throttled == -1);
    assert_true(is->major_faults == 4 && is->switches_wanted == 5 && is->switches_forced == 6);
    assert_int_equal(is->instructions, -1);
    as_evidence_close(e);
}

static void a_round_is_stored_again_and_rounds_are_bought(void **state)
{
    place *p = *state;
    static const as_order_row more[] = {{2, 0, 1}, {2, 1, 0}};
    as_evidence_writer *writer = create(p->path);
    as_slot_record record = make_slot(AS_PHASE_FORMAL, 1, 0);
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_OK);
    record.slot.repeat = 1;
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_E_IO);
    assert_int_equal(as_evidence_buy_rounds(writer, more, 2, 3, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_set_unfit(writer, "it's throttled", NULL), ASSAY_OK);
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    TABLE(slots, as_slot_row);
    assert_int_equal(n_slots, 2);
    assert_int_equal(slots_read[1].repeat, 1);
    TABLE(orders, as_order_row);
    assert_int_equal(n_orders, 6);
    assert_memory_equal(orders_read + 4, more, sizeof more);
    assert_int_equal(as_evidence_run(e)->n_rounds, 3);
    assert_int_equal(as_evidence_run(e)->n_bought, 1);
    assert_string_equal(as_evidence_run(e)->unfit, "it's throttled");
    as_evidence_close(e);
}

static void equal_boxes_are_one_set_and_keep_every_bit(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    add_slot(writer, AS_PHASE_SMOKE, 0, 1);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_reader(p->path);
    TABLE(answers, as_answer_row);
    TABLE(box_sets, as_box_set_row);
    assert_int_equal(n_answers, 8);
    assert_int_equal(n_box_sets, 3);
    assert_int_equal(answers_read[0].box_set, answers_read[4].box_set);
    assert_int_equal(answers_read[0].box_set, answers_read[3].box_set);
    const as_box_set_row *set = &box_sets_read[answers_read[0].box_set];
    assert_int_equal(set->n, 3);
    assert_memory_equal(set->boxes, boxes, sizeof boxes);
    assert_int_equal(box_sets_read[answers_read[2].box_set].n, 0);
    as_evidence_close(e);
}

static void outputs_are_kept_once_and_stand_for_boxes(void **state)
{
    place *p = *state;
    const char sha256[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    as_output_row output = {.sha256 = sha256, .content = "f4[1]\n\0\0\0", .content_bytes = 10};
    as_slot_answer answer = {.output = sha256};
    as_slot_record record = make_slot(AS_PHASE_SMOKE, 0, 0);
    record.answers = &answer;
    record.n_answers = 1;
    as_evidence_writer *writer = create(p->path);
    assert_int_equal(as_evidence_add_output(writer, &output, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_add_output(writer, &output, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_add_slot(writer, &record, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
    as_evidence *e = open_reader(p->path);
    TABLE(box_sets, as_box_set_row);
    assert_int_equal(n_box_sets, 1);
    assert_int_equal(box_sets_read[0].n, 0);
    assert_string_equal(box_sets_read[0].sha256, sha256);
    as_bytes content;
    assert_int_equal(as_evidence_output(e, sha256, &content, NULL), ASSAY_OK);
    assert_int_equal(content.size, 10);
    assert_memory_equal(content.data, output.content, 10);
    as_bytes_free(&content);
    assert_int_equal(as_evidence_output(e, "ff", &content, NULL), ASSAY_E_NOT_FOUND);
    as_evidence_close(e);
}

static void truths_share_the_sets_of_answers(void **state)
{
    place *p = *state;
    as_evidence_plan plan = make_plan();
    const as_slot_answer truths[] = {
        {0, 0, boxes, 3, NULL}, {0, 1, NULL, 0, NULL}, {0, 2, boxes, 3, NULL}};
    plan.run.reference_name = "boxes.jsonl";
    plan.truths = truths;
    plan.n_truths = 3;
    as_evidence_writer *writer;
    assert_int_equal(as_evidence_create(p->path, &plan, &writer, NULL), ASSAY_OK);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_reader(p->path);
    assert_string_equal(as_evidence_run(e)->reference_name, "boxes.jsonl");
    TABLE(truths, as_truth_row);
    TABLE(answers, as_answer_row);
    TABLE(box_sets, as_box_set_row);
    assert_int_equal(n_truths, 3);
    assert_int_equal(n_box_sets, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(truths_read[i].input, i);
    assert_int_equal(truths_read[0].box_set, truths_read[2].box_set);
    assert_int_equal(truths_read[0].box_set, answers_read[0].box_set);
    assert_int_equal(box_sets_read[truths_read[1].box_set].n, 0);
    as_evidence_close(e);
}

static void snapshots_and_reviews_come_back(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    as_snapshot_row snapshot = {.phase = AS_PHASE_FORMAL,
                                .round = 2,
                                .moment = "after",
                                .taken = "label",
                                .load_1 = 0.5,
                                .psi_cpu_avg10 = NAN,
                                .n_throttled = -1};
    as_process_row processes[] = {{0, 42, "cc1", 99.5, 1000}, {0, 43, "ninja", 1.5, 10}};
    as_review_row review = {.input = 2, .png = "\x89PNG\0tail", .png_bytes = 9};
    assert_int_equal(as_evidence_add_snapshot(writer, &snapshot, processes, 2, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_add_review(writer, &review, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_add_review(writer, &review, NULL), ASSAY_OK);
    assert_int_equal(as_evidence_set_state(writer, AS_RUN_FINISHED, "now", NULL), ASSAY_OK);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_reader(p->path);
    TABLE(snapshots, as_snapshot_row);
    assert_int_equal(n_snapshots, 1);
    assert_true(isnan(snapshots_read[0].psi_cpu_avg10) && snapshots_read[0].n_throttled == -1);
    TABLE(processes, as_process_row);
    assert_int_equal(n_processes, 2);
    assert_string_equal(processes_read[1].name, "ninja");
    TABLE(reviews, as_review_row);
    assert_int_equal(n_reviews, 1);
    assert_int_equal(reviews_read[0].input, 2);
    assert_int_equal(reviews_read[0].png_bytes, 9);
    as_bytes png;
    assert_int_equal(as_evidence_png(e, 2, &png, NULL), ASSAY_OK);
    assert_int_equal(png.size, 9);
    assert_memory_equal(png.data, "\x89PNG\0tail", 9);
    as_bytes_free(&png);
    assert_int_equal(as_evidence_png(e, 0, &png, NULL), ASSAY_E_NOT_FOUND);
    assert_int_equal(as_evidence_run(e)->state, AS_RUN_FINISHED);
    assert_string_equal(as_evidence_run(e)->finished, "now");
    as_evidence_close(e);
}

static void a_slot_that_cannot_be_stored_leaves_nothing(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    as_slot_record record = make_slot(AS_PHASE_SMOKE, 0, 0);
    as_slot_answer bad[] = {{0, 0, boxes, 3, NULL}, {0, 99, boxes, 1, NULL}};
    record.answers = bad;
    record.n_answers = 2;
    assay_error err = {0};
    assert_int_equal(as_evidence_add_slot(writer, &record, &err), ASSAY_E_IO);
    add_slot(writer, AS_PHASE_SMOKE, 0, 1);
    as_evidence_writer_close(writer, NULL);
    as_evidence *e = open_reader(p->path);
    TABLE(slots, as_slot_row);
    TABLE(samples, as_sample_row);
    assert_int_equal(n_slots, 1);
    assert_int_equal(slots_read[0].policy, 1);
    assert_int_equal(n_samples, 2);
    as_evidence_close(e);
}

static void a_slot_is_stored_once(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_FORMAL, 0, 0);
    as_slot_record again = make_slot(AS_PHASE_FORMAL, 0, 0);
    assert_int_equal(as_evidence_add_slot(writer, &again, NULL), ASSAY_E_IO);
    as_evidence_writer_close(writer, NULL);
}

static void no_file_stays_beside_the_database(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_evidence_close(open_reader(p->path));
    as_names names;
    assert_int_equal(as_folder_list(p->folder, &names, NULL), ASSAY_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], AS_EVIDENCE_FILE);
    as_names_free(&names);
}

static void a_reader_sees_whole_slots_while_a_writer_goes_on(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence *e = open_reader(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 1);
    TABLE(slots, as_slot_row);
    TABLE(samples, as_sample_row);
    TABLE(answers, as_answer_row);
    assert_int_equal(n_slots, 1);
    assert_int_equal(n_samples, 2);
    assert_int_equal(n_answers, 4);
    as_evidence_close(e);
    as_evidence_writer_close(writer, NULL);
}

static void a_second_writer_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path), *second;
    assay_error err = {0};
    assert_int_equal(as_evidence_continue(p->path, &second, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "another process"));
    as_evidence_plan plan = make_plan();
    assert_int_equal(as_evidence_create(p->path, &plan, &second, &err), ASSAY_E_ARGUMENT);
    as_evidence_writer_close(writer, NULL);
    assert_int_equal(as_evidence_continue(p->path, &second, &err), ASSAY_OK);
    as_evidence_writer_close(second, NULL);
}

static void foreign_old_and_broken_files_get_one_sentence(void **state)
{
    place *p = *state;
    assert_error(p->path, ASSAY_E_NOT_FOUND, "does not exist");
    assert_error(p->folder, ASSAY_E_FORMAT, "is a folder");
    as_file_write(p->path, "", 0, NULL);
    assert_error(p->path, ASSAY_E_FORMAT, "not assay's evidence");
    char words[4096];
    memset(words, 'x', sizeof words);
    as_file_write(p->path, words, sizeof words, NULL);
    assert_error(p->path, ASSAY_E_FORMAT, "is no SQLite database");

    assert_int_equal(as_path_remove(p->path, NULL), ASSAY_OK);
    as_evidence_writer_close(create(p->path), NULL);
    sqlite3 *database;
    assert_int_equal(as_pages_open(p->path, SQLITE_OPEN_READWRITE, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 77", 0, 0, 0), SQLITE_OK);
    as_pages_close(database);
    assert_error(p->path, ASSAY_E_FORMAT, "schema 77");
}

static void evidence_of_schema_1_is_read_with_what_it_lacks_absent(void **state)
{
    place *p = *state;
    write_old_schema(p->path);
    as_evidence *e = open_reader(p->path);
    const as_run_row *run = as_evidence_run(e);
    assert_int_equal(run->schema_version, 1);
    assert_int_equal(run->n_rounds, 2);
    assert_true(run->corpus_calls == -1 && run->corpus_inputs == -1);
    TABLE(slots, as_slot_row);
    assert_int_equal(n_slots, 4);
    TABLE(samples, as_sample_row);
    assert_int_equal(n_samples, 12);
    assert_true(samples_read[7].forward_ns == 20361600);
    TABLE(answers, as_answer_row);
    assert_int_equal(n_answers, 84);
    TABLE(box_sets, as_box_set_row);
    assert_int_equal(box_sets_read[answers_read[83].box_set].n, 20 % 4);
    as_evidence_close(e);
}

static void a_run_of_schema_1_is_not_gone_on_with(void **state)
{
    place *p = *state;
    assay_error err = {0};
    as_evidence_writer *writer;
    write_old_schema(p->path);
    assert_int_equal(as_evidence_continue(p->path, &writer, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "'assay summarize' reads it"));
}

static void a_truncated_database_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_bytes all;
    assert_int_equal(as_file_read(p->path, 0, &all, NULL), ASSAY_OK);
    size_t cuts[] = {50, 4096, all.size / 2};
    for (size_t i = 0; i < 3; i++) {
        as_file_write(p->path, all.data, cuts[i], NULL);
        as_evidence *e = NULL;
        const as_answer_row *rows;
        size_t n;
        assay_error err = {0};
        assay_code code = as_evidence_open(p->path, &e, &err);
        if (!code) code = as_evidence_answers(e, &rows, &n, &err);
        if (code != ASSAY_E_FORMAT) fail_msg("%zu bytes: %s", cuts[i], err.message);
        as_evidence_close(e);
    }
    as_bytes_free(&all);
}

static void a_value_that_cannot_be_is_refused(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    sqlite3 *database;
    assert_int_equal(as_pages_open(p->path, SQLITE_OPEN_READWRITE, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database,
                                  "UPDATE answers SET box_set = 99 WHERE id = 1;"
                                  "UPDATE calls SET inputs = '[0]' WHERE id = 0;"
                                  "UPDATE slots SET state = 'nice';"
                                  "UPDATE samples SET forward_ns = -2;"
                                  "UPDATE orders SET round = 2147483647 WHERE id = 0",
                                  0, 0, 0),
                     SQLITE_OK);
    as_pages_close(database);
    as_evidence *e = open_reader(p->path);
    assay_error err = {0};
    const as_answer_row *answer_rows;
    const as_call_row *call_rows;
    const as_slot_row *slot_rows;
    const as_sample_row *sample_rows;
    const as_order_row *order_rows;
    size_t n;
    assert_int_equal(as_evidence_samples(e, &sample_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "samples.forward_ns"));
    assert_int_equal(as_evidence_orders(e, &order_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "orders.round"));
    assert_int_equal(as_evidence_answers(e, &answer_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "answers.box_set"));
    assert_int_equal(as_evidence_calls(e, &call_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "calls.inputs"));
    assert_int_equal(as_evidence_slots(e, &slot_rows, &n, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "'nice'"));
    as_evidence_close(e);
}

/* Whether everything of the database can be read. */
static assay_code read_all(const char *path, assay_error *err)
{
    as_evidence *e;
    const as_sample_row *sample_rows;
    const as_box_set_row *set_rows;
    size_t n;
    assay_code code = as_evidence_open(path, &e, err);
    if (!code) code = as_evidence_samples(e, &sample_rows, &n, err);
    if (!code) code = as_evidence_box_sets(e, &set_rows, &n, err);
    as_evidence_close(e);
    return code;
}

/* Flip a bit of the file where it lies. */
static void flip(const char *path, size_t bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    int byte = getc(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    putc(byte ^ 1 << bit % 8, file);
    assert_int_equal(fclose(file), 0);
}

static void one_flipped_bit_anywhere_is_told(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    as_bytes all;
    assert_int_equal(as_file_read(p->path, 0, &all, NULL), ASSAY_OK);
    size_t n_bits = all.size * 8;
    as_bytes_free(&all);
    assert_true(n_bits > (size_t)20 * 8 * AS_PAGE_BYTES);
    /* Every bit of SQLite's header, then bits all over the file: a prime step meets every page. */
    for (size_t bit = 0; bit < n_bits; bit += bit < 800 ? 1 : 1009) {
        assay_error err = {0};
        flip(p->path, bit);
        assay_code code = read_all(p->path, &err);
        if (code != ASSAY_E_FORMAT && code != ASSAY_E_IO)
            fail_msg("bit %zu of byte %zu: code %d, '%s'", bit % 8, bit / 8, code, err.message);
        flip(p->path, bit);
    }
    assert_int_equal(read_all(p->path, NULL), ASSAY_OK);
    flip(p->path, (size_t)8 * (5 * AS_PAGE_BYTES + 17));
    assert_error(p->path, ASSAY_E_FORMAT, "is damaged: page 6 of ");
}

static void what_another_program_writes_is_told(void **state)
{
    place *p = *state;
    as_evidence_writer_close(create(p->path), NULL);
    sqlite3 *database;
    assert_int_equal(sqlite3_open(p->path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "UPDATE run SET seed = 7", 0, 0, 0), SQLITE_OK);
    sqlite3_close(database);
    assert_error(p->path, ASSAY_E_FORMAT, "is damaged: page ");
    assay_error err = {0};
    as_evidence_writer *writer;
    assert_int_equal(as_evidence_continue(p->path, &writer, &err), ASSAY_E_FORMAT);
}

/* Adds slots as fast as it can until it is killed. */
static void write_for_ever(const char *path)
{
    as_evidence_writer *writer;
    if (as_evidence_continue(path, &writer, NULL)) _exit(1);
    for (int round = 0;; round++)
        for (int policy = 0; policy < 2; policy++) {
            as_slot_record record = make_slot(AS_PHASE_FORMAL, getpid() * 1000 + round, policy);
            if (as_evidence_add_slot(writer, &record, NULL)) _exit(1);
        }
}

static void a_killed_writer_leaves_whole_slots_only(void **state)
{
    place *p = *state;
    as_evidence_writer_close(create(p->path), NULL);
    size_t n_before = 0;
    for (int kill_at = 0; kill_at < 8; kill_at++) {
        pid_t child = fork();
        if (child == 0) write_for_ever(p->path);
        struct timespec wait = {0, (20 + 7 * kill_at) * 1000000L};
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        as_evidence_writer *writer;
        assert_int_equal(as_evidence_continue(p->path, &writer, NULL), ASSAY_OK);
        assert_int_equal(as_evidence_writer_close(writer, NULL), ASSAY_OK);
        as_evidence *e = open_reader(p->path);
        TABLE(slots, as_slot_row);
        TABLE(samples, as_sample_row);
        TABLE(answers, as_answer_row);
        TABLE(memory, as_memory_row);
        assert_int_equal(n_samples, 2 * n_slots);
        assert_int_equal(n_answers, 4 * n_slots);
        assert_int_equal(n_memory, 2 * n_slots);
        assert_true(n_slots >= n_before);
        n_before = n_slots;
        as_evidence_close(e);
    }
}

static void reading_without_memory_fails_cleanly(void **state)
{
    place *p = *state;
    as_evidence_writer *writer = create(p->path);
    add_slot(writer, AS_PHASE_SMOKE, 0, 0);
    as_evidence_writer_close(writer, NULL);
    assay_code code = ASSAY_E_MEMORY;
    size_t n_failed = 0;
    for (size_t at = 1; code && at < 1000; at++) {
        as_evidence *e = NULL;
        const as_box_set_row *rows;
        const as_sample_row *sample_rows;
        size_t n;
        as_memory_fail_at(at);
        code = as_evidence_open(p->path, &e, NULL);
        if (!code) code = as_evidence_box_sets(e, &rows, &n, NULL);
        if (!code) code = as_evidence_samples(e, &sample_rows, &n, NULL);
        as_memory_fail_at(0);
        as_evidence_close(e);
        n_failed += code != ASSAY_OK;
    }
    assert_int_equal(code, ASSAY_OK);
    assert_true(n_failed >= 3);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_plan_comes_back_as_it_was_written),
        TEST(a_slot_comes_back_with_all_its_rows),
        TEST(a_profile_comes_back_with_its_routes),
        TEST(the_noise_of_a_slot_comes_back),
        TEST(a_round_is_stored_again_and_rounds_are_bought),
        TEST(equal_boxes_are_one_set_and_keep_every_bit),
        TEST(outputs_are_kept_once_and_stand_for_boxes),
        TEST(truths_share_the_sets_of_answers),
        TEST(snapshots_and_reviews_come_back),
        TEST(a_slot_that_cannot_be_stored_leaves_nothing),
        TEST(a_slot_is_stored_once),
        TEST(no_file_stays_beside_the_database),
        TEST(a_reader_sees_whole_slots_while_a_writer_goes_on),
        TEST(a_second_writer_is_refused),
        TEST(foreign_old_and_broken_files_get_one_sentence),
        TEST(evidence_of_schema_1_is_read_with_what_it_lacks_absent),
        TEST(a_run_of_schema_1_is_not_gone_on_with),
        TEST(a_truncated_database_is_refused),
        TEST(a_value_that_cannot_be_is_refused),
        TEST(one_flipped_bit_anywhere_is_told),
        TEST(what_another_program_writes_is_told),
        TEST(a_killed_writer_leaves_whole_slots_only),
        TEST(reading_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
