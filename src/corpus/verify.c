/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "corpus/corpus.h"
#include "corpus/manifest.h"
#include "corpus/names.h"

/* A verification under way. */
typedef struct verification {
    const char *path;
    as_corpus_report report;
    void *context;
    assay_code first; /* the first problem's code; its error is in *err */
    assay_error *err; /* may be NULL */
} verification;

/* One more problem with `file`.  Without memory nothing is found, and nothing more is looked for. */
static void note(verification *v, const char *file, const assay_error *problem)
{
    if (problem->code == ASSAY_E_MEMORY && v->first != ASSAY_E_MEMORY) {
        v->first = ASSAY_E_MEMORY;
        if (v->err) *v->err = *problem;
    }
    if (v->first == ASSAY_E_MEMORY) return;
    if (v->report) v->report(v->context, file, problem);
    if (v->first) return;
    v->first = problem->code;
    if (v->err) *v->err = *problem;
}

/* An entry of CORPUS/folder that nobody put there; its name may be any bytes. */
static void note_extra(verification *v, const as_corpus *corpus, const char *folder,
                       const char *name)
{
    assay_error problem;
    const char *text = as_name_escape(corpus->arena, name);
    char *file = text && folder[0] ? as_path_join(folder, text) : as_strdup(text ? text : "");
    if (text && file)
        as_fail(&problem, ASSAY_E_CHANGED, "%s does not belong to the corpus", file);
    else
        as_fail(&problem, ASSAY_E_MEMORY, "no memory to verify");
    note(v, file, &problem);
    as_free(file);
}

static void check_sums(verification *v, const as_corpus *corpus)
{
    as_bytes wanted = {0}, found = {0};
    assay_error problem;
    char *path = as_path_join(v->path, AS_SUMS_NAME);
    assay_code code = path ? as_sums_print(corpus, &wanted, &problem)
                           : as_fail(&problem, ASSAY_E_MEMORY, "no memory to verify");
    if (!code && !as_file_exists(path))
        code =
            as_fail(&problem, ASSAY_E_CHANGED, "%s is missing from the corpus", AS_SUMS_NAME);
    if (!code) code = as_file_read(path, AS_MANIFEST_BYTES_MAX, &found, &problem);
    if (!code &&
        (found.size != wanted.size || memcmp(found.data, wanted.data, found.size) != 0))
        code = as_fail(&problem, ASSAY_E_CHANGED,
                       "%s is changed: it does not list the sources as the manifest does",
                       AS_SUMS_NAME);
    if (code) note(v, AS_SUMS_NAME, &problem);
    as_bytes_free(&wanted);
    as_bytes_free(&found);
    as_free(path);
}

/* That a region's file is there and whole. */
static assay_code check_content(const as_corpus *corpus, size_t region, assay_error *problem)
{
    as_image image = {0};
    as_npy array = {0};
    assay_code code = as_corpus_is_tensors(corpus)
                          ? as_corpus_region_array(corpus, region, &array, problem)
                          : as_corpus_region_pixels(corpus, region, &image, problem);
    as_npy_free(&array);
    as_image_free(&image);
    return code;
}

static void check_region(verification *v, const as_corpus *corpus, size_t region)
{
    assay_error problem;
    struct stat info;
    const char *file = corpus->regions[region].file;
    char *path = as_corpus_region_path(corpus, region);
    assay_code code = ASSAY_OK;
    if (!path)
        code = as_fail(&problem, ASSAY_E_MEMORY, "no memory to verify");
    else if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        code = as_fail(&problem, ASSAY_E_CHANGED, "%s is not a regular file", file);
    else
        code = check_content(corpus, region, &problem);
    if (code) note(v, file, &problem);
    as_free(path);
}

/* Entries of CORPUS/folder that `is_listed` does not know. */
static void check_folder(verification *v, const as_corpus *corpus, const char *folder,
                         bool (*is_listed)(const as_corpus *corpus, const char *name))
{
    as_names names = {0};
    assay_error problem;
    char *path = folder[0] ? as_path_join(v->path, folder) : as_strdup(v->path);
    assay_code code = path ? as_folder_list(path, &names, &problem)
                           : as_fail(&problem, ASSAY_E_MEMORY, "no memory to verify");
    if (code) note(v, folder, &problem);
    for (size_t i = 0; i < names.n; i++) {
        if (is_listed(corpus, names.items[i])) continue;
        note_extra(v, corpus, folder, names.items[i]);
    }
    as_names_free(&names);
    as_free(path);
}

static bool is_top_entry(const as_corpus *corpus, const char *name)
{
    (void)corpus;
    return strcmp(name, AS_MANIFEST_NAME) == 0 || strcmp(name, AS_SUMS_NAME) == 0 ||
           strcmp(name, AS_REGIONS_FOLDER) == 0;
}

static bool is_region_file(const as_corpus *corpus, const char *name)
{
    for (size_t i = 0; i < corpus->n_regions; i++)
        if (strcmp(as_path_base(corpus->regions[i].file), name) == 0) return true;
    return false;
}

/* A link would let the regions lie outside of the corpus. */
static void check_regions_folder(verification *v)
{
    struct stat info;
    assay_error problem;
    char *path = as_path_join(v->path, AS_REGIONS_FOLDER);
    assay_code code = ASSAY_OK;
    if (!path)
        code = as_fail(&problem, ASSAY_E_MEMORY, "no memory to verify");
    else if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        code = as_fail(&problem, ASSAY_E_CHANGED, "%s is not a folder", AS_REGIONS_FOLDER);
    if (code) note(v, AS_REGIONS_FOLDER, &problem);
    as_free(path);
}

static assay_code check_all(verification *v, const as_corpus *corpus,
                            const as_corpus_watch *watch)
{
    check_sums(v, corpus);
    check_folder(v, corpus, "", is_top_entry);
    check_regions_folder(v);
    check_folder(v, corpus, AS_REGIONS_FOLDER, is_region_file);
    for (size_t i = 0; i < corpus->n_regions && v->first != ASSAY_E_MEMORY; i++) {
        if (watch && watch->stop && watch->stop(watch->stop_context))
            return as_fail(v->err, ASSAY_E_INTERRUPTED, "interrupted after %zu of %zu regions",
                           i, corpus->n_regions);
        check_region(v, corpus, i);
        if (watch && watch->progress)
            watch->progress(watch->progress_context, i + 1, corpus->n_regions,
                            corpus->regions[i].id);
    }
    return v->first;
}

assay_code as_corpus_verify(const char *path, const as_corpus_watch *watch,
                            as_corpus_report report, void *context, assay_error *err)
{
    verification v = {.path = path, .report = report, .context = context, .err = err};
    as_corpus *corpus;
    assay_error problem;
    if (as_corpus_load(path, &corpus, &problem)) {
        note(&v, AS_MANIFEST_NAME, &problem);
        return v.first;
    }
    assay_code code = check_all(&v, corpus, watch);
    as_corpus_free(corpus);
    return code;
}
