/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "train/layers.h"
#include "train/trainer.h"

/* Images of 6 x 6 in three classes: a bright row, a bright column, a bright corner, all with noise. */
enum { N = 150, SIDE = 6, N_CLASSES = 3 };

static float images[N * SIDE * SIDE];
static int32_t labels[N];
static size_t ids[N];
static char name[] = "marks";

static as_dataset marks(void)
{
    uint64_t random = 3;
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i % N_CLASSES);
        ids[i] = i;
        const size_t at = as_random_next(&random) % SIDE;
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++) {
            const size_t y = p / SIDE, x = p % SIDE;
            const bool is_bright = labels[i] == 0   ? y == at
                                   : labels[i] == 1 ? x == at
                                                    : y < 3 && x < 3;
            images[i * SIDE * SIDE + p] =
                (float)is_bright + (float)(as_random_next(&random) >> 40) * 0x1p-25F;
        }
    }
    return (as_dataset){.name = name,
                        .n = N,
                        .c = 1,
                        .h = SIDE,
                        .w = SIDE,
                        .n_classes = N_CLASSES,
                        .images = images,
                        .labels = labels};
}

static as_split parts(void)
{
    return (as_split){.train = ids,
                      .validation = ids + 100,
                      .test = ids + 130,
                      .n_train = 100,
                      .n_validation = 30,
                      .n_test = 20};
}

static const as_unit units[] = {
    {.kind = AS_UNIT_CONV, .out = 5, .kernel = 3, .stride = 1, .pad = 1, .group = 1},
    {.kind = AS_UNIT_BATCHNORM},
    {.kind = AS_UNIT_RELU},
    {.kind = AS_UNIT_CONV, .out = 5, .kernel = 3, .stride = 1, .pad = 1, .group = 5},
    {.kind = AS_UNIT_ADD, .from = 2},
    {.kind = AS_UNIT_MAX_POOL, .kernel = 2, .stride = 2},
    {.kind = AS_UNIT_FLATTEN},
    {.kind = AS_UNIT_LINEAR, .out = N_CLASSES, .has_bias = true},
};
static const as_net_spec spec = {1, SIDE, SIDE, sizeof units / sizeof *units, units};

static as_network *new_network(void)
{
    as_network *net;
    assay_error err;
    if (as_network_new(&spec, 5, &net, &err)) fail_msg("%s", err.message);
    return net;
}

static as_train_result train(as_network *net, const as_train_options *options)
{
    const as_dataset data = marks();
    const as_split split = parts();
    as_train_result result;
    assay_error err;
    if (as_train(net, &data, &split, options, &result, &err)) fail_msg("%s", err.message);
    return result;
}

static void training_learns_what_can_be_learned(void **state)
{
    static const as_optimiser_kind kinds[] = {AS_OPTIMISER_ADAM, AS_OPTIMISER_SGD};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        as_network *net = new_network();
        as_train_options options = as_train_defaults();
        options.kind = kinds[i];
        options.rate = i ? 0.05 : 0.01;
        options.batch = 16;
        as_train_result result = train(net, &options);
        assert_int_equal(result.n_epochs, 18);
        assert_true(result.validation_accuracy > 0.9);
        assert_true(result.epochs[17].train_loss < 0.5 * result.epochs[0].train_loss);
        as_train_result_free(&result);
        as_network_free(net);
    }
}

static void training_has_the_same_bits_for_any_number_of_threads(void **state)
{
    as_network *nets[2];
    as_train_result results[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        as_train_options options = as_train_defaults();
        options.n_epochs = 3;
        options.batch = 17; /* the last batch is smaller */
        options.seed = 9;
        options.n_threads = 1 + 2 * i;
        nets[i] = new_network();
        results[i] = train(nets[i], &options);
    }
    const size_t bytes = as_network_n_parameters(nets[0]) * sizeof(float);
    assert_memory_equal(nets[0]->parameters, nets[1]->parameters, bytes);
    for (size_t e = 0; e < 3; e++)
        assert_true(results[0].epochs[e].validation_loss ==
                    results[1].epochs[e].validation_loss);
    for (size_t i = 0; i < 2; i++) {
        as_train_result_free(&results[i]);
        as_network_free(nets[i]);
    }
}

static void the_best_epochs_weights_are_left(void **state)
{
    as_network *net = new_network();
    as_train_options options = as_train_defaults();
    const as_dataset data = marks();
    const as_split split = parts();
    as_score score;
    assay_error err;
    (void)state;
    options.rate = 0.3; /* so high that the loss goes up and down */
    options.seed = 1;   /* its last epoch is not the best */
    options.batch = 10;
    as_train_result result = train(net, &options);
    assert_int_equal(
        as_network_score(net, &data, split.validation, split.n_validation, NULL, &score, &err),
        ASSAY_OK);
    assert_true(score.loss == result.validation_loss);
    assert_true(score.accuracy == result.validation_accuracy);
    for (size_t e = 0; e < result.n_epochs; e++)
        assert_true(result.epochs[e].validation_loss >= result.validation_loss);
    assert_true(result.epochs[result.n_epochs - 1].validation_loss > result.validation_loss);
    as_train_result_free(&result);
    as_network_free(net);
}

static void a_loss_that_is_no_number_ends_the_training_alone(void **state)
{
    as_network *net = new_network();
    as_train_options options = as_train_defaults();
    (void)state;
    options.kind = AS_OPTIMISER_SGD;
    options.rate = 1e30;
    as_train_result result = train(net, &options);
    assert_true(result.diverged);
    assert_int_equal(result.diverged_epoch, result.n_epochs);
    assert_true(result.n_epochs < 18);
    as_train_result_free(&result);
    as_network_free(net);
}

static bool stop_now(void *context) { return ++*(size_t *)context > 10; }

static void a_training_can_be_stopped(void **state)
{
    as_network *net = new_network();
    size_t n_asked = 0;
    as_train_options options = as_train_defaults();
    const as_dataset data = marks();
    const as_split split = parts();
    as_train_result result;
    assay_error err;
    (void)state;
    options.stop = stop_now;
    options.context = &n_asked;
    assert_int_equal(as_train(net, &data, &split, &options, &result, &err),
                     ASSAY_E_INTERRUPTED);
    assert_string_equal(err.message, "training stopped in epoch 6 of 18");
    assert_null(result.epochs);
    as_network_free(net);
}

static void data_of_another_size_is_told(void **state)
{
    as_network *net = new_network();
    const as_train_options options = as_train_defaults();
    as_dataset data = marks();
    const as_split split = parts();
    as_train_result result;
    assay_error err;
    (void)state;
    data.h = 5;
    assert_int_equal(as_train(net, &data, &split, &options, &result, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message,
                        "the network reads 1x6x6 images (c, h, w), the data has 1x5x6");
    data = marks();
    data.n_classes = 4;
    assert_int_equal(as_train(net, &data, &split, &options, &result, &err), ASSAY_E_ARGUMENT);
    assert_string_equal(err.message, "the network has 3 outputs, the data 4 classes");
    as_network_free(net);
}

static void units_that_do_not_fit_are_told_with_their_place(void **state)
{
    static const struct {
        as_unit unit;
        const char *message;
    } bad[] = {
        {{.kind = AS_UNIT_CONV, .out = 4, .kernel = 3, .stride = 1, .group = 2},
         "unit 0 (conv) of a 1x6x6 input (c, h, w): its groups do not divide its channels"},
        {{.kind = AS_UNIT_CONV, .out = 4, .kernel = 9, .stride = 1, .pad = 1, .group = 1},
         "unit 0 (conv) of a 1x6x6 input (c, h, w): its kernel is larger than its padded "
         "input"},
        {{.kind = AS_UNIT_LINEAR, .out = 4},
         "unit 0 (linear) of a 1x6x6 input (c, h, w): a linear unit reads vectors, flatten "
         "maps "
         "first"},
        {{.kind = AS_UNIT_MAX_POOL, .kernel = 2},
         "unit 0 (max_pool) of a 1x6x6 input (c, h, w): a pool needs kernel and stride above "
         "0"},
        {{.kind = AS_UNIT_ADD, .from = 0},
         "unit 0 (add) of a 1x6x6 input (c, h, w): it adds no unit before it"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const as_net_spec one = {1, SIDE, SIDE, 1, &bad[i].unit};
        as_network *net;
        assay_error err;
        assert_int_equal(as_network_new(&one, 1, &net, &err), ASSAY_E_ARGUMENT);
        assert_string_equal(err.message, bad[i].message);
    }
}

/* By hand: p = 1, g = 0.5 twice, rate 0.1. */
static void optimisers_step_as_their_formulas_say(void **state)
{
    const as_optimiser_rule sgd = {.kind = AS_OPTIMISER_SGD, .rate = 0.1, .momentum = 0.9},
                            adam = {.kind = AS_OPTIMISER_ADAM,
                                    .rate = 0.1,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .epsilon = 1e-8,
                                    .weight_decay = 0.5};
    const float g = 0.5F;
    float p = 1;
    (void)state;
    as_optimiser *o = as_optimiser_new(&sgd, 1);
    as_optimiser_step(o, &p, &g);
    as_optimiser_step(o, &p, &g); /* 1 - 0.05 - 0.1 (0.45 + 0.5) */
    assert_true(fabsf(p - 0.855F) < 1e-6F);
    as_optimiser_free(o);
    p = 1;
    o = as_optimiser_new(&adam, 1);
    as_optimiser_step(o, &p, &g); /* m / v of the first step is the gradient's sign */
    assert_true(fabsf(p - 0.9F) < 1e-6F);
    as_optimiser_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_learns_what_can_be_learned),
        cmocka_unit_test(training_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_best_epochs_weights_are_left),
        cmocka_unit_test(a_loss_that_is_no_number_ends_the_training_alone),
        cmocka_unit_test(a_training_can_be_stopped),
        cmocka_unit_test(data_of_another_size_is_told),
        cmocka_unit_test(units_that_do_not_fit_are_told_with_their_place),
        cmocka_unit_test(optimisers_step_as_their_formulas_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
