/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/selftest.h"

#include <math.h>

#include "base/clock.h"
#include "base/size.h"
#include "trial/selftest_parts.h"

static const double proof_alpha = 0.05;

size_t as_most_wrong(size_t n, double share)
{
    double below = 0;
    for (size_t k = 0; k <= n; k++) {
        double ways =
            lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
        below += exp(ways + (double)k * log(share) + (double)(n - k) * log1p(-share));
        if (below > proof_alpha) return k ? k - 1 : 0;
    }
    return n;
}

void as_proof_at_most(as_proof *proof, size_t limit)
{
    proof->limit = limit;
    proof->is_at_least = false;
    proof->holds = proof->n_counted <= limit;
}

/* It proves nothing, either way. */
static void be_short(as_proof *proof)
{
    proof->is_short = true;
    proof->holds = false;
}

void as_proof_rarely_wrong(as_proof *proof, double share)
{
    as_proof_at_most(proof, as_most_wrong(proof->n, share));
    if (proof->holds && pow(1 - share, (double)proof->n) > proof_alpha) be_short(proof);
}

void as_proof_at_least(as_proof *proof, size_t limit)
{
    proof->limit = limit;
    proof->is_at_least = true;
    proof->holds = proof->n_counted >= limit;
    if (limit == 0) be_short(proof); /* nothing was asked */
}

assay_code as_selftest_step(const as_selftest_options *options, const as_proof *proof,
                            size_t n_done, assay_error *err)
{
    if (options->step) options->step(options->context, proof->name, n_done, proof->n);
    if (!options->stop || !options->stop(options->context)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_INTERRUPTED, "stopped after %zu of %zu trials of %s", n_done,
                   proof->n, proof->name);
}

assay_code as_selftest_run(const as_selftest_options *options, as_proof *proofs, size_t *n,
                           assay_error *err)
{
    const as_proof_kind *kind = options->is_full ? as_full_proofs : as_quick_proofs;
    assay_code code = ASSAY_OK;
    for (*n = 0; kind->name && !code; kind++, ++*n) {
        as_proof *proof = &proofs[*n];
        int64_t begin_ns = as_clock_ns();
        *proof = (as_proof){.name = kind->name, .claim = kind->claim, .n = kind->n};
        if (options->n_trials) proof->n = as_min(proof->n, options->n_trials);
        code = kind->run(options, proof, err);
        proof->wall_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    }
    return code;
}
