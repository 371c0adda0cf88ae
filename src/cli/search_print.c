/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/search_print.h"

#include <math.h>
#include <stdio.h>

#include "report/search_files.h"
#include "search/structures.h"

static const char *name_of(const as_candidate_report *c, size_t place)
{
    return place == AS_NO_STRUCTURE ? "none" : c->scored[place].name;
}

static void print_share(double share)
{
    if (isnan(share))
        printf(" %9s", "-");
    else
        printf(" %8.2f%%", 100 * share);
}

static void print_row(const as_search_report *r, size_t i)
{
    const as_candidate_row *row = &r->rows[i];
    const as_candidate_report *c = r->choice;
    char median[32] = "-", spread[32] = "-";
    if (!isnan(c->scored[i].latency_us))
        snprintf(median, sizeof median, "%.2f", c->scored[i].latency_us);
    if (!isnan(c->p90_us[i]))
        snprintf(spread, sizeof spread, "%.2f-%.2f", c->p10_us[i], c->p90_us[i]);
    printf("%-24.24s", row->name);
    print_share(row->validation_accuracy);
    print_share(isnan(row->validation_accuracy) ? NAN : row->accuracy_noise);
    print_share(row->test_accuracy);
    printf(" %8lld %9lld %9s %13s %s\n", (long long)row->params, (long long)row->macs, median,
           spread, c->is_front[i] ? "front" : "");
}

static void print_choice(const as_candidate_report *c)
{
    const as_selection *s = &c->selection;
    printf("\nbaseline: %s\n", name_of(c, s->manual_baseline));
    printf("best validation accuracy: %s", name_of(c, s->by_accuracy));
    if (s->n_accuracy_ties)
        printf(" (%zu other%s within the noise)", s->n_accuracy_ties,
               s->n_accuracy_ties == 1 ? "" : "s");
    printf("\nleast latency, no less accurate and no slower than the baseline: %s",
           name_of(c, s->by_latency));
    if (s->n_latency_ties)
        printf(" (%zu other%s within the noise)", s->n_latency_ties,
               s->n_latency_ties == 1 ? "" : "s");
    if (s->baseline_failed)
        printf("\n  the baseline itself is not trained, so nothing could be held to it");
    else if (s->n_feasible == 0)
        printf("\n  no other structure is as accurate and as fast: the baseline stays");
    if (s->random_names[1] == AS_NO_STRUCTURE)
        printf("\nthe same among two at random: there is one structure alone\n");
    else
        printf("\nthe same among %s and %s: %s%s\n", name_of(c, s->random_names[0]),
               name_of(c, s->random_names[1]), name_of(c, s->random_two),
               s->random_fell_back ? ", for neither meets it" : "");
}

static void print_text(const as_search_report *r)
{
    printf("%s: %zu structure%s, %zu training%s; n=%lld calls each\n", r->search->space_name,
           r->n_structures, r->n_structures == 1 ? "" : "s", r->n_trainings,
           r->n_trainings == 1 ? "" : "s",
           (long long)(r->search->n_rounds * r->search->n_repeats));
    printf("%-24s %9s %9s %9s %8s %9s %9s %13s\n", "structure", "valid.", "+-", "test",
           "params", "mac", "median us", "p10-p90");
    for (size_t i = 0; i < r->n_structures; i++)
        print_row(r, i);
    if (r->has_selection)
        print_choice(r->choice);
    else
        printf("\nno choice yet: 'assay search --resume %s' goes on\n", r->folder);
}

static json_t *row_json(const as_search_report *r, size_t i)
{
    const as_candidate_row *row = &r->rows[i];
    const as_candidate_report *c = r->choice;
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:b}", "name", row->name,
                     "validation_acc", as_json_real(row->validation_accuracy),
                     "validation_noise", as_json_real(row->accuracy_noise), "test_acc",
                     as_json_real(row->test_accuracy), "params", (json_int_t)row->params, "mac",
                     (json_int_t)row->macs, "median_us", as_json_real(c->scored[i].latency_us),
                     "p10_us", as_json_real(c->p10_us[i]), "p90_us", as_json_real(c->p90_us[i]),
                     "pareto_validation_latency", c->is_front[i]);
}

/* NULL, which is null in JSON, until the choice is made. */
static const char *chosen(const as_search_report *r, size_t place)
{
    return r->has_selection && place != AS_NO_STRUCTURE ? r->choice->scored[place].name : NULL;
}

static assay_code print_json(const as_search_report *r, assay_error *err)
{
    const as_selection *s = &r->choice->selection;
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_structures; i++)
        as_json_append(&list, row_json(r, i));
    json_t *root =
        json_pack("{s:s, s:o, s:s, s:s?, s:s?, s:s?}", "space", r->search->space_name,
                  "candidates", list, "manual_baseline", r->structures[s->manual_baseline].name,
                  "validation_accuracy", chosen(r, s->by_accuracy),
                  "latency_under_baseline_quality_and_cost", chosen(r, s->by_latency),
                  "random_two_under_same_constraints", chosen(r, s->random_two));
    assay_code code = as_output_json(root, false, err);
    json_decref(root);
    return code;
}

static int show(const as_cli *cli, const char *folder, bool writes, as_language language,
                bool json)
{
    as_search_report *r;
    assay_error err = {0};
    assay_code code = as_search_report_open(folder, &r, &err);
    if (!code) r->language = language;
    if (!code && writes) code = as_search_files_write(r, &err);
    if (!code && writes) code = as_search_derive_models(r, &err);
    if (!code && json) code = print_json(r, &err);
    if (!code && !json) print_text(r);
    const bool is_chosen = !code && r->has_selection;
    as_search_report_close(r);
    if (code) return as_cli_fail(cli, &err);
    as_note(cli, "%s/candidate-results.csv, %s and more are written", folder,
            is_chosen ? "selection.json, candidate-pareto.png" : "training-epochs.csv");
    return AS_EXIT_DONE;
}

int as_search_print(const as_cli *cli, const char *folder, bool json)
{
    return show(cli, folder, false, AS_ENGLISH, json);
}

int as_search_summarize(const as_cli *cli, const char *folder, as_language language, bool json)
{
    return show(cli, folder, true, language, json);
}

bool as_is_search(const char *folder)
{
    as_search_report *r;
    const bool is_search = as_search_report_open(folder, &r, NULL) == ASSAY_OK;
    as_search_report_close(r);
    return is_search;
}
