/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t as_clock_ns(void) { return read_ns(CLOCK_MONOTONIC_RAW); }

int64_t as_clock_thread_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

void as_clock_label(char label[AS_CLOCK_LABEL])
{
    time_t now = time(NULL);
    struct tm parts = {0};
    label[0] = '\0';
    if (gmtime_r(&now, &parts)) strftime(label, AS_CLOCK_LABEL, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
