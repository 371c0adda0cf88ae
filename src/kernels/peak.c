/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/peak.h"

#include "base/clock.h"
#include "kernels/peak_loop.h"

double as_peak_gflops(as_isa isa)
{
    double (*const loops[AS_ISA_N])(unsigned long) = {
#define AS_BUILT(name, id) [AS_ISA_##id] = as_peak_loop_##name,
        AS_BUILT_ISAS
#undef AS_BUILT
    };
    double best = 0;
    for (int i = 0; i < 4; i++) {
        const int64_t start_ns = as_clock_thread_ns();
        const double fmas = loops[isa](1000000);
        const double gflops = 2 * fmas / (double)(as_clock_thread_ns() - start_ns);
        if (gflops > best) best = gflops;
    }
    return best;
}
