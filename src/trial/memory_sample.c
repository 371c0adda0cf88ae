/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/memory_sample.h"

#include <stdio.h>

#include "trial/proc_file.h"

/* The kernel writes kibibytes. */
static int64_t bytes_of(const as_proc_text *text, const char *name)
{
    int64_t kib = as_proc_field(text, name);
    return kib < 0 ? -1 : kib * 1024;
}

int64_t as_memory_swap_used(const char *root)
{
    as_proc_text text;
    if (!as_proc_read(root, "proc/meminfo", &text)) return -1;
    int64_t total = bytes_of(&text, "SwapTotal:"), unused = bytes_of(&text, "SwapFree:");
    return total < 0 || unused < 0 ? -1 : total - unused;
}

void as_memory_sample_take(const char *root, pid_t process, as_memory_sample *out)
{
    char folder[32] = "self", path[64];
    as_proc_text text;
    if (process) snprintf(folder, sizeof folder, "%ld", (long)process);
    snprintf(path, sizeof path, "proc/%s/smaps_rollup", folder);
    as_proc_read(root, path, &text);
    out->rss_bytes = bytes_of(&text, "Rss:");
    out->pss_bytes = bytes_of(&text, "Pss:");
    int64_t clean = bytes_of(&text, "Private_Clean:"),
            dirty = bytes_of(&text, "Private_Dirty:");
    out->uss_bytes = clean < 0 || dirty < 0 ? -1 : clean + dirty;
    snprintf(path, sizeof path, "proc/%s/status", folder);
    as_proc_read(root, path, &text);
    out->peak_rss_bytes = bytes_of(&text, "VmHWM:");
    if (out->rss_bytes < 0) out->rss_bytes = bytes_of(&text, "VmRSS:");
    out->swap_used_bytes = as_memory_swap_used(root);
}
