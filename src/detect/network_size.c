/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "detect/settings.h"

as_detect_settings as_detect_settings_defaults(void)
{
    return (as_detect_settings){.thresh = 0.3f,
                                .box_thresh = 0.6,
                                .unclip = 1.5,
                                .limit_side = 960,
                                .limit_type = AS_LIMIT_MAX};
}

assay_code as_detect_settings_check(const as_detect_settings *settings, assay_error *err)
{
    if (!isfinite(settings->thresh))
        return as_fail(err, ASSAY_E_ARGUMENT, "thresh is %g, it has to be a finite number",
                       (double)settings->thresh);
    if (!isfinite(settings->box_thresh))
        return as_fail(err, ASSAY_E_ARGUMENT, "box-thresh is %g, it has to be a finite number",
                       settings->box_thresh);
    if (!(settings->unclip > 0 && settings->unclip <= 100))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "unclip is %g, it has to be above 0 and at most 100", settings->unclip);
    if (settings->limit_side < 1 || settings->limit_side > AS_SIDE_MAX)
        return as_fail(err, ASSAY_E_ARGUMENT, "limit-side is %d, it has to be in 1..%d",
                       settings->limit_side, AS_SIDE_MAX);
    if (settings->limit_type != AS_LIMIT_MAX && settings->limit_type != AS_LIMIT_MIN)
        return as_fail(err, ASSAY_E_ARGUMENT, "limit-type is %d, it has to be max or min",
                       (int)settings->limit_type);
    return ASSAY_OK;
}

/* The nearest multiple of AS_SIDE_STEP, halves to the even quotient, at least one step. */
static int round_to_step(int side)
{
    int steps = (int)nearbyint(side / (double)AS_SIDE_STEP);
    return steps < 1 ? AS_SIDE_STEP : steps * AS_SIDE_STEP;
}

as_network_size as_network_size_of(const as_detect_settings *settings, int h, int w)
{
    bool is_max = settings->limit_type == AS_LIMIT_MAX;
    int longer = h > w ? h : w;
    int shorter = h > w ? w : h;
    int side = is_max ? longer : shorter;
    bool is_over = is_max ? side > settings->limit_side : side < settings->limit_side;
    double ratio = is_over ? (double)settings->limit_side / side : 1.0;
    /* Truncated once before the cap and once after it, as the oracle does. */
    int rh = (int)(h * ratio);
    int rw = (int)(w * ratio);
    int largest = rh > rw ? rh : rw;
    bool scaled_down = largest > AS_SIDE_MAX;
    if (scaled_down) {
        ratio = (double)AS_SIDE_MAX / largest;
        rh = (int)(rh * ratio);
        rw = (int)(rw * ratio);
    }
    return (as_network_size){round_to_step(rh), round_to_step(rw), scaled_down};
}
