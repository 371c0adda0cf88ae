/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_RUN_MODEL_H
#define ASSAY_RUN_MODEL_H
/* The inside of assay_model, for run/ alone. */
#include "plan/plan_file.h"
#include "run/run.h"

struct assay_model {
    as_graph *graph;           /* owns; not edited after load */
    as_weights *weights;       /* owns */
    const as_kernels *kernels; /* of the ISA that as_cpu_isa chose at load */
    as_plan_options options;
    char *conv;          /* owns what options.conv points at */
    as_plan_file *tuned; /* owns what options.choices points at; NULL without a plan file */
    as_pass_record passes[AS_MAX_PASSES];
    int n_passes;
};

#endif
