/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "corpus/calls.h"
#include "corpus/manifest.h"
#include "corpus/names.h"

struct as_build {
    char *path;       /* owns; where the corpus goes */
    char *beside;     /* owns; where it is built */
    as_corpus corpus; /* its texts are in the arena, its lists are grown */
    size_t sources_room, documents_room, regions_room, skipped_room;
    int n_on_page; /* regions of the page being stored */
    bool is_finished;
};

static assay_code no_memory(const as_build *build, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to freeze %s", build->path);
}

/* "a/corpus//" names a/corpus, beside which the building stands. */
static char *without_slashes(const char *path)
{
    char *copy = as_strdup(path);
    for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; n--)
        copy[n - 1] = '\0';
    return copy;
}

assay_code as_build_begin(const char *path, as_build **out, assay_error *err)
{
    assay_code code = ASSAY_OK;
    char *regions = NULL;
    *out = NULL;
    as_build *build = as_alloc(sizeof *build);
    if (!build) return as_fail(err, ASSAY_E_MEMORY, "no memory to freeze %s", path);
    build->path = without_slashes(path);
    build->corpus.arena = as_arena_new();
    if (build->path) build->beside = as_format("%s.part-%ld", build->path, (long)getpid());
    if (build->beside) regions = as_path_join(build->beside, AS_REGIONS_FOLDER);
    if (!regions || !build->corpus.arena)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to freeze %s", path);
    if (!code) code = as_path_remove(build->beside, err);
    if (!code) code = as_folder_make(regions, err);
    as_free(regions);
    if (code)
        as_build_free(build);
    else
        *out = build;
    return code;
}

void as_build_free(as_build *build)
{
    if (!build) return;
    if (!build->is_finished && build->beside) (void)as_path_remove(build->beside, NULL);
    as_free(build->corpus.sources);
    as_free(build->corpus.documents);
    as_free(build->corpus.regions);
    as_free(build->corpus.skipped);
    as_arena_free(build->corpus.arena);
    as_free(build->path);
    as_free(build->beside);
    as_free(build);
}

as_corpus *as_build_corpus(as_build *build) { return &build->corpus; }

assay_code as_build_source(as_build *build, const char *name, const char *sha256,
                           int64_t size_bytes, size_t *source, assay_error *err)
{
    as_corpus *c = &build->corpus;
    as_corpus_source s = {.name = as_name_escape(c->arena, name),
                          .sha256 = as_arena_strdup(c->arena, sha256),
                          .size_bytes = size_bytes};
    if (!s.name || !s.sha256) return no_memory(build, err);
    for (*source = 0; *source < c->n_sources; ++*source)
        if (strcmp(c->sources[*source].name, s.name) == 0 &&
            strcmp(c->sources[*source].sha256, s.sha256) == 0)
            return ASSAY_OK;
    as_corpus_source *grown =
        as_grow(c->sources, c->n_sources, &build->sources_room, sizeof *grown);
    if (!grown) return no_memory(build, err);
    c->sources = grown;
    c->sources[c->n_sources++] = s;
    return ASSAY_OK;
}

static bool has_document(const as_corpus *c, const char *id)
{
    for (size_t i = 0; i < c->n_documents; i++)
        if (strcmp(c->documents[i].id, id) == 0) return true;
    return false;
}

/* The id of a file's name; "-2", "-3" ... behind it where it is taken. */
static const char *fresh_id(const as_build *build, const char *escaped_name)
{
    as_arena *arena = build->corpus.arena;
    char *name = as_name_unescape(arena, escaped_name);
    char *id = name ? as_id_of_name(arena, name) : NULL;
    size_t bytes = id ? strlen(id) + 24 : 0;
    char *other = id ? as_arena_alloc(arena, bytes) : NULL;
    if (!other || !has_document(&build->corpus, id)) return other ? id : NULL;
    size_t n = 2;
    do
        snprintf(other, bytes, "%s-%zu", id, n++);
    while (has_document(&build->corpus, other));
    return other;
}

assay_code as_build_document(as_build *build, size_t source, const char *format, int n_pages,
                             int first_page, int last_page, assay_error *err)
{
    as_corpus *c = &build->corpus;
    as_corpus_document *grown =
        as_grow(c->documents, c->n_documents, &build->documents_room, sizeof *grown);
    if (!grown) return no_memory(build, err);
    c->documents = grown;
    const char *id = fresh_id(build, c->sources[source].name);
    if (!id) return no_memory(build, err);
    c->documents[c->n_documents++] =
        (as_corpus_document){.id = id,
                             .source = source,
                             .name = c->sources[source].name,
                             .sha256 = c->sources[source].sha256,
                             .size_bytes = c->sources[source].size_bytes,
                             .format = format,
                             .n_pages = n_pages,
                             .first_page = first_page,
                             .last_page = last_page,
                             .first_region = c->n_regions};
    return ASSAY_OK;
}

/* "paper-p003-r02", counting on within a page. */
static const char *region_id(as_build *build, int page)
{
    as_corpus *c = &build->corpus;
    const as_corpus_document *d = &c->documents[c->n_documents - 1];
    bool is_first = d->n_regions == 0 || c->regions[c->n_regions - 1].page != page;
    build->n_on_page = is_first ? 1 : build->n_on_page + 1;
    size_t bytes = strlen(d->id) + 40;
    char *id = as_arena_alloc(c->arena, bytes);
    if (id) snprintf(id, bytes, "%s-p%03d-r%02d", d->id, page, build->n_on_page);
    return id;
}

/* "regions/ID.png" in the arena. */
static const char *region_file(as_build *build, const char *id, const char *ending)
{
    size_t bytes = strlen(id) + sizeof AS_REGIONS_FOLDER + 8;
    char *file = as_arena_alloc(build->corpus.arena, bytes);
    if (file) snprintf(file, bytes, "%s/%s%s", AS_REGIONS_FOLDER, id, ending);
    return file;
}

static assay_code store(as_build *build, as_corpus_region *region, const as_image *pixels,
                        assay_error *err)
{
    as_arena *arena = build->corpus.arena;
    as_bytes png = {0};
    char hex[2][AS_SHA256_HEX];
    size_t bytes = (size_t)pixels->h * (size_t)pixels->w * 3;
    char *path = as_path_join(build->beside, region->file);
    if (!path) return no_memory(build, err);
    assay_code code = as_image_encode_png(pixels, &png, err);
    if (!code) code = as_sha256_bytes(png.data, png.size, hex[0], err);
    if (!code) code = as_sha256_bytes(pixels->bgr, bytes, hex[1], err);
    if (!code) code = as_file_write(path, png.data, png.size, err);
    if (!code) {
        region->file_sha256 = as_arena_strdup(arena, hex[0]);
        region->pixels_sha256 = as_arena_strdup(arena, hex[1]);
        if (!region->file_sha256 || !region->pixels_sha256) code = no_memory(build, err);
    }
    as_bytes_free(&png);
    as_free(path);
    return code;
}

static assay_code add_region(as_build *build, const as_corpus_region *region, assay_error *err)
{
    as_corpus *c = &build->corpus;
    as_corpus_region *grown =
        as_grow(c->regions, c->n_regions, &build->regions_room, sizeof *grown);
    if (!grown) return no_memory(build, err);
    c->regions = grown;
    c->regions[c->n_regions++] = *region;
    c->documents[region->document].n_regions++;
    return ASSAY_OK;
}

assay_code as_build_region(as_build *build, const as_image *pixels, int page, int x, int y,
                           const as_detect_settings *settings, assay_error *err)
{
    const as_corpus *c = &build->corpus;
    as_network_size net = as_network_size_of(settings, pixels->h, pixels->w);
    as_corpus_region region = {.id = region_id(build, page),
                               .document = c->n_documents - 1,
                               .page = page,
                               .x = x,
                               .y = y,
                               .w = pixels->w,
                               .h = pixels->h,
                               .settings = *settings,
                               .net_h = net.h,
                               .net_w = net.w};
    if (region.id) region.file = region_file(build, region.id, ".png");
    assay_code code = region.file ? store(build, &region, pixels, err) : no_memory(build, err);
    return code ? code : add_region(build, &region, err);
}

assay_code as_build_tensor(as_build *build, const char *input, const as_bytes *file,
                           const char *hex, int item, assay_error *err)
{
    as_arena *arena = build->corpus.arena;
    as_corpus_region region = {.id = region_id(build, item),
                               .document = build->corpus.n_documents - 1,
                               .page = item,
                               .tensor = as_name_escape(arena, input),
                               .file_sha256 = as_arena_strdup(arena, hex)};
    if (region.id) region.file = region_file(build, region.id, ".npy");
    if (!region.file || !region.tensor || !region.file_sha256) return no_memory(build, err);
    char *path = as_path_join(build->beside, region.file);
    assay_code code =
        path ? as_file_write(path, file->data, file->size, err) : no_memory(build, err);
    as_free(path);
    return code ? code : add_region(build, &region, err);
}

assay_code as_build_skip(as_build *build, size_t source, int page, as_trouble kind,
                         const char *reason, assay_error *err)
{
    as_corpus *c = &build->corpus;
    as_corpus_skip *grown =
        as_grow(c->skipped, c->n_skipped, &build->skipped_room, sizeof *grown);
    if (!grown) return no_memory(build, err);
    c->skipped = grown;
    as_corpus_skip skip = {.source = source,
                           .name = c->sources[source].name,
                           .page = page,
                           .kind = as_trouble_name(kind),
                           .reason = as_name_escape(c->arena, reason)};
    if (!skip.reason) return no_memory(build, err);
    c->skipped[c->n_skipped++] = skip;
    return ASSAY_OK;
}

static assay_code write_text(const as_build *build, const char *name, const as_bytes *text,
                             assay_error *err)
{
    char *path = as_path_join(build->beside, name);
    assay_code code =
        path ? as_file_write(path, text->data, text->size, err) : no_memory(build, err);
    as_free(path);
    return code;
}

/* Whether `name` ends as a region's file does. */
static bool is_region_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".npy") == 0);
}

/* One entry of a corpus about to be replaced: freeze made it, or nothing is replaced. */
static assay_code check_entry(const char *path, const char *name, assay_error *err)
{
    if (strcmp(name, AS_MANIFEST_NAME) == 0 || strcmp(name, AS_SUMS_NAME) == 0) return ASSAY_OK;
    if (strcmp(name, AS_REGIONS_FOLDER) != 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%s holds %s, which is no part of a corpus, so it is not replaced", path,
                       name);
    as_names names = {0};
    char *folder = as_path_join(path, name);
    assay_code code = folder ? as_folder_list(folder, &names, err)
                             : as_fail(err, ASSAY_E_MEMORY, "no memory to replace %s", path);
    for (size_t i = 0; !code && i < names.n; i++)
        if (!is_region_name(names.items[i]))
            code = as_fail(err, ASSAY_E_ARGUMENT,
                           "%s holds %s, which is no part of a corpus, so it is not replaced",
                           folder, names.items[i]);
    as_names_free(&names);
    as_free(folder);
    return code;
}

/* Other programs have a manifest.json too: this one says whose it is at its beginning. */
static assay_code check_manifest(const char *path, assay_error *err)
{
    static const char schema[] = "\"schema\": \"assay-corpus\"";
    char begin[64] = "", *manifest = as_path_join(path, AS_MANIFEST_NAME);
    if (!manifest) return as_fail(err, ASSAY_E_MEMORY, "no memory to replace %s", path);
    FILE *file = fopen(manifest, "rb");
    size_t n = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
    if (file) fclose(file);
    as_free(manifest);
    if (n && strstr(begin, schema)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "%s has no %s of a corpus, so it is not a corpus and is not replaced", path,
                   AS_MANIFEST_NAME);
}

assay_code as_build_check_place(const char *path, bool force, assay_error *err)
{
    as_names names = {0};
    if (!as_file_exists(path)) return ASSAY_OK;
    if (!force) return as_fail(err, ASSAY_E_ARGUMENT, "%s exists, --force replaces it", path);
    if (!as_file_is_folder(path))
        return as_fail(err, ASSAY_E_ARGUMENT, "%s is a file, a corpus is a folder", path);
    assay_code code = as_folder_list(path, &names, err);
    if (!code && names.n) code = check_manifest(path, err);
    for (size_t i = 0; !code && i < names.n; i++)
        code = check_entry(path, names.items[i], err);
    as_names_free(&names);
    return code;
}

/* Rename the building into place; what stood there goes aside first and is then removed. */
static assay_code put_in_place(as_build *build, assay_error *err)
{
    char *aside = as_format("%s.old-%ld", build->path, (long)getpid());
    if (!aside) return no_memory(build, err);
    assay_code code = ASSAY_OK;
    bool replaces = as_file_exists(build->path);
    if (replaces && rename(build->path, aside) != 0)
        code =
            as_fail(err, ASSAY_E_IO, "%s cannot be replaced: %s", build->path, strerror(errno));
    if (!code && rename(build->beside, build->path) != 0) {
        code = as_fail(err, ASSAY_E_IO, "%s cannot be made: %s", build->path, strerror(errno));
        if (replaces && rename(aside, build->path) != 0)
            code = as_fail(err, ASSAY_E_IO, "%s stands now at %s: %s", build->path, aside,
                           strerror(errno));
    }
    if (!code) {
        build->is_finished = true;
        if (replaces) code = as_path_remove(aside, err);
    }
    as_free(aside);
    return code;
}

assay_code as_build_finish(as_build *build, bool force, assay_error *err)
{
    as_bytes text = {0};
    assay_code code = as_calls_make(&build->corpus, err);
    if (!code) code = as_manifest_print(&build->corpus, &text, err);
    if (!code) code = write_text(build, AS_MANIFEST_NAME, &text, err);
    as_bytes_free(&text);
    if (!code) code = as_sums_print(&build->corpus, &text, err);
    if (!code) code = write_text(build, AS_SUMS_NAME, &text, err);
    as_bytes_free(&text);
    if (!code) code = as_build_check_place(build->path, force, err);
    return code ? code : put_in_place(build, err);
}
