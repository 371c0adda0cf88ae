/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as SQL, and which of them came when. */
#include "evidence/schema.h"

#include "base/compiler.h"

/* Row ids are the indices of rows.h; tables without an id are read in the order of insertion. */
const char *const as_schema_sql[] = {
    /* One row: the settings, and how far the run is. */
    "CREATE TABLE run(id INTEGER PRIMARY KEY CHECK(id = 0), schema_version INTEGER NOT NULL,"
    " assay_version TEXT NOT NULL, created TEXT NOT NULL, finished TEXT NOT NULL,"
    " command TEXT NOT NULL, model_name TEXT NOT NULL, model_path TEXT NOT NULL,"
    " model_sha256 TEXT NOT NULL, corpus_name TEXT NOT NULL, corpus_path TEXT NOT NULL,"
    " manifest_sha256 TEXT NOT NULL, program_sha256 TEXT NOT NULL, seed INTEGER NOT NULL,"
    " order_kind TEXT NOT NULL, n_rounds INTEGER NOT NULL, n_cycles INTEGER NOT NULL,"
    " n_smoke_calls INTEGER NOT NULL, baseline INTEGER NOT NULL REFERENCES policies(id),"
    " on_difference TEXT NOT NULL, slot_timeout_s REAL NOT NULL,"
    " exclusive_hardware INTEGER NOT NULL, machine_json TEXT NOT NULL,"
    " findings_json TEXT NOT NULL, state TEXT NOT NULL, corpus_calls INTEGER NOT NULL,"
    " corpus_inputs INTEGER NOT NULL, compare TEXT NOT NULL, bound_absolute REAL NOT NULL,"
    " bound_relative REAL NOT NULL, bound_ulp INTEGER NOT NULL, noise_rule TEXT NOT NULL,"
    " budget_s REAL NOT NULL, n_bought INTEGER NOT NULL, unfit TEXT NOT NULL,"
    " reference_name TEXT NOT NULL, reference_sha256 TEXT NOT NULL,"
    " saves_maps INTEGER NOT NULL, n_traces INTEGER NOT NULL)",

    "CREATE TABLE policies(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " text TEXT NOT NULL, engine TEXT NOT NULL)",

    "CREATE TABLE orders(id INTEGER PRIMARY KEY, round INTEGER NOT NULL,"
    " position INTEGER NOT NULL, policy INTEGER NOT NULL REFERENCES policies(id),"
    " UNIQUE(round, position))",

    "CREATE TABLE documents(id INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL)",

    "CREATE TABLE inputs(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, file TEXT NOT NULL,"
    " sha256 TEXT NOT NULL, document INTEGER NOT NULL REFERENCES documents(id),"
    " page INTEGER NOT NULL, width_px INTEGER NOT NULL, height_px INTEGER NOT NULL,"
    " network_h INTEGER NOT NULL, network_w INTEGER NOT NULL, thresh REAL NOT NULL,"
    " box_thresh REAL NOT NULL, unclip REAL NOT NULL, limit_side INTEGER NOT NULL,"
    " limit_type TEXT NOT NULL, tensor TEXT NOT NULL)",

    "CREATE TABLE calls(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " document INTEGER NOT NULL REFERENCES documents(id), n INTEGER NOT NULL,"
    " c INTEGER NOT NULL, h INTEGER NOT NULL, w INTEGER NOT NULL, inputs TEXT NOT NULL)",

    /* One worker process each. */
    "CREATE TABLE slots(id INTEGER PRIMARY KEY, phase TEXT NOT NULL, round INTEGER NOT NULL,"
    " repeat INTEGER NOT NULL, position INTEGER NOT NULL, policy INTEGER NOT NULL REFERENCES "
    "policies(id),"
    " state TEXT NOT NULL, started TEXT NOT NULL, load_s REAL, cleanup_s REAL, total_s REAL,"
    " user_s REAL, system_s REAL, n_loads INTEGER NOT NULL, n_forwards INTEGER NOT NULL,"
    " n_calls INTEGER NOT NULL, major_faults INTEGER NOT NULL,"
    " switches_wanted INTEGER NOT NULL, switches_forced INTEGER NOT NULL, exit TEXT NOT NULL,"
    " error TEXT NOT NULL, error_code TEXT NOT NULL, log TEXT NOT NULL, UNIQUE(phase, round, "
    "repeat, policy))",

    "CREATE TABLE samples(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " cycle INTEGER NOT NULL, call INTEGER NOT NULL REFERENCES calls(id), n INTEGER NOT NULL,"
    " c INTEGER NOT NULL, h INTEGER NOT NULL, w INTEGER NOT NULL, n_pieces INTEGER NOT NULL,"
    " network_shapes TEXT NOT NULL, preprocess_ns INTEGER NOT NULL,"
    " forward_ns INTEGER NOT NULL, transfer_ns INTEGER NOT NULL,"
    " postprocess_ns INTEGER NOT NULL, map_sha256 TEXT NOT NULL,"
    " n_not_finite INTEGER NOT NULL, clock TEXT NOT NULL, UNIQUE(slot, cycle, call))",

    /* 40 bytes a box, little-endian: x and y of tl, tr, br, bl as int32, the score as a double. */
    "CREATE TABLE box_sets(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE,"
    " n INTEGER NOT NULL, boxes BLOB NOT NULL)",

    "CREATE TABLE truths(id INTEGER PRIMARY KEY, input INTEGER NOT NULL UNIQUE REFERENCES "
    "inputs(id), box_set INTEGER NOT NULL REFERENCES box_sets(id))",

    "CREATE TABLE answers(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " cycle INTEGER NOT NULL, input INTEGER NOT NULL REFERENCES inputs(id),"
    " box_set INTEGER NOT NULL REFERENCES box_sets(id), UNIQUE(slot, cycle, input))",

    "CREATE TABLE cleanups(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " cycle INTEGER NOT NULL, document INTEGER NOT NULL REFERENCES documents(id),"
    " seconds REAL NOT NULL)",

    /* moment: start, loaded, call, document, cleaned, exit. */
    "CREATE TABLE memory(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " moment TEXT NOT NULL, cycle INTEGER NOT NULL, document INTEGER NOT NULL,"
    " call INTEGER NOT NULL, process TEXT NOT NULL, rss_bytes INTEGER NOT NULL,"
    " pss_bytes INTEGER NOT NULL, uss_bytes INTEGER NOT NULL,"
    " peak_rss_bytes INTEGER NOT NULL, swap_used_bytes INTEGER NOT NULL)",

    "CREATE TABLE engines(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " moment TEXT NOT NULL, json TEXT NOT NULL, UNIQUE(slot, moment))",

    "CREATE TABLE passes(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " name TEXT NOT NULL, nodes_before INTEGER NOT NULL, nodes_after INTEGER NOT NULL,"
    " seconds REAL NOT NULL, kinds_before TEXT NOT NULL,"
    " kinds_after TEXT NOT NULL)",

    "CREATE TABLE noise(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL UNIQUE REFERENCES "
    "slots(id),"
    " wall_s REAL, cpu_s REAL, run_delay_s REAL, psi_cpu_s REAL, steal_ticks INTEGER NOT NULL,"
    " total_ticks INTEGER NOT NULL, n_throttled INTEGER NOT NULL, major_faults INTEGER NOT "
    "NULL,"
    " switches_wanted INTEGER NOT NULL, switches_forced INTEGER NOT NULL, cycles INTEGER NOT "
    "NULL,"
    " instructions INTEGER NOT NULL, probe_before REAL, probe_after REAL,"
    " n_bad_clock INTEGER NOT NULL)",

    "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, phase TEXT NOT NULL,"
    " round INTEGER NOT NULL, moment TEXT NOT NULL, taken TEXT NOT NULL, load_1 REAL,"
    " load_5 REAL, load_15 REAL, psi_cpu_avg10 REAL, psi_cpu_total_us INTEGER NOT NULL,"
    " steal_ticks INTEGER NOT NULL, total_ticks INTEGER NOT NULL,"
    " n_throttled INTEGER NOT NULL, throttled_us INTEGER NOT NULL,"
    " swap_used_bytes INTEGER NOT NULL)",

    "CREATE TABLE processes(id INTEGER PRIMARY KEY,"
    " snapshot INTEGER NOT NULL REFERENCES snapshots(id), pid INTEGER NOT NULL,"
    " name TEXT NOT NULL, cpu_percent REAL NOT NULL, rss_bytes INTEGER NOT NULL)",

    /* content: a line that names types and dims, then the bytes. */
    "CREATE TABLE outputs(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE,"
    " content BLOB NOT NULL)",

    "CREATE TABLE margins(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " input INTEGER NOT NULL REFERENCES inputs(id), box INTEGER NOT NULL, pixel REAL,"
    " score REAL)",

    "CREATE TABLE departures(id INTEGER PRIMARY KEY, policy INTEGER NOT NULL REFERENCES"
    " policies(id), call INTEGER NOT NULL REFERENCES calls(id), kind TEXT NOT NULL,"
    " node TEXT NOT NULL, op_type TEXT NOT NULL, tensor TEXT NOT NULL, node_index INTEGER NOT"
    " NULL, n_nodes INTEGER NOT NULL, absolute REAL, share REAL, ulp INTEGER NOT NULL,"
    " route_truth TEXT NOT NULL, route_policy TEXT NOT NULL, UNIQUE(policy, kind))",

    "CREATE TABLE reviews(input INTEGER PRIMARY KEY REFERENCES inputs(id), png BLOB NOT NULL)",

    "CREATE TABLE profiles(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL UNIQUE REFERENCES "
    "slots(id), call INTEGER NOT NULL REFERENCES calls(id), trace TEXT NOT NULL)",

    "CREATE TABLE routes(id INTEGER PRIMARY KEY, slot INTEGER NOT NULL REFERENCES slots(id),"
    " setting TEXT NOT NULL, pattern TEXT NOT NULL, wanted TEXT NOT NULL,"
    " count INTEGER NOT NULL)",

    /* One row in the evidence of a structure search. */
    "CREATE TABLE search(id INTEGER PRIMARY KEY CHECK(id = 0), space_name TEXT NOT NULL,"
    " space_path TEXT NOT NULL, space_sha256 TEXT NOT NULL, space_text TEXT NOT NULL,"
    " split_json TEXT NOT NULL, seed INTEGER NOT NULL, n_seeds INTEGER NOT NULL,"
    " n_threads INTEGER NOT NULL, baseline INTEGER NOT NULL REFERENCES structures(id),"
    " n_validation INTEGER NOT NULL, c INTEGER NOT NULL, h INTEGER NOT NULL,"
    " w INTEGER NOT NULL, n_warm_up INTEGER NOT NULL, n_rounds INTEGER NOT NULL,"
    " n_repeats INTEGER NOT NULL, n_slots INTEGER NOT NULL)",

    "CREATE TABLE structures(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " is_separable INTEGER NOT NULL, params INTEGER NOT NULL, macs INTEGER NOT NULL,"
    " activation_bytes INTEGER NOT NULL, n_seeds INTEGER NOT NULL)",

    "CREATE TABLE trainings(id INTEGER PRIMARY KEY,"
    " structure INTEGER NOT NULL REFERENCES structures(id), seed_index INTEGER NOT NULL,"
    " seed INTEGER NOT NULL, best_epoch INTEGER NOT NULL, diverged_epoch INTEGER NOT NULL,"
    " validation_loss REAL, validation_accuracy REAL, seconds REAL NOT NULL,"
    " weights BLOB NOT NULL, UNIQUE(structure, seed_index))",

    "CREATE TABLE epochs(id INTEGER PRIMARY KEY,"
    " training INTEGER NOT NULL REFERENCES trainings(id), epoch INTEGER NOT NULL,"
    " train_loss REAL, validation_loss REAL, validation_accuracy REAL, seconds REAL NOT NULL,"
    " UNIQUE(training, epoch))",

    "CREATE TABLE structure_samples(id INTEGER PRIMARY KEY,"
    " candidate INTEGER NOT NULL REFERENCES structures(id), round INTEGER NOT NULL,"
    " repeat INTEGER NOT NULL, latency_us REAL NOT NULL, UNIQUE(candidate, round, repeat))",

    "CREATE TABLE structure_slots(id INTEGER PRIMARY KEY,"
    " structure INTEGER NOT NULL REFERENCES structures(id), policy TEXT NOT NULL,"
    " engine TEXT NOT NULL, version TEXT NOT NULL, repeat INTEGER NOT NULL, median_us REAL,"
    " least_us REAL, error TEXT NOT NULL, UNIQUE(structure, policy, repeat))",

    "CREATE TABLE selections(id INTEGER PRIMARY KEY CHECK(id = 0), written TEXT NOT NULL,"
    " sha256 TEXT NOT NULL)",

    /* No score without a selection that was there before. */
    "CREATE TABLE test_scores(id INTEGER PRIMARY KEY,"
    " training INTEGER NOT NULL UNIQUE REFERENCES trainings(id),"
    " selection INTEGER NOT NULL REFERENCES selections(id), loss REAL NOT NULL,"
    " accuracy REAL NOT NULL)",

    /* One row where a standard convolution was timed against depthwise + pointwise. */
    "CREATE TABLE operator_study(id INTEGER PRIMARY KEY CHECK(id = 0),"
    " n_warm_ups INTEGER NOT NULL, n_rounds INTEGER NOT NULL, n_repeats INTEGER NOT NULL,"
    " n_threads INTEGER NOT NULL, seed INTEGER NOT NULL, isa TEXT NOT NULL, peak_macs_s REAL,"
    " near_bytes_s REAL, far_bytes_s REAL, near_bytes INTEGER NOT NULL,"
    " far_bytes INTEGER NOT NULL)",

    "CREATE TABLE operators(id INTEGER PRIMARY KEY, shape TEXT NOT NULL, module TEXT NOT NULL,"
    " is_part INTEGER NOT NULL, ic INTEGER NOT NULL, oc INTEGER NOT NULL, h INTEGER NOT NULL,"
    " w INTEGER NOT NULL, params INTEGER NOT NULL, macs INTEGER NOT NULL,"
    " products INTEGER NOT NULL, ledger_bytes INTEGER NOT NULL,"
    " traffic_bytes INTEGER NOT NULL, routes TEXT NOT NULL, copy_bytes_s REAL,"
    " n_calls INTEGER NOT NULL, factor_error REAL, UNIQUE(shape, module))",

    "CREATE TABLE operator_samples(id INTEGER PRIMARY KEY,"
    " op INTEGER NOT NULL REFERENCES operators(id), round INTEGER NOT NULL,"
    " repeat INTEGER NOT NULL, latency_us REAL NOT NULL, UNIQUE(op, round, repeat))",
    NULL,
};

const as_addition as_additions[] = {
    {AS_TABLE_RUN, "corpus_calls", "-1"},
    {AS_TABLE_RUN, "n_traces", "1"},
    {AS_TABLE_RUN, "corpus_inputs", "-1"},
    {AS_TABLE_PROFILES, NULL, NULL},
    {AS_TABLE_ROUTES, NULL, NULL},
    {AS_TABLE_RUN, "compare", "'boxes'"},
    {AS_TABLE_RUN, "bound_absolute", "0.0"},
    {AS_TABLE_RUN, "bound_relative", "0.0"},
    {AS_TABLE_RUN, "bound_ulp", "0"},
    {AS_TABLE_INPUTS, "tensor", "''"},
    {AS_TABLE_OUTPUTS, NULL, NULL},
    {AS_TABLE_RUN, "noise_rule", "'report'"},
    {AS_TABLE_RUN, "budget_s", "0"},
    {AS_TABLE_RUN, "n_bought", "0"},
    {AS_TABLE_RUN, "unfit", "''"},
    {AS_TABLE_SLOTS, "repeat", "0"},
    {AS_TABLE_SAMPLES, "clock", "'good'"},
    {AS_TABLE_NOISE, NULL, NULL},
    {AS_TABLE_RUN, "reference_name", "''"},
    {AS_TABLE_RUN, "reference_sha256", "''"},
    {AS_TABLE_RUN, "saves_maps", "0"},
    {AS_TABLE_DEPARTURES, NULL, NULL},
    {AS_TABLE_MARGINS, NULL, NULL},
    {AS_TABLE_TRUTHS, NULL, NULL},
    {AS_TABLE_SEARCH, NULL, NULL},
    {AS_TABLE_STRUCTURES, NULL, NULL},
    {AS_TABLE_TRAININGS, NULL, NULL},
    {AS_TABLE_EPOCHS, NULL, NULL},
    {AS_TABLE_STRUCTURE_SAMPLES, NULL, NULL},
    {AS_TABLE_STRUCTURE_SLOTS, NULL, NULL},
    {AS_TABLE_SELECTIONS, NULL, NULL},
    {AS_TABLE_TEST_SCORES, NULL, NULL},
    {AS_TABLE_OPERATOR_STUDY, NULL, NULL},
    {AS_TABLE_OPERATORS, NULL, NULL},
    {AS_TABLE_OPERATOR_SAMPLES, NULL, NULL},
};
const size_t as_n_additions = AS_COUNT_OF(as_additions);
