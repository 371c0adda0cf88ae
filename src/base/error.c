/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *assay_code_name(assay_code code)
{
    switch (code) {
    case ASSAY_OK:
        return "ASSAY_OK";
    case ASSAY_E_ARGUMENT:
        return "ASSAY_E_ARGUMENT";
    case ASSAY_E_FORMAT:
        return "ASSAY_E_FORMAT";
    case ASSAY_E_UNSUPPORTED:
        return "ASSAY_E_UNSUPPORTED";
    case ASSAY_E_NOT_FOUND:
        return "ASSAY_E_NOT_FOUND";
    case ASSAY_E_CHANGED:
        return "ASSAY_E_CHANGED";
    case ASSAY_E_IO:
        return "ASSAY_E_IO";
    case ASSAY_E_MEMORY:
        return "ASSAY_E_MEMORY";
    case ASSAY_E_ENVIRONMENT:
        return "ASSAY_E_ENVIRONMENT";
    case ASSAY_E_CHILD:
        return "ASSAY_E_CHILD";
    case ASSAY_E_DIFFERENT:
        return "ASSAY_E_DIFFERENT";
    case ASSAY_E_INTERRUPTED:
        return "ASSAY_E_INTERRUPTED";
    }
    return "unknown code";
}

/* Whether `c` goes on with a UTF-8 character. */
static bool is_inside_character(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

void as_sentence(char *text, size_t room, const char *format, va_list values)
{
    static const char gap[] = "[...]";
    char whole[3 * 4096]; /* two paths of PATH_MAX and words */
    vsnprintf(whole, sizeof whole, format, values);
    size_t n = strlen(whole);
    if (n < room) {
        memcpy(text, whole, n + 1);
        return;
    }
    size_t head = (room - sizeof gap) / 3, tail = room - sizeof gap - head;
    while (head > 0 && is_inside_character(whole[head]))
        head--;
    while (tail > 0 && is_inside_character(whole[n - tail]))
        tail--;
    memcpy(text, whole, head);
    memcpy(text + head, gap, sizeof gap - 1);
    memcpy(text + head + sizeof gap - 1, whole + n - tail, tail + 1);
}

assay_code as_fail_at(assay_error *err, assay_code code, const char *file, int line,
                      const char *format, ...)
{
    if (!err) return code;
    err->code = code;
    err->file = file;
    err->line = line;
    err->where[0] = '\0';
    va_list values;
    va_start(values, format);
    as_sentence(err->message, sizeof err->message, format, values);
    va_end(values);
    return code;
}

void as_error_where(assay_error *err, const char *format, ...)
{
    if (!err) return;
    char outer[sizeof err->where];
    va_list values;
    va_start(values, format);
    as_sentence(outer, sizeof outer, format, values);
    va_end(values);
    char both[2 * sizeof err->where + 2];
    snprintf(both, sizeof both, err->where[0] ? "%s: %s" : "%s%s", outer, err->where);
    both[sizeof err->where - 1] = '\0';
    memcpy(err->where, both, sizeof err->where);
}

void as_error_clear(assay_error *err)
{
    if (!err) return;
    *err = (assay_error){.code = ASSAY_OK};
}
