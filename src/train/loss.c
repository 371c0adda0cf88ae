/* SPDX-License-Identifier: Apache-2.0 */
#include "train/loss.h"

#include <math.h>

static void add_one(const float *logits, int32_t label, size_t n_classes, double share,
                    float *gradient, as_loss *loss)
{
    size_t top = 0;
    double sum = 0;
    for (size_t c = 1; c < n_classes; c++)
        if (logits[c] > logits[top]) top = c;
    const double highest = (double)logits[top];
    for (size_t c = 0; c < n_classes; c++)
        sum += exp((double)logits[c] - highest);
    loss->cross_entropy += log(sum) + highest - (double)logits[label];
    loss->n_right += top == (size_t)label;
    for (size_t c = 0; gradient && c < n_classes; c++) {
        const double p = exp((double)logits[c] - highest) / sum;
        gradient[c] = (float)((p - (c == (size_t)label)) * share);
    }
}

void as_loss_add(const float *logits, const int32_t *labels, size_t n, size_t n_classes,
                 float *gradient, as_loss *loss)
{
    for (size_t i = 0; i < n; i++)
        add_one(logits + i * n_classes, labels[i], n_classes, 1 / (double)n,
                gradient ? gradient + i * n_classes : NULL, loss);
}
