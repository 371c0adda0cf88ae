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
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/** What a cell says besides its words. */
typedef enum as_tone { AS_TONE_PLAIN, AS_TONE_GOOD, AS_TONE_BAD, AS_TONE_CHOSEN } as_tone;

/** A table's column. */
typedef struct as_table_column {
    const char *title;
    bool is_number; /**< Set flush right. */
} as_table_column;

/** How one language prints it; texts are escaped by it. */
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
} as_markup;

extern const as_markup as_markup_md, as_markup_html;

/** A page in the making. */
typedef struct as_page {
    const as_markup *markup;
    FILE *out;
    const as_table_column *columns; /**< Of the open table. */
    size_t n_columns, n_cells;      /**< Cells of the open row. */
    bool lacks_memory;              /**< Something could not be said. */
} as_page;

/** At a page's end: ASSAY_E_MEMORY where something of it could not be said. */
assay_code as_page_check(const as_page *page, assay_error *err);

void as_heading(as_page *page, int level, const char *id, const char *text);
void as_paragraph(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_list(as_page *page);
void as_item(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_list_end(as_page *page);
void as_code(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_fold(as_page *page, const char *title);
void as_fold_end(as_page *page);

/** Open a table; `columns` stays the caller's until as_table_end. */
void as_table(as_page *page, const as_table_column *columns, size_t n);
/** The next cell; rows end by themselves. */
void as_cell(as_page *page, const char *format, ...) AS_PRINTF(2, 3);
void as_cell_tone(as_page *page, as_tone tone, const char *format, ...) AS_PRINTF(3, 4);
void as_table_end(as_page *page);

#endif
