/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target once on every file of the folders that are its arguments: what was found once
 * stays fixed.  A crash or an input that takes longer than LIMIT_S ends the program, which then
 * names the file.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "fuzz.h"

/* Far above what a small input takes in any build. */
#define LIMIT_S 60

static char now[512]; /* the file that is being replayed */

static void name_it(int signal_number)
{
    static const char text[] = ": the replay ends here\n";
    if (write(STDERR_FILENO, now, strlen(now)) < 0 ||
        write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    raise(signal_number); /* SA_RESETHAND: now for its default */
}

static void watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    struct sigaction action = {.sa_handler = name_it, .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* The bytes go into a block of their very size, so that sanitizers see a step beyond it. */
static bool replay(const char *path, int64_t *elapsed_ns)
{
    as_bytes bytes = {0};
    assay_error err = {0};
    if (as_file_read(path, 0, &bytes, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    uint8_t *exact = malloc(bytes.size ? bytes.size : 1);
    if (!exact) {
        as_bytes_free(&bytes);
        return false;
    }
    memcpy(exact, bytes.data, bytes.size);
    snprintf(now, sizeof now, "%s", path);
    int64_t start_ns = as_clock_ns();
    alarm(LIMIT_S);
    LLVMFuzzerTestOneInput(exact, bytes.size);
    alarm(0);
    *elapsed_ns = as_clock_ns() - start_ns;
    free(exact);
    as_bytes_free(&bytes);
    return true;
}

static bool replay_folder(const char *folder, size_t *n_done)
{
    as_names names = {0};
    assay_error err = {0};
    int64_t slowest_ns = 0;
    size_t slowest = 0;
    if (as_folder_list(folder, &names, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    bool is_fine = true;
    for (size_t i = 0; is_fine && i < names.n; i++) {
        int64_t elapsed_ns = 0;
        char *path = as_path_join(folder, names.items[i]);
        is_fine = path && replay(path, &elapsed_ns);
        as_free(path);
        if (elapsed_ns > slowest_ns) {
            slowest_ns = elapsed_ns;
            slowest = i;
        }
    }
    if (is_fine && names.n)
        printf("%s: %zu inputs, the slowest, %s, took %.1f ms\n", as_path_base(folder), names.n,
               names.items[slowest], (double)slowest_ns / 1e6);
    *n_done += names.n;
    as_names_free(&names);
    return is_fine;
}

int main(int argc, char **argv)
{
    size_t n_done = 0;
    watch();
    for (int i = 1; i < argc; i++)
        if (!replay_folder(argv[i], &n_done)) return 1;
    if (n_done == 0) fprintf(stderr, "no input was replayed\n");
    return n_done ? 0 : 1;
}
