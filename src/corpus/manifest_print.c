/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/memory.h"
#include "corpus/manifest.h"
#include "corpus/names.h"

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

/* The double of the shortest decimal that gives this float: 0.3 for 0.3f. */
static double shortest(float value)
{
    char text[32];
    double decimal = (double)value;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        decimal = strtod(text, NULL);
        if ((float)decimal == value) break;
    }
    return decimal;
}

json_t *as_settings_to_json(const as_detect_settings *settings)
{
    return json_pack("{s:f, s:f, s:f, s:i, s:s}", "thresh", shortest(settings->thresh),
                     "box_thresh", settings->box_thresh, "unclip", settings->unclip,
                     "limit_side", settings->limit_side, "limit_type",
                     settings->limit_type == AS_LIMIT_MAX ? "max" : "min");
}

static json_t *source_json(const as_corpus *corpus, size_t i)
{
    const as_corpus_source *s = &corpus->sources[i];
    return json_pack("{s:s, s:s, s:I}", "name", s->name, "sha256", s->sha256, "bytes",
                     (json_int_t)s->size_bytes);
}

static json_t *document_json(const as_corpus *corpus, size_t i)
{
    const as_corpus_document *d = &corpus->documents[i];
    return json_pack("{s:s, s:I, s:s, s:i, s:[ii]}", "id", d->id, "source",
                     (json_int_t)d->source, "format", d->format, "n_pages", d->n_pages, "pages",
                     d->first_page, d->last_page);
}

static json_t *region_json(const as_corpus *corpus, size_t i)
{
    const as_corpus_region *r = &corpus->regions[i];
    if (r->tensor)
        return json_pack("{s:s, s:s, s:i, s:s, s:s, s:s}", "id", r->id, "document",
                         corpus->documents[r->document].id, "page", r->page, "tensor",
                         r->tensor, "file", r->file, "sha256", r->file_sha256);
    return json_pack("{s:s, s:s, s:i, s:[iiii], s:s, s:s, s:s, s:o, s:[ii]}", "id", r->id,
                     "document", corpus->documents[r->document].id, "page", r->page, "xywh",
                     r->x, r->y, r->w, r->h, "file", r->file, "sha256", r->file_sha256,
                     "pixels_sha256", r->pixels_sha256, "settings",
                     as_settings_to_json(&r->settings), "network_hw", r->net_h, r->net_w);
}

static json_t *call_json(const as_corpus *corpus, size_t i)
{
    const as_corpus_call *c = &corpus->calls[i];
    json_t *inputs = json_array();
    for (int j = 0; j < c->n; j++)
        as_json_append(&inputs, json_string(corpus->regions[c->inputs[j]].id));
    return json_pack("{s:s, s:s, s:[iiii], s:o}", "id", c->id, "document",
                     corpus->documents[c->document].id, "shape", c->n, c->c, c->h, c->w,
                     "inputs", inputs);
}

static json_t *skip_json(const as_corpus *corpus, size_t i)
{
    const as_corpus_skip *s = &corpus->skipped[i];
    return json_pack("{s:I, s:s, s:o, s:s, s:s}", "source", (json_int_t)s->source, "name",
                     s->name, "page", s->page ? json_integer(s->page) : json_null(), "kind",
                     s->kind, "reason", s->reason);
}

static json_t *list_of(const as_corpus *corpus, size_t n,
                       json_t *(*item)(const as_corpus *corpus, size_t i))
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        as_json_append(&list, item(corpus, i));
    return list;
}

static json_t *manifest_json(const as_corpus *c)
{
    json_t *tools = json_pack("{s:s, s:s, s:s}", "assay", c->assay, "leptonica", c->leptonica,
                              "poppler", c->poppler);
    json_t *settings =
        json_pack("{s:i, s:i, s:s, s:s?}", "dpi", c->dpi, "max_batch", c->max_batch, "regions",
                  c->method, "regions_sha256", c->regions_sha256);
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "schema",
                     "assay-corpus", "schema_version", AS_CORPUS_SCHEMA_VERSION, "tools", tools,
                     "settings", settings, "sources", list_of(c, c->n_sources, source_json),
                     "documents", list_of(c, c->n_documents, document_json), "regions",
                     list_of(c, c->n_regions, region_json), "calls",
                     list_of(c, c->n_calls, call_json), "skipped",
                     list_of(c, c->n_skipped, skip_json), "self_sha256", zeros);
}

/* JSON text with the fewer digits that give every number back: 15 (0.6) or else 17 (as_free). */
static char *dump(const json_t *root)
{
    char *text = as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    json_t *again;
    if (!text || as_json_parse(text, strlen(text), 0, &again, NULL) == ASSAY_E_MEMORY) {
        as_free(text);
        return NULL;
    }
    bool is_same = json_equal(again, root);
    json_decref(again);
    if (is_same) return text;
    as_free(text);
    return as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
}

assay_code as_manifest_print(const as_corpus *corpus, as_bytes *text, assay_error *err)
{
    *text = (as_bytes){0};
    json_t *root = manifest_json(corpus);
    char *dumped = dump(root);
    size_t n = dumped ? strlen(dumped) : 0;
    assay_code code = ASSAY_OK;
    if (dumped) text->data = as_alloc(n + 2);
    if (dumped && text->data) {
        memcpy(text->data, dumped, n);
        text->data[n] = '\n';
        text->size = n + 1;
        /* ... "self_sha256": "<zeros>"\n}\n */
        char hex[AS_SHA256_HEX];
        code = as_sha256_bytes(text->data, text->size, hex, err);
        if (!code)
            memcpy(text->data + text->size - 4 - (AS_SHA256_HEX - 1), hex, AS_SHA256_HEX - 1);
    } else {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a manifest of %zu regions",
                       corpus->n_regions);
    }
    if (code) as_bytes_free(text);
    as_free(dumped);
    json_decref(root);
    return code;
}

/* "\\" and "\n" as sha256sum escapes them; the line then begins with a backslash. */
static size_t print_sum(char *to, const char *sha256, const char *name)
{
    char *at = to;
    bool is_escaped = strpbrk(name, "\\\n\r") != NULL;
    if (is_escaped) *at++ = '\\';
    at += sprintf(at, "%s  ", sha256);
    for (; *name; name++) {
        if (*name == '\\' || *name == '\n' || *name == '\r') {
            *at++ = '\\';
            *at++ = *name == '\\' ? '\\' : *name == '\n' ? 'n' : 'r';
        } else {
            *at++ = *name;
        }
    }
    *at++ = '\n';
    return (size_t)(at - to);
}

assay_code as_sums_print(const as_corpus *corpus, as_bytes *text, assay_error *err)
{
    as_arena *arena = as_arena_new();
    size_t bytes = 1;
    *text = (as_bytes){0};
    for (size_t i = 0; i < corpus->n_sources; i++)
        bytes += AS_SHA256_HEX + 2 * strlen(corpus->sources[i].name) + 8;
    text->data = arena ? as_alloc(bytes) : NULL;
    assay_code code = ASSAY_OK;
    if (!text->data) code = as_fail(err, ASSAY_E_MEMORY, "no memory for %s", AS_SUMS_NAME);
    for (size_t i = 0; !code && i < corpus->n_sources; i++) {
        const char *name = as_name_unescape(arena, corpus->sources[i].name);
        if (name)
            text->size +=
                print_sum((char *)text->data + text->size, corpus->sources[i].sha256, name);
        else
            code = as_fail(err, ASSAY_E_MEMORY, "no memory for %s", AS_SUMS_NAME);
    }
    as_arena_free(arena);
    if (code) as_bytes_free(text);
    return code;
}
