/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "saved_root.h"
#include "trial/environment.h"

static const as_finding *find(const as_environment *e, const char *name)
{
    for (size_t i = 0; i < e->n_findings; i++)
        if (strcmp(e->findings[i].name, name) == 0) return &e->findings[i];
    return NULL;
}

static as_environment *look(const char *root)
{
    assay_error err = {0};
    as_environment *e;
    if (as_environment_read(root, 0.001, &e, &err)) fail_msg("%s", err.message);
    return e;
}

static void assert_finding(const as_environment *e, const char *name, as_severity severity,
                           const char *words)
{
    const as_finding *f = find(e, name);
    if (!f) fail_msg("nothing was found on %s", name);
    if (f->severity != severity)
        fail_msg("%s is %s: %s", name, as_severity_name(f->severity), f->seen);
    if (!strstr(f->seen, words)) fail_msg("'%s' lacks '%s'", f->seen, words);
    assert_int_equal(f->effect[0] != '\0', severity != AS_SEVERITY_FINE);
    assert_int_equal(f->advice[0] != '\0', severity != AS_SEVERITY_FINE);
}

static void a_spoilt_machine_is_described(void **state)
{
    const char *root = *state;
    root_put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    root_put(root, "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    root_put(root, "sys/devices/system/cpu/smt/control", "on\n");
    root_put(root, "proc/self/cgroup", "0::/box\n");
    root_put(root, "sys/fs/cgroup/box/cpu.max", "150000 100000\n");
    root_put(root, "sys/fs/cgroup/box/cpu.stat", "nr_throttled 12\nthrottled_usec 90\n");
    root_put(root, "proc/loadavg", "400.00 1.00 1.00 1/1 1\n");
    root_put(root, "proc/pressure/cpu", "some avg10=40.00 avg60=1 avg300=1 total=5\n");
    root_put(root, "proc/meminfo",
             "MemTotal: 1024 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
    root_put(root, "proc/stat", "cpu  50 0 0 0 0 0 0 50 0 0\n");
    root_put(root, "proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor avx2\n");
    root_put(root, "sys/class/dmi/id/sys_vendor", "QEMU\n");
    root_put(root, ".dockerenv", "");
    root_put(root, "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    as_environment *e = look(root);
    assert_finding(e, "governor", AS_SEVERITY_NOTE, "powersave");
    assert_finding(e, "turbo", AS_SEVERITY_NOTE, "turbo on");
    assert_finding(e, "smt", AS_SEVERITY_NOTE, "on");
    assert_finding(e, "quota", AS_SEVERITY_SPOILS, "1.50 CPUs");
    assert_finding(e, "throttling", AS_SEVERITY_NOTE, "12 times");
    assert_finding(e, "load", AS_SEVERITY_SPOILS, "400.00");
    assert_finding(e, "pressure", AS_SEVERITY_SPOILS, "40.0 %");
    assert_finding(e, "swap", AS_SEVERITY_NOTE, "3 MiB");
    assert_finding(e, "virtual", AS_SEVERITY_NOTE, "QEMU; steal 50.00 %");
    assert_finding(e, "container", AS_SEVERITY_NOTE, "container");
    assert_finding(e, "clock", AS_SEVERITY_NOTE, "clock hpet");
    assert_true(json_real_value(json_object_get(e->machine, "quota_cpus")) == 1.5);
    assert_string_equal(json_string_value(json_object_get(e->machine, "hypervisor")), "QEMU");
    as_environment_free(e);
}

static void a_good_machine_is_fine(void **state)
{
    const char *root = *state;
    root_put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    root_put(root, "sys/devices/system/cpu/cpufreq/boost", "0\n");
    root_put(root, "sys/devices/system/cpu/smt/control", "off\n");
    root_put(root, "proc/self/cgroup", "0::/\n");
    root_put(root, "sys/fs/cgroup/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
    root_put(root, "proc/loadavg", "0.00 0.00 0.00 1/1 1\n");
    root_put(root, "proc/pressure/cpu", "some avg10=0.00 avg60=0 avg300=0 total=5\n");
    root_put(root, "proc/meminfo", "MemTotal: 1024 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
    root_put(root, "proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu avx2\n");
    root_put(root, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    root_put(root, "proc/self/task/1/schedstat", "5 0 1\n"); /* it never waits */
    as_environment *e = look(root);
    const char *const names[] = {"governor",   "turbo",   "smt",       "quota",
                                 "throttling", "load",    "processes", "swap",
                                 "pressure",   "virtual", "clock",     "share"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_finding(e, names[i], AS_SEVERITY_FINE, "");
    assert_null(find(e, "container"));
    assert_true(json_is_null(json_object_get(e->machine, "quota_cpus")));
    as_environment_free(e);
}

static void what_a_container_hides_is_unknown_not_fine(void **state)
{
    as_environment *e = look(*state);
    const char *const names[] = {"governor", "turbo",    "smt",  "throttling",
                                 "load",     "pressure", "swap", "share"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_finding(e, names[i], AS_SEVERITY_UNKNOWN, "");
    as_environment_free(e);
}

/* Phrases as JSON: each format with its values, for who says it in another language. */
static void assert_said(const as_finding *f, const char *wanted)
{
    char *said = json_dumps(f->said, JSON_COMPACT);
    assert_string_equal(said, wanted);
    free(said);
}

static void findings_are_json(void **state)
{
    as_environment *e = look(*state);
    json_t *list = as_environment_findings_json(e);
    assert_int_equal(json_array_size(list), e->n_findings);
    const json_t *first = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "governor");
    assert_string_equal(json_string_value(json_object_get(first, "severity")), "unknown");
    assert_said(find(e, "governor"), "[[\"no frequency governor is visible%s\",\"\"]]");
    assert_said(find(e, "swap"), "[[\"swap is not visible (%lld)\",\"-1\"]]");
    assert_said(find(e, "quota"), "[[\"no CPU quota\"]]");
    json_decref(list);
    as_environment_free(e);
}

static void a_bad_isa_in_the_environment_is_refused(void **state)
{
    as_environment *e;
    assay_error err = {0};
    setenv("ASSAY_ISA", "mmx", 1);
    assay_code code = as_environment_read(*state, 0.001, &e, &err);
    unsetenv("ASSAY_ISA");
    assert_int_equal(code, ASSAY_E_ARGUMENT);
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_ROOT(a_spoilt_machine_is_described),
        TEST_IN_ROOT(a_good_machine_is_fine),
        TEST_IN_ROOT(what_a_container_hides_is_unknown_not_fine),
        TEST_IN_ROOT(findings_are_json),
        TEST_IN_ROOT(a_bad_isa_in_the_environment_is_refused),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
