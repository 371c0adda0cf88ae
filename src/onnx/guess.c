/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/guess.h"

#include <string.h>

/* How files begin that people have in a model's place. */
static const struct {
    const char *bytes;
    size_t n, at;
    const char *what;
} beginnings[] = {
#define BEGINS(text, at, what)                                                                 \
    {                                                                                          \
        text, sizeof(text) - 1, at, what                                                       \
    }
    BEGINS("version https://git-lfs", 0, "a Git LFS pointer, not a model"),
    BEGINS("<!DOCTYPE", 0, "a web page"),
    BEGINS("<!doctype", 0, "a web page"),
    BEGINS("<html", 0, "a web page"),
    BEGINS("<?xml", 0, "XML"),
    BEGINS("{", 0, "JSON"),
    BEGINS("PK\x03\x04", 0, "a zip archive, as PyTorch saves"),
    BEGINS("\x1f\x8b", 0, "a gzip archive"),
    BEGINS("\x80\x02", 0, "a Python pickle, as PyTorch saves"),
    BEGINS("\x89HDF", 0, "HDF5, as Keras saves"),
    BEGINS("\x93NUMPY", 0, "a NumPy array"),
    BEGINS("TFL3", 4, "a TensorFlow Lite model"),
    BEGINS("ORTM", 4, "ONNX Runtime's own format"),
#undef BEGINS
};

static bool is_text(unsigned char byte)
{
    return (byte >= 0x20 && byte != 0x7f) || (byte >= '\t' && byte <= '\r');
}

const char *as_onnx_guess(const as_bytes *bytes)
{
    enum { LOOKED_AT = 4096 };
    size_t n = bytes->size < LOOKED_AT ? bytes->size : LOOKED_AT, n_text = 0, n_zeros = 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (n >= beginnings[i].at + beginnings[i].n &&
            memcmp(bytes->data + beginnings[i].at, beginnings[i].bytes, beginnings[i].n) == 0)
            return beginnings[i].what;
    for (size_t i = 0; i < n; i++) {
        n_text += is_text(bytes->data[i]);
        n_zeros += bytes->data[i] == 0;
    }
    return n == 0 ? NULL : n_text == n ? "text format" : n_zeros == n ? "zeros" : NULL;
}
