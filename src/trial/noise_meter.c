/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats: proc(5) for /proc/PID/stat, task/TID/status and task/TID/schedstat ("time on a CPU, time
 * ready without one, both in ns, number of turns": Linux Documentation/scheduler/sched-stats.rst).
 */
#include "trial/noise_meter.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/probe.h"
#include "trial/cgroup.h"
#include "trial/cycle_counter.h"
#include "trial/machine_counts.h"
#include "trial/proc_file.h"

/* More threads than these are not watched one by one. */
enum { MOST_THREADS = 1024, N_PROCESSES = 2 };

/* A thread of ours: what it had used at the last look, and what it used in the stretch. */
typedef struct thread {
    pid_t id;
    int64_t cpu_ns, delay_ns, wanted, forced;
    int64_t used_cpu_ns, used_delay_ns, used_wanted, used_forced;
} thread;

struct as_noise_meter {
    const char *root;             /* borrows */
    as_cycle_counter *counter;    /* owns; NULL without one */
    pid_t processes[N_PROCESSES]; /* 0: this one; -1: none */
    bool knows_threads, knows_switches;
    thread threads[MOST_THREADS];
    size_t n_threads;
    int64_t begin_ns, major_faults;
    as_machine_counts counts;
    as_throttling throttling;
    as_cycles cycles;
    double probe;
    as_proc_text text; /* too large for a stack */
};

assay_code as_noise_meter_new(const char *root, as_noise_meter **out, assay_error *err)
{
    *out = as_alloc(sizeof **out);
    if (!*out) return as_fail(err, ASSAY_E_MEMORY, "no memory to watch the machine");
    (*out)->root = root;
    (*out)->counter = as_cycle_counter_open();
    return ASSAY_OK;
}

void as_noise_meter_free(as_noise_meter *meter)
{
    if (!meter) return;
    as_cycle_counter_close(meter->counter);
    as_free(meter);
}

static void name_process(pid_t process, char *name, size_t room)
{
    if (process)
        snprintf(name, room, "%ld", (long)process);
    else
        snprintf(name, room, "self");
}

/* The entry of thread `id`, made when it is new; NULL when there is no room. */
static thread *thread_of(as_noise_meter *m, pid_t id)
{
    for (size_t i = 0; i < m->n_threads; i++)
        if (m->threads[i].id == id) return &m->threads[i];
    if (m->n_threads == MOST_THREADS) return NULL;
    m->threads[m->n_threads] = (thread){.id = id};
    return &m->threads[m->n_threads++];
}

/* Growth since the last look; a smaller value is another thread's, which got the same id. */
static void count_up(int64_t now, int64_t *last, int64_t *used)
{
    if (now < 0) return;
    *used += now >= *last ? now - *last : now;
    *last = now;
}

static void look_at_thread(as_noise_meter *m, const char *process, pid_t id)
{
    char path[96];
    long long cpu_ns, delay_ns;
    thread *t = thread_of(m, id);
    if (!t) return;
    snprintf(path, sizeof path, "proc/%s/task/%ld/schedstat", process, (long)id);
    if (as_proc_read(m->root, path, &m->text) &&
        sscanf(m->text.text, "%lld %lld", &cpu_ns, &delay_ns) == 2) {
        m->knows_threads = true;
        count_up(cpu_ns, &t->cpu_ns, &t->used_cpu_ns);
        count_up(delay_ns, &t->delay_ns, &t->used_delay_ns);
    }
    snprintf(path, sizeof path, "proc/%s/task/%ld/status", process, (long)id);
    if (!as_proc_read(m->root, path, &m->text)) return;
    int64_t wanted = as_proc_field(&m->text, "voluntary_ctxt_switches:");
    m->knows_switches = m->knows_switches || wanted >= 0;
    count_up(wanted, &t->wanted, &t->used_wanted);
    count_up(as_proc_field(&m->text, "nonvoluntary_ctxt_switches:"), &t->forced,
             &t->used_forced);
}

void as_noise_meter_look(as_noise_meter *m)
{
    for (size_t i = 0; i < N_PROCESSES; i++) {
        char process[24], path[64];
        if (m->processes[i] < 0) continue;
        name_process(m->processes[i], process, sizeof process);
        snprintf(path, sizeof path, "proc/%s/task", process);
        char *whole = as_path_join(m->root, path);
        DIR *folder = whole ? opendir(whole) : NULL;
        as_free(whole);
        if (!folder) continue;
        for (struct dirent *entry; (entry = readdir(folder));)
            if (isdigit((unsigned char)entry->d_name[0]))
                look_at_thread(m, process, (pid_t)atol(entry->d_name));
        closedir(folder);
    }
}

/* Major faults are the 10th field behind the name's last ')' in /proc/PID/stat. */
static int64_t read_faults(as_noise_meter *m)
{
    int64_t sum = -1;
    for (size_t i = 0; i < N_PROCESSES; i++) {
        char process[24], path[64];
        long long faults;
        if (m->processes[i] < 0) continue;
        name_process(m->processes[i], process, sizeof process);
        snprintf(path, sizeof path, "proc/%s/stat", process);
        if (!as_proc_read(m->root, path, &m->text)) continue;
        const char *close = strrchr(m->text.text, ')');
        if (close &&
            sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %lld", &faults) == 1)
            sum = (sum < 0 ? 0 : sum) + faults;
    }
    return sum;
}

void as_noise_meter_begin(as_noise_meter *m, pid_t adapter)
{
    m->processes[0] = 0;
    m->processes[1] = adapter ? adapter : -1;
    m->n_threads = 0;
    m->knows_threads = m->knows_switches = false;
    m->probe = as_probe_rate();
    m->major_faults = read_faults(m);
    m->throttling = as_throttling_read(m->root);
    m->counts = as_machine_counts_read(m->root);
    m->cycles = as_cycle_counter_read(m->counter);
    as_noise_meter_look(
        m); /* last, so that what it waited before is not taken for the stretch's */
    for (size_t i = 0; i < m->n_threads; i++) {
        thread *t = &m->threads[i];
        t->used_cpu_ns = t->used_delay_ns = t->used_wanted = t->used_forced = 0;
    }
    m->begin_ns = as_clock_ns();
}

static int64_t growth(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1;
}

/* The busiest thread, the one that waited longest, and the switches of all. */
static void sum_threads(const as_noise_meter *m, as_noise *out)
{
    out->cpu_s = out->run_delay_s = m->knows_threads ? 0 : NAN;
    out->switches_wanted = out->switches_forced = m->knows_switches ? 0 : -1;
    for (size_t i = 0; i < m->n_threads; i++) {
        const thread *t = &m->threads[i];
        if (m->knows_threads) {
            out->cpu_s = fmax(out->cpu_s, (double)t->used_cpu_ns * 1e-9);
            out->run_delay_s = fmax(out->run_delay_s, (double)t->used_delay_ns * 1e-9);
        }
        if (m->knows_switches) {
            out->switches_wanted += t->used_wanted;
            out->switches_forced += t->used_forced;
        }
    }
}

void as_noise_meter_end(as_noise_meter *m, as_noise *out)
{
    int64_t end_ns = as_clock_ns();
    as_noise_meter_look(m);
    as_cycles cycles = as_cycle_counter_read(m->counter);
    as_machine_counts counts = as_machine_counts_read(m->root);
    as_throttling throttling = as_throttling_read(m->root);
    int64_t psi_us = growth(m->counts.psi_cpu_total_us, counts.psi_cpu_total_us);
    *out = (as_noise){.wall_s = (double)(end_ns - m->begin_ns) * 1e-9,
                      .psi_cpu_s = psi_us < 0 ? NAN : (double)psi_us * 1e-6,
                      .steal_ticks = growth(m->counts.steal_ticks, counts.steal_ticks),
                      .total_ticks = growth(m->counts.total_ticks, counts.total_ticks),
                      .n_throttled = growth(m->throttling.n_throttled, throttling.n_throttled),
                      .major_faults = growth(m->major_faults, read_faults(m)),
                      .cycles = growth(m->cycles.cycles, cycles.cycles),
                      .instructions = growth(m->cycles.instructions, cycles.instructions),
                      .probe_before = m->probe};
    sum_threads(m, out);
    out->probe_after = as_probe_rate();
}
