/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

#include <assert.h>
#include <stdarg.h>

#include "base/memory.h"

static void print_with(as_page *page, void (*print)(FILE *, const char *), const char *format,
                       va_list values)
{
    char *text = as_format_values(as_page_say(page, format), values);
    if (text)
        print(page->out, text);
    else
        page->lacks_memory = true;
    as_free(text);
}

void as_page_keep(as_page *page, assay_code code, const assay_error *err)
{
    if (code && !page->failure.code) page->failure = *err;
}

assay_code as_page_check(const as_page *page, assay_error *err)
{
    if (page->failure.code) {
        if (err) *err = page->failure;
        return page->failure.code;
    }
    return page->lacks_memory
               ? as_fail(err, ASSAY_E_MEMORY, "no memory for a page of the report")
               : ASSAY_OK;
}

const char *as_page_say(const as_page *page, const char *english)
{
    return as_say(page->language, english);
}

void as_heading(as_page *page, int level, const char *id, const char *text)
{
    page->markup->heading(page->out, level, id, as_page_say(page, text));
}

void as_paragraph(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page, page->markup->paragraph, format, values);
    va_end(values);
}

void as_list(as_page *page) { page->markup->list_begin(page->out); }

void as_item(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page, page->markup->list_item, format, values);
    va_end(values);
}

void as_list_end(as_page *page) { page->markup->list_end(page->out); }

void as_code(as_page *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_with(page, page->markup->code, format, values);
    va_end(values);
}

void as_fold(as_page *page, const char *title)
{
    page->markup->fold_begin(page->out, as_page_say(page, title));
}

void as_fold_end(as_page *page) { page->markup->fold_end(page->out); }

void as_table(as_page *page, const as_table_column *columns, size_t n)
{
    assert(n <= AS_COLUMNS_MOST);
    for (size_t i = 0; i < n; i++)
        page->columns[i] =
            (as_table_column){as_page_say(page, columns[i].title), columns[i].is_number};
    page->n_columns = n;
    page->n_cells = 0;
    page->markup->table_begin(page->out, page->columns, n);
}

static void put_cell(as_page *page, as_tone tone, const char *format, va_list values)
{
    if (page->n_cells == 0) page->markup->row_begin(page->out);
    char *text = as_format_values(as_page_say(page, format), values);
    page->lacks_memory = page->lacks_memory || !text;
    page->markup->cell(page->out, &page->columns[page->n_cells], tone, text ? text : "");
    as_free(text);
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

void as_put_figure(as_page *page, const as_figure *figure)
{
    as_figure said = *figure;
    said.caption = as_page_say(page, figure->caption);
    page->markup->figure(page->out, &said);
}

void as_put_drawing(as_page *page, const char *name, const as_bytes svg[2], const char *text,
                    const char *caption)
{
    char *path = as_format("plots/%s.svg", name);
    page->lacks_memory = page->lacks_memory || !path;
    const as_figure figure = {.path = svg[0].size > 0 ? path : NULL,
                              .svg = &svg[0],
                              .narrow_svg = &svg[1],
                              .text = text,
                              .caption = caption};
    if (figure.path || text) as_put_figure(page, &figure);
    as_free(path);
}
