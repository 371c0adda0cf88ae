/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each find_* looks at one thing and says what was seen, what it likely does and what to do.
 * Findings never stop a run: balanced rounds take most of them out, and the report shows them.
 */
#include "trial/environment.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/probe.h"
#include "image/image.h"
#include "trial/machine.h"
#include "trial/noise_meter.h"
#include "trial/proc_file.h"
#include "trial/snapshot.h"
#include "verdict/noise.h"

/* What the finders look at. */
typedef struct looked {
    as_machine machine;
    as_snapshot snapshot;
    as_noise noise;        /* while this process computed for a moment */
    int64_t resolution_ns; /* of the clock */
    as_clock_fault clock;  /* over that moment */
    char clock_source[32]; /* "tsc"; "" where not readable */
    int niceness;
} looked;

/* So long this process computes to see what it is given: some 50 ms, many turns of a busy scheduler. */
enum { WORK_STEPS = 150000000 / 16 };

/* Thresholds of attention, not of validity: a process at a tenth of a CPU, and a load or pressure
 * that is visible at all, are what a person would want to know of before measuring. */
static const double busy_percent = 10, pressure_percent = 5, load_per_cpu = 0.3;

/* Of `format` the conversions alone, a line each: what prints its values without its words. */
static void keep_conversions(const char *format, char *out, size_t room)
{
    size_t used = 0;
    while ((format = strchr(format, '%')) != NULL) {
        size_t length = format[1] == '%' ? 0 : strcspn(format, "diufgsx") + 1;
        if (length > 0 && used + length + 2 <= room) {
            memcpy(out + used, format, length);
            out[used + length] = '\n';
            used += length + 1;
        }
        format += length ? length : 2;
    }
    out[used] = '\0';
}

/* A further phrase of what was seen: as English, and as its format with its values. */
static void put_phrase(as_finding *f, const char *format, va_list values)
{
    char conversions[64], told[256], *end;
    const size_t used = strlen(f->seen);
    json_t *phrase = json_array();
    va_list again;
    va_copy(again, values);
    vsnprintf(f->seen + used, sizeof f->seen - used, format, again);
    va_end(again);
    keep_conversions(format, conversions, sizeof conversions);
    vsnprintf(told, sizeof told, conversions, values);
    as_json_append(&phrase, json_string(format));
    for (const char *at = told; (end = strchr(at, '\n')) != NULL; at = end + 1)
        as_json_append(&phrase, json_stringn(at, (size_t)(end - at)));
    as_json_append(&f->said, phrase);
}

static void add(as_environment *e, const char *name, as_severity severity, const char *effect,
                const char *advice, const char *format, ...) AS_PRINTF(6, 7);

static void add(as_environment *e, const char *name, as_severity severity, const char *effect,
                const char *advice, const char *format, ...)
{
    if (e->n_findings == AS_FINDINGS_MAX) return;
    as_finding *f = &e->findings[e->n_findings++];
    bool matters = severity != AS_SEVERITY_FINE;
    f->name = name;
    f->severity = severity;
    f->effect = matters ? effect : "";
    f->advice = matters ? advice : "";
    f->said = json_array();
    va_list values;
    va_start(values, format);
    put_phrase(f, format, values);
    va_end(values);
}

/* Go on with what the last finding saw. */
static void add_phrase(as_environment *e, const char *format, ...) AS_PRINTF(2, 3);

static void add_phrase(as_environment *e, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_phrase(&e->findings[e->n_findings - 1], format, values);
    va_end(values);
}

static void find_governor(as_environment *e, const looked *l)
{
    const char *seen = l->machine.governor;
    as_severity severity = !seen[0]                           ? AS_SEVERITY_UNKNOWN
                           : strcmp(seen, "performance") == 0 ? AS_SEVERITY_FINE
                                                              : AS_SEVERITY_NOTE;
    add(e, "governor", severity,
        "the clock rate may change while a slot runs, and the first slots run slower",
        seen[0] ? "cpupower frequency-set -g performance (as root), or trust the balanced order"
                : "look at the host: a container or virtual machine does not show it",
        seen[0] ? "frequency governor %s" : "no frequency governor is visible%s", seen);
}

static void find_turbo(as_environment *e, const looked *l)
{
    const char *seen = l->machine.turbo;
    as_severity severity = !seen[0]                   ? AS_SEVERITY_UNKNOWN
                           : strcmp(seen, "off") == 0 ? AS_SEVERITY_FINE
                                                      : AS_SEVERITY_NOTE;
    add(e, "turbo", severity, "speed depends on temperature and on what the other cores do",
        seen[0] ? "switch boost off (as root) or compare only within one run"
                : "look at the host: a container or virtual machine does not show it",
        seen[0] ? "turbo %s" : "turbo is not visible%s", seen);
}

static void find_smt(as_environment *e, const looked *l)
{
    const char *seen = l->machine.smt;
    bool is_on = strcmp(seen, "on") == 0;
    as_severity severity = !seen[0] ? AS_SEVERITY_UNKNOWN
                           : is_on  ? AS_SEVERITY_NOTE
                                    : AS_SEVERITY_FINE;
    add(e, "smt", severity, "two threads may share one core's arithmetic units",
        seen[0]
            ? "give the process one logical CPU of each core (taskset), or threads=N in the "
              "policies"
            : "look at the host: a container or virtual machine does not show it",
        seen[0] ? "SMT siblings: %s" : "SMT siblings are not visible%s", seen);
}

static void find_quota(as_environment *e, const looked *l)
{
    const as_thread_limits *t = &l->machine.threads;
    bool is_whole = fabs(t->quota_cpus - nearbyint(t->quota_cpus)) < 1e-9;
    if (t->quota_cpus <= 0)
        add(e, "quota", AS_SEVERITY_FINE, "", "", "no CPU quota");
    else
        add(e, "quota", is_whole ? AS_SEVERITY_NOTE : AS_SEVERITY_SPOILS,
            "when the quota of a period is used up the process stands still until the next one",
            "give the container whole CPUs (cpuset) instead of a quota",
            "CPU quota of %.2f CPUs for %zu threads", t->quota_cpus, t->n_threads);
    if (t->warning[0])
        add(e, "quota-file", AS_SEVERITY_UNKNOWN, "a quota may be in force that is not seen",
            "look at the file", "the quota is not known: %s", t->warning);
}

static void find_throttling(as_environment *e, const looked *l)
{
    int64_t n = l->snapshot.n_throttled;
    add(e, "throttling",
        n < 0    ? AS_SEVERITY_UNKNOWN
        : n == 0 ? AS_SEVERITY_FINE
                 : AS_SEVERITY_NOTE,
        "the process's control group has been stopped for using up its quota",
        n < 0 ? "look at the host: no control group tells"
              : "raise the quota, or use fewer threads",
        n < 0 ? "throttling is not visible (%lld)" : "throttled %lld times so far",
        (long long)n);
}

static void find_load(as_environment *e, const looked *l)
{
    double per_cpu = l->snapshot.load_1 / (double)l->machine.cpu.n_online;
    if (isnan(per_cpu))
        add(e, "load", AS_SEVERITY_UNKNOWN, "other work may be running", "look at the host",
            "no load average is readable");
    else
        add(e, "load", per_cpu > load_per_cpu ? AS_SEVERITY_SPOILS : AS_SEVERITY_FINE,
            "other work takes CPU time, caches and memory bandwidth",
            "stop it, or wait until it is done", "load average %.2f on %zu CPUs",
            l->snapshot.load_1, l->machine.cpu.n_online);
}

static void find_processes(as_environment *e, const looked *l)
{
    const as_snapshot *s = &l->snapshot;
    size_t n = 0;
    while (n < s->n_processes && s->processes[n].cpu_percent >= busy_percent)
        n++;
    if (n == 0)
        add(e, "processes", AS_SEVERITY_FINE, "", "", "no other process uses %.0f %% of a CPU",
            busy_percent);
    else
        add(e, "processes", AS_SEVERITY_SPOILS, "it competes for CPU time and caches",
            "stop it, or wait until it is done",
            n == 1
                ? "%zu other process at %.0f %% of a CPU or more, the busiest is %s (%d) at "
                  "%.0f %%"
                : "%zu other processes at %.0f %% of a CPU or more, the busiest is %s (%d) at "
                  "%.0f %%",
            n, busy_percent, s->processes[0].name, s->processes[0].pid,
            s->processes[0].cpu_percent);
}

static void find_swap(as_environment *e, const looked *l)
{
    int64_t used = l->snapshot.swap_used_bytes;
    add(e, "swap",
        used < 0    ? AS_SEVERITY_UNKNOWN
        : used == 0 ? AS_SEVERITY_FINE
                    : AS_SEVERITY_NOTE,
        "pages may have to come back from disk while a call runs",
        used < 0 ? "look at the host" : "free memory, then swapoff -a && swapon -a (as root)",
        used < 0 ? "swap is not visible (%lld)" : "%lld MiB of swap in use",
        (long long)(used < 0 ? used : (used + (1 << 20) - 1) >> 20));
}

static void find_pressure(as_environment *e, const looked *l)
{
    double seen = l->snapshot.psi_cpu_avg10;
    if (isnan(seen))
        add(e, "pressure", AS_SEVERITY_UNKNOWN, "waiting for a CPU goes unseen",
            "boot with psi=1, or look at the host", "the kernel tells no CPU pressure");
    else
        add(e, "pressure", seen > pressure_percent ? AS_SEVERITY_SPOILS : AS_SEVERITY_FINE,
            "something waits for a CPU that another task holds", "stop the other work",
            "CPU pressure %.1f %% of the last 10 s", seen);
}

static void find_virtual(as_environment *e, const looked *l)
{
    const as_machine *m = &l->machine;
    double share = l->snapshot.total_ticks > 0 ? 100.0 * (double)l->snapshot.steal_ticks /
                                                     (double)l->snapshot.total_ticks
                                               : NAN;
    if (!m->is_virtual)
        add(e, "virtual", AS_SEVERITY_FINE, "", "", "no hypervisor below");
    else
        add(e, "virtual", AS_SEVERITY_NOTE,
            "the host may take the CPU away, and says so only as steal, if at all",
            "prefer a machine of your own; else more rounds, and look at steal in the report",
            m->hypervisor[0]
                ? "a virtual machine of %s; steal %.2f %% of all time since it started"
                : "a virtual machine%s; steal %.2f %% of all time since it started",
            m->hypervisor, share);
}

static void find_affinity(as_environment *e, const looked *l)
{
    size_t allowed = l->machine.threads.n_affinity, online = l->machine.cpu.n_online;
    add(e, "affinity", allowed < online ? AS_SEVERITY_NOTE : AS_SEVERITY_FINE,
        "others may run on the CPUs that this process may not use, and share its caches",
        "nothing when it was meant so; else start without taskset or a cpuset",
        "may use %zu of %zu online CPUs", allowed, online);
}

static void find_container(as_environment *e, const looked *l)
{
    if (l->machine.is_container)
        add(e, "container", AS_SEVERITY_NOTE,
            "other containers of the host are not visible here",
            "look at the host's load while measuring", "runs in a container");
}

/* The measurement's own rule, on a moment of work: what would make a round dirty here and now. */
static void find_share(as_environment *e, const looked *l)
{
    as_dirt dirt = as_dirt_none();
    as_dirt_add(&dirt, &l->noise);
    bool is_dirty = as_dirt_is_dirty(&dirt);
    if (isnan(dirt.level[AS_DIRT_DELAY]) && !is_dirty) {
        add(e, "share", AS_SEVERITY_UNKNOWN, "waiting for a CPU goes unseen",
            "look at the host: the kernel tells no run delay",
            "what a thread waits for a CPU is not visible");
        return;
    }
    add(e, "share", is_dirty ? AS_SEVERITY_SPOILS : AS_SEVERITY_FINE,
        "rounds measured now would be dirty", "stop the other work, or wait until it is done",
        "while this process computed for %.0f ms: ", 1000 * l->noise.wall_s);
    if (!is_dirty) add_phrase(e, "nothing took its CPU");
    for (int k = 0, n = 0; k < AS_N_DIRT; k++) {
        if (!as_dirt_exceeds(&dirt, (as_dirt_kind)k)) continue;
        if (n++) add_phrase(e, ", ");
        add_phrase(e, as_dirt_format((as_dirt_kind)k), dirt.level[k]);
    }
}

static void find_clock(as_environment *e, const looked *l)
{
    static const char *const seen[] =
        /* said */ {[AS_CLOCK_GOOD] = "clock %s, steps of %lld ns, good",
                    [AS_CLOCK_NEGATIVE] = "clock %s, steps of %lld ns, negative",
                    [AS_CLOCK_COARSE] = "clock %s, steps of %lld ns, coarse",
                    [AS_CLOCK_DISAGREES] = "clock %s, steps of %lld ns, disagrees"};
    bool is_good = l->clock == AS_CLOCK_GOOD && l->resolution_ns < 1000;
    bool is_slow = l->clock_source[0] && strcmp(l->clock_source, "tsc") != 0 &&
                   strcmp(l->clock_source, "kvm-clock") != 0 &&
                   strcmp(l->clock_source, "arch_sys_counter") != 0;
    add(e, "clock",
        !is_good  ? AS_SEVERITY_SPOILS
        : is_slow ? AS_SEVERITY_NOTE
                  : AS_SEVERITY_FINE,
        is_good ? "reading it takes long, which short calls feel"
                : "durations are wrong or too coarse: calls on it are left out",
        is_good ? "choose tsc in current_clocksource where the kernel calls it stable"
                : "look at the kernel's log for clocksource, or measure on another machine",
        seen[l->clock], l->clock_source, (long long)l->resolution_ns);
}

static void find_counters(as_environment *e, const looked *l)
{
    if (l->noise.cycles >= 0)
        add(e, "counters", AS_SEVERITY_FINE, "", "", "cycles and instructions are counted");
    else
        add(e, "counters", AS_SEVERITY_UNKNOWN, "cycles and instructions are not recorded",
            "sysctl kernel.perf_event_paranoid=1 (as root), or a machine that has them",
            "no PMU");
}

static void find_niceness(as_environment *e, const looked *l)
{
    add(e, "niceness", l->niceness > 0 ? AS_SEVERITY_SPOILS : AS_SEVERITY_FINE,
        "other processes go first", "start it without nice", "niceness %d", l->niceness);
}

static void look_at_clock(const char *root, looked *l, const as_stamp *begin)
{
    as_stamp end = as_clock_stamp();
    l->resolution_ns = as_clock_resolution_ns();
    l->clock = as_clock_judge(begin, &end, l->resolution_ns);
    as_proc_line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource",
                 l->clock_source, sizeof l->clock_source);
    l->niceness = getpriority(PRIO_PROCESS, 0);
}

/* Compute for a moment, as a slot does, and see what came between. */
static assay_code compute(const char *root, looked *l, assay_error *err)
{
    as_noise_meter *meter;
    assay_code code = as_noise_meter_new(root, &meter, err);
    if (code) return code;
    as_stamp begin = as_clock_stamp();
    as_noise_meter_begin(meter, 0);
    as_probe_run(WORK_STEPS);
    as_noise_meter_end(meter, &l->noise);
    look_at_clock(root, l, &begin);
    as_noise_meter_free(meter);
    return ASSAY_OK;
}

static json_t *versions_json(void)
{
    char image[256];
    as_image_versions(image, sizeof image);
    return json_pack("{s:s s:s s:s}", "assay", ASSAY_VERSION, "compiler", __VERSION__, "images",
                     image);
}

static json_t *machine_json(const looked *l)
{
    const as_machine *m = &l->machine;
    json_t *quota = m->threads.quota_cpus > 0 ? json_real(m->threads.quota_cpus) : json_null();
    return json_pack(
        "{s:s s:s s:i s:i s:i s:I s:I s:I s:I s:I s:o s:I s:s s:s s:s s:s s:s s:b s:s s:b s:I "
        "s:o}",
        "cpu", m->cpu.model, "vendor", m->cpu.vendor, "family", m->cpu.family, "model_number",
        m->cpu.model_number, "stepping", m->cpu.stepping, "l1d_bytes",
        (json_int_t)m->cpu.l1d_bytes, "l2_bytes", (json_int_t)m->cpu.l2_bytes, "l3_bytes",
        (json_int_t)m->cpu.l3_bytes, "cpus_online", (json_int_t)m->cpu.n_online, "cpus_allowed",
        (json_int_t)m->threads.n_affinity, "quota_cpus", quota, "threads",
        (json_int_t)m->threads.n_threads, "isa", as_isa_name(m->isa), "kernel", m->kernel,
        "governor", m->governor, "turbo", m->turbo, "smt", m->smt, "virtual", m->is_virtual,
        "hypervisor", m->hypervisor, "container", m->is_container, "memory_bytes",
        (json_int_t)m->memory_bytes, "versions", versions_json());
}

assay_code as_environment_read(const char *root, double window_s, as_environment **out,
                               assay_error *err)
{
    static void (*const finders[])(as_environment *, const looked *) = {
        find_governor,   find_turbo,   find_smt,       find_quota,
        find_throttling, find_load,    find_processes, find_swap,
        find_pressure,   find_virtual, find_affinity,  find_container,
        find_share,      find_clock,   find_counters,  find_niceness};
    *out = NULL;
    as_environment *environment = as_alloc(sizeof *environment);
    looked *l = as_alloc(sizeof *l);
    assay_code code = environment && l
                          ? ASSAY_OK
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to look at the machine");
    if (!code) code = as_machine_read(root, &l->machine, err);
    if (!code) code = as_snapshot_take(root, window_s, &l->snapshot, err);
    if (!code) code = compute(root, l, err);
    for (size_t i = 0; i < AS_COUNT_OF(finders) && !code; i++)
        finders[i](environment, l);
    if (!code) environment->machine = machine_json(l);
    if (!code && !environment->machine)
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to look at the machine");
    if (code)
        as_environment_free(environment);
    else
        *out = environment;
    as_free(l);
    return code;
}

void as_environment_free(as_environment *environment)
{
    if (!environment) return;
    for (size_t i = 0; i < environment->n_findings; i++)
        json_decref(environment->findings[i].said);
    json_decref(environment->machine);
    as_free(environment);
}

const char *as_severity_name(as_severity severity)
{
    static const char *const names[] = {"fine", "unknown", "note", "spoils"};
    return names[severity];
}

json_t *as_environment_findings_json(const as_environment *environment)
{
    json_t *list = json_array();
    for (size_t i = 0; i < environment->n_findings; i++) {
        const as_finding *f = &environment->findings[i];
        as_json_append(&list,
                       json_pack("{s:s s:s s:s s:O s:s s:s}", "name", f->name, "severity",
                                 as_severity_name(f->severity), "seen", f->seen, "said",
                                 f->said, "effect", f->effect, "advice", f->advice));
    }
    return list;
}
