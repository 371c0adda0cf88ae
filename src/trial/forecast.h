/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_FORECAST_H
#define ASSAY_TRIAL_FORECAST_H
/*
 * How long a run will take, before anything of it is measured: each policy forwards one call of middle
 * size, twice, and the rest is taken to cost as much a pixel.  The smoke phase tells it better; this
 * is for who would rather not begin.
 *
 *     code = as_forecast_policy(engine, load_s, &policy, replay, &forecast, err);
 *     seconds += as_forecast_run(&forecast, n_rounds, n_cycles);
 */
#include "engine/engine.h"
#include "trial/replay.h"

/** What the parts of one policy's run cost, in seconds. */
typedef struct as_forecast {
    double load_s;  /**< Start and load of the engine. */
    double call_s;  /**< The call that ran. */
    double smoke_s; /**< Calls of the smoke phase. */
    double pass_s;  /**< One pass over all calls. */
} as_forecast;

/**
 * Forward the call whose pixels are nearest to the mean, zeros, through `policy`'s split and bucket;
 * the second of two runs counts, so that plans are there.
 * @param load_s  what opening `engine` took.
 * @return what forwarding says.
 */
assay_code as_forecast_policy(as_engine *engine, double load_s, const as_policy *policy,
                              const as_replay *replay, as_forecast *out, assay_error *err);

/** Seconds of a policy's smoke slot, profiled call and `n_rounds` formal slots. */
double as_forecast_run(const as_forecast *forecast, size_t n_rounds, size_t n_cycles);

#endif
