/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

bool as_parse_int(const char *text, int64_t least, int64_t most, int64_t *out)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*digits)) return false;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || value < least || value > most) return false;
    *out = value;
    return true;
}

/* strtod also takes hexadecimal, "inf" and "nan"; those are no option values. */
bool as_parse_double(const char *text, double least, double most, double *out)
{
    if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!c_locale) return false;
    char *end = NULL;
    double value = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (*end || !isfinite(value) || value < least || value > most) return false;
    *out = value;
    return true;
}

assay_code as_parse_shape(const char *what, const char *text, size_t room, int64_t *extents,
                          size_t *n, assay_error *err)
{
    *n = 0;
    for (const char *at = text;;) {
        size_t length = strcspn(at, "x");
        char digits[20];
        if (*n == room || length == 0 || length >= sizeof digits) break;
        memcpy(digits, at, length);
        digits[length] = '\0';
        if (!isdigit((unsigned char)digits[0])) break;
        if (!as_parse_int(digits, 1, INT32_MAX, &extents[*n])) break;
        (*n)++;
        if (!at[length]) return ASSAY_OK;
        at += length + 1;
    }
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "%s '%.60s' is not a shape, up to %zu extents of at least 1 as in "
                   "1x3x640x640 are needed",
                   what, text, room);
}
