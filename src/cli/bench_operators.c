/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_operators.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/operator_files.h"
#include "report/text.h"
#include "report/whole_file.h"
#include "search/operators.h"
#include "trial/environment.h"

/* The file whose presence says that a folder holds a study. */
#define COSTS_FILE "operator-costs.csv"

/* The bundled shapes, then those of --case.  `shapes` receives the array (as_free). */
static assay_code gather_shapes(const as_bench_operators *o, as_operator_shape **shapes,
                                size_t *n, assay_error *err)
{
    as_operator_shape *all = as_alloc_array(AS_OPERATOR_N_SHAPES + o->cases.n, sizeof *all);
    assay_code code =
        all ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for %zu shapes", o->cases.n);
    *n = 0;
    for (; !code && *n < AS_OPERATOR_N_SHAPES; ++*n)
        all[*n] = as_operator_shapes[*n];
    for (size_t i = 0; !code && i < o->cases.n; i++) {
        int64_t extents[4];
        size_t rank = 0;
        code = as_parse_shape("--case", o->cases.items[i], 4, extents, &rank, err);
        if (!code && rank != 4)
            code = as_fail(err, ASSAY_E_ARGUMENT,
                           "--case %s has %zu extents, ICxOCxHxW has 4, as in 16x32x24x24",
                           o->cases.items[i], rank);
        for (size_t j = 0; !code && j < i; j++)
            if (strcmp(o->cases.items[i], o->cases.items[j]) == 0)
                code =
                    as_fail(err, ASSAY_E_ARGUMENT, "--case %s stands twice", o->cases.items[i]);
        if (!code)
            all[(*n)++] =
                (as_operator_shape){o->cases.items[i], (size_t)extents[0], (size_t)extents[1],
                                    (size_t)extents[2], (size_t)extents[3]};
    }
    *shapes = all;
    return code;
}

static assay_code claim(const as_bench_operators *o, assay_error *err)
{
    char *path = as_path_join(o->output, COSTS_FILE);
    assay_code code = path ? as_output_claim(path, o->force, err)
                           : as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    as_free(path);
    return code;
}

static void show_progress(void *context, size_t n_done, size_t n_turns)
{
    (void)n_turns;
    as_progress_step(context, n_done, NULL);
}

static assay_code measure(const as_cli *cli, const as_bench_operators *o,
                          const as_operator_shape *shapes, size_t n_shapes, as_operators **out,
                          assay_error *err)
{
    as_progress bar;
    as_operators_options options = as_operators_defaults();
    options.shapes = shapes;
    options.n_shapes = n_shapes;
    options.n_rounds = (int)o->rounds;
    options.n_repeats = (int)o->repeat;
    options.seed = o->seed;
    options.conv = o->conv;
    options.stop = as_stop;
    options.progress = show_progress;
    options.context = &bar;
    as_progress_start(&bar, cli, "turns", as_operators_turns(&options));
    assay_code code = as_operators_run(&options, out, err);
    as_progress_end(&bar);
    return code;
}

static assay_code write_environment(const as_bench_operators *o, assay_error *err)
{
    as_environment *environment = NULL;
    as_whole_file file;
    char *path = as_path_join(o->output, "environment.json");
    assay_code code = path ? as_environment_read("", 0.1, &environment, err)
                           : as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    if (!code) code = as_whole_file_open(path, &file, err);
    if (!code) {
        json_t *root =
            as_study_environment_json(environment->machine, 1, o->seed, o->exclusive_hardware);
        code = as_put_json(file.out, root, JSON_INDENT(2), "environment.json", err);
        code = as_whole_file_close(&file, code, err);
    }
    as_environment_free(environment);
    as_free(path);
    return code;
}

static void print_operators(const as_operator_report *r)
{
    printf("%-14s %-9s %-24s %9s %9s %19s %8s %6s %8s %6s\n", "case", "module", "routes",
           "kMAC", "median us", "p10-p90", "GMAC/s", "% peak", "GB/s", "% copy");
    for (size_t i = 0; i < r->study->n_ops; i++) {
        const as_operator_row *op = &r->study->ops[i];
        const as_roofline *roof = &r->rooflines[i];
        char spread[32] = "n too small";
        if (!isnan(r->times[i].p90_us))
            snprintf(spread, sizeof spread, "%.3f-%.3f", r->times[i].p10_us,
                     r->times[i].p90_us);
        printf("%-14.14s %-9s %-24.24s %9.1f %9.3f %19s %8.1f %6.1f %8.1f %6.1f\n", op->shape,
               op->module, op->routes, 1e-3 * (double)op->macs, r->times[i].median_us, spread,
               1e-9 * roof->macs_s, 100 * roof->peak_share, 1e-9 * roof->bytes_s,
               100 * roof->copy_share);
    }
}

static void print_text(const as_bench_operators *o, const as_operator_report *r)
{
    const as_operator_study *study = r->study;
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    printf("%s, %s, 1 thread, n=%lld a module: %lld rounds x %lld\n", cpu.model, study->how.isa,
           (long long)(o->rounds * o->repeat), (long long)o->rounds, (long long)o->repeat);
    print_operators(r);
    for (size_t i = 0; i < r->n_sentences; i++)
        printf("\n%s\n", r->sentences[i]);
    for (size_t i = 0; i < r->n_ratios; i++) {
        const as_operator_row *op = &study->ops[r->ratios[i].dw_pw];
        printf("\nfactorable kernel, %s: dw_pw and the standard 3x3 differ by at most %.1e, "
               "%.0e is allowed: %s\n",
               op->shape, op->factor_error, AS_FACTOR_TOLERANCE,
               op->factor_error <= AS_FACTOR_TOLERANCE ? "holds" : "broken");
    }
}

static int show(const as_cli *cli, const as_bench_operators *o, const as_operator_report *r)
{
    assay_error err = {0};
    if (o->json) {
        json_t *root = as_operator_json(r);
        assay_code code = as_output_json(root, false, &err);
        json_decref(root);
        if (code) return as_cli_fail(cli, &err);
    } else {
        print_text(o, r);
    }
    as_note(cli, "%s/operator-costs.csv, operator-latencies.png and more are written",
            o->output);
    return as_operator_factors_hold(r->study) ? AS_EXIT_DONE : AS_EXIT_DIFFERENT;
}

int as_bench_operators_run(const as_cli *cli, const as_bench_operators *options)
{
    as_operator_shape *shapes = NULL;
    size_t n_shapes;
    as_operators *operators = NULL;
    as_operator_report *report = NULL;
    assay_error err = {0};
    assay_code code = claim(options, &err);
    if (!code) code = gather_shapes(options, &shapes, &n_shapes, &err);
    if (!code) code = measure(cli, options, shapes, n_shapes, &operators, &err);
    if (!code) code = as_operator_report_new(&operators->study, AS_ENGLISH, &report, &err);
    if (!code) code = as_folder_make(options->output, &err);
    if (!code) code = write_environment(options, &err);
    if (!code) code = as_operator_files_write(report, options->output, &err);
    int status = code ? as_cli_fail(cli, &err) : show(cli, options, report);
    as_operator_report_free(report);
    as_operators_free(operators);
    as_free(shapes);
    return status;
}
