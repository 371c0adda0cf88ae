/* SPDX-License-Identifier: Apache-2.0 */
#include "report/frame.h"

#include "base/compiler.h"
#include "report/html_style.h"
#include "report/text.h"

void as_frame_begin(as_page *page, const char *title)
{
    FILE *out = page->out;
    fprintf(out,
            "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
            as_language_code(page->language));
    as_put_html(out, title);
    fputs("</title>\n<style>\n", out);
    for (size_t i = 0; as_html_style[i]; i++)
        fprintf(out, "%s\n", as_html_style[i]);
    fputs("</style></head>\n<body><main>\n", out);
}

static void put_tile(as_page *page, const as_tile *t)
{
    FILE *out = page->out;
    fputs("<div><dt>", out);
    as_put_html(out, as_page_say(page, t->title));
    fprintf(out, "</dt><dd class=\"%s\">", t->tone);
    as_put_html(out, t->value);
    fputs("</dd><p>", out);
    as_put_html(out, t->note);
    fputs("</p></div>\n", out);
}

void as_frame_hero(as_page *page, const as_hero *hero)
{
    FILE *out = page->out;
    fputs("<header><p class=\"eyebrow\">assay", out);
    for (size_t i = 0; i < AS_COUNT_OF(hero->what) && hero->what[i]; i++) {
        fputs(" &middot; ", out);
        as_put_html(out, hero->what[i]);
    }
    fprintf(out, "</p>\n<div class=\"hero %s\">\n<h1>", hero->tone);
    as_put_html(out, hero->headline);
    fputs("</h1>\n<p class=\"lead\">", out);
    as_put_html(out, hero->lead);
    fputs("</p>\n<dl class=\"tiles\">\n", out);
    for (size_t i = 0; i < hero->n_tiles; i++)
        put_tile(page, &hero->tiles[i]);
    fputs("</dl>\n</div></header>\n", out);
}

void as_frame_links(as_page *page, const as_link *links, size_t n)
{
    fputs("<nav>", page->out);
    for (size_t i = 0; i < n; i++) {
        fprintf(page->out, "<a href=\"#%s\">", links[i].id);
        as_put_html(page->out, as_page_say(page, links[i].title));
        fputs("</a>\n", page->out);
    }
    fputs("</nav>\n", page->out);
}

void as_frame_end(as_page *page) { fputs("</main></body></html>\n", page->out); }
