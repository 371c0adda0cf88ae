/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_LOSS_H
#define ASSAY_TRAIN_LOSS_H
/* Softmax and cross-entropy over the logits of a batch. */
#include <stddef.h>
#include <stdint.h>

/** Sums over a batch. */
typedef struct as_loss {
    double cross_entropy; /**< Sum over the images of -ln p(label). */
    size_t n_right; /**< Images whose greatest logit, the first of equals, is the label's. */
} as_loss;

/**
 * The loss of logits[n][n_classes], added to *loss.
 * @param labels    int32_t[n], each in 0..n_classes-1.
 * @param gradient  float[n][n_classes] of the mean over the batch: (softmax - 1 at the label) / n; may be
 *                  NULL.
 */
void as_loss_add(const float *logits, const int32_t *labels, size_t n, size_t n_classes,
                 float *gradient, as_loss *loss);

#endif
