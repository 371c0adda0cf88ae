/* SPDX-License-Identifier: Apache-2.0 */
#include "search/structure_search.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"

void as_search_outcome_free(as_search_outcome *outcome)
{
    as_bytes_free(&outcome->weights);
    as_free(outcome->epochs);
    *outcome = (as_search_outcome){0};
}

static assay_code take_result(const as_network *network, const as_train_result *result,
                              as_search_outcome *out, assay_error *err)
{
    out->n_epochs = result->n_epochs;
    out->epochs = as_alloc_array(result->n_epochs + 1, sizeof *out->epochs);
    if (!out->epochs) return as_fail(err, ASSAY_E_MEMORY, "no memory for epochs");
    for (size_t i = 0; i < result->n_epochs; i++) {
        const as_epoch *e = &result->epochs[i];
        out->epochs[i] = (as_epoch_row){.epoch = (int)e->epoch,
                                        .train_loss = e->train_loss,
                                        .validation_loss = e->validation_loss,
                                        .validation_accuracy = e->validation_accuracy,
                                        .seconds = e->seconds};
    }
    out->row.best_epoch = (int)result->best_epoch;
    out->row.diverged_epoch = (int)result->diverged_epoch;
    out->row.validation_loss = result->diverged ? NAN : result->validation_loss;
    out->row.validation_accuracy = result->diverged ? NAN : result->validation_accuracy;
    if (result->diverged) return ASSAY_OK;
    return as_network_weights(network, &out->weights, err);
}

assay_code as_search_train(const as_search *search, const as_search_job *job,
                           bool (*stop)(void *context), void *stop_context,
                           as_search_outcome *out, assay_error *err)
{
    const as_structure *s = &search->space->structures[job->structure];
    as_train_options options = s->training;
    as_train_result result;
    as_network *network;
    const int64_t begin_ns = as_clock_ns();
    *out = (as_search_outcome){0};
    options.seed = search->space->seed + job->seed_index;
    options.n_threads = search->options->n_threads;
    options.stop = stop;
    options.context = stop_context;
    assay_code code = as_network_new(&s->spec, options.seed, &network, err);
    if (code) return code;
    code = as_train(network, search->data, &search->split, &options, &result, err);
    if (!code) {
        code = take_result(network, &result, out, err);
        as_train_result_free(&result);
    }
    as_network_free(network);
    out->row.structure = (int)job->structure;
    out->row.seed_index = (int)job->seed_index;
    out->row.seed = (int64_t)options.seed;
    out->row.seconds = (double)(as_clock_ns() - begin_ns) * 1e-9;
    if (code) as_search_outcome_free(out);
    return code;
}

static void tell_divergence(const as_search *search, const as_search_outcome *outcome)
{
    const as_search_watch *w = &search->options->watch;
    const as_training_row *row = &outcome->row;
    char sentence[256];
    if (!row->diverged_epoch || !w->tell) return;
    snprintf(sentence, sizeof sentence,
             "%s (seed %lld) diverged in epoch %d: its loss was no finite number; it is never "
             "chosen, the search goes on",
             search->space->structures[row->structure].name, (long long)row->seed,
             row->diverged_epoch);
    w->tell(w->context, sentence);
}

assay_code as_search_keep(as_search *search, as_search_job *job,
                          const as_search_outcome *outcome, assay_error *err)
{
    const int training = (int)search->n_done;
    as_training_row row = outcome->row;
    row.weights = outcome->weights.data ? (const void *)outcome->weights.data : "";
    row.weights_bytes = outcome->weights.size;
    for (size_t i = 0; i < outcome->n_epochs; i++)
        outcome->epochs[i].training = training;
    const as_row_batch batches[] = {{AS_TABLE_TRAININGS, &row, 1},
                                    {AS_TABLE_EPOCHS, outcome->epochs, outcome->n_epochs}};
    assay_code code = as_evidence_add_rows(search->writer, batches, 2, err);
    if (code) return code;
    job->training = training;
    search->n_done++;
    tell_divergence(search, outcome);
    return ASSAY_OK;
}

assay_code as_search_train_all(as_search *search, assay_error *err)
{
    const as_search_watch *w = &search->options->watch;
    assay_code code = ASSAY_OK;
    if (w->begin) w->begin(w->context, "trainings", search->n_jobs);
    for (size_t i = 0; i < search->n_jobs && !code; i++) {
        as_search_job *job = &search->jobs[i];
        as_search_outcome outcome;
        if (job->training >= 0) continue;
        if (w->step)
            w->step(w->context, search->n_done, search->space->structures[job->structure].name);
        code = as_search_train(search, job, search->options->stop,
                               search->options->stop_context, &outcome, err);
        if (code) break;
        code = as_search_keep(search, job, &outcome, err);
        as_search_outcome_free(&outcome);
    }
    if (w->end) w->end(w->context);
    return code;
}

assay_code as_search_network(const as_search *search, size_t i, as_evidence *evidence,
                             int training, as_network **out, assay_error *err)
{
    as_bytes weights;
    *out = NULL;
    assay_code code = as_evidence_weights(evidence, training, &weights, err);
    if (!code) code = as_network_new(&search->space->structures[i].spec, 0, out, err);
    if (!code) code = as_network_set_weights(*out, weights.data, weights.size, err);
    as_bytes_free(&weights);
    if (code) {
        as_network_free(*out);
        *out = NULL;
    }
    return code;
}
