/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: proc(5). */
#include "trial/snapshot.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "trial/cgroup.h"
#include "trial/machine_counts.h"
#include "trial/memory_sample.h"
#include "trial/proc_file.h"

/* One process's CPU time at one moment. */
typedef struct usage {
    int pid;
    char name[32];
    int64_t ticks;
    int64_t rss_pages;
    int64_t used_ticks; /* since the first look */
} usage;

typedef struct usages {
    usage *items; /* owns */
    size_t n, room;
} usages;

/*
 * /proc/PID/stat is "pid (name) state ppid ..."; the name may hold blanks and brackets, so fields
 * are counted from its last ')': utime and stime are the 12th and 13th behind it, rss the 22nd.
 */
static bool parse_stat(const char *text, usage *out)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open) return false;
    size_t length = (size_t)(close - open - 1);
    if (length >= sizeof out->name) length = sizeof out->name - 1;
    memcpy(out->name, open + 1, length);
    out->name[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)out->name[i])) out->name[i] = '?';
    out->pid = atoi(text);
    unsigned long long utime = 0, stime = 0;
    long long rss = 0;
    int n = sscanf(close + 1,
                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d "
                   "%*d %*u %*u %lld",
                   &utime, &stime, &rss);
    out->ticks = (int64_t)(utime + stime);
    out->rss_pages = rss;
    return n == 3;
}

static bool list_usages(const char *root, usages *out)
{
    char *path = as_path_join(root, "proc");
    DIR *folder = path ? opendir(path) : NULL;
    bool has_memory = path != NULL;
    as_free(path);
    if (!folder) return has_memory;
    for (struct dirent *entry; has_memory && (entry = readdir(folder));) {
        char stat_path[300], line[1024];
        usage one = {0};
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        snprintf(stat_path, sizeof stat_path, "proc/%s/stat", entry->d_name);
        if (!as_proc_line(root, stat_path, line, sizeof line) || !parse_stat(line, &one))
            continue;
        usage *items = as_grow(out->items, out->n, &out->room, sizeof *items);
        has_memory = items != NULL;
        if (!has_memory) break;
        out->items = items;
        out->items[out->n++] = one;
    }
    closedir(folder);
    return has_memory;
}

static int by_pid(const void *a, const void *b)
{
    const usage *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_use(const void *a, const void *b)
{
    const usage *x = a, *y = b;
    if (x->used_ticks != y->used_ticks) return x->used_ticks < y->used_ticks ? 1 : -1;
    return by_pid(a, b);
}

/* A process that is new in `after` used all that it has. */
static void count_used(const usages *before, usages *after)
{
    for (size_t i = 0; i < after->n; i++) {
        usage *now = &after->items[i];
        const usage *then =
            before->n ? bsearch(now, before->items, before->n, sizeof *before->items, by_pid)
                      : NULL;
        now->used_ticks = now->ticks - (then && then->ticks <= now->ticks ? then->ticks : 0);
        if (now->pid == getpid()) now->used_ticks = 0;
    }
    if (after->n) qsort(after->items, after->n, sizeof *after->items, by_use);
}

static void keep_busiest(const usages *sorted, double window_s, as_snapshot *out)
{
    double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
    int64_t page_bytes = sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sorted->n && out->n_processes < AS_SNAPSHOT_PROCESSES; i++) {
        const usage *u = &sorted->items[i];
        if (u->used_ticks <= 0) return;
        size_t at = out->n_processes++;
        out->processes[at].pid = u->pid;
        memcpy(out->processes[at].name, u->name, sizeof u->name);
        out->processes[at].cpu_percent = 100.0 * (double)u->used_ticks / ticks_per_s / window_s;
        out->processes[at].rss_bytes = u->rss_pages * page_bytes;
    }
}

static void sleep_s(double seconds)
{
    struct timespec wait = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    while (nanosleep(&wait, &wait) != 0)
        continue;
}

static assay_code watch_processes(const char *root, double window_s, as_snapshot *out,
                                  assay_error *err)
{
    usages before = {0}, after = {0};
    bool has_memory = list_usages(root, &before);
    if (before.n) qsort(before.items, before.n, sizeof *before.items, by_pid);
    int64_t begin_ns = as_clock_ns();
    sleep_s(window_s);
    has_memory = has_memory && list_usages(root, &after);
    double watched_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    if (has_memory) {
        count_used(&before, &after);
        keep_busiest(&after, watched_s, out);
    }
    as_free(before.items);
    as_free(after.items);
    return has_memory ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a snapshot");
}

static void read_load(const char *root, as_snapshot *out)
{
    char line[128];
    out->load_1 = out->load_5 = out->load_15 = NAN;
    as_proc_line(root, "proc/loadavg", line, sizeof line);
    if (sscanf(line, "%lf %lf %lf", &out->load_1, &out->load_5, &out->load_15) != 3)
        out->load_1 = out->load_5 = out->load_15 = NAN;
}

assay_code as_snapshot_take(const char *root, double window_s, as_snapshot *out,
                            assay_error *err)
{
    *out = (as_snapshot){0};
    as_clock_label(out->taken);
    read_load(root, out);
    as_machine_counts counts = as_machine_counts_read(root);
    out->psi_cpu_avg10 = counts.psi_cpu_avg10;
    out->psi_cpu_total_us = counts.psi_cpu_total_us;
    out->steal_ticks = counts.steal_ticks;
    out->total_ticks = counts.total_ticks;
    as_throttling throttling = as_throttling_read(root);
    out->n_throttled = throttling.n_throttled;
    out->throttled_us = throttling.throttled_us;
    out->swap_used_bytes = as_memory_swap_used(root);
    return watch_processes(root, window_s, out, err);
}

as_snapshot_row as_snapshot_row_of(const as_snapshot *s, as_phase phase, int round,
                                   const char *moment)
{
    return (as_snapshot_row){.phase = phase,
                             .round = round,
                             .moment = moment,
                             .taken = s->taken,
                             .load_1 = s->load_1,
                             .load_5 = s->load_5,
                             .load_15 = s->load_15,
                             .psi_cpu_avg10 = s->psi_cpu_avg10,
                             .psi_cpu_total_us = s->psi_cpu_total_us,
                             .steal_ticks = s->steal_ticks,
                             .total_ticks = s->total_ticks,
                             .n_throttled = s->n_throttled,
                             .throttled_us = s->throttled_us,
                             .swap_used_bytes = s->swap_used_bytes};
}

size_t as_snapshot_process_rows(const as_snapshot *snapshot, as_process_row *rows)
{
    for (size_t i = 0; i < snapshot->n_processes; i++)
        rows[i] = (as_process_row){.pid = snapshot->processes[i].pid,
                                   .name = snapshot->processes[i].name,
                                   .cpu_percent = snapshot->processes[i].cpu_percent,
                                   .rss_bytes = snapshot->processes[i].rss_bytes};
    return snapshot->n_processes;
}
