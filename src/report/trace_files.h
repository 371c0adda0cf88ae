/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_TRACE_FILES_H
#define ASSAY_REPORT_TRACE_FILES_H
/*
 * operators.json and cpu-trace.json of one traced call, for `assay profile` and for a run's
 * diagnostics/.
 *
 *     as_trace_page page = {.policy = "base", .engine = "native", .call = "c7", .trace = trace, ...};
 *     code = as_trace_files_write(&page, "diagnostics/base", err);
 */
#include "base/trace.h"
#include "evidence/rows.h"

/** What is written of; borrows. */
typedef struct as_trace_page {
    const char *policy; /**< NAME=ENGINE[,key=value...] */
    const char *engine;
    const char *call; /**< Its id. */
    as_evidence_shape shape;
    const as_trace *trace;
    const as_route_row *routes;
    size_t n_routes;
} as_trace_page;

/**
 * Write both files into `folder`, which exists; each appears whole or not at all.
 * @return ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_trace_files_write(const as_trace_page *page, const char *folder,
                                assay_error *err);

#endif
