/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SEARCH_RANKS_H
#define ASSAY_SEARCH_RANKS_H
/*
 * The trainings of a structure search spread over the processes of an MPI program, its ranks.
 *
 *     as_ranks ranks = as_ranks_begin(&argc, &argv);
 *     if (ranks.own > 0) {
 *         as_ranks_help(as_stop, NULL);           train what rank 0 hands out, until it says so
 *     } else {
 *         options.train = as_ranks_train;
 *         options.train_context = &ranks;
 *         code = as_search_run(&options, err);    behind the trainings rank 0 is alone
 *     }
 *     as_ranks_end(&ranks, status);
 *
 *     rank 0    task ──> all       the space, the split: the others read no evidence and write no file
 *               job ──> a free one                         <── what came of it, or why not
 *               end ──> all        MPI is over: whatever is timed is timed by rank 0 alone
 *
 * A rank owes one answer for each task or job.  Rank 0 trains too, and looks at answers before each of
 * its own batches.  Whoever waits sleeps between looks.  Which rank trained what changes no bit, so all
 * ranks must run the same program with kernels of the same ISA; one that does not says so.
 *
 * Errors of MPI itself end the program by MPI's own handler, with its message.
 */
#include <stdbool.h>

#include "search/structure_search.h"

/** This process among the others. */
typedef struct as_ranks {
    int own, n;
    bool is_over;     /**< MPI has ended here. */
    bool is_told_end; /**< Rank 0: the others need not be told any more. */
    bool is_silent;   /**< Rank 0: another one owes an answer and may not be there any more. */
} as_ranks;

/** Join the others; without mpirun there are none.  Comes before anything else that may wait. */
as_ranks as_ranks_begin(int *argc, char ***argv);

/**
 * On every rank but 0: do what rank 0 says until it says end.  An error is told to rank 0.
 * @param stop  true: the training under way ends, and rank 0 is told.
 */
void as_ranks_help(bool (*stop)(void *context), void *stop_context);

/**
 * On rank 0, as as_search_options.train: train all jobs that are not done, here and on the others, and
 * keep each outcome when it comes.  When it has succeeded, the others have ended.
 * @param context  the as_ranks.
 * @return as as_search_train and as_search_keep, of the first rank that failed, which err->where names;
 *         ASSAY_E_ENVIRONMENT where a rank runs another program or ISA; ASSAY_E_INTERRUPTED.
 */
assay_code as_ranks_train(void *context, as_search *search, assay_error *err);

/**
 * End MPI where it has not ended, and the others with rank 0; by force, with `status`, where one of them
 * is silent.  It may not return when mpirun ends the program: messages come before.
 */
void as_ranks_end(as_ranks *ranks, int status);

#endif
