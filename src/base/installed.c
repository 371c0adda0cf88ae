/* SPDX-License-Identifier: Apache-2.0 */
#include "base/installed.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/memory.h"

/* The folder of this process's program; "." where it cannot be known. */
static void program_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        *slash = '\0';
}

assay_code as_installed_find(const char *relative, char **out, assay_error *err)
{
    static const char *const places[] = {"..", "../share/assay"};
    char program[PATH_MAX];
    program_folder(program);
    *out = NULL;
    for (size_t i = 0; i < AS_COUNT_OF(places); i++) {
        char *path = as_format("%s/%s/%s", program, places[i], relative);
        if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to look for %s", relative);
        if (as_file_exists(path)) {
            *out = path;
            return ASSAY_OK;
        }
        as_free(path);
    }
    return ASSAY_OK;
}
