/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_EVIDENCE_ROWS_H
#define ASSAY_EVIDENCE_ROWS_H
/*
 * What the evidence database holds, as plain structs: one type a table of schema.h.
 *
 *     run ─┬─ policies ── order (round, position -> policy)
 *          ├─ documents ── inputs (frozen regions) ── calls (batches of inputs)
 *          ├─ snapshots of the machine ── processes
 *          └─ slots (phase, round, position, policy: one worker process)
 *                ├─ samples  (cycle, call -> stage times)
 *                ├─ answers  (cycle, input -> box set)       box sets are stored once each
 *                ├─ cleanups (cycle, document -> seconds)
 *                ├─ memory samples, engine facts (start, exit), passes
 *                ├─ in the profile phase: a trace, and the routes that were looked for in it
 *                └─ noise (what the machine did besides)
 *
 * Indices are dense and start at 0: `policy`, `document`, `input`, `call`, `slot` and `box_set`
 * are places in the arrays that the reader gives.  Strings and arrays are borrowed: from the
 * caller when written, from the reader when read.  An optional string is "" when absent; an
 * optional number is -1, an optional double NaN, as the fields say.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/noise.h"

/** Extents N C H W. */
typedef struct as_evidence_shape {
    size_t n, c, h, w;
} as_evidence_shape;

/** How far a run is. */
typedef enum as_run_state {
    AS_RUN_SMOKE,   /**< Smoke slots are being run (or the run was killed there). */
    AS_RUN_ROUNDS,  /**< Formal rounds are being run (or the run was killed there). */
    AS_RUN_STOPPED, /**< Boxes differed in the smoke phase and on_difference is stop. */
    AS_RUN_FINISHED /**< Every planned slot is there, failed policies' rest excepted. */
} as_run_state;

/** What happens when a policy's boxes differ from the baseline's. */
typedef enum as_on_difference {
    AS_ON_DIFFERENCE_STOP,    /**< No formal rounds. */
    AS_ON_DIFFERENCE_EXCLUDE, /**< The rounds go on without that policy. */
    AS_ON_DIFFERENCE_MEASURE  /**< It is timed and reported, never chosen. */
} as_on_difference;

/** What a dirty round leads to. */
typedef enum as_noise_rule {
    AS_NOISE_REPORT, /**< It is told, and counts. */
    AS_NOISE_RERUN   /**< It is run again in its place; too many, and the machine is unfit. */
} as_noise_rule;

/** The one row of table `run`: every setting, so that a run resumes from the evidence alone. */
typedef struct as_run_row {
    int schema_version;          /**< That the file has; the writer sets AS_EVIDENCE_SCHEMA. */
    const char *assay_version;   /**< "0.1.0". */
    const char *created;         /**< Label "2026-09-18T09:00:00Z". */
    const char *finished;        /**< Label, "" until the run is finished or stopped. */
    const char *command;         /**< Shell line that runs the same experiment again. */
    const char *model_name;      /**< Base name. */
    const char *model_path;      /**< Absolute, for resuming. */
    const char *model_sha256;    /**< Of the file. */
    const char *corpus_name;     /**< Base name of the corpus folder. */
    const char *corpus_path;     /**< Absolute, for resuming. */
    const char *manifest_sha256; /**< Of manifest.json. */
    const char *program_sha256;  /**< Of the assay program that ran. */
    int64_t seed;
    const char *order;              /**< "latin" or "williams". */
    int n_rounds;                   /**< Planned formal rounds. */
    int n_cycles;                   /**< Passes over the documents in a slot. */
    int n_smoke_calls;              /**< The first so many calls make the smoke phase. */
    int baseline;                   /**< Policy index whose answers are the truth. */
    as_on_difference on_difference; /**< What a difference leads to. */
    double slot_timeout_s;          /**< 0 = none. */
    bool exclusive_hardware;        /**< What the user says of the machine. */
    const char *machine_json;       /**< Facts of the machine and libraries, a JSON object. */
    const char *findings_json;      /**< What `assay env` found, a JSON array. */
    as_run_state state;
    int64_t
        corpus_calls; /**< Of the whole corpus, of which a part may be replayed; -1 unknown. */
    int64_t corpus_inputs; /**< Likewise: its frozen regions. */
    const char *compare;   /**< "boxes", "tensor" or "top1": what makes two answers equal. */
    double bound_absolute; /**< Of "tensor": each suffices for an element. */
    double bound_relative;
    int64_t bound_ulp;
    as_noise_rule noise_rule; /**< What a dirty round leads to. */
    double budget_s;          /**< Measuring may take so long while undecided; 0 = none. */
    int n_bought;             /**< Times that the budget bought more rounds. */
    const char *unfit; /**< Why the machine is unfit to measure on, a sentence; else "". */
    const char *
        reference_name; /**< Base name of the file whose boxes are the truth; "": the baseline. */
    const char *reference_sha256; /**< Of that file, or "". */
    bool saves_maps;              /**< The first round's maps stand in RUN/maps/. */
    int n_traces; /**< Traced calls of each policy before the rounds, a process each. */
} as_run_row;

typedef struct as_policy_row {
    const char *name;   /**< "split". */
    const char *text;   /**< "split=native,split-at=16,split-to=8". */
    const char *engine; /**< "native". */
} as_policy_row;

/** One turn of the plan: in `round`, at `position`, `policy` runs. */
typedef struct as_order_row {
    int round, position, policy;
} as_order_row;

typedef struct as_document_row {
    const char *name;   /**< Base name of the source. */
    const char *sha256; /**< Of the source. */
} as_document_row;

/** One frozen region with its detector settings. */
typedef struct as_input_row {
    const char *id;     /**< Its id in the manifest. */
    const char *file;   /**< Path in the corpus folder. */
    const char *sha256; /**< Of the file. */
    int document;
    int page;                  /**< Starts at 1. */
    int width_px, height_px;   /**< Of the region. */
    int network_h, network_w;  /**< What the network sees before padding. */
    double thresh, box_thresh; /**< Detector settings. */
    double unclip;
    int limit_side;
    const char *limit_type; /**< "max" or "min". */
    const char *tensor; /**< Input of the network that `file` is an array for; "": a picture,
                                 else nothing from `page` on but this says anything. */
} as_input_row;

/** One call of the corpus: inputs of one document and one network shape. */
typedef struct as_call_row {
    const char *id; /**< Its id in the manifest. */
    int document;
    as_evidence_shape shape; /**< N C H W before any split or padding. */
    const int *inputs;       /**< int inputs[shape.n], indices, in batch order. */
} as_call_row;

typedef enum as_phase { AS_PHASE_SMOKE, AS_PHASE_PROFILE, AS_PHASE_FORMAL } as_phase;

/** "smoke", "profile", "formal". */
const char *as_phase_name(as_phase phase);

typedef enum as_slot_state {
    AS_SLOT_FINISHED, /**< Every call of every cycle is there. */
    AS_SLOT_FAILED /**< Crashed, hung or reported an error: `error` says it; it has no samples
                           and no answers. */
} as_slot_state;

/** One worker process. */
typedef struct as_slot_row {
    as_phase phase;
    int round;    /**< 0 outside the formal phase. */
    int repeat;   /**< 0, and one more each time that the round was run again. */
    int position; /**< Place in the round's order. */
    int policy;
    as_slot_state state;
    const char *started; /**< Label. */
    double load_s;       /**< Loading the model. */
    double cleanup_s;    /**< Sum over the documents and the end. */
    double total_s;      /**< Wall time of the whole process as the parent saw it. */
    double user_s;       /**< CPU time of the process and its adapter. */
    double system_s;
    int64_t n_loads;         /**< Times that the engine read the model; 1. */
    int64_t n_forwards;      /**< Forward passes (pieces count singly). */
    int64_t n_calls;         /**< Calls reported, also by a failed one. */
    int64_t major_faults;    /**< Of the process. */
    int64_t switches_wanted; /**< Voluntary context switches. */
    int64_t switches_forced; /**< Involuntary ones. */
    const char *exit;        /**< "exit status 0", "signal 11 (Segmentation fault)". */
    const char *error;       /**< One sentence when FAILED, else "". */
    const char *error_code;  /**< "ASSAY_E_ENVIRONMENT" and so on when FAILED, else "". */
    const char *log;         /**< File in logs/. */
} as_slot_row;

/** One timed call of a slot. */
typedef struct as_sample_row {
    int slot, cycle, call;
    as_evidence_shape shape;         /**< As the worker saw it: equal to the call's. */
    size_t n_pieces;                 /**< Forward passes. */
    const as_evidence_shape *pieces; /**< Shape that the network saw in each. */
    int64_t preprocess_ns, forward_ns, transfer_ns, postprocess_ns;
    const char *map_sha256; /**< Of the cropped maps' bytes, in input order. */
    int64_t n_not_finite;   /**< NaN or Inf among the maps' values. */
    as_clock_fault clock; /**< Whether its times are durations; a negative one is kept as -1. */
} as_sample_row;

/** One box as detection gave it. */
typedef struct as_evidence_box {
    int32_t corners[4][2]; /**< (x, y): tl, tr, br, bl. */
    double score;          /**< May be NaN or Inf; its bits are kept. */
} as_evidence_box;

/** A list of boxes; equal lists (every coordinate, every bit of the scores) are one set.  Where tensors are
 * compared it has none and stands for the outputs of its hash. */
typedef struct as_box_set_row {
    const char *sha256; /**< Of its encoding, or of an as_output_row. */
    size_t n;
    const as_evidence_box *boxes; /**< n of them, in order. */
} as_box_set_row;

/** What the reference says of an input. */
typedef struct as_truth_row {
    int input;
    int box_set; /**< Index of a box set. */
} as_truth_row;

/** What a slot answered for an input. */
typedef struct as_answer_row {
    int slot, cycle, input;
    int box_set; /**< Index of a box set. */
} as_answer_row;

typedef struct as_cleanup_row {
    int slot, cycle, document;
    double seconds;
} as_cleanup_row;

/** Memory of one process at one moment, outside every timed stretch.  Kinds are never added. */
typedef struct as_memory_row {
    int slot;
    const char *when;    /**< "start", "loaded", "call", "document", "cleaned", "exit". */
    int cycle, document; /**< -1 where they do not apply. */
    int call;
    const char *process;                     /**< "worker" or "adapter". */
    int64_t rss_bytes, pss_bytes, uss_bytes; /**< -1 where the kernel does not say. */
    int64_t peak_rss_bytes;                  /**< VmHWM: the process's life so far. */
    int64_t swap_used_bytes;                 /**< Of the whole machine. */
} as_memory_row;

/** What an engine said of itself, at the start or the exit of a worker. */
typedef struct as_engine_row {
    int slot;
    const char *moment; /**< "start" or "exit". */
    const char
        *json; /**< A JSON object: engine, version, device, dtype, isa, flags, threads... */
} as_engine_row;

/** One pass over the graph at load. */
typedef struct as_pass_row {
    int slot;
    const char *name;
    int nodes_before, nodes_after;
    double seconds;
    const char *kinds_before; /**< Nodes of each kind, "Conv:62 Add:89". */
    const char *kinds_after;
} as_pass_row;

/** What a slot of the profile phase saw: one call, of which no sample and no answer is kept. */
typedef struct as_profile_row {
    int slot;
    int call;
    const char *trace; /**< A JSON object: base/trace.h. */
} as_profile_row;

/** One assertion about the operators of a profile. */
typedef struct as_route_row {
    int slot;
    const char *setting; /**< Of the policy: "winograd=off". */
    const char *pattern; /**< Operators and routes that have these words in them. */
    const char *wanted;  /**< "ran" or "absent". */
    int64_t count;       /**< Times that they ran; -1: the engine tells no operators. */
} as_route_row;

/** Whether what was wanted is what was seen. */
static inline bool as_route_row_holds(const as_route_row *row)
{
    return row->count >= 0 && (row->count > 0) == (row->wanted[0] == 'r');
}
/** What the machine did besides while a slot went through its calls. */
typedef struct as_noise_row {
    int slot;
    as_noise noise;
    int64_t n_bad_clock; /**< Calls of the slot whose clock was shown to be broken. */
} as_noise_row;

/** The machine at one moment, taken over about a second outside every slot. */
typedef struct as_snapshot_row {
    as_phase phase;
    int round;          /**< 0 in the smoke phase. */
    const char *moment; /**< "before" or "after" the phase or round. */
    const char *taken;  /**< Label. */
    double load_1, load_5, load_15;
    double psi_cpu_avg10;     /**< Per cent; NaN where the kernel does not say. */
    int64_t psi_cpu_total_us; /**< -1 where the kernel does not say. */
    int64_t steal_ticks;      /**< Of all CPUs since boot. */
    int64_t total_ticks;      /**< The same. */
    int64_t n_throttled;      /**< cgroup nr_throttled; -1 without a quota. */
    int64_t throttled_us;     /**< cgroup throttled_usec; -1 without a quota. */
    int64_t swap_used_bytes;
} as_snapshot_row;

/** One of a snapshot's busiest processes. */
typedef struct as_process_row {
    int snapshot; /**< Index of a snapshot. */
    int pid;
    const char *name;   /**< As /proc/PID/comm. */
    double cpu_percent; /**< Of one CPU, over the snapshot's window. */
    int64_t rss_bytes;
} as_process_row;

/** The outputs of a network for one input, equal ones once: a line "f4[1,1000]" that says what they are
 * (verdict/tensor.h), then their bytes. */
typedef struct as_output_row {
    const char *sha256;  /**< Of content. */
    const void *content; /**< When written; NULL when read: as_evidence_output. */
    size_t content_bytes;
} as_output_row;

/** How far a decision of the baseline's map stood from its threshold (detect/margins.h). */
typedef struct as_margin_row {
    int slot, input;
    int64_t
        box; /**< Place in the answer; -1 a candidate that was dropped, -2 the rest of the map. */
    double pixel; /**< Least |probability - thresh| of its pixels. */
    double score; /**< score - box_thresh; NaN of the rest. */
} as_margin_row;

/** Where a policy's values first part from the baseline's inside the network, on one call. */
typedef struct as_departure_row {
    int policy, call;
    const char *kind; /**< "bits": any bit; "values": more than 1e-4 of the greatest value. */
    const char *node; /**< Name in the model's file, "" where it has none. */
    const char *op_type; /**< "Conv". */
    const char *tensor;  /**< Its output. */
    int node_index;      /**< Place among n_nodes in the model's order, from 0. */
    int n_nodes;
    double absolute; /**< Greatest distance of an element. */
    double share;    /**< The same over the greatest magnitude of the baseline's. */
    int64_t ulp;     /**< Greatest distance in float32 values; -1 where one is NaN. */
    const char *route_truth, *route_policy; /**< How the layer was computed. */
} as_departure_row;

/** An input whose boxes differed somewhere, with its pixels so that review/ needs no corpus. */
typedef struct as_review_row {
    int input;
    const void *png; /**< The region's file when written; NULL when read: as_evidence_png. */
    size_t png_bytes;
} as_review_row;

#endif
