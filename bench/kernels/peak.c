/* SPDX-License-Identifier: Apache-2.0 */
#include "peak.h"

#include <time.h>

double bench_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peak_gflops(as_isa isa)
{
    double (*const loops[AS_ISA_N])(unsigned long) = {as_peak_loop_scalar, as_peak_loop_avx2,
                                                      as_peak_loop_avx512};
    double best = 0;
    for (int i = 0; i < 4; i++) {
        const double start = bench_now_s();
        const double fmas = loops[isa](1000000);
        const double gflops = 2e-9 * fmas / (bench_now_s() - start);
        if (gflops > best) best = gflops;
    }
    return best;
}
