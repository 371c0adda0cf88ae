/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_SPLIT_H
#define ASSAY_TRAIN_SPLIT_H
/*
 * Which samples train, which choose, and which are seen only after the choice.
 *
 *     as_split split;
 *     code = as_split_stratified(dataset, (const double[3]){0.6, 0.2, 0.2}, seed, &split, err);
 *     ...                                      split.train[i] is a sample's id, its place in the file
 *     as_split_free(&split);
 *
 *     class 3:  ids shuffled   |----- train 60 % -----|- validation 20 % -|- test 20 % -|
 *
 * Each class is split alone, so every part has the classes in the same shares: of a class with n
 * samples a part gets n * share, rounded down, and those that are left go to the greatest
 * remainders, the earlier part where these are equal.  The split is by sample: where one writer or
 * one camera made several samples, they may lie in different parts.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "train/dataset.h"

/** The parts of a data set; ids of samples, ascending in each; owns them. */
typedef struct as_split {
    size_t *train, *validation, *test;
    size_t n_train, n_validation, n_test;
    char policy[160]; /**< How it was made, in words; a manifest carries it on. */
} as_split;

void as_split_free(as_split *split);

/**
 * Split every class by `shares` of train, validation and test, each above 0 and together 1.
 * @param seed  of the shuffles: the same seed and labels give the same parts on every machine.
 * @param out   the caller's (as_split_free), empty on failure.
 * @return ASSAY_E_ARGUMENT for other shares, ASSAY_E_FORMAT with the class where one has too few
 *         samples to be in all three parts, ASSAY_E_MEMORY.
 */
assay_code as_split_stratified(const as_dataset *dataset, const double shares[3], uint64_t seed,
                               as_split *out, assay_error *err);

/**
 * The parts that a split-manifest.json lists.
 * @return ASSAY_E_FORMAT with the place where it is none, was made of other samples or labels (their
 *         hashes), lists an id that the data set has not or lists one twice; as as_file_read.
 */
assay_code as_split_read(const char *manifest, const as_dataset *dataset, as_split *out,
                         assay_error *err);

/** As as_split_read from text[size]; `name` stands for the path in messages. */
assay_code as_split_parse(const void *text, size_t size, const char *name,
                          const as_dataset *dataset, as_split *out, assay_error *err);

/**
 * The manifest: `dataset`, `counts` {train, validation, test}, `train_ids`, `validation_ids`,
 * `test_ids`, `input_sha256`, `labels_sha256`, `split_policy`, `test_labels` (when they are read, a
 * sentence).  The caller's; NULL without memory.
 */
json_t *as_split_json(const as_split *split, const as_dataset *dataset);

#endif
