/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/detect.h"
#include "detect/normalise.h"
#include "detect/scratch.h"

static bool is_side(int side) { return side >= 1 && side <= AS_IMAGE_SIDE_MAX; }

assay_code as_preprocess(as_detect_scratch *scratch, const uint8_t *bgr, int h, int w,
                         int net_h, int net_w, float *input, assay_error *err)
{
    if (!is_side(h) || !is_side(w) || !is_side(net_h) || !is_side(net_w))
        return as_fail(
            err, ASSAY_E_ARGUMENT,
            "an image of %d x %d pixels for an input of %d x %d, sides have to be in 1..%d", h,
            w, net_h, net_w, AS_IMAGE_SIDE_MAX);
    assay_code code = as_resizer_init(&scratch->resizer, bgr, h, w, net_h, net_w, err);
    if (code) return code;
    size_t n = (size_t)net_w, plane = (size_t)net_h * n;
    for (int y = 0; y < net_h; y++) {
        const uint8_t *planes = as_resizer_row(&scratch->resizer, y);
        for (int c = 0; c < 3; c++)
            as_normalise_row(c, planes + (size_t)c * n, n,
                             input + (size_t)c * plane + (size_t)y * n);
    }
    return ASSAY_OK;
}
