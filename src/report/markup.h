/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_MARKUP_H
#define ASSAY_REPORT_MARKUP_H
/*
 * One way to say headings, paragraphs, lists and tables, two to print them: Markdown and HTML.
 * The sections of the report are written once, in these words.
 *
 *     as_page page = {.markup = &as_markup_html, .out = file};
 *     as_heading(&page, 2, "rounds", "Rounds");
 *     as_table(&page, columns, n_columns);
 *     as_cell(&page, "%s", name);              // n_columns of them are a row
 *     as_cell_tone(&page, AS_TONE_BAD, "%zu", n_differing);
 *     as_table_end(&page);
 *
 * Formats, titles and captions are English sentences; the page says them in its language.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "report/language.h"

/** What a cell says besides its words. */
typedef enum as_tone { AS_TONE_PLAIN, AS_TONE_GOOD, AS_TONE_BAD, AS_TONE_CHOSEN } as_tone;

/** No table of a report is wider. */
#define AS_COLUMNS_MOST 16

/** A table's column. */
typedef struct as_table_column {
    const char *title;
    bool is_number; /**< Set flush right. */
} as_table_column;

/** A drawing or picture that stands in the page. */
typedef struct as_figure {
    const char *path;    /**< In the run's folder, as Markdown links it; NULL: text alone. */
    const as_bytes *svg; /**< As gnuplot drew it for a wide page; NULL for a picture. */
    const as_bytes *narrow_svg; /**< For a narrow one. */
    const as_bytes *png;        /**< A picture; NULL for a drawing. */
    const char *text;           /**< Lines of characters that show the same, or NULL. */
    const char *caption;
} as_figure;

/** How one markup prints it; texts are escaped by it. */
typedef struct as_markup {
    void (*heading)(FILE *out, int level, const char *id, const char *text);
    void (*paragraph)(FILE *out, const char *text);
    void (*list_begin)(FILE *out);
    void (*list_item)(FILE *out, const char *text);
    void (*list_end)(FILE *out);
    void (*code)(FILE *out, const char *text);
    void (*fold_begin)(FILE *out, const char *title); /**< Shown on demand where that exists. */
    void (*fold_end)(FILE *out);
    void (*table_begin)(FILE *out, const as_table_column *columns, size_t n);
    void (*row_begin)(FILE *out);
    void (*cell)(FILE *out, const as_table_column *column, as_tone tone, const char *text);
    void (*row_end)(FILE *out);
    void (*table_end)(FILE *out);
    void (*figure)(FILE *out, const as_figure *figure);
    bool embeds; /**< Figures need their bytes; else their path and text. */
} as_markup;

extern const as_markup as_markup_md, as_markup_html;

/** A page in the making. */
typedef struct as_page {
    const as_markup *markup;
    FILE *out;
    as_language language;
    as_table_column columns[AS_COLUMNS_MOST]; /**< Of the open table, in the page's language. */
    size_t n_columns, n_cells;                /**< Cells of the open row. */
    bool lacks_memory;                        /**< Something could not be said. */
    assay_error failure; /**< The first that as_page_keep was told; code 0 without. */
} as_page;

/** Keep the failure of a step for as_page_check; ASSAY_OK and later ones change nothing. */
void as_page_keep(as_page *page, assay_code code, const assay_error *err);

/** At a page's end: the failure that was kept, ASSAY_E_MEMORY where something could not be said. */
assay_code as_page_check(const as_page *page, assay_error *err);

/** `english` in the page's language. */
const char *as_page_say(const as_page *page, const char *english) AS_FORMAT_OF(2);

void as_heading(as_page *page, int level, const char *id, const char *text);
void as_paragraph(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_list(as_page *page);
void as_item(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_list_end(as_page *page);
void as_code(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_fold(as_page *page, const char *title);
void as_fold_end(as_page *page);

/** Open a table of at most AS_COLUMNS_MOST columns. */
void as_table(as_page *page, const as_table_column *columns, size_t n);
/** The next cell; rows end by themselves. */
void as_cell(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_cell_tone(as_page *page, as_tone tone, const char *format, ...) AS_PRINTF(3, 4);
void as_table_end(as_page *page);

/** A drawing or picture with its caption. */
void as_put_figure(as_page *page, const as_figure *figure);

/**
 * plots/NAME.svg with its caption.
 * @param svg   for a wide page and a narrow one, as report/plot_script.h drew it; empty where it is not.
 * @param text  lines of characters that show the same, or NULL.
 */
void as_put_drawing(as_page *page, const char *name, const as_bytes svg[2], const char *text,
                    const char *caption);

#endif
