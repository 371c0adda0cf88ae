/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and stopping.  Between fork and exec the child calls only what is safe after a fork of
 * a threaded process; why exec failed comes back through a close-on-exec pipe as stage and errno.
 * Talking and waiting are in process_wait.c.
 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process_inner.h"

enum { STAGE_FOLDER = 1, STAGE_LIMITS, STAGE_STREAMS, STAGE_EXEC };

/* What the child sends when it cannot become the program. */
typedef struct start_failure {
    int stage;
    int error;
} start_failure;

as_process_options as_process_defaults(const char *const *argv)
{
    return (as_process_options){.argv = argv,
                                .in = {.kind = AS_STREAM_NULL},
                                .out = {.kind = AS_STREAM_CAPTURE, .limit_bytes = 1 << 20},
                                .err = {.kind = AS_STREAM_CAPTURE, .limit_bytes = 64 << 10}};
}

static size_t name_length(const char *setting)
{
    const char *equals = strchr(setting, '=');
    return equals ? (size_t)(equals - setting) : strlen(setting);
}

static bool same_name(const char *a, const char *b)
{
    size_t n = name_length(a);
    return n == name_length(b) && memcmp(a, b, n) == 0;
}

/* The parent's environment with `added` put over it; the array is owned, the strings are not. */
static const char **merged_environment(const char *const *added)
{
    size_t n_old = 0, n_added = 0, n = 0;
    while (environ && environ[n_old])
        n_old++;
    while (added && added[n_added])
        n_added++;
    const char **all = as_alloc_array(n_old + n_added + 1, sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < n_old; i++) {
        bool replaced = false;
        for (size_t j = 0; j < n_added && !replaced; j++)
            replaced = same_name(environ[i], added[j]);
        if (!replaced) all[n++] = environ[i];
    }
    for (size_t j = 0; j < n_added; j++)
        all[n++] = added[j];
    return all;
}

/* One stream's two ends: the child's descriptor and, for pipes, the parent's; -1 where none. */
typedef struct stream_ends {
    int child;
    int parent;
} stream_ends;

static bool open_stream(const as_stream *stream, bool is_input, stream_ends *ends)
{
    int pipe_ends[2];
    switch (stream->kind) {
    case AS_STREAM_INHERIT:
        return true;
    case AS_STREAM_NULL:
        ends->child = open("/dev/null", (is_input ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        return ends->child >= 0;
    case AS_STREAM_FILE:
        ends->child =
            is_input
                ? open(stream->path, O_RDONLY | O_CLOEXEC)
                : open(stream->path,
                       O_WRONLY | O_CREAT | O_CLOEXEC | (stream->append ? O_APPEND : O_TRUNC),
                       0666);
        return ends->child >= 0;
    case AS_STREAM_PIPE:
    case AS_STREAM_CAPTURE:
        break;
    }
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return false;
    ends->child = pipe_ends[is_input ? 0 : 1];
    ends->parent = pipe_ends[is_input ? 1 : 0];
    return true;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* The hard limit stands `grace` above, so that the signal of the soft one tells which it was. */
static bool lower_limit(int resource, size_t value, size_t grace)
{
    if (value == 0) return true;
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return false;
    rlim_t hard = value + grace;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > hard) limit.rlim_max = hard;
    limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
    return setrlimit(resource, &limit) == 0;
}

static bool apply_limits(const as_process_options *options)
{
    const struct rlimit no_core = {0, 0};
    bool is_limited = options->cpu_s || options->address_bytes || options->file_bytes;
    if (is_limited && setrlimit(RLIMIT_CORE, &no_core) != 0) return false;
    return lower_limit(RLIMIT_CPU, options->cpu_s, 1) &&
           lower_limit(RLIMIT_AS, options->address_bytes, 0) &&
           lower_limit(RLIMIT_FSIZE, options->file_bytes, 0);
}

/* Put `fds` on 0, 1, 2.  Sources below 3 are moved up first, so that none is overwritten. */
static bool place_streams(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] < 0 || fds[i] > 2) continue;
        fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
        if (fds[i] < 0) return false;
    }
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0 && dup2(fds[i], i) < 0) return false;
    return true;
}

static void default_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    for (int number = 1; number < 32; number++)
        sigaction(number, &plain, NULL); /* SIGKILL and SIGSTOP refuse, which is fine */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The child's side of fork; does not return. */
static void become_program(const as_process_options *options, const char *const *env,
                           int fds[3], int report, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it died before the line above */
    default_signals();
    start_failure failure = {.stage = 0};
    if (report <= 2) report = fcntl(report, F_DUPFD_CLOEXEC, 3);
    if (options->folder && chdir(options->folder) != 0)
        failure.stage = STAGE_FOLDER;
    else if (!apply_limits(options))
        failure.stage = STAGE_LIMITS;
    else if (!place_streams(fds))
        failure.stage = STAGE_STREAMS;
    else {
        /* exec takes char *const * for historical reasons and changes nothing. */
        union {
            const char *const *in;
            char *const *out;
        } argv = {.in = options->argv}, envp = {.in = env};
        execvpe(options->argv[0], argv.out, envp.out);
        failure.stage = STAGE_EXEC;
    }
    failure.error = errno;
    ssize_t told = write(report, &failure, sizeof failure);
    _exit(told == (ssize_t)sizeof failure ? 127 : 126);
}

static assay_code start_failed(const as_process_options *options, const start_failure *failure,
                               assay_error *err)
{
    const char *program = options->argv[0], *why = strerror(failure->error);
    switch (failure->stage) {
    case STAGE_FOLDER:
        return as_fail(err, ASSAY_E_IO, "%s cannot be started in folder %s: %s", program,
                       options->folder, why);
    case STAGE_LIMITS:
        return as_fail(err, ASSAY_E_IO, "the limits of %s cannot be set: %s", program, why);
    case STAGE_STREAMS:
        return as_fail(err, ASSAY_E_IO, "the streams of %s cannot be set: %s", program, why);
    default:
        break;
    }
    if (failure->error == ENOENT || failure->error == ENOTDIR)
        return as_fail(err, ASSAY_E_NOT_FOUND, "program %s does not exist", program);
    return as_fail(err, ASSAY_E_IO, "program %s cannot be started: %s", program, why);
}

/* Wait until exec succeeded (the pipe closes) or the child told why not. */
static assay_code await_exec(as_process *process, const as_process_options *options, int report,
                             assay_error *err)
{
    start_failure failure;
    ssize_t got;
    do
        got = read(report, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof failure) return ASSAY_OK;
    while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR)
        continue;
    process->is_reaped = true;
    return start_failed(options, &failure, err);
}

static assay_code fork_child(as_process *process, const as_process_options *options,
                             const char *const *env, stream_ends ends[3], assay_error *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return as_fail(err, ASSAY_E_IO, "no pipe for %s: %s", options->argv[0],
                       strerror(errno));
    pid_t parent = getpid();
    process->start_s = as_process_now_s();
    process->id = fork();
    if (process->id == 0) {
        int fds[3] = {ends[0].child, ends[1].child, ends[2].child};
        become_program(options, env, fds, report[1], parent);
    }
    close(report[1]);
    process->is_reaped =
        process->id < 0; /* until here there is no child that could be killed */
    if (process->id < 0) {
        close(report[0]);
        return as_fail(err, ASSAY_E_IO, "%s cannot be started: %s", options->argv[0],
                       strerror(errno));
    }
    setpgid(process->id, process->id); /* whichever of the two comes first */
    assay_code code = await_exec(process, options, report[0], err);
    close(report[0]);
    return code;
}

/* A descriptor that becomes readable when the child ends; -1 on kernels before 5.3. */
static int open_pidfd(pid_t id)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, id, 0);
#else
    (void)id;
    return -1;
#endif
}

static assay_code check_streams(const as_process_options *options, assay_error *err)
{
    if (options->in.kind == AS_STREAM_CAPTURE || options->err.kind == AS_STREAM_PIPE)
        return as_fail(err, ASSAY_E_ARGUMENT, "%s is given a %s, which its %s cannot have",
                       options->argv[0],
                       options->err.kind == AS_STREAM_PIPE ? "pipe" : "capture",
                       options->err.kind == AS_STREAM_PIPE ? "stderr" : "stdin");
    return ASSAY_OK;
}

static assay_code open_streams(const as_process_options *options, stream_ends ends[3],
                               assay_error *err)
{
    const as_stream *streams[3] = {&options->in, &options->out, &options->err};
    for (int i = 0; i < 3; i++)
        if (!open_stream(streams[i], i == 0, &ends[i]))
            return as_fail(err, ASSAY_E_IO, "%s of %s cannot be opened: %s",
                           streams[i]->kind == AS_STREAM_FILE ? streams[i]->path : "a stream",
                           options->argv[0], strerror(errno));
    return ASSAY_OK;
}

assay_code as_process_start(const as_process_options *options, as_process **out,
                            assay_error *err)
{
    stream_ends ends[3] = {{-1, -1}, {-1, -1}, {-1, -1}};
    const char **env = NULL;
    *out = NULL;
    as_process *process = as_alloc(sizeof *process);
    if (!process)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to start %s", options->argv[0]);
    *process = (as_process){.is_reaped = true, .in = -1, .out = -1, .err = -1, .pidfd = -1};
    assay_code code = check_streams(options, err);
    if (!code) code = open_streams(options, ends, err);
    process->in = ends[0].parent;
    process->out = ends[1].parent;
    process->err = ends[2].parent;
    if (code) goto done;
    process->name = as_strdup(options->name ? options->name : as_path_base(options->argv[0]));
    env = merged_environment(options->env);
    if (!process->name || !env) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to start %s", options->argv[0]);
        goto done;
    }
    process->is_out_captured = options->out.kind == AS_STREAM_CAPTURE;
    process->out_limit = options->out.limit_bytes;
    process->err_limit = options->err.limit_bytes;
    process->wall_s = options->wall_s;
    process->stop = options->stop;
    process->stop_context = options->stop_context;
    code = fork_child(process, options, env, ends, err);
    if (code) goto done;
    process->pidfd = open_pidfd(process->id);
    if (process->in >= 0)
        fcntl(process->in, F_SETFL, O_NONBLOCK); /* write waits with a limit */
    *out = process;
    process = NULL;
done:
    for (int i = 0; i < 3; i++)
        close_fd(&ends[i].child);
    as_free(env);
    as_process_free(process);
    return code;
}

pid_t as_process_id(const as_process *process) { return process->id; }

void as_process_kill(as_process *process)
{
    if (!process->is_reaped) kill(-process->id, SIGKILL);
}

void as_process_close_in(as_process *process) { close_fd(&process->in); }

void as_process_free(as_process *process)
{
    if (!process) return;
    if (!process->is_reaped) {
        as_process_kill(process);
        while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    close_fd(&process->in);
    close_fd(&process->out);
    close_fd(&process->err);
    close_fd(&process->pidfd);
    as_bytes_free(&process->out_bytes);
    as_bytes_free(&process->err_bytes);
    as_free(process->name);
    as_free(process);
}

void as_process_result_free(as_process_result *result)
{
    as_bytes_free(&result->out);
    as_bytes_free(&result->err);
    *result = (as_process_result){0};
}

void as_process_describe(const as_process_result *result, char *text, size_t text_bytes)
{
    switch (result->end) {
    case AS_PROCESS_EXITED:
        snprintf(text, text_bytes, "exit status %d", result->status);
        return;
    case AS_PROCESS_SIGNALLED:
        snprintf(text, text_bytes, "signal %d (%s)", result->signal, strsignal(result->signal));
        return;
    case AS_PROCESS_TIMED_OUT:
        snprintf(text, text_bytes, "killed after %.1f s", result->wall_s);
        return;
    case AS_PROCESS_FLOODED:
        snprintf(text, text_bytes, "killed after %zu bytes of output", result->out.size);
        return;
    }
    snprintf(text, text_bytes, "unknown end");
}
