/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpirun -n K assay-search-mpi [SPACE] -o RUN: `assay search` with its trainings spread over K processes.
 * Rank 0 has the command line, the evidence and the terminal; the others do what it says.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/program.h"
#include "cli/search_command.h"
#include "search/ranks.h"

static int run(const as_cli *cli, const void *values)
{
    const as_trainer trainer = {as_ranks_train, cli->program};
    return as_search_command(cli, values, &trainer);
}

static as_verb verb_of_search(void)
{
    as_verb verb = as_verb_search;
    verb.name = "search-mpi";
    verb.summary = "'assay search' with its trainings spread over MPI's processes";
    verb.description =
        "Does what 'assay search' does, with the same options and the same files: rank 0 hands "
        "trainings to whichever rank is free, trains too, and alone reads SPACE and writes "
        "RUN; "
        "the others read the data files of SPACE, at the same paths. Which rank trains what, "
        "and "
        "how many there are, changes no byte but times. Behind the trainings the other ranks "
        "end, and rank 0 alone measures latency. A rank that fails or is killed ends the "
        "search; "
        "what ended is kept, and --resume goes on, here or in 'assay search'.";
    verb.example = "mpirun -n 4 assay-search-mpi data/digits.json --seeds 5 -o run\n"
                   "mpirun -n 8 --hostfile hosts assay-search-mpi --resume run";
    verb.is_program = true;
    verb.run = run;
    return verb;
}

/* With mpirun's words before it, so that a report tells the whole command. */
static int run_first(as_cli *cli, as_ranks *ranks)
{
    const as_verb verb = verb_of_search();
    char n[16];
    const int n_before = ranks->n > 1 ? 3 : 0;
    char **argv = as_alloc_array((size_t)cli->argc + 4, sizeof *argv);
    assay_error err = {0};
    if (!argv) {
        as_fail(&err, ASSAY_E_MEMORY, "no memory for the command line");
        return as_cli_fail(cli, &err);
    }
    snprintf(n, sizeof n, "%d", ranks->n);
    if (n_before) memcpy(argv, (char *[]){"mpirun", "-n", n}, 3 * sizeof *argv);
    memcpy(argv + n_before, cli->argv, (size_t)cli->argc * sizeof *argv);
    argv[n_before] = "assay-search-mpi";
    cli->argv = argv;
    cli->argc += n_before;
    cli->program = ranks;
    const int status = as_cli_run_verb(cli, &verb, n_before);
    as_free(argv);
    return status;
}

/* Whether that is the whole command line. */
static bool is_only(const as_cli *cli, const char *word)
{
    return cli->argc == 2 && strcmp(cli->argv[1], word) == 0;
}

static int run_rank(as_cli *cli)
{
    as_ranks alone = {.n = 1};
    /* The fresh process that times a model is this program, too, and no rank. */
    if (cli->argc > 1 && strcmp(cli->argv[1], "worker") == 0) return as_cli_run(cli);
    if (is_only(cli, "--help") || is_only(cli, "--version")) return run_first(cli, &alone);
    as_ranks ranks = as_ranks_begin(&cli->argc, &cli->argv);
    int status = AS_EXIT_DONE;
    if (ranks.own == 0)
        status = run_first(cli, &ranks);
    else
        as_ranks_help(as_stop, NULL);
    as_ranks_end(&ranks, status);
    return status;
}

int main(int argc, char **argv) { return as_program_main(argc, argv, run_rank); }
