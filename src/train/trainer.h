/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_TRAINER_H
#define ASSAY_TRAIN_TRAINER_H
/*
 * Training: epochs over shuffled batches, and the weights of the epoch whose validation loss is least.
 *
 *     as_train_options options = as_train_defaults();
 *     options.seed = 20260918;
 *     code = as_train(network, dataset, &split, &options, &result, err);
 *     if (result.diverged) ...                    // the network is not to be used
 *     as_train_result_free(&result);
 *
 * Same seed, same data, same bits: on every machine with the same ISA, for any number of threads.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "train/dataset.h"
#include "train/network.h"
#include "train/optimiser.h"
#include "train/split.h"

/** One pass over the training part, and what the validation part says behind it. */
typedef struct as_epoch {
    size_t epoch; /**< From 1. */
    double
        train_loss; /**< Mean cross-entropy over the epoch's images, as they were trained on. */
    double validation_loss, validation_accuracy;
    double seconds;
} as_epoch;

/** How to train; as_train_defaults() gives the values in brackets. */
typedef struct as_train_options {
    as_optimiser_kind kind;                                 /**< [Adam] */
    double rate, momentum;                                  /**< [0.003] [0.9] */
    double beta1, beta2, epsilon, weight_decay;             /**< [0.9] [0.999] [1e-8] [0] */
    size_t n_epochs, batch;                                 /**< [18] [64] */
    uint64_t seed;                                          /**< [0] Of the shuffles. */
    size_t n_threads;                                       /**< [1] */
    void (*on_epoch)(void *context, const as_epoch *epoch); /**< [NULL] */
    bool (*stop)(void *context); /**< [NULL] Asked before every batch. */
    void *context;
} as_train_options;

as_train_options as_train_defaults(void);

/** What came of it. */
typedef struct as_train_result {
    as_epoch *epochs; /**< [n_epochs] those that were done; owned. */
    size_t n_epochs;
    size_t best_epoch;                           /**< From 1; the first of equals. */
    double validation_loss, validation_accuracy; /**< Of the best epoch. */
    bool diverged;         /**< A loss was NaN or infinite: training ended there. */
    size_t diverged_epoch; /**< From 1; 0 without. */
} as_train_result;

void as_train_result_free(as_train_result *result);

/**
 * Train `network` on split->train; its best weights by split->validation are left in it.
 * @return ASSAY_OK also when it diverged; ASSAY_E_ARGUMENT when the network's input or outputs are not the
 *         data's or an option is out of its range; ASSAY_E_INTERRUPTED when `stop` said so;
 *         ASSAY_E_MEMORY, ASSAY_E_ENVIRONMENT.
 * split->test is not looked at.
 */
assay_code as_train(as_network *network, const as_dataset *dataset, const as_split *split,
                    const as_train_options *options, as_train_result *out, assay_error *err);

/** Mean loss and share of right answers over some samples. */
typedef struct as_score {
    double loss, accuracy;
} as_score;

/** @param ids  size_t[n], places in the data set; n > 0. */
assay_code as_network_score(as_network *network, const as_dataset *dataset, const size_t *ids,
                            size_t n, as_threads *pool, as_score *out, assay_error *err);

#endif
