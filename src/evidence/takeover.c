/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/takeover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "evidence/evidence.h"

/* What a run's folder holds: all of an older run goes, and nothing else.  The parts that a beginning has
 * come from it, the database last: as long as it has not moved, the takeover is not over. */
static const struct {
    const char *name;
    bool is_of_beginning;
} parts[] = {
    {"evidence.db-journal", false},
    {"evidence.db.part", false},
    {"evidence.db.part-journal", false},
    {"outputs", false},
    {"maps", false},
    {"summary.json", false},
    {"report.md", false},
    {"report.html", false},
    {"plots", false},
    {"calls.csv", false},
    {"background-load.jsonl", false},
    {"experiment.json", false},
    {"review", false},
    {"diagnostics", false},
    {"split-manifest.json", false},
    {"environment.json", false},
    {"benchmark-protocol.json", false},
    {"selection.json", false},
    {"training-epochs.csv", false},
    {"candidate-results.csv", false},
    {"candidate-latency-samples.csv", false},
    {"candidate-slots.csv", false},
    {"candidate-pareto.gp", false},
    {"candidate-pareto.png", false},
    {"operator-costs.csv", false},
    {"operator-timings.csv", false},
    {"operator-part-timings.csv", false},
    {"operator-ratios.csv", false},
    {"operator-roofline.csv", false},
    {"operator-latencies.gp", false},
    {"operator-latencies.png", false},
    {"operator-roofline.gp", false},
    {"operator-roofline.png", false},
    {"logs", true},
    {"executed", true},
    {AS_EVIDENCE_FILE, true},
};

static assay_code no_memory(const char *run_folder, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to begin %s", run_folder);
}

static assay_code move(const char *from, const char *to, assay_error *err)
{
    if (rename(from, to) == 0) return ASSAY_OK;
    return as_fail(err, ASSAY_E_IO, "%s cannot be renamed to %s: %s", from, to,
                   strerror(errno));
}

assay_code as_takeover_begin(const char *run_folder, char **out, assay_error *err)
{
    char *beginning = as_path_join(run_folder, AS_TAKEOVER_BEGINNING);
    *out = NULL;
    if (!beginning) return no_memory(run_folder, err);
    assay_code code = as_path_remove(beginning, err);
    if (!code) code = as_folder_make(beginning, err);
    if (code)
        as_free(beginning);
    else
        *out = beginning;
    return code;
}

/* The one step that counts.  What cannot be made durable is taken back. */
static assay_code begin(const char *run_folder, const char *beginning, const char *begun,
                        assay_error *err)
{
    assay_code code = as_folder_sync(beginning, err);
    if (!code) code = move(beginning, begun, err);
    if (code) return code;
    code = as_folder_sync(run_folder, err);
    if (code) rename(begun, beginning);
    return code;
}

assay_code as_takeover_commit(const char *run_folder, assay_error *err)
{
    char *beginning = as_path_join(run_folder, AS_TAKEOVER_BEGINNING);
    char *begun = as_path_join(run_folder, AS_TAKEOVER_BEGUN);
    assay_code code = beginning && begun ? begin(run_folder, beginning, begun, err)
                                         : no_memory(run_folder, err);
    as_free(beginning);
    as_free(begun);
    return code ? code : as_takeover_finish(run_folder, err);
}

bool as_takeover_has_begun(const char *run_folder)
{
    char *begun = as_path_join(run_folder, AS_TAKEOVER_BEGUN);
    bool has_begun = begun && as_file_is_folder(begun);
    as_free(begun);
    return has_begun;
}

/* Remove one part of the older run and move the new one's, if it has one, to its place. */
static assay_code replace(const char *run_folder, const char *begun, size_t part,
                          assay_error *err)
{
    char *to = as_path_join(run_folder, parts[part].name);
    char *from = as_path_join(begun, parts[part].name);
    assay_code code = to && from ? ASSAY_OK : no_memory(run_folder, err);
    bool has_moved = !code && parts[part].is_of_beginning && !as_file_exists(from);
    if (!code && !has_moved) code = as_path_remove(to, err);
    if (!code && !has_moved && parts[part].is_of_beginning) code = move(from, to, err);
    as_free(to);
    as_free(from);
    return code;
}

/* The models of an older search, which have their structures' names. */
static assay_code remove_models(const char *run_folder, assay_error *err)
{
    as_evidence *older = NULL;
    const as_structure_row *structures;
    size_t n = 0;
    char *path = as_path_join(run_folder, AS_EVIDENCE_FILE);
    if (!path) return no_memory(run_folder, err);
    /* A damaged one cannot say what it has made. */
    if (as_evidence_open(path, &older, NULL) ||
        as_evidence_structures(older, &structures, &n, NULL))
        n = 0;
    as_free(path);
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        path = as_format("%s/%s.onnx", run_folder, structures[i].name);
        code = path ? as_path_remove(path, err) : no_memory(run_folder, err);
        as_free(path);
    }
    as_evidence_close(older);
    return code;
}

assay_code as_takeover_finish(const char *run_folder, assay_error *err)
{
    if (!as_takeover_has_begun(run_folder)) return ASSAY_OK;
    char *begun = as_path_join(run_folder, AS_TAKEOVER_BEGUN);
    char *evidence = begun ? as_path_join(begun, AS_EVIDENCE_FILE) : NULL;
    assay_code code = evidence ? ASSAY_OK : no_memory(run_folder, err);
    if (!code && as_file_exists(evidence)) code = remove_models(run_folder, err);
    for (size_t i = 0; !code && as_file_exists(evidence) && i < AS_COUNT_OF(parts); i++)
        code = replace(run_folder, begun, i, err);
    if (!code) code = as_path_remove(begun, err);
    if (!code) code = as_folder_sync(run_folder, err);
    as_free(evidence);
    as_free(begun);
    return code;
}
