/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <math.h>
#include <time.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t as_clock_ns(void) { return read_ns(CLOCK_MONOTONIC_RAW); }

int64_t as_clock_thread_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

as_stamp as_clock_stamp(void)
{
    as_stamp best = {.apart_ns = INT64_MAX};
    bool went_back = false;
    for (int i = 0; i < 8; i++) {
        as_stamp now = {.raw_ns = read_ns(CLOCK_MONOTONIC_RAW)};
        now.mono_ns = read_ns(CLOCK_MONOTONIC);
        now.apart_ns = read_ns(CLOCK_MONOTONIC_RAW) - now.raw_ns;
        went_back = went_back || now.apart_ns < 0;
        if (now.apart_ns < 0) continue;
        if (now.apart_ns < best.apart_ns) best = now;
        if (i > 0 && best.apart_ns < 1000) break; /* nobody came between */
    }
    best.went_back = went_back;
    return best;
}

as_clock_fault as_clock_judge(const as_stamp *begin, const as_stamp *end, int64_t resolution_ns)
{
    int64_t raw_ns = end->raw_ns - begin->raw_ns, mono_ns = end->mono_ns - begin->mono_ns;
    if (raw_ns < 0 || begin->went_back || end->went_back) return AS_CLOCK_NEGATIVE;
    if (raw_ns / AS_CLOCK_TICKS < resolution_ns) return AS_CLOCK_COARSE;
    double doubt_ns = (double)(begin->apart_ns + end->apart_ns) + 2 * (double)resolution_ns +
                      AS_CLOCK_SLEW_SHARE * (double)raw_ns;
    return fabs((double)mono_ns - (double)raw_ns) > doubt_ns ? AS_CLOCK_DISAGREES
                                                             : AS_CLOCK_GOOD;
}

const char *as_clock_fault_name(as_clock_fault fault)
{
    static const char *const names[] = {"good", "negative", "coarse", "disagrees"};
    return names[fault];
}

int64_t as_clock_resolution_ns(void)
{
    enum { STEPS = 10, READINGS = 5000000 };
    int64_t least = INT64_MAX, last = as_clock_ns();
    for (int i = 0, n_steps = 0; i < READINGS && n_steps < STEPS; i++) {
        int64_t now = as_clock_ns();
        if (now > last) {
            n_steps++;
            if (now - last < least) least = now - last;
        }
        last = now;
    }
    return least;
}

void as_clock_label(char label[AS_CLOCK_LABEL])
{
    time_t now = time(NULL);
    struct tm parts = {0};
    label[0] = '\0';
    if (gmtime_r(&now, &parts)) strftime(label, AS_CLOCK_LABEL, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
