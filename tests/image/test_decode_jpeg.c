/* SPDX-License-Identifier: Apache-2.0 */
/* JPEGs of every kind, written here by libjpeg. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "base/memory.h"
#include "image/image.h"

enum { W = 37, H = 29 };

/* How to write a picture of one colour. */
typedef struct kind {
    J_COLOR_SPACE from, to;
    int n_channels;
    JSAMPLE colour[4];
    bool is_progressive, has_restarts, has_no_adobe;
    bool is_split; /* a scan for each coefficient of each component */
} kind;

/* The scans of the finest split; scans[1 + 63 * 4]. */
static int split(int n_channels, jpeg_scan_info *scans)
{
    int n = 0;
    scans[n++] = (jpeg_scan_info){.comps_in_scan = n_channels, .component_index = {0, 1, 2, 3}};
    for (int c = 0; c < n_channels; c++)
        for (int k = 1; k < 64; k++)
            scans[n++] =
                (jpeg_scan_info){.comps_in_scan = 1, .component_index = {c}, .Ss = k, .Se = k};
    return n;
}

static unsigned char *write_jpeg(const kind *k, size_t *size)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long n = 0;
    JSAMPLE row[W * 4];
    for (int i = 0; i < W * k->n_channels; i++)
        row[i] = k->colour[i % k->n_channels];
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &data, &n);
    jpeg.image_width = W;
    jpeg.image_height = H;
    jpeg.input_components = k->n_channels;
    jpeg.in_color_space = k->from;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, k->to);
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (k->is_progressive) jpeg_simple_progression(&jpeg);
    jpeg_scan_info scans[1 + 63 * 4];
    if (k->is_split) {
        jpeg.num_scans = split(k->n_channels, scans);
        jpeg.scan_info = scans;
    }
    if (k->has_restarts) jpeg.restart_interval = 1;
    if (k->has_no_adobe) jpeg.write_Adobe_marker = FALSE;
    jpeg_start_compress(&jpeg, TRUE);
    JSAMPROW rows[1] = {row};
    while (jpeg.next_scanline < H)
        jpeg_write_scanlines(&jpeg, rows, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *size = n;
    return data;
}

static void every_colour_space_gives_the_same_colour(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .is_progressive = false},
        {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .is_progressive = true},
        {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .has_restarts = true},
        {JCS_RGB, JCS_RGB, 3, {200, 100, 50}, .is_progressive = false},
        {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .is_split = true},
        /* Adobe's CMYK is inverted: what is stored is how much light is left. */
        {JCS_CMYK, JCS_CMYK, 4, {200, 100, 50, 255}, .is_progressive = false},
        {JCS_CMYK, JCS_YCCK, 4, {200, 100, 50, 255}, .is_progressive = true},
        {JCS_CMYK, JCS_CMYK, 4, {55, 155, 205, 0}, .has_no_adobe = true},
    };
    for (size_t i = 0; i < AS_COUNT_OF(kinds); i++) {
        size_t size;
        as_image image;
        assay_error err;
        unsigned char *data = write_jpeg(&kinds[i], &size);
        if (as_image_decode(data, size, "x", &image, &err)) fail_msg("%zu: %s", i, err.message);
        assert_int_equal(image.w, W);
        assert_int_equal(image.h, H);
        for (int p = 0; p < W * H; p++)
            if (abs(image.bgr[3 * p] - 50) > 2 || abs(image.bgr[3 * p + 1] - 100) > 2 ||
                abs(image.bgr[3 * p + 2] - 200) > 2)
                fail_msg("kind %zu, pixel %d: %d %d %d", i, p, image.bgr[3 * p],
                         image.bgr[3 * p + 1], image.bgr[3 * p + 2]);
        as_image_free(&image);
        free(data);
    }
}

static void grey_is_replicated(void **state)
{
    (void)state;
    static const kind grey = {JCS_GRAYSCALE, JCS_GRAYSCALE, 1, {77}, .is_progressive = false};
    size_t size;
    as_image image;
    unsigned char *data = write_jpeg(&grey, &size);
    assert_int_equal(as_image_decode(data, size, "x", &image, NULL), ASSAY_OK);
    for (int i = 0; i < W * H * 3; i++)
        assert_int_equal(image.bgr[i], 77);
    as_image_free(&image);
    free(data);
}

/* Place of the marker 0xff `code`. */
static size_t find_marker(const unsigned char *data, size_t size, unsigned char code)
{
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == 0xff && data[i + 1] == code) return i;
    fail_msg("no marker %x", code);
    return 0;
}

static void a_picture_whose_middle_is_missing_is_not_used(void **state)
{
    (void)state;
    static const kind plain = {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .has_restarts = true};
    size_t size;
    as_image image;
    assay_error err;
    unsigned char *data = write_jpeg(&plain, &size);
    size_t scan = find_marker(data, size, 0xda), middle = scan + (size - scan) / 2;
    memmove(data + middle, data + size - 2, 2); /* the end marker */
    assert_int_equal(as_image_decode(data, middle + 2, "x", &image, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "x has damaged or truncated JPEG data (Corrupt JPEG"));
    free(data);
}

static void a_picture_of_very_many_scans_is_refused(void **state)
{
    (void)state;
    static const kind many = {JCS_CMYK, JCS_CMYK, 4, {200, 100, 50, 9}, .is_split = true};
    size_t size;
    as_image image;
    assay_error err;
    unsigned char *data = write_jpeg(&many, &size);
    assert_int_equal(as_image_decode(data, size, "x", &image, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "(more than 200 scans)"));
    free(data);
}

static void what_libjpeg_cannot_read_is_told_apart_from_damage(void **state)
{
    (void)state;
    static const kind plain = {JCS_RGB, JCS_YCbCr, 3, {200, 100, 50}, .is_progressive = false};
    static const struct {
        size_t behind; /* byte behind the marker of the frame's header */
        unsigned char value;
        as_trouble trouble;
        const char *words;
    } changes[] = {
        {4, 12, AS_TROUBLE_UNSUPPORTED,
         "unsupported kind (Unsupported JPEG data precision 12)"},
        {1, 0xc3, AS_TROUBLE_UNSUPPORTED, "unsupported kind (Unsupported JPEG process"},
        {9, 4, AS_TROUBLE_DAMAGED, "(Bogus marker length)"},
        {7, 0x40, AS_TROUBLE_TOO_LARGE, "x has 16421x65309 pixels, at most 200000000"},
    };
    for (size_t i = 0; i < AS_COUNT_OF(changes); i++) {
        size_t size;
        as_image image;
        as_trouble trouble;
        assay_error err = {0};
        unsigned char *data = write_jpeg(&plain, &size);
        size_t frame = find_marker(data, size, 0xc0);
        data[frame + changes[i].behind] = changes[i].value;
        if (changes[i].trouble == AS_TROUBLE_TOO_LARGE) data[frame + 5] = 0xff;
        assay_code code = as_image_decode_page(
            &(as_encoded){
                .data = data, .size = size, .name = "x", .pixels_most = AS_IMAGE_PIXELS_MAX},
            &image, &trouble, &err);
        assert_true(code == ASSAY_E_FORMAT || code == ASSAY_E_UNSUPPORTED);
        assert_int_equal(trouble, changes[i].trouble);
        if (!strstr(err.message, changes[i].words)) fail_msg("%zu: %s", i, err.message);
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_colour_space_gives_the_same_colour),
        cmocka_unit_test(grey_is_replicated),
        cmocka_unit_test(a_picture_whose_middle_is_missing_is_not_used),
        cmocka_unit_test(a_picture_of_very_many_scans_is_refused),
        cmocka_unit_test(what_libjpeg_cannot_read_is_told_apart_from_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
