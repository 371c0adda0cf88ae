/* SPDX-License-Identifier: Apache-2.0 */
#include "search/operators.h"

#include <math.h>

#include "base/clock.h"
#include "base/denormals.h"
#include "base/memory.h"
#include "base/random.h"
#include "kernels/peak.h"
#include "search/operator_bench.h"
#include "verdict/statistics.h"

const as_operator_shape as_operator_shapes[AS_OPERATOR_N_SHAPES] = {
    {"large", 32, 64, 32, 32},
    {"small", 4, 16, 4, 4},
};

/** The caches nearest to and farthest from the arithmetic that a study looks at: the former fits any L1,
 * the latter no L2, and a search stays within its memory. */
enum { NEAR_BYTES = 16 << 10, FAR_BYTES = 16 << 20 };

/** A study in the making. */
typedef struct studying {
    const as_operators_options *options;
    as_operators *out;
    as_operator_bench **benches; /**< Owns; [n_shapes]. */
    size_t *order;               /**< Owns; [n_ops]. */
    as_isa isa;
} studying;

as_operators_options as_operators_defaults(void)
{
    return (as_operators_options){.shapes = as_operator_shapes,
                                  .n_shapes = AS_OPERATOR_N_SHAPES,
                                  .n_warm_ups = 30,
                                  .n_rounds = 3,
                                  .n_repeats = 200,
                                  .seed = 20260918};
}

size_t as_operators_turns(const as_operators_options *options)
{
    return options->n_shapes * AS_N_OPERATORS * (size_t)options->n_rounds;
}

/** Microseconds of a call, the mean of `n_calls`. */
static double sample_us(as_operator_bench *bench, as_operator_module module, int n_calls)
{
    const int64_t start_ns = as_clock_ns();
    for (int i = 0; i < n_calls; i++)
        as_operator_bench_call(bench, module);
    return 1e-3 * (double)(as_clock_ns() - start_ns) / n_calls;
}

/** What reading the clock twice takes, or its step where that is more. */
static double clock_us(void)
{
    double least = INFINITY;
    for (int i = 0; i < 100; i++) {
        const int64_t start_ns = as_clock_ns();
        least = fmin(least, (double)(as_clock_ns() - start_ns));
    }
    return 1e-3 * fmax(least, (double)as_clock_resolution_ns());
}

/** The least power of two of calls in which the clock's own part is below 1 / AS_CLOCK_TICKS. */
static int calls_of(as_operator_bench *bench, as_operator_module module)
{
    const double enough_us = AS_CLOCK_TICKS * clock_us();
    int n_calls = 1;
    for (; n_calls < 1 << 20; n_calls *= 2) {
        double least_us = INFINITY;
        for (int i = 0; i < 5; i++)
            least_us = fmin(least_us, sample_us(bench, module, n_calls));
        if (n_calls * least_us >= enough_us) break;
    }
    return n_calls;
}

/** A bench for each shape, and its operators' rows. */
static assay_code make_benches(studying *s, assay_error *err)
{
    const as_operators_options *o = s->options;
    const as_operator_how how = {as_kernels_get(s->isa), o->conv, o->seed};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < o->n_shapes; i++) {
        code = as_operator_bench_new(&o->shapes[i], &how, &s->benches[i], err);
        for (size_t m = 0; !code && m < AS_N_OPERATORS; m++) {
            const size_t op = i * AS_N_OPERATORS + m;
            as_operator_row *row = &s->out->ops[op];
            as_operator_bench_describe(s->benches[i], m, row, s->out->routes[op]);
            if (m == AS_OPERATOR_DW_PW)
                code = as_operator_bench_factor(s->benches[i], &row->factor_error, err);
        }
        for (size_t m = 0; !code && m < AS_N_OPERATORS; m++) {
            as_operator_row *row = &s->out->ops[i * AS_N_OPERATORS + m];
            row->copy_bytes_s = as_stream_bytes_s(s->isa, (size_t)row->traffic_bytes);
            row->n_calls = calls_of(s->benches[i], m);
            if (!(row->copy_bytes_s > 0))
                code = as_fail(err, ASSAY_E_MEMORY, "no memory to copy %lld bytes",
                               (long long)row->traffic_bytes);
        }
    }
    return code;
}

static assay_code describe_study(studying *s, assay_error *err)
{
    const as_operators_options *o = s->options;
    s->out->study.how = (as_operator_study_row){
        .n_warm_ups = o->n_warm_ups,
        .n_rounds = o->n_rounds,
        .n_repeats = o->n_repeats,
        .n_threads = 1,
        .seed = o->seed,
        .isa = as_isa_name(s->isa),
        .peak_macs_s = 0.5e9 * as_peak_gflops(s->isa),
        .near_bytes_s = as_stream_bytes_s(s->isa, NEAR_BYTES),
        .far_bytes_s = as_stream_bytes_s(s->isa, FAR_BYTES),
        .near_bytes = NEAR_BYTES,
        .far_bytes = FAR_BYTES,
    };
    const as_operator_study_row *how = &s->out->study.how;
    return how->near_bytes_s > 0 && how->far_bytes_s > 0
               ? ASSAY_OK
               : as_fail(err, ASSAY_E_MEMORY, "no memory to copy %d bytes", FAR_BYTES);
}

/** 30 + 200 samples of one operator. */
static void take_turn(studying *s, size_t op, int round)
{
    as_operator_study *study = &s->out->study;
    as_operator_bench *bench = s->benches[op / AS_N_OPERATORS];
    const as_operator_module module = op % AS_N_OPERATORS;
    const int n_calls = s->out->ops[op].n_calls;
    for (int i = 0; i < s->options->n_warm_ups; i++)
        sample_us(bench, module, n_calls);
    for (int i = 0; i < s->options->n_repeats; i++)
        s->out->samples[study->n_samples++] = (as_operator_sample_row){
            .op = (int)op,
            .round = round,
            .repeat = i,
            .latency_us = sample_us(bench, module, n_calls),
        };
}

static assay_code measure(studying *s, assay_error *err)
{
    const as_operators_options *o = s->options;
    const size_t n_ops = s->out->study.n_ops, n_turns = as_operators_turns(o);
    uint64_t random = (uint64_t)o->seed;
    for (size_t i = 0; i < n_ops; i++)
        s->order[i] = i;
    for (int round = 0; round < o->n_rounds; round++) {
        as_random_shuffle(s->order, n_ops, &random);
        for (size_t i = 0; i < n_ops; i++) {
            if (o->stop && o->stop(o->context))
                return as_fail(err, ASSAY_E_INTERRUPTED, "stopped in round %d of %d", round + 1,
                               o->n_rounds);
            take_turn(s, s->order[i], round);
            if (o->progress) o->progress(o->context, (size_t)round * n_ops + i + 1, n_turns);
        }
    }
    return ASSAY_OK;
}

static assay_code make_room(studying *s, assay_error *err)
{
    const as_operators_options *o = s->options;
    const size_t n_ops = o->n_shapes * AS_N_OPERATORS;
    const size_t n_samples = n_ops * (size_t)o->n_rounds * (size_t)o->n_repeats;
    as_operators *out = s->out = as_alloc(sizeof *out);
    if (out) {
        out->ops = as_alloc_array(n_ops, sizeof *out->ops);
        out->routes = as_alloc_array(n_ops, sizeof *out->routes);
        out->samples = as_alloc_array(n_samples, sizeof *out->samples);
        out->study.ops = out->ops;
        out->study.samples = out->samples;
        out->study.n_ops = n_ops;
    }
    s->benches = as_alloc_array(o->n_shapes, sizeof *s->benches);
    s->order = as_alloc_array(n_ops, sizeof *s->order);
    if (out && out->ops && out->routes && out->samples && s->benches && s->order)
        return ASSAY_OK;
    return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu samples", n_samples);
}

assay_code as_operators_run(const as_operators_options *options, as_operators **out,
                            assay_error *err)
{
    studying s = {.options = options};
    *out = NULL;
    if (options->n_shapes == 0)
        return as_fail(err, ASSAY_E_ARGUMENT, "an operator study needs a shape");
    assay_code code = as_cpu_isa(&s.isa, err);
    if (!code) code = make_room(&s, err);
    const unsigned saved = as_denormals_flush();
    if (!code) code = make_benches(&s, err);
    if (!code) code = describe_study(&s, err);
    if (!code) code = measure(&s, err);
    as_denormals_restore(saved);
    for (size_t i = 0; s.benches && i < options->n_shapes; i++)
        as_operator_bench_free(s.benches[i]);
    as_free(s.benches);
    as_free(s.order);
    if (code) {
        as_operators_free(s.out);
        return code;
    }
    *out = s.out;
    return ASSAY_OK;
}

void as_operators_free(as_operators *operators)
{
    if (!operators) return;
    as_free(operators->ops);
    as_free(operators->samples);
    as_free(operators->routes);
    as_free(operators);
}
