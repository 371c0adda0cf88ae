/* SPDX-License-Identifier: Apache-2.0 */
#include "train/optimiser.h"

#include <math.h>

#include "base/memory.h"

struct as_optimiser {
    as_optimiser_rule rule;
    size_t n;
    double beta1_t, beta2_t; /* powers of the betas by the steps done */
    float *mean;             /* [n]; owns */
    float *square;           /* [n], Adam's; owns */
};

as_optimiser *as_optimiser_new(const as_optimiser_rule *rule, size_t n)
{
    as_optimiser *o = as_alloc(sizeof *o);
    if (!o) return NULL;
    *o = (as_optimiser){.rule = *rule, .n = n, .beta1_t = 1, .beta2_t = 1};
    o->mean = as_alloc_array(n + 1, sizeof *o->mean);
    o->square = as_alloc_array(n + 1, sizeof *o->square);
    if (o->mean && o->square) return o;
    as_optimiser_free(o);
    return NULL;
}

void as_optimiser_free(as_optimiser *o)
{
    if (!o) return;
    as_free(o->mean);
    as_free(o->square);
    as_free(o);
}

static void adam(as_optimiser *o, float *restrict p, const float *restrict g)
{
    const as_optimiser_rule *r = &o->rule;
    o->beta1_t *= r->beta1;
    o->beta2_t *= r->beta2;
    /* 1 - 0.999 is not 1 - 0.999F, which is 5e-5 larger */
    const float beta1 = (float)r->beta1, rest1 = (float)(1 - r->beta1);
    const float beta2 = (float)r->beta2, rest2 = (float)(1 - r->beta2);
    const float decay = (float)r->weight_decay;
    const float step = (float)(r->rate / (1 - o->beta1_t)),
                unbias = (float)(1 / sqrt(1 - o->beta2_t)), epsilon = (float)r->epsilon;
    float *restrict m = o->mean, *restrict v = o->square;
    for (size_t i = 0; i < o->n; i++) {
        const float d = g[i] + decay * p[i];
        m[i] = beta1 * m[i] + rest1 * d;
        v[i] = beta2 * v[i] + rest2 * d * d;
        p[i] -= step * m[i] / (sqrtf(v[i]) * unbias + epsilon);
    }
}

static void sgd(as_optimiser *o, float *restrict p, const float *restrict g)
{
    const float momentum = (float)o->rule.momentum, rate = (float)o->rule.rate,
                decay = (float)o->rule.weight_decay;
    float *restrict m = o->mean;
    for (size_t i = 0; i < o->n; i++) {
        m[i] = momentum * m[i] + (g[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
}

void as_optimiser_step(as_optimiser *o, float *parameters, const float *gradients)
{
    if (o->rule.kind == AS_OPTIMISER_ADAM)
        adam(o, parameters, gradients);
    else
        sgd(o, parameters, gradients);
}
