/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cpu.h"
#include "base/file.h"
#include "base/threads.h"
#include "verdict/statistics.h"

static bool is_native(const as_policy *policy) { return strcmp(policy->engine, "native") == 0; }

/* Median over the rounds of the figure at `offset` of a result. */
static double median_of(const bench_runs *runs, size_t n, size_t offset)
{
    double values[BENCH_MOST_ROUNDS];
    for (size_t r = 0; r < n; r++)
        memcpy(&values[r], (const char *)&runs->rounds[r] + offset, sizeof values[r]);
    as_sort(values, n);
    return as_quantile_of_sorted(values, n, 0.5);
}

static void medians(double out[BENCH_MOST_ROUNDS], const bench_runs *runs, size_t n)
{
    for (size_t r = 0; r < n; r++)
        out[r] = runs->rounds[r].median_ms;
}

assay_code bench_cell_reduce(bench_cell *cell, assay_error *err)
{
    size_t n = cell->n_rounds, n_native = 0;
    cell->fastest_other = -1;
    for (size_t i = 0; i < cell->n_policies; i++) {
        bench_runs *runs = &cell->runs[i];
        n_native += is_native(&cell->policies[i]);
        if (runs->error[0]) continue;
        runs->load_ms = median_of(runs, n, offsetof(bench_result, load_ms));
        runs->first_ms = median_of(runs, n, offsetof(bench_result, first_ms));
        runs->median_ms = median_of(runs, n, offsetof(bench_result, median_ms));
        runs->peak_mib = median_of(runs, n, offsetof(bench_result, peak_mib));
        int best = cell->fastest_other;
        if (!is_native(&cell->policies[i]) &&
            (best < 0 || runs->median_ms < cell->runs[best].median_ms))
            cell->fastest_other = (int)i;
    }
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < cell->n_policies && !code; i++) {
        double ours[BENCH_MOST_ROUNDS], others[BENCH_MOST_ROUNDS];
        bench_runs *runs = &cell->runs[i];
        if (!is_native(&cell->policies[i]) || runs->error[0] || cell->fastest_other < 0)
            continue;
        medians(ours, runs, n);
        medians(others, &cell->runs[cell->fastest_other], n);
        code = as_estimate_ratio(ours, others, n, n_native, &runs->ratio, err);
    }
    return code;
}

static void write_date(char *text, size_t room)
{
    time_t now = time(NULL);
    struct tm local;
    strftime(text, room, "%Y-%m-%d %H:%M", localtime_r(&now, &local));
}

void bench_write_head(FILE *out, const bench_cell *first, double seconds)
{
    char date[32];
    struct utsname system;
    as_cpu_info cpu;
    as_isa isa = AS_ISA_SCALAR;
    write_date(date, sizeof date);
    uname(&system);
    as_cpu_info_get(&cpu);
    (void)as_cpu_isa(&isa, NULL);
    fprintf(out, "%s, %s, %s, %zu CPUs, %s %s\n\n", date, cpu.model, as_isa_name(isa),
            as_threads_default(), system.sysname, system.release);
    fprintf(
        out,
        "%zu rounds; in each every engine in a fresh process, in a balanced order, about "
        "%.1f s of timed calls after warming up.  Milliseconds are medians over the rounds of "
        "a round's median; a ratio is the Hodges-Lehmann estimate over the rounds of native "
        "to the fastest other engine (that of the least median), with its simultaneous 95 %% "
        "interval.  load is the machine's average when the row began.\n\n",
        first->n_rounds, seconds);
    fputs("| model | input | threads |", out);
    for (size_t i = 0; i < first->n_policies; i++)
        fprintf(out, " %s ms |", first->policies[i].name);
    for (size_t i = 0; i < first->n_policies; i++)
        if (is_native(&first->policies[i]))
            fprintf(out, " %s ratio (interval) |", first->policies[i].name);
    fputs(" to | load |\n|", out);
    for (size_t i = 0; i < 5 + first->n_policies; i++)
        fputs("---|", out);
    for (size_t i = 0; i < first->n_policies; i++)
        if (is_native(&first->policies[i])) fputs("---|", out);
    fputs("\n", out);
}

static void write_place(FILE *out, const bench_cell *cell)
{
    fprintf(out, "| %s | %zux%zux%zux%zu | %zu |", as_path_base(cell->model), cell->shape[0],
            cell->shape[1], cell->shape[2], cell->shape[3], cell->threads);
}

void bench_write_row(FILE *out, const bench_cell *cell)
{
    write_place(out, cell);
    for (size_t i = 0; i < cell->n_policies; i++) {
        double ms = cell->runs[i].median_ms;
        if (cell->runs[i].error[0])
            fputs(" failed |", out);
        else
            fprintf(out, " %.*f |", ms < 1 ? 4 : ms < 10 ? 2 : 1, ms);
    }
    for (size_t i = 0; i < cell->n_policies; i++) {
        const as_estimate *ratio = &cell->runs[i].ratio;
        if (!is_native(&cell->policies[i])) continue;
        if (ratio->n == 0)
            fputs(" - |", out);
        else if (ratio->has_interval)
            fprintf(out, " %.3f (%.3f-%.3f) |", ratio->ratio, ratio->low, ratio->high);
        else
            fprintf(out, " %.3f (none of %zu rounds) |", ratio->ratio, ratio->n);
    }
    fprintf(out, " %s | %.1f |\n",
            cell->fastest_other < 0 ? "-" : cell->policies[cell->fastest_other].name,
            cell->load_average);
    fflush(out);
}

void bench_write_costs(FILE *out, const bench_cell *cells, size_t n)
{
    if (n == 0) return;
    fputs(
        "\nLoading / first call of the shape, ms / peak MiB above what the process held before "
        "the model (import included, tensors not):\n\n| model | input | threads |",
        out);
    for (size_t i = 0; i < cells->n_policies; i++)
        fprintf(out, " %s |", cells->policies[i].name);
    fputs("\n|", out);
    for (size_t i = 0; i < 3 + cells->n_policies; i++)
        fputs("---|", out);
    fputs("\n", out);
    for (size_t c = 0; c < n; c++) {
        write_place(out, &cells[c]);
        for (size_t i = 0; i < cells[c].n_policies; i++) {
            const bench_runs *r = &cells[c].runs[i];
            if (r->error[0])
                fputs(" failed |", out);
            else
                fprintf(out, " %.1f / %.1f / %.0f |", r->load_ms, r->first_ms, r->peak_mib);
        }
        fputs("\n", out);
    }
    fputs("\n", out);
    for (size_t i = 0; i < cells->n_policies; i++)
        fprintf(out, "- %s: %s %s, %s\n", cells->policies[i].name, cells->policies[i].engine,
                cells->runs[i].rounds[0].version, cells->runs[i].rounds[0].flags);
}

static json_t *ratio_json(const as_estimate *ratio)
{
    if (ratio->n == 0) return json_null();
    return json_pack("{s:f, s:o, s:o, s:I}", "ratio", ratio->ratio, "low",
                     ratio->has_interval ? json_real(ratio->low) : json_null(), "high",
                     ratio->has_interval ? json_real(ratio->high) : json_null(), "n",
                     (json_int_t)ratio->n);
}

static json_t *runs_json(const bench_cell *cell, size_t policy)
{
    const bench_runs *runs = &cell->runs[policy];
    json_t *rounds = json_array();
    if (runs->error[0])
        return json_pack("{s:s, s:s}", "policy", cell->policies[policy].text, "error",
                         runs->error);
    for (size_t r = 0; r < cell->n_rounds; r++) {
        const bench_result *one = &runs->rounds[r];
        json_array_append_new(rounds, json_pack("{s:f, s:f, s:f, s:f, s:I}", "load_ms",
                                                one->load_ms, "first_ms", one->first_ms,
                                                "median_ms", one->median_ms, "peak_mib",
                                                one->peak_mib, "n", (json_int_t)one->n_calls));
    }
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:o, s:o}", "policy",
                     cell->policies[policy].text, "version", runs->rounds[0].version, "flags",
                     runs->rounds[0].flags, "median_ms", runs->median_ms, "load_ms",
                     runs->load_ms, "first_ms", runs->first_ms, "peak_mib", runs->peak_mib,
                     "ratio_to_fastest_other", ratio_json(&runs->ratio), "rounds", rounds);
}

json_t *bench_json(const bench_cell *cells, size_t n, double seconds)
{
    char date[32];
    as_cpu_info cpu;
    as_isa isa = AS_ISA_SCALAR;
    json_t *list = json_array();
    as_cpu_info_get(&cpu);
    (void)as_cpu_isa(&isa, NULL);
    write_date(date, sizeof date);
    for (size_t c = 0; c < n; c++) {
        const bench_cell *cell = &cells[c];
        json_t *policies = json_object();
        for (size_t i = 0; i < cell->n_policies; i++)
            json_object_set_new(policies, cell->policies[i].name, runs_json(cell, i));
        json_array_append_new(
            list,
            json_pack("{s:s, s:[I, I, I, I], s:I, s:f, s:s?, s:o}", "model",
                      as_path_base(cell->model), "shape", (json_int_t)cell->shape[0],
                      (json_int_t)cell->shape[1], (json_int_t)cell->shape[2],
                      (json_int_t)cell->shape[3], "threads", (json_int_t)cell->threads,
                      "load_average", cell->load_average, "fastest_other",
                      cell->fastest_other < 0 ? NULL : cell->policies[cell->fastest_other].name,
                      "policies", policies));
    }
    return json_pack("{s:s, s:s, s:s, s:I, s:f, s:o}", "date", date, "cpu", cpu.model, "isa",
                     as_isa_name(isa), "cpus", (json_int_t)as_threads_default(), "seconds",
                     seconds, "cells", list);
}
