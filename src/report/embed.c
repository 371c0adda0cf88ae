/* SPDX-License-Identifier: Apache-2.0 */
#include "report/embed.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/** What stands for a piece of gnuplot's tags; `with_prefix` has the ids' prefix behind it. */
static const struct {
    const char *from, *to;
    bool with_prefix;
} swaps[] = {{"\"black\"", "\"currentColor\"", false},
             {"'black'", "'currentColor'", false},
             {"rgb(0,0,0)", "currentColor", false},
             {"rgb(  0,   0,   0)", "currentColor", false},
             {"xmlns:xlink=\"http://www.w3.org/1999/xlink\"", "", false},
             {"xmlns=\"http://www.w3.org/2000/svg\"", "", false},
             {"xlink:href='#", "href='#", true},
             {" id='", " id='", true},
             {" id=\"", " id=\"", true}};

/** Copy one tag. */
static const char *put_tag(FILE *out, const char *at, const char *end, const char *prefix)
{
    while (at < end) {
        size_t i = 0;
        while (i < AS_COUNT_OF(swaps) && strncmp(at, swaps[i].from, strlen(swaps[i].from)) != 0)
            i++;
        if (i < AS_COUNT_OF(swaps)) {
            fprintf(out, "%s%s", swaps[i].to, swaps[i].with_prefix ? prefix : "");
            at += strlen(swaps[i].from);
        } else {
            putc(*at, out);
            if (*at++ == '>') break;
        }
    }
    return at;
}

void as_put_svg(FILE *out, const as_bytes *svg, const char *prefix)
{
    const char *text = (const char *)svg->data, *end = text + svg->size;
    for (const char *at = strstr(text, "<svg"); at && at < end;)
        if (*at == '<')
            at = put_tag(out, at, end, prefix);
        else
            putc(*at++, out);
}

void as_put_base64(FILE *out, const as_bytes *bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *data = bytes->data;
    for (size_t i = 0; i < bytes->size; i += 3) {
        size_t n = bytes->size - i < 3 ? bytes->size - i : 3;
        uint32_t bits = (uint32_t)data[i] << 16;
        if (n > 1) bits |= (uint32_t)data[i + 1] << 8;
        if (n > 2) bits |= data[i + 2];
        for (size_t k = 0; k < 4; k++)
            putc(k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
    }
}
