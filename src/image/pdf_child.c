/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pdf_child.h"

#include <math.h>
#include <signal.h>
#include <string.h>

enum { SCRATCH_BYTES = 64 << 20 /* files that the child may write: it needs none */ };

static const char *const plain_locale[] = {"LC_ALL=C", NULL};

as_process_options as_pdf_options(const as_pdf *pdf, const char *const *argv)
{
    const as_document_limits *limits = &pdf->limits;
    as_process_options options = as_process_defaults(argv);
    options.env = plain_locale;
    options.wall_s = limits->wall_s;
    options.cpu_s = (unsigned)ceil(limits->wall_s);
    options.address_bytes = limits->address_bytes;
    options.file_bytes = SCRATCH_BYTES;
    options.stop = limits->stop;
    options.stop_context = limits->stop_context;
    if (pdf->plain_fd >= 0)
        options.in = (as_stream){.kind = AS_STREAM_FILE, .path = pdf->plain_path};
    return options;
}

assay_code as_pdf_run(const as_process_options *options, const char *package,
                      as_process_result *result, assay_error *err)
{
    assay_code code = as_process_run(options, result, err);
    if (code != ASSAY_E_NOT_FOUND) return code;
    return as_fail(err, ASSAY_E_ENVIRONMENT, "%s is missing, PDFs need %s", options->argv[0],
                   package);
}

/* What stands behind "Syntax Error: ", "Internal Error (478): " ...; NULL where the line is none. */
static const char *text_of_error(const char *line)
{
    const char *colon = strchr(line, ':'), *word = strstr(line, "Error");
    return word && colon && word < colon && colon[1] == ' ' ? colon + 2 : NULL;
}

void as_pdf_complaint(const as_process_result *result, char *text, size_t room)
{
    const char *line = (const char *)result->err.data, *last = NULL;
    while (line && *line) {
        const char *found = text_of_error(line);
        if (found) last = found;
        line = strchr(line, '\n');
        if (line) line++;
    }
    size_t n = 0;
    while (last && n + 1 < room && last[n] >= ' ' && last[n] < 127) {
        text[n] = last[n];
        n++;
    }
    text[n] = '\0';
    if (n == 0) as_process_describe(result, text, room);
}

bool as_pdf_says(const as_process_result *result, const char *words)
{
    return strstr((const char *)result->err.data, words) != NULL;
}

static bool ran_out(const as_process_result *result)
{
    return result->end == AS_PROCESS_TIMED_OUT || result->end == AS_PROCESS_FLOODED ||
           (result->end == AS_PROCESS_SIGNALLED &&
            (result->signal == SIGXCPU || result->signal == SIGXFSZ)) ||
           as_pdf_says(result, "Out of memory") || as_pdf_says(result, "bad_alloc");
}

assay_code as_pdf_judge(const as_process_result *result, const char *program, const char *what,
                        as_trouble *trouble, assay_error *err)
{
    char why[100];
    if (result->end == AS_PROCESS_EXITED && result->status == 0) return ASSAY_OK;
    as_pdf_complaint(result, why, sizeof why);
    if (ran_out(result)) {
        *trouble = AS_TROUBLE_TOO_LARGE;
        as_process_describe(result, why, sizeof why);
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is too large for %s within its limits (%s)", what, program, why);
    }
    if (as_pdf_says(result, "Incorrect password")) {
        *trouble = AS_TROUBLE_ENCRYPTED;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is encrypted and needs a password, which --password-file FILE gives",
                       what);
    }
    if (as_pdf_says(result, "security handler")) {
        *trouble = AS_TROUBLE_ENCRYPTED;
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "%s is encrypted by a security handler that is not supported (%s)", what,
                       why);
    }
    *trouble = AS_TROUBLE_DAMAGED;
    if (as_pdf_says(result, "Wrong page range")) /* 1 to the last one was asked for */
        return as_fail(err, ASSAY_E_FORMAT, "%s is damaged: no page can be found in it", what);
    return as_fail(err, ASSAY_E_FORMAT, "%s is damaged (%s: %s)", what, program, why);
}
