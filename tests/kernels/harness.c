/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_FLOATS 64
#define CANARY       0x7fc0deadU /* a quiet NaN that no arithmetic here makes */

kernel_case case_default(uint64_t seed)
{
    return (kernel_case){.n = 1,
                         .ic = 1,
                         .ih = 1,
                         .iw = 1,
                         .oc = 1,
                         .kh = 1,
                         .kw = 1,
                         .sh = 1,
                         .sw = 1,
                         .dh = 1,
                         .dw = 1,
                         .g = 1,
                         .seed = seed};
}

void case_print(const kernel_case *c, char *text, size_t room)
{
    size_t used = 0;
#define FIELD(name)                                                                            \
    used += (size_t)snprintf(text + used, room - used, "%s" #name "%zu", used ? "_" : "",      \
                             c->name);
    CASE_FIELDS(FIELD)
#undef FIELD
}

bool case_parse(const char *text, kernel_case *c)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, "_"); word; word = strtok(NULL, "_")) {
        const size_t length = strcspn(word, "0123456789");
        const size_t value = strtoul(word + length, NULL, 10);
        bool is_known = false;
#define FIELD(name)                                                                            \
    if (length == strlen(#name) && strncmp(word, #name, length) == 0) {                        \
        c->name = value;                                                                       \
        is_known = true;                                                                       \
    }
        CASE_FIELDS(FIELD)
#undef FIELD
        if (!is_known) return false;
    }
    return true;
}

size_t case_extent(size_t in, size_t k, size_t stride, size_t dilation, size_t pad0,
                   size_t pad1)
{
    const size_t span = (k - 1) * dilation + 1;
    return in + pad0 + pad1 < span ? 0 : (in + pad0 + pad1 - span) / stride + 1;
}

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

size_t rng_below(rng *r, size_t n) { return (size_t)(rng_next(r) % n); }

static float wide_value(rng *r)
{
    const uint32_t bits = (uint32_t)rng_next(r);
    float x;
    /* Exponents 2^-126-23 .. 2^30 around the places where sums lose bits or vanish. */
    const uint32_t exponent = bits % 8 == 0 ? bits >> 8 & 7 : 100 + (bits >> 8 & 31);
    const uint32_t pattern = (bits & 0x80000000U) | exponent << 23 | (bits & 0x7fffffU);
    memcpy(&x, &pattern, sizeof x);
    return x;
}

static float special_value(rng *r)
{
    static const float list[] = {0.0f,   -0.0f,   INFINITY, -INFINITY, NAN,
                                 1e-40f, -1e-40f, 3e38f,    -3e38f};
    return rng_pick(r, list);
}

static float any_value(rng *r, uint64_t mode)
{
    const uint64_t bits = rng_next(r);
    if (mode == 0) return (float)((int)(bits % 17) - 8);
    if (mode == 2) return wide_value(r);
    if (mode == 3 && bits % 101 == 0) return special_value(r);
    return (float)(int32_t)(uint32_t)bits / 2147483648.0f;
}

void fill_values(float *data, size_t n, rng *r, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        data[i] = any_value(r, seed % 4);
}

static void *keep(buffers *b, void *memory)
{
    if (!memory || b->n == sizeof b->items / sizeof *b->items) abort();
    return b->items[b->n++] = memory;
}

void buffers_free(buffers *b)
{
    while (b->n)
        free(b->items[--b->n]);
}

/* 64-byte aligned, the last float directly before the end. */
static float *floats(buffers *b, size_t n)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, (n ? n : 1) * sizeof(float))) abort();
    return keep(b, memory);
}

static void fill_canary(float *data, size_t n)
{
    const uint32_t canary = CANARY;
    for (size_t i = 0; i < n; i++)
        memcpy(data + i, &canary, sizeof canary);
}

float *buffer_values(buffers *b, size_t n, rng *r, uint64_t seed)
{
    float *data = floats(b, n);
    fill_values(data, n, r, seed);
    return data;
}

as_view buffer_input(buffers *b, size_t n, size_t h, size_t w, size_t c, size_t stride, rng *r,
                     uint64_t seed)
{
    const size_t n_pixels = n * h * w, n_floats = (n_pixels - 1) * stride + c;
    float *data = floats(b, n_floats);
    fill_canary(data, n_floats);
    for (size_t p = 0; p < n_pixels; p++)
        fill_values(data + p * stride, c, r, seed);
    return (as_view){.data = data, .n = n, .h = h, .w = w, .c = c, .pixel_stride = stride};
}

output_pair buffer_outputs(buffers *b, size_t n, size_t h, size_t w, size_t c, size_t stride)
{
    output_pair o = {.n_floats = n * h * w * stride + 2 * GUARD_FLOATS};
    o.want_memory = floats(b, o.n_floats);
    o.got_memory = floats(b, o.n_floats);
    fill_canary(o.want_memory, o.n_floats);
    fill_canary(o.got_memory, o.n_floats);
    o.want = (as_view){.data = o.want_memory + GUARD_FLOATS,
                       .n = n,
                       .h = h,
                       .w = w,
                       .c = c,
                       .pixel_stride = stride};
    o.got = o.want;
    o.got.data = o.got_memory + GUARD_FLOATS;
    return o;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

bool outputs_agree(const output_pair *o, char *text, size_t room)
{
    for (size_t i = 0; i < o->n_floats; i++) {
        const uint32_t want = bits_of(o->want_memory[i]), got = bits_of(o->got_memory[i]);
        if (want == got) continue;
        const bool both_nan = isnan(o->want_memory[i]) && isnan(o->got_memory[i]);
        if (both_nan && want != CANARY && got != CANARY) continue;
        const size_t stride = o->want.pixel_stride, at = i - GUARD_FLOATS;
        snprintf(text, room, "pixel %zd channel %zu: want %a (%08x), got %a (%08x)",
                 i < GUARD_FLOATS ? (ssize_t)-1 : (ssize_t)(at / stride), at % stride,
                 (double)o->want_memory[i], want, (double)o->got_memory[i], got);
        return false;
    }
    return true;
}

static as_step operand_step(buffers *b, as_step_kind kind, as_operand operand,
                            const as_view *out, rng *r, uint64_t seed)
{
    as_step step = {.kind = kind, .operand = operand, .a = 0.75f};
    const size_t stride = out->c + rng_below(r, 3);
    switch (operand) {
    case AS_OPERAND_SCALAR:
        break;
    case AS_OPERAND_CHANNEL:
        step.view = buffer_input(b, 1, 1, 1, out->c, out->c, r, seed);
        break;
    case AS_OPERAND_IMAGE:
        step.view = buffer_input(b, out->n, 1, 1, out->c, stride, r, seed);
        break;
    case AS_OPERAND_PIXEL:
        step.view = buffer_input(b, out->n, out->h, out->w, 1, 1 + rng_below(r, 3), r, seed);
        break;
    case AS_OPERAND_TENSOR:
        step.view = buffer_input(b, out->n, out->h, out->w, out->c, stride, r, seed);
        break;
    }
    return step;
}

/* Read the operand through nearest maps from a map of about half the extents. */
static as_step mapped_step(buffers *b, as_step_kind kind, as_operand operand,
                           const as_view *out, rng *r, uint64_t seed)
{
    const size_t h = (out->h + 1) / 2, w = (out->w + 1) / 2;
    const size_t c = operand == AS_OPERAND_PIXEL ? 1 : out->c;
    uint32_t *rows = keep(b, malloc(out->h * sizeof *rows)),
             *cols = keep(b, malloc(out->w * sizeof *cols));
    as_nearest_map(rows, h, out->h);
    as_nearest_map(cols, w, out->w);
    as_step step = {.kind = kind, .operand = operand, .row_map = rows, .col_map = cols};
    if (rng_below(r, 4) == 0) step.row_map = NULL;
    step.view =
        buffer_input(b, out->n, step.row_map ? h : out->h, w, c, c + rng_below(r, 3), r, seed);
    return step;
}

static as_step scale_shift_step(buffers *b, const as_view *out, rng *r, uint64_t seed)
{
    return (as_step){.kind = AS_STEP_SCALE_SHIFT,
                     .scale = buffer_values(b, out->c, r, seed),
                     .shift = buffer_values(b, out->c, r, seed)};
}

static as_step single_step(buffers *b, size_t code, const as_view *out, rng *r, uint64_t seed)
{
    const as_step_kind kind = (as_step_kind)(code / 5);
    const as_operand operand = (as_operand)(code % 5);
    if (kind == AS_STEP_SCALE_SHIFT) return scale_shift_step(b, out, r, seed);
    if (kind > AS_STEP_MIN) return (as_step){.kind = kind, .a = 0.3f, .b = 0.6f};
    return operand_step(b, kind, operand, out, r, seed);
}

as_epilogue make_epilogue(buffers *b, size_t ep, const as_view *out, rng *r, uint64_t seed)
{
    const as_step relu = {.kind = AS_STEP_RELU}, gelu = {.kind = AS_STEP_GELU};
    const as_step clip = {.kind = AS_STEP_CLIP, .a = -0.5f, .b = 0.25f};
    const as_step affine = {.kind = AS_STEP_AFFINE, .a = 1.5f, .b = -0.25f};
    const as_step leaky = {.kind = AS_STEP_LEAKY, .a = 0.1f};
    const as_step hard_swish = {.kind = AS_STEP_HARD_SWISH},
                  sigmoid = {.kind = AS_STEP_SIGMOID};
    if (ep >= EPILOGUE_SINGLE)
        return (as_epilogue){1, {single_step(b, ep - EPILOGUE_SINGLE, out, r, seed)}};
    switch (ep) {
    case 1:
        return (as_epilogue){1, {relu}};
    case 2:
        return (as_epilogue){2, {clip, affine}};
    case 3:
        return (as_epilogue){5,
                             {scale_shift_step(b, out, r, seed), hard_swish,
                              mapped_step(b, AS_STEP_ADD, AS_OPERAND_TENSOR, out, r, seed),
                              relu, clip}};
    case 4:
        return (as_epilogue){1,
                             {operand_step(b, AS_STEP_ADD, AS_OPERAND_TENSOR, out, r, seed)}};
    case 5:
        return (as_epilogue){2,
                             {operand_step(b, AS_STEP_MUL, AS_OPERAND_IMAGE, out, r, seed),
                              operand_step(b, AS_STEP_ADD, AS_OPERAND_CHANNEL, out, r, seed)}};
    case 6:
        return (as_epilogue){2, {gelu, affine}};
    case 7:
        return (as_epilogue){
            2, {mapped_step(b, AS_STEP_ADD, AS_OPERAND_TENSOR, out, r, seed), leaky}};
    case 8:
        return (as_epilogue){
            3, {relu, operand_step(b, AS_STEP_SUB, AS_OPERAND_TENSOR, out, r, seed), sigmoid}};
    case 9:
        return (as_epilogue){2,
                             {mapped_step(b, AS_STEP_MUL, AS_OPERAND_PIXEL, out, r, seed),
                              operand_step(b, AS_STEP_RSUB, AS_OPERAND_PIXEL, out, r, seed)}};
    default:
        return (as_epilogue){0};
    }
}

void run_split(size_t n, rng *r, void (*run)(void *context, size_t begin, size_t end),
               void *context)
{
    const size_t a = rng_below(r, n + 1), b = a + rng_below(r, n - a + 1);
    run(context, b, n);
    run(context, 0, a);
    run(context, a, b);
}
