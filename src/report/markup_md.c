/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown as GitHub shows it: an evidence report can be pasted into an issue. */
#include "report/markup.h"
#include "report/text.h"

static void heading(FILE *out, int level, const char *id, const char *text)
{
    (void)id;
    fprintf(out, "\n%.*s ", level, "######");
    as_put_md(out, text);
    fputs("\n\n", out);
}

static void paragraph(FILE *out, const char *text)
{
    as_put_md(out, text);
    fputs("\n\n", out);
}

static void list_begin(FILE *out) { (void)out; }

static void list_item(FILE *out, const char *text)
{
    fputs("- ", out);
    as_put_md(out, text);
    putc('\n', out);
}

static void list_end(FILE *out) { putc('\n', out); }

/* An indented block: no line of `text` can end it. */
static void code(FILE *out, const char *text)
{
    fputs("    ", out);
    as_put_plain(out, text);
    fputs("\n\n", out);
}

static void fold_begin(FILE *out, const char *title)
{
    fputs("<details><summary>", out);
    as_put_html(out, title);
    fputs("</summary>\n\n", out);
}

static void fold_end(FILE *out) { fputs("</details>\n\n", out); }

static void table_begin(FILE *out, const as_table_column *columns, size_t n)
{
    putc('|', out);
    for (size_t i = 0; i < n; i++) {
        putc(' ', out);
        as_put_md(out, columns[i].title);
        fputs(" |", out);
    }
    fputs("\n|", out);
    for (size_t i = 0; i < n; i++)
        fputs(columns[i].is_number ? " ---: |" : " --- |", out);
    putc('\n', out);
}

static void row_begin(FILE *out) { putc('|', out); }

static void cell(FILE *out, const as_table_column *column, as_tone tone, const char *text)
{
    bool is_strong = tone == AS_TONE_BAD || tone == AS_TONE_CHOSEN;
    (void)column;
    fputs(is_strong && *text ? " **" : " ", out);
    as_put_md(out, text);
    fputs(is_strong && *text ? "** |" : " |", out);
}

static void row_end(FILE *out) { putc('\n', out); }

static void table_end(FILE *out) { putc('\n', out); }

/* An issue tracker shows no file of the run's folder: what can be drawn with characters is. */
static void figure(FILE *out, const as_figure *figure)
{
    for (const char *line = figure->text; line && *line; line++) {
        fputs("    ", out);
        for (; *line != '\n'; line++)
            putc(*line, out);
        putc('\n', out);
    }
    if (figure->text) putc('\n', out);
    if (!figure->path) return;
    fputs("![", out);
    as_put_md(out, figure->caption);
    fputs("](", out);
    as_put_md(out, figure->path);
    fputs(")\n\n", out);
}

const as_markup as_markup_md = {heading, paragraph,  list_begin, list_item,   list_end,
                                code,    fold_begin, fold_end,   table_begin, row_begin,
                                cell,    row_end,    table_end,  figure,      false};
