/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: proc(5), and Linux Documentation/accounting/psi.rst for /proc/pressure/cpu. */
#include "trial/machine_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial/proc_file.h"

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guest is in user. */
static void read_ticks(const char *root, as_machine_counts *out)
{
    char line[512];
    long long t[8] = {0};
    out->steal_ticks = out->total_ticks = -1;
    if (!as_proc_line(root, "proc/stat", line, sizeof line) ||
        sscanf(line, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &t[0], &t[1], &t[2], &t[3],
               &t[4], &t[5], &t[6], &t[7]) != 8)
        return;
    out->steal_ticks = t[7];
    out->total_ticks = 0;
    for (int i = 0; i < 8; i++)
        out->total_ticks += t[i];
}

static void read_pressure(const char *root, as_machine_counts *out)
{
    char line[256];
    long long total = -1;
    out->psi_cpu_avg10 = NAN;
    out->psi_cpu_total_us = -1;
    if (!as_proc_line(root, "proc/pressure/cpu", line, sizeof line)) return;
    const char *avg = strstr(line, "avg10="), *sum = strstr(line, "total=");
    if (avg) out->psi_cpu_avg10 = strtod(avg + 6, NULL);
    if (sum && sscanf(sum, "total=%lld", &total) == 1) out->psi_cpu_total_us = total;
}

as_machine_counts as_machine_counts_read(const char *root)
{
    as_machine_counts counts;
    read_ticks(root, &counts);
    read_pressure(root, &counts);
    return counts;
}
