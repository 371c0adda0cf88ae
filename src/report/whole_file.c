/* SPDX-License-Identifier: Apache-2.0 */
#include "report/whole_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

assay_code as_whole_file_open(const char *path, as_whole_file *file, assay_error *err)
{
    *file = (as_whole_file){.path = as_strdup(path), .part = as_format("%s.part", path)};
    assay_code code = ASSAY_OK;
    if (!file->path || !file->part)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", path);
    else if (!(file->out = fopen(file->part, "wb")))
        code = as_fail(err, ASSAY_E_IO, "%s cannot be written: %s", path, strerror(errno));
    if (code) {
        as_free(file->path);
        as_free(file->part);
        *file = (as_whole_file){0};
    }
    return code;
}

assay_code as_whole_file_open_in(const char *folder, const char *name, as_whole_file *file,
                                 assay_error *err)
{
    char *path = as_path_join(folder, name);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", name);
    assay_code code = as_whole_file_open(path, file, err);
    as_free(path);
    return code;
}

assay_code as_whole_file_close(as_whole_file *file, assay_code code, assay_error *err)
{
    int failed = ferror(file->out);
    errno = 0;
    if (failed) putc('\n', file->out); /* the errno of what failed is gone: try once more */
    failed = fflush(file->out) != 0 || failed || fsync(fileno(file->out)) != 0;
    int why = errno;
    if (fclose(file->out) != 0) {
        failed = 1;
        why = errno;
    }
    if (!code && !failed && rename(file->part, file->path) != 0) {
        failed = 1;
        why = errno;
    }
    if (!code && failed)
        code = as_fail(err, ASSAY_E_IO, "%s cannot be written: %s", file->path,
                       why ? strerror(why) : "the disk may be full");
    if (code) remove(file->part);
    as_free(file->path);
    as_free(file->part);
    *file = (as_whole_file){0};
    return code;
}

assay_code as_printed_files_write(const char *folder, const as_printed_file *files, size_t n,
                                  const void *of, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        as_whole_file file;
        code = as_whole_file_open_in(folder, files[i].name, &file, err);
        if (code) break;
        files[i].print(file.out, of);
        code = as_whole_file_close(&file, ASSAY_OK, err);
    }
    return code;
}
