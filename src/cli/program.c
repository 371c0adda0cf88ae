/* SPDX-License-Identifier: Apache-2.0 */
/* Around a command line; stdout is closed, so that results which were not written are never taken for
 * success. */
#include "cli/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Colours only on a terminal that has them, and never with NO_COLOR (no-color.org). */
static bool may_color(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && no_color[0]) return false;
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

/*
 * A stream that the caller closed stays unusable, but its number is taken: a file of ours that got
 * it would be written into by every message.
 */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(AS_EXIT_IO);
}

int as_program_main(int argc, char **argv, int (*run)(as_cli *cli))
{
    hold_streams();
    /* A reader that went away fails one write instead of ending the process. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* the same of a file that may not grow */
    as_interrupt_install();
    as_cli cli = {.argc = argc,
                  .argv = argv,
                  .color_out = may_color(STDOUT_FILENO),
                  .color_err = may_color(STDERR_FILENO)};
    int status = run(&cli);
    assay_error err = {0};
    if (as_output_close(&err)) {
        int closing = as_cli_fail(&cli, &err);
        if (status == AS_EXIT_DONE) status = closing;
    }
    return status;
}
