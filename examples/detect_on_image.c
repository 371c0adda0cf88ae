/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Find the text on one image.
 *
 *     cc detect_on_image.c -o detect_on_image $(pkg-config --cflags --libs assay)
 *     ./detect_on_image detector.onnx page.ppm
 *
 * The image is a binary PPM (P6, 8 bits), which every image program writes: `convert page.png page.ppm`.
 * A line a box: its four corners, clockwise from the top left, and its score.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <assay/assay.h>

/* Blue, green, red, as the detector wants them; the caller frees.  NULL where the file is no such PPM. */
static uint8_t *read_ppm(const char *path, size_t *height, size_t *width)
{
    FILE *file = fopen(path, "rb");
    unsigned w = 0, h = 0, most = 0;
    uint8_t *bgr = NULL;
    if (file && fscanf(file, "P6 %5u %5u %3u", &w, &h, &most) == 3 && most == 255 &&
        fgetc(file) != EOF && w && h)
        bgr = malloc((size_t)w * h * 3);
    if (bgr && fread(bgr, 3, (size_t)w * h, file) != (size_t)w * h) {
        free(bgr);
        bgr = NULL;
    }
    if (file) fclose(file);
    for (size_t i = 0; bgr && i < (size_t)w * h; i++) {
        uint8_t red = bgr[3 * i];
        bgr[3 * i] = bgr[3 * i + 2];
        bgr[3 * i + 2] = red;
    }
    *height = h;
    *width = w;
    return bgr;
}

static void print_box(const assay_box *box)
{
    for (int k = 0; k < 4; k++)
        printf("(%d, %d) ", (int)box->corners[k][0], (int)box->corners[k][1]);
    printf("%.6f\n", box->score);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: detect_on_image DETECTOR.onnx IMAGE.ppm\n");
        return 2;
    }
    size_t height, width;
    uint8_t *bgr = read_ppm(argv[2], &height, &width);
    if (!bgr) {
        fprintf(stderr, "%s is not a binary PPM of 8 bits\n", argv[2]);
        return 1;
    }
    assay_error err;
    assay_detector *detector = NULL;
    assay_box *boxes = NULL;
    size_t n = 0;
    assay_code code = assay_detector_load(argv[1], NULL, &detector, &err);
    if (!code) code = assay_detector_run(detector, bgr, height, width, &boxes, &n, &err);
    if (code) fprintf(stderr, "%s%s%s\n", err.where, err.where[0] ? ": " : "", err.message);
    for (size_t i = 0; i < n; i++)
        print_box(&boxes[i]);

    assay_boxes_free(boxes);
    assay_detector_free(detector);
    free(bgr);
    return code ? 1 : 0;
}
