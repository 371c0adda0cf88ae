/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/resident.h"

#include <stdio.h>
#include <string.h>

/* A line "VmRSS:    1234 kB". */
static size_t read_field(const char *field)
{
    FILE *file = fopen("/proc/self/status", "re");
    if (!file) return 0;
    char line[256];
    unsigned long kib = 0;
    size_t length = strlen(field);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, field, length) == 0 && sscanf(line + length, ": %lu kB", &kib) == 1)
            break;
    fclose(file);
    return (size_t)kib * 1024;
}

size_t as_resident_bytes(void) { return read_field("VmRSS"); }

size_t as_resident_peak_bytes(void) { return read_field("VmHWM"); }
