/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRAIN_DATASET_H
#define ASSAY_TRAIN_DATASET_H
/*
 * Labelled images out of files, as a trainer wants them: float, NHWC, all in memory.
 *
 *     as_dataset_source source = as_dataset_source_defaults();
 *     source.format = AS_DATA_IDX;
 *     source.images = "train-images-idx3-ubyte.gz";
 *     source.labels = "train-labels-idx1-ubyte.gz";
 *     source.c = 1, source.h = 28, source.w = 28, source.n_classes = 10, source.scale = 255;
 *     code = as_dataset_load(&source, &dataset, err);
 *     as_dataset_free(dataset);
 *
 * CSV: a line a sample, its c * h * w values and behind them its label; a first line that is no
 * numbers is a heading.  IDX and NPY: images [n][..] whose later dims are [c][h][w], [h][w] where c is 1,
 * or one of c * h * w; labels [n].  Each may be packed by gzip.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sha256.h"

typedef enum as_data_format { AS_DATA_CSV, AS_DATA_IDX, AS_DATA_NPY } as_data_format;

/** What the files are; every pointer borrowed. */
typedef struct as_dataset_source {
    const char *name;      /**< Of the data set; default "". */
    as_data_format format; /**< Default AS_DATA_CSV. */
    const char *images;    /**< The file. */
    const char *labels;    /**< The labels' file; NULL for CSV, which has them in the same. */
    size_t c, h, w;        /**< Of one image; default 1 x 0 x 0, which fails. */
    bool is_hwc;           /**< In the file an image is [h][w][c]; default false, [c][h][w]. */
    size_t n_classes;      /**< Labels are 0..n_classes-1; default 0, which fails. */
    double scale;          /**< Values are divided by it; default 1. */
} as_dataset_source;

as_dataset_source as_dataset_source_defaults(void);

/** Samples with labels. */
typedef struct as_dataset {
    char *name; /**< Owned. */
    size_t n, c, h, w, n_classes;
    float *images;   /**< images[n][h][w][c]; owned. */
    int32_t *labels; /**< labels[n], each in 0..n_classes-1; owned. */
    /** Of the values, whatever file they came from: float32 images[n][c][h][w], int32 labels[n]. */
    char input_sha256[AS_SHA256_HEX], labels_sha256[AS_SHA256_HEX];
} as_dataset;

/** Most values of one image, and most bytes of a file when it is unpacked. */
#define AS_IMAGE_VALUES_MAX ((size_t)1 << 24)
#define AS_DATA_BYTES_MAX   ((size_t)1 << 32)

/**
 * Read the files of `source`.
 * @param out  the caller's on success (as_dataset_free), NULL on failure.
 * @return ASSAY_E_FORMAT with the file (and its line or sample) where sizes do not fit, a value is
 *         not finite or a label is none of the classes; ASSAY_E_ARGUMENT for a source that asks for
 *         no image; ASSAY_E_UNSUPPORTED for element types that are not read; as as_file_read;
 *         ASSAY_E_MEMORY.
 */
assay_code as_dataset_load(const as_dataset_source *source, as_dataset **out, assay_error *err);
void as_dataset_free(as_dataset *dataset);

/** The format of a name ("csv", "idx", "npy"). @return false for another. */
bool as_data_format_named(const char *name, as_data_format *out);
/** The name of a format. */
const char *as_data_format_name(as_data_format format);

#endif
