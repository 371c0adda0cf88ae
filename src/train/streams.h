/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_STREAMS_H
#define ASSAY_TRAIN_STREAMS_H
/*
 * Streams of as_random_stream() by what is drawn from them: callers give one seed for a whole training, and
 * the parts, the first weights and the orders of the batches are to be independent all the same.
 */
typedef enum as_stream {
    AS_STREAM_WEIGHTS, /**< first weights of a network */
    AS_STREAM_ORDERS,  /**< shuffles of the training part */
    AS_STREAM_SPLIT,   /**< which part a sample is of */
} as_stream;

#endif
