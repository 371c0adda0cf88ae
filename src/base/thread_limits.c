/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many CPUs the process may really use: its affinity mask and the CPU quotas of its control
 * groups and all their ancestors, since the tightest one throttles.
 *
 *     version   /proc/self/cgroup     file below /sys/fs/cgroup             text
 *     2         0::/a/b               a/b/cpu.max                           200000 100000
 *     1         4:cpu,cpuacct:/a      cpu,cpuacct/a/cpu.cfs_quota_us        200000
 *
 * Source of the formats: Linux Documentation/admin-guide/cgroup-v2.rst ("max" and a default
 * period of 100000) and Documentation/scheduler/sched-bwc.rst (a quota of -1 is none).
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

#define DEFAULT_PERIOD_US 100000

/* First line of a small file without its newline.  @return false when the file cannot be
 * opened. */
static bool first_line(const char *path, char *line, size_t room)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    if (!fgets(line, (int)room, file)) line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* A whole number from `*text`, behind which come blanks or the end; moves `*text` behind them. */
static bool take_number(const char **text, long long *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    if (end == *text || errno == ERANGE) return false;
    if (*end != '\0' && *end != ' ') return false;
    *text = end + strspn(end, " ");
    return true;
}

static void warn(as_thread_limits *limits, const char *path, const char *line)
{
    if (limits->warning[0]) return;
    snprintf(limits->warning, sizeof limits->warning,
             "%.150s holds '%.40s', a CPU quota and a period are needed; it is ignored", path,
             line);
}

static void tighten(as_thread_limits *limits, double quota, double period)
{
    double cpus = quota / period;
    if (limits->quota_cpus == 0 || cpus < limits->quota_cpus) limits->quota_cpus = cpus;
}

static void read_v2(as_thread_limits *limits, const char *folder)
{
    char line[128];
    char *path = as_path_join(folder, "cpu.max");
    if (path && first_line(path, line, sizeof line) && strncmp(line, "max", 3) != 0) {
        const char *rest = line;
        long long quota = 0, period = DEFAULT_PERIOD_US;
        bool is_good =
            take_number(&rest, &quota) && (*rest == '\0' || take_number(&rest, &period));
        if (is_good && *rest == '\0' && quota > 0 && period > 0)
            tighten(limits, (double)quota, (double)period);
        else
            warn(limits, path, line);
    }
    as_free(path);
}

static void read_v1(as_thread_limits *limits, const char *folder)
{
    char quota_line[128], period_line[128] = "";
    char *quota_path = as_path_join(folder, "cpu.cfs_quota_us");
    char *period_path = as_path_join(folder, "cpu.cfs_period_us");
    if (!quota_path || !period_path || !first_line(quota_path, quota_line, sizeof quota_line))
        goto done;
    const char *rest = quota_line;
    long long quota = 0, period = DEFAULT_PERIOD_US;
    if (!take_number(&rest, &quota) || quota == 0) {
        warn(limits, quota_path, quota_line);
        goto done;
    }
    if (quota < 0) goto done;
    rest = period_line;
    if (first_line(period_path, period_line, sizeof period_line) &&
        (!take_number(&rest, &period) || period <= 0)) {
        warn(limits, period_path, period_line);
        goto done;
    }
    tighten(limits, (double)quota, (double)period);
done:
    as_free(quota_path);
    as_free(period_path);
}

/* Visit root/mount + path and every ancestor up to the mount itself. */
static void visit_ancestors(as_thread_limits *limits, const char *root, const char *mount,
                            const char *path, void (*visit)(as_thread_limits *, const char *))
{
    char *folder = as_format("%s/sys/fs/cgroup%s%s", root, mount, path);
    if (!folder) return;
    size_t mount_length = strlen(folder) - strlen(path);
    for (;;) {
        visit(limits, folder);
        char *slash = strrchr(folder + mount_length, '/');
        if (!slash) break;
        *slash = '\0';
    }
    as_free(folder);
}

/* One line "id:controllers:path" of /proc/self/cgroup. */
static void read_group(as_thread_limits *limits, const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) return;
    *controllers++ = '\0';
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (controllers[0] == '\0') {
        visit_ancestors(limits, root, "", path, read_v2);
        visit_ancestors(limits, root, "/unified", path,
                        read_v2); /* where both versions are mounted */
        return;
    }
    bool has_cpu = false;
    char names[128];
    snprintf(names, sizeof names, "%s", controllers);
    char *position = NULL;
    for (char *name = strtok_r(names, ",", &position); name;
         name = strtok_r(NULL, ",", &position))
        has_cpu |= strcmp(name, "cpu") == 0;
    char mount[160];
    snprintf(mount, sizeof mount, "/%s", controllers);
    if (has_cpu) visit_ancestors(limits, root, mount, path, read_v1);
}

static size_t count_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (size_t)CPU_COUNT(&set);
    /* The kernel has more CPUs than cpu_set_t has bits: ask with room for them. */
    size_t n_cpus = 1U << 16, count = 1;
    cpu_set_t *large = CPU_ALLOC(n_cpus);
    if (large && sched_getaffinity(0, CPU_ALLOC_SIZE(n_cpus), large) == 0)
        count = (size_t)CPU_COUNT_S(CPU_ALLOC_SIZE(n_cpus), large);
    CPU_FREE(large);
    return count;
}

void as_thread_limits_read(const char *root, size_t n_affinity, as_thread_limits *out)
{
    *out = (as_thread_limits){.n_affinity = n_affinity ? n_affinity : count_affinity()};
    char *path = as_format("%s/proc/self/cgroup", root);
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[PATH_MAX];
    while (file && fgets(line, sizeof line, file))
        read_group(out, root, line);
    if (file) fclose(file);
    as_free(path);
    out->n_threads = out->n_affinity;
    if (out->quota_cpus > 0 && ceil(out->quota_cpus) < (double)out->n_threads)
        out->n_threads = (size_t)ceil(out->quota_cpus);
    if (out->n_threads == 0) out->n_threads = 1;
}

size_t as_threads_default(void)
{
    as_thread_limits limits;
    as_thread_limits_read("", 0, &limits);
    return limits.n_threads;
}
