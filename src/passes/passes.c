/* SPDX-License-Identifier: Apache-2.0 */
#include "passes/passes.h"

#include <string.h>
#include <time.h>

/*
 * Patterns of activations come before affine chains: hard-swish's "+ 3" and "/ 6" would else be
 * taken for parts of a chain.  A mean meets its convolution once what stood between is folded.
 */
static const as_pass table[] = {
    {"constants", as_pass_constants, true},
    {"identities", as_pass_identities, true},
    {"computed_dims", as_pass_computed_dims, true},
    {"sums", as_pass_sums, false},
    {"activations", as_pass_activations, false},
    {"gelu", as_pass_gelu, false},
    {"fold_batchnorm", as_pass_fold_batchnorm, false},
    {"fold_affine", as_pass_fold_affine, false},
    {"common_factor", as_pass_common_factor, false},
    {"pooled_conv", as_pass_pooled_conv, false},
    {"dead", as_pass_dead, true},
};
_Static_assert(AS_COUNT_OF(table) <= AS_MAX_PASSES, "records would not fit");

const as_pass *as_passes(int *n)
{
    *n = (int)AS_COUNT_OF(table);
    return table;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int count_ops(const as_graph *graph, int ops[AS_N_OPS])
{
    memset(ops, 0, AS_N_OPS * sizeof *ops);
    for (int i = 0; i < as_graph_n_nodes(graph); i++)
        ops[as_graph_node(graph, i)->op]++;
    return as_graph_n_nodes(graph);
}

/* One pass, then order and constant inputs as everybody expects them. */
static assay_code run_pass(as_graph *graph, const as_pass *pass, as_pass_record *record,
                           assay_error *err)
{
    as_pass_stats stats = {0};
    record->name = pass->name;
    record->n_before = count_ops(graph, record->ops_before);
    double start_s = now_s();
    assay_code code = pass->run(graph, &stats, err);
    if (!code && stats.n_changes > 0) code = as_graph_sort(graph, err);
    if (!code && stats.n_changes > 0) code = as_graph_resolve(graph, err);
    record->elapsed_s = now_s() - start_s;
    record->n_changes = stats.n_changes;
    if (code)
        as_error_where(err, "pass %s", pass->name);
    else
        record->n_after = count_ops(graph, record->ops_after);
    return code;
}

assay_code as_passes_run(as_graph *graph, bool fuse, as_pass_record *records, int *n_records,
                         assay_error *err)
{
    int n = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < AS_COUNT_OF(table); i++) {
        if (!fuse && !table[i].is_always) continue;
        as_pass_record unwanted;
        code = run_pass(graph, &table[i], records ? &records[n] : &unwanted, err);
        n++;
    }
    if (n_records) *n_records = n;
    return code;
}
