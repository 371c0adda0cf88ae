/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/selftest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Whether a proof was asked for. */
static bool is_wanted(const as_selftest_options *options, const char *name)
{
    for (size_t i = 0; i < options->n_names; i++)
        if (strcmp(options->names[i], name) == 0) return true;
    return options->n_names == 0;
}

static assay_code check_names(const as_selftest_options *options, const as_proof_kind *kinds,
                              assay_error *err)
{
    char known[256] = "";
    for (const as_proof_kind *kind = kinds; kind->name; kind++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s\"%s\"",
                 known[0] ? ", " : "", kind->name);
    for (size_t i = 0; i < options->n_names; i++) {
        const as_proof_kind *kind = kinds;
        while (kind->name && strcmp(kind->name, options->names[i]) != 0)
            kind++;
        if (!kind->name)
            return as_fail(err, ASSAY_E_ARGUMENT, "no proof is named \"%s\", %s ones are %s",
                           options->names[i], options->is_full ? "full" : "quick", known);
    }
    return ASSAY_OK;
}

static assay_code prove(const as_selftest_options *options, const as_proof_kind *kind,
                        as_proof *proof, assay_error *err)
{
    int64_t begin_ns = as_clock_ns();
    *proof = (as_proof){.name = kind->name, .claim = kind->claim, .n = kind->n};
    if (options->n_trials) proof->n = as_min(proof->n, options->n_trials);
    assay_code code = kind->run(options, proof, err);
    proof->wall_s = (double)(as_clock_ns() - begin_ns) * 1e-9;
    return code;
}

assay_code as_selftest_run(const as_selftest_options *options, as_proof *proofs, size_t *n,
                           assay_error *err)
{
    const as_proof_kind *kinds = options->is_full ? as_full_proofs : as_quick_proofs;
    *n = 0;
    assay_code code = check_names(options, kinds, err);
    for (const as_proof_kind *kind = kinds; kind->name && !code; kind++)
        if (is_wanted(options, kind->name)) code = prove(options, kind, &proofs[(*n)++], err);
    return code;
}
