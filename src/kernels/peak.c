/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/peak.h"

#include "base/clock.h"
#include "base/memory.h"
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

typedef void (*stream_loop)(size_t n, const float *restrict in, float scale,
                            float *restrict out);

/** So many bytes go through in a try: some milliseconds, in which the clock's cost is nothing. */
#define STREAM_TRY_BYTES ((size_t)32 << 20)

static double stream_once(stream_loop loop, size_t n, const float *in, float *out)
{
    const size_t bytes = 2 * n * sizeof *in, turns = STREAM_TRY_BYTES / bytes + 1;
    const int64_t start_ns = as_clock_thread_ns();
    for (size_t i = 0; i < turns; i++)
        loop(n, in, 0.5F, out);
    return 1e9 * (double)(turns * bytes) / (double)(as_clock_thread_ns() - start_ns);
}

double as_stream_bytes_s(as_isa isa, size_t bytes)
{
    const stream_loop loops[AS_ISA_N] = {
#define AS_BUILT(name, id) [AS_ISA_##id] = as_stream_loop_##name,
        AS_BUILT_ISAS
#undef AS_BUILT
    };
    const size_t n = bytes / (2 * sizeof(float)) + 1;
    float *in = as_alloc_array(n, sizeof *in), *out = as_alloc_array(n, sizeof *out);
    double best = 0;
    for (size_t i = 0; in && i < n; i++)
        in[i] = 1; /* a page of its own each, not the kernel's one of zeros */
    for (int i = 0; in && out && i < 4; i++) {
        const double bytes_s = stream_once(loops[isa], n, in, out);
        if (bytes_s > best) best = bytes_s;
    }
    as_free(in);
    as_free(out);
    return best;
}
