/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case B22: the same picture gives the same numbers wherever it stands in a batch, for every batch
 * size, thread count, instruction set and exact route, each time.
 *
 * The case's pictures stand in one order in all of its data sets, so the k-th picture of the largest
 * one, run alone by the scalar kernels on one thread, gives the bits of every set's k-th item.
 */
#include "data_set.h"

#include "base/memory.h"
#include "base/size.h"

#define N_ITEMS        17 /* of the largest data set */
#define N_REPETITIONS  100
/* Largest absolute difference that case.json allows for real weights. */
#define REAL_TOLERANCE 2e-6

static const char *const isas[] = {"scalar", "avx2", "avx512", "neon"};
static const char *const routes[] = {NULL, "gemm", "direct"};
static const size_t thread_counts[] = {1, 2, 3, 8};

/* One of the case's two models, its data sets and the bits of each picture. */
typedef struct kind {
    const char *name;
    data_set sets[N_DATA_SETS];
    float *bits; /* owns; [N_ITEMS][n_item], fused */
    size_t n_item;
} kind;

/* How runs are made. */
typedef struct manner {
    const char *isa, *conv;
    int fuse;
} manner;

static assay_model *load(const kind *k, const manner *how)
{
    assay_model_options options = assay_model_options_defaults();
    options.conv = how->conv;
    options.fuse = how->fuse;
    options.winograd = 0;
    assay_model *model = NULL;
    assay_error err = {0};
    char path[256];
    snprintf(path, sizeof path, CASE "/%s/model.onnx", k->name);
    setenv("ASSAY_ISA", how->isa, 1);
    if (assay_model_load(path, &options, &model, &err)) fail_msg("%s", err.message);
    unsetenv("ASSAY_ISA");
    return model;
}

static const float *run(assay_session *session, const assay_tensor *in)
{
    assay_tensor out;
    assay_error err = {0};
    if (assay_session_run(session, in, 1, &out, 1, &err)) fail_msg("%s", err.message);
    return out.data;
}

/* The bits of every picture: alone, by the scalar kernels, on one thread. */
static void make_bits(kind *k)
{
    const data_set *largest = &k->sets[N_DATA_SETS - 1];
    assert_int_equal(largest->input.shape.dims[0], N_ITEMS);
    k->n_item = largest->output.n_elements / N_ITEMS;
    k->bits = as_alloc_array(N_ITEMS * k->n_item, sizeof *k->bits);
    assay_model *model = load(k, &(manner){"scalar", NULL, 1});
    assay_session *session = NULL;
    assert_int_equal(assay_session_new(model, 1, &session, NULL), ASSAY_OK);
    assay_tensor in = data_set_input(largest);
    in.dims[0] = 1;
    for (size_t i = 0; i < N_ITEMS; i++) {
        in.data =
            (const float *)largest->input.data + i * (largest->input.n_elements / N_ITEMS);
        memcpy(k->bits + i * k->n_item, run(session, &in), k->n_item * sizeof *k->bits);
    }
    assay_session_free(session);
    assay_model_free(model);
}

static kind open_kind(const char *name)
{
    kind k = {.name = name};
    for (int i = 0; i < N_DATA_SETS; i++)
        k.sets[i] = data_set_read(name, i);
    make_bits(&k);
    return k;
}

static void close_kind(kind *k)
{
    for (int i = 0; i < N_DATA_SETS; i++)
        data_set_free(&k->sets[i]);
    as_free(k->bits);
}

static void expect_near(const float *out, const data_set *set, double tolerance)
{
    const float *right = set->output.data;
    for (size_t i = 0; i < set->output.n_elements; i++) {
        double off = (double)out[i] - (double)right[i];
        if (!(off <= tolerance && off >= -tolerance))
            fail_msg("value %zu is off by %g", i, off);
    }
}

/* Every data set in one session.  Fused and unfused fold differently: close, not equal. */
static void check_sets(const kind *k, assay_session *session, const manner *how,
                       double tolerance)
{
    for (int i = 0; i < N_DATA_SETS; i++) {
        const data_set *set = &k->sets[i];
        assay_tensor in = data_set_input(set);
        const float *out = run(session, &in);
        expect_near(out, set, tolerance);
        if (how->fuse && memcmp(out, k->bits, set->output.n_elements * sizeof *out) != 0)
            fail_msg(
                "%s, %s, route %s, %zu threads, batch %lld differs from scalar items alone",
                k->name, how->isa, how->conv ? how->conv : "default",
                as_session_threads(session), (long long)in.dims[0]);
    }
}

static void check_manner(const kind *k, const manner *how, double tolerance)
{
    assay_model *model = load(k, how);
    for (size_t t = 0; t < AS_COUNT_OF(thread_counts); t++) {
        assay_session *session = NULL;
        assert_int_equal(assay_session_new(model, thread_counts[t], &session, NULL), ASSAY_OK);
        check_sets(k, session, how, tolerance);
        assay_session_free(session);
    }
    assay_model_free(model);
}

static void check_kind(const char *name, double tolerance)
{
    kind k = open_kind(name);
    for (int isa = AS_ISA_SCALAR; isa < AS_ISA_N; isa++) {
        if (!as_isa_available((as_isa)isa)) {
            print_message("SKIPPED %s: this machine lacks it\n", isas[isa]);
            continue;
        }
        for (size_t r = 0; r < AS_COUNT_OF(routes); r++)
            for (int fuse = 0; fuse < 2; fuse++)
                check_manner(&k, &(manner){isas[isa], routes[r], fuse}, tolerance);
    }
    close_kind(&k);
}

static void integer_weights_are_exact_in_every_manner(void **state)
{
    (void)state;
    check_kind("integer_weights", 0);
}

static void real_weights_have_the_same_bits_in_every_manner(void **state)
{
    (void)state;
    check_kind("real_weights", REAL_TOLERANCE);
}

static void a_hundred_repetitions_have_the_same_bits(void **state)
{
    (void)state;
    kind k = open_kind("real_weights");
    const data_set *set = &k.sets[N_DATA_SETS - 1];
    assay_tensor in = data_set_input(set);
    as_isa isa;
    assert_int_equal(as_cpu_isa(&isa, NULL), ASSAY_OK);
    assay_model *model = load(&k, &(manner){as_isa_name(isa), NULL, 1});
    for (size_t t = 0; t < AS_COUNT_OF(thread_counts); t++) {
        assay_session *session = NULL;
        assert_int_equal(assay_session_new(model, thread_counts[t], &session, NULL), ASSAY_OK);
        for (int i = 0; i < N_REPETITIONS; i++)
            assert_memory_equal(run(session, &in), k.bits,
                                set->output.n_elements * sizeof *k.bits);
        assay_session_free(session);
    }
    assay_model_free(model);
    close_kind(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_weights_are_exact_in_every_manner),
        cmocka_unit_test(real_weights_have_the_same_bits_in_every_manner),
        cmocka_unit_test(a_hundred_repetitions_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
