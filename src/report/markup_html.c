/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

#include <string.h>

#include "report/embed.h"
#include "report/text.h"

static void heading(FILE *out, int level, const char *id, const char *text)
{
    fprintf(out, "<h%d id=\"%s\">", level, id);
    as_put_html(out, text);
    fprintf(out, "</h%d>\n", level);
}

static void element(FILE *out, const char *begin, const char *text, const char *end)
{
    fputs(begin, out);
    as_put_html(out, text);
    fputs(end, out);
}

static void paragraph(FILE *out, const char *text) { element(out, "<p>", text, "</p>\n"); }
static void list_begin(FILE *out) { fputs("<ul>\n", out); }
static void list_item(FILE *out, const char *text) { element(out, "<li>", text, "</li>\n"); }
static void list_end(FILE *out) { fputs("</ul>\n", out); }

static void code(FILE *out, const char *text)
{
    element(out, "<pre><code>", text, "</code></pre>\n");
}

static void fold_begin(FILE *out, const char *title)
{
    element(out, "<details><summary>", title, "</summary>\n");
}

static void fold_end(FILE *out) { fputs("</details>\n", out); }

static void table_begin(FILE *out, const as_table_column *columns, size_t n)
{
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    for (size_t i = 0; i < n; i++)
        element(out, columns[i].is_number ? "<th class=\"n\">" : "<th>", columns[i].title,
                "</th>");
    fputs("</tr></thead><tbody>\n", out);
}

static void row_begin(FILE *out) { fputs("<tr>", out); }

/** A line may break behind a comma, as in a policy's settings. */
static void put_breakable(FILE *out, const char *text)
{
    for (const char *comma; (comma = strchr(text, ',')) && comma[1]; text = comma + 1) {
        char part[256];
        if ((size_t)(comma - text) + 2 > sizeof part) break;
        memcpy(part, text, (size_t)(comma - text) + 1);
        part[comma - text + 1] = '\0';
        as_put_html(out, part);
        fputs("<wbr>", out);
    }
    as_put_html(out, text);
}

static void cell(FILE *out, const as_table_column *column, as_tone tone, const char *text)
{
    static const char *const tones[] = {"", "good", "bad", "chosen"};
    const char *number = column->is_number ? "n" : "";
    const char *space = *number && *tones[tone] ? " " : "";
    element(out, "<td data-l=\"", column->title, "\"");
    if (*number || *tones[tone]) fprintf(out, " class=\"%s%s%s\"", number, space, tones[tone]);
    putc('>', out);
    put_breakable(out, text);
    fputs("</td>", out);
}

static void row_end(FILE *out) { fputs("</tr>\n", out); }
static void table_end(FILE *out) { fputs("</tbody></table></div>\n", out); }

/** A drawing for one width of page, its ids after the drawing's name. */
static void put_drawing(FILE *out, const char *path, const char *width, const as_bytes *svg)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%.*s-%s-", (int)strcspn(name, "."), name, width);
    fprintf(out, "<div class=\"at-%s\">", width);
    as_put_svg(out, svg, prefix);
    fputs("</div>\n", out);
}

/** Both drawings stand in the page; its style shows the one that fits. */
static void figure(FILE *out, const as_figure *figure)
{
    fputs("<figure>\n", out);
    if (figure->svg) {
        put_drawing(out, figure->path, "wide", figure->svg);
        put_drawing(out, figure->path, "narrow", figure->narrow_svg);
    } else {
        element(out, "<img alt=\"", figure->caption, "\" src=\"data:image/png;base64,");
        as_put_base64(out, figure->png);
        fputs("\">\n", out);
    }
    element(out, "<figcaption>", figure->caption, "</figcaption>\n</figure>\n");
}

const as_markup as_markup_html = {heading, paragraph,  list_begin, list_item,   list_end,
                                  code,    fold_begin, fold_end,   table_begin, row_begin,
                                  cell,    row_end,    table_end,  figure,      true};
