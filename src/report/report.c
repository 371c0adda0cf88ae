/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "evidence/writer.h"
#include "report/against.h"
#include "report/outputs.h"
#include "report/required.h"
#include "report/whole_file.h"

struct as_report {
    char *folder;    /**< Owns. */
    as_facts *facts; /**< Owns. */
    char *text;      /**< Owns; from the C library. */
    char *json;      /**< The same. */
};

typedef assay_code (*file_writer)(const as_outputs *, FILE *, assay_error *);
typedef assay_code (*folder_writer)(as_outputs *, const char *, assay_error *);

/** Folders first: report.html holds the plots. */
static const struct {
    const char *name;
    folder_writer write;
} folders[] = {{"plots", as_write_plots},
               {"review", as_write_review},
               {"diagnostics", as_write_diagnostics}};

static const struct {
    const char *name;
    file_writer write;
} files[] = {{"summary.json", as_write_summary_json},
             {"report.md", as_write_report_md},
             {"report.html", as_write_report_html},
             {"calls.csv", as_write_calls_csv},
             {"background-load.jsonl", as_write_background_jsonl},
             {"experiment.json", as_write_experiment_json}};

/** What `write` prints, as a string (free). */
static assay_code print_to_memory(const as_facts *facts, file_writer write, char **out,
                                  assay_error *err)
{
    as_outputs outputs = {.facts = facts};
    size_t size;
    FILE *memory = open_memstream(out, &size);
    if (!memory) return as_fail(err, ASSAY_E_MEMORY, "no memory for the report's text");
    assay_code code = write(&outputs, memory, err);
    bool lost = ferror(memory) != 0;
    lost = fclose(memory) != 0 || lost;
    if (!code && lost) code = as_fail(err, ASSAY_E_MEMORY, "no memory for the report's text");
    return code;
}

/** Read run_folder/evidence.db; a missing one is told from a missing folder. */
static assay_code load(const char *run_folder, as_language language, as_facts **out,
                       assay_error *err)
{
    *out = NULL;
    if (!as_file_exists(run_folder))
        return as_fail(err, ASSAY_E_NOT_FOUND,
                       "%s does not exist, a run's folder holds " AS_EVIDENCE_FILE, run_folder);
    if (!as_file_is_folder(run_folder))
        return as_fail(err, ASSAY_E_FORMAT,
                       "%s is a file, a run is a folder with " AS_EVIDENCE_FILE, run_folder);
    char *path = as_path_join(run_folder, AS_EVIDENCE_FILE);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", run_folder);
    assay_code code = as_evidence_settle(path, err);
    if (!code && !as_file_exists(path))
        code = as_fail(err, ASSAY_E_NOT_FOUND,
                       "%s holds no " AS_EVIDENCE_FILE ", so it is no run", run_folder);
    if (!code) code = as_facts_load(path, language, out, err);
    as_free(path);
    return code;
}

assay_code as_report_open(const char *run_folder, as_report **out, assay_error *err)
{
    return as_report_open_in(run_folder, AS_ENGLISH, out, err);
}

assay_code as_report_open_in(const char *run_folder, as_language language, as_report **out,
                             assay_error *err)
{
    *out = NULL;
    as_report *report = as_alloc(sizeof *report);
    if (!report) return as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", run_folder);
    assay_code code = load(run_folder, language, &report->facts, err);
    if (code) goto done;
    report->folder = as_strdup(run_folder);
    if (!report->folder) {
        code = as_fail(err, ASSAY_E_MEMORY, "no memory to read %s", run_folder);
        goto done;
    }
    code = print_to_memory(report->facts, as_write_terminal, &report->text, err);
    if (!code) code = print_to_memory(report->facts, as_write_summary_json, &report->json, err);
    if (code) goto done;
    *out = report;
    report = NULL;
done:
    as_report_close(report);
    return code;
}

void as_report_close(as_report *report)
{
    if (!report) return;
    as_facts_free(report->facts);
    as_free(report->folder);
    free(report->text);
    free(report->json);
    as_free(report);
}

/** Fill `part`, an empty folder, and put it in place of `path`; without content nothing is there. */
static assay_code swap_folder(as_outputs *outputs, folder_writer write, const char *path,
                              const char *part, assay_error *err)
{
    as_names names = {0};
    assay_code code = as_path_remove(part, err);
    if (!code) code = as_folder_make(part, err);
    if (!code) code = write(outputs, part, err);
    if (!code) code = as_folder_list(part, &names, err);
    if (!code) code = as_path_remove(path, err);
    if (!code && names.n > 0 && rename(part, path) != 0)
        code = as_fail(err, ASSAY_E_IO, "%s cannot be renamed to %s: %s", part, path,
                       strerror(errno));
    if (code || names.n == 0) as_path_remove(part, code ? NULL : err);
    as_names_free(&names);
    return code;
}

static assay_code write_folder(const as_report *report, size_t i, as_outputs *outputs,
                               assay_error *err)
{
    char *path = as_path_join(report->folder, folders[i].name);
    char *part = path ? as_format("%s.part", path) : NULL;
    assay_code code =
        part ? swap_folder(outputs, folders[i].write, path, part, err)
             : as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", folders[i].name);
    as_free(path);
    as_free(part);
    return code;
}

static assay_code write_file(const as_report *report, size_t i, const as_outputs *outputs,
                             assay_error *err)
{
    as_whole_file file;
    char *path = as_path_join(report->folder, files[i].name);
    if (!path) return as_fail(err, ASSAY_E_MEMORY, "no memory to write %s", files[i].name);
    assay_code code = as_whole_file_open(path, &file, err);
    if (!code) {
        code = files[i].write(outputs, file.out, err);
        code = as_whole_file_close(&file, code, err);
    }
    as_free(path);
    return code;
}

assay_code as_report_write_files(const as_report *report, assay_error *err)
{
    as_outputs outputs = {.facts = report->facts};
    assay_code code = ASSAY_OK;
    for (size_t i = 0; !code && i < AS_COUNT_OF(folders); i++)
        code = write_folder(report, i, &outputs, err);
    for (size_t i = 0; !code && i < AS_COUNT_OF(files); i++)
        code = write_file(report, i, &outputs, err);
    for (int i = 0; i < AS_N_PLOTS; i++)
        for (int w = 0; w < AS_N_WIDTHS; w++)
            as_bytes_free(&outputs.drawings[i].svg[w]);
    return code;
}

assay_code as_report_write(const char *run_folder, assay_error *err)
{
    as_report *report;
    assay_code code = as_report_open(run_folder, &report, err);
    if (!code) code = as_report_write_files(report, err);
    as_report_close(report);
    return code;
}

const char *as_report_text(const as_report *report) { return report->text; }

const char *as_report_json(const as_report *report) { return report->json; }

bool as_report_holds(const as_report *report) { return report->facts->holds; }

bool as_report_is_undecided(const as_report *report)
{
    const as_facts *f = report->facts;
    bool any = false;
    for (size_t p = 0; p < f->n_policies; p++) {
        as_verdict verdict = f->policy[p].candidate.verdict;
        any = any || verdict == AS_VERDICT_UNDECIDED || verdict == AS_VERDICT_NO_INTERVAL;
    }
    return any;
}

bool as_report_is_finished(const as_report *report)
{
    as_run_state state = report->facts->run->state;
    return state == AS_RUN_FINISHED || state == AS_RUN_STOPPED;
}

const char *const *as_report_warnings(const as_report *report)
{
    return report->facts->warnings;
}

as_requirement_state as_report_require(const as_report *report,
                                       const as_requirement *requirement, FILE *out)
{
    as_required_print(report->facts, requirement, out);
    return as_required_check(report->facts, requirement);
}

static assay_code print_json(const as_against *against, FILE *out, assay_error *err)
{
    json_t *root = as_against_json(against);
    char *text = as_json_dump(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    assay_code code =
        text ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to compare two runs");
    if (text) fprintf(out, "%s\n", text);
    as_free(text);
    json_decref(root);
    return code;
}

assay_code as_report_against(const as_report *report, const char *run_folder, bool as_json,
                             FILE *out, size_t *n_regressions, assay_error *err)
{
    as_facts *then = NULL;
    as_against *against = NULL;
    assay_code code = load(run_folder, report->facts->language, &then, err);
    if (!code)
        code = as_against_make(report->facts, then,
                               as_json ? AS_ENGLISH : report->facts->language, &against, err);
    if (!code && as_json)
        code = print_json(against, out, err);
    else if (!code)
        as_against_print(against, out);
    *n_regressions = against ? against->n_regressions : 0;
    as_against_free(against);
    as_facts_free(then);
    return code;
}
