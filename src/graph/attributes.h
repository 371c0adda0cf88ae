/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GRAPH_ATTRIBUTES_H
#define ASSAY_GRAPH_ATTRIBUTES_H
/*
 * A node's attributes by family, already read, checked and given their defaults: nobody behind the
 * importer parses a name.  What ONNX passes as an optional constant input (Clip's bounds, Resize's
 * scales, Reshape's shape, ReduceMean's axes) stands here too: as_graph_resolve puts it here.
 *
 *     const as_conv_attributes *conv = &node->attributes.conv;
 *     int stride_h = conv->strides[0];
 */
#include <stdbool.h>
#include <stdint.h>

/** Most dimensions that a tensor can have. */
#define AS_MAX_RANK 8

/** Who chooses the pads. */
typedef enum as_auto_pad {
    AS_PAD_EXPLICIT,   /**< The pads as written. */
    AS_PAD_VALID,      /**< None. */
    AS_PAD_SAME_UPPER, /**< Output = ceil(input / stride); an odd pad goes below and right. */
    AS_PAD_SAME_LOWER  /**< The same; an odd pad goes above and left. */
} as_auto_pad;

/** Most axes that a window slides over. */
#define AS_MAX_SPATIAL 3

/**
 * A window that slides over h and w: of a convolution or a pool.  One over w alone has height 1;
 * one over depth too (n_axes 3) has it as its last entry, so that h and w are always 0 and 1.
 * as_window_axis says which entry an axis of the tensor has.
 */
typedef struct as_window {
    int n_axes;                    /**< 1: w.  2: h, w.  3: depth, h, w.  0 = not said. */
    int kernel[AS_MAX_SPATIAL];    /**< kh, kw, kd; kernel[1] 0 = not said. */
    int strides[AS_MAX_SPATIAL];   /**< h, w, depth. */
    int dilations[AS_MAX_SPATIAL]; /**< h, w, depth. */
    int pads[2 * AS_MAX_SPATIAL];  /**< top, left, bottom, right, front, back; not yet those of
                                        auto_pad (as_window_pads). */
    as_auto_pad auto_pad;
} as_window;

/** Conv: weights w[oc][ic / group][kh][kw].  ConvTranspose: weights w[ic][oc / group][kh][kw]. */
typedef struct as_conv_attributes {
    as_window window;
    int group;
    int output_padding[AS_MAX_SPATIAL]; /**< ConvTranspose: added below, right, behind. */
    int output_shape[AS_MAX_SPATIAL];   /**< ConvTranspose: demanded oh, ow, od; 0 = not. */
} as_conv_attributes;

/** MaxPool, AveragePool, LpPool; of GlobalLpPool p alone. */
typedef struct as_pool_attributes {
    as_window window;
    bool ceil_mode;         /**< A last, partial window counts. */
    bool count_include_pad; /**< AveragePool divides by kh * kw also at the border. */
    bool is_column_major;   /**< MaxPool: Indices count the first spatial axis fastest. */
    int p;                  /**< LpPool: the norm's power. */
} as_pool_attributes;

/** The Reduce operators; of Squeeze and Unsqueeze the axes. */
typedef struct as_reduce_attributes {
    int n_axes;            /**< 0 = all axes, unless is_noop_when_empty. */
    int axes[AS_MAX_RANK]; /**< As written: may be negative. */
    bool keepdims;         /**< Reduced axes stay as 1. */
    bool is_noop_when_empty;
    bool is_resolved; /**< The axes are known; false while they are a computed input. */
} as_reduce_attributes;

typedef enum as_resize_mode {
    AS_RESIZE_NEAREST,
    AS_RESIZE_LINEAR,
    AS_RESIZE_CUBIC
} as_resize_mode;

/** Where an output pixel lies in the input. */
typedef enum as_resize_coordinate {
    AS_COORDINATE_HALF_PIXEL,           /**< (x + 0.5) / scale - 0.5 */
    AS_COORDINATE_PYTORCH_HALF_PIXEL,   /**< The same; 0 where the output has one pixel. */
    AS_COORDINATE_ALIGN_CORNERS,        /**< x * (in - 1) / (out - 1) */
    AS_COORDINATE_ASYMMETRIC,           /**< x / scale */
    AS_COORDINATE_HALF_PIXEL_SYMMETRIC, /**< half_pixel about the middle of the whole image. */
    AS_COORDINATE_TF_HALF_PIXEL,        /**< (x + 0.5) / scale: opset 11 alone has it. */
    AS_COORDINATE_TF_CROP_AND_RESIZE    /**< Within the region of interest of the input. */
} as_resize_coordinate;

/** Which pixel is nearest. */
typedef enum as_resize_nearest {
    AS_NEAREST_ROUND_PREFER_FLOOR,
    AS_NEAREST_ROUND_PREFER_CEIL,
    AS_NEAREST_FLOOR,
    AS_NEAREST_CEIL
} as_resize_nearest;

/** What sizes mean. */
typedef enum as_resize_policy {
    AS_POLICY_STRETCH,    /**< They are the output's. */
    AS_POLICY_NOT_LARGER, /**< One scale for all axes: the largest that exceeds no size. */
    AS_POLICY_NOT_SMALLER /**< One scale for all axes: the least that reaches every size. */
} as_resize_policy;

/** Resize, Upsample.  After as_graph_resolve one of n_scales, n_sizes is not 0. */
typedef struct as_resize_attributes {
    as_resize_mode mode;
    as_resize_coordinate coordinate;
    as_resize_nearest nearest;
    int n_axes;            /**< 0 = all axes in order. */
    int axes[AS_MAX_RANK]; /**< What the scales or sizes are for; may be negative. */
    int n_scales;          /**< 0 = sizes count. */
    float scales[AS_MAX_RANK];
    int n_sizes;
    int64_t sizes[AS_MAX_RANK];
    float cubic_a;
    bool excludes_outside; /**< What lies outside the input has weight 0, not the border's. */
    bool is_antialiased;   /**< Linear and cubic: a wider window where it shrinks. */
    float extrapolation;   /**< tf_crop_and_resize: the value outside the input. */
    as_resize_policy policy;
    bool is_resolved; /**< Scales or sizes are known; false while they are computed. */
} as_resize_attributes;

/** What lies behind a tensor's border. */
typedef enum as_pad_mode {
    AS_BORDER_CONSTANT, /**< One value; zeros for GridSample. */
    AS_BORDER_REFLECT,  /**< The mirror image, whose mirror is the last element. */
    AS_BORDER_EDGE,     /**< The last element. */
    AS_BORDER_WRAP      /**< The other end. */
} as_pad_mode;

/** GridSample. */
typedef struct as_grid_attributes {
    as_resize_mode mode;
    as_pad_mode border;
    bool
        aligns_corners; /**< -1 and 1 are the middles of the border elements, not their ends. */
} as_grid_attributes;

/** Reshape: the wanted dims; 0 = copy the input's unless allow_zero, -1 = the rest. */
typedef struct as_reshape_attributes {
    int n_dims;
    int64_t dims[AS_MAX_RANK];
    bool allow_zero;
    bool is_resolved; /**< The dims are known; false while they are a computed input. */
} as_reshape_attributes;

/** One node's attributes; as_op_info(op)->attributes says which member counts. */
typedef union as_attributes {
    as_conv_attributes conv;
    as_pool_attributes pool;
    as_reduce_attributes reduce;
    as_resize_attributes resize;
    as_reshape_attributes reshape;
    struct {
        float epsilon, momentum;
        bool is_training;       /**< Normalises by the batch's own mean and variance. */
        bool is_per_activation; /**< Scale to variance have the dims behind the first one. */
    } batch_norm;
    struct {
        float epsilon;
        int axis;          /**< LayerNormalization: the first of those normalised over. */
        int n_groups;      /**< GroupNormalization. */
        bool is_per_group; /**< GroupNormalization before opset 21: scale and bias a group. */
    } norm;
    struct {
        float alpha, beta, bias;
        int size; /**< Channels that are summed over. */
    } lrn;
    struct {
        int axis;
        bool has_axis; /**< Before opset 7: the second's dims lie at `axis` of the first's. */
    } broadcast;
    struct {
        float min, max; /**< -FLT_MAX and FLT_MAX where there is no bound. */
        bool is_resolved;
    } clip;
    struct {
        float alpha, beta; /**< As ONNX names them; Selu's gamma is beta here. */
    } activation;
    struct {
        int axis;               /**< As written: may be negative. */
        bool keepdims, is_last; /**< Of equals the last one counts, else the first. */
    } arg;
    struct {
        bool is_tanh; /**< The tanh approximation; else the exact Erf form. */
    } gelu;
    struct {
        int axis;          /**< As written: may be negative. */
        bool is_flattened; /**< Before opset 13: over all axes from `axis` on together. */
    } softmax;
    struct {
        float alpha, beta;
        bool is_a_transposed, is_b_transposed;
    } gemm;
    struct {
        int axis;      /**< Concat, Flatten, Gather, Split; as written: may be negative. */
        int n_outputs; /**< Split: num_outputs; 0 = not said. */
    } axis;
    as_grid_attributes grid;
    struct {
        as_pad_mode mode;
    } pad;
    struct {
        int size;               /**< DepthToSpace, SpaceToDepth: pixels a side. */
        bool is_channels_first; /**< CRD: the channel counts slowest; else DCR: fastest. */
    } block;
    struct {
        int n; /**< 0 = all axes reversed. */
        int perm[AS_MAX_RANK];
    } transpose;
    struct {
        int to; /**< An as_dtype. */
    } cast;
    struct {
        int to;                               /**< An as_dtype. */
        _Alignas(8) unsigned char element[8]; /**< ConstantOfShape: one such element. */
    } fill;
    struct {
        float ratio; /**< Before opset 12, where it became an input. */
        uint32_t seed;
        bool is_training; /**< It may drop something: no Identity. */
    } dropout;
    struct {
        int start, end; /**< Shape: of the dims; as written: may be negative or beyond. */
    } span;
} as_attributes;

#endif
