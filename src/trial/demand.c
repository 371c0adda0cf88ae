/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/demand.h"

#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/sha256.h"
#include "base/threads.h"
#include "passes/passes.h"

static assay_code check_text(const char *moment, const char *what, const char *seen,
                             const char *needed, assay_error *err)
{
    if (strcmp(seen, needed) == 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ENVIRONMENT,
                   "at the worker's %s its %s is '%.40s', '%.40s' is "
                   "needed",
                   moment, what, seen, needed);
}

static assay_code check_count(const char *moment, const char *what, size_t seen, size_t needed,
                              assay_error *err)
{
    if (seen == needed) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ENVIRONMENT, "at the worker's %s its %s is %zu, %zu is needed",
                   moment, what, seen, needed);
}

/* The value of one of the comma-separated "key=value" flags, `*length` long; NULL: not told. */
static const char *flag_value(const char *flags, const char *key, size_t key_length,
                              size_t *length)
{
    for (const char *at = flags; at;) {
        size_t n = strcspn(at, ",");
        if (n > key_length && memcmp(at, key, key_length) == 0 && at[key_length] == '=') {
            *length = n - key_length - 1;
            return at + key_length + 1;
        }
        at = at[n] ? at + n + 1 : NULL;
    }
    return NULL;
}

static assay_code check_flag(const char *moment, const as_engine_facts *facts, const char *key,
                             const char *value, assay_error *err)
{
    size_t length;
    const char *held = flag_value(facts->flags, key, strlen(key), &length);
    if (held && length == strlen(value) && memcmp(held, value, length) == 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ENVIRONMENT,
                   "at the worker's %s its switches are '%.100s', %s=%s is needed", moment,
                   facts->flags, key, value);
}

/* `pair` is KEY=VALUE; an engine need not tell of each option that it takes. */
static assay_code check_option(const char *moment, const as_engine_facts *facts,
                               const char *pair, assay_error *err)
{
    size_t length, key_length = strcspn(pair, "=");
    const char *held = flag_value(facts->flags, pair, key_length, &length);
    const char *value = pair + key_length + 1;
    if (!held || (length == strlen(value) && memcmp(held, value, length) == 0)) return ASSAY_OK;
    return as_fail(err, ASSAY_E_ENVIRONMENT,
                   "at the worker's %s its switches are '%.100s', %.60s is needed", moment,
                   facts->flags, pair);
}

static bool is_always_run(const char *pass_name)
{
    int n;
    const as_pass *passes = as_passes(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(passes[i].name, pass_name) == 0) return passes[i].is_always;
    return false;
}

static assay_code check_no_fusion(const char *moment, const as_engine_facts *facts,
                                  assay_error *err)
{
    for (int i = 0; i < facts->n_passes; i++) {
        const as_pass_fact *pass = &facts->passes[i];
        if (is_always_run(pass->name) || (pass->nodes_before == pass->nodes_after &&
                                          strcmp(pass->kinds_before, pass->kinds_after) == 0))
            continue;
        return as_fail(
            err, ASSAY_E_ENVIRONMENT,
            "at the worker's %s pass %s has made %d nodes of %d, fuse=off needs none", moment,
            pass->name, pass->nodes_after, pass->nodes_before);
    }
    return ASSAY_OK;
}

/* The plan that the engine holds is the file as it lies there now, at the exit too. */
static assay_code check_plan(const char *moment, const as_policy *policy,
                             const as_engine_facts *facts, assay_error *err)
{
    char hex[AS_SHA256_HEX];
    assay_code code = as_sha256_file(policy->plan, hex, err);
    return code ? code : check_flag(moment, facts, "plan", hex, err);
}

static assay_code check_native(const as_policy *policy, const as_engine_facts *facts,
                               const char *moment, assay_error *err)
{
    as_isa isa;
    assay_code code = as_cpu_isa(&isa, err);
    if (!code) code = check_text(moment, "instruction set", facts->isa, as_isa_name(isa), err);
    if (!code)
        code = check_flag(moment, facts, "conv", policy->conv ? policy->conv : "default", err);
    if (!code) code = check_flag(moment, facts, "fuse", policy->fuse ? "on" : "off", err);
    if (!code)
        code = check_flag(moment, facts, "winograd", policy->winograd ? "on" : "off", err);
    if (!code && !policy->fuse) code = check_no_fusion(moment, facts, err);
    if (!code && policy->plan) code = check_plan(moment, policy, facts, err);
    return code;
}

/* A switch that the policy sets is held; an option that the engine tells of has its value. */
static assay_code check_other(const as_policy *policy, const as_engine_facts *facts,
                              const char *moment, assay_error *err)
{
    const char *mkldnn = as_switch_text(policy->mkldnn);
    const char *nnpack = as_switch_text(policy->nnpack);
    assay_code code = ASSAY_OK;
    if (mkldnn) code = check_flag(moment, facts, "mkldnn", mkldnn, err);
    if (!code && nnpack) code = check_flag(moment, facts, "nnpack", nnpack, err);
    for (size_t i = 0; i < policy->n_options && !code; i++)
        code = check_option(moment, facts, policy->options[i], err);
    return code;
}

assay_code as_demand_check(const as_policy *policy, const as_engine_facts *facts,
                           const char *moment, assay_error *err)
{
    size_t threads = policy->threads ? policy->threads : as_threads_default();
    assay_code code = check_text(moment, "engine", facts->engine, policy->engine, err);
    if (!code) code = check_text(moment, "device", facts->device, "cpu", err);
    if (!code) code = check_text(moment, "number type", facts->dtype, "float32", err);
    if (!code) code = check_count(moment, "number of threads", facts->threads, threads, err);
    if (!code) code = check_count(moment, "number of model loads", facts->n_loads, 1, err);
    if (code) return code;
    return strcmp(policy->engine, "native") == 0 ? check_native(policy, facts, moment, err)
                                                 : check_other(policy, facts, moment, err);
}
