/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

#include <stdarg.h>
#include <stdlib.h>

/** Print into fresh memory (free); NULL when there is none, which is shown as "?". */
static char *formatted(const char *format, va_list values)
{
    char *text;
    return vasprintf(&text, format, values) < 0 ? NULL : text;
}

static void print_with(FILE *out, void (*print)(FILE *, const char *), const char *format,
                       va_list values)
{
    char *text = formatted(format, values);
    print(out, text ? text : "?");
    free(text);
}

void as_heading(as_page *page, int level, const char *id, const char *text)
{
    page->markup->heading(page->out, level, id, text);
}

void as_paragraph(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page->out, page->markup->paragraph, format, values);
    va_end(values);
}

void as_list(as_page *page) { page->markup->list_begin(page->out); }

void as_item(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page->out, page->markup->list_item, format, values);
    va_end(values);
}

void as_list_end(as_page *page) { page->markup->list_end(page->out); }

void as_code(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page->out, page->markup->code, format, values);
    va_end(values);
}

void as_fold(as_page *page, const char *title) { page->markup->fold_begin(page->out, title); }

void as_fold_end(as_page *page) { page->markup->fold_end(page->out); }

void as_table(as_page *page, const as_table_column *columns, size_t n)
{
    page->columns = columns;
    page->n_columns = n;
    page->n_cells = 0;
    page->markup->table_begin(page->out, columns, n);
}

static void put_cell(as_page *page, as_tone tone, const char *format, va_list values)
{
    if (page->n_cells == 0) page->markup->row_begin(page->out);
    char *text = formatted(format, values);
    page->markup->cell(page->out, &page->columns[page->n_cells], tone, text ? text : "?");
    free(text);
    if (++page->n_cells < page->n_columns) return;
    page->markup->row_end(page->out);
    page->n_cells = 0;
}

void as_cell(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_cell(page, AS_TONE_PLAIN, format, values);
    va_end(values);
}

void as_cell_tone(as_page *page, as_tone tone, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_cell(page, tone, format, values);
    va_end(values);
}

void as_table_end(as_page *page) { page->markup->table_end(page->out); }
