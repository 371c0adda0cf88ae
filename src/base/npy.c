/* SPDX-License-Identifier: Apache-2.0 */
#include "base/npy.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are copied as they are");

/* NumPy pads magic, version and header to a multiple of this. */
#define HEADER_MULTIPLE 64
#define MAGIC           "\x93NUMPY"
#define MAGIC_BYTES     6

static const struct {
    const char *name;
    size_t bytes;
} types[] = {[AS_NPY_F4] = {"<f4", 4}, [AS_NPY_F8] = {"<f8", 8}, [AS_NPY_I8] = {"<i8", 8},
             [AS_NPY_I4] = {"<i4", 4}, [AS_NPY_B1] = {"|b1", 1}, [AS_NPY_U1] = {"|u1", 1}};

size_t as_npy_type_bytes(as_npy_type type) { return types[type].bytes; }
const char *as_npy_type_name(as_npy_type type) { return types[type].name; }

void as_npy_free(as_npy *array)
{
    as_free(array->data);
    *array = (as_npy){0};
}

/* A header that is being read: a Python dict of 'descr', 'fortran_order' and 'shape'. */
typedef struct header {
    const char *at, *end;
    const char *name; /* the file */
    bool has_type, has_order, has_shape;
    as_npy *array;
    assay_error *err;
} header;

static assay_code malformed(const header *h, const char *needed)
{
    return as_fail(h->err, ASSAY_E_FORMAT, "%s has a broken .npy header: %s is missing",
                   h->name, needed);
}

static void skip_spaces(header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
        h->at++;
}

/* Take one character, after spaces. */
static bool take(header *h, char wanted)
{
    skip_spaces(h);
    if (h->at >= h->end || *h->at != wanted) return false;
    h->at++;
    return true;
}

/* Take a word such as True. */
static bool take_word(header *h, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0) return false;
    h->at += length;
    return true;
}

/* A string in either quotes, without escapes; *text borrows the header. */
static bool take_string(header *h, const char **text, int *length)
{
    skip_spaces(h);
    if (h->at >= h->end || (*h->at != '\'' && *h->at != '"')) return false;
    char quote = *h->at++;
    const char *close = memchr(h->at, quote, (size_t)(h->end - h->at));
    if (!close || close - h->at > 64) return false;
    *text = h->at;
    *length = (int)(close - h->at);
    h->at = close + 1;
    return true;
}

static assay_code read_type(header *h)
{
    const char *text;
    int length = 0;
    if (!take_string(h, &text, &length)) return malformed(h, "a simple element type");
    for (size_t i = 0; i < AS_COUNT_OF(types); i++) {
        if ((size_t)length != strlen(types[i].name) ||
            memcmp(text, types[i].name, (size_t)length) != 0)
            continue;
        h->array->type = (as_npy_type)i;
        h->has_type = true;
        return ASSAY_OK;
    }
    return as_fail(
        h->err, ASSAY_E_UNSUPPORTED,
        "%s has elements of type '%.*s', assay reads <f4, <f8, <i8, <i4, |b1 and |u1", h->name,
        length, text);
}

static assay_code read_order(header *h)
{
    h->has_order = true;
    if (take_word(h, "False")) return ASSAY_OK;
    if (!take_word(h, "True")) return malformed(h, "True or False");
    return as_fail(h->err, ASSAY_E_UNSUPPORTED,
                   "%s is in Fortran order, assay needs C order (numpy.ascontiguousarray)",
                   h->name);
}

static bool take_number(header *h, int64_t *out)
{
    int64_t value = 0;
    skip_spaces(h);
    const char *first = h->at;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
        if (value > (INT64_MAX - 9) / 10) return false;
        value = value * 10 + (*h->at - '0');
    }
    *out = value;
    return h->at > first;
}

static assay_code read_shape(header *h)
{
    if (!take(h, '(')) return malformed(h, "a shape");
    while (!take(h, ')')) {
        if (h->array->rank == AS_NPY_MAX_RANK)
            return as_fail(h->err, ASSAY_E_UNSUPPORTED, "%s has more than %d dims", h->name,
                           AS_NPY_MAX_RANK);
        if (!take_number(h, &h->array->dims[h->array->rank++])) return malformed(h, "a dim");
        if (!take(h, ',') && (h->at >= h->end || *h->at != ')')) return malformed(h, "')'");
    }
    h->has_shape = true;
    return ASSAY_OK;
}

static assay_code read_entry(header *h)
{
    const char *key;
    int length = 0;
    if (!take_string(h, &key, &length) || !take(h, ':')) return malformed(h, "a key");
    if (length == 5 && memcmp(key, "descr", 5) == 0 && !h->has_type) return read_type(h);
    if (length == 13 && memcmp(key, "fortran_order", 13) == 0 && !h->has_order)
        return read_order(h);
    if (length == 5 && memcmp(key, "shape", 5) == 0 && !h->has_shape) return read_shape(h);
    return as_fail(h->err, ASSAY_E_FORMAT, "%s has a .npy header with an odd key '%.*s'",
                   h->name, length, key);
}

static assay_code read_header(header *h)
{
    if (!take(h, '{')) return malformed(h, "'{'");
    while (!take(h, '}')) {
        assay_code code = read_entry(h);
        if (code) return code;
        skip_spaces(h);
        if (!take(h, ',') && (h->at >= h->end || *h->at != '}')) return malformed(h, "'}'");
    }
    if (!h->has_type) return malformed(h, "'descr'");
    if (!h->has_order) return malformed(h, "'fortran_order'");
    return h->has_shape ? ASSAY_OK : malformed(h, "'shape'");
}

/* Find the header's text behind magic and version. */
static assay_code find_header(const unsigned char *bytes, size_t size, header *h)
{
    if (size < MAGIC_BYTES + 4 || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return as_fail(h->err, ASSAY_E_FORMAT,
                       "%s is not a .npy file: it has %zu bytes, the first "
                       "of which are not NumPy's",
                       h->name, size);
    unsigned major = bytes[6];
    if (major != 1 && major != 2)
        return as_fail(h->err, ASSAY_E_UNSUPPORTED,
                       "%s is of .npy version %u, assay reads 1 and 2", h->name, major);
    size_t at = major == 1 ? 10 : 12;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (major == 2 && size >= 12) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (size < at || length > size - at)
        return as_fail(h->err, ASSAY_E_FORMAT,
                       "%s is cut off: its header needs %zu bytes, %zu are there", h->name,
                       length, size < at ? 0 : size - at);
    h->at = (const char *)bytes + at;
    h->end = h->at + length;
    return ASSAY_OK;
}

/* The number of elements, and the bytes behind the header that they need. */
static bool count_elements(as_npy *array, size_t *bytes)
{
    size_t n = 1;
    for (int i = 0; i < array->rank; i++)
        if (!as_mul(n, (size_t)array->dims[i], &n)) return false;
    array->n_elements = n;
    return as_mul(n, as_npy_type_bytes(array->type), bytes);
}

assay_code as_npy_parse(const void *bytes, size_t size, const char *name, as_npy *out,
                        assay_error *err)
{
    *out = (as_npy){0};
    as_npy array = {0};
    header h = {.name = name, .array = &array, .err = err};
    assay_code code = find_header(bytes, size, &h);
    const char *data = h.end;
    if (!code) code = read_header(&h);
    if (code) return code;
    size_t wanted = 0, have = size - (size_t)(data - (const char *)bytes);
    if (!count_elements(&array, &wanted))
        return as_fail(err, ASSAY_E_FORMAT, "%s has a shape that no memory can hold", name);
    if (have != wanted)
        return as_fail(err, ASSAY_E_FORMAT, "%s has %zu bytes of elements, its shape needs %zu",
                       name, have, wanted);
    array.data = as_alloc(wanted);
    if (!array.data)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for the %zu bytes of %s", wanted, name);
    if (wanted) memcpy(array.data, data, wanted);
    *out = array;
    return ASSAY_OK;
}

assay_code as_npy_read(const char *path, as_npy *out, assay_error *err)
{
    as_bytes bytes = {0};
    *out = (as_npy){0};
    assay_code code = as_file_read(path, 0, &bytes, err);
    if (!code) code = as_npy_parse(bytes.data, bytes.size, path, out, err);
    as_bytes_free(&bytes);
    return code;
}

/* The whole start of a file: magic, version, length, text, padded; returns its bytes. */
static size_t write_header(const as_npy *array, char *text, size_t room)
{
    size_t at = 10;
    at += (size_t)snprintf(text + at, room - at,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (",
                           as_npy_type_name(array->type));
    for (int i = 0; i < array->rank; i++)
        at +=
            (size_t)snprintf(text + at, room - at, "%s%" PRId64, i ? ", " : "", array->dims[i]);
    at += (size_t)snprintf(text + at, room - at, array->rank == 1 ? ",), }" : "), }");
    size_t end = as_round_up(at + 1, HEADER_MULTIPLE);
    memset(text + at, ' ', end - at);
    text[end - 1] = '\n';
    memcpy(text, MAGIC "\x01\x00", MAGIC_BYTES + 2);
    text[8] = (char)((end - 10) & 0xff);
    text[9] = (char)((end - 10) >> 8);
    return end;
}

assay_code as_npy_write(const char *path, const as_npy *array, assay_error *err)
{
    char start[512]; /* the longest: eight dims of 19 digits */
    size_t n_start = write_header(array, start, sizeof start), n_data = 0, total = 0;
    unsigned char *bytes = NULL;
    if (as_mul(array->n_elements, as_npy_type_bytes(array->type), &n_data) &&
        as_add(n_start, n_data, &total))
        bytes = as_alloc(total);
    if (!bytes) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", path);
    memcpy(bytes, start, n_start);
    if (n_data) memcpy(bytes + n_start, array->data, n_data);
    assay_code code = as_file_write(path, bytes, total, err);
    as_free(bytes);
    return code;
}
