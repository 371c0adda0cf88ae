/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/sources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

/* Decimal digits at *at as an int from 0; -1 when there are none or too many. */
static int read_page(const char **at)
{
    long value = 0;
    if (**at < '0' || **at > '9') return -1;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        value = value * 10 + (**at - '0');
        if (value > INT_MAX / 2) return -1;
    }
    return (int)value;
}

/* "[3]", "[1-5]" or "[2-]" up to the end.  @return false when `text` is nothing of the kind. */
static bool read_range(const char *text, as_page_range *range)
{
    const char *at = text + 1;
    range->first = range->last = read_page(&at);
    if (range->first < 0) return false;
    if (*at == '-') {
        at++;
        range->last = *at == ']' ? 0 : read_page(&at);
        if (range->last < 0) return false;
        if (range->last == 0 && at[-1] != '-') range->last = -1; /* "[1-0]" */
    }
    return at[0] == ']' && at[1] == '\0';
}

assay_code as_source_parse(const char *source, char **path, as_page_range *range,
                           assay_error *err)
{
    const char *bracket = strrchr(source, '[');
    *range = (as_page_range){0, 0};
    *path = as_strdup(source);
    if (!*path) return as_fail(err, ASSAY_E_MEMORY, "no memory for the name %s", source);
    if (!bracket || bracket == source || as_file_exists(source) ||
        !read_range(bracket, range)) {
        *range = (as_page_range){0, 0};
        return ASSAY_OK;
    }
    if (range->first < 1 || range->last < 0 || (range->last && range->last < range->first)) {
        as_free(*path);
        *path = NULL;
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%s has no pages: a range is [3], [1-5] or [2-], pages count from 1",
                       source);
    }
    (*path)[bracket - source] = '\0';
    return ASSAY_OK;
}

/* Takes `path` over, also on failure. */
static assay_code add(as_sources *sources, char *path, as_page_range range, assay_error *err)
{
    as_source *grown =
        path ? as_grow(sources->items, sources->n, &sources->room, sizeof *grown) : NULL;
    if (!grown) {
        as_free(path);
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu sources", sources->n + 1);
    }
    sources->items = grown;
    sources->items[sources->n++] =
        (as_source){.path = path, .range = range, .has_range = range.first > 0};
    return ASSAY_OK;
}

/* Links are followed; what they lead nowhere, folders, pipes and devices are no files. */
static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static assay_code add_folder(as_sources *sources, const char *folder, assay_error *err)
{
    as_names names;
    size_t n_before = sources->n;
    assay_code code = as_folder_list(folder, &names, err);
    for (size_t i = 0; !code && i < names.n; i++) {
        char *path = as_path_join(folder, names.items[i]);
        if (path && !is_file(path))
            as_free(path);
        else
            code = add(sources, path, (as_page_range){0, 0}, err);
    }
    as_names_free(&names);
    if (!code && sources->n == n_before)
        code = as_fail(err, ASSAY_E_NOT_FOUND, "folder %s holds no files to freeze", folder);
    return code;
}

static assay_code add_argument(as_sources *sources, const char *argument, assay_error *err)
{
    char *path;
    as_page_range range;
    assay_code code = as_source_parse(argument, &path, &range, err);
    if (code) return code;
    if (!as_file_exists(path))
        code = as_fail(err, ASSAY_E_NOT_FOUND, "%s does not exist", path);
    else if (!as_file_is_folder(path))
        return add(sources, path, range, err);
    else if (range.first > 0)
        code = as_fail(err, ASSAY_E_ARGUMENT, "%s is a folder, a page range needs a document",
                       path);
    else
        code = add_folder(sources, path, err);
    as_free(path);
    return code;
}

assay_code as_sources_expand(const char *const *arguments, size_t n, as_sources *out,
                             assay_error *err)
{
    *out = (as_sources){0};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < n; i++)
        code = add_argument(out, arguments[i], err);
    if (code) as_sources_free(out);
    return code;
}

void as_sources_free(as_sources *sources)
{
    for (size_t i = 0; i < sources->n; i++)
        as_free(sources->items[i].path);
    as_free(sources->items);
    *sources = (as_sources){0};
}
