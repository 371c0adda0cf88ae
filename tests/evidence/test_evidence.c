/* SPDX-License-Identifier: Apache-2.0 */
/* What was written comes back. */

#include "base/memory.h"
#include "planned.h"

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
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
