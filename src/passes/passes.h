/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PASSES_PASSES_H
#define ASSAY_PASSES_PASSES_H
/*
 * Graph -> simpler graph with the same answers (to float rounding: folded weights are computed in
 * double and rounded once a pass).
 *
 *     as_pass_record records[AS_MAX_PASSES];
 *     int n_records;
 *     if (as_passes_run(graph, true, records, &n_records, err)) return err->code;
 *
 * Between passes the graph is sorted, so that node ids are positions again.  A pass never changes
 * the graph's inputs, outputs or their names.
 */
#include "graph/graph.h"

/** At least as many as as_passes has. */
#define AS_MAX_PASSES 16

/** What a pass tells of its work. */
typedef struct as_pass_stats {
    int n_changes; /**< Patterns replaced: folded, merged, recognised or removed. */
} as_pass_stats;

/** One pass.  On failure the graph is of no more use than to be freed. */
typedef assay_code as_pass_fn(as_graph *graph, as_pass_stats *stats, assay_error *err);

/** Constant nodes become constant tensors; simple operators on constants are computed. */
as_pass_fn as_pass_constants;
/** Takes out Identity, Dropout and Cast to the same type. */
as_pass_fn as_pass_identities;
/** A Reshape's dims that are computed from other tensors' shapes become constants. */
as_pass_fn as_pass_computed_dims;
/** A Sum of two becomes an Add, a Sum of one its input. */
as_pass_fn as_pass_sums;
/** Recognises hard-swish, hard-sigmoid, ReLU and the mean over h and w in what exporters write. */
as_pass_fn as_pass_activations;
/** Recognises the Erf form of GELU. */
as_pass_fn as_pass_gelu;
/** Folds BatchNormalization into the Conv or ConvTranspose before it. */
as_pass_fn as_pass_fold_batchnorm;
/**
 * Chains of Mul, Add, Sub, Div by constants a channel, of BatchNormalization and of Affine: folded
 * into the convolution before, else into the unpadded convolutions behind, else one Affine node.
 */
as_pass_fn as_pass_fold_affine;
/** x + x * s, with one s a channel, becomes x * (s + 1). */
as_pass_fn as_pass_common_factor;
/** The mean of a pointwise convolution's result becomes the convolution of the mean. */
as_pass_fn as_pass_pooled_conv;
/** Takes out nodes whose outputs nobody reads. */
as_pass_fn as_pass_dead;

/** One line of the table of passes, in the order in which they run. */
typedef struct as_pass {
    const char *name;
    as_pass_fn *run;
    bool is_always; /**< Runs also without fusion. */
} as_pass;

/** The table; *n receives its length. */
const as_pass *as_passes(int *n);

/** What one pass did. */
typedef struct as_pass_record {
    const char *name; /**< Static. */
    int n_changes;
    int n_before, n_after;    /**< Nodes. */
    int ops_before[AS_N_OPS]; /**< Nodes of each operator. */
    int ops_after[AS_N_OPS];
    double elapsed_s;
} as_pass_record;

/**
 * Run the passes on `graph`.
 * @param fuse       false: only those that are always run (constants, identities, computed dims, dead nodes).
 * @param records    one each pass that ran; room for AS_MAX_PASSES; may be NULL.
 * @param n_records  receives how many; may be NULL.
 * @return ASSAY_E_MEMORY, or ASSAY_E_FORMAT where the graph contradicts itself.
 */
assay_code as_passes_run(as_graph *graph, bool fuse, as_pass_record *records, int *n_records,
                         assay_error *err);

#endif
