/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_PROBE_H
#define ASSAY_BASE_PROBE_H
/*
 * How fast the clock of this core runs: additions that each need the one before take one cycle
 * apiece on every CPU that assay has kernels for, so their rate is cycles a nanosecond.
 *
 *     double ghz = as_probe_rate();
 */

/** Dependent additions a nanosecond over about 0.2 ms; more than one cycle apiece is lost time. */
double as_probe_rate(void);

/** Do `n` times 16 dependent additions; @return what they add up to, so that they must be done. */
unsigned long as_probe_run(unsigned long n);

#endif
