/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "train/dataset.h"

/* Files of these names are written into the working directory and removed behind each test. */
#define IMAGES "dataset-test-images"
#define LABELS "dataset-test-labels"

static void put(const char *path, const void *bytes, size_t size)
{
    assert_int_equal(as_file_write(path, bytes, size, NULL), ASSAY_OK);
}

static int clean(void **state)
{
    (void)state;
    unlink(IMAGES);
    unlink(LABELS);
    return 0;
}

static void put_packed(const char *path, const void *bytes, size_t size)
{
    gzFile gz = gzopen(path, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(gz), Z_OK);
}

static as_dataset_source source_of(as_data_format format, size_t c, size_t h, size_t w)
{
    as_dataset_source s = as_dataset_source_defaults();
    s.name = "test";
    s.format = format;
    s.images = IMAGES;
    s.labels = format == AS_DATA_CSV ? NULL : LABELS;
    s.c = c, s.h = h, s.w = w;
    s.n_classes = 3;
    return s;
}

static void refuse(const as_dataset_source *s, assay_code want, const char *message)
{
    as_dataset *d;
    assay_error err;
    assert_int_equal(as_dataset_load(s, &d, &err), want);
    assert_null(d);
    assert_string_equal(err.message, message);
}

static as_dataset *load(const as_dataset_source *s)
{
    as_dataset *d;
    assay_error err;
    if (as_dataset_load(s, &d, &err)) fail_msg("%s", err.message);
    return d;
}

/* Two images of 2 channels, 1 x 3: planes in the file, pixels in memory. */
static const float planar[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const float pixels[] = {1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12};

static void csv_is_read_with_or_without_a_heading_and_packed(void **state)
{
    static const char *const texts[] = {"a,b,c,d,e,f,label\n1,2,3,4,5,6,0\n7,8,9,10,11,12,2\n",
                                        "1, 2,3.0,4e0,5,6,0\r\n\r\n7,8,9,10,11,12,2"};
    const as_dataset_source s = source_of(AS_DATA_CSV, 2, 1, 3);
    char sha256[4][AS_SHA256_HEX];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        (i < 2 ? put : put_packed)(IMAGES, texts[i % 2], strlen(texts[i % 2]));
        as_dataset *d = load(&s);
        assert_int_equal(d->n, 2);
        assert_memory_equal(d->images, pixels, sizeof pixels);
        assert_int_equal(d->labels[0], 0);
        assert_int_equal(d->labels[1], 2);
        memcpy(sha256[i], d->input_sha256, AS_SHA256_HEX);
        as_dataset_free(d);
    }
    for (size_t i = 1; i < 4; i++)
        assert_string_equal(sha256[0], sha256[i]);
}

static void csv_that_is_damaged_is_told_by_line(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"1,2,0\n3,4\n", IMAGES " has only 2 columns in line 2, 3 are needed"},
        {"1,2,0\n3,4,1,5\n", IMAGES " has more than 3 columns in line 2, 3 are needed"},
        {"1,2,0\n3,x4,1\n", IMAGES " has \"x4\" in line 2, a number is needed"},
        {"1,2,3\n", IMAGES " labels sample 0 with 3, an integer in 0..2 is needed"},
        {"1,2,0.5\n", IMAGES " labels sample 0 with 0.5, an integer in 0..2 is needed"},
        {"1,1e999,0\n", IMAGES " has inf in sample 0, a finite value is needed"},
        {"x1,2,0\n3,4,1\n", IMAGES " has \"x1\" in line 1, a number is needed"},
        {"a,b,c\n", IMAGES " has no line of numbers"},
        {"", IMAGES " has no line of numbers"},
    };
    const as_dataset_source s = source_of(AS_DATA_CSV, 1, 1, 2);
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(IMAGES, bad[i].text, strlen(bad[i].text));
        refuse(&s, ASSAY_E_FORMAT, bad[i].message);
    }
}

/* IDX: two images of 1 x 3 bytes, two labels. */
static const unsigned char idx_images[] = {0, 0, 8, 3, 0, 0, 0, 2,   0,   0, 0,
                                           1, 0, 0, 0, 3, 0, 5, 255, 128, 1, 2};
static const unsigned char idx_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 2};

static void idx_is_read_plain_and_packed(void **state)
{
    as_dataset_source s = source_of(AS_DATA_IDX, 1, 1, 3);
    static const float want[] = {0, 5 / 255.0F, 1, 128 / 255.0F, 1 / 255.0F, 2 / 255.0F};
    (void)state;
    s.scale = 255;
    put(LABELS, idx_labels, sizeof idx_labels);
    for (size_t is_packed = 0; is_packed < 2; is_packed++) {
        (is_packed ? put_packed : put)(IMAGES, idx_images, sizeof idx_images);
        as_dataset *d = load(&s);
        for (size_t i = 0; i < 6; i++)
            assert_true(fabsf(d->images[i] - want[i]) < 1e-7F);
        assert_int_equal(d->labels[1], 2);
        as_dataset_free(d);
    }
}

static void idx_that_is_damaged_is_told(void **state)
{
    const as_dataset_source s = source_of(AS_DATA_IDX, 1, 1, 3);
    as_bytes file;
    (void)state;
    put(LABELS, idx_labels, sizeof idx_labels);
    put(IMAGES, idx_images, sizeof idx_images - 1);
    refuse(&s, ASSAY_E_FORMAT, IMAGES " has 5 bytes of elements, its 3 dims need 6");
    put(IMAGES, "PNG", 3);
    refuse(&s, ASSAY_E_FORMAT,
           IMAGES " is no IDX file: of its 3 bytes the first two have to be 0");
    put(IMAGES, idx_images, sizeof idx_images);
    put(LABELS, idx_labels, sizeof idx_labels - 1);
    refuse(&s, ASSAY_E_FORMAT, LABELS " has 1 bytes of elements, its 1 dims need 2");
    gzFile gz = gzopen(IMAGES, "wb");
    assert_non_null(gz);
    for (size_t i = 0; i < 100; i++)
        gzwrite(gz, idx_images, sizeof idx_images);
    gzclose(gz);
    assert_int_equal(as_file_read(IMAGES, 0, &file, NULL), ASSAY_OK);
    for (size_t size = 2; size < file.size; size++) { /* cut off anywhere */
        as_dataset *d;
        assay_error err;
        put(IMAGES, file.data, size);
        assert_int_equal(as_dataset_load(&s, &d, &err), ASSAY_E_FORMAT);
        assert_non_null(strstr(err.message, IMAGES));
    }
    as_bytes_free(&file);
}

static void npy_of_either_order_holds_the_same_images(void **state)
{
    as_dataset_source s = source_of(AS_DATA_NPY, 2, 1, 3);
    int64_t labels[] = {2, 0};
    const as_npy l = {
        .type = AS_NPY_I8, .rank = 1, .dims = {2}, .data = labels, .n_elements = 2};
    as_npy x = {.type = AS_NPY_F4,
                .rank = 4,
                .dims = {2, 2, 1, 3},
                .data = (void *)planar,
                .n_elements = 12};
    char sha256[AS_SHA256_HEX];
    (void)state;
    assert_int_equal(as_npy_write(LABELS, &l, NULL), ASSAY_OK);
    assert_int_equal(as_npy_write(IMAGES, &x, NULL), ASSAY_OK);
    as_dataset *d = load(&s);
    assert_memory_equal(d->images, pixels, sizeof pixels);
    memcpy(sha256, d->input_sha256, sizeof sha256);
    as_dataset_free(d);
    s.is_hwc = true;
    refuse(&s, ASSAY_E_FORMAT,
           IMAGES " is an array of 2 x 2 x 1 x 3, images of 2 x 1 x 3 are needed");
    x.data = (void *)pixels;
    x.dims[1] = 1, x.dims[2] = 3, x.dims[3] = 2;
    assert_int_equal(as_npy_write(IMAGES, &x, NULL), ASSAY_OK);
    d = load(&s);
    assert_memory_equal(d->images, pixels, sizeof pixels);
    assert_string_equal(d->input_sha256, sha256);
    as_dataset_free(d);
}

static void sources_that_ask_for_nothing_are_refused(void **state)
{
    as_dataset_source s = source_of(AS_DATA_CSV, 1, 0, 3);
    (void)state;
    refuse(&s, ASSAY_E_ARGUMENT, "an image of 1 x 0 x 3 has to have 1 to 16777216 values");
    s.h = 1;
    s.n_classes = 1;
    refuse(&s, ASSAY_E_ARGUMENT, "there are 1 classes, at least 2 are needed");
    s.n_classes = 3;
    s.scale = 0;
    refuse(&s, ASSAY_E_ARGUMENT, "the scale is 0, a finite number but 0 is needed");
    s.scale = 1;
    s.labels = LABELS;
    refuse(&s, ASSAY_E_ARGUMENT,
           "data of format csv need one file, which has the labels as well");
}

static void the_digits_are_all_there(void **state)
{
    as_dataset_source s = source_of(AS_DATA_CSV, 1, 8, 8);
    size_t n_sevens = 0;
    (void)state;
    s.images = "../data/digits.csv";
    s.n_classes = 10;
    s.scale = 16;
    as_dataset *d = load(&s);
    assert_int_equal(d->n, 1797);
    for (size_t i = 0; i < d->n; i++)
        n_sevens += d->labels[i] == 7;
    assert_int_equal(n_sevens, 179);
    assert_true(d->images[2] == 5 / 16.0F); /* the first line: 0,0,5,13, ... */
    as_dataset_free(d);
}

static void failed_allocations_are_told_and_leak_nothing(void **state)
{
    as_dataset_source s = source_of(AS_DATA_CSV, 2, 1, 3);
    const char *text = "1,2,3,4,5,6,0\n7,8,9,10,11,12,2\n";
    (void)state;
    put(IMAGES, text, strlen(text));
    const size_t before = as_memory_count();
    as_dataset_free(load(&s));
    const size_t n = as_memory_count() - before, held = as_memory_held();
    for (size_t i = 1; i <= n; i++) {
        as_dataset *d;
        as_memory_fail_at(i);
        const assay_code code = as_dataset_load(&s, &d, NULL);
        as_memory_fail_at(0);
        assert_int_equal(code, ASSAY_E_MEMORY);
        assert_int_equal(as_memory_held(), held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(csv_is_read_with_or_without_a_heading_and_packed, clean),
        cmocka_unit_test_teardown(csv_that_is_damaged_is_told_by_line, clean),
        cmocka_unit_test_teardown(idx_is_read_plain_and_packed, clean),
        cmocka_unit_test_teardown(idx_that_is_damaged_is_told, clean),
        cmocka_unit_test_teardown(npy_of_either_order_holds_the_same_images, clean),
        cmocka_unit_test_teardown(sources_that_ask_for_nothing_are_refused, clean),
        cmocka_unit_test_teardown(the_digits_are_all_there, clean),
        cmocka_unit_test_teardown(failed_allocations_are_told_and_leak_nothing, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
