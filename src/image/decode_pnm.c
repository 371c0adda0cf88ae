/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PBM, PGM, PPM and PAM, plain and raw, as netpbm's manual pages pbm(5), pgm(5), ppm(5) and pam(5)
 * define them.  Read here, since it is little work and the whole range of maxval and comments are
 * wanted.  Of a file with several pictures the first one is read.
 */
#include <string.h>

#include "base/size.h"
#include "image/decode.h"

/* What a header says. */
typedef struct pnm_header {
    int kind;            /* 1..7, the digit behind 'P' */
    uint64_t w, h;       /* in pixels */
    unsigned n_channels; /* 1, 2 (grey and alpha), 3, 4 (RGB and alpha) */
    unsigned maxval;     /* 1..65535 */
    bool is_bitmap;      /* P1, P4: a bit is black where set */
} pnm_header;

/* Bytes being read. */
typedef struct cursor {
    const unsigned char *data;
    size_t size;
    size_t place;
} cursor;

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skip white space and comments, which '#' begins and the line's end closes. */
static void skip_space(cursor *c)
{
    while (c->place < c->size) {
        if (c->data[c->place] == '#')
            while (c->place < c->size && c->data[c->place] != '\n' && c->data[c->place] != '\r')
                c->place++;
        else if (is_space(c->data[c->place]))
            c->place++;
        else
            return;
    }
}

/* A decimal number of at most `most`, spaces before it skipped. */
static bool read_number(cursor *c, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    skip_space(c);
    size_t begin = c->place;
    for (; c->place < c->size && is_digit(c->data[c->place]); c->place++) {
        value = value * 10 + (uint64_t)(c->data[c->place] - '0');
        if (value > most) return false;
    }
    *out = value;
    return c->place > begin;
}

/* P1 to P6: width, height and, but for bitmaps, maxval; then one white space. */
static bool read_plain_header(cursor *c, pnm_header *head)
{
    uint64_t maxval = 1;
    head->is_bitmap = head->kind == 1 || head->kind == 4;
    head->n_channels = head->kind == 3 || head->kind == 6 ? 3 : 1;
    if (!read_number(c, UINT32_MAX, &head->w) || !read_number(c, UINT32_MAX, &head->h))
        return false;
    if (!head->is_bitmap && !read_number(c, 65535, &maxval)) return false;
    head->maxval = (unsigned)maxval;
    return c->place < c->size && is_space(c->data[c->place++]);
}

/* Whether the word at the cursor is `word`; then it is skipped. */
static bool takes_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    if (c->size - c->place < n + 1 || memcmp(c->data + c->place, word, n) != 0 ||
        !is_space(c->data[c->place + n]))
        return false;
    c->place += n;
    return true;
}

static void skip_line(cursor *c)
{
    while (c->place < c->size && c->data[c->place] != '\n')
        c->place++;
}

/* P7: lines "WIDTH 5" ... until "ENDHDR".  TUPLTYPE says nothing that DEPTH does not. */
static bool read_pam_header(cursor *c, pnm_header *head)
{
    uint64_t depth = 0, maxval = 0;
    for (;;) {
        bool is_read = true;
        skip_space(c);
        if (takes_word(c, "ENDHDR"))
            break;
        else if (takes_word(c, "WIDTH"))
            is_read = read_number(c, UINT32_MAX, &head->w);
        else if (takes_word(c, "HEIGHT"))
            is_read = read_number(c, UINT32_MAX, &head->h);
        else if (takes_word(c, "DEPTH"))
            is_read = read_number(c, 4, &depth);
        else if (takes_word(c, "MAXVAL"))
            is_read = read_number(c, 65535, &maxval);
        else if (takes_word(c, "TUPLTYPE"))
            skip_line(c);
        else
            is_read = false;
        if (!is_read) return false;
    }
    c->place++; /* the line's end, which takes_word saw */
    head->n_channels = (unsigned)depth;
    head->maxval = (unsigned)maxval;
    return depth >= 1;
}

/* The next sample, in 0..255; false where the data end or pass maxval. */
static bool read_sample(cursor *c, const pnm_header *head, unsigned *out)
{
    uint64_t value;
    if (head->kind == 1) { /* digits may stand without space between them */
        skip_space(c);
        if (c->place >= c->size || (c->data[c->place] | 1) != '1') return false;
        *out = c->data[c->place++] == '1' ? 0 : 255;
        return true;
    }
    if (head->kind <= 3) {
        if (!read_number(c, head->maxval, &value)) return false;
    } else if (head->maxval < 256) {
        value = c->data[c->place++];
    } else {
        value = (uint64_t)c->data[c->place] << 8 | c->data[c->place + 1];
        c->place += 2;
    }
    if (value > head->maxval) return false;
    *out = head->maxval == 65535 ? (unsigned)value >> 8 /* as of every 16-bit format */
                                 : ((unsigned)value * 255 + head->maxval / 2) / head->maxval;
    return true;
}

/* Bytes that the samples take at least. */
static uint64_t bytes_of(const pnm_header *head)
{
    if (head->kind == 4) return (head->w + 7) / 8 * head->h;
    uint64_t n = head->w * head->h * head->n_channels;
    if (head->kind == 2 || head->kind == 3) return 2 * n - 1; /* digits and spaces between */
    return head->maxval > 255 ? 2 * n : n;
}

static bool read_bits(cursor *c, as_image *out)
{
    size_t row_bytes = as_div_up((size_t)out->w, 8);
    for (size_t y = 0; y < (size_t)out->h; y++) {
        const unsigned char *row = c->data + c->place + y * row_bytes;
        uint8_t *to = out->bgr + y * (size_t)out->w * 3;
        for (size_t x = 0; x < (size_t)out->w; x++)
            memset(to + 3 * x, row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255, 3);
    }
    return true;
}

static bool read_samples(cursor *c, const pnm_header *head, as_image *out)
{
    size_t n = (size_t)out->w * (size_t)out->h;
    bool is_colour = head->n_channels >= 3, has_alpha = head->n_channels % 2 == 0;
    if (head->kind == 4) return read_bits(c, out);
    for (size_t i = 0; i < n; i++) {
        unsigned sample[4] = {0}, alpha = 255;
        for (unsigned k = 0; k < head->n_channels; k++)
            if (!read_sample(c, head, &sample[k])) return false;
        if (has_alpha) alpha = sample[head->n_channels - 1];
        for (size_t k = 0; k < 3; k++)
            out->bgr[3 * i + k] = as_on_white(sample[is_colour ? 2 - k : 0], alpha);
    }
    return true;
}

assay_code as_decode_pnm(const as_encoded *file, as_image *out, as_trouble *trouble,
                         assay_error *err)
{
    cursor c = {file->data, file->size, 2};
    pnm_header head = {.kind = file->data[1] - '0'};
    bool is_read = head.kind == 7 ? read_pam_header(&c, &head) : read_plain_header(&c, &head);
    if (!is_read || head.maxval == 0)
        return as_decode_damaged(file, "its header", trouble, err);
    assay_code code = as_decode_check(file, head.w, head.h, trouble, err);
    if (code) return code;
    uint64_t wanted = bytes_of(&head);
    if (wanted > file->size - c.place)
        return as_decode_damaged(file, "unexpected end", trouble, err);
    code = as_decode_begin(file, head.w, head.h, out, trouble, err);
    if (!code && !read_samples(&c, &head, out))
        code =
            as_decode_damaged(file, "a sample that is none or above its maximum", trouble, err);
    return code;
}
