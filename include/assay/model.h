/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_MODEL_H
#define ASSAY_MODEL_H
/*
 * A network that is loaded once and run by any number of sessions.
 *
 *     assay_model *model;
 *     if (assay_model_load("det.onnx", NULL, &model, &err)) ...
 *     ... sessions ...
 *     assay_model_free(model);     after all of its sessions
 */
#include <stddef.h>

#include "assay/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_model assay_model;

/** How to load; assay_model_options_defaults() gives the values in brackets. */
typedef struct assay_model_options {
    int fuse; /**< [1] 0: only constants and identities passes, no epilogues, no groups. */
    const char *conv; /**< [NULL] Convolution route preferred where it proposes itself. */
    int winograd;     /**< [1] 0: routes that are not exact are forbidden. */
    const char *plan; /**< [NULL] Plan file of `assay tune` for this model and CPU. */
} assay_model_options;

ASSAY_API assay_model_options assay_model_options_defaults(void);

/**
 * Read an .onnx file and simplify it.
 * @param options  NULL = the defaults.
 * @param out      owned by the caller (assay_model_free); NULL on failure.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_FORMAT, ASSAY_E_UNSUPPORTED (an operator that assay does not
 *         know), ASSAY_E_ARGUMENT (no such route, or a plan beside other wishes),
 *         ASSAY_E_ENVIRONMENT (a plan for another CPU), ASSAY_E_CHANGED (a plan for another
 *         model), ASSAY_E_MEMORY, ASSAY_E_IO.
 */
ASSAY_API assay_code assay_model_load(const char *path, const assay_model_options *options,
                                      assay_model **out, assay_error *err);

/** Free the model; takes NULL.  Its sessions must be gone. */
ASSAY_API void assay_model_free(assay_model *model);

ASSAY_API int assay_model_n_inputs(const assay_model *model);
ASSAY_API int assay_model_n_outputs(const assay_model *model);
/** Name of input or output i, 0 <= i < n; borrowed from the model. */
ASSAY_API const char *assay_model_input_name(const assay_model *model, int i);
ASSAY_API const char *assay_model_output_name(const assay_model *model, int i);

#ifdef __cplusplus
}
#endif
#endif
