/* SPDX-License-Identifier: Apache-2.0 */
/* assay selftest: the proofs that what assay measures may be believed. */
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/json.h"
#include "cli/cli.h"
#include "trial/selftest.h"

typedef struct selftest_options {
    bool full, json;
    int64_t trials, seed;
    as_strings proofs;
} selftest_options;

static const selftest_options defaults = {.seed = 1};

static const as_option options[] = {
    AS_FLAG(selftest_options, full, "full",
            "on this machine, with processes of known work; an hour and more"),
    AS_INT(selftest_options, trials, "trials", "N", 1, 1000000,
           "at most N trials of each proof: a sample, which proves less"),
    AS_LIST(selftest_options, proofs, "proof", "NAME",
            "only this proof, \"a/a\" for one; may be given again"),
    AS_INT(selftest_options, seed, "seed", "N", 0, 1000000000, "of all chance; default 1"),
    AS_FLAG(selftest_options, json, "json", "print JSON"),
    AS_OPTIONS_END,
};

/* The proofs drawn on the terminal. */
typedef struct screen {
    const as_cli *cli;
    as_progress bar;
    const char *name; /* of the proof that the bar is of */
} screen;

static void end_bar(screen *s)
{
    if (s->name) as_progress_end(&s->bar);
    s->name = NULL;
}

static void on_step(void *context, const char *name, size_t n_done, size_t n)
{
    screen *s = context;
    if (s->name != name) {
        end_bar(s);
        as_progress_start(&s->bar, s->cli, name, n);
        s->name = name;
    }
    as_progress_step(&s->bar, n_done, NULL);
}

static bool stop(void *context)
{
    (void)context;
    return as_interrupted();
}

static void print_proofs(const as_cli *cli, const as_proof *proofs, size_t n, bool is_full)
{
    as_cpu_info cpu;
    size_t n_holding = 0;
    as_cpu_info_get(&cpu);
    printf("%s, %zu CPUs online, assay %s; %s\n\n", cpu.model, cpu.n_online, ASSAY_VERSION,
           is_full ? "on this machine" : "on simulated machines");
    for (size_t i = 0; i < n; i++) {
        const as_proof *p = &proofs[i];
        printf("%s%-6s%s %-13s %zu of %zu, at %s %zu: %s%s%s%s (%.1f s)\n",
               as_paint(cli->color_out, p->holds      ? AS_GREEN
                                        : p->is_short ? AS_PLAIN
                                                      : AS_RED),
               p->holds      ? "holds"
               : p->is_short ? "short"
                             : "FAILS",
               as_paint(cli->color_out, AS_PLAIN), p->name, p->n_counted, p->n,
               p->is_at_least ? "least" : "most", p->limit, p->claim, p->seen[0] ? " (" : "",
               p->seen, p->seen[0] ? ")" : "", p->wall_s);
        n_holding += p->holds;
    }
    printf("\n%zu of %zu proofs hold.\n", n_holding, n);
}

static assay_code print_json(const as_proof *proofs, size_t n, bool is_full, assay_error *err)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const as_proof *p = &proofs[i];
        as_json_append(&list,
                       json_pack("{s:s, s:s, s:I, s:I, s:s, s:I, s:b, s:b, s:s, s:f}", "name",
                                 p->name, "claim", p->claim, "trials", (json_int_t)p->n,
                                 "counted", (json_int_t)p->n_counted, "limit_is",
                                 p->is_at_least ? "at least" : "at most", "limit",
                                 (json_int_t)p->limit, "holds", (int)p->holds, "short",
                                 (int)p->is_short, "seen", p->seen, "wall_s", p->wall_s));
    }
    json_t *root =
        json_pack("{s:s, s:o}", "machine", is_full ? "this" : "simulated", "proofs", list);
    if (!root) return as_fail(err, ASSAY_E_MEMORY, "no memory for the proofs");
    assay_code code = as_output_json(root, true, err);
    json_decref(root);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    static const char *const worker[] = {"/proc/self/exe", "worker", NULL};
    const selftest_options *o = values;
    as_proof proofs[AS_MOST_PROOFS];
    size_t n = 0, n_failed = 0, n_short = 0;
    screen s = {.cli = cli};
    assay_error err = {0};
    const as_selftest_options how = {.is_full = o->full,
                                     .n_trials = (size_t)o->trials,
                                     .names = o->proofs.items,
                                     .n_names = o->proofs.n,
                                     .seed = o->seed,
                                     .worker_argv = worker,
                                     .stop = stop,
                                     .step = on_step,
                                     .context = &s};
    assay_code code = as_selftest_run(&how, proofs, &n, &err);
    end_bar(&s);
    for (size_t i = 0; i < n && !code; i++) {
        n_short += proofs[i].is_short;
        n_failed += !proofs[i].holds && !proofs[i].is_short;
    }
    if (!code && o->json)
        code = print_json(proofs, n, o->full, &err);
    else if (!code)
        print_proofs(cli, proofs, n, o->full);
    if (code) return as_cli_fail(cli, &err);
    if (n_failed) return AS_EXIT_DIFFERENT;
    return n_short ? AS_EXIT_UNDECIDED : AS_EXIT_DONE;
}

const as_verb as_verb_selftest = {
    .name = "selftest",
    .summary = "prove that what assay measures may be believed",
    .usage = "[--full] [--proof NAME] [--trials N] [--json]",
    .description = "Each proof says how many trials of how many did what it claims, and how "
                   "many have to.  "
                   "Without --full\nthe machines are simulated and it takes seconds; with "
                   "--full this machine "
                   "runs processes whose work is\nknown.  Exits 1 when a proof does not hold, "
                   "6 when one has too few trials to\n"
                   "say so (\"short\").",
    .example = "assay selftest\nassay selftest --full --proof a/a",
    .options = options,
    .values_bytes = sizeof(selftest_options),
    .defaults = &defaults,
    .run = run,
};
