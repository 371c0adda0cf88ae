/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "image/image.h"

/* A literal with its length, since samples may be zero. */
#define FILE_OF(text) text, sizeof text - 1

/* Decode a copy of the right size, so that a read behind its end is seen. */
static assay_code decode(const char *text, size_t size, as_image *out, assay_error *err)
{
    char *copy = malloc(size);
    memcpy(copy, text, size);
    assay_code code = as_image_decode(copy, size, "x", out, err);
    free(copy);
    return code;
}

static void every_kind_gives_its_samples_in_255_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        uint8_t bgr[6]; /* of two pixels side by side */
    } cases[] = {
        {FILE_OF("P1 2 1\n10"), {0, 0, 0, 255, 255, 255}},
        {FILE_OF("P1\n2\n1\n1 0\n"), {0, 0, 0, 255, 255, 255}},
        {FILE_OF("P2 2 1 255 7 255"), {7, 7, 7, 255, 255, 255}},
        {FILE_OF("P2 2 1 100 50 100"), {128, 128, 128, 255, 255, 255}},
        {FILE_OF("P3 2 1 255 1 2 3 4 5 6\n"), {3, 2, 1, 6, 5, 4}},
        {FILE_OF("P4 2 1\n\x80"), {0, 0, 0, 255, 255, 255}},
        {FILE_OF("P5 2 1 3\n\x01\x02"), {85, 85, 85, 170, 170, 170}},
        {FILE_OF("P5 2 1 65535\n\x12\xff\xff\x00"), {0x12, 0x12, 0x12, 255, 255, 255}},
        {FILE_OF("P5 2 1 1000\n\x01\xf4\x03\xe8"), {128, 128, 128, 255, 255, 255}},
        {FILE_OF("P6\n#one\n2 #two\n1\n# three\n255\n\1\2\3\4\5\6"), {3, 2, 1, 6, 5, 4}},
        {FILE_OF("P6\r\n2 1\r255\n\1\2\3\4\5\6"), {3, 2, 1, 6, 5, 4}},
        {FILE_OF("P6 2 1 255\n\1\2\3\4\5\6P6 another one"), {3, 2, 1, 6, 5, 4}},
        {FILE_OF(
             "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n\1\2\3\4\5\6"),
         {3, 2, 1, 6, 5, 4}},
        {FILE_OF("P7\n# any order\nMAXVAL 255\nDEPTH 4\nHEIGHT 1\nWIDTH 2\nENDHDR\n"
                 "\1\2\3\0\4\5\6\xff"),
         {255, 255, 255, 6, 5, 4}},
        {FILE_OF("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 2\nMAXVAL 1\nENDHDR\n\0\1\1\0"),
         {0, 0, 0, 255, 255, 255}},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image image;
        assay_error err;
        if (decode(cases[i].text, cases[i].size, &image, &err))
            fail_msg("%s: %s", cases[i].text, err.message);
        assert_int_equal(image.w, 2);
        assert_int_equal(image.h, 1);
        assert_memory_equal(image.bgr, cases[i].bgr, 6);
        as_image_free(&image);
    }
}

static void what_is_not_whole_or_not_sane_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        assay_code code;
    } cases[] = {
        {FILE_OF("P6 2 1 255\n\1\2\3\4\5"), ASSAY_E_FORMAT},
        {FILE_OF("P6 2 1 255"), ASSAY_E_FORMAT},
        {FILE_OF("P6 2 1 0\n\1\2\3\4\5\6"), ASSAY_E_FORMAT},
        {FILE_OF("P6 2 1 65536\n\1\2\3\4\5\6\7\1\2\3\4\5"), ASSAY_E_FORMAT},
        {FILE_OF("P6 0 1 255\n"), ASSAY_E_FORMAT},
        {FILE_OF("P6 -2 1 255\n\1\2\3\4\5\6"), ASSAY_E_FORMAT},
        {FILE_OF("P6 99999999999999999999999 1 255\n"), ASSAY_E_FORMAT},
        {FILE_OF("P6 60000 60000 255\n\1\2\3\4\5\6"), ASSAY_E_UNSUPPORTED},
        {FILE_OF("P6 4294967295 4294967295 255\n"), ASSAY_E_UNSUPPORTED},
        {FILE_OF("P5 2 1 100\n\1\xff"), ASSAY_E_FORMAT},
        {FILE_OF("P5 2 1 300\n\1\2\3"), ASSAY_E_FORMAT},
        {FILE_OF("P4 9 1\n\1"), ASSAY_E_FORMAT},
        {FILE_OF("P1 2 1\n1"), ASSAY_E_FORMAT},
        {FILE_OF("P1 2 1\n12"), ASSAY_E_FORMAT},
        {FILE_OF("P2 2 1 255 7 256"), ASSAY_E_FORMAT},
        {FILE_OF("P3 1 1 255 7 -6 5"), ASSAY_E_FORMAT},
        {FILE_OF("P2 2 1 255 7"), ASSAY_E_FORMAT},
        {FILE_OF("P2 9 9 255 7 7 7 #"), ASSAY_E_FORMAT},
        {FILE_OF("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 5\nMAXVAL 1\nENDHDR\n1234567890"),
         ASSAY_E_FORMAT},
        {FILE_OF("P7\nWIDTH 2\nHEIGHT 1\nMAXVAL 1\nENDHDR\n12"), ASSAY_E_FORMAT},
        {FILE_OF("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\n"), ASSAY_E_FORMAT},
        {FILE_OF("P7\nWIDTH 2\nWHAT 1\nENDHDR\n"), ASSAY_E_FORMAT},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image image;
        assay_error err = {0};
        assay_code code = decode(cases[i].text, cases[i].size, &image, &err);
        if (code != cases[i].code) fail_msg("%s: %d %s", cases[i].text, (int)code, err.message);
        assert_null(image.bgr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_gives_its_samples_in_255_parts),
        cmocka_unit_test(what_is_not_whole_or_not_sane_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
