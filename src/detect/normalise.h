/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_DETECT_NORMALISE_H
#define ASSAY_DETECT_NORMALISE_H
/* Bytes to a network's numbers: (p / 255 - mean) / deviation, as numpy computes it in float32. */
#include <stddef.h>
#include <stdint.h>

/**
 * One row of one channel: out[i] = p[i] * scale - shift, rounded after each of the two steps.
 * @param channel 0 blue, 1 green, 2 red.  The detectors get BGR with the means of ImageNet's RGB.
 */
void as_normalise_row(int channel, const uint8_t *p, size_t n, float *out);

#endif
