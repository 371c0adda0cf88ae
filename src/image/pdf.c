/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pdf.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/size.h"

enum {
    LISTING_BYTES = 16 << 20, /* 60 bytes a page: 280,000 pages */
    TAIL_BYTES = 1024,        /* where "%%EOF" stands (PDF 1.7 reference, appendix H.3.4.4) */
    SCRATCH_BYTES = 64 << 20  /* files that the child may write: it needs none */
};

/* argv and limits of one poppler program; the texts that argv borrows live here. */
typedef struct poppler_call {
    const char *argv[12];
    char numbers[3][16]; /* first page, last page, dpi */
    char *path;          /* owns; "./-x.pdf" for "-x.pdf", which would be an option */
} poppler_call;

static const char *const plain_locale[] = {"LC_ALL=C", NULL};

static as_process_options options_of(const poppler_call *call, const as_document_limits *limits)
{
    as_process_options options = as_process_defaults(call->argv);
    options.env = plain_locale;
    options.wall_s = limits->wall_s;
    options.cpu_s = (unsigned)ceil(limits->wall_s);
    options.address_bytes = limits->address_bytes;
    options.file_bytes = SCRATCH_BYTES;
    options.stop = limits->stop;
    options.stop_context = limits->stop_context;
    return options;
}

static char *safe_path(const char *path)
{
    return path[0] == '-' ? as_format("./%s", path) : as_strdup(path);
}

static void set_numbers(poppler_call *call, int first, int last, int dpi)
{
    snprintf(call->numbers[0], sizeof call->numbers[0], "%d", first);
    snprintf(call->numbers[1], sizeof call->numbers[1], "%d", last);
    snprintf(call->numbers[2], sizeof call->numbers[2], "%d", dpi);
}

/* The last complaint of poppler, printable ASCII only, for the end of a sentence. */
static void complaint(const as_process_result *result, char *text, size_t room)
{
    const char *all = (const char *)result->err.data, *last = NULL;
    for (const char *at = all; at && (at = strstr(at, "Error: ")) != NULL; at += 7)
        last = at + 7;
    size_t n = 0;
    while (last && n + 1 < room && last[n] >= ' ' && last[n] < 127) {
        text[n] = last[n];
        n++;
    }
    text[n] = '\0';
    if (n == 0) as_process_describe(result, text, room);
}

static bool says(const as_process_result *result, const char *words)
{
    return strstr((const char *)result->err.data, words) != NULL;
}

static bool ran_out(const as_process_result *result)
{
    return result->end == AS_PROCESS_TIMED_OUT || result->end == AS_PROCESS_FLOODED ||
           (result->end == AS_PROCESS_SIGNALLED &&
            (result->signal == SIGXCPU || result->signal == SIGXFSZ)) ||
           says(result, "Out of memory") || says(result, "bad_alloc");
}

/* Turn how a child ended into a kind of trouble and a sentence; ASSAY_OK when it did well. */
static assay_code judge(const as_process_result *result, const char *program, const char *what,
                        as_trouble *trouble, assay_error *err)
{
    char why[100];
    if (result->end == AS_PROCESS_EXITED && result->status == 0) return ASSAY_OK;
    complaint(result, why, sizeof why);
    if (ran_out(result)) {
        *trouble = AS_TROUBLE_TOO_LARGE;
        as_process_describe(result, why, sizeof why);
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is too large for %s within its limits (%s)", what, program, why);
    }
    if (says(result, "Incorrect password")) {
        *trouble = AS_TROUBLE_ENCRYPTED;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is encrypted and needs a password, which is not supported", what);
    }
    if (says(result, "security handler")) {
        *trouble = AS_TROUBLE_ENCRYPTED;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is encrypted by a security handler that is not supported (%s)", what,
                       why);
    }
    *trouble = AS_TROUBLE_DAMAGED;
    return as_fail(err, ASSAY_E_FORMAT, "%s is damaged (%s: %s)", what, program, why);
}

static assay_code run_poppler(const as_process_options *options, as_process_result *result,
                              assay_error *err)
{
    assay_code code = as_process_run(options, result, err);
    if (code != ASSAY_E_NOT_FOUND) return code;
    return as_fail(err, ASSAY_E_ENVIRONMENT, "%s is missing, PDFs need poppler-utils",
                   options->argv[0]);
}

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

/* "Page    3 size:  595.276 x 841.89 pts (A4)" and "Page    3 rot:   90". */
static void read_page_line(const char *line, as_pdf_page *pages, int n_pages)
{
    int page, turn;
    double w, h;
    if (sscanf(line, "Page %d size: %lf x %lf pts", &page, &w, &h) == 3 && page >= 1 &&
        page <= n_pages) {
        pages[page - 1].w_pt = w;
        pages[page - 1].h_pt = h;
    } else if (sscanf(line, "Page %d rot: %d", &page, &turn) == 2 && page >= 1 &&
               page <= n_pages) {
        pages[page - 1].turn_deg = turn;
    }
}

/* Beginning of the line behind `line`, or NULL. */
static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

static int count_pages(const char *listing)
{
    int n = 0;
    for (const char *line = listing; line; line = next_line(line))
        if (sscanf(line, "Pages: %d", &n) == 1) return n;
    return 0;
}

static assay_code read_listing(const char *listing, const char *path, as_pdf_page **pages,
                               int *n_pages, as_trouble *trouble, assay_error *err)
{
    int n = count_pages(listing);
    if (n < 1 || n > LISTING_BYTES / 40) {
        *trouble = AS_TROUBLE_DAMAGED;
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is damaged: it has %d pages, at least 1 is needed", path, n);
    }
    as_pdf_page *all = as_alloc_array((size_t)n, sizeof *all);
    if (!all) return as_fail(err, ASSAY_E_MEMORY, "no memory for the %d pages of %s", n, path);
    for (const char *line = listing; line; line = next_line(line))
        if (strncmp(line, "Page ", 5) == 0) read_page_line(line, all, n);
    *pages = all;
    *n_pages = n;
    return ASSAY_OK;
}

assay_code as_pdf_open(const char *path, const as_document_limits *limits, as_pdf_page **pages,
                       int *n_pages, as_trouble *trouble, assay_error *err)
{
    poppler_call call = {.path = safe_path(path)};
    as_process_result result = {0};
    *pages = NULL;
    *n_pages = 0;
    if (!call.path) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", path);
    set_numbers(&call, 1, 1000000000, 0);
    const char *argv[] = {"pdfinfo", "-f",    call.numbers[0], "-l", call.numbers[1],
                          "-enc",    "UTF-8", call.path,       NULL};
    memcpy(call.argv, argv, sizeof argv);
    as_process_options options = options_of(&call, limits);
    options.out.limit_bytes = LISTING_BYTES;
    assay_code code = check_tail(path, trouble, err);
    if (!code) code = run_poppler(&options, &result, err);
    if (!code) code = judge(&result, "pdfinfo", path, trouble, err);
    if (!code) code = read_listing((char *)result.out.data, path, pages, n_pages, trouble, err);
    as_process_result_free(&result);
    as_free(call.path);
    return code;
}

/* Pixels of a page, from its points; refused before anything is rendered. */
static assay_code check_page_size(const as_pdf_page *size, const as_document_limits *limits,
                                  const char *what, int dpi, as_trouble *trouble,
                                  assay_error *err)
{
    double w = ceil(size->w_pt * dpi / 72), h = ceil(size->h_pt * dpi / 72);
    if (!(w >= 1 && h >= 1)) {
        *trouble = AS_TROUBLE_DAMAGED;
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s has a page size of %g x %g points, both must be above 0", what,
                       size->w_pt, size->h_pt);
    }
    if (w * h > (double)limits->pixels) {
        *trouble = AS_TROUBLE_TOO_LARGE;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is %.0fx%.0f pixels at %d dpi, over the limit of %zu pixels", what,
                       w, h, dpi, limits->pixels);
    }
    return ASSAY_OK;
}

/*
 * pdftoppm's picture: "P6\n<w> <h>\n255\n" and the bytes.  Read here because it is always this one
 * kind of PNM and a page has millions of bytes.
 */
static assay_code read_ppm(const as_bytes *ppm, const char *what, as_image *out,
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

static assay_code render(const as_process_options *options, const char *what, as_image *out,
                         as_trouble *trouble, assay_error *err)
{
    as_process_result result = {0};
    assay_code code = run_poppler(options, &result, err);
    if (!code) code = judge(&result, "pdftoppm", what, trouble, err);
    if (!code) code = read_ppm(&result.out, what, out, trouble, err);
    as_process_result_free(&result);
    return code;
}

assay_code as_pdf_render(const char *path, const as_document_limits *limits,
                         const as_pdf_page *size, int page, int dpi, as_image *out,
                         as_trouble *trouble, assay_error *err)
{
    poppler_call call = {.path = safe_path(path)};
    char *what = as_format("%s: page %d", path, page + 1);
    assay_code code = ASSAY_OK;
    *out = (as_image){0};
    if (!call.path || !what) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to render %s", path);
        goto done;
    }
    code = check_page_size(size, limits, what, dpi, trouble, err);
    if (code) goto done;
    set_numbers(&call, page + 1, page + 1, dpi);
    const char *argv[] = {"pdftoppm",      "-r", call.numbers[2], "-f",
                          call.numbers[0], "-l", call.numbers[1], "-cropbox",
                          call.path,       NULL};
    memcpy(call.argv, argv, sizeof argv);
    as_process_options options = options_of(&call, limits);
    options.out.limit_bytes = 3 * limits->pixels + 64;
    code = render(&options, what, out, trouble, err);
done:
    as_free(what);
    as_free(call.path);
    return code;
}
