/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/forecast.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"

static double pixels_of(const as_call_row *call)
{
    return (double)call->shape.n * (double)call->shape.h * (double)call->shape.w;
}

static double pixels_of_first(const as_replay *replay, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n && i < replay->n_calls; i++)
        sum += pixels_of(&replay->calls[i]);
    return sum;
}

static const as_call_row *middle_call(const as_replay *replay)
{
    double mean = pixels_of_first(replay, replay->n_calls) / (double)replay->n_calls;
    const as_call_row *best = &replay->calls[0];
    for (size_t i = 1; i < replay->n_calls; i++)
        if (fabs(pixels_of(&replay->calls[i]) - mean) < fabs(pixels_of(best) - mean))
            best = &replay->calls[i];
    return best;
}

static size_t padded(size_t extent, size_t bucket)
{
    return bucket ? (extent + bucket - 1) / bucket * bucket : extent;
}

/* Forward passes of one call as the policy has them, on zeros. */
static assay_code run_pieces(as_engine *engine, const as_policy *policy, as_shape4 call,
                             const float *zeros, assay_error *err)
{
    const float *map;
    as_shape4 map_shape;
    size_t most = policy->split_at && call.n >= policy->split_at ? policy->split_to : call.n;
    assay_code code = ASSAY_OK;
    for (size_t done = 0; done < call.n && !code; done += most) {
        as_shape4 piece = call;
        piece.n = call.n - done < most ? call.n - done : most;
        code = as_engine_forward(engine, zeros, piece, &map, &map_shape, err);
    }
    return code;
}

assay_code as_forecast_policy(as_engine *engine, double load_s, const as_policy *policy,
                              const as_replay *replay, as_forecast *out, assay_error *err)
{
    const as_call_row *row = middle_call(replay);
    as_shape4 call = {row->shape.n, row->shape.c, padded(row->shape.h, policy->bucket),
                      padded(row->shape.w, policy->bucket)};
    float *zeros = as_alloc(call.n * call.c * call.h * call.w * sizeof *zeros);
    *out = (as_forecast){.load_s = load_s};
    if (!zeros) return as_fail(err, ASSAY_E_MEMORY, "no memory for a forecast");
    assay_code code = ASSAY_OK;
    for (int i = 0; i < 2 && !code; i++) {
        int64_t begin_ns = as_clock_ns();
        code = run_pieces(engine, policy, call, zeros, err);
        out->call_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    }
    double a_pixel_s = out->call_s / pixels_of(row);
    out->smoke_s = a_pixel_s * pixels_of_first(replay, AS_SMOKE_CALLS);
    out->pass_s = a_pixel_s * pixels_of_first(replay, replay->n_calls);
    as_free(zeros);
    return code;
}

double as_forecast_run(const as_forecast *f, size_t n_rounds, size_t n_cycles)
{
    return f->load_s + f->smoke_s + f->load_s + f->call_s +
           (double)n_rounds * (f->load_s + (double)n_cycles * f->pass_s);
}
