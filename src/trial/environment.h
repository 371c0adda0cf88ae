/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_ENVIRONMENT_H
#define ASSAY_TRIAL_ENVIRONMENT_H
/*
 * The machine as a place to measure: its facts, and what would spoil a measurement here.
 *
 *     as_environment *environment;
 *     code = as_environment_read("", 0.5, &environment, err);
 *     for (size_t i = 0; i < environment->n_findings; i++)
 *         printf("%s\n", environment->findings[i].seen);
 *     as_environment_free(environment);
 */
#include <jansson.h>

#include "base/error.h"

/** How much a finding matters. */
typedef enum as_severity {
    AS_SEVERITY_FINE,    /**< Looked at, nothing wrong. */
    AS_SEVERITY_UNKNOWN, /**< Cannot be seen here, as in many containers. */
    AS_SEVERITY_NOTE,    /**< Adds noise that balanced rounds take out. */
    AS_SEVERITY_SPOILS   /**< Likely to spoil a measurement. */
} as_severity;

/** One thing that was looked at.  Strings belong to the environment. */
typedef struct as_finding {
    const char *name; /**< "governor"; a static string, as the others of its kind. */
    as_severity severity;
    char seen[192];     /**< What was seen. */
    json_t *said;       /**< Owns: the same as [[format, value ...] ...], values as printed. */
    const char *effect; /**< What it likely does to a measurement; "" when FINE. */
    const char *advice; /**< What to do; "" when FINE. */
} as_finding;

#define AS_FINDINGS_MAX 20

typedef struct as_environment {
    as_finding findings[AS_FINDINGS_MAX];
    size_t n_findings;
    json_t *machine; /**< Owns: CPU, ISA, kernel, governor, quota, versions ... */
} as_environment;

/**
 * Look at the machine for about `window_s` seconds.
 * @param root  "" for the real machine, else a folder with saved /proc and /sys files.
 * @return ASSAY_E_ARGUMENT or ASSAY_E_ENVIRONMENT for a bad ASSAY_ISA, ASSAY_E_MEMORY.
 */
assay_code as_environment_read(const char *root, double window_s, as_environment **out,
                               assay_error *err);

/** Free it; takes NULL. */
void as_environment_free(as_environment *environment);

/** "fine", "unknown", "note", "spoils". */
const char *as_severity_name(as_severity severity);

/** Findings as a JSON array of {name, severity, seen, said, effect, advice}; NULL without memory. */
json_t *as_environment_findings_json(const as_environment *environment);

#endif
