/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/size.h"
#include "image/passwords.h"
#include "image/pdf_child.h"

enum {
    LISTING_BYTES = 64 << 20, /* 600 bytes a page: 110,000 pages */
    PAGES_MOST = 1000000,
    LINE_BYTES = 160, /* of the listing's lines that are read: 80 and less */
    TAIL_BYTES = 1024 /* where "%%EOF" stands (PDF 1.7 reference, appendix H.3.4.4) */
};

/* A writer ends a PDF with "%%EOF"; poppler would patch up what a cut left over. */
static assay_code check_tail(const char *path, as_trouble *trouble, assay_error *err)
{
    char tail[TAIL_BYTES + 1] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return as_fail(err, ASSAY_E_IO, "%s cannot be opened", path);
    if (fseek(file, -TAIL_BYTES, SEEK_END) != 0) rewind(file);
    size_t n = fread(tail, 1, TAIL_BYTES, file);
    fclose(file);
    for (size_t i = 0; i + 5 <= n; i++)
        if (memcmp(tail + i, "%%EOF", 5) == 0) return ASSAY_OK;
    *trouble = AS_TROUBLE_DAMAGED;
    return as_fail(err, ASSAY_E_FORMAT, "%s is truncated: no %%%%EOF in its last %d bytes",
                   path, TAIL_BYTES);
}

/* "Page    3 size:  595.276 x 841.89 pts (A4)" and "Page    3 MediaBox:  0.00  0.00  595.28  841.89". */
static void read_page_line(const char *line, as_pdf_page *pages, int n_pages)
{
    int page, past = 0;
    double v[4];
    if (sscanf(line, "Page %d %n", &page, &past) != 1 || page < 1 || page > n_pages) return;
    as_pdf_page *to = &pages[page - 1];
    if (sscanf(line + past, "size: %lf x %lf pts", &v[0], &v[1]) == 2) {
        to->w_pt = v[0];
        to->h_pt = v[1];
    } else if (sscanf(line + past, "MediaBox: %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3]) ==
               4) {
        memcpy(to->media_pt, v, sizeof v);
    }
}

/*
 * Copy the line at `at`, or its beginning, since sscanf looks for the end of whatever it is given, and a
 * listing may have megabytes.  @return what stands behind the line; NULL where `at` is the end.
 */
static const char *take_line(const char *at, char line[LINE_BYTES])
{
    if (!*at) return NULL;
    const char *end = strchrnul(at, '\n');
    size_t n = as_min((size_t)(end - at), LINE_BYTES - 1);
    memcpy(line, at, n);
    line[n] = '\0';
    return *end ? end + 1 : end;
}

static int count_pages(const char *listing)
{
    char line[LINE_BYTES];
    int n = 0;
    while ((listing = take_line(listing, line)) != NULL)
        if (sscanf(line, "Pages: %d", &n) == 1) return n;
    return 0;
}

assay_code as_pdf_read_listing(as_pdf *pdf, const char *listing, as_trouble *trouble,
                               assay_error *err)
{
    char line[LINE_BYTES];
    int n = count_pages(listing);
    if (n < 1 || n > PAGES_MOST) {
        *trouble = n < 1 ? AS_TROUBLE_DAMAGED : AS_TROUBLE_TOO_LARGE;
        return as_fail(err, n < 1 ? ASSAY_E_FORMAT : ASSAY_E_UNSUPPORTED,
                       "%s has %d pages, 1 to %d are possible", pdf->path, n, PAGES_MOST);
    }
    as_pdf_page *all = as_alloc_array((size_t)n, sizeof *all);
    if (!all)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the %d pages of %s", n, pdf->path);
    while ((listing = take_line(listing, line)) != NULL)
        if (strncmp(line, "Page ", 5) == 0) read_page_line(line, all, n);
    pdf->pages = all;
    pdf->n_pages = n;
    return ASSAY_OK;
}

static assay_code list_pages(as_pdf *pdf, as_trouble *trouble, assay_error *err)
{
    const char *argv[] = {"pdfinfo", "-box",  "-f",
                          "1",       "-l",    "1000000000",
                          "-enc",    "UTF-8", as_pdf_argument(pdf, "-"),
                          NULL};
    as_process_options options = as_pdf_options(pdf, argv);
    as_process_result result = {0};
    options.out.limit_bytes = LISTING_BYTES;
    assay_code code = as_pdf_run(&options, "poppler-utils", &result, err);
    if (!code) {
        code = as_pdf_judge(&result, "pdfinfo", pdf->path, trouble, err);
        pdf->needs_password = code && as_pdf_says(&result, "Incorrect password");
    }
    if (!code) code = as_pdf_read_listing(pdf, (char *)result.out.data, trouble, err);
    as_process_result_free(&result);
    return code;
}

/* Pages of the file as it is; of one that needs a password once it is decrypted. */
static assay_code open_pages(as_pdf *pdf, as_trouble *trouble, assay_error *err)
{
    const as_passwords *passwords = pdf->limits.passwords;
    assay_code code = check_tail(pdf->path, trouble, err);
    if (!code) code = list_pages(pdf, trouble, err);
    if (!pdf->needs_password || !passwords || passwords->n == 0) return code;
    *trouble = AS_TROUBLE_NONE;
    code = as_pdf_unlock(pdf, trouble, err);
    return code ? code : list_pages(pdf, trouble, err);
}

assay_code as_pdf_open(const char *path, const as_document_limits *limits, as_pdf **out,
                       as_trouble *trouble, assay_error *err)
{
    *out = NULL;
    *trouble = AS_TROUBLE_NONE;
    as_pdf *pdf = as_alloc(sizeof *pdf);
    if (!pdf) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    *pdf = (as_pdf){.limits = *limits, .plain_fd = -1};
    pdf->path = as_strdup(path);
    /* "-x" would be an option, and "@x" a file of options. */
    pdf->argument = path[0] == '/' ? as_strdup(path) : as_format("./%s", path);
    assay_code code = pdf->path && pdf->argument
                          ? open_pages(pdf, trouble, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    if (code)
        as_pdf_free(pdf);
    else
        *out = pdf;
    return code;
}

void as_pdf_free(as_pdf *pdf)
{
    if (!pdf) return;
    if (pdf->plain_fd >= 0) close(pdf->plain_fd);
    as_free(pdf->path);
    as_free(pdf->argument);
    as_free(pdf->pages);
    as_free(pdf);
}

int as_pdf_n_pages(const as_pdf *pdf) { return pdf->n_pages; }

/* Pixels of a page, from its points; refused before anything is rendered. */
static assay_code check_page_size(const as_pdf_page *size, const as_document_limits *limits,
                                  const char *what, int dpi, as_trouble *trouble,
                                  assay_error *err)
{
    double w = ceil(size->w_pt * dpi / 72), h = ceil(size->h_pt * dpi / 72);
    if (!(w >= 1 && h >= 1)) {
        *trouble = AS_TROUBLE_DAMAGED;
        if (size->media_pt[2] == size->media_pt[0])
            return as_fail(err, ASSAY_E_FORMAT, "%s is missing or has no page size", what);
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has a page size of %g x %g points, both must be above 0: its "
                       "MediaBox or CropBox is empty, or they do not meet",
                       what, size->w_pt, size->h_pt);
    }
    if (w * h > (double)limits->pixels) {
        *trouble = AS_TROUBLE_TOO_LARGE;
        return as_fail(
            err, ASSAY_E_UNSUPPORTED,
            "%s has a page size of %g x %g points, %.0fx%.0f pixels at %d dpi, over the "
            "limit of %zu pixels",
            what, size->w_pt, size->h_pt, w, h, dpi, limits->pixels);
    }
    return ASSAY_OK;
}

/*
 * pdftoppm's picture: "P6\n<w> <h>\n255\n" and the bytes.  Read here because it is always this one
 * kind of PNM and a page has millions of bytes.
 */
assay_code as_pdf_read_ppm(const as_bytes *ppm, const char *what, as_image *out,
                           as_trouble *trouble, assay_error *err)
{
    int w = 0, h = 0, head = 0;
    bool is_whole = sscanf((const char *)ppm->data, "P6 %9d %9d 255%n", &w, &h, &head) == 2 &&
                    head > 0 && w > 0 && h > 0 &&
                    ppm->size - (size_t)head - 1 == (size_t)w * (size_t)h * 3;
    if (!is_whole) {
        *trouble = AS_TROUBLE_DAMAGED;
        return as_fail(err, ASSAY_E_FORMAT, "%s is damaged: pdftoppm drew no whole picture",
                       what);
    }
    assay_code code = as_image_init(out, h, w, err);
    if (code) return code;
    const uint8_t *rgb = ppm->data + head + 1;
    for (size_t i = 0; i < (size_t)w * (size_t)h * 3; i += 3) {
        out->bgr[i] = rgb[i + 2];
        out->bgr[i + 1] = rgb[i + 1];
        out->bgr[i + 2] = rgb[i];
    }
    return ASSAY_OK;
}

/*
 * poppler draws what it can of a page and ends well.  Its errors, unlike its warnings, mean that
 * something of the page is not there: a picture, a font, the rest of the page.
 */
static assay_code check_complete(const as_process_result *result, const char *what,
                                 as_trouble *trouble, assay_error *err)
{
    char why[100];
    if (!as_pdf_says(result, "Syntax Error") && !as_pdf_says(result, "Internal Error"))
        return ASSAY_OK;
    as_pdf_complaint(result, why, sizeof why);
    *trouble = AS_TROUBLE_DAMAGED;
    return as_fail(err, ASSAY_E_FORMAT,
                   "%s is damaged and would be drawn in part (pdftoppm: %s)", what, why);
}

static assay_code draw(const as_pdf *pdf, int page, int dpi, const char *what, as_image *out,
                       as_trouble *trouble, assay_error *err)
{
    char number[16], resolution[16];
    snprintf(number, sizeof number, "%d", page + 1);
    snprintf(resolution, sizeof resolution, "%d", dpi);
    const char *argv[] = {"pdftoppm", "-r",       resolution,
                          "-f",       number,     "-l",
                          number,     "-cropbox", as_pdf_argument(pdf, "-"),
                          NULL};
    as_process_options options = as_pdf_options(pdf, argv);
    as_process_result result = {0};
    options.out.limit_bytes = 3 * pdf->limits.pixels + 64;
    assay_code code = as_pdf_run(&options, "poppler-utils", &result, err);
    if (!code) code = as_pdf_judge(&result, "pdftoppm", what, trouble, err);
    if (!code) code = check_complete(&result, what, trouble, err);
    if (!code) code = as_pdf_read_ppm(&result.out, what, out, trouble, err);
    as_process_result_free(&result);
    return code;
}

assay_code as_pdf_render(const as_pdf *pdf, int page, int dpi, as_image *out,
                         as_trouble *trouble, assay_error *err)
{
    char *what = as_format("%s: page %d", pdf->path, page + 1);
    *out = (as_image){0};
    *trouble = AS_TROUBLE_NONE;
    if (!what) return as_fail(err, ASSAY_E_MEMORY, "no memory to render %s", pdf->path);
    assay_code code = as_pdf_check_box(pdf, page, what, trouble, err);
    if (!code) code = check_page_size(&pdf->pages[page], &pdf->limits, what, dpi, trouble, err);
    if (!code) code = draw(pdf, page, dpi, what, out, trouble, err);
    as_free(what);
    return code;
}
