/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/cycle_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

enum { CYCLES, INSTRUCTIONS, N_EVENTS };

struct as_cycle_counter {
    int events[N_EVENTS]; /* file descriptors */
};

static int open_event(uint64_t config)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .inherit = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

as_cycle_counter *as_cycle_counter_open(void)
{
    as_cycle_counter *counter = as_alloc(sizeof *counter);
    if (!counter) return NULL;
    counter->events[CYCLES] = open_event(PERF_COUNT_HW_CPU_CYCLES);
    counter->events[INSTRUCTIONS] = open_event(PERF_COUNT_HW_INSTRUCTIONS);
    if (counter->events[CYCLES] >= 0 && counter->events[INSTRUCTIONS] >= 0) return counter;
    as_cycle_counter_close(counter);
    return NULL;
}

static int64_t read_event(int event)
{
    uint64_t count = 0;
    return read(event, &count, sizeof count) == (ssize_t)sizeof count && count <= INT64_MAX
               ? (int64_t)count
               : -1;
}

as_cycles as_cycle_counter_read(const as_cycle_counter *counter)
{
    if (!counter) return (as_cycles){-1, -1};
    return (as_cycles){.cycles = read_event(counter->events[CYCLES]),
                       .instructions = read_event(counter->events[INSTRUCTIONS])};
}

void as_cycle_counter_close(as_cycle_counter *counter)
{
    if (!counter) return;
    for (int i = 0; i < N_EVENTS; i++)
        if (counter->events[i] >= 0) close(counter->events[i]);
    as_free(counter);
}
