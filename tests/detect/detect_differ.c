/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a Python program's questions with src/detect, for differ.py and pages.py.  A question on
 * standard input is an int32 kind and what its function reads, the answer on standard output what
 * it writes; numbers are the machine's own.  The end of the input ends the program.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "detect/detect.h"

enum { KIND_PREPROCESS = 1, KIND_BOXES = 2, KIND_SIZE = 3 };

static void stop(const char *reason)
{
    fprintf(stderr, "detect_differ: %s\n", reason);
    exit(1);
}

static void get(void *data, size_t bytes)
{
    if (fread(data, 1, bytes, stdin) != bytes) stop("the input ends inside a question");
}

static void put(const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, stdout) != bytes) stop("the output cannot be written");
}

static void *need(size_t bytes)
{
    void *memory = as_alloc(bytes);
    if (memory == NULL) stop("no memory");
    return memory;
}

/* int32 h, w, net_h, net_w; uint8 bgr[h][w][3] -> float input[3][net_h][net_w] */
static void answer_preprocess(as_detect_scratch *scratch)
{
    int32_t size[4];
    assay_error err;
    get(size, sizeof size);
    size_t image_bytes = (size_t)size[0] * (size_t)size[1] * 3;
    size_t input_bytes = (size_t)size[2] * (size_t)size[3] * 3 * sizeof(float);
    uint8_t *bgr = need(image_bytes);
    float *input = need(input_bytes);
    get(bgr, image_bytes);
    if (as_preprocess(scratch, bgr, size[0], size[1], size[2], size[3], input, &err))
        stop(err.message);
    put(input, input_bytes);
    as_free(bgr);
    as_free(input);
}

/*
 * int32 h, w, image_h, image_w; double thresh, box_thresh, unclip; float prob[h][w]
 * -> int32 n; n of { int32 corners[4][2]; double score }
 */
static void answer_boxes(as_detect_scratch *scratch)
{
    int32_t size[4];
    double numbers[3];
    assay_error err;
    as_boxes boxes = {0};
    as_detect_settings settings = as_detect_settings_defaults();
    get(size, sizeof size);
    get(numbers, sizeof numbers);
    settings.thresh = (float)numbers[0];
    settings.box_thresh = numbers[1];
    settings.unclip = numbers[2];
    size_t map_bytes = (size_t)size[0] * (size_t)size[1] * sizeof(float);
    float *prob = need(map_bytes);
    get(prob, map_bytes);
    if (as_detect_settings_check(&settings, &err) ||
        as_boxes_from_map(scratch, &settings, prob, size[0], size[1], size[2], size[3], &boxes,
                          &err))
        stop(err.message);
    int32_t n = (int32_t)boxes.n;
    put(&n, sizeof n);
    for (size_t i = 0; i < boxes.n; i++) {
        put(boxes.items[i].corners, sizeof boxes.items[i].corners);
        put(&boxes.items[i].score, sizeof boxes.items[i].score);
    }
    as_boxes_free(&boxes);
    as_free(prob);
}

/* int32 h, w, limit_side, limit_type (0 max, 1 min) -> int32 h, w, scaled_down */
static void answer_size(void)
{
    int32_t question[4];
    as_detect_settings settings = as_detect_settings_defaults();
    get(question, sizeof question);
    settings.limit_side = question[2];
    settings.limit_type = question[3] == 1 ? AS_LIMIT_MIN : AS_LIMIT_MAX;
    as_network_size size = as_network_size_of(&settings, question[0], question[1]);
    int32_t answer[3] = {size.h, size.w, size.scaled_down};
    put(answer, sizeof answer);
}

int main(void)
{
    int32_t kind;
    as_detect_scratch *scratch = as_detect_scratch_new();
    if (scratch == NULL) stop("no memory");
    while (fread(&kind, sizeof kind, 1, stdin) == 1) {
        switch (kind) {
        case KIND_PREPROCESS:
            answer_preprocess(scratch);
            break;
        case KIND_BOXES:
            answer_boxes(scratch);
            break;
        case KIND_SIZE:
            answer_size();
            break;
        default:
            stop("a question of an unknown kind");
        }
        if (fflush(stdout) != 0) stop("the output cannot be written");
    }
    as_detect_scratch_free(scratch);
    return 0;
}
