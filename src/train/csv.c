/* SPDX-License-Identifier: Apache-2.0 */
#include "train/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"

/* Text on its way into a table. */
typedef struct reader {
    const char *at, *end; /* *end is zero, so that a number ends there */
    const char *name;
    size_t line, n_columns;
    assay_error *err;
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

static const char *line_end(const reader *r)
{
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    return end ? end : r->end;
}

/* Begin the next line that is not empty.  @return false behind the last. */
static bool next_line(reader *r)
{
    for (; r->at < r->end; r->line++) {
        r->at += r->line && *r->at == '\n';
        skip_blanks(r);
        if (r->at < r->end && *r->at != '\n') return ++r->line, true;
    }
    return false;
}

static bool is_number_begin(char c)
{
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/* A value and the comma behind it, or the line's end behind the last one. */
static assay_code take_value(reader *r, size_t column, double *out)
{
    skip_blanks(r);
    char *behind = NULL;
    const bool is_number = r->at < r->end && is_number_begin(*r->at);
    if (is_number) *out = strtod(r->at, &behind);
    if (!is_number || behind == r->at) {
        const char *end = line_end(r);
        int shown = (int)strcspn(r->at, ",\r\n");
        if (r->at == end)
            return as_fail(r->err, ASSAY_E_FORMAT,
                           "%s has %zu columns in line %zu, %zu are needed", r->name, column,
                           r->line, r->n_columns);
        return as_fail(r->err, ASSAY_E_FORMAT,
                       "%s has \"%.*s\" in line %zu, a number is needed", r->name,
                       shown < 40 ? shown : 40, r->at, r->line);
    }
    r->at = behind;
    skip_blanks(r);
    const bool is_last = column + 1 == r->n_columns;
    if (r->at < r->end && *r->at == ',' && !is_last) return r->at++, ASSAY_OK;
    if (is_last && (r->at == r->end || *r->at == '\n')) return ASSAY_OK;
    return as_fail(r->err, ASSAY_E_FORMAT, "%s has %s %zu columns in line %zu, %zu are needed",
                   r->name, is_last ? "more than" : "only", column + 1, r->line, r->n_columns);
}

/* Lines that hold something, an upper bound of the table's. */
static size_t count_lines(const char *text, size_t size)
{
    size_t n = 1;
    for (size_t i = 0; i < size; i++)
        n += text[i] == '\n';
    return n;
}

/* Whether the line has no number at all: the names of its columns. */
static bool is_heading(const reader *r)
{
    const char *end = line_end(r);
    for (const char *at = r->at; at < end; at += strcspn(at, ",\n") + 1) {
        while (at < end && is_blank(*at))
            at++;
        if (at < end && is_number_begin(*at)) return false;
    }
    return true;
}

static assay_code read_lines(reader *r, double *values, size_t most, size_t *n)
{
    while (next_line(r)) {
        if (r->line == 1 && is_heading(r)) {
            r->at = line_end(r);
            continue;
        }
        if (*n == most) /* a NUL byte or the like let strtod go past a line's end */
            return as_fail(r->err, ASSAY_E_FORMAT, "%s is no text of lines", r->name);
        for (size_t column = 0; column < r->n_columns; column++) {
            assay_code code = take_value(r, column, &values[*n * r->n_columns + column]);
            if (code) return code;
        }
        ++*n;
    }
    if (*n) return ASSAY_OK;
    return as_fail(r->err, ASSAY_E_FORMAT, "%s has no line of numbers", r->name);
}

assay_code as_csv_parse(const char *text, size_t size, const char *name, size_t n_columns,
                        as_npy *out, assay_error *err)
{
    *out = (as_npy){0};
    /* A line has two bytes a value at least, so the table is at most so long, whatever is asked for. */
    const size_t most =
        as_min(count_lines(text, size), size / as_max(2 * n_columns - 1, 1) + 1);
    size_t n = 0, n_values = 0;
    double *values = as_mul(most, n_columns, &n_values)
                         ? as_alloc_array(n_values + 1, sizeof *values)
                         : NULL;
    if (!values)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu lines of %s", most, name);
    const size_t mark =
        size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* of UTF-8 */
    reader r = {text + mark, text + size, name, 0, n_columns, err};
    assay_code code = read_lines(&r, values, most, &n);
    if (code) {
        as_free(values);
        return code;
    }
    *out = (as_npy){.type = AS_NPY_F8,
                    .rank = 2,
                    .dims = {(int64_t)n, (int64_t)n_columns},
                    .data = values,
                    .n_elements = n * n_columns};
    return ASSAY_OK;
}
