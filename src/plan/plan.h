/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_PLAN_H
#define ASSAY_PLAN_PLAN_H
/*
 * A plan: what to run, in which order, in which memory, for one set of input shapes.
 *
 *     as_plan *plan;
 *     code = as_plan_new(graph, shapes, n_inputs, kernels, &options, weights, &plan, err);
 *     as_plan_bind(plan, arena);            arena: float[plan->arena_floats], 64-byte aligned
 *     for (size_t i = 0; i < plan->n_groups; i++)
 *         run(&plan->groups[i]);            run/execute.c
 *     as_plan_free(plan);
 *
 * A layer is one kernel call: a graph node with the nodes that ride on it as its epilogue.
 * A group is a run of layers that go down the image together, band by band (group.h).
 */
#include "graph/shape.h"
#include "kernels/kernels.h"
#include "operators/operators.h"
#include "plan/choices.h"
#include "plan/weights.h"

typedef enum as_layer_kind {
    AS_LAYER_CONV,
    AS_LAYER_DECONV,
    AS_LAYER_MAP,
    AS_LAYER_MEAN,
    AS_LAYER_ROW_SUM, /**< First stage of a MEAN: args.mean. */
    AS_LAYER_POOL,
    AS_LAYER_INTERPOLATE,
    AS_LAYER_SOFTMAX,
    AS_LAYER_FROM_NCHW, /**< C order -> NHWC; none where a route reads an input's planes. */
    AS_LAYER_TO_NCHW,   /**< A value -> C order of its ONNX shape; nchw lies in the arena. */
    AS_LAYER_PLAIN      /**< What has no kernel: the operator of operators/, in C order. */
} as_layer_kind;

/** A plain operator and what it reads and writes. */
typedef struct as_plain_args {
    const as_operator *plain;
    as_op_call call;
} as_plain_args;

/** One kernel call.  Views get their memory from as_plan_bind. */
typedef struct as_layer {
    as_layer_kind kind;
    int node;              /**< Graph node it begins with; -1 for layout layers. */
    const char *name;      /**< That node's name, or the tensor's; borrows the graph. */
    const char *op_type;   /**< "Conv", ...; "Layout" for layout layers. */
    int n_nodes;           /**< Graph nodes that it does, its epilogue's with it. */
    const as_route *route; /**< Of CONV and DECONV; else NULL. */
    union {
        as_conv_args conv;
        as_map_args map;
        as_mean_args mean;
        as_pool_args pool;
        as_interpolate_args interpolate;
        as_softmax_args softmax;
        as_layout_args layout;
        as_plain_args plain;
    } args;
    as_epilogue epilogue; /**< The args' epilogue points here. */
    size_t n_items;
    uint64_t macs;
    bool is_alone; /**< It reads what must be whole: never in a group with others. */
} as_layer;

/** A pointer of a layer that follows the caller's data; one of both. */
typedef struct as_borrow {
    int input; /**< Of the network. */
    float **floats;
    void **array;
} as_borrow;

/** A network input or output of the plan. */
typedef struct as_plan_port {
    int tensor;     /**< Graph tensor. */
    as_array array; /**< As ONNX has it.  Output: data is where its elements lie, once bound.
                       Input: data is the value that the plan was made for, where shapes depend on
                       it; else NULL. */
} as_plan_port;

/** What a policy may ask of the engine; as_plan_options_defaults(). */
typedef struct as_plan_options {
    bool fuse;          /**< [true] form epilogues. */
    bool close_routes;  /**< [true] routes that are not exact may be used. */
    const char *conv;   /**< [NULL] route preferred where it proposes itself. */
    as_choices choices; /**< [none] Go before all of these; borrowed. */
    bool groups;        /**< [true] layers may go band by band; never without `fuse`. */
    size_t band_rows;   /**< [0] rows of a band: 0 = by rule, else this many in every group that
                          can be formed, whether it pays or not (tests). */
    size_t threads;     /**< [1] threads that share the rows. */
    as_threads *pool;   /**< [NULL] packs the weights; borrowed while the plan is made. */
} as_plan_options;

as_plan_options as_plan_options_defaults(void);

/** Opaque parts stand in plan_inner.h; readers use these. */
typedef struct as_plan {
    as_layer *layers;
    size_t n_layers;
    struct as_group *groups; /**< Every layer is in one; in order. */
    size_t n_groups;
    as_plan_port *inputs, *outputs;
    int n_inputs, n_outputs;
    size_t arena_floats;   /**< Activations. */
    size_t scratch_floats; /**< For each thread, besides. */
    const as_kernels *kernels;
    as_borrow *borrows; /**< What points at the network's inputs. */
    size_t n_borrows;
    float *bound;            /**< Arena that the views point into, or NULL. */
    struct as_arena *memory; /**< Owns all of this. */
    struct as_fixup *fixups; /**< Views and where they lie. */
    size_t n_fixups;
} as_plan;

/**
 * Plan `graph` for these inputs.
 * @param inputs   shapes, types, and values (data), which are looked at, and kept, where shapes depend
 *                 on them; data NULL = not known.
 * @param weights  cache of packed weights that all plans of the graph share; borrowed.
 * @return ASSAY_E_ARGUMENT for shapes the graph does not take; ASSAY_E_UNSUPPORTED, with the node,
 *         for what no kernel does; ASSAY_E_MEMORY.
 */
assay_code as_plan_new_for(const as_graph *graph, const as_array *inputs, int n_inputs,
                           const as_kernels *kernels, const as_plan_options *options,
                           as_weights *weights, as_plan **out, assay_error *err);

/** The same of shapes alone. */
assay_code as_plan_new(const as_graph *graph, const as_shape *shapes, int n_inputs,
                       const as_kernels *kernels, const as_plan_options *options,
                       as_weights *weights, as_plan **out, assay_error *err);

/** Free the plan; takes NULL. */
void as_plan_free(as_plan *plan);

/** Let the plan's views point into `arena`: float[arena_floats], aligned to AS_ALIGNMENT. */
void as_plan_bind(as_plan *plan, float *arena);

/** Let the layers that read input `i` read `data`: its elements in C order, only read. */
void as_plan_bind_input(as_plan *plan, int i, const void *data);

/** Bytes that the plan itself holds. */
size_t as_plan_bytes(const as_plan *plan);

/** "Conv", "Resize"... with what a layer does: the route's name, "map", "mean". */
const char *as_layer_route(const as_layer *layer);

/**
 * The route for a convolution: the preferred one where it proposes itself, else the first that
 * does, is allowed and suits (as_route_suits).
 * @param preferred  may be NULL.
 * @return NULL when none proposes itself.
 */
const as_route *as_plan_choose(const as_route *routes, size_t n_routes,
                               const as_conv_shape *shape, const as_plan_options *options);

#endif
