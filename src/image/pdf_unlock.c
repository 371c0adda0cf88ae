/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decrypting.  poppler's programs take a password as an argument, which every user of the machine can
 * see; qpdf reads it from its standard input.  What it writes goes to a file that is in memory alone.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/passwords.h"
#include "image/pdf_child.h"

/* Try one password: write it to qpdf and gather how it ended. */
static assay_code try_password(as_pdf *pdf, const char *password, as_process_result *result,
                               assay_error *err)
{
    const char *argv[] = {"qpdf", "--password-file=-", "--decrypt", pdf->argument, "-", NULL};
    as_process_options options = as_pdf_options(pdf, argv);
    as_process *child = NULL;
    options.in = (as_stream){.kind = AS_STREAM_PIPE};
    options.out = (as_stream){.kind = AS_STREAM_FILE, .path = pdf->plain_path};
    options.file_bytes = AS_IMAGE_FILE_BYTES_MAX;
    assay_code code = as_process_start(&options, &child, err);
    if (code == ASSAY_E_NOT_FOUND)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "qpdf is missing, PDFs with a password need it");
    if (code) return code;
    /* A program that ends without reading says why by its status. */
    if (!as_process_write(child, password, strlen(password), NULL))
        (void)as_process_write(child, "\n", 1, NULL);
    as_process_close_in(child);
    code = as_process_wait(child, 0, result, err);
    as_process_free(child);
    return code;
}

/* qpdf ends with 0, or with 3 where it had something to warn of (its manual, "Exit Status"). */
static bool has_opened(const as_process_result *result)
{
    return result->end == AS_PROCESS_EXITED && (result->status == 0 || result->status == 3);
}

static assay_code try_all(as_pdf *pdf, as_trouble *trouble, assay_error *err)
{
    const as_passwords *passwords = pdf->limits.passwords;
    for (size_t i = 0; i < passwords->n; i++) {
        as_process_result result = {0};
        assay_code code = try_password(pdf, passwords->items[i], &result, err);
        bool is_open = !code && has_opened(&result);
        if (!code && !is_open && !as_pdf_says(&result, "invalid password"))
            code = as_pdf_judge(&result, "qpdf", pdf->path, trouble, err);
        as_process_result_free(&result);
        if (code || is_open) return code;
    }
    *trouble = AS_TROUBLE_ENCRYPTED;
    return as_fail(
        err, ASSAY_E_UNSUPPORTED,
        "%s is encrypted and none of the passwords of --password-file opens it (wrong "
        "password, %zu tried)",
        pdf->path, passwords->n);
}

assay_code as_pdf_unlock(as_pdf *pdf, as_trouble *trouble, assay_error *err)
{
    int fd = memfd_create("assay-pdf", MFD_CLOEXEC);
    if (fd < 0) return as_fail(err, ASSAY_E_IO, "no memory file to decrypt %s into", pdf->path);
    snprintf(pdf->plain_path, sizeof pdf->plain_path, "/proc/self/fd/%d", fd);
    assay_code code = try_all(pdf, trouble, err);
    if (code)
        close(fd);
    else
        pdf->plain_fd = fd;
    return code;
}
