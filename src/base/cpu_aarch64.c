/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AArch64.  The kernel says in the auxiliary vector what user programs may use (Linux
 * Documentation/arch/arm64/elf_hwcaps.rst) and in /proc/cpuinfo what MIDR_EL1 identifies:
 *
 *     CPU implementer : 0x41
 *     CPU architecture: 8
 *     CPU part        : 0xd0c
 *     CPU revision    : 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/cpu_inner.h"

bool as_cpu_has(as_isa isa)
{
    if (isa == AS_ISA_NEON) return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0;
    return isa == AS_ISA_SCALAR;
}

/* The text behind "name   : " where the line has that name, else NULL. */
static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0) return NULL;
    const char *colon = line + length + strspn(line + length, " \t");
    return *colon == ':' ? colon + 1 + strspn(colon + 1, " \t") : NULL;
}

static void read_line(as_cpu_info *info, char *line)
{
    const char *value;
    line[strcspn(line, "\n")] = '\0';
    if ((value = value_of(line, "CPU implementer")))
        snprintf(info->vendor, sizeof info->vendor, "%.15s", value);
    else if ((value = value_of(line, "CPU architecture")))
        info->family = (int)strtol(value, NULL, 0);
    else if ((value = value_of(line, "CPU part")))
        info->model_number = (int)strtol(value, NULL, 0);
    else if ((value = value_of(line, "CPU revision")))
        info->stepping = (int)strtol(value, NULL, 0);
}

void as_cpu_read_identity(as_cpu_info *info)
{
    char line[256];
    snprintf(info->vendor, sizeof info->vendor, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file))
        read_line(info, line);
    if (file) fclose(file);
    snprintf(info->model, sizeof info->model, "AArch64 implementer %s part 0x%x", info->vendor,
             (unsigned)info->model_number);
}
