/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One training of one of the default search's six networks, timed, for bench/train/compare.py.
 *
 *     bench_train FOLDER NAME SEED [EPOCHS]
 *
 * FOLDER holds images.npy float32[n][h][w][c], labels.npy int32[n] and the ids of the parts,
 * train.npy and validation.npy, int64.  One line of JSON on stdout: the seconds of all epochs with
 * what their validation took, and the best epoch's validation loss and accuracy.  One thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "train/trainer.h"

#define N_CLASSES 10

/* The files of FOLDER; owns them. */
typedef struct files {
    as_npy images, labels, train, validation;
    size_t *ids; /* train's, then validation's */
} files;

static void free_files(files *f)
{
    as_npy_free(&f->images);
    as_npy_free(&f->labels);
    as_npy_free(&f->train);
    as_npy_free(&f->validation);
    free(f->ids);
}

static assay_code read_file(const char *folder, const char *name, as_npy_type type, int rank,
                            as_npy *out, assay_error *err)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    const assay_code code = as_npy_read(path, out, err);
    if (!code && (out->type != type || out->rank != rank))
        return as_fail(err, ASSAY_E_FORMAT, "%s: not %s of %d dimensions", path,
                       as_npy_type_name(type), rank);
    return code;
}

static bool copy_ids(const as_npy *part, size_t n_samples, size_t *ids)
{
    const int64_t *values = part->data;
    for (size_t i = 0; i < part->n_elements; i++) {
        if (values[i] < 0 || (size_t)values[i] >= n_samples) return false;
        ids[i] = (size_t)values[i];
    }
    return true;
}

static bool are_classes(const as_npy *labels)
{
    const int32_t *values = labels->data;
    for (size_t i = 0; i < labels->n_elements; i++)
        if (values[i] < 0 || values[i] >= N_CLASSES) return false;
    return true;
}

static assay_code read_files(const char *folder, files *f, assay_error *err)
{
    assay_code code = read_file(folder, "images", AS_NPY_F4, 4, &f->images, err);
    if (!code) code = read_file(folder, "labels", AS_NPY_I4, 1, &f->labels, err);
    if (!code) code = read_file(folder, "train", AS_NPY_I8, 1, &f->train, err);
    if (!code) code = read_file(folder, "validation", AS_NPY_I8, 1, &f->validation, err);
    if (code) return code;
    const size_t n = f->labels.n_elements;
    f->ids = calloc(f->train.n_elements + f->validation.n_elements + 1, sizeof *f->ids);
    if (!f->ids) return as_fail(err, ASSAY_E_MEMORY, "no memory for ids");
    if (f->images.dims[0] != f->labels.dims[0] || !are_classes(&f->labels) ||
        !copy_ids(&f->train, n, f->ids) ||
        !copy_ids(&f->validation, n, f->ids + f->train.n_elements))
        return as_fail(err, ASSAY_E_FORMAT, "%s: counts, labels or ids do not fit", folder);
    return ASSAY_OK;
}

/* "standard-W" or "dw_pw-W"; at most 9 units.  @return their count, 0 for another name. */
static size_t make_units(const char *name, as_unit units[9])
{
    const as_unit relu = {.kind = AS_UNIT_RELU},
                  pool = {.kind = AS_UNIT_AVERAGE_POOL, .kernel = 2, .stride = 2};
    as_unit conv = {
        .kind = AS_UNIT_CONV, .out = 8, .kernel = 3, .stride = 1, .pad = 1, .group = 1};
    const char *dash = strchr(name, '-');
    const size_t width = dash ? strtoul(dash + 1, NULL, 10) : 0;
    const bool is_standard = strncmp(name, "standard-", 9) == 0;
    size_t n = 0;
    if (width == 0 || (!is_standard && strncmp(name, "dw_pw-", 6) != 0)) return 0;
    units[n++] = conv, units[n++] = relu, units[n++] = pool;
    if (!is_standard) {
        conv.group = 8;
        units[n++] = conv;
        conv.kernel = 1, conv.pad = 0, conv.group = 1;
    }
    conv.out = width;
    units[n++] = conv, units[n++] = relu, units[n++] = pool;
    units[n++] = (as_unit){.kind = AS_UNIT_FLATTEN};
    units[n++] = (as_unit){.kind = AS_UNIT_LINEAR, .out = N_CLASSES, .has_bias = true};
    return n;
}

static void print(const char *name, uint64_t seed, const as_train_result *r)
{
    double seconds = 0;
    for (size_t i = 0; i < r->n_epochs; i++)
        seconds += r->epochs[i].seconds;
    printf("{\"name\":\"%s\",\"seed\":%llu,\"seconds\":%.6f,\"loss\":%.9g,\"accuracy\":%.9g}\n",
           name, (unsigned long long)seed, seconds, r->validation_loss, r->validation_accuracy);
}

static assay_code train(const files *f, const char *name, uint64_t seed, size_t n_epochs,
                        assay_error *err)
{
    static char data_name[] = "data";
    const as_dataset data = {.name = data_name,
                             .n = f->labels.n_elements,
                             .h = (size_t)f->images.dims[1],
                             .w = (size_t)f->images.dims[2],
                             .c = (size_t)f->images.dims[3],
                             .n_classes = N_CLASSES,
                             .images = f->images.data,
                             .labels = f->labels.data};
    const as_split split = {.train = f->ids,
                            .validation = f->ids + f->train.n_elements,
                            .n_train = f->train.n_elements,
                            .n_validation = f->validation.n_elements};
    as_unit units[9];
    const as_net_spec spec = {data.c, data.h, data.w, make_units(name, units), units};
    as_train_options options = as_train_defaults();
    as_network *net;
    as_train_result result;
    if (spec.n_units == 0) return as_fail(err, ASSAY_E_ARGUMENT, "no network %s", name);
    assay_code code = as_network_new(&spec, seed, &net, err);
    if (code) return code;
    options.seed = seed;
    options.n_epochs = n_epochs;
    code = as_train(net, &data, &split, &options, &result, err);
    if (!code) print(name, seed, &result);
    if (!code) as_train_result_free(&result);
    as_network_free(net);
    return code;
}

int main(int argc, char **argv)
{
    files f = {0};
    assay_error err;
    if (argc < 4 || argc > 5) {
        (void)fprintf(stderr, "usage: bench_train FOLDER NAME SEED [EPOCHS]\n");
        return 2;
    }
    assay_code code = read_files(argv[1], &f, &err);
    if (!code)
        code = train(&f, argv[2], strtoull(argv[3], NULL, 10),
                     argc == 5 ? strtoul(argv[4], NULL, 10) : 18, &err);
    if (code) (void)fprintf(stderr, "bench_train: %s\n", err.message);
    free_files(&f);
    return code ? 1 : 0;
}
