/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_FACTS_H
#define ASSAY_REPORT_FACTS_H
/*
 * Every number of the report, computed once from the evidence's rows; the writers only print.
 *
 *     evidence.db -> rows -> as_facts -> summary.json, report.md, report.html, ...
 *
 *     rounds   0..n_rounds-1 are the formal rounds in order; a round's own number is `round_id`
 *     slot_of  [round][policy] -> finished formal slot, -1 where there is none
 *     cell_of  [policy][input] -> what was answered for the input, truth beside it
 *
 * Detection is the sum of the four stages over a slot's calls, all cycles.  Loading, cleanup,
 * sampling of memory and storing are not in it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "evidence/evidence.h"
#include "report/language.h"
#include "verdict/compare.h"
#include "verdict/noise.h"
#include "verdict/statistics.h"
#include "verdict/tensor.h"
#include "verdict/verdict.h"

enum { AS_PREPROCESS, AS_FORWARD, AS_TRANSFER, AS_POSTPROCESS, AS_N_STAGES };

/** Calls of fewer than AS_STRATUM_N inputs, and the rest. */
enum { AS_SMALL, AS_LARGE, AS_N_STRATA };
/** The batch size at which the strata part: PyTorch's NNPACK route starts there. */
#define AS_STRATUM_N 16

/** Which process memory is of. */
enum { AS_WORKER, AS_ADAPTER, AS_N_PROCESSES };

/** "preprocess", ...: a stage's name. */
const char *as_stage_name(int stage);

/** Nanoseconds of each stage, summed. */
typedef struct as_stages {
    int64_t ns[AS_N_STAGES];
} as_stages;

/** What a slot's rows add up to; its index is the slot's. */
typedef struct as_slot_facts {
    as_stages stages;
    int64_t stratum_ns[AS_N_STRATA];
    size_t n_samples, n_answers;
    size_t n_bad_clocks;  /**< Calls with a negative or empty duration. */
    int64_t n_not_finite; /**< NaN or Inf in its maps. */
    int64_t peak_pss[AS_N_PROCESSES], peak_rss[AS_N_PROCESSES]; /**< Bytes; -1 unknown. */
} as_slot_facts;

/** What one policy answered for one input, over all slots. */
typedef struct as_tally {
    uint32_t n_checks;    /**< Answers compared with the truth. */
    uint32_t n_differing; /**< Of these, those that differ. */
    int differing_set;    /**< Box set of the first differing answer, -1 without. */
    int differing_slot;   /**< Its slot. */
    int last_set;         /**< Box set compared last, -1 at first ... */
    bool last_equal;      /**< ... and the outcome. */
} as_tally;

/** One policy's sums; its index is the policy's. */
typedef struct as_policy_facts {
    const as_policy_row *row;
    const double
        *round_s; /**< double round_s[n_rounds]: detection seconds, NaN without a slot. */
    as_summary detection; /**< Of the rounds that are there. */
    double
        reduction; /**< Percent, of medians over the rounds that the baseline has too; NaN without. */
    as_candidate candidate;         /**< With estimate and verdict. */
    as_summary stages[AS_N_STAGES]; /**< Seconds a round. */
    const as_summary
        *batch_ms; /**< [n_batches] milliseconds an image or megapixel, by round. */
    const double *batch_reduction;         /**< [n_batches] percent, as `reduction`. */
    as_summary strata[AS_N_STRATA];        /**< Seconds a round. */
    double stratum_reduction[AS_N_STRATA]; /**< As `reduction`. */
    int64_t peak_pss[AS_N_PROCESSES];      /**< Largest over the formal slots; -1 unknown. */
    int64_t peak_rss[AS_N_PROCESSES];
    size_t n_inputs_checked, n_inputs_differing; /**< Distinct inputs. */
    size_t n_inputs_with_boxes; /**< Of the checked ones, those where either side has a box. */
    size_t n_checks, n_checks_differing; /**< Answers, rounds counted singly. */
    size_t
        n_passes; /**< Over the corpus in the finished formal slots, cycles counted singly. */
    size_t n_answers;     /**< In these: n_passes times the inputs where nothing is missing. */
    int64_t n_forwards;   /**< In these. */
    double max_corner_px; /**< Over the differing inputs that kept a box. */
    int failed_slot;      /**< First failed slot, -1 without one. */
    int64_t n_not_finite;
} as_policy_facts;

/** The calls of one batch size. */
typedef struct as_batch_facts {
    size_t n;                 /**< N. */
    size_t n_calls, n_inputs; /**< Of a pass. */
    double megapixels; /**< That the network sees of them, before any split or padding. */
} as_batch_facts;

/** An input whose boxes differ under a policy. */
typedef struct as_difference_facts {
    int input, policy;
    as_comparison comparison;    /**< Of the truth and the first differing answer. */
    as_tensor_comparison tensor; /**< In its place where outputs are compared. */
} as_difference_facts;

/** How disturbed a formal round was, by the rules of MEASURING, "Noise". */
typedef struct as_round_facts {
    int id;           /**< Its number in the evidence, from 0; people count from 1. */
    bool has_noise;   /**< Something was observed. */
    double psi_cpu;   /**< Percent of the wall time, of the slot that had most; NaN unknown. */
    double run_delay; /**< Likewise: our threads waited for a CPU. */
    double steal;     /**< Percent of all ticks, likewise. */
    double off_cpu;   /**< Percent of the wall time, likewise; never a gate. */
    int64_t n_throttled;
    int64_t n_major_faults; /**< Of the round's slots. */
    bool is_dirty;
    int n_repeats; /**< Times that it was run again; only the last one counts. */
} as_round_facts;

/** A call that a broken clock takes out of its round, of every policy alike. */
typedef struct as_bad_call {
    as_phase phase;
    int round, cycle, call;
} as_bad_call;

/** All of it; everything is borrowed from `evidence` or lies in `arena`. */
typedef struct as_facts {
    as_language language;  /**< Of headline, certainty and warnings. */
    as_evidence *evidence; /**< Owns. */
    as_arena *arena;       /**< Owns. */
    const as_run_row *run;
    const as_policy_row *policies;
    const as_order_row *orders;
    const as_document_row *documents;
    const as_input_row *inputs;
    const as_call_row *calls;
    const as_slot_row *slots;
    const as_box_set_row *box_sets;
    const as_engine_row *engines;
    const as_pass_row *passes;
    const as_profile_row *profiles;
    const as_route_row *routes;
    const as_noise_row *noise;
    const as_snapshot_row *snapshots;
    const as_process_row *processes;
    const as_review_row *reviews;
    const as_departure_row *departures;
    size_t n_departures;
    const as_margin_row *margins; /**< Of each input those of its first slot. */
    size_t n_margins;
    size_t n_policies, n_orders, n_documents, n_inputs, n_calls, n_slots, n_samples, n_box_sets,
        n_engines, n_passes, n_profiles, n_routes, n_noise, n_snapshots, n_processes, n_reviews;

    json_t *machine,
        *findings;         /**< Of the run's JSON texts, NULL where they are none.  Owns. */
    json_t **engine_facts; /**< [n_engines] likewise. */

    size_t n_rounds; /**< Formal rounds of which a slot or a place in the order is there. */
    size_t n_rounds_done;    /**< Those with a slot, finished or failed, of every policy due. */
    as_round_facts *rounds;  /**< [n_rounds] */
    int *slot_of;            /**< [n_rounds][n_policies] */
    as_slot_facts *slot;     /**< [n_slots] */
    as_stages *document_sum; /**< [n_slots][n_documents] */
    int *truth;              /**< [n_inputs] box set of the baseline, -1 without an answer. */
    as_tally *cells;         /**< [n_policies][n_inputs] */
    as_policy_facts *policy; /**< [n_policies] */
    as_difference_facts *differences; /**< By input, then policy. */
    size_t n_differences;
    as_compare_kind compare; /**< What was held equal. */
    as_tensor_comparison
        *policy_tensor; /**< [n_policies]: bounds that all outputs would need, of tensors. */
    size_t n_inputs_differing;          /**< Distinct, over all policies. */
    size_t n_empty_inputs;              /**< Whose truth has no box. */
    size_t stratum_calls[AS_N_STRATA];  /**< Calls of the corpus. */
    size_t stratum_inputs[AS_N_STRATA]; /**< Their inputs. */
    as_batch_facts *batches;            /**< [n_batches], by N. */
    size_t n_batches;
    size_t *batch_of;          /**< [n_calls] place in `batches`. */
    int64_t *batch_ns;         /**< [n_slots][n_batches] detection. */
    bool has_one_shape;        /**< Every call has the same height and width. */
    size_t n_incomplete_slots; /**< "Finished" without every call and answer once. */
    double alpha;              /**< The error that each candidate's interval may make. */
    size_t rounds_needed;      /**< For an interval at all. */
    as_bad_call *bad_calls;    /**< Sorted. */
    size_t n_bad_calls;
    as_choice choice;            /**< policy is AS_NO_POLICY without any round. */
    bool holds;                  /**< No failure and no difference so far. */
    const char *headline;        /**< The verdict in one sentence. */
    const char *certainty;       /**< How sure that is. */
    const char *const *warnings; /**< NULL behind the last. */
} as_facts;

/** Read the evidence at `path` and compute everything.  Errors as as_report_open. */
assay_code as_facts_load(const char *path, as_language language, as_facts **out,
                         assay_error *err);

/** Free it with its evidence; takes NULL. */
void as_facts_free(as_facts *facts);

/** Sum of the stages in seconds. */
double as_stages_seconds(const as_stages *stages);

/** The finished formal slot of a policy in a round, or -1. */
static inline int as_facts_slot(const as_facts *f, size_t round, size_t policy)
{
    return f->slot_of[round * f->n_policies + policy];
}

static inline as_tally *as_facts_cell(const as_facts *f, size_t policy, size_t input)
{
    return &f->cells[policy * f->n_inputs + input];
}

/** A round as people count: formal ones from 1, 0 outside the formal phase. */
static inline int as_round_number(as_phase phase, int round)
{
    return phase == AS_PHASE_FORMAL ? round + 1 : 0;
}

/** `percent` ready to print with one digit: what rounds to zero has no sign. */
static inline double as_percent(double percent)
{
    return percent > -0.05 && percent < 0.05 ? 0 : percent;
}

/** Name of policy `i`. */
static inline const char *as_facts_name(const as_facts *f, size_t i)
{
    return f->policies[i].name;
}

/**
 * Median over the rounds of a policy's seconds in one document: each stage, and their sum.
 * @param stages  [AS_N_STAGES + 1], the last is detection; all of n == 0 without a round.
 */
assay_code as_facts_document(const as_facts *f, size_t policy, size_t document,
                             as_summary *stages, assay_error *err);

/** Images in the calls of a batch size where all calls have one shape, else their megapixels. */
double as_facts_unit(const as_facts *f, size_t batch);

/**
 * Break-even: the first batch size from which on a policy's median is below the baseline's by more than
 * the margin at every size; n_batches where there is none, or where the policy failed.
 */
size_t as_facts_break_even(const as_facts *f, size_t policy);

/** Whether a broken clock takes the sample, or its like of another policy, out of its round. */
bool as_facts_is_left_out(const as_facts *f, const as_sample_row *sample);

/** Add a count of the evidence, -1 or more, to a sum of them, which stays where it would not fit. */
void as_facts_add(int64_t *sum, int64_t count);

/** Say in one phrase of the facts' language, without a full stop, how the answer differs. */
void as_difference_describe(const as_facts *f, const as_difference_facts *difference,
                            char text[AS_COMPARISON_TEXT]);

/** Boxes of a stored set as detection's type; cleared first. */
assay_code as_facts_boxes(const as_box_set_row *set, as_boxes *boxes, assay_error *err);

/* Steps of as_facts_load, in their order. */
/** Fill a policy's time over the batch sizes; double values[n_rounds] is overwritten. */
assay_code as_facts_over_batches(as_facts *f, size_t policy, double *values, assay_error *err);
assay_code as_facts_batches(as_facts *f, assay_error *err);  /**< facts_batches.c */
assay_code as_facts_compare(as_facts *f, assay_error *err);  /**< facts_answers.c */
void as_facts_noise(as_facts *f);                            /**< facts_noise.c */
assay_code as_facts_clocks(as_facts *f, assay_error *err);   /**< facts_noise.c */
assay_code as_facts_judge(as_facts *f, assay_error *err);    /**< facts_policies.c */
assay_code as_facts_warn(as_facts *f, assay_error *err);     /**< warnings.c */
assay_code as_facts_headline(as_facts *f, assay_error *err); /**< words.c */

/** Room for what a finding saw. */
#define AS_SEEN_TEXT 512

/** What a finding of `assay env` saw, in `language`; as the evidence has it where it tells no phrases. */
void as_finding_seen(as_language language, const json_t *finding, char text[AS_SEEN_TEXT]);

/** A fixed text of a finding, "effect" or "advice" or another key, in `language`; "" without it. */
const char *as_finding_text(as_language language, const json_t *finding, const char *key);

/** Memory from the facts' arena; on failure *out is NULL and the code ASSAY_E_MEMORY. */
assay_code as_facts_array(as_facts *f, size_t n, size_t element_bytes, void *out,
                          assay_error *err);

/** printf into the facts' arena, in their language. */
assay_code as_facts_format(as_facts *f, const char **out, assay_error *err, const char *format,
                           ...) AS_PRINTF(4, 5);

/** Whether it is the policy's first traced call, which pages and diagnostics/ show; --traces has more. */
static inline bool as_facts_is_first_trace(const as_facts *f, const as_profile_row *profile)
{
    return f->slots[profile->slot].repeat == 0;
}

#endif
