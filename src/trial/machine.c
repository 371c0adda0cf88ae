/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "base/memory.h"
#include "trial/proc_file.h"

static void read_turbo(const char *root, as_machine *out)
{
    char line[32];
    if (as_proc_line(root, "sys/devices/system/cpu/intel_pstate/no_turbo", line, sizeof line))
        snprintf(out->turbo, sizeof out->turbo, "%s", line[0] == '1' ? "off" : "on");
    else if (as_proc_line(root, "sys/devices/system/cpu/cpufreq/boost", line, sizeof line))
        snprintf(out->turbo, sizeof out->turbo, "%s", line[0] == '1' ? "on" : "off");
}

/* The DMI name of the product tells most hypervisors apart. */
static void read_hypervisor(const char *root, as_machine *out)
{
    as_proc_text text;
    as_proc_read(root, "proc/cpuinfo", &text);
    const char *flags = strstr(text.text, "\nflags");
    if (flags) {
        const char *end = strchr(flags + 1, '\n');
        const char *flag = strstr(flags, " hypervisor");
        out->is_virtual = flag && (!end || flag < end);
    }
    if (!out->is_virtual) return;
    if (!as_proc_line(root, "sys/class/dmi/id/sys_vendor", out->hypervisor,
                      sizeof out->hypervisor))
        as_proc_line(root, "sys/hypervisor/type", out->hypervisor, sizeof out->hypervisor);
}

static bool exists_below(const char *root, const char *path)
{
    char *whole = as_path_join(root, path);
    bool exists = whole && as_file_exists(whole);
    as_free(whole);
    return exists;
}

static void read_kernel(as_machine *out)
{
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%.30s %.60s %.30s", name.sysname,
                 name.release, name.machine);
}

assay_code as_machine_read(const char *root, as_machine *out, assay_error *err)
{
    *out = (as_machine){.memory_bytes = -1};
    as_cpu_info_get(&out->cpu);
    as_thread_limits_read(root, 0, &out->threads);
    read_kernel(out);
    as_proc_line(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", out->governor,
                 sizeof out->governor);
    as_proc_line(root, "sys/devices/system/cpu/smt/control", out->smt, sizeof out->smt);
    read_turbo(root, out);
    read_hypervisor(root, out);
    out->is_container =
        exists_below(root, ".dockerenv") || exists_below(root, "run/.containerenv");
    as_proc_text text;
    as_proc_read(root, "proc/meminfo", &text);
    int64_t kib = as_proc_field(&text, "MemTotal:");
    if (kib >= 0) out->memory_bytes = kib * 1024;
    return as_cpu_isa(&out->isa, err);
}
