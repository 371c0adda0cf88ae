/* SPDX-License-Identifier: Apache-2.0 */
#include "search/blocks.h"

#include <string.h>

#include "base/compiler.h"
#include "base/fields.h"
#include "search/space.h"

/* What a layer says of itself. */
typedef struct says {
    size_t width, kernel, stride, expand;
    bool has_bias, has_batchnorm;
} says;

static assay_code put(as_blocks *b, as_unit unit, assay_error *err)
{
    if (!b->units) {
        b->units = as_arena_array(b->arena, AS_SPACE_UNITS_MAX, sizeof *b->units);
        if (!b->units) return as_fail(err, ASSAY_E_MEMORY, "no memory for a structure's units");
    }
    if (b->n_units == AS_SPACE_UNITS_MAX)
        return as_fail(err, ASSAY_E_FORMAT, "the structure has more than %d units",
                       AS_SPACE_UNITS_MAX);
    b->units[b->n_units++] = unit;
    return ASSAY_OK;
}

/* A convolution that keeps h and w at stride 1, and its batchnorm. */
static assay_code put_conv(as_blocks *b, const says *s, size_t out, size_t kernel,
                           size_t stride, size_t group, assay_error *err)
{
    assay_code code = put(b,
                          (as_unit){.kind = AS_UNIT_CONV,
                                    .out = out,
                                    .kernel = kernel,
                                    .stride = stride,
                                    .pad = kernel / 2,
                                    .group = group},
                          err);
    b->c = out;
    return code || !s->has_batchnorm ? code : put(b, (as_unit){.kind = AS_UNIT_BATCHNORM}, err);
}

static assay_code add_standard(as_blocks *b, const says *s, assay_error *err)
{
    return put_conv(b, s, s->width, s->kernel, s->stride, 1, err);
}

static assay_code add_dw_pw(as_blocks *b, const says *s, assay_error *err)
{
    assay_code code = put_conv(b, s, b->c, s->kernel, s->stride, b->c, err);
    return code ? code : put_conv(b, s, s->width, 1, 1, 1, err);
}

static assay_code add_inverted_residual(as_blocks *b, const says *s, assay_error *err)
{
    const int from = (int)b->n_units - 1;
    const size_t c = b->c, wide = c * s->expand;
    assay_code code = put_conv(b, s, wide, 1, 1, 1, err);
    if (!code) code = put(b, (as_unit){.kind = AS_UNIT_RELU}, err);
    if (!code) code = put_conv(b, s, wide, s->kernel, s->stride, wide, err);
    if (!code) code = put(b, (as_unit){.kind = AS_UNIT_RELU}, err);
    if (!code) code = put_conv(b, s, s->width, 1, 1, 1, err);
    if (code || s->stride != 1 || s->width != c) return code;
    return put(b, (as_unit){.kind = AS_UNIT_ADD, .from = from}, err);
}

static assay_code add_relu(as_blocks *b, const says *s, assay_error *err)
{
    (void)s;
    return put(b, (as_unit){.kind = AS_UNIT_RELU}, err);
}

static assay_code add_batchnorm(as_blocks *b, const says *s, assay_error *err)
{
    (void)s;
    return put(b, (as_unit){.kind = AS_UNIT_BATCHNORM}, err);
}

static assay_code put_pool(as_blocks *b, as_unit_kind kind, const says *s, assay_error *err)
{
    return put(b, (as_unit){.kind = kind, .kernel = s->kernel, .stride = s->stride}, err);
}

static assay_code add_average_pool(as_blocks *b, const says *s, assay_error *err)
{
    return put_pool(b, AS_UNIT_AVERAGE_POOL, s, err);
}

static assay_code add_max_pool(as_blocks *b, const says *s, assay_error *err)
{
    return put_pool(b, AS_UNIT_MAX_POOL, s, err);
}

static assay_code add_linear(as_blocks *b, const says *s, assay_error *err)
{
    assay_code code = b->is_flat ? ASSAY_OK : put(b, (as_unit){.kind = AS_UNIT_FLATTEN}, err);
    b->is_flat = true;
    b->c = s->width ? s->width : b->n_classes;
    return code
               ? code
               : put(b, (as_unit){.kind = AS_UNIT_LINEAR, .out = b->c, .has_bias = s->has_bias},
                     err);
}

/* Which keys a layer has besides "layer". */
enum { WIDTH = 1, KERNEL = 2, STRIDE = 4, EXPAND = 8, NORM = 16, SIZE = 32, BIAS = 64 };

static const struct {
    const char *name;
    assay_code (*add)(as_blocks *b, const says *s, assay_error *err);
    unsigned keys, needs;
} kinds[] = {
    {"standard", add_standard, WIDTH | KERNEL | STRIDE | NORM, WIDTH},
    {"dw_pw", add_dw_pw, WIDTH | KERNEL | STRIDE | NORM, WIDTH},
    {"inverted_residual", add_inverted_residual, WIDTH | KERNEL | STRIDE | EXPAND | NORM,
     WIDTH},
    {"relu", add_relu, 0, 0},
    {"batchnorm", add_batchnorm, 0, 0},
    {"average_pool", add_average_pool, SIZE | STRIDE, SIZE},
    {"max_pool", add_max_pool, SIZE | STRIDE, SIZE},
    {"linear", add_linear, WIDTH | BIAS, 0},
};

static const struct {
    unsigned key;
    const char *name;
} key_names[] = {{WIDTH, "width"},   {KERNEL, "kernel"},  {STRIDE, "stride"},
                 {EXPAND, "expand"}, {NORM, "batchnorm"}, {SIZE, "size"},
                 {BIAS, "bias"}};

static size_t field_or(as_fields *f, const char *key, size_t otherwise, int64_t most)
{
    return as_field_is(f, key) ? (size_t)as_field_int(f, key, 1, most) : otherwise;
}

static bool flag_or(as_fields *f, const char *key, bool otherwise)
{
    return as_field_is(f, key) ? as_field_bool(f, key) : otherwise;
}

/* Read the keys that a kind has and refuse all others. */
static assay_code read_layer(const json_t *layer, size_t kind, says *out, assay_error *err)
{
    as_fields f = {.object = layer, .err = err};
    const char *known[AS_COUNT_OF(key_names) + 1] = {"layer"};
    size_t n = 1;
    for (size_t i = 0; i < AS_COUNT_OF(key_names); i++)
        if (kinds[kind].keys & key_names[i].key) known[n++] = key_names[i].name;
    as_fields_known(&f, known, n);
    if (kinds[kind].needs & WIDTH) as_field_int(&f, "width", 1, AS_SPACE_WIDTH_MAX);
    const bool is_pool = kinds[kind].needs & SIZE;
    out->width = field_or(&f, "width", 0, AS_SPACE_WIDTH_MAX);
    out->kernel = is_pool ? (size_t)as_field_int(&f, "size", 1, AS_SPACE_KERNEL_MAX)
                          : field_or(&f, "kernel", 3, AS_SPACE_KERNEL_MAX);
    out->stride = field_or(&f, "stride", is_pool ? out->kernel : 1, AS_SPACE_KERNEL_MAX);
    out->expand = field_or(&f, "expand", 4, 16);
    out->has_batchnorm = flag_or(&f, "batchnorm", false);
    out->has_bias = flag_or(&f, "bias", true);
    if (!f.code && !is_pool && out->kernel % 2 == 0)
        return as_fail(err, ASSAY_E_FORMAT, "\"kernel\" is %zu, an odd one is needed",
                       out->kernel);
    return f.code;
}

/* {"repeat": 2, "layers": [..]}: the list so many times. */
static assay_code add_repeated(as_blocks *b, const json_t *layer, assay_error *err)
{
    static const char *const known[] = {"repeat", "layers"};
    as_fields f = {.object = layer, .err = err};
    as_fields_known(&f, known, AS_COUNT_OF(known));
    const int64_t n = as_field_int(&f, "repeat", 1, AS_SPACE_UNITS_MAX);
    const json_t *layers = as_field_array(&f, "layers");
    assay_code code = f.code;
    if (!code && json_array_size(layers) == 0)
        code = as_fail(err, ASSAY_E_FORMAT, "\"layers\" is empty");
    for (int64_t i = 0; i < n && !code; i++)
        code = as_blocks_add(b, layers, err);
    return code;
}

static assay_code add_layer(as_blocks *b, const json_t *layer, assay_error *err)
{
    says s;
    if (!json_is_object(layer))
        return as_fail(err, ASSAY_E_FORMAT, "a layer has to be an object");
    as_fields f = {.object = layer, .err = err};
    if (as_field_is(&f, "repeat")) return add_repeated(b, layer, err);
    const char *name = as_field_text(&f, "layer");
    if (f.code) return f.code;
    for (size_t i = 0; i < AS_COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0) {
            assay_code code = read_layer(layer, i, &s, err);
            return code ? code : kinds[i].add(b, &s, err);
        }
    return as_fail(err, ASSAY_E_FORMAT,
                   "\"layer\" is \"%.40s\", known are standard, dw_pw, inverted_residual, "
                   "relu, batchnorm, average_pool, max_pool and linear",
                   name);
}

assay_code as_blocks_add(as_blocks *b, const json_t *layers, assay_error *err)
{
    for (size_t i = 0; i < json_array_size(layers); i++) {
        assay_code code = add_layer(b, json_array_get(layers, i), err);
        if (!code) continue;
        as_error_where(err, "layers[%zu]", i);
        return code;
    }
    return ASSAY_OK;
}
