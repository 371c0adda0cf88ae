/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/freeze_tensors.h"

#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "corpus/build.h"

/* One input of the network and its files. */
typedef struct tensor_input {
    char *name;     /* owns */
    char *folder;   /* owns */
    as_names files; /* owns: names in the folder that match */
} tensor_input;

typedef struct freezing {
    tensor_input *inputs; /* owns; [n_inputs] */
    size_t n_inputs;
    as_build *build; /* owns */
    const as_corpus_watch *watch;
    assay_error *err;
} freezing;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to freeze tensors");
}

/* Keep the names in `all` that match; it is emptied. */
static assay_code keep_matching(as_names *all, const char *pattern, as_names *out,
                                assay_error *err)
{
    *out = (as_names){.items = as_alloc_array(all->n + 1, sizeof *out->items)};
    for (size_t i = 0; i < all->n && out->items; i++) {
        if (fnmatch(pattern, all->items[i], FNM_PERIOD) != 0) continue;
        out->items[out->n++] = all->items[i];
        all->items[i] = NULL;
    }
    return out->items ? ASSAY_OK : no_memory(err);
}

static assay_code find_files(const char *text, tensor_input *input, assay_error *err)
{
    as_names all = {0};
    const char *equals = strchr(text, '='), *where = equals ? equals + 1 : "";
    const char *pattern = as_path_base(where);
    size_t folder_bytes = (size_t)(pattern - where);
    if (!equals || equals == text || !*pattern)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "--tensors '%.100s' is not NAME=FOLDER/PATTERN, as in 'x=inputs/*.npy'",
                       text);
    input->name = as_format("%.*s", (int)(equals - text), text);
    input->folder = folder_bytes ? as_format("%.*s", (int)folder_bytes, where) : as_strdup(".");
    if (!input->name || !input->folder) return no_memory(err);
    assay_code code = as_folder_list(input->folder, &all, err);
    if (!code) code = keep_matching(&all, pattern, &input->files, err);
    as_names_free(&all);
    if (!code && input->files.n == 0)
        code = as_fail(err, ASSAY_E_NOT_FOUND, "no file matches %.100s", where);
    return code;
}

static assay_code find_inputs(freezing *z, const char *const *given)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < z->n_inputs && !code; i++) {
        tensor_input *input = &z->inputs[i];
        code = find_files(given[i], input, z->err);
        for (size_t j = 0; j < i && !code; j++)
            if (strcmp(z->inputs[j].name, input->name) == 0)
                code = as_fail(z->err, ASSAY_E_ARGUMENT, "--tensors names input '%.60s' twice",
                               input->name);
        if (!code && input->files.n != z->inputs[0].files.n)
            code =
                as_fail(z->err, ASSAY_E_ARGUMENT,
                        "input '%.60s' has %zu files and '%.60s' %zu, each needs as many",
                        z->inputs[0].name, z->inputs[0].files.n, input->name, input->files.n);
    }
    return code;
}

/* Whether a file holds what a network's input can be. */
static assay_code check_array(const as_bytes *file, const char *path, assay_error *err)
{
    as_npy array;
    assay_code code = as_npy_parse(file->data, file->size, path, &array, err);
    if (code) return code;
    bool is_taken = array.type == AS_NPY_F4 || array.type == AS_NPY_I8 ||
                    array.type == AS_NPY_I4 || array.type == AS_NPY_B1;
    if (!is_taken)
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "%s holds %s, <f4, <i8, <i4 or |b1 is needed",
                       path, as_npy_type_name(array.type));
    as_npy_free(&array);
    return code;
}

static assay_code freeze_file(freezing *z, const tensor_input *input, size_t item)
{
    as_bytes file = {0};
    char hex[AS_SHA256_HEX];
    size_t source;
    const char *name = input->files.items[item];
    char *path = as_path_join(input->folder, name);
    if (!path) return no_memory(z->err);
    assay_code code = as_file_read(path, 0, &file, z->err);
    if (!code) code = check_array(&file, path, z->err);
    if (!code) code = as_sha256_bytes(file.data, file.size, hex, z->err);
    if (!code) code = as_build_source(z->build, name, hex, (int64_t)file.size, &source, z->err);
    if (!code && as_build_corpus(z->build)->n_documents == 0)
        code = as_build_document(z->build, source, "NPY", (int)input->files.n, 1,
                                 (int)input->files.n, z->err);
    if (!code) code = as_build_tensor(z->build, input->name, &file, hex, (int)item + 1, z->err);
    as_bytes_free(&file);
    as_free(path);
    return code;
}

static assay_code watch_file(const freezing *z, size_t done, size_t total, const char *name)
{
    const as_corpus_watch *w = z->watch;
    if (w && w->progress) w->progress(w->progress_context, done, total, name);
    if (w && w->stop && w->stop(w->stop_context))
        return as_fail(z->err, ASSAY_E_INTERRUPTED, "interrupted after %zu of %zu files", done,
                       total);
    return ASSAY_OK;
}

static assay_code freeze_items(freezing *z)
{
    size_t n_items = z->inputs[0].files.n, total = n_items * z->n_inputs;
    assay_code code = ASSAY_OK;
    for (size_t k = 0; k < total && !code; k++) {
        const tensor_input *input = &z->inputs[k % z->n_inputs];
        code = watch_file(z, k, total, input->files.items[k / z->n_inputs]);
        if (!code) code = freeze_file(z, input, k / z->n_inputs);
    }
    return code;
}

static assay_code describe(freezing *z)
{
    as_corpus *c = as_build_corpus(z->build);
    char leptonica[256];
    as_image_versions(leptonica, sizeof leptonica);
    const as_freeze_options defaults = as_freeze_defaults();
    c->dpi = defaults.dpi;
    c->max_batch = (int)z->n_inputs;
    c->method = AS_CORPUS_TENSORS;
    c->assay = ASSAY_VERSION;
    c->leptonica = as_arena_strdup(c->arena, leptonica);
    c->poppler = "";
    return c->leptonica ? ASSAY_OK : no_memory(z->err);
}

static assay_code freeze_all(freezing *z, const char *const *given, const char *path,
                             bool force, as_freeze_summary *summary)
{
    z->inputs = as_alloc_array(z->n_inputs, sizeof *z->inputs);
    assay_code code = z->inputs ? find_inputs(z, given) : no_memory(z->err);
    if (!code) code = as_build_begin(path, &z->build, z->err);
    if (!code) code = freeze_items(z);
    if (!code) code = describe(z);
    if (!code) code = as_build_finish(z->build, force, z->err);
    if (code) return code;
    const as_corpus *c = as_build_corpus(z->build);
    *summary = (as_freeze_summary){.n_documents = c->n_documents,
                                   .n_pages = z->inputs[0].files.n,
                                   .n_regions = c->n_regions,
                                   .n_calls = c->n_calls,
                                   .largest_call = (int)z->n_inputs};
    return ASSAY_OK;
}

assay_code as_corpus_freeze_tensors(const char *const *given, size_t n_given, const char *path,
                                    bool force, const as_corpus_watch *watch,
                                    as_freeze_summary *summary, assay_error *err)
{
    freezing z = {.n_inputs = n_given, .watch = watch, .err = err};
    *summary = (as_freeze_summary){0};
    assay_code code = as_build_check_place(path, force, err);
    if (!code && (n_given == 0 || n_given > AS_CORPUS_BATCH_MAX))
        code = as_fail(err, ASSAY_E_ARGUMENT, "%zu inputs of a network, 1 to %d can be frozen",
                       n_given, AS_CORPUS_BATCH_MAX);
    if (!code) code = freeze_all(&z, given, path, force, summary);
    as_build_free(z.build);
    for (size_t i = 0; z.inputs && i < n_given; i++) {
        as_free(z.inputs[i].name);
        as_free(z.inputs[i].folder);
        as_names_free(&z.inputs[i].files);
    }
    as_free(z.inputs);
    return code;
}
