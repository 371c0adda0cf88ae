/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_NOISE_METER_H
#define ASSAY_TRIAL_NOISE_METER_H
/*
 * What the machine does besides while this process, and an adapter of it, works.
 *
 *     as_noise_meter *meter;
 *     as_noise noise;
 *     code = as_noise_meter_new("", &meter, err);      // before threads are made, for the counters
 *     as_noise_meter_begin(meter, adapter);
 *     ... timed work ...
 *     as_noise_meter_look(meter);                      // before threads of ours end
 *     as_noise_meter_end(meter, &noise);
 *     as_noise_meter_free(meter);
 *
 * Reading takes some microseconds a thread, and stands outside what is timed.
 */
#include <sys/types.h>

#include "base/error.h"
#include "base/noise.h"

typedef struct as_noise_meter as_noise_meter;

/**
 * A meter, whose cycle counters see threads and children that are made from now on.
 * @param root  "" for the real machine, else a folder with saved /proc and /sys files.
 * @return ASSAY_E_MEMORY; what the kernel does not tell is no failure.
 */
assay_code as_noise_meter_new(const char *root, as_noise_meter **out, assay_error *err);

/** Begin a stretch.  @param adapter  another process whose threads are ours; 0 = none. */
void as_noise_meter_begin(as_noise_meter *meter, pid_t adapter);

/** Note what the threads have used: of one that ends, what it used since the last look is lost. */
void as_noise_meter_look(as_noise_meter *meter);

/** End the stretch and tell. */
void as_noise_meter_end(as_noise_meter *meter, as_noise *out);

/** Free; takes NULL. */
void as_noise_meter_free(as_noise_meter *meter);

#endif
