/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

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
    vsnprintf(err->message, sizeof err->message, format, values);
    va_end(values);
    return code;
}

void as_error_where(assay_error *err, const char *format, ...)
{
    if (!err) return;
    char outer[sizeof err->where];
    va_list values;
    va_start(values, format);
    vsnprintf(outer, sizeof outer, format, values);
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
