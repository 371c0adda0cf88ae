/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_REGIONS_FILE_H
#define ASSAY_CORPUS_REGIONS_FILE_H
/*
 * Regions that the user names instead of a segmentation (--regions FILE.json), as a layout model
 * would give them:
 *
 *     {"regions": [
 *       {"document": "paper.pdf", "page": 1, "xywh": [100, 120, 640, 200]},
 *       {"document": "paper.pdf", "page": 1, "xywh": [100, 400, 640, 90],
 *        "settings": {"thresh": 0.2, "limit_side": 640}}
 *     ]}
 *
 * Coordinates are pixels of the page as it is frozen (at --dpi); settings stand over the command
 * line's for that region.  Pages without a region are not rendered.
 */
#include <stddef.h>

#include "base/error.h"
#include "base/sha256.h"
#include "detect/settings.h"

typedef struct as_named_region {
    char *document; /**< Base name of the source; owned. */
    int page;       /**< From 1. */
    int x, y, w, h;
    as_detect_settings settings;
    bool is_used; /**< A source had this document and page. */
} as_named_region;

typedef struct as_named_regions {
    as_named_region *items; /**< Owned. */
    size_t n;
    char sha256[AS_SHA256_HEX]; /**< Of the file. */
} as_named_regions;

/**
 * Read such a file.
 * @param settings  what a region has where it says nothing else.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT with the region in err->where, ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_named_regions_read(const char *path, const as_detect_settings *settings,
                                 as_named_regions *out, assay_error *err);
void as_named_regions_free(as_named_regions *regions);

#endif
