/* SPDX-License-Identifier: Apache-2.0 */
/* PDFs of a few objects, written here: broken boxes, trees, contents and passwords. */
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
#include "image/document.h"
#include "image/pdf_child.h"

#define LOCKED "cases/B19-encrypted-pdf/"

enum { OBJECTS_MOST = 6 };

/* Write objects 1, 2 ... with their table; 1 is the catalog. */
static void write_pdf(const char *path, const char *const *objects)
{
    FILE *out = fopen(path, "wb");
    long places[OBJECTS_MOST];
    int n = 0;
    fputs("%PDF-1.4\n", out);
    for (; n < OBJECTS_MOST && objects[n]; n++) {
        places[n] = ftell(out);
        fprintf(out, "%d 0 obj\n%s\nendobj\n", n + 1, objects[n]);
    }
    long table = ftell(out);
    fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", n + 1);
    for (int i = 0; i < n; i++)
        fprintf(out, "%010ld 00000 n \n", places[i]);
    fprintf(out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%ld\n%%%%EOF\n", n + 1, table);
    fclose(out);
}

/* Open the PDF and draw its page `page` (from 0) at 72 dpi. */
static assay_code draw(const char *path, const as_passwords *passwords, int page, as_image *out,
                       as_trouble *trouble, assay_error *err)
{
    as_document_limits limits = as_document_limits_defaults();
    as_document *document;
    limits.passwords = passwords;
    *out = (as_image){0};
    assay_code code = as_document_open(path, &limits, &document, trouble, err);
    if (!code) code = as_document_page(document, page, 72, out, trouble, err);
    as_document_free(document);
    return code;
}

#define CATALOG "<< /Type /Catalog /Pages 2 0 R >>"
#define TREE    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
#define PAGE(more)                                                                             \
    "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> "      \
    ">> " more ">>"
#define MARK "<< /Length 18 >>\nstream\n20 20 60 30 re f  \nendstream"

/* A page of these objects, and what is said of it; NULL where it is drawn with w x h pixels. */
typedef struct trial {
    const char *objects[OBJECTS_MOST];
    const char *words;
    int w, h, page;
} trial;

static void try_all(const trial *trials, size_t n)
{
    char path[] = P_tmpdir "/assay-pdf-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < n; i++) {
        as_image page;
        as_trouble trouble;
        assay_error err = {0};
        write_pdf(path, trials[i].objects);
        assay_code code = draw(path, NULL, trials[i].page, &page, &trouble, &err);
        bool is_right = !trials[i].words
                            ? !code && page.w == trials[i].w && page.h == trials[i].h
                            : code && strstr(err.message, trials[i].words) &&
                                  strstr(err.message, path) && trouble == AS_TROUBLE_DAMAGED;
        if (!is_right)
            fail_msg("%zu: code %d, %dx%d, %s", i, code, page.w, page.h, err.message);
        as_image_free(&page);
    }
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

static void a_box_that_is_no_box_is_not_taken_for_letter(void **state)
{
    (void)state;
    static const trial trials[] = {
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 612 792]"), MARK}, NULL, 612, 792, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [612.0 792 0 0]"), MARK}, NULL, 612, 792, 0},
        {{CATALOG, TREE, PAGE("/MediaBox 5 0 R"), MARK, "[0 0 6 0 R 792]", "612"},
         NULL,
         612,
         792,
         0},
        {{CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
          PAGE(""), MARK},
         NULL,
         612,
         792,
         0},
        {{CATALOG, TREE, PAGE(""), MARK}, "page 1 has no MediaBox", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox null"), MARK}, "page 1 has no MediaBox", 0, 0, 0},
        {{CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 1] >>", PAGE(""),
          MARK},
         "broken or empty MediaBox",
         0,
         0,
         0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 612 792 5]"), MARK}, "broken or empty", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 nan 792]"), MARK}, "broken or empty", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 (612) 792]"), MARK}, "broken or empty", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 60 0 R 792]"), MARK}, "broken or empty", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox << >> /CropBox [0 0 9 9]"), MARK}, "broken", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 612 0]"), MARK}, "612 x 0 points", 0, 0, 0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 9 9] /CropBox [5 5 5 5]"), MARK},
         "0 x 0",
         0,
         0,
         0},
    };
    try_all(trials, AS_COUNT_OF(trials));
}

static void trees_without_pages_or_end_are_damaged(void **state)
{
    (void)state;
    static const trial trials[] = {
        {{CATALOG, "<< /Type /Pages /Kids [] /Count 0 >>"},
         "no page can be found in it",
         0,
         0,
         0},
        {{CATALOG, "<< /Type /Pages /Kids [] /Count 2000000000 >>"}, "no page can be", 0, 0, 0},
        {{CATALOG, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}, "page 1 is missing", 0, 0, 0},
        {{CATALOG, "<< /Type /Pages /Kids [5 0 R] /Count 9 >>", "null", "null",
          "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 5 0 R] /Count 9 >>"},
         "is",
         0,
         0,
         0},
        {{"<< /Type /Catalog >>"}, "no page can be found in it", 0, 0, 0},
        {{CATALOG, "<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>",
          PAGE("/MediaBox [0 0 9 9]"), MARK},
         NULL,
         9,
         9,
         0},
        {{CATALOG, "<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>",
          PAGE("/MediaBox [0 0 9 9]"), MARK},
         "page 2 is missing or has no page size",
         0,
         0,
         1},
    };
    try_all(trials, AS_COUNT_OF(trials));
}

static void a_listing_of_many_pages_is_read_line_by_line(void **state)
{
    (void)state;
    enum { N = 100000, LINE = 140 };
    char *listing = malloc((size_t)N * LINE + 40), *at = listing;
    as_pdf pdf = {.plain_fd = -1};
    as_trouble trouble = AS_TROUBLE_NONE;
    char path[] = "x";
    pdf.path = path;
    at += sprintf(at, "Pages:           %d\n", N);
    for (int i = 1; i <= N; i++) {
        at += sprintf(at, "Page %6d size:  %d x %g pts (none)\nPage %6d rot:   90\n", i, i, 0.5,
                      i);
        at += sprintf(at, "Page %6d MediaBox:      0.00     0.00   %d.00   0.50\n", i, i);
    }
    assert_int_equal(as_pdf_read_listing(&pdf, listing, &trouble, NULL), ASSAY_OK);
    assert_int_equal(pdf.n_pages, N);
    assert_true(pdf.pages[N - 1].w_pt == N && pdf.pages[N - 1].h_pt == 0.5);
    assert_true(pdf.pages[N / 2].media_pt[2] == N / 2 + 1);
    as_free(pdf.pages);
    free(listing);
}

#define DRAW_I "<< /Length 5 >>\nstream\n/I Do\nendstream"
#define PICTURE(filter)                                                                        \
    "<< /Type /XObject /Subtype /Image /Width 9 /Height 9 /BitsPerComponent 8 /ColorSpace "    \
    "/DeviceGray /Length 4 /Filter /" filter " >>\nstream\nnone\nendstream"

static void a_page_that_would_be_drawn_in_part_is_not_used(void **state)
{
    (void)state;
    static const trial trials[] = {
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 90 90]"), DRAW_I, PICTURE("DCTDecode")},
         "would be drawn in part (pdftoppm: Could not find start of jpeg data)",
         0,
         0,
         0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 90 90]"), DRAW_I, PICTURE("JPXDecode")},
         "would be drawn in part (pdftoppm: ",
         0,
         0,
         0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 90 90]"),
          "<< /Length 4 /Filter /FlateDecode >>\nstream\nnone\nendstream"},
         "would be drawn in part (pdftoppm: ",
         0,
         0,
         0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 90 90]"),
          "<< /Length 4 /Filter /NoSuch >>\nstream\nnone\nendstream"},
         "would be drawn in part (pdftoppm: Unknown filter 'NoSuch')",
         0,
         0,
         0},
        {{CATALOG, TREE, PAGE("/MediaBox [0 0 90 90]"),
          "<< /Length 4 >>\nstream\n((((\nendstream"},
         "would be drawn in part (pdftoppm: ",
         0,
         0,
         0},
    };
    try_all(trials, AS_COUNT_OF(trials));
}

static void passwords_of_a_file_open_what_is_encrypted(void **state)
{
    (void)state;
    static const char *const files[] = {LOCKED "aes256_user_secret.pdf",
                                        LOCKED "rc4_128_user_secret.pdf",
                                        LOCKED "aes256_user_utf8.pdf"};
    static const char lines[] =
        "wrong\r\n\nsecret\r\np\xc3\xa4ssw\xc3\xb6rd\xe2\x80\x93\xe5\xaf\x86";
    char path[] = P_tmpdir "/assay-passwords-XXXXXX";
    as_passwords passwords;
    as_trouble trouble;
    assay_error err = {0};
    as_image page, plain;
    close(mkstemp(path));
    assert_int_equal(as_file_write(path, lines, sizeof lines - 1, NULL), ASSAY_OK);
    assert_int_equal(as_passwords_read(path, &passwords, NULL), ASSAY_OK);
    assert_int_equal(passwords.n, 3);
    assert_string_equal(passwords.items[1], "secret");
    assert_int_equal(draw(LOCKED "plain.pdf", NULL, 0, &plain, &trouble, NULL), ASSAY_OK);
    for (size_t i = 0; i < AS_COUNT_OF(files); i++) {
        if (draw(files[i], &passwords, 0, &page, &trouble, &err)) fail_msg("%s", err.message);
        assert_int_equal(page.w * page.h, plain.w * plain.h);
        assert_memory_equal(page.bgr, plain.bgr, (size_t)page.w * (size_t)page.h * 3);
        as_image_free(&page);
    }
    as_image_free(&plain);
    assert_int_equal(
        draw(LOCKED "unknown_security_handler.pdf", &passwords, 0, &page, &trouble, &err),
        ASSAY_E_UNSUPPORTED);
    assert_int_equal(trouble, AS_TROUBLE_ENCRYPTED);
    assert_non_null(strstr(err.message, "security handler"));
    passwords.n = 1; /* "wrong" alone */
    assert_int_equal(draw(files[0], &passwords, 0, &page, &trouble, &err), ASSAY_E_UNSUPPORTED);
    assert_int_equal(trouble, AS_TROUBLE_ENCRYPTED);
    assert_non_null(strstr(err.message, "aes256_user_secret.pdf is encrypted and none of the"));
    assert_null(strstr(err.message, "secret "));
    passwords.n = 3;
    as_passwords_free(&passwords);
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

static void a_file_without_passwords_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *words;
    } cases[] = {{"", 0, "has no password, one a line"},
                 {"\n\r\n\n", 4, "has no password, one a line"},
                 {"a\0b", 3, "has a zero byte"}};
    char path[] = P_tmpdir "/assay-passwords-XXXXXX", large[70000];
    as_passwords passwords;
    assay_error err;
    close(mkstemp(path));
    for (size_t i = 0; i < AS_COUNT_OF(cases); i++) {
        assert_int_equal(as_file_write(path, cases[i].text, cases[i].size, NULL), ASSAY_OK);
        assert_int_equal(as_passwords_read(path, &passwords, &err), ASSAY_E_FORMAT);
        assert_non_null(strstr(err.message, cases[i].words));
        assert_int_equal(passwords.n, 0);
    }
    memset(large, 'x', sizeof large);
    assert_int_equal(as_file_write(path, large, sizeof large, NULL), ASSAY_OK);
    assert_int_equal(as_passwords_read(path, &passwords, &err), ASSAY_E_FORMAT);
    assert_non_null(strstr(err.message, "more than 65536 bytes"));
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
    assert_int_equal(as_passwords_read(path, &passwords, &err), ASSAY_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_is_no_box_is_not_taken_for_letter),
        cmocka_unit_test(trees_without_pages_or_end_are_damaged),
        cmocka_unit_test(a_listing_of_many_pages_is_read_line_by_line),
        cmocka_unit_test(a_page_that_would_be_drawn_in_part_is_not_used),
        cmocka_unit_test(passwords_of_a_file_open_what_is_encrypted),
        cmocka_unit_test(a_file_without_passwords_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
