/* SPDX-License-Identifier: Apache-2.0 */
/* A search's tables, its choice and its picture. */
#include "report/candidate_files.h"

#include <math.h>

#include "base/compiler.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/operator_plots.h"
#include "report/pareto_plot.h"
#include "report/text.h"
#include "report/whole_file.h"

static void write_results(FILE *out, const void *of)
{
    const as_candidate_report *r = of;
    fputs("name,validation_acc,params,mac,median_us,p10_us,p90_us,test_acc,"
          "pareto_validation_latency\n",
          out);
    for (size_t i = 0; i < r->candidates->n; i++) {
        const as_candidate_row *row = &r->candidates->rows[i];
        as_put_csv(out, row->name);
        as_put_csv_number(out, row->validation_accuracy);
        fprintf(out, ",%lld,%lld", (long long)row->params, (long long)row->macs);
        as_put_csv_number(out, r->scored[i].latency_us);
        as_put_csv_number(out, r->p10_us[i]);
        as_put_csv_number(out, r->p90_us[i]);
        as_put_csv_number(out, row->test_accuracy);
        fprintf(out, ",%s\n", r->is_front[i] ? "true" : "false");
    }
}

static void write_samples(FILE *out, const void *of)
{
    const as_candidate_report *r = of;
    fputs("name,round,repeat,latency_us\n", out);
    for (size_t i = 0; i < r->candidates->n_samples; i++) {
        const as_candidate_sample_row *s = &r->candidates->samples[i];
        as_put_csv(out, r->candidates->rows[s->candidate].name);
        fprintf(out, ",%d,%d", s->round + 1, s->repeat + 1);
        as_put_csv_number(out, s->latency_us);
        putc('\n', out);
    }
}

static void write_pareto(FILE *out, const void *of)
{
    const as_candidate_report *r = of;
    as_put_study_plot_head(out, "candidate-pareto", 960, 620);
    as_put_pareto_settings(out, r, NULL, AS_ENGLISH);
    as_put_pareto_plot(out, AS_ENGLISH);
}

/** The name at a place; null without one. */
static json_t *name_json(const as_candidate_report *r, size_t place)
{
    return place == AS_NO_STRUCTURE ? json_null() : as_json_name(r->scored[place].name);
}

/** Names of the others that tie with a choice. */
static json_t *ties_json(const as_candidate_report *r, as_pick pick)
{
    const size_t n = r->candidates->n;
    bool *is_tie = as_alloc_array(n, sizeof *is_tie);
    if (!is_tie) return NULL;
    json_t *list = json_array();
    as_structures_ties(r->scored, n, &r->selection, pick, is_tie);
    for (size_t i = 0; i < n; i++)
        if (is_tie[i]) as_json_append(&list, as_json_name(r->scored[i].name));
    as_free(is_tie);
    return list;
}

static json_t *selection_json(const as_candidate_report *r)
{
    const as_selection *s = &r->selection;
    json_t *drawn = json_array();
    for (size_t i = 0; i < AS_COUNT_OF(s->random_names); i++)
        if (s->random_names[i] != AS_NO_STRUCTURE)
            as_json_append(&drawn, name_json(r, s->random_names[i]));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:b, s:o, s:o}", "manual_baseline",
        name_json(r, s->manual_baseline), "validation_accuracy", name_json(r, s->by_accuracy),
        "latency_under_baseline_quality_and_cost", name_json(r, s->by_latency),
        "random_two_under_same_constraints", name_json(r, s->random_two), "random_two_names",
        drawn, "random_fallback_to_baseline", s->random_fell_back, "feasible_besides_baseline",
        (json_int_t)s->n_feasible, "baseline_failed", s->baseline_failed,
        "validation_accuracy_ties", ties_json(r, AS_PICK_ACCURACY), "latency_ties",
        ties_json(r, AS_PICK_LATENCY));
}

assay_code as_selection_write(const as_candidate_report *report, const char *folder,
                              assay_error *err)
{
    as_whole_file file;
    assay_code code = as_whole_file_open_in(folder, "selection.json", &file, err);
    if (code) return code;
    code = as_put_json(file.out, selection_json(report), JSON_INDENT(2), "selection.json", err);
    return as_whole_file_close(&file, code, err);
}

static const as_printed_file files[] = {
    {"candidate-results.csv", write_results},
    {"candidate-latency-samples.csv", write_samples},
    {"candidate-pareto.gp", write_pareto},
};

assay_code as_candidate_files_write(const as_candidate_report *report, const char *folder,
                                    assay_error *err)
{
    static const char *const names[] = {"candidate-pareto"};
    assay_code code = as_printed_files_write(folder, files, AS_COUNT_OF(files), report, err);
    return code ? code : as_draw_study_plots(folder, names, AS_COUNT_OF(names), err);
}
