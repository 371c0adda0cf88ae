/* SPDX-License-Identifier: Apache-2.0 */
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/denormals.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "train/layers.h"
#include "train/loss.h"
#include "train/streams.h"

as_train_options as_train_defaults(void)
{
    return (as_train_options){.kind = AS_OPTIMISER_ADAM,
                              .rate = 0.003,
                              .momentum = 0.9,
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .epsilon = 1e-8,
                              .n_epochs = 18,
                              .batch = 64,
                              .n_threads = 1};
}

void as_train_result_free(as_train_result *result)
{
    as_free(result->epochs);
    *result = (as_train_result){0};
}

/* A training under way. */
typedef struct training {
    as_network *net;
    const as_dataset *data;
    const as_split *split;
    const as_train_options *options;
    as_optimiser *optimiser; /* owns, as all below */
    as_threads *pool;
    float *images;       /* [batch][image] */
    int32_t *labels;     /* [batch] */
    size_t *order;       /* [n_train] ids in the epoch's order */
    float *best, *state; /* the best epoch's parameters and running values */
    uint64_t random;
} training;

static void end(training *t)
{
    as_optimiser_free(t->optimiser);
    as_threads_free(t->pool);
    as_free(t->images);
    as_free(t->labels);
    as_free(t->order);
    as_free(t->best);
    as_free(t->state);
}

static assay_code check(const training *t, assay_error *err)
{
    const as_extent in = t->net->input;
    const as_train_options *o = t->options;
    if (in.c != t->data->c || in.h != t->data->h || in.w != t->data->w)
        return as_fail(
            err, ASSAY_E_ARGUMENT,
            "the network reads %zux%zux%zu images (c, h, w), the data has %zux%zux%zu", in.c,
            in.h, in.w, t->data->c, t->data->h, t->data->w);
    if (as_network_n_outputs(t->net) != t->data->n_classes)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "the network has %zu outputs, the data %zu classes",
                       as_network_n_outputs(t->net), t->data->n_classes);
    if (t->split->n_train == 0 || t->split->n_validation == 0)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%zu training and %zu validation samples, each needs one",
                       t->split->n_train, t->split->n_validation);
    if (o->n_epochs == 0 || o->batch == 0 || !(o->rate > 0))
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%zu epochs of batches of %zu at rate %g, each has to be above 0",
                       o->n_epochs, o->batch, o->rate);
    return ASSAY_OK;
}

static assay_code begin(training *t, assay_error *err)
{
    const as_train_options *o = t->options;
    const as_optimiser_rule rule = {o->kind,  o->rate,    o->momentum,    o->beta1,
                                    o->beta2, o->epsilon, o->weight_decay};
    const as_network *net = t->net;
    assay_code code = check(t, err);
    if (!code && o->n_threads > 1) code = as_threads_new(o->n_threads, &t->pool, err);
    if (code) return code;
    t->random = as_random_stream(o->seed, AS_STREAM_ORDERS);
    t->optimiser = as_optimiser_new(&rule, net->n_parameters);
    t->images = as_alloc_array(o->batch, as_extent_size(net->input) * sizeof(float));
    t->labels = as_alloc_array(o->batch, sizeof *t->labels);
    t->order = as_alloc_array(t->split->n_train, sizeof *t->order);
    t->best = as_alloc_array(net->n_parameters + 1, sizeof(float));
    t->state = as_alloc_array(net->n_state + 1, sizeof(float));
    if (!t->optimiser || !t->images || !t->labels || !t->order || !t->best || !t->state)
        return as_fail(err, ASSAY_E_MEMORY, "no memory to train a network");
    memcpy(t->order, t->split->train, t->split->n_train * sizeof *t->order);
    return as_network_room(t->net, o->batch, true, t->pool, err);
}

/* ---- one epoch ---------------------------------------------------------------------------- */

static void gather(const as_dataset *data, const size_t *ids, size_t n, float *images,
                   int32_t *labels)
{
    const size_t image = data->h * data->w * data->c;
    for (size_t i = 0; i < n; i++) {
        memcpy(images + i * image, data->images + ids[i] * image, image * sizeof *images);
        labels[i] = data->labels[ids[i]];
    }
}

static void train_batch(training *t, const size_t *ids, size_t n, as_loss *loss)
{
    as_network *net = t->net;
    as_layer *last = &net->layers[net->n_layers - 1];
    const as_pass pass = {
        .network = net, .images = t->images, .n = n, .is_training = true, .pool = t->pool};
    gather(t->data, ids, n, t->images, t->labels);
    as_pass_forward(&pass);
    as_loss_add(last->values, t->labels, n, t->data->n_classes, last->gradient, loss);
    as_pass_backward(&pass);
    as_optimiser_step(t->optimiser, net->parameters, net->gradients);
    net->version++;
}

static assay_code train_epoch(training *t, as_epoch *epoch, assay_error *err)
{
    const size_t n = t->split->n_train, batch = t->options->batch;
    as_loss loss = {0};
    as_random_shuffle(t->order, n, &t->random);
    for (size_t i = 0; i < n; i += batch) {
        if (t->options->stop && t->options->stop(t->options->context))
            return as_fail(err, ASSAY_E_INTERRUPTED, "training stopped in epoch %zu of %zu",
                           epoch->epoch, t->options->n_epochs);
        train_batch(t, t->order + i, as_min(batch, n - i), &loss);
    }
    epoch->train_loss = loss.cross_entropy / (double)n;
    return ASSAY_OK;
}

assay_code as_network_score(as_network *net, const as_dataset *data, const size_t *ids,
                            size_t n, as_threads *pool, as_score *out, assay_error *err)
{
    enum { BATCH = 64 };
    const size_t image = as_extent_size(net->input);
    int32_t labels[BATCH];
    as_loss loss = {0};
    float *images = as_alloc_array(BATCH, image * sizeof *images);
    assay_code code = images ? as_network_room(net, BATCH, false, pool, err)
                             : as_fail(err, ASSAY_E_MEMORY, "no memory for a batch");
    for (size_t i = 0; i < n && !code; i += BATCH) {
        const as_pass pass = {
            .network = net, .images = images, .n = as_min(BATCH, n - i), .pool = pool};
        gather(data, ids + i, pass.n, images, labels);
        as_pass_forward(&pass);
        as_loss_add(net->layers[net->n_layers - 1].values, labels, pass.n, data->n_classes,
                    NULL, &loss);
    }
    as_free(images);
    if (!code)
        *out = (as_score){loss.cross_entropy / (double)n, (double)loss.n_right / (double)n};
    return code;
}

/* ---- all of them -------------------------------------------------------------------------- */

static void keep_best(training *t, const as_epoch *epoch, as_train_result *out)
{
    const as_network *net = t->net;
    if (out->best_epoch && !(epoch->validation_loss < out->validation_loss)) return;
    out->best_epoch = epoch->epoch;
    out->validation_loss = epoch->validation_loss;
    out->validation_accuracy = epoch->validation_accuracy;
    memcpy(t->best, net->parameters, net->n_parameters * sizeof(float));
    memcpy(t->state, net->state, net->n_state * sizeof(float));
}

static void restore_best(training *t)
{
    memcpy(t->net->parameters, t->best, t->net->n_parameters * sizeof(float));
    memcpy(t->net->state, t->state, t->net->n_state * sizeof(float));
    t->net->version++;
}

static assay_code run_epochs(training *t, as_train_result *out, assay_error *err)
{
    assay_code code = ASSAY_OK;
    while (out->n_epochs < t->options->n_epochs && !out->diverged && !code) {
        as_epoch *epoch = &out->epochs[out->n_epochs];
        const int64_t begin_ns = as_clock_ns();
        as_score score = {0};
        epoch->epoch = out->n_epochs + 1;
        code = train_epoch(t, epoch, err);
        if (!code)
            code = as_network_score(t->net, t->data, t->split->validation,
                                    t->split->n_validation, t->pool, &score, err);
        if (code) break;
        epoch->validation_loss = score.loss;
        epoch->validation_accuracy = score.accuracy;
        epoch->seconds = (double)(as_clock_ns() - begin_ns) * 1e-9;
        out->n_epochs++;
        out->diverged = !isfinite(epoch->train_loss) || !isfinite(score.loss);
        if (out->diverged)
            out->diverged_epoch = epoch->epoch;
        else
            keep_best(t, epoch, out);
        if (t->options->on_epoch) t->options->on_epoch(t->options->context, epoch);
    }
    return code;
}

assay_code as_train(as_network *net, const as_dataset *data, const as_split *split,
                    const as_train_options *options, as_train_result *out, assay_error *err)
{
    training t = {.net = net, .data = data, .split = split, .options = options};
    const unsigned saved =
        as_denormals_flush(); /* means of gradients that stay zero fade into them */
    *out = (as_train_result){0};
    assay_code code = begin(&t, err);
    if (!code && !(out->epochs = as_alloc_array(options->n_epochs, sizeof *out->epochs)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for %zu epochs", options->n_epochs);
    if (t.pool) as_threads_enter(t.pool);
    if (!code) code = run_epochs(&t, out, err);
    if (t.pool) as_threads_leave(t.pool);
    if (!code && out->best_epoch) restore_best(&t);
    if (code) as_train_result_free(out);
    end(&t);
    as_denormals_restore(saved);
    return code;
}
