/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_AGAINST_H
#define ASSAY_REPORT_AGAINST_H
/*
 * What changed between two runs (`assay summarize RUN --against RUN2`).
 *
 *     as_against *changes;
 *     code = as_against_make(now, then, now->language, &changes, err);
 *     as_against_print(changes, stdout);
 *     status = changes->n_regressions ? 1 : 0;
 *     as_against_free(changes);
 *
 * Policies of one name are compared; rounds of two runs are no pairs, so costs go by two_samples.h.
 * A regression is: a policy that is slower beyond doubt, that fails, or whose boxes differ, where it did
 * not; or a baseline that answers differently on the same inputs.  Everything else that changed
 * (settings, kernels, passes, the machine) is named, since it may be why.
 */
#include <stdio.h>

#include "report/facts.h"

typedef enum as_change_kind {
    AS_CHANGE_COST,    /**< A policy's detection, or a stage of it: `estimate`. */
    AS_CHANGE_ANSWERS, /**< Boxes, or whether it failed. */
    AS_CHANGE_POLICY,  /**< There or not, or with other settings. */
    AS_CHANGE_KERNEL,  /**< What an engine says of itself: version, ISA, flags. */
    AS_CHANGE_LAYER,   /**< Route and time of a layer in the traced calls (against_layers.h). */
    AS_CHANGE_PASS,    /**< Nodes behind a pass over the graph. */
    AS_CHANGE_RUN,     /**< Model, corpus, program, order. */
    AS_CHANGE_MACHINE  /**< A field of the machine. */
} as_change_kind;

/** One thing that changed; texts lie in the arena or the facts. */
typedef struct as_change {
    as_change_kind kind;
    const char *what;       /**< "split", "split forward", "versions.assay" ... */
    const char *then, *now; /**< Texts of both; NULL of a cost. */
    as_estimate estimate;   /**< now / then, of a cost, and of a layer that both have. */
    double then_s, now_s;   /**< Medians, of a cost. */
    bool is_regression;
} as_change;

/** How many rounds of a run something disturbed, by the rules for noise. */
typedef struct as_disturbed {
    size_t n_dirty, n_rounds;
} as_disturbed;

/** All changes; costs first, then by kind. */
typedef struct as_against {
    as_change *changes;
    size_t n, room, n_regressions;
    bool has_same_calls; /**< Else times and answers are not compared. */
    as_disturbed then_noise, now_noise;
    const char *then_created, *now_created;
    as_language language; /**< Of the texts. */
    as_arena *arena;      /**< Owns the texts. */
} as_against;

/**
 * Compare; both facts are borrowed until it is freed.
 * @param language  of the texts: English where programs read them.
 * @return ASSAY_E_MEMORY.
 */
assay_code as_against_make(const as_facts *now, const as_facts *then, as_language language,
                           as_against **out, assay_error *err);

/** Free it; takes NULL. */
void as_against_free(as_against *against);

/** A sentence, then a line for each change. */
void as_against_print(const as_against *against, FILE *out);

/** The same as JSON; NULL without memory. */
json_t *as_against_json(const as_against *against);

#endif
