/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/regions_file.h"

#include <limits.h>
#include <string.h>

#include "base/fields.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "corpus/manifest.h"

enum { FILE_BYTES_MAX = 64 << 20 };

void as_named_regions_free(as_named_regions *regions)
{
    for (size_t i = 0; i < regions->n; i++)
        as_free(regions->items[i].document);
    as_free(regions->items);
    *regions = (as_named_regions){0};
}

static assay_code read_one(const json_t *object, as_named_region *region, assay_error *err)
{
    as_fields f = {.object = object, .err = err};
    int at[4];
    const char *document = as_field_text(&f, "document");
    region->page = (int)as_field_int(&f, "page", 1, INT_MAX);
    as_field_ints(&f, "xywh", at, 4, 0, INT_MAX / 2);
    if (!f.code && (at[2] < 1 || at[3] < 1))
        f.code = as_fail(err, ASSAY_E_FORMAT, "it is %dx%d pixels, both sides must be above 0",
                         at[2], at[3]);
    if (!f.code && json_object_get(object, "settings")) {
        const json_t *settings = as_field_object(&f, "settings");
        if (!f.code) f.code = as_settings_from_json(settings, &region->settings, err);
    }
    if (f.code) return f.code;
    region->x = at[0];
    region->y = at[1];
    region->w = at[2];
    region->h = at[3];
    region->document = as_strdup(document);
    return region->document ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for regions");
}

static assay_code read_all(const json_t *root, const as_detect_settings *settings,
                           as_named_regions *out, assay_error *err)
{
    as_fields f = {.object = root, .err = err};
    const json_t *list = as_field_array(&f, "regions");
    if (f.code) return f.code;
    size_t n = json_array_size(list);
    out->items = as_alloc_array(n + 1, sizeof *out->items);
    if (!out->items) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu regions", n);
    for (size_t i = 0; i < n; i++) {
        out->items[i].settings = *settings;
        out->n = i + 1;
        const json_t *item = json_array_get(list, i);
        assay_code code = json_is_object(item)
                              ? read_one(item, &out->items[i], err)
                              : as_fail(err, ASSAY_E_FORMAT, "it is no JSON object");
        if (!code) continue;
        as_error_where(err, "region %zu", i + 1);
        return code;
    }
    return ASSAY_OK;
}

assay_code as_named_regions_read(const char *path, const as_detect_settings *settings,
                                 as_named_regions *out, assay_error *err)
{
    as_bytes text = {0};
    json_t *root = NULL;
    *out = (as_named_regions){0};
    assay_code code = as_file_read(path, FILE_BYTES_MAX, &text, err);
    if (code) goto done;
    code = as_sha256_bytes(text.data, text.size, out->sha256, err);
    if (code) goto done;
    code = as_json_parse(text.data, text.size, 0, &root, err);
    if (!code) code = read_all(root, settings, out, err);
    if (code) as_error_where(err, "%s", path);
done:
    json_decref(root);
    as_bytes_free(&text);
    if (code) as_named_regions_free(out);
    return code;
}
