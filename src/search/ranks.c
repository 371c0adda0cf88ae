/* SPDX-License-Identifier: Apache-2.0 */
#include "search/ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "trial/executed.h"

/* What a message is; its tag. */
enum {
    TAG_TASK = 1, /* rank 0: a task, then the texts */
    TAG_JOB,      /* rank 0: an as_search_job */
    TAG_END,      /* rank 0: nothing */
    TAG_READY,    /* nothing: the task is understood */
    TAG_DONE,     /* as_training_row; its epochs and weights follow as TAG_PART */
    TAG_FAILED,   /* assay_error */
    TAG_PART
};

#define LOOK_NS    1000000 /* between two looks of one who waits */
#define SILENCE_NS 500000000

/* What all ranks must agree on, and the sizes of the texts of as_search_row, zeros included. */
typedef struct task {
    char isa[16], program_sha256[AS_SHA256_HEX];
    size_t n_threads, space_bytes, path_bytes, split_bytes;
} task;

as_ranks as_ranks_begin(int *argc, char ***argv)
{
    as_ranks r = {0};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.own);
    MPI_Comm_size(MPI_COMM_WORLD, &r.n);
    return r;
}

/* ---- messages ---- */

static void sleep_until_next_look(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    nanosleep(&pause, NULL);
}

/* MPI counts by int: longer arrays go in pieces. */
#define PIECE_BYTES ((size_t)1 << 30)

static void send(int to, int tag, const void *data, size_t size)
{
    const char *at = data;
    do {
        const size_t n = size < PIECE_BYTES ? size : PIECE_BYTES;
        MPI_Send(at, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        size -= n;
        if (size > 0) at += n;
    } while (size > 0);
}

static void receive(int from, int tag, void *data, size_t size)
{
    char *at = data;
    do {
        const size_t n = size < PIECE_BYTES ? size : PIECE_BYTES;
        MPI_Recv(at, (int)n, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        size -= n;
        if (size > 0) at += n;
    } while (size > 0);
}

/* What another rank has sent has to be taken: without memory for it all ranks end. */
static void *receive_new(int from, size_t size)
{
    void *data = as_alloc(size + 1);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    receive(from, TAG_PART, data, size);
    return data;
}

static bool has_message(int from, int tag, int *source, int *found)
{
    int is_there;
    MPI_Status status;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) return false;
    *source = status.MPI_SOURCE;
    *found = status.MPI_TAG;
    return true;
}

/* ---- every rank but 0 ---- */

typedef struct helper {
    as_search_options options;
    as_search *search; /* NULL until there was a task */
    bool (*stop)(void *context);
    void *stop_context;
    bool is_told_end;
} helper;

/* Asked before every batch of a training. */
static bool stop_helper(void *context)
{
    helper *h = context;
    int source, tag;
    if (!h->is_told_end && has_message(0, TAG_END, &source, &tag)) {
        receive(0, TAG_END, NULL, 0);
        h->is_told_end = true;
    }
    return h->is_told_end || h->stop(h->stop_context);
}

static void tell_failure(const assay_error *why)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, n;
    assay_error told = *why;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &n);
    as_error_where(&told, "rank %d on %.40s", rank, host);
    told.file = NULL; /* a pointer of this process */
    send(0, TAG_FAILED, &told, sizeof told);
}

/* What this rank has of a task. */
static assay_code fill_task(task *t, assay_error *err)
{
    as_isa isa;
    assay_code code = as_cpu_isa(&isa, err);
    if (!code) code = as_executed_program_sha256(t->program_sha256, err);
    if (!code) snprintf(t->isa, sizeof t->isa, "%s", as_isa_name(isa));
    return code;
}

static assay_code compare_tasks(const task *t, assay_error *err)
{
    task own = {0};
    assay_code code = fill_task(&own, err);
    if (code) return code;
    if (strcmp(own.program_sha256, t->program_sha256) != 0)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "the program here (SHA-256 %.12s..) is not the one of rank 0 (%.12s..), "
                       "all ranks need the same",
                       own.program_sha256, t->program_sha256);
    if (strcmp(own.isa, t->isa) != 0)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "the kernels here are for %s, those of rank 0 for %s; 'mpirun -x "
                       "ASSAY_ISA=..' gives all ranks the same",
                       own.isa, t->isa);
    return ASSAY_OK;
}

static void take_task(helper *h)
{
    task t;
    assay_error err = {0};
    receive(0, TAG_TASK, &t, sizeof t);
    char *space = receive_new(0, t.space_bytes);
    char *path = receive_new(0, t.path_bytes);
    char *split = receive_new(0, t.split_bytes);
    const as_search_row row = {.space_text = space, .space_path = path, .split_json = split};
    h->options = as_search_defaults();
    h->options.folder = "the split";
    h->options.n_threads = t.n_threads;
    assay_code code = compare_tasks(&t, &err);
    if (!code) code = as_search_join(&h->options, &row, &h->search, &err);
    as_free(space);
    as_free(path);
    as_free(split);
    if (code)
        tell_failure(&err);
    else
        send(0, TAG_READY, NULL, 0);
}

static void take_job(helper *h)
{
    as_search_job job;
    as_search_outcome out;
    assay_error err = {0};
    receive(0, TAG_JOB, &job, sizeof job);
    if (as_search_train(h->search, &job, stop_helper, h, &out, &err)) {
        tell_failure(&err);
        return;
    }
    out.row.weights = NULL; /* a pointer of this process */
    out.row.weights_bytes = out.weights.size;
    send(0, TAG_DONE, &out.row, sizeof out.row);
    send(0, TAG_PART, &out.n_epochs, sizeof out.n_epochs);
    send(0, TAG_PART, out.epochs, out.n_epochs * sizeof *out.epochs);
    send(0, TAG_PART, out.weights.data, out.weights.size);
    as_search_outcome_free(&out);
}

void as_ranks_help(bool (*stop)(void *context), void *stop_context)
{
    helper h = {.stop = stop, .stop_context = stop_context};
    while (!h.is_told_end) {
        int source, tag;
        if (!has_message(0, MPI_ANY_TAG, &source, &tag)) {
            sleep_until_next_look();
        } else if (tag == TAG_TASK) {
            take_task(&h);
        } else if (tag == TAG_JOB) {
            take_job(&h);
        } else {
            receive(0, TAG_END, NULL, 0);
            h.is_told_end = true;
        }
    }
    as_search_close(h.search, ASSAY_OK, NULL);
}

/* ---- rank 0 ---- */

typedef struct spread {
    as_search *search;
    int n_ranks, n_busy;
    as_search_job **jobs; /* [n_ranks] what each rank trains; NULL: none.  Owned. */
    size_t n_given;       /* jobs up to this one are done or handed out */
    assay_code code;      /* the first failure, ... */
    assay_error err;      /* ... told */
} spread;

static void fail(spread *s, assay_code code, const assay_error *why)
{
    if (s->code) return;
    s->code = code;
    s->err = *why;
}

/* The next job that nobody has, NULL without. */
static as_search_job *take_next(spread *s)
{
    as_search_job *job = NULL;
    while (!job && s->n_given < s->search->n_jobs) {
        job = &s->search->jobs[s->n_given++];
        if (job->training >= 0) job = NULL;
    }
    const as_search_watch *w = &s->search->options->watch;
    if (job && w->step)
        w->step(w->context, s->search->n_done,
                s->search->space->structures[job->structure].name);
    return job;
}

static void keep(spread *s, as_search_job *job, const as_search_outcome *outcome)
{
    assay_error err = {0};
    assay_code code = as_search_keep(s->search, job, outcome, &err);
    if (code) fail(s, code, &err);
}

static void take_outcome(spread *s, int rank)
{
    as_search_outcome out = {0};
    receive(rank, TAG_DONE, &out.row, sizeof out.row);
    receive(rank, TAG_PART, &out.n_epochs, sizeof out.n_epochs);
    out.epochs = receive_new(rank, out.n_epochs * sizeof *out.epochs);
    out.weights.size = out.row.weights_bytes;
    out.weights.data = receive_new(rank, out.weights.size);
    keep(s, s->jobs[rank], &out);
    as_search_outcome_free(&out);
}

/* Take the answer of a rank and give it the next job. */
static void answer(spread *s, int rank, int tag)
{
    assay_error why;
    if (tag == TAG_DONE) {
        take_outcome(s, rank);
    } else if (tag == TAG_FAILED) {
        receive(rank, tag, &why, sizeof why);
        fail(s, why.code, &why);
    } else {
        receive(rank, tag, NULL, 0);
    }
    s->n_busy--;
    s->jobs[rank] = s->code ? NULL : take_next(s);
    if (!s->jobs[rank]) return;
    send(rank, TAG_JOB, s->jobs[rank], sizeof *s->jobs[rank]);
    s->n_busy++;
}

static bool is_stopped(const spread *s)
{
    const as_search_options *o = s->search->options;
    return o->stop && o->stop(o->stop_context);
}

/* Serve those who have answered; asked before every batch of rank 0's own training. */
static bool serve(void *context)
{
    spread *s = context;
    int rank, tag;
    for (int i = 1; i < s->n_ranks && has_message(MPI_ANY_SOURCE, MPI_ANY_TAG, &rank, &tag);
         i++)
        answer(s, rank, tag);
    return s->code || is_stopped(s);
}

static void train_here(spread *s)
{
    as_search_job *job;
    while (!s->code && (job = take_next(s))) {
        as_search_outcome out;
        assay_error err = {0};
        assay_code code = as_search_train(s->search, job, serve, s, &out, &err);
        if (code) {
            fail(s, code, &err);
            return;
        }
        keep(s, job, &out);
        as_search_outcome_free(&out);
    }
}

/* Until the others have answered, or one failed. */
static void wait_for_others(spread *s)
{
    assay_error err = {0};
    while (!s->code && s->n_busy > 0) {
        if (!serve(s)) {
            sleep_until_next_look();
        } else if (!s->code) {
            as_fail(&err, ASSAY_E_INTERRUPTED,
                    "the search was stopped while other ranks trained");
            fail(s, ASSAY_E_INTERRUPTED, &err);
        }
    }
}

static void send_task(spread *s, const task *t, const as_search_row *row)
{
    for (int rank = 1; rank < s->n_ranks; rank++) {
        send(rank, TAG_TASK, t, sizeof *t);
        send(rank, TAG_PART, row->space_text, t->space_bytes);
        send(rank, TAG_PART, row->space_path, t->path_bytes);
        send(rank, TAG_PART, row->split_json, t->split_bytes);
        s->n_busy++;
    }
}

/* The evidence's row is what the others work from. */
static void share_task(spread *s)
{
    task t = {.n_threads = s->search->options->n_threads};
    as_search_report *r = NULL;
    assay_error err = {0};
    assay_code code = fill_task(&t, &err);
    if (!code) code = as_search_report_open(s->search->options->folder, &r, &err);
    if (code) {
        fail(s, code, &err);
        return;
    }
    t.space_bytes = strlen(r->search->space_text) + 1;
    t.path_bytes = strlen(r->search->space_path) + 1;
    t.split_bytes = strlen(r->search->split_json) + 1;
    send_task(s, &t, r->search);
    as_search_report_close(r);
}

static void tell_end(as_ranks *ranks)
{
    for (int rank = 1; rank < ranks->n; rank++)
        send(rank, TAG_END, NULL, 0);
    ranks->is_told_end = true;
}

/*
 * Those who still train are told to stop, and what they owe is taken.  After a signal not for long: it may
 * be that mpirun ends all ranks because one of them is gone.
 */
static void end_others(spread *s, as_ranks *ranks)
{
    const int64_t begin_ns = as_clock_ns();
    tell_end(ranks);
    while (s->n_busy > 0 && !ranks->is_silent) {
        serve(s);
        sleep_until_next_look();
        ranks->is_silent = s->n_busy > 0 && s->code == ASSAY_E_INTERRUPTED &&
                           as_clock_ns() - begin_ns > SILENCE_NS;
    }
}

/* Where mpirun ends all ranks, this does not return: whatever there is to say is said before. */
static void finalize(as_ranks *ranks)
{
    MPI_Finalize();
    ranks->is_over = true;
}

assay_code as_ranks_train(void *context, as_search *search, assay_error *err)
{
    as_ranks *ranks = context;
    const as_search_watch *w = &search->options->watch;
    spread s = {.search = search, .n_ranks = ranks->n};
    s.jobs = as_alloc_array((size_t)ranks->n, sizeof *s.jobs);
    if (!s.jobs) return as_fail(err, ASSAY_E_MEMORY, "no memory for %d ranks", ranks->n);
    if (w->begin) w->begin(w->context, "trainings", search->n_jobs);
    share_task(&s);
    train_here(&s);
    wait_for_others(&s);
    end_others(&s, ranks);
    if (!s.code) finalize(ranks);
    if (w->end) w->end(w->context);
    as_free(s.jobs);
    if (s.code && err) *err = s.err;
    return s.code;
}

void as_ranks_end(as_ranks *ranks, int status)
{
    if (ranks->is_over) return;
    if (ranks->is_silent) MPI_Abort(MPI_COMM_WORLD, status);
    if (ranks->own == 0 && !ranks->is_told_end) tell_end(ranks);
    finalize(ranks);
}
