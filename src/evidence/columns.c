/* SPDX-License-Identifier: Apache-2.0 */
/* Which field of a row stands in which column, and how. */
#include "base/compiler.h"
#include "evidence/operator_rows.h"
#include "evidence/rows.h"
#include "evidence/schema.h"
#include "evidence/search_rows.h"

static const char *const run_states[] = {"smoke", "rounds", "stopped", "finished", NULL};
static const char *const difference_actions[] = {"stop", "exclude", "measure", NULL};
static const char *const phases[] = {"smoke", "profile", "formal", NULL};
static const char *const noise_rules[] = {"report", "rerun", NULL};
static const char *const clock_faults[] = {"good", "negative", "coarse", "disagrees", NULL};
static const char *const slot_states[] = {"finished", "failed", NULL};

#define INT(S, F)                                                                              \
    {                                                                                          \
#F, AS_COLUMN_INT, offsetof(S, F), 0, NULL, { false, 0, false }                        \
    }
#define INDEX(S, F, TABLE)                                                                     \
    {                                                                                          \
#F, AS_COLUMN_INT, offsetof(S, F), 0, NULL, { true, TABLE, false }                     \
    }
#define INDEX_OR(S, F, TABLE)                                                                  \
    {                                                                                          \
#F, AS_COLUMN_INT, offsetof(S, F), 0, NULL, { true, TABLE, true }                      \
    }
#define INT64(S, F)                                                                            \
    {                                                                                          \
#F, AS_COLUMN_INT64, offsetof(S, F), 0, NULL, { false, 0, false }                      \
    }
#define COUNT(S, F)                                                                            \
    {                                                                                          \
#F, AS_COLUMN_COUNT, offsetof(S, F), 0, NULL, { false, 0, false }                      \
    }
#define BOOL(S, F)                                                                             \
    {                                                                                          \
#F, AS_COLUMN_BOOL, offsetof(S, F), 0, NULL, { false, 0, false }                       \
    }
#define DOUBLE(S, F)                                                                           \
    {                                                                                          \
#F, AS_COLUMN_DOUBLE, offsetof(S, F), 0, NULL, { false, 0, false }                     \
    }
#define TEXT(S, F) TEXT_AS(S, F, #F)
#define TEXT_AS(S, F, NAME)                                                                    \
    {                                                                                          \
        NAME, AS_COLUMN_TEXT, offsetof(S, F), 0, NULL, { false, 0, false }                     \
    }
#define SIZE_AS(S, F, NAME)                                                                    \
    {                                                                                          \
        NAME, AS_COLUMN_SIZE, offsetof(S, F), 0, NULL, { false, 0, false }                     \
    }
#define NAMED(S, F, NAMES)                                                                     \
    {                                                                                          \
#F, AS_COLUMN_NAME, offsetof(S, F), 0, NAMES, { false, 0, false }                      \
    }
#define LIST(S, F, NAME, KIND, COUNT)                                                          \
    {                                                                                          \
        NAME, KIND, offsetof(S, F), offsetof(S, COUNT), NULL, { false, 0, false }              \
    }
#define SHAPE(S, F)                                                                            \
    SIZE_AS(S, F.n, "n"), SIZE_AS(S, F.c, "c"), SIZE_AS(S, F.h, "h"), SIZE_AS(S, F.w, "w")

static const as_column run_columns[] = {
    INT(as_run_row, schema_version),
    TEXT(as_run_row, assay_version),
    TEXT(as_run_row, created),
    TEXT(as_run_row, finished),
    TEXT(as_run_row, command),
    TEXT(as_run_row, model_name),
    TEXT(as_run_row, model_path),
    TEXT(as_run_row, model_sha256),
    TEXT(as_run_row, corpus_name),
    TEXT(as_run_row, corpus_path),
    TEXT(as_run_row, manifest_sha256),
    TEXT(as_run_row, program_sha256),
    INT64(as_run_row, seed),
    TEXT_AS(as_run_row, order, "order_kind"),
    INT(as_run_row, n_rounds),
    INT(as_run_row, n_cycles),
    INT(as_run_row, n_smoke_calls),
    INDEX(as_run_row, baseline, AS_TABLE_POLICIES),
    NAMED(as_run_row, on_difference, difference_actions),
    DOUBLE(as_run_row, slot_timeout_s),
    BOOL(as_run_row, exclusive_hardware),
    TEXT(as_run_row, machine_json),
    TEXT(as_run_row, findings_json),
    NAMED(as_run_row, state, run_states),
    COUNT(as_run_row, corpus_calls),
    COUNT(as_run_row, corpus_inputs),
    TEXT(as_run_row, compare),
    DOUBLE(as_run_row, bound_absolute),
    DOUBLE(as_run_row, bound_relative),
    COUNT(as_run_row, bound_ulp),
    NAMED(as_run_row, noise_rule, noise_rules),
    DOUBLE(as_run_row, budget_s),
    INT(as_run_row, n_bought),
    TEXT(as_run_row, unfit),
    TEXT(as_run_row, reference_name),
    TEXT(as_run_row, reference_sha256),
    BOOL(as_run_row, saves_maps),
    INT(as_run_row, n_traces),
};

static const as_column policy_columns[] = {
    TEXT(as_policy_row, name),
    TEXT(as_policy_row, text),
    TEXT(as_policy_row, engine),
};

static const as_column order_columns[] = {
    INT(as_order_row, round),
    INT(as_order_row, position),
    INDEX(as_order_row, policy, AS_TABLE_POLICIES),
};

static const as_column document_columns[] = {
    TEXT(as_document_row, name),
    TEXT(as_document_row, sha256),
};

static const as_column input_columns[] = {
    TEXT_AS(as_input_row, id, "name"), TEXT(as_input_row, file),
    TEXT(as_input_row, sha256),        INDEX(as_input_row, document, AS_TABLE_DOCUMENTS),
    INT(as_input_row, page),           INT(as_input_row, width_px),
    INT(as_input_row, height_px),      INT(as_input_row, network_h),
    INT(as_input_row, network_w),      DOUBLE(as_input_row, thresh),
    DOUBLE(as_input_row, box_thresh),  DOUBLE(as_input_row, unclip),
    INT(as_input_row, limit_side),     TEXT(as_input_row, limit_type),
    TEXT(as_input_row, tensor),
};

static const as_column call_columns[] = {
    TEXT_AS(as_call_row, id, "name"),
    INDEX(as_call_row, document, AS_TABLE_DOCUMENTS),
    SHAPE(as_call_row, shape),
    LIST(as_call_row, inputs, "inputs", AS_COLUMN_INTS, shape.n),
};

static const as_column slot_columns[] = {
    NAMED(as_slot_row, phase, phases),
    INT(as_slot_row, round),
    INT(as_slot_row, repeat),
    INT(as_slot_row, position),
    INDEX(as_slot_row, policy, AS_TABLE_POLICIES),
    NAMED(as_slot_row, state, slot_states),
    TEXT(as_slot_row, started),
    DOUBLE(as_slot_row, load_s),
    DOUBLE(as_slot_row, cleanup_s),
    DOUBLE(as_slot_row, total_s),
    DOUBLE(as_slot_row, user_s),
    DOUBLE(as_slot_row, system_s),
    COUNT(as_slot_row, n_loads),
    COUNT(as_slot_row, n_forwards),
    COUNT(as_slot_row, n_calls),
    COUNT(as_slot_row, major_faults),
    COUNT(as_slot_row, switches_wanted),
    COUNT(as_slot_row, switches_forced),
    TEXT(as_slot_row, exit),
    TEXT(as_slot_row, error),
    TEXT(as_slot_row, error_code),
    TEXT(as_slot_row, log),
};

static const as_column sample_columns[] = {
    INDEX(as_sample_row, slot, AS_TABLE_SLOTS),
    INT(as_sample_row, cycle),
    INDEX(as_sample_row, call, AS_TABLE_CALLS),
    SHAPE(as_sample_row, shape),
    SIZE_AS(as_sample_row, n_pieces, "n_pieces"),
    LIST(as_sample_row, pieces, "network_shapes", AS_COLUMN_SHAPES, n_pieces),
    COUNT(as_sample_row, preprocess_ns),
    COUNT(as_sample_row, forward_ns),
    COUNT(as_sample_row, transfer_ns),
    COUNT(as_sample_row, postprocess_ns),
    TEXT(as_sample_row, map_sha256),
    COUNT(as_sample_row, n_not_finite),
    NAMED(as_sample_row, clock, clock_faults),
};

static const as_column box_set_columns[] = {
    TEXT(as_box_set_row, sha256),
    SIZE_AS(as_box_set_row, n, "n"),
    LIST(as_box_set_row, boxes, "boxes", AS_COLUMN_BOXES, n),
};

static const as_column truth_columns[] = {
    INDEX(as_truth_row, input, AS_TABLE_INPUTS),
    INDEX(as_truth_row, box_set, AS_TABLE_BOX_SETS),
};

static const as_column answer_columns[] = {
    INDEX(as_answer_row, slot, AS_TABLE_SLOTS),
    INT(as_answer_row, cycle),
    INDEX(as_answer_row, input, AS_TABLE_INPUTS),
    INDEX(as_answer_row, box_set, AS_TABLE_BOX_SETS),
};

static const as_column cleanup_columns[] = {
    INDEX(as_cleanup_row, slot, AS_TABLE_SLOTS),
    INT(as_cleanup_row, cycle),
    INDEX(as_cleanup_row, document, AS_TABLE_DOCUMENTS),
    DOUBLE(as_cleanup_row, seconds),
};

static const as_column memory_columns[] = {
    INDEX(as_memory_row, slot, AS_TABLE_SLOTS),
    TEXT_AS(as_memory_row, when, "moment"),
    INT(as_memory_row, cycle),
    INDEX_OR(as_memory_row, document, AS_TABLE_DOCUMENTS),
    INDEX_OR(as_memory_row, call, AS_TABLE_CALLS),
    TEXT(as_memory_row, process),
    COUNT(as_memory_row, rss_bytes),
    COUNT(as_memory_row, pss_bytes),
    COUNT(as_memory_row, uss_bytes),
    COUNT(as_memory_row, peak_rss_bytes),
    COUNT(as_memory_row, swap_used_bytes),
};

static const as_column engine_columns[] = {
    INDEX(as_engine_row, slot, AS_TABLE_SLOTS),
    TEXT(as_engine_row, moment),
    TEXT(as_engine_row, json),
};

static const as_column pass_columns[] = {
    INDEX(as_pass_row, slot, AS_TABLE_SLOTS),
    TEXT(as_pass_row, name),
    INT(as_pass_row, nodes_before),
    INT(as_pass_row, nodes_after),
    DOUBLE(as_pass_row, seconds),
    TEXT(as_pass_row, kinds_before),
    TEXT(as_pass_row, kinds_after),
};

#define NOISE(F, KIND)                                                                         \
    {                                                                                          \
#F, KIND, offsetof(as_noise_row, noise.F), 0, NULL, { false, 0, false }                \
    }
static const as_column noise_columns[] = {
    INDEX(as_noise_row, slot, AS_TABLE_SLOTS),
    NOISE(wall_s, AS_COLUMN_DOUBLE),
    NOISE(cpu_s, AS_COLUMN_DOUBLE),
    NOISE(run_delay_s, AS_COLUMN_DOUBLE),
    NOISE(psi_cpu_s, AS_COLUMN_DOUBLE),
    NOISE(steal_ticks, AS_COLUMN_COUNT),
    NOISE(total_ticks, AS_COLUMN_COUNT),
    NOISE(n_throttled, AS_COLUMN_COUNT),
    NOISE(major_faults, AS_COLUMN_COUNT),
    NOISE(switches_wanted, AS_COLUMN_COUNT),
    NOISE(switches_forced, AS_COLUMN_COUNT),
    NOISE(cycles, AS_COLUMN_COUNT),
    NOISE(instructions, AS_COLUMN_COUNT),
    NOISE(probe_before, AS_COLUMN_DOUBLE),
    NOISE(probe_after, AS_COLUMN_DOUBLE),
    COUNT(as_noise_row, n_bad_clock),
};

static const as_column snapshot_columns[] = {
    NAMED(as_snapshot_row, phase, phases),
    INT(as_snapshot_row, round),
    TEXT(as_snapshot_row, moment),
    TEXT(as_snapshot_row, taken),
    DOUBLE(as_snapshot_row, load_1),
    DOUBLE(as_snapshot_row, load_5),
    DOUBLE(as_snapshot_row, load_15),
    DOUBLE(as_snapshot_row, psi_cpu_avg10),
    COUNT(as_snapshot_row, psi_cpu_total_us),
    COUNT(as_snapshot_row, steal_ticks),
    COUNT(as_snapshot_row, total_ticks),
    COUNT(as_snapshot_row, n_throttled),
    COUNT(as_snapshot_row, throttled_us),
    COUNT(as_snapshot_row, swap_used_bytes),
};

static const as_column process_columns[] = {
    INDEX(as_process_row, snapshot, AS_TABLE_SNAPSHOTS),
    INT(as_process_row, pid),
    TEXT(as_process_row, name),
    DOUBLE(as_process_row, cpu_percent),
    COUNT(as_process_row, rss_bytes),
};

static const as_column output_columns[] = {
    TEXT(as_output_row, sha256),
    LIST(as_output_row, content, "content", AS_COLUMN_BLOB, content_bytes),
};

static const as_column margin_columns[] = {
    INDEX(as_margin_row, slot, AS_TABLE_SLOTS),
    INDEX(as_margin_row, input, AS_TABLE_INPUTS),
    INT64(as_margin_row, box),
    DOUBLE(as_margin_row, pixel),
    DOUBLE(as_margin_row, score),
};

static const as_column departure_columns[] = {
    INDEX(as_departure_row, policy, AS_TABLE_POLICIES),
    INDEX(as_departure_row, call, AS_TABLE_CALLS),
    TEXT(as_departure_row, kind),
    TEXT(as_departure_row, node),
    TEXT(as_departure_row, op_type),
    TEXT(as_departure_row, tensor),
    INT(as_departure_row, node_index),
    INT(as_departure_row, n_nodes),
    DOUBLE(as_departure_row, absolute),
    DOUBLE(as_departure_row, share),
    COUNT(as_departure_row, ulp),
    TEXT(as_departure_row, route_truth),
    TEXT(as_departure_row, route_policy),
};

static const as_column review_columns[] = {
    INDEX(as_review_row, input, AS_TABLE_INPUTS),
    LIST(as_review_row, png, "png", AS_COLUMN_BLOB, png_bytes),
};

static const as_column profile_columns[] = {
    INDEX(as_profile_row, slot, AS_TABLE_SLOTS),
    INDEX(as_profile_row, call, AS_TABLE_CALLS),
    TEXT(as_profile_row, trace),
};

static const as_column route_columns[] = {
    INDEX(as_route_row, slot, AS_TABLE_SLOTS),
    TEXT(as_route_row, setting),
    TEXT(as_route_row, pattern),
    TEXT(as_route_row, wanted),
    COUNT(as_route_row, count),
};

static const as_column search_columns[] = {
    TEXT(as_search_row, space_name),
    TEXT(as_search_row, space_path),
    TEXT(as_search_row, space_sha256),
    TEXT(as_search_row, space_text),
    TEXT(as_search_row, split_json),
    INT64(as_search_row, seed),
    COUNT(as_search_row, n_seeds),
    COUNT(as_search_row, n_threads),
    INDEX(as_search_row, baseline, AS_TABLE_STRUCTURES),
    COUNT(as_search_row, n_validation),
    COUNT(as_search_row, c),
    COUNT(as_search_row, h),
    COUNT(as_search_row, w),
    COUNT(as_search_row, n_warm_up),
    COUNT(as_search_row, n_rounds),
    COUNT(as_search_row, n_repeats),
    COUNT(as_search_row, n_slots),
};

static const as_column structure_columns[] = {
    TEXT(as_structure_row, name),
    BOOL(as_structure_row, is_separable),
    COUNT(as_structure_row, params),
    COUNT(as_structure_row, macs),
    COUNT(as_structure_row, activation_bytes),
    COUNT(as_structure_row, n_seeds),
};

static const as_column training_columns[] = {
    INDEX(as_training_row, structure, AS_TABLE_STRUCTURES),
    INT(as_training_row, seed_index),
    INT64(as_training_row, seed),
    INT(as_training_row, best_epoch),
    INT(as_training_row, diverged_epoch),
    DOUBLE(as_training_row, validation_loss),
    DOUBLE(as_training_row, validation_accuracy),
    DOUBLE(as_training_row, seconds),
    LIST(as_training_row, weights, "weights", AS_COLUMN_BLOB, weights_bytes),
};

static const as_column epoch_columns[] = {
    INDEX(as_epoch_row, training, AS_TABLE_TRAININGS),
    INT(as_epoch_row, epoch),
    DOUBLE(as_epoch_row, train_loss),
    DOUBLE(as_epoch_row, validation_loss),
    DOUBLE(as_epoch_row, validation_accuracy),
    DOUBLE(as_epoch_row, seconds),
};

static const as_column structure_sample_columns[] = {
    INDEX(as_candidate_sample_row, candidate, AS_TABLE_STRUCTURES),
    INT(as_candidate_sample_row, round),
    INT(as_candidate_sample_row, repeat),
    DOUBLE(as_candidate_sample_row, latency_us),
};

static const as_column structure_slot_columns[] = {
    INDEX(as_structure_slot_row, structure, AS_TABLE_STRUCTURES),
    TEXT(as_structure_slot_row, policy),
    TEXT(as_structure_slot_row, engine),
    TEXT(as_structure_slot_row, version),
    INT(as_structure_slot_row, repeat),
    DOUBLE(as_structure_slot_row, median_us),
    DOUBLE(as_structure_slot_row, least_us),
    TEXT(as_structure_slot_row, error),
};

static const as_column selection_columns[] = {
    TEXT(as_selection_row, written),
    TEXT(as_selection_row, sha256),
};

static const as_column test_score_columns[] = {
    INDEX(as_test_score_row, training, AS_TABLE_TRAININGS),
    INDEX(as_test_score_row, selection, AS_TABLE_SELECTIONS),
    DOUBLE(as_test_score_row, loss),
    DOUBLE(as_test_score_row, accuracy),
};

static const as_column operator_study_columns[] = {
    INT(as_operator_study_row, n_warm_ups),     INT(as_operator_study_row, n_rounds),
    INT(as_operator_study_row, n_repeats),      INT(as_operator_study_row, n_threads),
    INT64(as_operator_study_row, seed),         TEXT(as_operator_study_row, isa),
    DOUBLE(as_operator_study_row, peak_macs_s), DOUBLE(as_operator_study_row, near_bytes_s),
    DOUBLE(as_operator_study_row, far_bytes_s), COUNT(as_operator_study_row, near_bytes),
    COUNT(as_operator_study_row, far_bytes),
};

static const as_column operator_columns[] = {
    TEXT(as_operator_row, shape),
    TEXT(as_operator_row, module),
    BOOL(as_operator_row, is_part),
    INT(as_operator_row, ic),
    INT(as_operator_row, oc),
    INT(as_operator_row, h),
    INT(as_operator_row, w),
    COUNT(as_operator_row, params),
    COUNT(as_operator_row, macs),
    COUNT(as_operator_row, products),
    COUNT(as_operator_row, ledger_bytes),
    COUNT(as_operator_row, traffic_bytes),
    TEXT(as_operator_row, routes),
    DOUBLE(as_operator_row, copy_bytes_s),
    INT(as_operator_row, n_calls),
    DOUBLE(as_operator_row, factor_error),
};

static const as_column operator_sample_columns[] = {
    INDEX(as_operator_sample_row, op, AS_TABLE_OPERATORS),
    INT(as_operator_sample_row, round),
    INT(as_operator_sample_row, repeat),
    DOUBLE(as_operator_sample_row, latency_us),
};

#define TABLE(NAME, ROW, COLUMNS, OWNED)                                                       \
    {                                                                                          \
        NAME, sizeof(ROW), COLUMNS, AS_COUNT_OF(COLUMNS), OWNED                                \
    }

const as_table as_tables[AS_N_TABLES] = {
    [AS_TABLE_RUN] = TABLE("run", as_run_row, run_columns, false),
    [AS_TABLE_POLICIES] = TABLE("policies", as_policy_row, policy_columns, false),
    [AS_TABLE_ORDERS] = TABLE("orders", as_order_row, order_columns, false),
    [AS_TABLE_DOCUMENTS] = TABLE("documents", as_document_row, document_columns, false),
    [AS_TABLE_INPUTS] = TABLE("inputs", as_input_row, input_columns, false),
    [AS_TABLE_CALLS] = TABLE("calls", as_call_row, call_columns, false),
    [AS_TABLE_SLOTS] = TABLE("slots", as_slot_row, slot_columns, false),
    [AS_TABLE_SAMPLES] = TABLE("samples", as_sample_row, sample_columns, true),
    [AS_TABLE_BOX_SETS] = TABLE("box_sets", as_box_set_row, box_set_columns, false),
    [AS_TABLE_ANSWERS] = TABLE("answers", as_answer_row, answer_columns, true),
    [AS_TABLE_CLEANUPS] = TABLE("cleanups", as_cleanup_row, cleanup_columns, true),
    [AS_TABLE_MEMORY] = TABLE("memory", as_memory_row, memory_columns, true),
    [AS_TABLE_ENGINES] = TABLE("engines", as_engine_row, engine_columns, true),
    [AS_TABLE_PASSES] = TABLE("passes", as_pass_row, pass_columns, true),
    [AS_TABLE_NOISE] = TABLE("noise", as_noise_row, noise_columns, true),
    [AS_TABLE_SNAPSHOTS] = TABLE("snapshots", as_snapshot_row, snapshot_columns, false),
    [AS_TABLE_PROCESSES] = TABLE("processes", as_process_row, process_columns, true),
    [AS_TABLE_REVIEWS] = TABLE("reviews", as_review_row, review_columns, false),
    [AS_TABLE_PROFILES] = TABLE("profiles", as_profile_row, profile_columns, true),
    [AS_TABLE_ROUTES] = TABLE("routes", as_route_row, route_columns, true),
    [AS_TABLE_TRUTHS] = TABLE("truths", as_truth_row, truth_columns, false),
    [AS_TABLE_OUTPUTS] = TABLE("outputs", as_output_row, output_columns, false),
    [AS_TABLE_MARGINS] = TABLE("margins", as_margin_row, margin_columns, true),
    [AS_TABLE_DEPARTURES] = TABLE("departures", as_departure_row, departure_columns, false),
    [AS_TABLE_SEARCH] = TABLE("search", as_search_row, search_columns, false),
    [AS_TABLE_STRUCTURES] = TABLE("structures", as_structure_row, structure_columns, false),
    [AS_TABLE_TRAININGS] = TABLE("trainings", as_training_row, training_columns, false),
    [AS_TABLE_EPOCHS] = TABLE("epochs", as_epoch_row, epoch_columns, false),
    [AS_TABLE_STRUCTURE_SAMPLES] =
        TABLE("structure_samples", as_candidate_sample_row, structure_sample_columns, false),
    [AS_TABLE_STRUCTURE_SLOTS] =
        TABLE("structure_slots", as_structure_slot_row, structure_slot_columns, false),
    [AS_TABLE_SELECTIONS] = TABLE("selections", as_selection_row, selection_columns, false),
    [AS_TABLE_TEST_SCORES] = TABLE("test_scores", as_test_score_row, test_score_columns, false),
    [AS_TABLE_OPERATOR_STUDY] =
        TABLE("operator_study", as_operator_study_row, operator_study_columns, false),
    [AS_TABLE_OPERATORS] = TABLE("operators", as_operator_row, operator_columns, false),
    [AS_TABLE_OPERATOR_SAMPLES] =
        TABLE("operator_samples", as_operator_sample_row, operator_sample_columns, false),
};

const char *as_phase_name(as_phase phase) { return phases[phase]; }
