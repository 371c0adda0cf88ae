/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_POLICY_H
#define ASSAY_ENGINE_POLICY_H
/*
 * A policy: one way to run a network, as a user writes it, NAME=ENGINE[,key=value...].
 *
 *     as_policy p;
 *     code = as_policy_parse("split=native,split-at=16,split-to=8", &p, err);
 *     ...
 *     as_policy_free(&p);
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** A switch that a policy may leave alone. */
typedef enum as_switch { AS_SWITCH_DEFAULT, AS_SWITCH_OFF, AS_SWITCH_ON } as_switch;

/** "off" or "on"; NULL for the default. */
const char *as_switch_text(as_switch s);

/** One parsed policy; owns its strings. */
typedef struct as_policy {
    char *name;       /**< Letters, digits, '-', '_', '.'; at most 40. */
    char *engine;     /**< "native", or an adapter's name. */
    char *text;       /**< The whole policy as written. */
    size_t threads;   /**< 0 = what the process may use. */
    size_t split_at;  /**< A call of at least so many runs in pieces; 0 = never. */
    size_t split_to;  /**< Inputs of a piece; 0 exactly when split_at is. */
    size_t bucket;    /**< Height and width are padded to multiples of this; 0 = not at all. */
    char *conv;       /**< native: preferred convolution route, or NULL. */
    bool fuse;        /**< native: false leaves only constant and identity passes. */
    bool winograd;    /**< native: false forbids the winograd routes. */
    char *plan;       /**< native: plan file of `assay tune`, or NULL. */
    as_switch mkldnn; /**< torch: oneDNN, which PyTorch calls mkldnn. */
    as_switch nnpack; /**< torch: NNPACK. */
    char *python;     /**< others: interpreter of the adapter, or NULL. */
    char *adapter;    /**< others: shell command that is the adapter, or NULL. */
    char **options;   /**< others: "KEY=VALUE" of each option.KEY=VALUE, for the adapter. */
    size_t n_options;
} as_policy;

/**
 * Parse `text`.
 * @return ASSAY_E_ARGUMENT, with the key and what it takes, for anything that is not a policy;
 *         ASSAY_E_ENVIRONMENT for an engine that is not there.
 */
assay_code as_policy_parse(const char *text, as_policy *out, assay_error *err);

/** Free the strings and make `policy` empty; takes an empty one. */
void as_policy_free(as_policy *policy);

#endif
