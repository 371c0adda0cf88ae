/* SPDX-License-Identifier: Apache-2.0 */
#include "report/search_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/operator_files.h"
#include "report/search_page.h"
#include "report/text.h"
#include "report/whole_file.h"

/* ---- rows ---- */

static assay_code read_operators(as_search_report *r, assay_error *err)
{
    const as_operator_study_row *how;
    as_operator_study *study = &r->operators;
    size_t n;
    assay_code code = as_evidence_operator_study(r->evidence, &how, &n, err);
    if (code || n == 0) return code;
    study->how = how[0];
    code = as_evidence_operators(r->evidence, &study->ops, &study->n_ops, err);
    if (code) return code;
    return as_evidence_operator_samples(r->evidence, &study->samples, &study->n_samples, err);
}

static assay_code read_tables(as_search_report *r, assay_error *err)
{
    const as_selection_row *selections;
    const as_search_row *searches;
    size_t n_selections = 0, n_searches = 0;
    as_candidates *c = &r->candidates;
    as_evidence *e = r->evidence;
    assay_code code = as_evidence_search(e, &searches, &n_searches, err);
    if (!code && n_searches == 0)
        return as_fail(err, ASSAY_E_FORMAT, "%s holds no structure search", r->folder);
    if (!code) r->search = &searches[0];
    if (!code) code = as_evidence_structures(e, &r->structures, &r->n_structures, err);
    if (!code) code = as_evidence_trainings(e, &r->trainings, &r->n_trainings, err);
    if (!code) code = as_evidence_epochs(e, &r->epochs, &r->n_epochs, err);
    if (!code) code = as_evidence_structure_samples(e, &c->samples, &c->n_samples, err);
    if (!code) code = as_evidence_structure_slots(e, &r->slots, &r->n_slots, err);
    if (!code) code = as_evidence_selections(e, &selections, &n_selections, err);
    if (!code) code = as_evidence_test_scores(e, &r->scores, &r->n_scores, err);
    r->has_selection = !code && n_selections > 0;
    return code ? code : read_operators(r, err);
}

/* Mean of n values and the standard error of that mean; one value has none. */
static void mean_of(const double *values, size_t n, double *mean, double *error)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    *mean = n > 0 ? sum / (double)n : NAN;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - *mean) * (values[i] - *mean);
    *error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : 0;
}

/* Standard error of a share of n samples, with two right and two wrong ones added (Agresti and Coull 1998),
 * so that a share of 1 is not taken for certain. */
static double share_error(double share, double n)
{
    const double p = (share * n + 2) / (n + 4);
    return sqrt(p * (1 - p) / (n + 4));
}

static int by_structure_and_seed(const void *a, const void *b)
{
    const as_training_row *x = ((const as_search_training *)a)->row,
                          *y = ((const as_search_training *)b)->row;
    if (x->structure != y->structure) return x->structure < y->structure ? -1 : 1;
    return (x->seed_index > y->seed_index) - (x->seed_index < y->seed_index);
}

static assay_code sort_trainings(as_search_report *r, assay_error *err)
{
    r->sorted = as_alloc_array(r->n_trainings + 1, sizeof *r->sorted);
    if (!r->sorted) return as_fail(err, ASSAY_E_MEMORY, "no memory for trainings");
    for (size_t t = 0; t < r->n_trainings; t++)
        r->sorted[t] = (as_search_training){
            .row = &r->trainings[t], .index = (int)t, .test_accuracy = NAN};
    for (size_t e = 0; e < r->n_epochs; e++) {
        as_search_training *one = &r->sorted[r->epochs[e].training];
        if (one->n_epochs++ == 0) one->epochs = &r->epochs[e]; /* they are in a row */
    }
    for (size_t i = 0; i < r->n_scores; i++)
        r->sorted[r->scores[i].training].test_accuracy = r->scores[i].accuracy;
    qsort(r->sorted, r->n_trainings, sizeof *r->sorted, by_structure_and_seed);
    return ASSAY_OK;
}

static void fill_row(const as_search_report *r, size_t i, double *validation, double *test,
                     as_candidate_row *row)
{
    const as_structure_row *s = &r->structures[i];
    size_t n = 0;
    double unused;
    *row = (as_candidate_row){
        .name = s->name, .is_separable = s->is_separable, .params = s->params, .macs = s->macs};
    for (size_t t = 0; t < r->n_trainings; t++) {
        if (r->sorted[t].row->structure != (int)i) continue;
        validation[n] = r->sorted[t].row->validation_accuracy; /* NaN where it diverged */
        test[n++] = r->sorted[t].test_accuracy;
    }
    if ((int64_t)n < s->n_seeds) n = 0;
    mean_of(validation, n, &row->validation_accuracy, &row->accuracy_noise);
    mean_of(test, n, &row->test_accuracy, &unused);
    if (n == 1)
        row->accuracy_noise =
            share_error(row->validation_accuracy, (double)r->search->n_validation);
    if (!isfinite(row->accuracy_noise)) row->accuracy_noise = 0;
}

static assay_code fill_rows(as_search_report *r, assay_error *err)
{
    double *validation = as_alloc_array(r->n_trainings + 1, sizeof *validation);
    double *test = as_alloc_array(r->n_trainings + 1, sizeof *test);
    r->rows = as_alloc_array(r->n_structures, sizeof *r->rows);
    const bool is_made = validation && test && r->rows;
    for (size_t i = 0; i < r->n_structures && is_made; i++)
        fill_row(r, i, validation, test, &r->rows[i]);
    as_free(validation);
    as_free(test);
    r->candidates.rows = r->rows;
    r->candidates.n = r->n_structures;
    r->candidates.baseline = (size_t)r->search->baseline;
    r->candidates.seed = (uint64_t)r->search->seed;
    return is_made ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for candidates");
}

static assay_code open_report(as_search_report *r, assay_error *err)
{
    char *path = as_path_join(r->folder, AS_EVIDENCE_FILE);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", r->folder);
    assay_code code = as_evidence_open(path, &r->evidence, err);
    as_free(path);
    if (!code) code = read_tables(r, err);
    if (!code) code = sort_trainings(r, err);
    if (!code) code = fill_rows(r, err);
    return code ? code : as_candidate_report_new(&r->candidates, &r->choice, err);
}

assay_code as_search_report_open(const char *folder, as_search_report **out, assay_error *err)
{
    as_search_report *r = as_alloc(sizeof *r);
    *out = NULL;
    if (!r) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", folder);
    r->folder = folder;
    assay_code code = open_report(r, err);
    if (code)
        as_search_report_close(r);
    else
        *out = r;
    return code;
}

void as_search_report_close(as_search_report *r)
{
    if (!r) return;
    as_candidate_report_free(r->choice);
    as_free(r->rows);
    as_free(r->sorted);
    as_evidence_close(r->evidence);
    as_free(r);
}

int as_search_report_training(const as_search_report *r, size_t i)
{
    for (size_t t = 0; t < r->n_trainings; t++) {
        const as_training_row *one = r->sorted[t].row;
        if (one->structure == (int)i && !one->diverged_epoch) return r->sorted[t].index;
    }
    return -1;
}

char *as_search_report_model(const as_search_report *r, size_t i)
{
    return as_format("%s/%s.onnx", r->folder, r->structures[i].name);
}

/* ---- files ---- */

static assay_code write_json(const as_search_report *r, const char *name, json_t *root,
                             assay_error *err)
{
    as_whole_file file;
    assay_code code = as_whole_file_open_in(r->folder, name, &file, err);
    if (code) {
        json_decref(root);
        return code;
    }
    code = as_put_json(file.out, root, JSON_INDENT(2), name, err);
    return as_whole_file_close(&file, code, err);
}

static assay_code write_stored(const as_search_report *r, const char *name, const char *text,
                               assay_error *err)
{
    json_t *root;
    assay_code code = as_json_parse(text, strlen(text), 0, &root, err);
    return code ? code : write_json(r, name, root, err);
}

static assay_code write_environment(const as_search_report *r, assay_error *err)
{
    const as_run_row *run = as_evidence_run(r->evidence);
    json_t *machine;
    assay_code code =
        as_json_parse(run->machine_json, strlen(run->machine_json), 0, &machine, err);
    if (code) return code;
    json_t *root =
        as_study_environment_json(machine, 1, r->search->seed, run->exclusive_hardware);
    json_decref(machine);
    return write_json(r, "environment.json", root, err);
}

static json_t *protocol_json(const as_search_report *r)
{
    const as_search_row *s = r->search;
    json_t *bytes = json_object();
    for (size_t i = 0; i < r->n_structures; i++)
        as_json_set(&bytes, r->structures[i].name,
                    json_integer((json_int_t)r->structures[i].activation_bytes));
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:o}", "warmup", (json_int_t)s->n_warm_up,
        "repetitions", (json_int_t)s->n_repeats, "rounds", (json_int_t)s->n_rounds, "threads",
        (json_int_t)1, "layout", "NCHW at the input, the engine's own inside", "scope",
        "forward alone, batch 1, FP32, from a tensor in memory to one in memory, all "
        "candidates "
        "in one process, each round in an order of its own",
        "synchronization",
        "one thread on CLOCK_MONOTONIC_RAW: a call returns when its output is written",
        "activation_ledger",
        "input + output + intermediate activations in bytes; no peak memory: buffers are "
        "shared "
        "and weights and scratch are not counted",
        "activation_ledger_bytes", bytes);
    if (r->operators.n_ops > 0)
        as_json_set(&root, "operators", as_operator_protocol_json(&r->operators));
    return root;
}

static void put_epochs(FILE *out, const void *of)
{
    const as_search_report *r = of;
    fputs("name,seed,epoch,train_loss,validation_loss,validation_acc,best\n", out);
    for (size_t t = 0; t < r->n_trainings; t++)
        for (size_t i = 0; i < r->sorted[t].n_epochs; i++) {
            const as_training_row *row = r->sorted[t].row;
            const as_epoch_row *e = &r->sorted[t].epochs[i];
            as_put_csv(out, r->structures[row->structure].name);
            fprintf(out, ",%lld,%d", (long long)row->seed, e->epoch);
            as_put_csv_number(out, e->train_loss);
            as_put_csv_number(out, e->validation_loss);
            as_put_csv_number(out, e->validation_accuracy);
            fprintf(out, ",%s\n", e->epoch == row->best_epoch ? "true" : "false");
        }
}

static void put_slots(FILE *out, const void *of)
{
    const as_search_report *r = of;
    fputs("name,policy,engine,version,repeat,median_us,least_us,error\n", out);
    for (size_t i = 0; i < r->n_slots; i++) {
        const as_structure_slot_row *s = &r->slots[i];
        as_put_csv(out, r->structures[s->structure].name);
        putc(',', out);
        as_put_csv(out, s->policy);
        putc(',', out);
        as_put_csv(out, s->engine);
        putc(',', out);
        as_put_csv(out, s->version);
        fprintf(out, ",%d", s->repeat + 1);
        as_put_csv_number(out, s->median_us);
        as_put_csv_number(out, s->least_us);
        putc(',', out);
        as_put_csv(out, s->error);
        putc('\n', out);
    }
}

static const as_printed_file tables[] = {{"training-epochs.csv", put_epochs},
                                         {"candidate-slots.csv", put_slots}};

static assay_code write_operators(const as_search_report *r, assay_error *err)
{
    as_operator_report *report;
    if (r->operators.n_ops == 0) return ASSAY_OK;
    assay_code code = as_operator_report_new(&r->operators, r->language, &report, err);
    if (!code) code = as_operator_tables_write(report, r->folder, err);
    as_operator_report_free(report);
    return code;
}

assay_code as_search_files_write(const as_search_report *r, assay_error *err)
{
    assay_code code = write_stored(r, "split-manifest.json", r->search->split_json, err);
    if (!code) code = write_environment(r, err);
    if (!code) code = write_json(r, "benchmark-protocol.json", protocol_json(r), err);
    if (!code) code = as_printed_files_write(r->folder, tables, AS_COUNT_OF(tables), r, err);
    if (!code) code = write_operators(r, err);
    if (!code && r->has_selection) code = as_selection_write(r->choice, r->folder, err);
    if (!code) code = as_candidate_files_write(r->choice, r->folder, err);
    return code ? code : as_search_page_write(r, err);
}
