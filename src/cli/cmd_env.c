/* SPDX-License-Identifier: Apache-2.0 */
/* assay env: what would spoil a measurement on this machine. */
#include <jansson.h>
#include <stdio.h>

#include "cli/cli.h"
#include "trial/environment.h"

/* Processes are watched so long; a tenth of a CPU is then 10 ticks. */
static const double window_s = 1;

typedef struct env_options {
    bool json;
} env_options;

static const as_option options[] = {
    AS_FLAG(env_options, json, "json", "print JSON"),
    AS_OPTIONS_END,
};

static as_color color_of(as_severity severity)
{
    switch (severity) {
    case AS_SEVERITY_FINE:
        return AS_GREEN;
    case AS_SEVERITY_SPOILS:
        return AS_RED;
    case AS_SEVERITY_NOTE:
        return AS_YELLOW;
    case AS_SEVERITY_UNKNOWN:
        break;
    }
    return AS_PLAIN;
}

static void print_findings(const as_cli *cli, const as_environment *environment)
{
    const json_t *m = environment->machine;
    size_t n_spoil = 0;
    printf("%s, %s, %lld of %lld CPUs, kernels for %s, assay %s\n\n",
           json_string_value(json_object_get(m, "cpu")),
           json_string_value(json_object_get(m, "kernel")),
           (long long)json_integer_value(json_object_get(m, "threads")),
           (long long)json_integer_value(json_object_get(m, "cpus_online")),
           json_string_value(json_object_get(m, "isa")),
           json_string_value(json_object_get(json_object_get(m, "versions"), "assay")));
    for (size_t i = 0; i < environment->n_findings; i++) {
        const as_finding *f = &environment->findings[i];
        printf("%s%-8s%s %-12s %s\n", as_paint(cli->color_out, color_of(f->severity)),
               as_severity_name(f->severity), as_paint(cli->color_out, AS_PLAIN), f->name,
               f->seen);
        if (f->effect[0])
            printf("%22s effect: %s\n%22s do:     %s\n", "", f->effect, "", f->advice);
        n_spoil += f->severity == AS_SEVERITY_SPOILS;
    }
    printf("\n%zu of %zu findings are likely to spoil a measurement here.\n", n_spoil,
           environment->n_findings);
}

static assay_code print_json(const as_environment *environment, assay_error *err)
{
    json_t *root = json_pack("{s:O s:o}", "machine", environment->machine, "findings",
                             as_environment_findings_json(environment));
    if (!root) return as_fail(err, ASSAY_E_MEMORY, "no memory for the machine's facts");
    assay_code code = as_output_json(root, true, err);
    json_decref(root);
    return code;
}

static int run(const as_cli *cli, const void *values)
{
    const env_options *o = values;
    as_environment *environment;
    assay_error err = {0};
    if (as_environment_read("", window_s, &environment, &err)) return as_cli_fail(cli, &err);
    assay_code code = ASSAY_OK;
    if (o->json)
        code = print_json(environment, &err);
    else
        print_findings(cli, environment);
    as_environment_free(environment);
    return code ? as_cli_fail(cli, &err) : AS_EXIT_DONE;
}

const as_verb as_verb_env = {
    .name = "env",
    .summary = "what would spoil a measurement on this machine",
    .usage = "[--json]",
    .description = "Looks at clocks, quotas, load, other processes, swap and theft; each with "
                   "what was seen,\nwhat it likely does to a measurement, and what to do.",
    .example = "assay env\nassay env --json",
    .options = options,
    .values_bytes = sizeof(env_options),
    .run = run,
};
