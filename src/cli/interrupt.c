/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The one thing that a signal handler may write. */
static volatile sig_atomic_t is_interrupted = 0;

static void on_signal(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

void as_interrupt_install(void)
{
    /* Reads and writes restart; poll and nanosleep return early, so that a waiting loop looks. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool as_interrupted(void) { return is_interrupted != 0; }

bool as_stop(void *unused)
{
    (void)unused;
    return as_interrupted();
}
