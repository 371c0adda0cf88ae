/* SPDX-License-Identifier: Apache-2.0 */
/* The first signal asks, the second one ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

enum { ASKED = 7, NOT_ASKED = 8 };

/* In a child: raise `signal_number` `times` times after the handlers are in.  @return wait's status. */
static int raise_in_child(int signal_number, int times)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        as_interrupt_install();
        if (as_interrupted()) _exit(NOT_ASKED);
        for (int i = 0; i < times; i++)
            raise(signal_number);
        _exit(as_interrupted() && as_stop(NULL) ? ASKED : NOT_ASKED);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void the_first_signal_sets_the_flag_and_ends_nothing(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status = raise_in_child(signals[i], 1);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), ASKED);
    }
}

static void the_second_signal_ends_the_process(void **state)
{
    (void)state;
    int status = raise_in_child(SIGINT, 2);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

static void without_a_signal_nothing_is_asked(void **state)
{
    (void)state;
    assert_int_equal(WEXITSTATUS(raise_in_child(SIGINT, 0)), NOT_ASKED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_sets_the_flag_and_ends_nothing),
        cmocka_unit_test(the_second_signal_ends_the_process),
        cmocka_unit_test(without_a_signal_nothing_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
