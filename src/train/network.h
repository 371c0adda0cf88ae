/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_NETWORK_H
#define ASSAY_TRAIN_NETWORK_H
/*
 * A network that can be trained: a chain of units, each of which reads the one before it.
 *
 *     const as_unit units[] = {{.kind = AS_UNIT_CONV, .out = 8, .kernel = 3, .stride = 1, .pad = 1, .group = 1},
 *                              {.kind = AS_UNIT_RELU}, {.kind = AS_UNIT_FLATTEN},
 *                              {.kind = AS_UNIT_LINEAR, .out = 10, .has_bias = true}};
 *     const as_net_spec spec = {.c = 1, .h = 8, .w = 8, .n_units = 4, .units = units};
 *     code = as_network_new(&spec, 20260918, &network, err);
 *     code = as_network_forward(network, images, n, logits, NULL, err);
 *     as_network_free(network);
 *
 * Activations are NHWC, FP32.  The forward pass runs on the engine's kernels, exact routes alone; the
 * gradient of a convolution's input is one of its convolutions (at stride 1) or transposed convolutions,
 * that of its weights the kernel weight_grad.  All of them split outputs and never a sum, so the thread count changes no bit.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/threads.h"
#include "graph/graph.h"

typedef enum as_unit_kind {
    AS_UNIT_CONV,         /**< out, kernel, stride, pad, group, has_bias */
    AS_UNIT_LINEAR,       /**< out, has_bias; of one vector an image */
    AS_UNIT_RELU,         /**< max(x, 0) */
    AS_UNIT_AVERAGE_POOL, /**< kernel, stride, pad; padding is no part of an average */
    AS_UNIT_MAX_POOL,     /**< kernel, stride, pad */
    AS_UNIT_BATCHNORM, /**< a channel's mean 0 and variance 1 over the batch, then scale and shift */
    AS_UNIT_ADD,       /**< plus the output of unit `from`, of the same extents */
    AS_UNIT_FLATTEN, /**< an image becomes one vector */
    AS_UNIT_N
} as_unit_kind;

/** One unit; fields that its kind does not name are zero. */
typedef struct as_unit {
    as_unit_kind kind;
    size_t out;    /**< Channels or values that come out. */
    size_t kernel; /**< Both sides. */
    size_t stride, pad, group;
    bool has_bias;
    int from; /**< ADD: a unit before this one, -1 = the input. */
} as_unit;

/** Images c x h x w and the chain over them; `units` is borrowed. */
typedef struct as_net_spec {
    size_t c, h, w, n_units;
    const as_unit *units;
} as_net_spec;

/** "conv", "linear", ... */
const char *as_unit_name(as_unit_kind kind);

typedef struct as_network as_network;

/**
 * A network with fresh weights, uniform in +-1/sqrt(fan_in) (scale 1 and shift 0 of BATCHNORM): the same
 * seed gives the same bits on every machine.
 * @return ASSAY_E_ARGUMENT with the unit's index where the chain does not fit together (a window that is
 *         larger than its input, groups that do not divide channels, sums of other extents, LINEAR of
 *         maps); ASSAY_E_MEMORY; as as_cpu_isa.
 */
assay_code as_network_new(const as_net_spec *spec, uint64_t seed, as_network **out,
                          assay_error *err);
void as_network_free(as_network *network); /**< takes NULL */

/**
 * The same chain without weights or any memory that grows with them: it answers what follows here, down
 * to n_outputs, and nothing else may be asked of it.
 * @return as as_network_new.
 */
assay_code as_network_outline(const as_net_spec *spec, as_network **out, assay_error *err);

/** Values that training changes. */
size_t as_network_n_parameters(const as_network *network);
/** Multiply-adds of one image in convolutions and linear units. */
uint64_t as_network_macs(const as_network *network);
/** Bytes of one image's input, output and all values between, which need not all live at one time. */
uint64_t as_network_activation_bytes(const as_network *network);
/** Values that come out of the last unit for one image. */
size_t as_network_n_outputs(const as_network *network);

/**
 * Answers as a trained network gives them: BATCHNORM by its running mean and variance.
 * @param images  float[n][h][w][c], read only.
 * @param logits  float[n][n_outputs].
 * @param pool    NULL = the caller's thread alone.
 * @return ASSAY_E_MEMORY.  One caller at a time.
 */
assay_code as_network_forward(as_network *network, const float *images, size_t n, float *logits,
                              as_threads *pool, assay_error *err);

/**
 * The network as a graph with its weights: input "input" float[N][c][h][w], output "logits"
 * float[N][n_outputs].  LINEAR's rows are put into the order that FLATTEN of NCHW has.
 * @param out  the caller's (as_graph_free).
 */
assay_code as_network_graph(const as_network *network, const char *name, as_graph **out,
                            assay_error *err);

/**
 * All that training set, floats as they lie in memory: parameters, then running means and variances.
 * @param out  the caller's (as_bytes_free), empty on failure.
 */
assay_code as_network_weights(const as_network *network, as_bytes *out, assay_error *err);

/**
 * Set what as_network_weights gave of a network of the same spec.
 * @return ASSAY_E_FORMAT for bytes of another size or a value that is not finite; nothing is set then.
 */
assay_code as_network_set_weights(as_network *network, const void *data, size_t size,
                                  assay_error *err);

#endif
