/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/external.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "onnx.pb-c.h"

/* The entries of one tensor as they are written; NULL = left out. */
typedef struct entries {
    const char *location, *offset, *length;
} entries;

void as_external_free(as_external *external)
{
    as_free(external->files);
    *external = (as_external){0};
}

static assay_code take_entry(entries *e, const char *key, const char *value, assay_error *err)
{
    const char **place = strcmp(key, "location") == 0 ? &e->location
                         : strcmp(key, "offset") == 0 ? &e->offset
                         : strcmp(key, "length") == 0 ? &e->length
                                                      : NULL;
    if (strcmp(key, "basepath") == 0)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "its external data has a basepath '%s', they must lie beside the model",
                       value);
    if (!place) return ASSAY_OK; /* a checksum, or what a program keeps for itself */
    if (*place)
        return as_fail(err, ASSAY_E_FORMAT,
                       "its external data has two entries '%s', '%s' and '%s'", key, *place,
                       value);
    *place = value;
    return ASSAY_OK;
}

static assay_code read_entries(const Onnx__TensorProto *proto, entries *out, assay_error *err)
{
    *out = (entries){0};
    for (size_t i = 0; i < proto->n_external_data; i++) {
        const Onnx__StringStringEntryProto *entry = proto->external_data[i];
        assay_code code = take_entry(out, entry->key ? entry->key : "",
                                     entry->value ? entry->value : "", err);
        if (code) return code;
    }
    return out->location ? ASSAY_OK
                         : as_fail(err, ASSAY_E_FORMAT, "its external data has no location");
}

/* Decimal digits alone, and what fits an off_t; `text` NULL leaves the value. */
static assay_code read_number(const char *key, const char *text, uint64_t *out,
                              assay_error *err)
{
    uint64_t value = 0;
    if (!text) return ASSAY_OK;
    if (text[0] == '-')
        return as_fail(err, ASSAY_E_FORMAT, "its external data has the %s %s, it must be >= 0",
                       key, text);
    for (const char *at = text; *at || at == text; at++) {
        if (*at < '0' || *at > '9')
            return as_fail(err, ASSAY_E_FORMAT,
                           "its external data has the %s '%s', a number of bytes is needed",
                           key, text);
        unsigned digit = (unsigned)(*at - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return as_fail(err, ASSAY_E_FORMAT,
                           "its external data has the %s %s, offset+length overflow 63 bits",
                           key, text);
        value = value * 10 + digit;
    }
    *out = value;
    return ASSAY_OK;
}

/* Fail unless the file holds the part. */
static assay_code check_range(const as_external_part *part, const char *length_text,
                              uint64_t length, size_t wanted_bytes, assay_error *err)
{
    const uint64_t size = part->file.size_bytes;
    if (length > (uint64_t)INT64_MAX - part->offset)
        return as_fail(err, ASSAY_E_FORMAT,
                       "its external data '%s' has offset+length overflow: %ju + %ju",
                       part->location, (uintmax_t)part->offset, (uintmax_t)length);
    if (length_text && length != wanted_bytes)
        return as_fail(err, ASSAY_E_FORMAT,
                       "its external data '%s' has the length %ju, its shape needs %zu bytes",
                       part->location, (uintmax_t)length, wanted_bytes);
    if (part->offset > size || wanted_bytes > size - part->offset)
        return as_fail(err, ASSAY_E_FORMAT,
                       "its external data '%s' needs %zu bytes from offset %ju, file has %ju",
                       part->location, wanted_bytes, (uintmax_t)part->offset, (uintmax_t)size);
    return ASSAY_OK;
}

/* Count what is taken from the file. */
static assay_code take_bytes(as_external *external, const as_external_part *part,
                             size_t n_bytes, assay_error *err)
{
    const as_beneath *from = &part->file;
    as_external_file *file = NULL;
    for (size_t i = 0; !file && i < external->n_files; i++)
        if (external->files[i].device == from->device &&
            external->files[i].inode == from->inode)
            file = &external->files[i];
    if (!file) {
        as_external_file *grown =
            as_grow(external->files, external->n_files, &external->room, sizeof *grown);
        if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory for its external data");
        external->files = grown;
        file = &grown[external->n_files++];
        *file = (as_external_file){.device = from->device, .inode = from->inode};
    }
    file->taken_bytes += n_bytes; /* each at most INT64_MAX, and checked every time */
    if (file->taken_bytes > AS_EXTERNAL_FREE_BYTES &&
        file->taken_bytes / AS_EXTERNAL_TIMES > from->size_bytes)
        return as_fail(err, ASSAY_E_FORMAT,
                       "tensors take more than %d times the %ju bytes of '%s'",
                       AS_EXTERNAL_TIMES, (uintmax_t)from->size_bytes, part->location);
    return ASSAY_OK;
}

/* Open `location` in the folder of the model's file. */
static assay_code open_beside(const char *beside, const char *location, as_beneath *out,
                              assay_error *err)
{
    size_t length = (size_t)(as_path_base(beside) - beside);
    char *folder = as_strdup(length ? beside : ".");
    if (!folder) return as_fail(err, ASSAY_E_MEMORY, "no memory for its external data");
    if (length) folder[length] = '\0';
    assay_code code = as_beneath_open(folder, location, out, err);
    as_free(folder);
    return code;
}

assay_code as_external_find(as_external *external, const Onnx__TensorProto *proto,
                            size_t wanted_bytes, as_external_part *out, assay_error *err)
{
    entries e;
    uint64_t length = 0;
    *out = (as_external_part){0};
    assay_code code = read_entries(proto, &e, err);
    if (!code) code = read_number("offset", e.offset, &out->offset, err);
    if (!code) code = read_number("length", e.length, &length, err);
    if (code) return code;
    out->location = e.location;
    if (!external->beside)
        return as_fail(err, ASSAY_E_UNSUPPORTED,
                       "it lies in a file '%s', which is not read here", e.location);
    code = open_beside(external->beside, e.location, &out->file, err);
    if (code) return code;
    code = check_range(out, e.length, length, wanted_bytes, err);
    if (!code) code = take_bytes(external, out, wanted_bytes, err);
    if (code) close(out->file.fd);
    return code;
}

assay_code as_external_read(as_external_part *part, void *data, size_t n_bytes,
                            assay_error *err)
{
    assay_code code = ASSAY_OK;
    unsigned char *bytes = data;
    size_t have = 0;
    while (!code && bytes && have < n_bytes) {
        ssize_t got =
            pread(part->file.fd, bytes + have, n_bytes - have, (off_t)(part->offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            code = as_fail(err, ASSAY_E_IO,
                           "its external data '%s' ended after %zu of %zu bytes: %s",
                           part->location, have, n_bytes,
                           got < 0 ? strerror(errno) : "shortened while it was read");
        else
            have += (size_t)got;
    }
    close(part->file.fd);
    part->file.fd = -1;
    return code;
}
