/* SPDX-License-Identifier: Apache-2.0 */
#include "train/dataset.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/size.h"
#include "train/csv.h"
#include "train/gzip.h"
#include "train/idx.h"

static const char *const format_names[] = {
    [AS_DATA_CSV] = "csv", [AS_DATA_IDX] = "idx", [AS_DATA_NPY] = "npy"};

const char *as_data_format_name(as_data_format format) { return format_names[format]; }

bool as_data_format_named(const char *name, as_data_format *out)
{
    for (size_t i = 0; i < AS_COUNT_OF(format_names); i++) {
        if (strcmp(name, format_names[i]) != 0) continue;
        *out = (as_data_format)i;
        return true;
    }
    return false;
}

as_dataset_source as_dataset_source_defaults(void)
{
    return (as_dataset_source){.name = "", .format = AS_DATA_CSV, .c = 1, .scale = 1};
}

void as_dataset_free(as_dataset *dataset)
{
    if (!dataset) return;
    as_free(dataset->name);
    as_free(dataset->images);
    as_free(dataset->labels);
    as_free(dataset);
}

/* The files as arrays: of CSV both are columns of one table. */
typedef struct tables {
    as_npy images, labels;
    size_t image_stride; /* elements from one image to the next */
    size_t label_at;     /* the first label's element, and from one to the next */
    size_t label_stride;
    const char *label_file;
    const as_npy *label_array; /* borrows one of the two above */
} tables;

/* Numbers of an array, whatever its type. */
static double element(const as_npy *a, size_t i)
{
    switch (a->type) {
    case AS_NPY_F4:
        return (double)((const float *)a->data)[i];
    case AS_NPY_F8:
        return ((const double *)a->data)[i];
    case AS_NPY_I8:
        return (double)((const int64_t *)a->data)[i];
    case AS_NPY_I4:
        return ((const int32_t *)a->data)[i];
    case AS_NPY_B1:
    case AS_NPY_U1:
        break;
    }
    return ((const uint8_t *)a->data)[i];
}

static assay_code check_source(const as_dataset_source *s, size_t *n_values, assay_error *err)
{
    size_t n = 0;
    if (!s->images || (s->format == AS_DATA_CSV) != !s->labels)
        return as_fail(err, ASSAY_E_ARGUMENT, "data of format %s need %s",
                       format_names[s->format],
                       s->format == AS_DATA_CSV ? "one file, which has the labels as well"
                                                : "a file of images and one of labels");
    if (!as_mul(s->c, s->h, &n) || !as_mul(n, s->w, &n) || n == 0 || n > AS_IMAGE_VALUES_MAX)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "an image of %zu x %zu x %zu has to have 1 to %zu values", s->c, s->h,
                       s->w, AS_IMAGE_VALUES_MAX);
    if (s->n_classes < 2 || s->n_classes > INT_MAX)
        return as_fail(err, ASSAY_E_ARGUMENT, "there are %zu classes, at least 2 are needed",
                       s->n_classes);
    if (!(isfinite(s->scale) && s->scale != 0))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "the scale is %g, a finite number but 0 is needed", s->scale);
    *n_values = n;
    return ASSAY_OK;
}

static assay_code parse_array(const as_dataset_source *s, const as_bytes *file,
                              const char *name, size_t n_columns, as_npy *out, assay_error *err)
{
    if (s->format == AS_DATA_CSV)
        return as_csv_parse((const char *)file->data, file->size, name, n_columns, out, err);
    if (s->format == AS_DATA_IDX) return as_idx_parse(file->data, file->size, name, out, err);
    return as_npy_parse(file->data, file->size, name, out, err);
}

static assay_code read_array(const as_dataset_source *s, const char *path, size_t n_columns,
                             as_npy *out, assay_error *err)
{
    as_bytes file = {0};
    const char *name = as_path_base(path);
    assay_code code = as_file_read(path, AS_DATA_BYTES_MAX, &file, err);
    if (!code) code = as_gzip_unpack(&file, name, AS_DATA_BYTES_MAX, err);
    if (!code) code = parse_array(s, &file, name, n_columns, out, err);
    as_bytes_free(&file);
    return code;
}

/* Whether dims[1..] are an image: [c][h][w] (or [h][w][c]), [h][w] of one channel, or all in one. */
static bool is_image_shape(const as_npy *a, const as_dataset_source *s, size_t n_values)
{
    const int64_t c = (int64_t)s->c, h = (int64_t)s->h, w = (int64_t)s->w;
    const int64_t *d = a->dims + 1;
    if (a->rank == 2) return d[0] == (int64_t)n_values;
    if (a->rank == 3) return c == 1 && d[0] == h && d[1] == w;
    if (a->rank != 4) return false;
    return s->is_hwc ? d[0] == h && d[1] == w && d[2] == c
                     : d[0] == c && d[1] == h && d[2] == w;
}

static void print_shape(const as_npy *a, char text[AS_NPY_MAX_RANK * 21])
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < a->rank; i++)
        at += (size_t)sprintf(text + at, "%s%lld", i ? " x " : "", (long long)a->dims[i]);
}

static assay_code check_arrays(const as_dataset_source *s, const tables *t, size_t n_values,
                               assay_error *err)
{
    char shape[AS_NPY_MAX_RANK * 21];
    print_shape(&t->images, shape);
    if (!is_image_shape(&t->images, s, n_values))
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is an array of %s, images of %zu x %zu x %zu are needed",
                       as_path_base(s->images), shape, s->c, s->h, s->w);
    if (t->images.dims[0] == 0)
        return as_fail(err, ASSAY_E_FORMAT, "%s has no image", as_path_base(s->images));
    print_shape(&t->labels, shape);
    if (t->labels.rank != 1 || t->labels.dims[0] != t->images.dims[0])
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has labels of %s, one for each of %lld images is needed",
                       as_path_base(s->labels), shape, (long long)t->images.dims[0]);
    return ASSAY_OK;
}

static assay_code read_tables(const as_dataset_source *s, size_t n_values, tables *t,
                              assay_error *err)
{
    const bool is_csv = s->format == AS_DATA_CSV;
    *t = (tables){.image_stride = n_values + is_csv,
                  .label_at = is_csv ? n_values : 0,
                  .label_stride = is_csv ? n_values + 1 : 1,
                  .label_file = is_csv ? s->images : s->labels};
    assay_code code = read_array(s, s->images, n_values + 1, &t->images, err);
    t->label_array = is_csv ? &t->images : &t->labels;
    if (code || is_csv) return code;
    code = read_array(s, s->labels, 1, &t->labels, err);
    return code ? code : check_arrays(s, t, n_values, err);
}

static void free_tables(tables *t)
{
    as_npy_free(&t->images);
    as_npy_free(&t->labels);
}

static assay_code take_labels(const tables *t, as_dataset *d, assay_error *err)
{
    for (size_t i = 0; i < d->n; i++) {
        const double label = element(t->label_array, t->label_at + i * t->label_stride);
        if (!(label >= 0 && label < (double)d->n_classes) || label != floor(label))
            return as_fail(err, ASSAY_E_FORMAT,
                           "%s labels sample %zu with %g, an integer in 0..%zu is needed",
                           as_path_base(t->label_file), i, label, d->n_classes - 1);
        d->labels[i] = (int32_t)label;
    }
    return ASSAY_OK;
}

/* Images by 1 / scale, from the file's order to [h][w][c]. */
static assay_code take_images(const as_dataset_source *s, const tables *t, as_dataset *d,
                              assay_error *err)
{
    const size_t n_pixels = d->h * d->w;
    for (size_t i = 0; i < d->n; i++) {
        float *image = d->images + i * n_pixels * d->c;
        for (size_t p = 0; p < n_pixels; p++)
            for (size_t c = 0; c < d->c; c++) {
                const size_t at = s->is_hwc ? p * d->c + c : c * n_pixels + p;
                const double value = element(&t->images, i * t->image_stride + at);
                const float scaled = (float)(value / s->scale);
                if (!isfinite(scaled))
                    return as_fail(err, ASSAY_E_FORMAT,
                                   "%s has %g in sample %zu, a finite value is needed",
                                   as_path_base(s->images), value, i);
                image[p * d->c + c] = scaled;
            }
    }
    return ASSAY_OK;
}

/* Hash the images as [n][c][h][w], in which they are the same whatever order the file has. */
static assay_code hash_images(as_dataset *d, assay_error *err)
{
    const size_t n_pixels = d->h * d->w, n_values = n_pixels * d->c;
    float *planar = as_alloc_array(n_values, sizeof *planar);
    as_sha256 *hash = as_sha256_new();
    bool is_good = planar && hash;
    for (size_t i = 0; is_good && i < d->n; i++) {
        for (size_t v = 0; v < n_values; v++)
            planar[v] = d->images[i * n_values + v % n_pixels * d->c + v / n_pixels];
        is_good = as_sha256_add(hash, planar, n_values * sizeof *planar);
    }
    is_good = is_good && as_sha256_finish(hash, d->input_sha256);
    as_sha256_free(hash);
    as_free(planar);
    return is_good ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to hash %s", d->name);
}

static assay_code make_room(const as_dataset_source *s, size_t n_values, as_dataset *d,
                            assay_error *err)
{
    size_t n_floats = 0;
    d->name = as_strdup(s->name);
    if (as_mul(d->n, n_values, &n_floats))
        d->images = as_alloc_array(n_floats, sizeof *d->images);
    d->labels = as_alloc_array(d->n, sizeof *d->labels);
    if (d->name && d->images && d->labels) return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu images of %zu values", d->n,
                   n_values);
}

assay_code as_dataset_load(const as_dataset_source *source, as_dataset **out, assay_error *err)
{
    tables t = {0};
    as_dataset *d = NULL;
    size_t n_values = 0;
    *out = NULL;
    assay_code code = check_source(source, &n_values, err);
    if (!code) code = read_tables(source, n_values, &t, err);
    if (code) goto done;
    d = as_alloc(sizeof *d);
    code = d ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a data set");
    if (code) goto done;
    d->n = (size_t)t.images.dims[0];
    d->c = source->c;
    d->h = source->h;
    d->w = source->w;
    d->n_classes = source->n_classes;
    code = make_room(source, n_values, d, err);
    if (!code) code = take_labels(&t, d, err);
    if (!code) code = take_images(source, &t, d, err);
    if (!code) code = hash_images(d, err);
    if (!code)
        code = as_sha256_bytes(d->labels, d->n * sizeof *d->labels, d->labels_sha256, err);
    if (code) goto done;
    *out = d;
    d = NULL; /* the caller owns it now */
done:
    as_dataset_free(d);
    free_tables(&t);
    return code;
}
