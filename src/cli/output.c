/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static assay_code fail_stdout(assay_error *err)
{
    return as_fail(err, ASSAY_E_IO, "standard output cannot be written: %s", strerror(errno));
}

assay_code as_output_json(const json_t *root, bool is_pretty, assay_error *err)
{
    size_t flags = is_pretty ? JSON_INDENT(2) : 0;
    char *text = as_json_dump(root, flags | JSON_REAL_PRECISION(17));
    if (!text) return as_fail(err, ASSAY_E_MEMORY, "no memory for a line of JSON");
    bool is_written = fputs(text, stdout) >= 0 && fputc('\n', stdout) != EOF;
    as_free(text);
    return is_written ? ASSAY_OK : fail_stdout(err);
}

assay_code as_output_claim(const char *path, bool force, assay_error *err)
{
    if (force || strcmp(path, "-") == 0 || !as_file_exists(path)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT, "%s exists already, --force replaces it", path);
}

assay_code as_output_write(const char *path, const void *data, size_t size, bool force,
                           assay_error *err)
{
    assay_code code = as_output_claim(path, force, err);
    if (code) return code;
    if (strcmp(path, "-") != 0) return as_file_write(path, data, size, err);
    return fwrite(data, 1, size, stdout) == size ? ASSAY_OK : fail_stdout(err);
}

assay_code as_output_close(assay_error *err)
{
    /* A write that failed earlier set stdout's error flag; its errno is gone, so try once more. */
    bool had_failed = ferror(stdout) != 0;
    errno = 0;
    bool is_flushed = (!had_failed || putchar('\n') != EOF) && fflush(stdout) == 0;
    if (had_failed && errno == 0) errno = EIO;
    if (had_failed || !is_flushed) return fail_stdout(err);
    return fclose(stdout) == 0 ? ASSAY_OK : fail_stdout(err);
}

const char *as_paint(bool is_on, as_color color)
{
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[31m", "\033[32m",
                                            "\033[33m"};
    return is_on ? sequences[color] : "";
}
