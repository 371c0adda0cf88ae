/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels are here, and the small functions about them. */
#include "kernels/kernels.h"

#include <string.h>

#include "kernels/tables.h"

static const as_kernels *const tables[AS_ISA_N] = {
#define AS_BUILT(name, id) [AS_ISA_##id] = &as_table_##name,
    AS_BUILT_ISAS
#undef AS_BUILT
};

const as_kernels *as_kernels_get(as_isa isa) { return isa < AS_ISA_N ? tables[isa] : NULL; }

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
