/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_PLAN_FILE_H
#define ASSAY_PLAN_PLAN_FILE_H
/*
 * A plan file: the routes and bands that `assay tune` chose for one model on one CPU, and what it
 * saw.
 *
 *     as_plan_file *file;
 *     code = as_plan_file_read("plan.json", &file, err);
 *     if (!code) code = as_plan_file_check(file, graph, kernels, model_sha256, err);
 *     options.choices = as_plan_file_choices(file);
 *     as_plan_file_free(file);
 *
 * It is JSON, written whole or not at all; the same measurements give the same bytes, and what is
 * read and written again stays the same.  A file is hostile until read: sizes, types and texts are
 * checked, and a route that a layer cannot take is refused before anything runs.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cpu.h"
#include "base/sha256.h"
#include "graph/graph.h"
#include "kernels/kernels.h"
#include "plan/choices.h"

#define AS_PLAN_FILE_SCHEMA 2 /* 2: groups */

/** Milliseconds of a layer, summed over the calls measured; n = 0: not measured. */
typedef struct as_plan_cost {
    size_t n; /**< Samples. */
    double median_ms, lower_quartile_ms, upper_quartile_ms;
} as_plan_cost;

/** A route that proposed itself for a layer. */
typedef struct as_plan_candidate {
    const char *route;
    bool is_exact;
    bool changes_boxes;    /**< It was cheapest, and some box was another with it. */
    as_plan_cost in_place; /**< Inside the network. */
    as_plan_cost isolated; /**< The layer alone, again and again. */
} as_plan_candidate;

typedef struct as_plan_layer {
    const char *op_type; /**< "Conv"; node, name and route stand in the choice. */
    as_plan_candidate *candidates;
    size_t n_candidates;
} as_plan_layer;

/** A group that the rule formed in a call measured, and what each way to go costs. */
typedef struct as_plan_group {
    const char *first, *last; /**< Names of its outer layers; the bands stand in the choice. */
    size_t n_layers;
    size_t rows[AS_BANDS_N]; /**< Of a band, in the call with most pixels; 0 = alone. */
    as_plan_cost in_place[AS_BANDS_N];
} as_plan_group;

/** A call that was measured; it stands for all of its shape. */
typedef struct as_plan_call {
    const char *id; /**< In the corpus. */
    int64_t n, h, w;
    size_t n_calls; /**< Calls of the corpus with this shape: its weight. */
} as_plan_call;

/** What the choice stands on. */
typedef struct as_plan_evidence {
    char manifest_sha256[AS_SHA256_HEX]; /**< Of the corpus. */
    int64_t seed;
    as_plan_call *calls;
    size_t n_calls;
    double calls_share;       /**< Of all the corpus' pixels, those that `calls` stand for. */
    size_t n_rounds;          /**< In which routes were timed. */
    size_t n_group_rounds;    /**< In which bands were. */
    size_t n_comparisons;     /**< Passes over the corpus to compare boxes. */
    size_t n_inputs, n_boxes; /**< Compared in the last, whole one, which was equal. */
    bool is_settled;          /**< Every choice was decided before the budget ended. */
} as_plan_evidence;

/** Whole network, tuned / default; n = 0: not measured. */
typedef struct as_plan_ratio {
    size_t n; /**< Paired rounds. */
    double ratio, low, high, level;
    bool has_interval;
} as_plan_ratio;

/** All texts and arrays lie in `arena`. */
typedef struct as_plan_file {
    as_cpu_info cpu; /**< It was tuned on; n_online is not part of it. */
    char isa[16];    /**< Of the kernels. */
    size_t threads;
    const char *model_name;
    char model_sha256[AS_SHA256_HEX];
    as_plan_evidence evidence;
    as_plan_ratio ratio;
    as_layer_choice *choices; /**< [n_layers] */
    as_plan_layer *layers;    /**< [n_layers], in the graph's order */
    size_t n_layers;
    as_group_choice *group_choices; /**< [n_groups] */
    as_plan_group *groups;          /**< [n_groups] */
    size_t n_groups;
    char sha256[AS_SHA256_HEX]; /**< Of the file that was read; "" before. */
    as_arena *arena;            /**< Owns all of this, itself too. */
} as_plan_file;

/** An empty one; NULL without memory. */
as_plan_file *as_plan_file_new(void) AS_CHECKED;

/** Free it; takes NULL. */
void as_plan_file_free(as_plan_file *file);

/** What it chose, for as_plan_options; borrows `file`. */
as_choices as_plan_file_choices(const as_plan_file *file);

/** The file's text in fresh memory (as_free).  @return ASSAY_E_MEMORY. */
assay_code as_plan_file_text(const as_plan_file *file, char **text, assay_error *err);

/** Write it whole or not at all; what is at `path` is replaced.  @return ASSAY_E_IO, _MEMORY. */
assay_code as_plan_file_write(const as_plan_file *file, const char *path, assay_error *err);

/**
 * Read a plan file.
 * @param out  owned by the caller (as_plan_file_free); NULL on failure.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT (with the place), ASSAY_E_UNSUPPORTED (schema),
 *         ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_plan_file_read(const char *path, as_plan_file **out, assay_error *err);

/**
 * Whether the plan is for this machine and this model.
 * @param graph         the model after its passes.
 * @param model_sha256  of the model's file.
 * @return ASSAY_E_ENVIRONMENT for another CPU or instruction set, ASSAY_E_CHANGED for another
 *         model, ASSAY_E_FORMAT for a layer or route that is not there.
 */
assay_code as_plan_file_check(const as_plan_file *file, const as_graph *graph,
                              const as_kernels *kernels, const char *model_sha256,
                              assay_error *err);

/** The same against a given CPU, for tests over saved machines. */
assay_code as_plan_file_check_cpu(const as_plan_file *file, const as_cpu_info *cpu,
                                  const char *isa, assay_error *err);

#endif
