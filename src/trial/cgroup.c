/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats: Linux Documentation/admin-guide/cgroup-v2.rst (cpu.stat: nr_throttled, throttled_usec)
 * and Documentation/scheduler/sched-bwc.rst (version 1: throttled_time in nanoseconds).
 */
#include "trial/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "trial/proc_file.h"

enum { PATH_ROOM = 1024 };

static void add(int64_t *sum, int64_t value)
{
    if (value >= 0) *sum = (*sum < 0 ? 0 : *sum) + value;
}

static void read_stat(const char *root, const char *folder, as_throttling *out)
{
    char path[PATH_ROOM + 16];
    as_proc_text text;
    snprintf(path, sizeof path, "%s/cpu.stat", folder);
    if (!as_proc_read(root, path, &text)) return;
    add(&out->n_throttled, as_proc_field(&text, "nr_throttled "));
    add(&out->throttled_us, as_proc_field(&text, "throttled_usec "));
    int64_t ns = as_proc_field(&text, "throttled_time ");
    add(&out->throttled_us, ns < 0 ? -1 : ns / 1000);
}

/* The group at mount + path, then each of its ancestors. */
static void read_up(const char *root, const char *mount, const char *path, as_throttling *out)
{
    char folder[PATH_ROOM];
    int length = snprintf(folder, sizeof folder, "sys/fs/cgroup%s%s", mount, path);
    size_t least = strlen("sys/fs/cgroup") + strlen(mount);
    if (length < 0 || (size_t)length >= sizeof folder) return;
    for (;;) {
        char *slash = strrchr(folder + least, '/');
        if (slash && slash[1] == '\0') {
            *slash = '\0'; /* the root's "/" */
            continue;
        }
        read_stat(root, folder, out);
        if (!slash) return;
        *slash = '\0';
    }
}

/* One line "id:controllers:path" of /proc/self/cgroup. */
static void read_group(const char *root, char *line, as_throttling *out)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : 0;
    if (!path) return;
    *path++ = '\0';
    controllers++;
    if (!controllers[0]) {
        read_up(root, "", path, out);
        return;
    }
    char mount[128];
    snprintf(mount, sizeof mount, "/%s", controllers);
    if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 ||
        strstr(controllers, ",cpu,") ||
        (strlen(controllers) > 4 && strcmp(controllers + strlen(controllers) - 4, ",cpu") == 0))
        read_up(root, mount, path, out);
}

as_throttling as_throttling_read(const char *root)
{
    as_throttling out = {-1, -1};
    as_proc_text groups;
    if (!as_proc_read(root, "proc/self/cgroup", &groups)) return out;
    char *rest = NULL;
    for (char *line = strtok_r(groups.text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_group(root, line, &out);
    return out;
}
