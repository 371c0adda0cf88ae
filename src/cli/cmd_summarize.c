/* SPDX-License-Identifier: Apache-2.0 */
/* assay summarize: every derived file of a run again, and the verdict. */
#include <stdio.h>

#include "cli/cli.h"
#include "report/report.h"

typedef struct summarize_options {
    bool json;
} summarize_options;

static const as_option options[] = {
    AS_FLAG(summarize_options, json, "json", "print summary.json instead of the table"),
    AS_OPTIONS_END,
};

static void print_verdict(const as_cli *cli, const as_report *report, const char *folder)
{
    fputs(as_report_text(report), stdout);
    for (const char *const *w = as_report_warnings(report); *w; w++)
        as_warn(cli, "%s", *w);
    as_note(cli, "report: %s/report.html", folder);
}

static int run(const as_cli *cli, const void *values)
{
    const summarize_options *o = values;
    const char *folder = cli->arguments.items[0];
    assay_error err = {0};
    as_report *report;
    if (as_report_open(folder, &report, &err)) return as_cli_fail(cli, &err);
    if (as_report_write_files(report, &err)) {
        as_report_close(report);
        return as_cli_fail(cli, &err);
    }
    if (o->json)
        fputs(as_report_json(report), stdout);
    else
        print_verdict(cli, report, folder);
    int status = as_report_holds(report) ? AS_EXIT_DONE : AS_EXIT_DIFFERENT;
    as_report_close(report);
    return status;
}

const as_verb as_verb_summarize = {
    .name = "summarize",
    .summary = "derive every report of a run again and print its verdict",
    .usage = "RUN [--json]",
    .description = "Reads RUN/evidence.db alone and writes summary.json, report.md, "
                   "report.html, calls.csv,\n"
                   "background-load.jsonl, experiment.json, plots/ and review/ beside it; the "
                   "same evidence\n"
                   "gives the same bytes.  Exits 1 when a policy failed or its boxes differ.",
    .example = "assay summarize run",
    .options = options,
    .values_bytes = sizeof(summarize_options),
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
