/* SPDX-License-Identifier: Apache-2.0 */
/* A whole tuning of the tiny detector on a small frozen corpus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../corpus/scratch.h"
#include "base/file.h"
#include "run/run.h"
#include "search/tune.h"

#define MODEL "data/tiny_detector.onnx"
#define OTHER "cases/B22-batch-thread-isa-invariance/real_weights/model.onnx"

static char *folder, *corpus;

static int setup(void **state)
{
    (void)state;
    as_freeze_options options = as_freeze_defaults();
    options.dpi = 60;
    options.whole_pages = true;
    folder = scratch_make();
    corpus = scratch_freeze(folder, "corpus", FORM, &options);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    as_free(corpus);
    scratch_remove(folder);
    return 0;
}

static as_tune_options quick(void)
{
    as_tune_options o = as_tune_options_defaults();
    o.model_path = MODEL;
    o.corpus_path = corpus;
    o.threads = 1;
    o.least_rounds = o.most_rounds = 2;
    o.ratio_rounds = 6;
    return o;
}

static as_plan_file *tune(const as_tune_options *options)
{
    const as_trial_control control = {0};
    as_plan_file *file = NULL;
    assay_error err = {0};
    if (as_tune(options, &control, &file, &err)) fail_msg("%s: %s", err.where, err.message);
    return file;
}

static void every_layer_gets_a_route_and_both_costs_of_each_candidate(void **state)
{
    (void)state;
    as_tune_options o = quick();
    as_plan_file *f = tune(&o);
    assert_true(f->n_layers > 0);
    for (size_t i = 0; i < f->n_layers; i++) {
        const as_plan_layer *layer = &f->layers[i];
        bool has_chosen = false;
        assert_true(layer->n_candidates > 0);
        for (size_t c = 0; c < layer->n_candidates; c++) {
            const as_plan_candidate *one = &layer->candidates[c];
            has_chosen = has_chosen || strcmp(one->route, f->choices[i].route) == 0;
            assert_int_equal(one->in_place.n, 2);
            assert_true(one->in_place.median_ms > 0 && one->isolated.median_ms > 0);
        }
        assert_true(has_chosen);
    }
    assert_int_equal(f->evidence.n_inputs, 2);
    assert_true(f->evidence.n_calls >= 1 && f->evidence.calls_share >= 0.9);
    assert_true(f->ratio.has_interval && f->ratio.low <= f->ratio.ratio);
    assert_int_equal(f->threads, 1);
    as_plan_file_free(f);
}

/* Load MODEL by a plan file and run it once. */
static assay_code run_by(const char *model_path, const char *plan_path, assay_error *err)
{
    static float pixels[3 * 32 * 64];
    assay_model_options options = assay_model_options_defaults();
    options.plan = plan_path;
    assay_model *model = NULL;
    assay_session *session = NULL;
    assay_tensor in = {.rank = 4, .dims = {1, 3, 32, 64}, .data = pixels}, out;
    assay_code code = assay_model_load(model_path, &options, &model, err);
    if (!code) code = assay_session_new(model, 1, &session, err);
    if (!code) code = assay_session_run(session, &in, 1, &out, 1, err);
    const as_plan_file *file = code ? NULL : as_model_plan_file(model);
    const as_choices choices = file ? as_plan_file_choices(file) : (as_choices){0};
    const as_plan *plan = code ? NULL : as_session_plan(session);
    for (size_t i = 0; plan && i < plan->n_layers; i++)
        if (plan->layers[i].route)
            assert_string_equal(as_layer_route(&plan->layers[i]),
                                as_choice_of(&choices, plan->layers[i].node));
    assay_session_free(session);
    assay_model_free(model);
    return code;
}

static void a_model_runs_by_the_routes_of_its_plan_file(void **state)
{
    (void)state;
    as_tune_options o = quick();
    as_plan_file *f = tune(&o);
    char *path = as_path_join(folder, "plan.json");
    assay_error err = {0};
    for (size_t i = 0; i < f->n_layers; i++) /* the dearest is as good as any other here */
        f->choices[i].route = f->layers[i].candidates[f->layers[i].n_candidates - 1].route;
    assert_int_equal(as_plan_file_write(f, path, &err), ASSAY_OK);
    if (run_by(MODEL, path, &err)) fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(run_by(OTHER, path, &err), ASSAY_E_CHANGED);
    assert_non_null(strstr(err.message, "tiny_detector.onnx"));
    f->cpu.family++;
    assert_int_equal(as_plan_file_write(f, path, &err), ASSAY_OK);
    assert_int_equal(run_by(MODEL, path, &err), ASSAY_E_ENVIRONMENT);
    as_free(path);
    as_plan_file_free(f);
}

/* Its plan has layers in another order than the graph, and groups. */
static void a_detector_has_costs_of_every_route_and_band(void **state)
{
    (void)state;
    as_tune_options o = quick();
    o.model_path = "../models/ch_PP-OCRv4_det_infer.onnx";
    if (!as_file_exists(o.model_path)) {
        print_message("SKIPPED: tools/models has not been run\n");
        skip();
    }
    as_plan_file *f = tune(&o);
    for (size_t i = 0; i < f->n_layers; i++)
        for (size_t c = 0; c < f->layers[i].n_candidates; c++)
            assert_true(f->layers[i].candidates[c].in_place.median_ms > 0 &&
                        f->layers[i].candidates[c].isolated.median_ms > 0);
    assert_true(f->n_groups > 0 && f->evidence.n_group_rounds == 2);
    for (size_t i = 0; i < f->n_groups; i++)
        for (size_t way = 0; way < AS_BANDS_N; way++)
            assert_true(f->groups[i].in_place[way].median_ms > 0);
    as_plan_file_free(f);
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void an_interruption_and_a_missing_corpus_leave_no_plan(void **state)
{
    (void)state;
    as_tune_options o = quick();
    const as_trial_control control = {.stop = stop_at_once}, none = {0};
    as_plan_file *file = NULL;
    assay_error err = {0};
    assert_int_equal(as_tune(&o, &control, &file, &err), ASSAY_E_INTERRUPTED);
    assert_null(file);
    o.corpus_path = "nowhere";
    assert_int_equal(as_tune(&o, &none, &file, &err), ASSAY_E_NOT_FOUND);
    assert_null(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_gets_a_route_and_both_costs_of_each_candidate),
        cmocka_unit_test(a_model_runs_by_the_routes_of_its_plan_file),
        cmocka_unit_test(a_detector_has_costs_of_every_route_and_band),
        cmocka_unit_test(an_interruption_and_a_missing_corpus_leave_no_plan),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
