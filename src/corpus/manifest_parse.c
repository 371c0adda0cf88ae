/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.json -> as_corpus.  A manifest is other people's input: every number is held to its
 * range, every name to what freeze makes, and what can be computed from the rest (files, network
 * shapes, calls) is computed and compared.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/size.h"
#include "corpus/calls.h"
#include "corpus/manifest.h"
#include "corpus/names.h"

/* A manifest being read. */
typedef struct reader {
    as_corpus *corpus;
    const json_t *root;
    json_t *ids; /* owns; id of a document or region -> its index */
    assay_error *err;
} reader;

static char *keep(reader *r, as_fields *f, const char *text)
{
    char *copy = as_arena_strdup(r->corpus->arena, text);
    if (!copy && !f->code)
        f->code = as_fail(r->err, ASSAY_E_MEMORY, "no memory for a manifest's texts");
    return copy;
}

static char *keep_hash(reader *r, as_fields *f, const char *key)
{
    const char *text = as_field_text(f, key);
    if (!f->code && !as_sha256_is_hex(text))
        f->code = as_fail(r->err, ASSAY_E_FORMAT,
                          "\"%s\" is \"%.70s\", 64 lower-case hexadecimal digits are needed",
                          key, text);
    return keep(r, f, text);
}

/* A fresh id, entered with its index. */
static char *keep_id(reader *r, as_fields *f, size_t index)
{
    const char *id = as_field_text(f, "id");
    if (!f->code && !as_id_is_valid(id))
        f->code =
            as_fail(r->err, ASSAY_E_FORMAT,
                    "id \"%.100s\" is not 1 to 200 of the characters A-Z a-z 0-9 . _ -", id);
    if (!f->code && json_object_get(r->ids, id))
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "id \"%.100s\" stands twice", id);
    if (!f->code) as_json_set(&r->ids, id, json_integer((json_int_t)index));
    if (!f->code && !r->ids)
        f->code = as_fail(r->err, ASSAY_E_MEMORY, "no memory for a manifest's ids");
    return keep(r, f, id);
}

/* Room for the items of the array `key` in the arena, *n of them. */
static void *make_room(reader *r, as_fields *f, const char *key, size_t bytes, size_t *n)
{
    const json_t *list = as_field_array(f, key);
    size_t count = list ? json_array_size(list) : 0;
    void *items = as_arena_array(r->corpus->arena, count + 1, bytes);
    if (!items && !f->code)
        f->code = as_fail(r->err, ASSAY_E_MEMORY, "no memory for %zu %s", count, key);
    *n = count;
    return items;
}

/* Call `read` for each object of the array `key`. */
static assay_code read_each(reader *r, const char *key,
                            assay_code (*read)(reader *r, as_fields *f, size_t index))
{
    const json_t *list = json_object_get(r->root, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        as_fields item = {.object = json_array_get(list, i), .err = r->err};
        assay_code code = json_is_object(item.object)
                              ? read(r, &item, i)
                              : as_fail(r->err, ASSAY_E_FORMAT, "it is no JSON object");
        if (!code) continue;
        as_error_where(r->err, "%s %zu", key, i + 1);
        return code;
    }
    return ASSAY_OK;
}

static assay_code read_source(reader *r, as_fields *f, size_t index)
{
    as_corpus_source *s = &r->corpus->sources[index];
    s->name = keep(r, f, as_field_text(f, "name"));
    s->sha256 = keep_hash(r, f, "sha256");
    s->size_bytes = as_field_int(f, "bytes", 0, INT64_MAX);
    if (!f->code && !as_name_is_escaped(s->name))
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "name \"%.100s\" is not an escaped file name",
                          s->name);
    if (!f->code && (strchr(s->name, '/') || !s->name[0]))
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "name \"%.100s\" is not a file's base name",
                          s->name);
    return f->code;
}

/* "source" as an index that exists, where nothing failed. */
static size_t source_index(reader *r, as_fields *f)
{
    int64_t index = as_field_int(f, "source", 0, INT64_MAX);
    if (!f->code && (uint64_t)index >= r->corpus->n_sources)
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "\"source\" is %lld of %zu sources",
                          (long long)index, r->corpus->n_sources);
    return (size_t)index;
}

static assay_code read_document(reader *r, as_fields *f, size_t index)
{
    as_corpus_document *d = &r->corpus->documents[index];
    int pages[2];
    d->id = keep_id(r, f, index);
    d->source = source_index(r, f);
    d->format = keep(r, f, as_field_text(f, "format"));
    d->n_pages = (int)as_field_int(f, "n_pages", 1, INT_MAX);
    as_field_ints(f, "pages", pages, 2, 1, d->n_pages);
    d->first_page = pages[0];
    d->last_page = pages[1];
    if (!f->code) {
        const as_corpus_source *source = &r->corpus->sources[d->source];
        d->name = source->name;
        d->sha256 = source->sha256;
        d->size_bytes = source->size_bytes;
    }
    if (!f->code && d->first_page > d->last_page)
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "\"pages\" are %d to %d", d->first_page,
                          d->last_page);
    return f->code;
}

assay_code as_settings_from_json(const json_t *object, as_detect_settings *settings,
                                 assay_error *err)
{
    static const char *const known[] = {"thresh", "box_thresh", "unclip", "limit_side",
                                        "limit_type"};
    as_fields f = {.object = object, .err = err};
    size_t n_known = 0;
    for (size_t i = 0; i < AS_COUNT_OF(known); i++)
        n_known += json_object_get(object, known[i]) != NULL;
    if (json_object_size(object) != n_known)
        return as_fail(err, ASSAY_E_FORMAT,
                       "settings have %zu unknown keys, known are thresh, "
                       "box_thresh, unclip, limit_side and limit_type",
                       json_object_size(object) - n_known);
    if (json_object_get(object, known[0]))
        settings->thresh = (float)as_field_number(&f, known[0]);
    if (json_object_get(object, known[1])) settings->box_thresh = as_field_number(&f, known[1]);
    if (json_object_get(object, known[2])) settings->unclip = as_field_number(&f, known[2]);
    if (json_object_get(object, known[3]))
        settings->limit_side = (int)as_field_int(&f, known[3], 1, AS_SIDE_MAX);
    if (json_object_get(object, known[4])) {
        const char *type = as_field_text(&f, known[4]);
        if (!f.code && strcmp(type, "max") != 0 && strcmp(type, "min") != 0)
            f.code = as_fail(err, ASSAY_E_FORMAT,
                             "limit_type is \"%.20s\", max or min is needed", type);
        settings->limit_type = strcmp(type, "min") == 0 ? AS_LIMIT_MIN : AS_LIMIT_MAX;
    }
    if (f.code) return f.code;
    if (as_detect_settings_check(settings, err) == ASSAY_OK) return ASSAY_OK;
    if (err) err->code = ASSAY_E_FORMAT;
    return ASSAY_E_FORMAT;
}

/* A region's file is the one its id gives, so no path leads out of the corpus. */
static void check_file(reader *r, as_fields *f, const as_corpus_region *region)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s/%s.%s", AS_REGIONS_FOLDER, region->id ? region->id : "",
             region->tensor ? "npy" : "png");
    if (!f->code && strcmp(region->file, wanted) != 0)
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "file \"%.80s\" is not \"%.80s\"",
                          region->file, wanted);
}

static void check_shape(reader *r, as_fields *f, const as_corpus_region *region)
{
    if (f->code) return;
    as_network_size size = as_network_size_of(&region->settings, region->h, region->w);
    if (size.h != region->net_h || size.w != region->net_w)
        f->code = as_fail(r->err, ASSAY_E_FORMAT,
                          "network_hw is %d, %d, its %dx%d pixels and settings give %d, %d",
                          region->net_h, region->net_w, region->w, region->h, size.h, size.w);
}

/* Regions of one document stand together, documents in their order. */
static void enter_document(reader *r, as_fields *f, size_t index)
{
    as_corpus *c = r->corpus;
    const char *id = as_field_text(f, "document");
    const json_t *found = json_object_get(r->ids, id);
    if (f->code) return;
    size_t document = found ? (size_t)json_integer_value(found) : c->n_documents;
    if (document >= c->n_documents || strcmp(c->documents[document].id, id) != 0) {
        f->code = as_fail(r->err, ASSAY_E_FORMAT, "document \"%.100s\" is not listed", id);
        return;
    }
    if (index > 0 && c->regions[index - 1].document > document) {
        f->code =
            as_fail(r->err, ASSAY_E_FORMAT, "regions of document \"%.100s\" stand apart", id);
        return;
    }
    as_corpus_document *d = &c->documents[document];
    if (d->n_regions++ == 0) d->first_region = index;
    c->regions[index].document = document;
}

static void check_page(reader *r, as_fields *f, const as_corpus_region *region)
{
    if (f->code) return;
    const as_corpus_document *d = &r->corpus->documents[region->document];
    if (region->page < d->first_page || region->page > d->last_page)
        f->code = as_fail(r->err, ASSAY_E_FORMAT,
                          "\"page\" is %d, pages %d to %d of its document were frozen",
                          region->page, d->first_page, d->last_page);
}

/* An array for one of the network's inputs. */
static assay_code read_tensor(reader *r, as_fields *f, as_corpus_region *region)
{
    region->tensor = keep(r, f, as_field_text(f, "tensor"));
    region->file = keep(r, f, as_field_text(f, "file"));
    check_file(r, f, region);
    region->file_sha256 = keep_hash(r, f, "sha256");
    if (!f->code && (!region->tensor[0] || !as_name_is_escaped(region->tensor)))
        f->code = as_fail(r->err, ASSAY_E_FORMAT,
                          "\"tensor\" is \"%.80s\", no name of an input", region->tensor);
    return f->code;
}

static assay_code read_region(reader *r, as_fields *f, size_t index)
{
    as_corpus_region *region = &r->corpus->regions[index];
    int at[4], net[2];
    region->id = keep_id(r, f, index);
    enter_document(r, f, index);
    region->page = (int)as_field_int(f, "page", 1, INT_MAX);
    check_page(r, f, region);
    if (as_corpus_is_tensors(r->corpus)) return read_tensor(r, f, region);
    as_field_ints(f, "xywh", at, 4, 0, INT_MAX / 2);
    region->x = at[0];
    region->y = at[1];
    region->w = at[2];
    region->h = at[3];
    if (!f->code && (region->w < 1 || region->w > AS_IMAGE_SIDE_MAX || region->h < 1 ||
                     region->h > AS_IMAGE_SIDE_MAX))
        f->code = as_fail(r->err, ASSAY_E_FORMAT,
                          "the region has %dx%d pixels, sides of 1..%d are needed", region->w,
                          region->h, AS_IMAGE_SIDE_MAX);
    region->file = keep(r, f, as_field_text(f, "file"));
    check_file(r, f, region);
    region->file_sha256 = keep_hash(r, f, "sha256");
    region->pixels_sha256 = keep_hash(r, f, "pixels_sha256");
    region->settings = as_detect_settings_defaults();
    const json_t *settings = as_field_object(f, "settings");
    if (!f->code) f->code = as_settings_from_json(settings, &region->settings, r->err);
    as_field_ints(f, "network_hw", net, 2, AS_SIDE_STEP, AS_SIDE_MAX);
    region->net_h = net[0];
    region->net_w = net[1];
    check_shape(r, f, region);
    return f->code;
}

static assay_code read_skip(reader *r, as_fields *f, size_t index)
{
    as_corpus_skip *s = &r->corpus->skipped[index];
    s->source = source_index(r, f);
    s->page = json_is_null(json_object_get(f->object, "page"))
                  ? 0
                  : (int)as_field_int(f, "page", 1, INT_MAX);
    s->kind = keep(r, f, as_field_text(f, "kind"));
    s->reason = keep(r, f, as_field_text(f, "reason"));
    if (!f->code) s->name = r->corpus->sources[s->source].name;
    return f->code;
}

/* The call at `index` as listed is the one that the regions give. */
static assay_code check_call(reader *r, as_fields *f, size_t index)
{
    const as_corpus_call *call = &r->corpus->calls[index];
    int shape[4];
    const char *id = as_field_text(f, "id"), *document = as_field_text(f, "document");
    as_field_ints(f, "shape", shape, 4, 1, INT_MAX);
    const json_t *inputs = as_field_array(f, "inputs");
    if (f->code) return f->code;
    bool is_same = strcmp(id, call->id) == 0 && shape[0] == call->n && shape[1] == call->c &&
                   shape[2] == call->h && shape[3] == call->w &&
                   strcmp(document, r->corpus->documents[call->document].id) == 0 &&
                   json_array_size(inputs) == (size_t)call->n;
    for (int j = 0; is_same && j < call->n; j++) {
        const char *input = json_string_value(json_array_get(inputs, (size_t)j));
        is_same = input && strcmp(input, r->corpus->regions[call->inputs[j]].id) == 0;
    }
    if (is_same) return ASSAY_OK;
    return as_fail(
        r->err, ASSAY_E_FORMAT,
        "call \"%.80s\" is not the one that the regions give, \"%.80s\" of %dx%dx%dx%d", id,
        call->id, call->n, call->c, call->h, call->w);
}

static assay_code check_calls(reader *r)
{
    as_corpus *c = r->corpus;
    as_fields f = {.object = r->root, .err = r->err};
    const json_t *list = as_field_array(&f, "calls");
    assay_code code = f.code ? f.code : as_calls_make(c, r->err);
    if (!code && json_array_size(list) != c->n_calls)
        code = as_fail(r->err, ASSAY_E_FORMAT, "%zu calls are listed, the regions give %zu",
                       json_array_size(list), c->n_calls);
    for (size_t i = 0; !code && i < c->n_calls; i++) {
        as_fields item = {.object = json_array_get(list, i), .err = r->err};
        code = check_call(r, &item, i);
        if (code) as_error_where(r->err, "calls %zu", i + 1);
    }
    return code;
}

static assay_code read_head(reader *r)
{
    as_corpus *c = r->corpus;
    as_fields f = {.object = r->root, .err = r->err};
    const char *schema = as_field_text(&f, "schema");
    if (!f.code && strcmp(schema, "assay-corpus") != 0)
        return as_fail(r->err, ASSAY_E_FORMAT, "schema is \"%.40s\", assay-corpus is needed",
                       schema);
    int64_t version = as_field_int(&f, "schema_version", 0, INT_MAX);
    if (!f.code && version != AS_CORPUS_SCHEMA_VERSION)
        return as_fail(r->err, ASSAY_E_UNSUPPORTED,
                       "schema version is %lld, this assay reads %d", (long long)version,
                       AS_CORPUS_SCHEMA_VERSION);
    as_fields tools = {.object = as_field_object(&f, "tools"), .err = r->err, .code = f.code};
    c->assay = keep(r, &tools, as_field_text(&tools, "assay"));
    c->leptonica = keep(r, &tools, as_field_text(&tools, "leptonica"));
    c->poppler = keep(r, &tools, as_field_text(&tools, "poppler"));
    f.code = tools.code;
    as_fields s = {.object = as_field_object(&f, "settings"), .err = r->err, .code = f.code};
    c->dpi = (int)as_field_int(&s, "dpi", 10, 1200);
    c->max_batch = (int)as_field_int(&s, "max_batch", 1, AS_CORPUS_BATCH_MAX);
    c->method = keep(r, &s, as_field_text(&s, "regions"));
    const char *regions = as_field_text_or_null(&s, "regions_sha256");
    if (regions) c->regions_sha256 = keep_hash(r, &s, "regions_sha256");
    return s.code;
}

static assay_code read_root(reader *r)
{
    as_corpus *c = r->corpus;
    as_fields f = {.object = r->root, .err = r->err, .code = read_head(r)};
    c->sources = make_room(r, &f, "sources", sizeof *c->sources, &c->n_sources);
    c->documents = make_room(r, &f, "documents", sizeof *c->documents, &c->n_documents);
    c->regions = make_room(r, &f, "regions", sizeof *c->regions, &c->n_regions);
    c->skipped = make_room(r, &f, "skipped", sizeof *c->skipped, &c->n_skipped);
    assay_code code = f.code;
    if (!code) code = read_each(r, "sources", read_source);
    if (!code) code = read_each(r, "documents", read_document);
    if (!code) code = read_each(r, "regions", read_region);
    if (!code) code = read_each(r, "skipped", read_skip);
    if (!code) code = check_calls(r);
    return code;
}

/*
 * Hold the text to the hash in its own last line: "self_sha256": "<64 digits>"\n}\n.  The digits
 * are zeros afterwards.
 */
static assay_code check_self(as_bytes *text, assay_error *err)
{
    static const char before[] = "\"self_sha256\": \"", behind[] = "\"\n}\n";
    enum { DIGITS = AS_SHA256_HEX - 1, BEFORE = sizeof before - 1, BEHIND = sizeof behind - 1 };
    char told[AS_SHA256_HEX] = "", found[AS_SHA256_HEX];
    char *end = (char *)text->data + text->size;
    if (text->size < BEFORE + DIGITS + BEHIND || memcmp(end - BEHIND, behind, BEHIND) != 0 ||
        memcmp(end - BEHIND - DIGITS - BEFORE, before, BEFORE) != 0)
        return as_fail(err, ASSAY_E_CHANGED,
                       "%s is no whole manifest: its %zu bytes do not end with self_sha256",
                       AS_MANIFEST_NAME, text->size);
    char *digits = end - BEHIND - DIGITS;
    memcpy(told, digits, DIGITS);
    memset(digits, '0', DIGITS);
    assay_code code = as_sha256_bytes(text->data, text->size, found, err);
    if (!code && strcmp(told, found) != 0)
        code = as_fail(err, ASSAY_E_CHANGED, "%s is changed: its SHA-256 is %s, it says %.64s",
                       AS_MANIFEST_NAME, found, told);
    return code;
}

assay_code as_manifest_parse(as_bytes *text, as_corpus *corpus, assay_error *err)
{
    json_t *root = NULL;
    assay_code code = as_sha256_bytes(text->data, text->size, corpus->manifest_sha256, err);
    if (!code) code = check_self(text, err);
    if (!code) code = as_json_parse(text->data, text->size, 0, &root, err);
    if (code) return code;
    reader r = {.corpus = corpus, .root = root, .ids = json_object(), .err = err};
    if (!r.ids)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a manifest's ids");
    else if (!json_is_object(root))
        code = as_fail(err, ASSAY_E_FORMAT, "%s is not a JSON object", AS_MANIFEST_NAME);
    else
        code = read_root(&r);
    json_decref(r.ids);
    json_decref(root);
    return code;
}
