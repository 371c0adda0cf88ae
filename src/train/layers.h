/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_LAYERS_H
#define ASSAY_TRAIN_LAYERS_H
/*
 * The inside of a network, for train/ alone: a unit at work is a layer with its values and gradients.
 *
 *     forward    out[i] = f(out[i - 1]; parameters)          out[-1] is the batch
 *     backward   gradient[i] -> gradients of its parameters and gradient[i - 1]
 *
 * An output that an ADD reads too gets that one's gradient on top (network.c).
 */
#include "kernels/kernels.h"
#include "train/network.h"

typedef struct as_extent {
    size_t h, w, c;
} as_extent;

/** Where the values of a batch lie. */
typedef struct as_layer {
    as_unit unit;
    as_extent in, out;
    size_t parameters; /**< First of its own in the network's; weights, then biases. */
    size_t n_weights, n_biases;
    size_t state; /**< First of its running values (BATCHNORM: means, variances). */
    size_t n_state;
    size_t fan_in;
    float *values;                /**< [room][out]; owned by the network */
    float *gradient;              /**< likewise, NULL before training */
    const as_route *route, *back; /**< of a convolution and of its input's gradient */
    float *packed, *packed_back;  /**< owned by the network, as is the next */
    float *turned;           /**< weights of `back` where that is a convolution, else NULL */
    uint64_t packed_version; /**< of the parameters in both */
    double *batch; /**< BATCHNORM: double[4][c] mean, 1 / deviation, two sums; owned likewise */
} as_layer;

struct as_network {
    size_t n_layers;
    as_layer *layers; /**< owns */
    as_extent input;
    const as_kernels *kernels;
    size_t n_parameters, n_state;
    float *parameters, *gradients; /**< [n_parameters] each; owns */
    float *state;                  /**< [n_state]; owns */
    uint64_t version;              /**< of the parameters: whoever writes them adds one */
    size_t room;                   /**< images that values have room for */
    bool has_gradients;            /**< the layers' */
    float *input_gradient;         /**< [room][input]; owns; for tests, NULL unless asked for */
    float *scratch;                /**< [n_threads][scratch_floats]; owns */
    size_t scratch_floats, n_threads;
};

/** One pass over a batch. */
typedef struct as_pass {
    as_network *network;
    const float *images; /**< [n][input] */
    size_t n;
    bool is_training; /**< BATCHNORM by the batch's own mean and variance. */
    as_threads *pool;
} as_pass;

/** What a kind of unit does; a NULL function has nothing to do. */
typedef struct as_layer_kind {
    const char *name;
    /** Fill out, counts and fan_in from unit and in. @return what does not fit, NULL when all does. */
    const char *(*fit)(as_layer *layer);
    void (*forward)(const as_pass *pass, as_layer *layer, const float *x);
    /** Write the gradients of the layer's own parameters and, unless dx is NULL, that of its input. */
    void (*backward)(const as_pass *pass, as_layer *layer, const float *x, float *dx);
} as_layer_kind;

extern const as_layer_kind as_layer_conv, as_layer_linear, as_layer_relu, as_layer_average_pool,
    as_layer_max_pool, as_layer_batchnorm, as_layer_add, as_layer_flatten;

/** The kind of a unit. */
const as_layer_kind *as_layer_kind_of(as_unit_kind kind);

static inline size_t as_extent_size(as_extent e) { return e.h * e.w * e.c; }

/** The values that unit i gave, -1 the batch itself. */
const float *as_pass_values(const as_pass *pass, int i);

/**
 * Fill `out` of a layer whose kernel slides over its padded input, with n_channels.
 * @return what does not fit, NULL when all does.
 */
const char *as_layer_slide(as_layer *layer, size_t n_channels);

/** The shape of a CONV or LINEAR layer over n images, and of the one back from its output. */
as_conv_shape as_layer_shape(const as_layer *layer, size_t n);
as_conv_shape as_layer_back_shape(const as_layer *layer, size_t n);
/** The latter is a convolution and none that is transposed. */
bool as_layer_back_is_conv(const as_layer *layer);

/** Room for n images; `trains` also for gradients. */
assay_code as_network_room(as_network *network, size_t n, bool trains, as_threads *pool,
                           assay_error *err);

/** Forward over a batch that there is room for; the last layer's `values` are the answer. */
void as_pass_forward(const as_pass *pass);

/**
 * Backward: the last layer's `gradient` is given, network->gradients are written, and
 * network->input_gradient unless it is NULL.
 */
void as_pass_backward(const as_pass *pass);

#endif
