/* SPDX-License-Identifier: Apache-2.0 */
/* assay profile: one call from inside, operator by operator, and whether its routes are the policy's. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "report/trace_files.h"
#include "trial/profile.h"

/* Lines of the table on the terminal; operators.json has all. */
#define MOST_LINES 20

typedef struct profile_options {
    const char *model, *corpus, *call, *policy, *output;
    double timeout;
    bool force;
} profile_options;

static const as_option options[] = {
    AS_TEXT(profile_options, model, "model", "MODEL", "the network, an ONNX file"),
    AS_TEXT(profile_options, corpus, "corpus", "CORPUS", "the frozen corpus"),
    AS_TEXT(profile_options, call, "call", "ID",
            "the call; default: the first of 16 inputs, else of the most"),
    AS_TEXT(profile_options, policy, "policy", "NAME=ENGINE[,key=value...]", "how it runs"),
    AS_TEXT(profile_options, output, "o,output", "DIR", "folder for what was seen"),
    AS_DOUBLE(profile_options, timeout, "slot-timeout", "SECONDS", 0.1, 1e7,
              "kill the worker when it takes longer; default: no limit"),
    AS_FLAG(profile_options, force, "force", "replace what an earlier profile left in DIR"),
    AS_OPTIONS_END,
};

static int check_usage(const as_cli *cli, const profile_options *o)
{
    if (!o->model) return as_cli_usage(cli, "--model MODEL is missing, the network to run");
    if (!o->corpus)
        return as_cli_usage(cli, "--corpus CORPUS is missing, 'assay freeze' makes one");
    if (!o->policy) return as_cli_usage(cli, "--policy is missing, as in --policy base=native");
    if (!o->output) return as_cli_usage(cli, "-o DIR is missing, the folder for the profile");
    return AS_EXIT_DONE;
}

/* Whether the folder has nothing that a profile does not write. */
static bool is_profiles_own(const as_names *found)
{
    static const char *const own[] = {"operators.json", "cpu-trace.json", "logs"};
    for (size_t i = 0; i < found->n; i++) {
        size_t k = 0;
        while (k < AS_COUNT_OF(own) && strcmp(found->items[i], own[k]) != 0)
            k++;
        if (k == AS_COUNT_OF(own)) return false;
    }
    return true;
}

/* A profile between other files would make a corpus one that 'assay verify' refuses. */
static assay_code check_folder(const char *folder, assay_error *err)
{
    as_names found;
    if (!as_file_is_folder(folder)) return ASSAY_OK;
    assay_code code = as_folder_list(folder, &found, err);
    if (code) return code;
    if (!is_profiles_own(&found))
        code = as_fail(err, ASSAY_E_ARGUMENT,
                       "%s is a folder with other things, a profile needs its own", folder);
    as_names_free(&found);
    return code;
}

/* What a profile would overwrite is asked for first. */
static assay_code claim(const profile_options *o, assay_error *err)
{
    static const char *const names[] = {"operators.json", "cpu-trace.json"};
    assay_code code = check_folder(o->output, err);
    for (size_t i = 0; i < AS_COUNT_OF(names) && !code; i++) {
        char *path = as_path_join(o->output, names[i]);
        code = path ? as_output_claim(path, o->force, err)
                    : as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
        as_free(path);
    }
    return code;
}

static void print_cost(int64_t self_ns, int64_t forward_ns)
{
    printf("%9.3f %6.1f%%", (double)self_ns / 1e6,
           forward_ns ? 100 * (double)self_ns / (double)forward_ns : 0);
}

static void print_costs(const as_operator_cost *costs, size_t n, int64_t forward_ns)
{
    int64_t rest_ns = 0, between_ns = forward_ns;
    printf("\n%9s %7s %6s  %-34s %-24s %s\n", "self ms", "share", "count", "operator", "route",
           "shape");
    for (size_t i = 0; i < n; i++) {
        const as_operator_cost *c = &costs[i];
        between_ns -= c->self_ns;
        if (i >= MOST_LINES) {
            rest_ns += c->self_ns;
            continue;
        }
        print_cost(c->self_ns, forward_ns);
        printf(" %6lld  %-34.34s %-24.24s %s\n", (long long)c->count, c->op, c->route,
               c->shape);
    }
    if (n > MOST_LINES) {
        print_cost(rest_ns, forward_ns);
        printf("         %zu more in operators.json\n", n - MOST_LINES);
    }
    print_cost(between_ns, forward_ns);
    printf("         between operators, and waiting for other threads\n");
}

static assay_code print_operators(const as_trace *trace, assay_error *err)
{
    as_operator_cost *costs;
    size_t n;
    int64_t forward_ns = 0;
    assay_code code = as_trace_costs(trace, &costs, &n, err);
    for (size_t i = 0; i < trace->n_forwards; i++)
        forward_ns += trace->forwards[i].elapsed_ns;
    if (!code && n > 0) print_costs(costs, n, forward_ns);
    as_free(costs);
    return code;
}

/* What ran, and line by line whether it is what the policy names. */
static assay_code print_profile(const as_profile *p, assay_error *err)
{
    const as_trace *t = p->trace;
    printf("call %s, %zux%zux%zux%zu, traced in %zu forward pass%s\n", p->call, p->shape.n,
           p->shape.c, p->shape.h, p->shape.w, t->n_forwards, t->n_forwards == 1 ? "" : "es");
    printf("preprocess %.3f ms, forward %.3f ms, transfer %.3f ms, postprocess %.3f ms\n",
           (double)t->stages_ns[0] / 1e6, (double)t->stages_ns[1] / 1e6,
           (double)t->stages_ns[2] / 1e6, (double)t->stages_ns[3] / 1e6);
    if (!t->tells_operators) printf("engine %s tells no operators\n", p->policy.engine);
    if (p->routes.n == 0) printf("the policy names no route\n");
    for (size_t i = 0; i < p->routes.n; i++) {
        char text[200];
        as_route_row_describe(&p->routes.rows[i], text, sizeof text);
        printf("%s\n", text);
    }
    return print_operators(t, err);
}

static int show(const as_cli *cli, const profile_options *o, const as_profile *profile)
{
    assay_error err = {0};
    const as_trace_page page = {.policy = profile->policy.text,
                                .engine = profile->policy.engine,
                                .call = profile->call,
                                .shape = profile->shape,
                                .trace = profile->trace,
                                .routes = profile->routes.rows,
                                .n_routes = profile->routes.n};
    assay_code code = as_trace_files_write(&page, o->output, &err);
    if (!code) code = print_profile(profile, &err);
    if (code) return as_cli_fail(cli, &err);
    as_note(cli, "%s/cpu-trace.json opens in ui.perfetto.dev and chrome://tracing", o->output);
    return as_route_check_broken(&profile->routes) ? AS_EXIT_DIFFERENT : AS_EXIT_DONE;
}

static int run(const as_cli *cli, const void *values)
{
    const profile_options *o = values;
    const as_trial_control control = {.stop = as_stop};
    const as_profile_options how = {.model_path = o->model,
                                    .corpus_path = o->corpus,
                                    .policy = o->policy,
                                    .call = o->call,
                                    .folder = o->output,
                                    .timeout_s = o->timeout};
    assay_error err = {0};
    as_profile *profile = NULL;
    int status = check_usage(cli, o);
    if (status) return status;
    as_cli_limit_adapters(o->timeout);
    assay_code code = claim(o, &err);
    if (!code) code = as_profile_run(&how, &control, &profile, &err);
    status = code ? as_cli_fail(cli, &err) : show(cli, o, profile);
    as_profile_free(profile);
    return status;
}

const as_verb as_verb_profile = {
    .name = "profile",
    .summary = "trace one call operator by operator and check its routes",
    .usage = "--model MODEL --corpus CORPUS --policy P -o DIR [--call ID]",
    .description =
        "Runs one call in a worker, once unseen, then traced.  DIR/operators.json has each "
        "operator with its route,\ncount, self microseconds and shape; DIR/cpu-trace.json "
        "opens "
        "in Perfetto and chrome://tracing.  Exits 1\nwhen a route that the policy names ran "
        "nowhere, or one that it forbids ran.",
    .example = "assay profile --model det.onnx --corpus corpus --policy base=native -o profile",
    .options = options,
    .values_bytes = sizeof(profile_options),
    .run = run,
};
