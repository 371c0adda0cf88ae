/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libpng, which composes alpha, transparent colours and palettes on white itself. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/size.h"
#include "image/decode.h"

/* One call; libpng's functions find it by their pointers. */
typedef struct png_call {
    const as_encoded *file;
    as_image *out;
    as_trouble *trouble;
    assay_error *err;
    png_structp png;
    png_infop info;
    size_t place;        /* bytes read */
    bool warnings_count; /* while pixels are read, what libpng warns of is damage */
    as_complaint complaint;
} png_call;

static void on_error(png_structp png, png_const_charp text)
{
    png_call *call = png_get_error_ptr(png);
    as_complaint_keep(&call->complaint, text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    png_call *call = png_get_error_ptr(png);
    bool is_surplus = strstr(text, "Too much image data") || strstr(text, "Extra compressed");
    if (call->warnings_count && !is_surplus) as_complaint_keep(&call->complaint, text);
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
    png_call *call = png_get_io_ptr(png);
    if (n > call->file->size - call->place) png_error(png, "unexpected end");
    memcpy(to, call->file->data + call->place, n);
    call->place += n;
}

/* Chunks that change no sample as it is wanted here, texts and profiles to be unpacked among them. */
static void skip_chunks(png_structp png)
{
    static const png_byte names[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0"
        "sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
}

/* Whatever the samples are: 8 bits, blue first, composed on white. */
static void ask_for_bgr(const png_call *call)
{
    static const png_color_16 white = {
        .index = 0, .red = 255, .green = 255, .blue = 255, .gray = 255};
    png_set_expand(call->png);
    png_set_strip_16(call->png);
    png_set_gray_to_rgb(call->png);
    png_set_bgr(call->png);
    png_color_16 wide = {.red = 65535, .green = 65535, .blue = 65535, .gray = 65535};
    bool is_wide = png_get_bit_depth(call->png, call->info) == 16;
    png_set_background(call->png, is_wide ? &wide : &white, PNG_BACKGROUND_GAMMA_SCREEN, 0,
                       1.0);
}

/* The whole way; libpng's errors jump out of it. */
static assay_code read_all(png_call *call)
{
    png_structp png = call->png;
    png_set_read_fn(png, call, read_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX,
                        PNG_UINT_31_MAX); /* as_decode_begin has its own */
    skip_chunks(png);
    png_read_info(png, call->info);
    png_uint_32 w = png_get_image_width(png, call->info);
    png_uint_32 h = png_get_image_height(png, call->info);
    assay_code code = as_decode_begin(call->file, w, h, call->out, call->trouble, call->err);
    if (code) return code;
    ask_for_bgr(call);
    int n_passes = png_set_interlace_handling(png);
    png_read_update_info(png, call->info);
    size_t row_bytes = (size_t)w * 3;
    if (png_get_rowbytes(png, call->info) != row_bytes) png_error(png, "rows of another size");
    call->warnings_count = true;
    for (int pass = 0; pass < n_passes; pass++)
        for (png_uint_32 y = 0; y < h; y++)
            png_read_row(png, call->out->bgr + y * row_bytes, NULL);
    call->warnings_count = false;
    png_read_end(png, NULL);
    return ASSAY_OK;
}

assay_code as_decode_png(const as_encoded *file, as_image *out, as_trouble *trouble,
                         assay_error *err)
{
    png_call call = {.file = file, .out = out, .trouble = trouble, .err = err};
    assay_code code;
    call.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &call, on_error, on_warning);
    if (call.png) call.info = png_create_info_struct(call.png);
    if (!call.info)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to decode %s", file->name);
    else if (setjmp(png_jmpbuf(call.png)) == 0)
        code = read_all(&call);
    else
        code = ASSAY_E_FORMAT;
    png_destroy_read_struct(&call.png, &call.info, NULL);
    if (call.complaint.text[0])
        return as_decode_damaged(file, call.complaint.text, trouble, err);
    return code;
}
