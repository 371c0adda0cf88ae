/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talking with a child and waiting for it.  Everything waits in one place, await_event(): on the
 * child's outputs, on its end, on the time, and on the caller's `stop`.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process_inner.h"
#include "base/size.h"

enum {
    PIECE_BYTES = 1 << 16,
    FLAG_MS = 250, /* how often `stop` is asked when no signal wakes us */
    REAP_MS = 20   /* how often a child without a pidfd is asked whether it ended */
};
static const size_t max_line_bytes = (size_t)64 << 20;

double as_process_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Append to bytes with a spare zero behind them. */
static bool append(as_bytes *bytes, size_t *room, const void *data, size_t size)
{
    if (bytes->size + size + 1 > *room) {
        size_t larger = as_max(2 * *room, bytes->size + size + 1);
        unsigned char *moved = as_alloc(larger);
        if (!moved) return false;
        if (bytes->size) memcpy(moved, bytes->data, bytes->size);
        as_free(bytes->data);
        bytes->data = moved;
        *room = larger;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    bytes->data[bytes->size] = '\0';
    return true;
}

/* One read of a ready pipe into `piece`; at its end the descriptor is closed and 0 returned. */
static size_t read_piece(int *fd, unsigned char piece[PIECE_BYTES])
{
    ssize_t got;
    do
        got = read(*fd, piece, PIECE_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0) return (size_t)got;
    close(*fd);
    *fd = -1;
    return 0;
}

static bool take_out(as_process *process)
{
    unsigned char piece[PIECE_BYTES];
    size_t got = read_piece(&process->out, piece);
    if (process->is_out_captured && got > process->out_limit - process->out_bytes.size) {
        got = process->out_limit - process->out_bytes.size;
        process->is_flooded = true;
        as_process_kill(process);
    }
    return append(&process->out_bytes, &process->out_room, piece, got);
}

static bool take_err(as_process *process)
{
    unsigned char piece[PIECE_BYTES];
    size_t got = read_piece(&process->err, piece);
    got = as_min(got, process->err_limit - process->err_bytes.size);
    return append(&process->err_bytes, &process->err_room, piece, got);
}

static int poll_ms(const as_process *process, double until_s)
{
    double ms = isinf(until_s) ? 60e3 : (until_s - as_process_now_s()) * 1e3;
    if (process->stop) ms = fmin(ms, FLAG_MS);
    if (process->pidfd < 0) ms = fmin(ms, REAP_MS);
    return (int)ceil(fmax(fmin(ms, 60e3), 0));
}

static bool is_interrupted(const as_process *process)
{
    return process->stop && process->stop(process->stop_context);
}

static assay_code interrupted(as_process *process, assay_error *err)
{
    as_process_kill(process);
    return as_fail(err, ASSAY_E_INTERRUPTED, "interrupted while %s was running", process->name);
}

/*
 * Wait for output, the child's end, or `until_s`, whichever comes first, and take the output.
 * With until_s in the past it only takes what is there.  *n_ready counts the descriptors that had
 * something.  Only memory and `stop` can make it fail.
 */
static assay_code await_event(as_process *process, double until_s, bool watch_end, int *n_ready,
                              assay_error *err)
{
    struct pollfd fds[3] = {{.fd = process->out, .events = POLLIN},
                            {.fd = process->err, .events = POLLIN},
                            {.fd = watch_end ? process->pidfd : -1, .events = POLLIN}};
    *n_ready = 0;
    if (is_interrupted(process)) return interrupted(process, err);
    int n = poll(fds, 3, poll_ms(process, until_s));
    if (n <= 0) return ASSAY_OK; /* time, or a signal */
    *n_ready = n;
    bool has_memory = true;
    if (fds[0].revents) has_memory = take_out(process);
    if (fds[1].revents && has_memory) has_memory = take_err(process);
    return has_memory
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory for the output of %s", process->name);
}

/* Whether the child ended; it stays a zombie, so that its group's number stays taken. */
static bool has_ended(const as_process *process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process->id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

static double deadline(const as_process *process, double within_s)
{
    double until_s = process->wall_s > 0 ? process->start_s + process->wall_s : INFINITY;
    if (within_s > 0) until_s = fmin(until_s, as_process_now_s() + within_s);
    return until_s;
}

static void reap(as_process *process, as_process_result *result)
{
    int status = 0;
    struct rusage used = {0};
    as_process_kill(process); /* what its group still runs */
    while (wait4(process->id, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    process->is_reaped = true;
    result->wall_s = as_process_now_s() - process->start_s;
    result->cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    result->peak_rss_bytes = (size_t)used.ru_maxrss * 1024;
    result->end = WIFSIGNALED(status) ? AS_PROCESS_SIGNALLED : AS_PROCESS_EXITED;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* A PIPE that nobody reads any more is emptied, so that the child does not block on it. */
static void forget_unread(as_process *process)
{
    if (process->is_out_captured) return;
    process->out_bytes.size = 0;
    process->line_checked = 0;
}

assay_code as_process_wait(as_process *process, double within_s, as_process_result *result,
                           assay_error *err)
{
    *result = (as_process_result){0};
    if (process->is_reaped)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s was waited for already", process->name);
    double until_s = deadline(process, within_s);
    int n_ready;
    assay_code code = ASSAY_OK;
    while (!code && !has_ended(process)) {
        if (as_process_now_s() >= until_s && !process->has_timed_out) {
            process->has_timed_out = true;
            as_process_kill(process);
        }
        code = await_event(process, process->has_timed_out ? INFINITY : until_s, true, &n_ready,
                           err);
        forget_unread(process);
    }
    if (code) as_process_kill(process);
    reap(process, result);
    do {
        if (code) break;
        code = await_event(process, 0, false, &n_ready, err);
    } while (n_ready > 0);
    forget_unread(process);
    if (process->has_timed_out && result->end == AS_PROCESS_SIGNALLED)
        result->end = AS_PROCESS_TIMED_OUT;
    if (process->is_flooded) result->end = AS_PROCESS_FLOODED;
    if (!code && (!append(&process->out_bytes, &process->out_room, "", 0) ||
                  !append(&process->err_bytes, &process->err_room, "", 0)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for the output of %s", process->name);
    if (code) return code;
    result->out = process->out_bytes;
    result->err = process->err_bytes;
    process->out_bytes = process->err_bytes = (as_bytes){0};
    return ASSAY_OK;
}

assay_code as_process_run(const as_process_options *options, as_process_result *result,
                          assay_error *err)
{
    as_process *process;
    *result = (as_process_result){0};
    assay_code code = as_process_start(options, &process, err);
    if (code) return code;
    as_process_close_in(process);
    code = as_process_wait(process, 0, result, err);
    as_process_free(process);
    return code;
}

static assay_code is_late(as_process *process, double waited_s, const char *missing,
                          assay_error *err)
{
    double age_s = as_process_now_s() - process->start_s;
    if (process->wall_s > 0 && age_s >= process->wall_s) {
        process->has_timed_out = true;
        as_process_kill(process);
        return as_fail(err, ASSAY_E_CHILD, "%s was killed after %.1f s, %.1f s are allowed",
                       process->name, age_s, process->wall_s);
    }
    return as_fail(err, ASSAY_E_CHILD, "%s %s in %.1f s", process->name, missing, waited_s);
}

/* write() without the SIGPIPE of a reader that is gone.  @return bytes, or -1 with errno. */
static ssize_t write_quietly(int fd, const void *data, size_t size)
{
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t put = write(fd, data, size);
    int why = errno;
    const struct timespec at_once = {0};
    if (put < 0 && why == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return put;
}

assay_code as_process_write(as_process *process, const void *data, size_t size,
                            assay_error *err)
{
    const unsigned char *at = data;
    double until_s = deadline(process, 0);
    while (size > 0) {
        if (is_interrupted(process)) return interrupted(process, err);
        struct pollfd room = {.fd = process->in, .events = POLLOUT};
        poll(&room, 1, poll_ms(process, until_s));
        ssize_t put = write_quietly(process->in, at, size);
        if (put >= 0) {
            at += put;
            size -= (size_t)put;
        } else if (errno != EINTR && errno != EAGAIN) {
            return as_fail(err, ASSAY_E_CHILD, "%s takes no more input: %s", process->name,
                           strerror(errno));
        } else if (as_process_now_s() >= until_s) {
            return is_late(process, process->wall_s, "took no input", err);
        }
    }
    return ASSAY_OK;
}

/* Move the first `n` bytes of the pending output into *line and drop `n_dropped` in all. */
static assay_code take_line(as_process *process, size_t n, size_t n_dropped, char **line,
                            assay_error *err)
{
    as_bytes *bytes = &process->out_bytes;
    *line = as_alloc(n + 1);
    if (!*line)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for a line of %s", process->name);
    memcpy(*line, bytes->data, n);
    memmove(bytes->data, bytes->data + n_dropped, bytes->size - n_dropped);
    bytes->size -= n_dropped;
    process->line_checked = 0;
    return ASSAY_OK;
}

assay_code as_process_read_line(as_process *process, double within_s, char **line,
                                assay_error *err)
{
    double begin_s = as_process_now_s(), until_s = deadline(process, within_s);
    *line = NULL;
    for (;;) {
        as_bytes *bytes = &process->out_bytes;
        size_t n_new = bytes->size - process->line_checked;
        unsigned char *end =
            n_new ? memchr(bytes->data + process->line_checked, '\n', n_new) : NULL;
        if (end) {
            size_t n = (size_t)(end - bytes->data);
            return take_line(process, n, n + 1, line, err);
        }
        process->line_checked = bytes->size;
        if (process->out < 0 && bytes->size == 0) return ASSAY_OK;
        if (process->out < 0) return take_line(process, bytes->size, bytes->size, line, err);
        if (bytes->size > max_line_bytes)
            return as_fail(err, ASSAY_E_CHILD, "%s wrote a line of more than %zu bytes",
                           process->name, max_line_bytes);
        if (as_process_now_s() >= until_s)
            return is_late(process, as_process_now_s() - begin_s, "wrote no line", err);
        int n_ready;
        assay_code code = await_event(process, until_s, false, &n_ready, err);
        if (code) return code;
    }
}
