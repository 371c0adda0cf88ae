/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_OPTIMISER_H
#define ASSAY_TRAIN_OPTIMISER_H
/*
 * Steps down a gradient.
 *
 *     Adam   m = beta1 m + (1 - beta1) g        v = beta2 v + (1 - beta2) g^2
 *            p -= rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
 *            (Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, algorithm 1)
 *     SGD    m = momentum m + g                 p -= rate m
 *
 * With weight decay g is the gradient plus weight_decay p in both.
 */
#include <stddef.h>

#include "base/error.h"

typedef enum as_optimiser_kind { AS_OPTIMISER_ADAM, AS_OPTIMISER_SGD } as_optimiser_kind;

/** Which, and its numbers; those of the other kind are not looked at. */
typedef struct as_optimiser_rule {
    as_optimiser_kind kind;
    double rate, momentum, beta1, beta2, epsilon, weight_decay;
} as_optimiser_rule;

typedef struct as_optimiser as_optimiser;

/** For n parameters, at its beginning; NULL without memory. */
as_optimiser *as_optimiser_new(const as_optimiser_rule *rule, size_t n) AS_CHECKED;
void as_optimiser_free(as_optimiser *optimiser); /**< takes NULL */

/** One step: parameters[n] change by gradients[n]. */
void as_optimiser_step(as_optimiser *optimiser, float *parameters, const float *gradients);

#endif
