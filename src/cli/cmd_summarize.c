/* SPDX-License-Identifier: Apache-2.0 */
/* assay summarize: every derived file of a run again, and the verdict. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/required.h"
#include "cli/search_print.h"
#include "report/report.h"

typedef struct summarize_options {
    const char *require, *against;
    int language; /* an as_language */
    bool json;
} summarize_options;

static const as_option options[] = {
    AS_TEXT(summarize_options, against, "against", "RUN2",
            "say what changed since that run; exits 1 on a regression"),
    AS_TEXT(summarize_options, require, "require", "not-slower|faster=R",
            "what each candidate has to meet; exits 1 where one does not, 6 where undecided"),
    AS_CHOICE(summarize_options, language, "lang", "en|zh",
              "language of the reports and of the verdict; default en"),
    AS_FLAG(summarize_options, json, "json",
            "print summary.json, or the changes, instead of the table"),
    AS_OPTIONS_END,
};

static void print_verdict(const as_cli *cli, const as_report *report, const char *folder)
{
    fputs(as_report_text(report), stdout);
    for (const char *const *w = as_report_warnings(report); *w; w++)
        as_warn(cli, "%s", *w);
    as_note(cli, "report: %s/report.html", folder);
}

/* Everything that is printed; the requirement's lines never stand amid JSON. */
static int tell(const as_cli *cli, const summarize_options *o, const as_report *report,
                const as_requirement *wanted)
{
    assay_error err = {0};
    size_t n_regressions = 0;
    int status = as_report_holds(report) ? AS_EXIT_DONE : AS_EXIT_DIFFERENT;
    if (!o->json)
        print_verdict(cli, report, cli->arguments.items[0]);
    else if (!o->against)
        fputs(as_report_json(report), stdout);
    if (o->against) {
        if (!o->json) putchar('\n');
        if (as_report_against(report, o->against, o->json, stdout, &n_regressions, &err))
            return as_cli_fail(cli, &err);
        if (n_regressions > 0) status = AS_EXIT_DIFFERENT;
    }
    return o->require ? as_status_required(report, wanted, o->json, status) : status;
}

static int run(const as_cli *cli, const void *values)
{
    const summarize_options *o = values;
    assay_error err = {0};
    as_requirement wanted = {0};
    as_report *report;
    if (o->require && as_requirement_parse(o->require, &wanted, &err))
        return as_cli_fail(cli, &err);
    if (as_is_search(cli->arguments.items[0])) {
        if (o->against || o->require)
            return as_cli_usage(cli,
                                "%s is a structure search, --against and --require are for "
                                "experiments",
                                cli->arguments.items[0]);
        return as_search_summarize(cli, cli->arguments.items[0], (as_language)o->language,
                                   o->json);
    }
    if (as_report_open_in(cli->arguments.items[0], (as_language)o->language, &report, &err))
        return as_cli_fail(cli, &err);
    int status = as_report_write_files(report, &err) ? as_cli_fail(cli, &err)
                                                     : tell(cli, o, report, &wanted);
    as_report_close(report);
    return status;
}

const as_verb as_verb_summarize = {
    .name = "summarize",
    .summary = "derive every report of a run again and print its verdict",
    .usage = "RUN [--against RUN2] [--require not-slower|faster=R] [--lang en|zh] "
             "[--json]",
    .description =
        "Reads RUN/evidence.db alone and writes summary.json, report.md, "
        "report.html, calls.csv,\n"
        "background-load.jsonl, experiment.json, plots/ and review/ beside it; the "
        "same evidence\n"
        "gives the same bytes.  --against names what changed since another run: "
        "cost with its interval,\n"
        "answers, settings, kernels, layers, passes, the machine.  --lang zh writes reports "
        "and "
        "verdict in Chinese;\n"
        "keys, columns and what the evidence says itself stay.  Exits 1 when a policy "
        "failed or its boxes\n"
        "differ.",
    .example = "assay summarize run\n"
               "assay summarize today --against yesterday --require not-slower",
    .options = options,
    .values_bytes = sizeof(summarize_options),
    .least_arguments = 1,
    .most_arguments = 1,
    .run = run,
};
