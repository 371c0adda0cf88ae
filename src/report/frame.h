/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_FRAME_H
#define ASSAY_REPORT_FRAME_H
/*
 * What stands around the sections of report.html, a file that needs no other: style, the answer with its
 * tiles, links, the foot.
 *
 *     as_frame_begin(&page, headline);
 *     as_frame_hero(&page, &hero);
 *     as_frame_links(&page, links, n);
 *     ...                                      sections
 *     as_frame_end(&page);
 */
#include "report/markup.h"

/** One number of the answer. */
typedef struct as_tile {
    const char *title;
    const char *tone; /**< Class of the value: "", "good", "warn", "bad". */
    char value[64];
    char note[160];
} as_tile;

/** The answer; borrows all. */
typedef struct as_hero {
    const char *tone; /**< "good", "warn" or "bad". */
    const char
        *what[4]; /**< What the page is about, in few words each; NULL behind the last. */
    const char *headline, *lead; /**< In the page's language. */
    const as_tile *tiles;
    size_t n_tiles;
} as_hero;

/** To a heading of this page. */
typedef struct as_link {
    const char *id, *title;
} as_link;

void as_frame_begin(as_page *page, const char *title);
void as_frame_hero(as_page *page, const as_hero *hero);
void as_frame_links(as_page *page, const as_link *links, size_t n);
void as_frame_end(as_page *page);

#endif
