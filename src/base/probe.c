/* SPDX-License-Identifier: Apache-2.0 */
#include "base/probe.h"

#include <math.h>

#include "base/clock.h"
#include "base/compiler.h"

enum { ADDITIONS = 16, RATE_STEPS = 1 << 15 };

unsigned long as_probe_run(unsigned long n)
{
    unsigned long sum = n, step = 3;
    AS_OPAQUE(step);
    for (unsigned long i = 0; i < n; i++)
        for (int k = 0; k < ADDITIONS; k++) {
            sum += step;
            AS_OPAQUE(sum);
        }
    return sum;
}

double as_probe_rate(void)
{
    unsigned long sum = as_probe_run(RATE_STEPS / 8); /* the core wakes up */
    int64_t begin_ns = as_clock_ns();
    sum += as_probe_run(RATE_STEPS);
    int64_t elapsed_ns = as_clock_ns() - begin_ns;
    AS_OPAQUE(sum);
    return elapsed_ns > 0 ? (double)ADDITIONS * RATE_STEPS / (double)elapsed_ns : NAN;
}
