/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

/** Bytes of the well-formed UTF-8 character at `s`, 0 when there is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (n == 0 || s[0] > 0xF4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0; /* overlong */
    if (s[0] == 0xED && s[1] > 0x9F) return 0; /* surrogates */
    if (s[0] == 0xF0 && s[1] < 0x90) return 0; /* overlong */
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0; /* above U+10FFFF */
    return n;
}

/** A control character: C0, DEL, C1 (U+0080..U+009F). */
static int is_control(const unsigned char *s, size_t n)
{
    return (n == 1 && (s[0] < 0x20 || s[0] == 0x7F)) || (n == 2 && s[0] == 0xC2 && s[1] < 0xA0);
}

/**
 * The next printable piece of *text into `piece` (a character or "\xNN"), *text moved behind it.
 * @return its bytes, 0 at the end.
 */
static size_t next_piece(const char **text, char piece[8])
{
    const unsigned char *s = (const unsigned char *)*text;
    if (*s == 0) return 0;
    size_t n = utf8_length(s);
    if (n == 0 || is_control(s, n)) {
        *text += 1;
        return (size_t)snprintf(piece, 8, "\\x%02X", s[0]);
    }
    memcpy(piece, s, n);
    piece[n] = '\0';
    *text += n;
    return n;
}

char *as_text_clean(const char *text)
{
    char *clean = as_alloc(4 * strlen(text) + 1); /* "\xNN" is the longest piece of one byte */
    char piece[8];
    size_t at = 0;
    if (!clean) return NULL;
    for (size_t n; (n = next_piece(&text, piece)) != 0; at += n)
        memcpy(clean + at, piece, n);
    return clean;
}

char *as_text_quoted(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./-+,=@:%";
    if (*text && text[strspn(text, plain)] == '\0') return as_strdup(text);
    char *quoted = as_alloc(4 * strlen(text) + 3); /* ' becomes '\'' */
    if (!quoted) return NULL;
    size_t n = 0;
    quoted[n++] = '\'';
    for (; *text; text++) {
        quoted[n++] = *text;
        if (*text != '\'') continue;
        memcpy(quoted + n, "\\''", 3);
        n += 3;
    }
    quoted[n] = '\'';
    return quoted;
}

void as_text_file_name(const char *name, char *out, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.";
    size_t i = 0;
    for (; name[i] && i + 1 < room; i++)
        out[i] = strchr(plain, name[i]) && (i || name[i] != '.') ? name[i] : '_';
    out[i] = '\0';
}

/** Print `text`, each single-byte character of `special` replaced by `escape` of its index. */
static void put_escaped(FILE *out, const char *text, const char *special,
                        const char *const *escapes)
{
    char piece[8];
    while (next_piece(&text, piece)) {
        const char *found = piece[1] == '\0' ? strchr(special, piece[0]) : NULL;
        fputs(found ? escapes[found - special] : piece, out);
    }
}

void as_put_html(FILE *out, const char *text)
{
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    put_escaped(out, text, "&<>\"", escapes);
}

void as_put_md(FILE *out, const char *text)
{
    static const char *const escapes[] = {"\\\\", "\\|",  "\\*",  "\\_",   "\\`", "\\[",
                                          "\\]",  "&lt;", "&gt;", "&amp;", "\\#", "\\~"};
    put_escaped(out, text, "\\|*_`[]<>&#~", escapes);
}

void as_put_plain(FILE *out, const char *text)
{
    char piece[8];
    while (next_piece(&text, piece))
        fputs(piece, out);
}

/** Whether a character takes two columns: the wide ranges of Unicode's East Asian Width (UAX 11). */
static int is_wide(const char *piece)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                  {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x20000, 0x3FFFD}};
    const unsigned char *s = (const unsigned char *)piece;
    size_t n = utf8_length(s);
    if (n < 3) return 0;
    unsigned code = s[0] & (n == 3 ? 0x0Fu : 0x07u);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (s[i] & 0x3Fu);
    for (size_t i = 0; i < AS_COUNT_OF(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return 1;
    return 0;
}

size_t as_text_columns(const char *text)
{
    char piece[8];
    size_t columns = 0;
    for (size_t n; (n = next_piece(&text, piece)) != 0;)
        columns += piece[0] == '\\' && n == 4 ? 4 : is_wide(piece) ? 2 : 1;
    return columns;
}

void as_put_csv(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void as_put_csv_number(FILE *out, double value)
{
    if (isnan(value))
        putc(',', out);
    else
        fprintf(out, ",%.6g", value);
}

json_t *as_json_text(const char *text)
{
    char *clean = as_text_clean(text);
    json_t *string = clean ? json_string(clean) : NULL;
    as_free(clean);
    return string;
}

json_t *as_json_name(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : as_json_text(text);
}

void as_put_score(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fprintf(out, "\"%s\"", as_number_word(value));
}

assay_code as_put_json(FILE *out, json_t *root, size_t flags, const char *name,
                       assay_error *err)
{
    char *text = as_json_dump(root, flags | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (!text) return as_fail(err, ASSAY_E_MEMORY, "no memory for %s", name);
    fputs(text, out);
    putc('\n', out);
    as_free(text);
    return ASSAY_OK;
}
