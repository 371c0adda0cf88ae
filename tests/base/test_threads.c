/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/denormals.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"

#define CASE "cases/B25-cpu-count-affinity-cgroup"

/* A string or number member of one object of expected.json, whose form is known. */
static const char *member(const char *object, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(object, key);
    assert_non_null(at);
    return at + strlen(key) + strspn(at + strlen(key), " \"");
}

static size_t check_fixture(const char *object)
{
    char fixture[64], root[160];
    const char *name = member(object, "fixture");
    snprintf(fixture, sizeof fixture, "%.*s", (int)strcspn(name, "\""), name);
    snprintf(root, sizeof root, CASE "/fixtures/%s", fixture);
    assert_true(as_file_is_folder(root));
    const size_t n_affinity = strtoul(member(object, "affinity_cpus"), NULL, 10);
    const size_t want = strtoul(member(object, "expected_threads"), NULL, 10);
    as_thread_limits limits;
    as_thread_limits_read(root, n_affinity, &limits);
    if (limits.n_threads != want)
        print_error("%s: %zu threads, %zu are expected\n", fixture, limits.n_threads, want);
    assert_int_equal(limits.n_threads, want);
    const bool is_garbage = strcmp(fixture, "v2_garbage") == 0 ||
                            strcmp(fixture, "v2_empty_file") == 0 ||
                            strcmp(fixture, "v2_zero_period") == 0;
    assert_int_equal(limits.warning[0] != '\0', is_garbage);
    return 1;
}

static void limits_equal_the_expected_ones_of_every_fixture(void **state)
{
    (void)state;
    as_bytes text = {0};
    assert_int_equal(as_file_read(CASE "/expected.json", 0, &text, NULL), ASSAY_OK);
    size_t n = 0;
    for (const char *at = strchr((const char *)text.data, '{'); at; at = strchr(at + 1, '{'))
        n += check_fixture(at);
    assert_int_equal(n, 16);
    as_bytes_free(&text);
}

static void a_warning_names_the_file_and_its_text(void **state)
{
    (void)state;
    as_thread_limits limits;
    as_thread_limits_read(CASE "/fixtures/v2_garbage", 4, &limits);
    assert_non_null(strstr(limits.warning, "app/cpu.max holds 'abc def'"));
}

static void a_root_without_files_limits_nothing(void **state)
{
    (void)state;
    as_thread_limits limits;
    as_thread_limits_read("cases/no-such-root", 5, &limits);
    assert_int_equal(limits.n_threads, 5);
    assert_true(limits.quota_cpus == 0);
    as_thread_limits_read("cases/no-such-root", 0, &limits);
    assert_true(limits.n_affinity >= 1);
}

static void the_default_lies_between_one_and_the_affinity(void **state)
{
    (void)state;
    as_thread_limits limits;
    as_thread_limits_read("", 0, &limits);
    assert_in_range(as_threads_default(), 1, limits.n_affinity);
}

typedef struct job {
    unsigned char visits[1000];
    size_t thread_of[1000];
    volatile float tiny;
    int n_denormals[64];
} job;

static void visit(void *context, size_t begin, size_t end, size_t thread)
{
    job *j = context;
    for (size_t i = begin; i < end; i++) {
        j->visits[i]++;
        j->thread_of[i] = thread;
    }
    j->n_denormals[thread] += j->tiny * 0.5f != 0.0f;
}

static void every_item_runs_once_whatever_the_number_of_threads(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 3, 7}, items[] = {0, 1, 2, 6, 7, 997};
    for (size_t t = 0; t < 4; t++) {
        as_threads *pool = NULL;
        assert_int_equal(as_threads_new(threads[t], &pool, NULL), ASSAY_OK);
        assert_int_equal(as_threads_count(pool), threads[t]);
        for (size_t k = 0; k < 6; k++) {
            job j = {.tiny = 0x1p-126f};
            as_threads_run(pool, items[k], visit, &j);
            for (size_t i = 0; i < 1000; i++)
                assert_int_equal(j.visits[i], i < items[k]);
            for (size_t i = 1; i < items[k];
                 i++) /* parts are in order and each thread's is one piece */
                assert_in_range(j.thread_of[i] - j.thread_of[i - 1], 0, 1);
        }
        as_threads_free(pool);
    }
}

static void denormals_are_flushed_in_every_thread_and_the_callers_mode_comes_back(void **state)
{
    (void)state;
    as_threads *pool = NULL;
    assert_int_equal(as_threads_new(3, &pool, NULL), ASSAY_OK);
    job j = {.tiny = 0x1p-126f};
    assert_true(j.tiny * 0.5f != 0.0f);
    for (int i = 0; i < 50; i++)
        as_threads_run(pool, 3, visit, &j);
    for (size_t t = 0; t < 3; t++)
        assert_int_equal(j.n_denormals[t], 0);
    assert_true(j.tiny * 0.5f != 0.0f);
    as_threads_run(NULL, 1, visit, &j);
    assert_int_equal(j.n_denormals[0], 0);
    assert_true(j.tiny * 0.5f != 0.0f);
    as_threads_free(pool);
}

static void a_mode_that_the_caller_had_flushed_stays_flushed(void **state)
{
    (void)state;
    const unsigned saved = as_denormals_flush();
    job j = {.tiny = 0x1p-126f};
    as_threads_run(NULL, 1, visit, &j);
    assert_true(j.tiny * 0.5f == 0.0f);
    as_denormals_restore(saved);
    assert_true(j.tiny * 0.5f != 0.0f);
}

static void sum_items(void *context, size_t begin, size_t end, size_t thread)
{
    size_t *sums = context;
    for (size_t i = begin; i < end; i++)
        sums[16 * thread] += i;
}

static void more_threads_than_cpus_do_ten_thousand_jobs(void **state)
{
    (void)state;
    as_threads *pool = NULL;
    assert_int_equal(as_threads_new(16, &pool, NULL), ASSAY_OK);
    size_t sums[16 * 16] = {0}, sum = 0;
    for (int i = 0; i < 10000; i++)
        as_threads_run(pool, 2 + (size_t)i % 32, sum_items, sums);
    for (int t = 0; t < 16; t++)
        sum += sums[16 * t];
    size_t wanted = 0;
    for (size_t i = 0; i < 10000; i++)
        wanted += (2 + i % 32) * (1 + i % 32) / 2;
    assert_int_equal(sum, wanted);
    as_threads_free(pool);
}

static void the_callers_affinity_comes_back(void **state)
{
    (void)state;
    cpu_set_t before, inside, after;
    as_threads *pool = NULL;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t n = (size_t)CPU_COUNT(&before);
    if (n < 2) {
        print_message("SKIPPED: one CPU\n");
        skip();
    }
    assert_int_equal(as_threads_new(n, &pool, NULL), ASSAY_OK);
    as_threads_enter(pool);
    assert_int_equal(sched_getaffinity(0, sizeof inside, &inside), 0);
    assert_int_equal(CPU_COUNT(&inside), 1);
    as_threads_leave(pool);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    as_threads_free(pool);
    /* More threads than CPUs are nobody's to pin. */
    assert_int_equal(as_threads_new(n + 1, &pool, NULL), ASSAY_OK);
    as_threads_enter(pool);
    assert_int_equal(sched_getaffinity(0, sizeof inside, &inside), 0);
    assert_true(CPU_EQUAL(&before, &inside));
    as_threads_leave(pool);
    as_threads_free(pool);
}

static void no_thread_and_too_many_are_wrong_arguments(void **state)
{
    (void)state;
    as_threads *pool = (as_threads *)1;
    assay_error err;
    assert_int_equal(as_threads_new(0, &pool, &err), ASSAY_E_ARGUMENT);
    assert_null(pool);
    assert_string_equal(err.message, "0 threads were asked for, 1 to 1024 are possible");
    assert_int_equal(as_threads_new(1025, &pool, &err), ASSAY_E_ARGUMENT);
    assert_non_null(strstr(err.message, "1025 threads"));
    as_threads_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_equal_the_expected_ones_of_every_fixture),
        cmocka_unit_test(a_warning_names_the_file_and_its_text),
        cmocka_unit_test(a_root_without_files_limits_nothing),
        cmocka_unit_test(the_default_lies_between_one_and_the_affinity),
        cmocka_unit_test(every_item_runs_once_whatever_the_number_of_threads),
        cmocka_unit_test(denormals_are_flushed_in_every_thread_and_the_callers_mode_comes_back),
        cmocka_unit_test(a_mode_that_the_caller_had_flushed_stays_flushed),
        cmocka_unit_test(more_threads_than_cpus_do_ten_thousand_jobs),
        cmocka_unit_test(the_callers_affinity_comes_back),
        cmocka_unit_test(no_thread_and_too_many_are_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
