/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/normalise.h"

/* ImageNet's, as PaddleOCR's NormalizeImage applies them to the channels in their order. */
static const float MEAN[3] = {0.485f, 0.456f, 0.406f};
static const float DEVIATION[3] = {0.229f, 0.224f, 0.225f};

void as_normalise_row(int channel, const uint8_t *restrict p, size_t n, float *restrict out)
{
    float scale = (float)(1. / 255) / DEVIATION[channel];
    float shift = MEAN[channel] / DEVIATION[channel];
    for (size_t i = 0; i < n; i++)
        out[i] = (float)p[i] * scale - shift;
}
