/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "image/format.h"
#include "image/image.h"

#define EXIF "cases/B16-exif-orientation-and-mislabelled-files/"

/* The picture of data/make_images.py. */
static void assert_pattern(const as_image *image, int added)
{
    assert_int_equal(image->w, 5);
    assert_int_equal(image->h, 4);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) {
            const uint8_t *at = image->bgr + (y * 5 + x) * 3;
            assert_int_equal(at[0], 40 * x + added);
            assert_int_equal(at[1], 50 * y + added);
            assert_int_equal(at[2], 20 * (x + y) + added);
        }
}

static as_image read_image(const char *path)
{
    as_image image;
    assay_error err = {0};
    if (as_image_read(path, &image, &err)) fail_msg("%s: %s", path, err.message);
    return image;
}

static void every_format_gives_the_same_pixels(void **state)
{
    (void)state;
    static const char *const files[] = {"rgb8.png",       "rgb16.png",   "palette.png",
                                        "interlaced.png", "surplus.png", "pages.tif",
                                        "tiled.tif",      "planar.tif",  "rgb16.tif",
                                        "cmyk.tif",       "rgb.ppm",     "lossless.webp"};
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        char path[64];
        snprintf(path, sizeof path, "data/images/%s", files[i]);
        as_image image = read_image(path);
        assert_pattern(&image, 0);
        as_image_free(&image);
    }
}

static void grey_is_replicated_and_sixteen_bits_keep_the_upper_byte(void **state)
{
    (void)state;
    as_image image = read_image("data/images/grey16.png");
    for (int i = 0; i < 20; i++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(image.bgr[3 * i + c], 40 * (i % 5));
    as_image_free(&image);
    image = read_image("data/images/grey1.png");
    for (int i = 0; i < 20; i++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(image.bgr[3 * i + c], (i % 5 + i / 5) % 2 ? 0 : 255);
    as_image_free(&image);
}

/* Whether the picture, or its grey one of 40x, is composed by an alpha of 51x; within rounding. */
static void assert_composed(const char *path, bool is_grey)
{
    as_image image = read_image(path);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) {
            int colour[3] = {40 * x, is_grey ? 40 * x : 50 * y,
                             is_grey ? 40 * x : 20 * (x + y)};
            for (int c = 0; c < 3; c++) {
                int wanted = (colour[c] * 51 * x + 255 * (255 - 51 * x)) / 255;
                if (abs(image.bgr[(y * 5 + x) * 3 + c] - wanted) > 1)
                    fail_msg("%s: %d is %d at %d,%d, %d is needed", path, c,
                             image.bgr[(y * 5 + x) * 3 + c], x, y, wanted);
            }
        }
    as_image_free(&image);
}

static void alpha_is_composed_on_white(void **state)
{
    (void)state;
    assert_composed("data/images/alpha.png", false);
    assert_composed("data/images/alpha.tif", false);
    assert_composed("data/images/multiplied.tif", false);
    assert_composed("data/images/grey_alpha16.png", true);
    assert_composed("data/images/grey_alpha.tif", true);
}

static void a_colour_that_is_called_clear_is_white(void **state)
{
    (void)state;
    as_image image = read_image("data/images/clear_colour.png");
    assert_int_equal(image.bgr[(2 * 5 + 3) * 3], 255);
    assert_int_equal(image.bgr[(2 * 5 + 3) * 3 + 1], 255);
    assert_int_equal(image.bgr[(2 * 5 + 2) * 3], 80);
    as_image_free(&image);
    image = read_image("data/images/clear_grey.png");
    for (int i = 0; i < 20; i++)
        assert_int_equal(image.bgr[3 * i], i % 5 == 2 ? 255 : 40 * (i % 5));
    as_image_free(&image);
}

static void a_tiff_is_turned_by_its_tag(void **state)
{
    (void)state;
    as_image image = read_image("data/images/turned.tif"),
             upright = read_image("data/images/rgb8.png");
    for (int i = 0; i < 20; i++) /* orientation 3 is a half turn */
        assert_memory_equal(image.bgr + 3 * i, upright.bgr + 3 * (19 - i), 3);
    as_image_free(&image);
    as_image_free(&upright);
}

static void a_bad_page_of_a_tiff_leaves_the_others(void **state)
{
    (void)state;
    as_bytes file;
    as_image image;
    as_trouble trouble;
    int n_pages;
    assert_int_equal(as_file_read("data/images/bad_page.tif", 0, &file, NULL), ASSAY_OK);
    assert_int_equal(
        as_image_count(
            &(as_encoded){.data = file.data, .size = file.size, .name = "t", .pixels_most = 99},
            &n_pages, &trouble, NULL),
        ASSAY_OK);
    assert_int_equal(n_pages, 3);
    for (int page = 0; page < 3; page++) {
        assay_code code = as_image_decode_page(&(as_encoded){.data = file.data,
                                                             .size = file.size,
                                                             .name = "t",
                                                             .page = page,
                                                             .pixels_most = 99},
                                               &image, &trouble, NULL);
        assert_int_equal(code, page == 1 ? ASSAY_E_FORMAT : ASSAY_OK);
        assert_int_equal(trouble, page == 1 ? AS_TROUBLE_DAMAGED : AS_TROUBLE_NONE);
        as_image_free(&image);
    }
    as_bytes_free(&file);
}

static void pages_of_a_tiff_are_counted_and_told_apart(void **state)
{
    (void)state;
    as_bytes file;
    int n_pages;
    as_trouble trouble;
    as_image image;
    assay_error err;
    assert_int_equal(as_file_read("data/images/pages.tif", 0, &file, NULL), ASSAY_OK);
    assert_int_equal(
        as_image_count(
            &(as_encoded){.data = file.data, .size = file.size, .name = "t", .pixels_most = 99},
            &n_pages, &trouble, NULL),
        ASSAY_OK);
    assert_int_equal(n_pages, 3);
    for (int page = 0; page < 3; page++) {
        assert_int_equal(as_image_decode_page(&(as_encoded){.data = file.data,
                                                            .size = file.size,
                                                            .name = "t",
                                                            .page = page,
                                                            .pixels_most = 99},
                                              &image, &trouble, NULL),
                         ASSAY_OK);
        assert_pattern(&image, page);
        as_image_free(&image);
    }
    assert_int_equal(as_image_count(&(as_encoded){.data = file.data,
                                                  .size = file.size - 2,
                                                  .name = "t",
                                                  .pixels_most = 99},
                                    &n_pages, &trouble, &err),
                     ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "t is truncated: TIFF page 3"));
    as_bytes_free(&file);
}

/* The upright picture of case B16: uint8[48][64][3] behind the .npy header. */
static void assert_upright(const char *name, int tolerance)
{
    as_bytes npy;
    char path[128];
    snprintf(path, sizeof path, EXIF "%s", name);
    as_image image = read_image(path);
    assert_int_equal(as_file_read(EXIF "expected_upright_bgr.npy", 0, &npy, NULL), ASSAY_OK);
    const uint8_t *wanted = npy.data + npy.size - 48 * 64 * 3;
    assert_int_equal(image.h, 48);
    assert_int_equal(image.w, 64);
    for (int i = 0; i < 48 * 64 * 3; i++)
        if (abs(image.bgr[i] - wanted[i]) > tolerance)
            fail_msg("%s: byte %d is %d, %d is needed", name, i, image.bgr[i], wanted[i]);
    as_bytes_free(&npy);
    as_image_free(&image);
}

static void exif_orientation_is_applied_and_nonsense_ignored(void **state)
{
    (void)state;
    char name[64];
    for (int orientation = 1; orientation <= 8; orientation++) {
        snprintf(name, sizeof name, "exif_orientation_%d.jpg", orientation);
        assert_upright(name, 12);
    }
    assert_upright("exif_orientation_6.png", 0);
    assert_upright("exif_orientation_invalid_zero.jpg", 12);
    assert_upright("exif_orientation_invalid_nine.jpg", 12);
    assert_upright("exif_bad_ifd_offset.jpg", 12);
}

static void content_decides_the_format_and_no_name(void **state)
{
    (void)state;
    assert_upright("png_content_named.jpg", 0);
    assert_upright("jpeg_content_named.png", 12);
    assert_upright("no_extension", 0);
}

static void what_is_no_whole_picture_gets_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        assay_code code;
        const char *words;
    } cases[] = {
        {EXIF "truncated.png", ASSAY_E_FORMAT, "truncated"},
        {EXIF "truncated.jpg", ASSAY_E_FORMAT, "premature end of JPEG"},
        {EXIF "zero_bytes.png", ASSAY_E_FORMAT, "empty file"},
        {EXIF "html.png", ASSAY_E_FORMAT, "not a known image format"},
        {EXIF "bad_crc.png", ASSAY_E_FORMAT, "checksum error in PNG chunk IDAT at byte 33"},
        {EXIF "zero_width.png", ASSAY_E_FORMAT, "width 0"},
        {EXIF "bomb_header_60000x60000.png", ASSAY_E_UNSUPPORTED,
         "60000x60000 pixels, at most"},
        {"data/images/few_rows.png", ASSAY_E_FORMAT, "PNG data (Not enough image data)"},
        {"data/images/no_data.png", ASSAY_E_FORMAT, "PNG data (IEND"},
        {"data/images/no_palette.png", ASSAY_E_FORMAT, "PNG data (IDAT: Missing PLTE"},
        {"data/images/bad_adler.png", ASSAY_E_FORMAT, "PNG data (IDAT: incorrect data check)"},
        {"data/images/bad_depth.png", ASSAY_E_FORMAT, "PNG data (Invalid IHDR data)"},
        {"data/images/two_headers.png", ASSAY_E_FORMAT, "PNG data (IHDR"},
        {"data/images/strange_chunk.png", ASSAY_E_FORMAT, "ABCD: unhandled critical chunk"},
        {"data/images/float.tif", ASSAY_E_UNSUPPORTED, "TIFF of an unsupported kind"},
        {"data/images/animated.webp", ASSAY_E_UNSUPPORTED,
         "WebP of an unsupported kind (animated)"},
        {"cases/B19-encrypted-pdf/plain.pdf", ASSAY_E_UNSUPPORTED, "is a PDF"},
        {"data/images/none.png", ASSAY_E_NOT_FOUND, "does not exist"},
        {"data/images", ASSAY_E_UNSUPPORTED, "is a folder"},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image image;
        assay_error err = {0};
        assert_int_equal(as_image_read(cases[i].path, &image, &err), cases[i].code);
        assert_null(image.bgr);
        if (!strstr(err.message, cases[i].words) || !strstr(err.message, cases[i].path))
            fail_msg("%s: %s", cases[i].path, err.message);
    }
}

/* The libraries would tell their complaints on stderr: none may. */
static void nobody_else_says_a_word(void **state)
{
    (void)state;
    static const char *const files[] = {"few_rows.png", "bad_depth.png", "surplus.png",
                                        "bad_page.tif", "float.tif",     "animated.webp"};
    char said[] = P_tmpdir "/assay-stderr-XXXXXX";
    int file = mkstemp(said), kept = dup(2);
    dup2(file, 2);
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        char path[64];
        as_bytes bytes;
        snprintf(path, sizeof path, "data/images/%s", files[i]);
        (void)as_file_read(path, 0, &bytes, NULL);
        for (int page = 0; page < 2; page++) {
            as_image image;
            as_trouble trouble;
            (void)as_image_decode_page(&(as_encoded){.data = bytes.data,
                                                     .size = bytes.size,
                                                     .name = "x",
                                                     .page = page,
                                                     .pixels_most = 99},
                                       &image, &trouble, NULL);
            as_image_free(&image);
        }
        as_bytes_free(&bytes);
    }
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    close(file);
    assert_int_equal(as_path_remove(said, NULL), ASSAY_OK);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"data/images/rgb8.png", "data/images/pages.tif",
                                        "data/images/lossless.webp", "data/images/rgb.ppm",
                                        EXIF "exif_orientation_1.jpg"};
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        as_bytes file;
        assert_int_equal(as_file_read(files[i], 0, &file, NULL), ASSAY_OK);
        /* A copy of the right size, so that a read behind the end is seen. */
        for (size_t size = 0; size < file.size; size += 1 + file.size / 97) {
            unsigned char *cut = malloc(size ? size : 1);
            as_image image;
            memcpy(cut, file.data, size);
            assay_code code = as_image_decode(cut, size, "cut", &image, NULL);
            /* The first page of a TIFF is whole before its end, and a PNM may be a shorter one. */
            bool may_be_whole = strstr(files[i], ".tif") != NULL;
            if (code != ASSAY_E_FORMAT && !may_be_whole)
                fail_msg("%s of %zu bytes: code %d", files[i], size, (int)code);
            as_image_free(&image);
            free(cut);
        }
        as_bytes_free(&file);
    }
}

static void damaged_jpegs_and_exif_blocks_crash_nothing(void **state)
{
    (void)state;
    as_bytes file;
    uint32_t seed = 20260918;
    assert_int_equal(as_file_read(EXIF "exif_orientation_6.jpg", 0, &file, NULL), ASSAY_OK);
    for (int round = 0; round < 300; round++) {
        unsigned char kept[3];
        size_t places[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            places[k] = seed % (file.size < 200 ? file.size : 200);
            kept[k] = file.data[places[k]];
            file.data[places[k]] = (unsigned char)(seed >> 24);
        }
        int orientation = as_exif_orientation(file.data, file.size, AS_IMAGE_JPEG);
        assert_in_range(orientation, 1, 8);
        (void)as_jpeg_check(file.data, file.size, "x", NULL);
        for (int k = 2; k >= 0; k--)
            file.data[places[k]] = kept[k];
    }
    as_bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_pixels),
        cmocka_unit_test(grey_is_replicated_and_sixteen_bits_keep_the_upper_byte),
        cmocka_unit_test(alpha_is_composed_on_white),
        cmocka_unit_test(a_colour_that_is_called_clear_is_white),
        cmocka_unit_test(a_tiff_is_turned_by_its_tag),
        cmocka_unit_test(a_bad_page_of_a_tiff_leaves_the_others),
        cmocka_unit_test(nobody_else_says_a_word),
        cmocka_unit_test(pages_of_a_tiff_are_counted_and_told_apart),
        cmocka_unit_test(exif_orientation_is_applied_and_nonsense_ignored),
        cmocka_unit_test(content_decides_the_format_and_no_name),
        cmocka_unit_test(what_is_no_whole_picture_gets_one_sentence),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(damaged_jpegs_and_exif_blocks_crash_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
