/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "image/document.h"

#define LOCKED "cases/B19-encrypted-pdf/"
#define SIZES  "cases/B20-pdf-extreme-page-sizes/"
#define TURNED "cases/B17-pdf-page-rotation-and-boxes/"

/* Code and trouble of opening `path` and rendering its first page. */
static assay_code try_page(const char *path, int dpi, as_image *page, as_trouble *trouble,
                           assay_error *err)
{
    as_document_limits limits = as_document_limits_defaults();
    as_document *document;
    *page = (as_image){0};
    assay_code code = as_document_open(path, &limits, &document, trouble, err);
    if (!code) code = as_document_page(document, 0, dpi, page, trouble, err);
    as_document_free(document);
    return code;
}

static bool is_dark(const as_image *page, int x, int y)
{
    return page->bgr[(y * page->w + x) * 3] < 128;
}

/* The bounds of the one dark mark. */
static void mark_of(const as_image *page, int mark[4])
{
    mark[0] = mark[1] = 1 << 20;
    mark[2] = mark[3] = 0;
    for (int y = 0; y < page->h; y++)
        for (int x = 0; x < page->w; x++) {
            if (!is_dark(page, x, y)) continue;
            if (x < mark[0]) mark[0] = x;
            if (y < mark[1]) mark[1] = y;
            if (x + 1 > mark[2]) mark[2] = x + 1;
            if (y + 1 > mark[3]) mark[3] = y + 1;
        }
}

/* case.json of B17 and B19, computed from ISO 32000 as that file says. */
static void pages_are_upright_and_cropped_as_a_viewer_shows_them(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int w, h, mark[4];
    } cases[] = {
        {TURNED "plain.pdf", 120, 200, {20, 20, 80, 50}},
        {TURNED "rotate90.pdf", 200, 120, {150, 20, 180, 80}},
        {TURNED "rotate180.pdf", 120, 200, {40, 150, 100, 180}},
        {TURNED "rotate270.pdf", 200, 120, {20, 40, 50, 100}},
        {TURNED "rotate_minus90.pdf", 200, 120, {20, 40, 50, 100}},
        {TURNED "rotate450.pdf", 200, 120, {150, 20, 180, 80}},
        {TURNED "origin_offset.pdf", 120, 290, {10, 10, 70, 40}},
        {TURNED "origin_offset_rotate90.pdf", 290, 120, {250, 10, 280, 70}},
        {TURNED "cropbox.pdf", 90, 90, {10, 10, 70, 40}},
        {TURNED "cropbox_rotate270.pdf", 90, 90, {10, 20, 40, 80}},
        {TURNED "inverted_mediabox.pdf", 120, 200, {20, 20, 80, 50}},
        {TURNED "inherited_rotate_and_mediabox.pdf", 200, 120, {150, 20, 180, 80}},
        {LOCKED "rc4_40_empty_user.pdf", 120, 200, {20, 20, 80, 50}},
        {LOCKED "rc4_128_empty_user.pdf", 120, 200, {20, 20, 80, 50}},
        {LOCKED "aes128_empty_user.pdf", 120, 200, {20, 20, 80, 50}},
        {LOCKED "aes256_empty_user.pdf", 120, 200, {20, 20, 80, 50}},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image page;
        as_trouble trouble;
        assay_error err = {0};
        int mark[4];
        if (try_page(cases[i].path, 72, &page, &trouble, &err))
            fail_msg("%s: %s", cases[i].path, err.message);
        mark_of(&page, mark);
        bool is_right = abs(page.w - cases[i].w) <= 1 && abs(page.h - cases[i].h) <= 1;
        for (int k = 0; k < 4; k++)
            is_right = is_right && abs(mark[k] - cases[i].mark[k]) <= 1;
        if (!is_right)
            fail_msg("%s: %dx%d, mark %d,%d,%d,%d", cases[i].path, page.w, page.h, mark[0],
                     mark[1], mark[2], mark[3]);
        as_image_free(&page);
    }
}

static void trouble_is_told_by_kind_and_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        assay_code code;
        as_trouble trouble;
        const char *words;
    } cases[] = {
        {LOCKED "aes256_user_secret.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_ENCRYPTED,
         "needs a password, which --password-file FILE gives"},
        {LOCKED "rc4_128_user_secret.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_ENCRYPTED,
         "needs a password, which --password-file FILE gives"},
        {LOCKED "unknown_security_handler.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_ENCRYPTED,
         "security handler"},
        {SIZES "mediabox_14400.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_TOO_LARGE,
         "page 1 has a page size of 14400 x 14400 points, 40000x40000 pixels at 200 dpi, over "
         "the limit"},
        {SIZES "mediabox_2e9.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_TOO_LARGE, "over the limit"},
        {SIZES "userunit_75.pdf", ASSAY_E_UNSUPPORTED, AS_TROUBLE_TOO_LARGE, "over the limit"},
        {SIZES "cropbox_outside.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has a page size of 0 x 0 points, both must be above 0: its MediaBox or "
         "CropBox"},
        {SIZES "mediabox_zero.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has a broken or empty MediaBox"},
        {SIZES "mediabox_1e38.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has a broken or empty MediaBox, so its page size is unknown"},
        {SIZES "mediabox_three_numbers.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has a broken or empty MediaBox"},
        {SIZES "mediabox_not_numbers.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has a broken or empty MediaBox"},
        {SIZES "mediabox_missing.pdf", ASSAY_E_FORMAT, AS_TROUBLE_DAMAGED,
         "page 1 has no MediaBox"},
        {"data/make_images.py", ASSAY_E_FORMAT, AS_TROUBLE_UNSUPPORTED,
         "not a known image format"},
        {"data/images/none.pdf", ASSAY_E_NOT_FOUND, AS_TROUBLE_NONE, "does not exist"},
        {"data/images", ASSAY_E_UNSUPPORTED, AS_TROUBLE_NONE, "is a folder"},
    };
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        as_image page;
        as_trouble trouble;
        assay_error err = {0};
        assert_int_equal(try_page(cases[i].path, 200, &page, &trouble, &err), cases[i].code);
        assert_int_equal(trouble, cases[i].trouble);
        if (!strstr(err.message, cases[i].words) || !strstr(err.message, cases[i].path))
            fail_msg("%s: %s", cases[i].path, err.message);
        assert_null(page.bgr);
    }
}

static void sizes_at_the_edge_are_rendered(void **state)
{
    (void)state;
    as_image page;
    as_trouble trouble;
    assert_int_equal(try_page(SIZES "mediabox_1x1.pdf", 200, &page, &trouble, NULL), ASSAY_OK);
    assert_int_equal(page.w, 3);
    assert_int_equal(page.h, 3);
    as_image_free(&page);
    assert_int_equal(try_page(SIZES "strip_200x14400.pdf", 200, &page, &trouble, NULL),
                     ASSAY_OK);
    assert_int_equal(page.w, 556);
    assert_int_equal(page.h, 40000);
    as_image_free(&page);
    assert_int_equal(try_page(SIZES "mediabox_fraction.pdf", 200, &page, &trouble, NULL),
                     ASSAY_OK);
    assert_int_equal(page.w, 1654); /* 595.276 * 200 / 72 = 1653.5, rounded up */
    assert_int_equal(page.h, 2339);
    as_image_free(&page);
}

static void a_cut_pdf_is_damaged_and_no_page_of_it_is_used(void **state)
{
    (void)state;
    as_bytes whole;
    char path[] = P_tmpdir "/assay-document-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(as_file_read("../examples/form.pdf", 0, &whole, NULL), ASSAY_OK);
    for (size_t part = 0; part < 8; part++) {
        as_image page;
        as_trouble trouble;
        assay_error err;
        size_t size = whole.size * part / 8;
        assert_int_equal(as_file_write(path, whole.data, size, NULL), ASSAY_OK);
        assert_int_equal(try_page(path, 50, &page, &trouble, &err), ASSAY_E_FORMAT);
        assert_int_equal(trouble, AS_TROUBLE_DAMAGED);
        assert_non_null(strstr(err.message, part ? "is truncated" : "is an empty file"));
    }
    as_bytes_free(&whole);
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

static void a_renderer_over_its_limits_is_too_large(void **state)
{
    (void)state;
    as_document_limits limits = as_document_limits_defaults();
    as_document *document;
    as_trouble trouble;
    as_image page;
    assay_error err;
    assert_int_equal(
        as_document_open("../examples/form.pdf", &limits, &document, &trouble, NULL), ASSAY_OK);
    assert_int_equal(as_document_n_pages(document), 2);
    assert_int_equal(as_document_page(document, 2, 200, &page, &trouble, &err),
                     ASSAY_E_ARGUMENT);
    assert_int_equal(as_document_page(document, 0, 5, &page, &trouble, &err), ASSAY_E_ARGUMENT);
    as_document_free(document);
    limits.wall_s = 0.05;
    char folder[] = P_tmpdir "/assay-slow-XXXXXX", program[64],
         *path = as_strdup(getenv("PATH"));
    static const char slow[] = "#!/bin/sh\nexec /bin/sleep 600\n";
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/pdfinfo", folder);
    assert_int_equal(as_file_write(program, slow, sizeof slow - 1, NULL), ASSAY_OK);
    assert_int_equal(chmod(program, 0755), 0);
    setenv("PATH", folder, 1);
    assay_code code =
        as_document_open("../examples/form.pdf", &limits, &document, &trouble, &err);
    setenv("PATH", path, 1);
    assert_int_equal(code, ASSAY_E_UNSUPPORTED);
    assert_int_equal(trouble, AS_TROUBLE_TOO_LARGE);
    assert_non_null(strstr(err.message, "within its limits (killed after"));
    as_free(path);
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
}

static void a_missing_poppler_is_the_environments_fault(void **state)
{
    (void)state;
    as_image page;
    as_trouble trouble;
    assay_error err;
    char *path = as_strdup(getenv("PATH")), version[32];
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(try_page(TURNED "plain.pdf", 72, &page, &trouble, &err),
                     ASSAY_E_ENVIRONMENT);
    assert_int_equal(trouble, AS_TROUBLE_NONE);
    assert_string_equal(err.message, "pdfinfo is missing, PDFs need poppler-utils");
    as_document_poppler_version(version, sizeof version);
    assert_string_equal(version, "");
    setenv("PATH", path, 1);
    as_document_poppler_version(version, sizeof version);
    assert_true(strchr(version, '.') != NULL);
    as_free(path);
}

static void a_name_like_an_option_is_a_file(void **state)
{
    (void)state;
    as_image page;
    as_trouble trouble;
    as_bytes pdf;
    char folder[] = P_tmpdir "/assay-document-XXXXXX", here[4096];
    assert_int_equal(as_file_read(TURNED "plain.pdf", 0, &pdf, NULL), ASSAY_OK);
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(as_file_write("-v.pdf", pdf.data, pdf.size, NULL), ASSAY_OK);
    assay_code code = try_page("-v.pdf", 72, &page, &trouble, NULL);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(code, ASSAY_OK);
    assert_int_equal(page.w, 120);
    as_image_free(&page);
    as_bytes_free(&pdf);
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_upright_and_cropped_as_a_viewer_shows_them),
        cmocka_unit_test(trouble_is_told_by_kind_and_sentence),
        cmocka_unit_test(sizes_at_the_edge_are_rendered),
        cmocka_unit_test(a_cut_pdf_is_damaged_and_no_page_of_it_is_used),
        cmocka_unit_test(a_renderer_over_its_limits_is_too_large),
        cmocka_unit_test(a_missing_poppler_is_the_environments_fault),
        cmocka_unit_test(a_name_like_an_option_is_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
