/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SEARCH_FACTS_H
#define ASSAY_REPORT_SEARCH_FACTS_H
/*
 * What report.html and report.md of a structure search say, computed once from its evidence.
 *
 *     as_search_facts *facts;
 *     code = as_search_facts_new(report, &facts, err);
 *     facts->engines[e].selection              what the rules would choose by that engine's processes
 *     as_search_facts_free(facts);
 */
#include "base/json.h"
#include "report/plot_script.h"
#include "report/search_files.h"

/** In the order of the report. */
typedef enum as_search_plot_id {
    AS_SEARCH_PLOT_PARETO,   /**< Accuracy over latency. */
    AS_SEARCH_PLOT_LATENCY,  /**< Box plots of the calls. */
    AS_SEARCH_PLOT_ENGINES,  /**< Fresh processes by engine. */
    AS_SEARCH_PLOT_LEARNING, /**< Losses and accuracy by epoch. */
    AS_N_SEARCH_PLOTS
} as_search_plot_id;

/** The fresh processes of one structure under one policy; all NaN without any. */
typedef struct as_process_facts {
    size_t n; /**< That ended well. */
    double median_us, least_us, greatest_us;
    double low_us, high_us; /**< Interval at 1 - AS_ALPHA; NaN with fewer than it needs. */
} as_process_facts;

/** One policy's fresh processes, and the choices by them. */
typedef struct as_engine_facts {
    const char *policy;           /**< "ort=onnxruntime,threads=1" */
    char name[64];                /**< "ort" */
    const char *engine, *version; /**< "" where no process said so. */
    size_t n_failed;
    const char *error;       /**< Of the first that failed; "" without. */
    as_process_facts *slots; /**< [n_structures], as the next. */
    as_scored *scored;       /**< Accuracies as everywhere, latency by these processes. */
    as_selection selection;
    bool has_choice; /**< Every structure that was trained has a time. */
} as_engine_facts;

/** The calls of a structure in one process. */
typedef struct as_box_facts {
    size_t n;
    double us
        [5]; /**< 10th percentile, quartiles with the median, 90th percentile; NaN with fewer calls than
                        as_percentile_least says. */
} as_box_facts;

/** A structure's trainings. */
typedef struct as_spread_facts {
    size_t n, n_diverged;
    double least, greatest; /**< Validation accuracy; NaN without one. */
    double test_least, test_greatest;
} as_spread_facts;

typedef struct as_search_facts {
    const as_search_report *report; /**< Borrows. */
    const as_run_row *run;
    const as_selection_row *selection; /**< NULL before the choice. */
    as_language language;
    json_t *machine, *findings, *space, *split; /**< Of the evidence's texts. */
    as_engine_facts *engines;
    size_t n_engines;
    as_operator_report *operators; /**< NULL without a study. */
    as_box_facts *boxes;           /**< [n_structures], as the next. */
    as_spread_facts *spreads;      /**< [n_structures] */
    bool *ties[2];    /**< By as_pick: [n_structures], those that tie with the choice. */
    size_t n_planned; /**< Trainings. */
    size_t n_diverged;
    as_drawn drawn[AS_N_SEARCH_PLOTS]; /**< Filled by as_search_plots_write. */
    const char *plot_note;             /**< Why there are none; NULL where there are. */
} as_search_facts;

/** @return ASSAY_E_FORMAT where a text of the evidence is no JSON, ASSAY_E_MEMORY. */
assay_code as_search_facts_new(const as_search_report *report, as_search_facts **out,
                               assay_error *err);
void as_search_facts_free(as_search_facts *facts); /**< Takes NULL. */

/** search_engines.c: fill `engines` in the order in which their first process ran. */
assay_code as_search_facts_engines(as_search_facts *facts, assay_error *err);
void as_search_facts_engines_free(as_search_facts *facts);

/** Name of structure `place`; "–" for AS_NO_STRUCTURE. */
const char *as_structure_name(const as_search_facts *facts, size_t place);

/** "a, b": the names of those that are set (as_free); NULL without memory. */
char *as_structure_names(const as_search_facts *facts, const bool *is_set) AS_CHECKED;

#endif
