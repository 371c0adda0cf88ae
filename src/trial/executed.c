/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/executed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* The kernel's name for this process's program; it stays readable after the file was replaced. */
#define OWN_PROGRAM "/proc/self/exe"

assay_code as_executed_program_sha256(char hex[AS_SHA256_HEX], assay_error *err)
{
    return as_sha256_file(OWN_PROGRAM, hex, err);
}

static assay_code no_memory(const char *run_folder, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for %s/executed", run_folder);
}

static assay_code copy_program(const char *folder, assay_error *err)
{
    as_bytes program = {0};
    char *path = as_path_join(folder, "assay");
    if (!path) return no_memory(folder, err);
    assay_code code = as_file_read(OWN_PROGRAM, 0, &program, err);
    if (!code) code = as_file_write(path, program.data, program.size, err);
    if (!code && chmod(path, 0755) != 0)
        code =
            as_fail(err, ASSAY_E_IO, "%s cannot be made executable: %s", path, strerror(errno));
    as_bytes_free(&program);
    as_free(path);
    return code;
}

static assay_code write_text(const char *folder, const char *name, const char *text,
                             assay_error *err)
{
    char *path = as_path_join(folder, name);
    if (!path) return no_memory(folder, err);
    assay_code code = as_file_write(path, text, strlen(text), err);
    as_free(path);
    return code;
}

static assay_code write_policies(const char *folder, const as_evidence_plan *plan,
                                 assay_error *err)
{
    char *all = as_strdup("");
    for (size_t i = 0; i < plan->n_policies && all; i++) {
        char *longer = as_format("%s%s\n", all, plan->policies[i].text);
        as_free(all);
        all = longer;
    }
    assay_code code =
        all ? write_text(folder, "policies.txt", all, err) : no_memory(folder, err);
    as_free(all);
    return code;
}

static assay_code write_sums(const char *folder, const as_run_row *run, assay_error *err)
{
    char *sums = as_format("%s  %s\n%s  manifest.json\n%s  assay\n", run->model_sha256,
                           run->model_name, run->manifest_sha256, run->program_sha256);
    assay_code code =
        sums ? write_text(folder, "SHA256SUMS", sums, err) : no_memory(folder, err);
    as_free(sums);
    return code;
}

assay_code as_executed_write(const char *run_folder, const as_evidence_plan *plan,
                             assay_error *err)
{
    char *folder = as_path_join(run_folder, "executed");
    if (!folder) return no_memory(run_folder, err);
    assay_code code = as_folder_make(folder, err);
    if (!code) code = copy_program(folder, err);
    if (!code) code = write_policies(folder, plan, err);
    if (!code) code = write_sums(folder, &plan->run, err);
    as_free(folder);
    return code;
}
