/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_SPACE_H
#define ASSAY_SEARCH_SPACE_H
/*
 * The search space as a file: data, split, training, and families of structures, each varied over
 * lists of values.  docs/formats.md describes the file; data/digits.json is the bundled one.
 *
 *     as_space *space;
 *     if (as_space_load("data/digits.json", &space, err)) ...
 *     for (size_t i = 0; i < space->n_structures; i++)
 *         code = as_network_new(&space->structures[i].spec, seed, &network, err);
 *     as_space_free(space);
 *
 *     "vary": {"block": ["standard", "dw_pw"], "width": [8, 16]}       the first varies slowest
 *     "name": "$block-$width"                                          standard-8, standard-16, dw_pw-8 ..
 *     "layers": [.., {"layer": "$block", "width": "$width"}, ..]       one chain of units for each
 */
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"
#include "train/dataset.h"
#include "train/network.h"
#include "train/trainer.h"

/** Bounds of a space: what a file may ask for. */
#define AS_SPACE_STRUCTURES_MAX 1024
#define AS_SPACE_UNITS_MAX      256
#define AS_SPACE_WIDTH_MAX      4096
#define AS_SPACE_KERNEL_MAX     31
#define AS_SPACE_SEEDS_MAX      1000
#define AS_SPACE_PARAMS_MAX     ((size_t)1 << 24) /**< Weights of one network. */
#define AS_SPACE_VALUES_MAX     ((size_t)1 << 28) /**< Activations of one batch. */

/** One network to be trained; everything lies in the space's arena. */
typedef struct as_structure {
    const char *name; /**< Letters, digits, '.', '_' and '-': it names files. */
    const char *kind; /**< What its "kind" says ("standard", "dw_pw"); "" without one. */
    as_net_spec spec; /**< Fits the data: the last unit has a value a class. */
    as_train_options training; /**< The space's, and what its family says otherwise. */
    size_t n_seeds;            /**< Trainings of it, each from another seed; at least 1. */
} as_structure;

/** A space; as_space_free frees it whole. */
typedef struct as_space {
    const char *name;
    const char *text;           /**< The file's, terminated: evidence keeps it. */
    char sha256[AS_SHA256_HEX]; /**< Of the file. */
    as_dataset_source data;     /**< Paths as they are opened from here. */
    double shares[3];           /**< Of train, validation and test. */
    as_train_options training;  /**< Without callbacks; n_threads 0; seed is the space's. */
    as_structure *structures;
    size_t n_structures;
    size_t baseline;        /**< Index of the structure that the others are compared with. */
    uint64_t seed;          /**< Of the split, the choices and, with it + i, of training i. */
    struct as_arena *arena; /**< Where all of it lies; owned. */
} as_space;

/**
 * Read a space.  Data files stand relative to the space's folder.
 * @param out  the caller's on success (as_space_free), NULL on failure.
 * @return ASSAY_E_FORMAT for every mistake of the file, one sentence with its place: the line where it
 *         is no JSON, else as "digits.json: structures[0] (standard-8): layers[3]"; as as_file_read;
 *         ASSAY_E_MEMORY.
 * Opens no data file: as_dataset_load(&space->data, ..) does.
 */
assay_code as_space_load(const char *path, as_space **out, assay_error *err);

/** As as_space_load from text[size]; `path` stands for the file in messages and gives the folder. */
assay_code as_space_parse(const void *text, size_t size, const char *path, as_space **out,
                          assay_error *err);
void as_space_free(as_space *space);

#endif
