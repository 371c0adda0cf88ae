/* SPDX-License-Identifier: Apache-2.0 */
/* Size, ConstantOfShape, Range and Dropout.  Source: the ONNX operator specification. */
#include <string.h>

#include "operators/operators.h"

void as_plain_size(const as_op_call *call, size_t begin, size_t end)
{
    if (begin < end) *(int64_t *)call->out[0]->data = (int64_t)as_array_elements(call->in[0]);
}

void as_plain_constant_of_shape(const as_op_call *call, size_t begin, size_t end)
{
    const size_t bytes = as_dtype_bytes(call->out[0]->dtype);
    for (size_t i = begin; i < end; i++)
        as_copy_elements(call->out[0]->data, i, call->node->attributes.fill.element, 0, 1,
                         bytes);
}

/* start + i * delta; integers wrap. */
void as_plain_range(const as_op_call *call, size_t begin, size_t end)
{
    const void *start = call->in[0]->data, *delta = call->in[2]->data;
    void *y = call->out[0]->data;
    for (size_t i = begin; i < end; i++) {
        if (call->out[0]->dtype == AS_F32)
            ((float *)y)[i] = *(const float *)start + (float)i * *(const float *)delta;
        else if (call->out[0]->dtype == AS_I64)
            ((int64_t *)y)[i] =
                (int64_t)(*(const uint64_t *)start + (uint64_t)i * *(const uint64_t *)delta);
        else
            ((int32_t *)y)[i] =
                (int32_t)(*(const uint32_t *)start + (uint32_t)i * *(const uint32_t *)delta);
    }
}

/* ---- Dropout ---- */

/*
 * The generator of ONNX's reference implementation, numpy.random.RandomState: MT19937 seeded by
 * Knuth's recurrence (Matsumoto and Nishimura 1998, mt19937ar.c), two words a double.
 */
#define WORDS 624
#define AHEAD 397

typedef struct twister {
    uint32_t words[WORDS];
    int next;
} twister;

static void twister_seed(twister *t, uint32_t seed)
{
    t->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++)
        t->words[i] = 1812433253u * (t->words[i - 1] ^ t->words[i - 1] >> 30) + i;
    t->next = WORDS;
}

static void twister_renew(twister *t)
{
    for (int i = 0; i < WORDS; i++) {
        const uint32_t mixed =
            (t->words[i] & 0x80000000u) | (t->words[(i + 1) % WORDS] & 0x7fffffffu);
        t->words[i] =
            t->words[(i + AHEAD) % WORDS] ^ mixed >> 1 ^ (mixed & 1 ? 0x9908b0dfu : 0);
    }
    t->next = 0;
}

static uint32_t twister_word(twister *t)
{
    if (t->next == WORDS) twister_renew(t);
    uint32_t x = t->words[t->next++];
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    return x ^ x >> 18;
}

/* In [0, 1), with 53 bits. */
static double twister_double(twister *t)
{
    const double high = twister_word(t) >> 5;
    const double low = twister_word(t) >> 6;
    return (high * 0x1p26 + low) / 0x1p53;
}

/* What is dropped with which probability; 0 where it is not in training. */
static float drop_ratio(const as_op_call *call)
{
    const as_array *ratio = as_op_in(call, 1), *training = as_op_in(call, 2);
    if (!training || !*(const unsigned char *)training->data) return 0;
    return ratio ? *(const float *)ratio->data : call->node->attributes.dropout.ratio;
}

assay_code as_accepts_dropout(const as_op_call *call, assay_error *err)
{
    for (int i = 1; i < call->n_in; i++)
        if (call->in[i] && as_array_elements(call->in[i]) != 1)
            return as_fail(err, ASSAY_E_FORMAT, "its input %d has %zu elements, it needs one",
                           i, as_array_elements(call->in[i]));
    return ASSAY_OK;
}

assay_code as_check_dropout(const as_op_call *call, assay_error *err)
{
    const float ratio = drop_ratio(call);
    if (ratio >= 0 && ratio < 1) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT, "its ratio is %g, it must be in [0, 1)",
                   (double)ratio);
}

void as_plain_dropout(const as_op_call *call, size_t begin, size_t end)
{
    const size_t n = as_array_elements(call->out[0]);
    const float ratio = drop_ratio(call), scale = 1 / (1 - ratio);
    const float *x = call->in[0]->data;
    float *y = call->out[0]->data;
    unsigned char *mask = call->n_out > 1 && call->out[1] ? call->out[1]->data : NULL;
    twister t;
    if (begin == end || n == 0) return;
    twister_seed(&t, call->node->attributes.dropout.seed);
    for (size_t i = 0; i < n; i++) { /* one stream of numbers: one item */
        const bool is_kept = ratio == 0 || twister_double(&t) >= (double)ratio;
        y[i] = ratio == 0 ? x[i] : is_kept ? x[i] * scale : x[i] * 0;
        if (mask) mask[i] = is_kept;
    }
}
