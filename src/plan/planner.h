/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_PLAN_PLANNER_H
#define ASSAY_PLAN_PLANNER_H
/*
 * The state of a plan in the making; inside plan/ only.
 *
 *   schedule.c  puts the graph's nodes in order,
 *   form.c      walks them and asks form_*.c for their layers,
 *   ports.c     gives the network's inputs and outputs their values,
 *   form_*.c    make layers and say through views which values they read and write,
 *   form_plain.c  does so for what no kernel does,
 *   layout.c    brings a tensor from one layout into the other where somebody wants it,
 *   epilogue.c  lets following nodes ride on a layer,
 *   group.c     joins layers that go band by band,
 *   place.c     lays the values out in the arena once all layers are known.
 */
#include "base/arena.h"
#include "plan/plan.h"

/**
 * A tensor at run time, or a part of one (a slice of a Concat), in one of two layouts: pixels (f32 in
 * NHWC, what kernels see) or plain (any type in C order, what plain operators see).  A tensor can
 * have a value of each.
 */
typedef struct as_value {
    as_shape shape;    /**< As ONNX has it. */
    as_dtype dtype;    /**< AS_F32 unless plain. */
    bool is_plain;     /**< In C order. */
    size_t n, h, w, c; /**< As kernels see it: NHWC.  Plain of more dims: c elements. */
    int input;         /**< Network input whose memory it is, -1 = none. */
    const void *data;  /**< A constant's elements, in the graph or the plan; else NULL. */
    int parent;        /**< Value in whose memory it lies; -1 = a buffer of its own. */
    size_t channel;    /**< Its first channel inside the parent's pixels. */
    int n_parts;       /**< How often the Concat that is being formed reads it. */
    bool is_inside;    /**< Of one group alone: no place in the arena. */
    bool is_tight;     /**< In C order: it cannot become a part of wider pixels. */
} as_value;

/** Of a value inside a group: its view keeps no data. */
#define AS_NO_PLACE SIZE_MAX

/** A pointer that waits for the arena. */
typedef struct as_fixup {
    as_view *view;   /**< Its data and pixel_stride are set, or */
    float **pointer; /**< this pointer is, or */
    void **array;    /**< this one. */
    int value;
    int layer;     /**< Layer that touches it; INT_MAX for the network's outputs. */
    size_t offset; /**< Filled: floats from the arena's start, or AS_NO_PLACE. */
} as_fixup;

typedef struct as_planner {
    const as_graph *graph;
    const as_shapes *shapes;
    const as_plan_options *options;
    as_weights *weights;
    as_plan *plan;
    as_value *values; /* grows */
    size_t n_values, values_room;
    as_fixup *fixups; /* grows */
    size_t n_fixups, fixups_room;
    as_arena *temporary; /* memory until the weights are packed */
    as_borrow *borrows;  /* grows */
    size_t n_borrows, borrows_room;
    const as_node *
        *nodes;    /* [node]: with what only this plan knows in its attributes, or NULL */
    int *value_of; /* [tensor]: its value in pixels, -1 while nothing has made it */
    int *plain_of; /* [tensor]: its plain value, -1 likewise */
    int *sums_of;  /* [tensor]: value of the sums of its rows, -1 where nobody takes its mean */
    int *order;    /* [n_nodes]: nodes as they become layers */
    bool *is_done; /* [node]: it needs no layer of its own any more */
    bool *is_known;   /* [node]: its values are known before the run */
    as_layer *layers; /* the plan's while it is made: room for the most; owns its pages */
    size_t layers_bytes;
    int *group_of; /* [layer]: its group */
} as_planner;

/* ---- planner.c: the parts that every former uses ---- */

/** A fresh value in pixels.  @return ASSAY_E_UNSUPPORTED for ranks above 4 and no elements. */
assay_code as_planner_value(as_planner *p, const as_shape *shape, int *out, assay_error *err);

/** A fresh plain value. */
assay_code as_planner_plain_value(as_planner *p, as_dtype dtype, const as_shape *shape,
                                  int *out, assay_error *err);

/** A fresh layer beginning with `node` (NULL for layouts); never NULL: the room is reserved. */
as_layer *as_planner_layer(as_planner *p, as_layer_kind kind, const as_node *node);

/** Let `view` see `value` when the layer runs.  @return ASSAY_E_MEMORY. */
assay_code as_planner_view(as_planner *p, const as_layer *layer, as_view *view, int value,
                           assay_error *err);

/** Let `*pointer` point at `value`'s first float when the layer runs. */
assay_code as_planner_pointer(as_planner *p, const as_layer *layer, float **pointer, int value,
                              assay_error *err);

/** Let `array` see `value`, which is plain, when the layer (NULL: the caller) runs. */
assay_code as_planner_array(as_planner *p, const as_layer *layer, as_array *array, int value,
                            assay_error *err);

/** `node` of the graph with all that is known in its attributes. */
const as_node *as_planner_node(const as_planner *p, const as_node *node);

/** The one node that reads `tensor` while the network runs, which is no graph output; else NULL. */
const as_node *as_planner_only_reader(const as_planner *p, int tensor);

/** Whether nobody wants more of `node` than its first output. */
bool as_planner_has_one_output(const as_planner *p, const as_node *node);

/** Value of a node's input `i`; ASSAY_E_UNSUPPORTED when it is a constant or not float. */
assay_code as_planner_input(as_planner *p, const as_node *node, int i, int *value,
                            assay_error *err);

/** Shape of a tensor for this plan. */
const as_shape *as_planner_shape(const as_planner *p, int tensor);

/** Memory of the plan, zeroed; NULL without. */
void *as_planner_alloc(as_planner *p, size_t n, size_t element_bytes);

/** ASSAY_E_UNSUPPORTED for `node`: "...".  The message names the operator. */
#define as_planner_refuse(p, node, err, ...)                                                   \
    as_planner_refuse_at((p), (node), (err), __FILE__, __LINE__, __VA_ARGS__)
assay_code as_planner_refuse_at(const as_planner *p, const as_node *node, assay_error *err,
                                const char *file, int line, const char *format, ...)
    AS_PRINTF(6, 7);

/* ---- layout.c ---- */

/**
 * The value of a tensor in pixels, by a layer in front of those to come if need be.
 * @param value  -1 when it can have none: it is a constant, no f32, of more than 4 dims or empty.
 */
assay_code as_planner_pixels(as_planner *p, int tensor, int *value, assay_error *err);

/** The plain value of a tensor; -1 while nothing has made it. */
assay_code as_planner_plain(as_planner *p, int tensor, int *value, assay_error *err);

/* ---- ports.c ---- */

/** Values of the network's inputs; nothing is moved yet.  Fills plan->inputs. */
assay_code as_planner_inputs(as_planner *p, const as_array *inputs, assay_error *err);

/** Where the outputs lie.  Fills plan->outputs. */
assay_code as_planner_outputs(as_planner *p, assay_error *err);

/* ---- form.c ---- */

/** Layers of all nodes that need some, in p->order. */
assay_code as_planner_form(as_planner *p, assay_error *err);

/* ---- form_plain.c ---- */

/** A layer of the plain operator.  @return ASSAY_E_UNSUPPORTED when there is none for it. */
assay_code as_form_plain(as_planner *p, const as_node *node, assay_error *err);

/** A layer that copies one plain value to another of the same type and shape. */
assay_code as_form_copy(as_planner *p, const char *name, int from, int to, assay_error *err);

/* ---- schedule.c ---- */

/** Fill p->order.  @return ASSAY_E_MEMORY. */
assay_code as_planner_schedule(as_planner *p, assay_error *err);

/* ---- epilogue.c ---- */

/** Whether there is a step for the operator at all, whatever its operands. */
bool as_epilogue_has_step(const as_node *node);

/**
 * Append `node` to `epilogue`, whose running value is the tensor `x`.
 * @param fits  false, with nothing changed, when no step does the node or an operand is not
 *              ready yet; the code is ASSAY_OK then.
 */
assay_code as_epilogue_add(as_planner *p, as_layer *layer, const as_node *node, int x,
                           bool *fits, assay_error *err);

/**
 * Finish a layer that makes `tensor`: let following nodes ride on it, then make the value of
 * what it ends with and let `out` see it.
 */
assay_code as_epilogue_finish(as_planner *p, as_layer *layer, int tensor, as_view *out,
                              assay_error *err);

/* ---- form_*.c: one function an operator family; each makes the node's layers ---- */

typedef assay_code (*as_former)(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_conv(as_planner *p, const as_node *node, assay_error *err);

/** Whether the layer that `node` becomes reads a network input's planes as they are. */
bool as_form_conv_reads_planes(as_planner *p, const as_node *node);
assay_code as_form_conv_transpose(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_product(as_planner *p, const as_node *node, assay_error *err);

/** A product of more than two dims by constants [k,n], between values in C order. */
assay_code as_form_rows(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_elementwise(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_resize(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_concat(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_pool(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_mean(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_softmax(as_planner *p, const as_node *node, assay_error *err);
assay_code as_form_reshape(as_planner *p, const as_node *node, assay_error *err);

/**
 * Where somebody takes the mean of `tensor`: a layer that sums its rows, the first stage of the
 * mean, so that it can go by bands with the layer before that makes the tensor.
 */
assay_code as_planner_sum_rows(as_planner *p, int tensor, assay_error *err);

/**
 * Row and column maps of a nearest resize, NULL where every index maps to itself.
 * @return ASSAY_E_UNSUPPORTED for other modes and for what resizes more than height and width.
 */
assay_code as_planner_resize_maps(as_planner *p, const as_node *node, const uint32_t **rows,
                                  const uint32_t **columns, assay_error *err);

/* ---- group.c ---- */

/** Put every layer into a group, and mark the buffers that live inside one. */
assay_code as_planner_group(as_planner *p, assay_error *err);

/** The value whose buffer `value` lies in; *channel gets its first channel there. */
int as_planner_root(const as_planner *p, int value, size_t *channel);

/* ---- place.c ---- */

/** Give every value its place in the arena, and every fixup its offset. */
assay_code as_planner_place(as_planner *p, assay_error *err);

#endif
