/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch tables: table.inc's lines sorted by ISA. */
#include "kernels/kernels.h"

#include <string.h>

#include "kernels/prototypes.h"

/* IF_avx2(isa, line) is the line where isa is avx2, else nothing: table.inc's lines by ISA. */
#define KEEP_scalar_scalar(...) __VA_ARGS__
#define KEEP_scalar_avx2(...)
#define KEEP_scalar_avx512(...)
#define KEEP_avx2_scalar(...)
#define KEEP_avx2_avx2(...) __VA_ARGS__
#define KEEP_avx2_avx512(...)
#define KEEP_avx512_scalar(...)
#define KEEP_avx512_avx2(...)
#define KEEP_avx512_avx512(...) __VA_ARGS__

/* as_route.row_step: the rows of a Winograd tile. */
#define ROW_STEP_direct    1
#define ROW_STEP_gemm      1
#define ROW_STEP_depthwise 1
#define ROW_STEP_gather    1
#define ROW_STEP_winograd2 2
#define ROW_STEP_winograd4 4

#define ROUTE_ENTRY(kind, variant, isa, exact)                                                 \
    {.name = #variant,                                                                         \
     .exactness = exact,                                                                       \
     .row_step = ROW_STEP_##variant,                                                           \
     .proposes = as_##kind##_##variant##_proposes_##isa,                                       \
     .packed_floats = as_##kind##_##variant##_packed_floats_##isa,                             \
     .pack = as_##kind##_##variant##_pack_##isa,                                               \
     .scratch_floats = as_##kind##_##variant##_scratch_floats_##isa,                           \
     .n_items = as_##kind##_##variant##_n_items_##isa,                                         \
     .run = as_##kind##_##variant##_run_##isa},

/* Routes for convolutions. */
#define AS_DECONV(variant, isa, exactness)
#define AS_KERNEL(family, isa, exactness)
static const as_route conv_scalar[] = {
#define AS_CONV(variant, isa, exactness)                                                       \
    KEEP_scalar_##isa(ROUTE_ENTRY(conv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_CONV
};
static const as_route conv_avx2[] = {
#define AS_CONV(variant, isa, exactness)                                                       \
    KEEP_avx2_##isa(ROUTE_ENTRY(conv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_CONV
};
static const as_route conv_avx512[] = {
#define AS_CONV(variant, isa, exactness)                                                       \
    KEEP_avx512_##isa(ROUTE_ENTRY(conv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_CONV
};
#undef AS_DECONV

/* Routes for transposed convolutions. */
#define AS_CONV(variant, isa, exactness)
static const as_route deconv_scalar[] = {
#define AS_DECONV(variant, isa, exactness)                                                     \
    KEEP_scalar_##isa(ROUTE_ENTRY(deconv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_DECONV
};
static const as_route deconv_avx2[] = {
#define AS_DECONV(variant, isa, exactness)                                                     \
    KEEP_avx2_##isa(ROUTE_ENTRY(deconv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_DECONV
};
static const as_route deconv_avx512[] = {
#define AS_DECONV(variant, isa, exactness)                                                     \
    KEEP_avx512_##isa(ROUTE_ENTRY(deconv, variant, isa, exactness))
#include "kernels/table.inc"
#undef AS_DECONV
};
#undef AS_CONV
#undef AS_KERNEL

#define KERNELS_OF(isa_id, isa_name)                                                           \
    {                                                                                          \
        .isa = isa_id, .conv = conv_##isa_name, .n_conv = AS_COUNT_OF(conv_##isa_name),        \
        .deconv = deconv_##isa_name, .n_deconv = AS_COUNT_OF(deconv_##isa_name),               \
        .map_items = as_map_items_##isa_name, .map = as_map_##isa_name,                        \
        .mean_items = as_mean_items_##isa_name, .mean = as_mean_##isa_name,                    \
        .row_sum_items = as_row_sum_items_##isa_name, .row_sum = as_row_sum_##isa_name,        \
        .pool_items = as_pool_items_##isa_name, .pool = as_pool_##isa_name,                    \
        .softmax_items = as_softmax_items_##isa_name, .softmax = as_softmax_##isa_name,        \
        .layout_items = as_nchw_to_view_items_##isa_name,                                      \
        .nchw_to_view = as_nchw_to_view_##isa_name, .view_to_nchw = as_view_to_nchw_##isa_name \
    }

static const as_kernels kernels[AS_ISA_N] = {
    [AS_ISA_SCALAR] = KERNELS_OF(AS_ISA_SCALAR, scalar),
    [AS_ISA_AVX2] = KERNELS_OF(AS_ISA_AVX2, avx2),
    [AS_ISA_AVX512] = KERNELS_OF(AS_ISA_AVX512, avx512),
};

const as_kernels *as_kernels_get(as_isa isa) { return isa < AS_ISA_N ? &kernels[isa] : NULL; }

const as_route *as_route_find(const as_route *routes, size_t n_routes, const char *name)
{
    for (size_t i = 0; i < n_routes; i++)
        if (strcmp(routes[i].name, name) == 0) return &routes[i];
    return NULL;
}

as_view as_view_of(float *data, size_t n, size_t h, size_t w, size_t c)
{
    return (as_view){.data = data, .n = n, .h = h, .w = w, .c = c, .pixel_stride = c};
}

uint64_t as_conv_macs(const as_conv_shape *s)
{
    return (uint64_t)s->n * s->oh * s->ow * s->oc * s->kh * s->kw * (s->ic / s->group);
}

uint64_t as_deconv_macs(const as_conv_shape *s)
{
    return (uint64_t)s->n * s->ih * s->iw * s->ic * s->kh * s->kw * (s->oc / s->group);
}

void as_nearest_map(uint32_t *map, size_t in_extent, size_t out_extent)
{
    for (size_t i = 0; i < out_extent; i++)
        map[i] = (uint32_t)((uint64_t)i * in_extent / out_extent);
}

const char *as_step_name(as_step_kind kind)
{
    static const char *const names[AS_STEP_N] = {
        [AS_STEP_ADD] = "add",
        [AS_STEP_SUB] = "sub",
        [AS_STEP_RSUB] = "rsub",
        [AS_STEP_MUL] = "mul",
        [AS_STEP_DIV] = "div",
        [AS_STEP_RDIV] = "rdiv",
        [AS_STEP_MAX] = "max",
        [AS_STEP_MIN] = "min",
        [AS_STEP_AFFINE] = "affine",
        [AS_STEP_SCALE_SHIFT] = "scale_shift",
        [AS_STEP_RELU] = "relu",
        [AS_STEP_CLIP] = "clip",
        [AS_STEP_LEAKY] = "leaky",
        [AS_STEP_SIGMOID] = "sigmoid",
        [AS_STEP_HARD_SIGMOID] = "hard_sigmoid",
        [AS_STEP_HARD_SWISH] = "hard_swish",
        [AS_STEP_GELU] = "gelu",
        [AS_STEP_ERF] = "erf",
        [AS_STEP_TANH] = "tanh",
        [AS_STEP_EXP] = "exp",
        [AS_STEP_SQRT] = "sqrt",
        [AS_STEP_ABS] = "abs",
        [AS_STEP_NEG] = "neg",
    };
    return kind < AS_STEP_N ? names[kind] : "unknown";
}
