/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/names.h"

#include <string.h>

enum { ID_MOST = 200, ID_OF_NAME_MOST = 80 };

/*
 * Bytes of the UTF-8 sequence at `at`; 0 when it is none (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF).
 */
static size_t utf8_length(const unsigned char *at)
{
    static const struct {
        unsigned char lo, hi, second_lo, second_hi, n;
    } kinds[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                 {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (at[0] < 0x80) return 1;
    for (size_t i = 0; i < AS_COUNT_OF(kinds); i++) {
        if (at[0] < kinds[i].lo || at[0] > kinds[i].hi) continue;
        if (at[1] < kinds[i].second_lo || at[1] > kinds[i].second_hi) return 0;
        for (size_t j = 2; j < kinds[i].n; j++)
            if (at[j] < 0x80 || at[j] > 0xbf) return 0;
        return kinds[i].n;
    }
    return 0;
}

/* C0 controls, DEL, and the C1 controls U+0080..U+009F, which some terminals obey. */
static bool is_control(const unsigned char *at)
{
    return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

char *as_name_escape(as_arena *arena, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    char *text = as_arena_array(arena, strlen(name) + 1, 4), *to = text;
    const unsigned char *at = (const unsigned char *)name;
    while (text && *at) {
        size_t n = utf8_length(at);
        if (*at == '\\') {
            *to++ = '\\';
            *to++ = '\\';
            at++;
        } else if (n == 0 || is_control(at)) {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = digits[*at >> 4];
            *to++ = digits[*at & 15];
            at++;
        } else {
            memcpy(to, at, n);
            to += n;
            at += n;
        }
    }
    if (text) *to = '\0';
    return text;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that begins at *at, *at moved behind it; -1 where none does. */
static int next_byte(const char **at)
{
    const char *text = *at;
    *at += 1;
    if (*text != '\\') return (unsigned char)*text;
    if (text[1] == '\\') {
        *at += 1;
        return '\\';
    }
    int hi = text[1] == 'x' ? digit_of(text[2]) : -1, lo = hi >= 0 ? digit_of(text[3]) : -1;
    if (lo < 0 || (hi == 0 && lo == 0)) return -1;
    *at += 3;
    return hi * 16 + lo;
}

bool as_name_is_escaped(const char *text)
{
    while (*text)
        if (next_byte(&text) < 0) return false;
    return true;
}

char *as_name_unescape(as_arena *arena, const char *text)
{
    if (!as_name_is_escaped(text)) return NULL;
    char *name = as_arena_array(arena, strlen(text) + 1, 1), *to = name;
    while (name && *text)
        *to++ = (char)next_byte(&text);
    return name; /* the arena's memory is zeroed */
}

static bool is_id_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-';
}

bool as_id_is_valid(const char *id)
{
    size_t n = strlen(id);
    if (n < 1 || n > ID_MOST || id[0] == '.' || id[0] == '-') return false;
    for (size_t i = 0; i < n; i++)
        if (!is_id_byte(id[i])) return false;
    return true;
}

char *as_id_of_name(as_arena *arena, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot && dot != name ? (size_t)(dot - name) : strlen(name), used = 0;
    char *id = as_arena_array(arena, ID_OF_NAME_MOST + 2, 1);
    for (size_t i = 0; id && i < n && used < ID_OF_NAME_MOST; i++) {
        bool is_first_bad = used == 0 && (name[i] == '.' || name[i] == '-');
        char c = is_id_byte(name[i]) && !is_first_bad ? name[i] : '_';
        if (c == '_' && used && id[used - 1] == '_') continue; /* one for each run of others */
        id[used++] = c;
    }
    if (id && used == 0) id[used++] = '_';
    if (id) id[used] = '\0';
    return id;
}
