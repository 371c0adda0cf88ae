/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG by libjpeg: baseline, progressive and arithmetic, grey, YCbCr, RGB, CMYK and YCCK. */
#include <setjmp.h>
#include <stdio.h> /* jpeglib.h needs FILE */

#include <jpeglib.h>

#include <jerror.h>

#include "base/memory.h"
#include "image/decode.h"

/* A progressive file may have any number of scans, each of which costs the time of a whole picture.
 * Encoders make about 10; one for each coefficient of three components are 190. */
enum { SCANS_MOST = 200 };

/* One call; libjpeg's functions find it by client_data. */
typedef struct jpeg_call {
    const as_encoded *file;
    as_image *out;
    as_trouble *trouble;
    assay_error *err;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    JSAMPLE *row; /* owns; [w][4], for CMYK */
    jmp_buf back;
    as_complaint complaint;
    int code; /* libjpeg's number of the error that ended the call; 0 */
} jpeg_call;

static void keep_message(j_common_ptr jpeg)
{
    jpeg_call *call = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    as_complaint_keep(&call->complaint, text);
}

static void on_error(j_common_ptr jpeg)
{
    jpeg_call *call = jpeg->client_data;
    call->code = jpeg->err->msg_code;
    keep_message(jpeg);
    longjmp(call->back, 1);
}

/* Level -1 warns of corrupt data, which ends the call; levels from 0 on tell what is done. */
static void on_message(j_common_ptr jpeg, int level)
{
    jpeg_call *call = jpeg->client_data;
    if (level >= 0) return;
    keep_message(jpeg);
    longjmp(call->back, 1);
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

static void on_progress(j_common_ptr jpeg)
{
    jpeg_call *call = jpeg->client_data;
    if (call->jpeg.input_scan_number <= SCANS_MOST) return;
    as_complaint_keep(&call->complaint, "more than 200 scans");
    longjmp(call->back, 1);
}

static void begin(jpeg_call *call)
{
    struct jpeg_decompress_struct *jpeg = &call->jpeg;
    jpeg->err = jpeg_std_error(&call->errors);
    call->errors.error_exit = on_error;
    call->errors.emit_message = on_message;
    call->errors.output_message = on_output;
    jpeg->client_data = call;
}

/* Adobe's programs store CMYK inverted and say so by their marker. */
static void cmyk_to_bgr(const jpeg_call *call, uint8_t *to)
{
    const JSAMPLE *from = call->row;
    unsigned turn = call->jpeg.saw_Adobe_marker ? 0 : 255;
    for (JDIMENSION x = 0; x < call->jpeg.output_width; x++, from += 4, to += 3) {
        unsigned white = from[3] ^ turn;
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)(((from[2 - c] ^ turn) * white + 127) / 255);
    }
}

/* The whole way; libjpeg's errors jump out of it. */
static assay_code read_all(jpeg_call *call)
{
    struct jpeg_decompress_struct *jpeg = &call->jpeg;
    jpeg_create_decompress(jpeg);
    call->progress.progress_monitor = on_progress;
    jpeg->progress = &call->progress;
    jpeg_mem_src(jpeg, call->file->data, (unsigned long)call->file->size);
    jpeg_read_header(jpeg, TRUE);
    assay_code code = as_decode_begin(call->file, jpeg->image_width, jpeg->image_height,
                                      call->out, call->trouble, call->err);
    if (code) return code;
    bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_BGR;
    if (is_cmyk && !(call->row = as_alloc_array(jpeg->image_width, 4)))
        return as_fail(call->err, ASSAY_E_MEMORY, "no memory to decode %s", call->file->name);
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *to = call->out->bgr + (size_t)jpeg->output_scanline * jpeg->output_width * 3;
        JSAMPROW row = is_cmyk ? call->row : to;
        if (jpeg_read_scanlines(jpeg, &row, 1) != 1) break;
        if (is_cmyk) cmyk_to_bgr(call, to);
    }
    jpeg_finish_decompress(jpeg);
    return ASSAY_OK;
}

/* What libjpeg's complaint says of the file. */
static assay_code judge(const jpeg_call *call)
{
    const as_encoded *file = call->file;
    assay_code code;
    switch (call->code) {
    case JERR_OUT_OF_MEMORY:
        return as_fail(call->err, ASSAY_E_MEMORY, "no memory to decode %s", file->name);
    case JERR_IMAGE_TOO_BIG: /* a side, which may be within the pixels that are allowed */
        code = as_decode_check(file, call->jpeg.image_width, call->jpeg.image_height,
                               call->trouble, call->err);
        if (code) return code;
        as_decode_unsupported(file, call->complaint.text, call->trouble, call->err);
        *call->trouble = AS_TROUBLE_TOO_LARGE;
        return ASSAY_E_UNSUPPORTED;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
        return as_decode_unsupported(file, call->complaint.text, call->trouble, call->err);
    default:
        return as_decode_damaged(file, call->complaint.text, call->trouble, call->err);
    }
}

assay_code as_decode_jpeg(const as_encoded *file, as_image *out, as_trouble *trouble,
                          assay_error *err)
{
    jpeg_call *call = as_alloc(sizeof *call);
    if (!call) return as_fail(err, ASSAY_E_MEMORY, "no memory to decode %s", file->name);
    call->file = file;
    call->out = out;
    call->trouble = trouble;
    call->err = err;
    begin(call);
    assay_code code = setjmp(call->back) == 0 ? read_all(call) : ASSAY_E_FORMAT;
    jpeg_destroy_decompress(&call->jpeg);
    if (call->complaint.text[0]) code = judge(call);
    as_free(call->row);
    as_free(call);
    return code;
}
