/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"

/* Options for `sh -c script`. */
#define SHELL(script) as_process_defaults((const char *const[]){"sh", "-c", (script), NULL})

static void both_outputs_and_the_exit_status_come_back(void **state)
{
    (void)state;
    as_process_options options = SHELL("echo out; echo err >&2; exit 7");
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    assert_int_equal(result.status, 7);
    assert_string_equal((char *)result.out.data, "out\n");
    assert_string_equal((char *)result.err.data, "err\n");
    assert_true(result.peak_rss_bytes > 0);
    char text[64];
    as_process_describe(&result, text, sizeof text);
    assert_string_equal(text, "exit status 7");
    as_process_result_free(&result);
}

static void environment_and_folder_are_the_given_ones(void **state)
{
    (void)state;
    setenv("AS_TEST_OLD", "old", 1);
    setenv("AS_TEST_KEPT", "kept", 1);
    as_process_options options =
        SHELL("echo $AS_TEST_OLD $AS_TEST_KEPT $AS_TEST_NEW; ls detect.py");
    options.env = (const char *const[]){"AS_TEST_OLD=new", "AS_TEST_NEW=fresh", NULL};
    options.folder = "oracle";
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_string_equal((char *)result.out.data, "new kept fresh\ndetect.py\n");
    as_process_result_free(&result);
}

static void a_crash_is_told_with_its_signal(void **state)
{
    (void)state;
    as_process_options options = SHELL("kill -SEGV $$");
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_SIGNALLED);
    assert_int_equal(result.signal, SIGSEGV);
    char text[64];
    as_process_describe(&result, text, sizeof text);
    assert_string_equal(text, "signal 11 (Segmentation fault)");
    as_process_result_free(&result);
}

/* Whether the process still runs; a zombie that nobody reaps here counts as gone. */
static bool is_running(long id)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", id);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    char *got = fgets(line, sizeof line, file);
    fclose(file);
    const char *state = got ? strrchr(line, ')') : NULL;
    return state && state[2] != 'Z' && state[2] != 'X';
}

static bool is_gone_soon(long id)
{
    for (int i = 0; i < 200 && is_running(id); i++)
        usleep(10000);
    return !is_running(id);
}

static void a_timeout_ends_the_whole_group(void **state)
{
    (void)state;
    as_process_options options = SHELL("sleep 1000 & echo $!; wait");
    options.wall_s = 0.3;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_TIMED_OUT);
    assert_true(result.wall_s >= 0.3);
    long sleeper = atol((char *)result.out.data);
    assert_true(sleeper > 0);
    assert_true(is_gone_soon(sleeper));
    as_process_result_free(&result);
}

static void what_a_child_leaves_running_is_ended_with_it(void **state)
{
    (void)state;
    as_process_options options = SHELL("sleep 1000 & echo $!");
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    assert_true(is_gone_soon(atol((char *)result.out.data)));
    as_process_result_free(&result);
}

static void too_much_output_is_cut_at_the_limit(void **state)
{
    (void)state;
    as_process_options options = SHELL("while :; do echo 0123456789; done");
    options.out.limit_bytes = 100003;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_FLOODED);
    assert_int_equal(result.out.size, 100003);
    as_process_result_free(&result);
}

static void surplus_stderr_is_dropped_without_harm(void **state)
{
    (void)state;
    as_process_options options = SHELL("head -c 300000 /dev/zero >&2; echo done");
    options.err.limit_bytes = 10;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    assert_int_equal(result.err.size, 10);
    assert_string_equal((char *)result.out.data, "done\n");
    as_process_result_free(&result);
}

static void a_file_over_its_limit_ends_the_child(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/assay-process-XXXXXX";
    close(mkstemp(path));
    as_process_options options =
        as_process_defaults((const char *const[]){"head", "-c", "100000", "/dev/zero", NULL});
    options.out = (as_stream){.kind = AS_STREAM_FILE, .path = path};
    options.file_bytes = 5000;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_SIGNALLED);
    assert_int_equal(result.signal, SIGXFSZ);
    as_bytes written;
    assert_int_equal(as_file_read(path, 0, &written, NULL), ASSAY_OK);
    assert_int_equal(written.size, 5000);
    as_bytes_free(&written);
    as_process_result_free(&result);
    assert_int_equal(as_path_remove(path, NULL), ASSAY_OK);
}

static void processor_time_over_its_limit_ends_the_child(void **state)
{
    (void)state;
    as_process_options options = SHELL("while :; do :; done");
    options.cpu_s = 1;
    options.wall_s = 60;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_SIGNALLED);
    assert_int_equal(result.signal, SIGXCPU);
    as_process_result_free(&result);
}

static void address_space_over_its_limit_fails_in_the_child(void **state)
{
    (void)state;
    as_process_options options = as_process_defaults(
        (const char *const[]){"dd", "if=/dev/zero", "of=/dev/null", "bs=1G", "count=1", NULL});
    options.address_bytes = (size_t)256 << 20;
    as_process_result result;
    assert_int_equal(as_process_run(&options, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    assert_int_equal(result.status, 1);
    assert_non_null(strstr((char *)result.err.data, "memory exhausted"));
    as_process_result_free(&result);
}

static void a_missing_program_and_folder_are_told_apart(void **state)
{
    (void)state;
    as_process_options options =
        as_process_defaults((const char *const[]){"no-such-program", NULL});
    as_process_result result;
    assay_error err;
    assert_int_equal(as_process_run(&options, &result, &err), ASSAY_E_NOT_FOUND);
    assert_string_equal(err.message, "program no-such-program does not exist");
    options = SHELL("true");
    options.folder = "no-such-folder";
    assert_int_equal(as_process_run(&options, &result, &err), ASSAY_E_IO);
    assert_non_null(strstr(err.message, "in folder no-such-folder"));
    options.err.kind = AS_STREAM_PIPE;
    assert_int_equal(as_process_run(&options, &result, &err), ASSAY_E_ARGUMENT);
}

static void lines_go_there_and_back(void **state)
{
    (void)state;
    as_process_options options = SHELL("while read a; do echo \"<$a>\"; done; printf end");
    options.in.kind = options.out.kind = AS_STREAM_PIPE;
    as_process *child;
    char *line;
    assert_int_equal(as_process_start(&options, &child, NULL), ASSAY_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(as_process_write(child, "hello you\nx\n", 12, NULL), ASSAY_OK);
        assert_int_equal(as_process_read_line(child, 20, &line, NULL), ASSAY_OK);
        assert_string_equal(line, "<hello you>");
        as_free(line);
        assert_int_equal(as_process_read_line(child, 20, &line, NULL), ASSAY_OK);
        assert_string_equal(line, "<x>");
        as_free(line);
    }
    assert_true(as_process_id(child) > 1);
    as_process_close_in(child);
    assert_int_equal(as_process_read_line(child, 20, &line, NULL), ASSAY_OK);
    assert_string_equal(line, "end");
    as_free(line);
    assert_int_equal(as_process_read_line(child, 20, &line, NULL), ASSAY_OK);
    assert_null(line);
    as_process_result result;
    assert_int_equal(as_process_wait(child, 20, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_EXITED);
    as_process_result_free(&result);
    as_process_free(child);
}

static void a_silent_child_fails_the_read_and_can_be_ended(void **state)
{
    (void)state;
    as_process_options options = SHELL("sleep 1000");
    options.out.kind = AS_STREAM_PIPE;
    as_process *child;
    char *line;
    assay_error err;
    assert_int_equal(as_process_start(&options, &child, NULL), ASSAY_OK);
    assert_int_equal(as_process_read_line(child, 0.2, &line, &err), ASSAY_E_CHILD);
    assert_null(line);
    assert_non_null(strstr(err.message, "sh wrote no line in 0."));
    as_process_kill(child);
    as_process_result result;
    assert_int_equal(as_process_wait(child, 0, &result, NULL), ASSAY_OK);
    assert_int_equal(result.end, AS_PROCESS_SIGNALLED);
    assert_int_equal(result.signal, SIGKILL);
    as_process_result_free(&result);
    as_process_free(child);
}

static void writing_to_a_child_that_is_gone_raises_no_signal(void **state)
{
    (void)state;
    as_process_options options = SHELL("exec <&-; echo closed; sleep 1000");
    options.in.kind = options.out.kind = AS_STREAM_PIPE;
    as_process *child;
    char *line;
    assay_error err;
    assert_int_equal(as_process_start(&options, &child, NULL), ASSAY_OK);
    assert_int_equal(as_process_read_line(child, 20, &line, NULL), ASSAY_OK);
    as_free(line);
    assert_int_equal(as_process_write(child, "x\n", 2, &err), ASSAY_E_CHILD);
    assert_non_null(strstr(err.message, "sh takes no more input"));
    as_process_free(child);
}

static bool stop_at_third(void *context)
{
    int *n_asked = context;
    return ++*n_asked >= 3;
}

static void a_stop_ends_the_child(void **state)
{
    (void)state;
    int n_asked = 0;
    as_process_options options = SHELL("sleep 1000");
    options.stop = stop_at_third;
    options.stop_context = &n_asked;
    as_process_result result;
    assay_error err;
    assert_int_equal(as_process_run(&options, &result, &err), ASSAY_E_INTERRUPTED);
    assert_string_equal(err.message, "interrupted while sh was running");
}

/* Without a child there is nothing to kill: group 0 would be the caller's own. */
static void no_descriptor_left_starts_nothing_and_kills_nobody(void **state)
{
    (void)state;
    struct rlimit old, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    for (rlim_t n = 3; n < 16; n++) {
        as_process_options options = SHELL("exit 0");
        as_process_result result;
        few = (struct rlimit){n, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        assay_code code = as_process_run(&options, &result, NULL);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
        if (code)
            assert_int_equal(code, ASSAY_E_IO);
        else
            as_process_result_free(&result);
    }
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    as_process_options options = SHELL("echo out; echo err >&2");
    size_t n_failed = 0;
    for (size_t n = 1; n < 100; n++) {
        as_process_result result;
        as_memory_fail_at(n);
        assay_code code = as_process_run(&options, &result, NULL);
        as_memory_fail_at(0);
        as_process_result_free(&result);
        if (!code) break;
        assert_int_equal(code, ASSAY_E_MEMORY);
        n_failed++;
    }
    assert_in_range(n_failed, 3, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_outputs_and_the_exit_status_come_back),
        cmocka_unit_test(environment_and_folder_are_the_given_ones),
        cmocka_unit_test(a_crash_is_told_with_its_signal),
        cmocka_unit_test(a_timeout_ends_the_whole_group),
        cmocka_unit_test(what_a_child_leaves_running_is_ended_with_it),
        cmocka_unit_test(too_much_output_is_cut_at_the_limit),
        cmocka_unit_test(surplus_stderr_is_dropped_without_harm),
        cmocka_unit_test(a_file_over_its_limit_ends_the_child),
        cmocka_unit_test(processor_time_over_its_limit_ends_the_child),
        cmocka_unit_test(address_space_over_its_limit_fails_in_the_child),
        cmocka_unit_test(a_missing_program_and_folder_are_told_apart),
        cmocka_unit_test(lines_go_there_and_back),
        cmocka_unit_test(a_silent_child_fails_the_read_and_can_be_ended),
        cmocka_unit_test(writing_to_a_child_that_is_gone_raises_no_signal),
        cmocka_unit_test(a_stop_ends_the_child),
        cmocka_unit_test(no_descriptor_left_starts_nothing_and_kills_nobody),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
