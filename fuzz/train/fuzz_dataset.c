/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the files of a data set: the first names the format ('c', 'i' or 'n'), the second is the length
 * of the labels' file, which stands next, and what is left are the images of 2 x 2.  What is taken
 * has finite values and labels of the three classes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "file.h"
#include "fuzz.h"
#include "train/dataset.h"

enum { HEAD = 2, SIDE = 2, CLASSES = 3 };

static void check(const as_dataset *d)
{
    if (d->n == 0) abort();
    for (size_t i = 0; i < d->n * SIDE * SIDE; i++)
        if (!isfinite(d->images[i])) abort();
    for (size_t i = 0; i < d->n; i++)
        if (d->labels[i] < 0 || d->labels[i] >= CLASSES) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char images[64], labels[64];
    as_dataset_source source = as_dataset_source_defaults();
    as_dataset *dataset;
    assay_error err = {0};
    if (size < HEAD) return 0;
    source.format = data[0] == 'c' ? AS_DATA_CSV : data[0] == 'n' ? AS_DATA_NPY : AS_DATA_IDX;
    const size_t n_labels = data[1] < size - HEAD ? data[1] : size - HEAD;
    const int label_file = fuzz_file(data + HEAD, n_labels, labels);
    const int image_file = fuzz_file(data + HEAD + n_labels, size - HEAD - n_labels, images);
    source.images = images;
    source.labels = source.format == AS_DATA_CSV ? NULL : labels;
    source.h = source.w = SIDE;
    source.n_classes = CLASSES;
    if (!as_dataset_load(&source, &dataset, &err))
        check(dataset);
    else if (dataset || !err.message[0])
        abort();
    as_dataset_free(dataset);
    close(image_file);
    close(label_file);
    return 0;
}
