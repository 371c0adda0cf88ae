/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/place.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "evidence/evidence.h"
#include "evidence/takeover.h"
#include "trial/executed.h"

static bool has_name(const as_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i], name) == 0) return true;
    return false;
}

/* A run is known by what only a run has; a database that is damaged is a run's still. */
static bool is_run(const char *folder, const as_names *names)
{
    if (has_name(names, AS_TAKEOVER_BEGUN)) return true;
    if (has_name(names, "executed")) return as_executed_is_own(folder);
    as_evidence *evidence = NULL;
    char *path = as_path_join(folder, AS_EVIDENCE_FILE);
    bool is_evidence = path && as_evidence_open(path, &evidence, NULL) == ASSAY_OK;
    as_evidence_close(evidence);
    as_free(path);
    return is_evidence;
}

assay_code as_place_check(const char *folder, bool force, assay_error *err)
{
    as_names names;
    if (!as_file_exists(folder)) return ASSAY_OK;
    if (!as_file_is_folder(folder))
        return as_fail(err, ASSAY_E_ARGUMENT, "%s is a file, a folder is needed", folder);
    assay_code code = as_folder_list(folder, &names, err);
    if (code) return code;
    bool is_empty = names.n == (has_name(&names, AS_TAKEOVER_BEGINNING) ? 1 : 0);
    bool is_replaceable = !is_empty && is_run(folder, &names);
    as_names_free(&names);
    if (is_empty || (is_replaceable && force)) return ASSAY_OK;
    if (is_replaceable)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "%s holds a run; --force replaces it, --resume goes on with it", folder);
    return as_fail(err, ASSAY_E_ARGUMENT,
                   "%s is a folder with other things, a run needs its own", folder);
}

/* A run as it is before its first slot, the database last, so that a folder with one is a run. */
static assay_code write_run(const char *folder, const as_evidence_plan *plan, assay_error *err)
{
    as_evidence_writer *writer = NULL;
    char *logs = as_path_join(folder, "logs"), *path = as_path_join(folder, AS_EVIDENCE_FILE);
    assay_code code = logs && path
                          ? as_folder_make(logs, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to begin %s", folder);
    if (!code) code = as_executed_write(folder, plan, err);
    if (!code) code = as_evidence_create(path, plan, &writer, err);
    assay_code closed = as_evidence_writer_close(writer, code ? NULL : err);
    as_free(logs);
    as_free(path);
    return code ? code : closed;
}

/* A folder that another process writes is not taken from under it; what it has made meanwhile counts. */
assay_code as_place_begin(const char *folder, bool force, const as_evidence_plan *plan,
                          assay_error *err)
{
    as_evidence_writer *claim = NULL;
    char *path = as_path_join(folder, AS_EVIDENCE_FILE), *beginning = NULL;
    assay_code code = path ? as_folder_make(folder, err)
                           : as_fail(err, ASSAY_E_MEMORY, "no memory to begin %s", folder);
    if (!code) code = as_evidence_claim(path, &claim, err);
    if (!code) code = as_place_check(folder, force, err);
    if (!code) code = as_takeover_begin(folder, &beginning, err);
    if (!code) code = write_run(beginning, plan, err);
    if (!code) code = as_takeover_commit(folder, err);
    if (code && beginning) as_path_remove(beginning, NULL);
    assay_code closed = as_evidence_writer_close(claim, code ? NULL : err);
    as_free(beginning);
    as_free(path);
    return code ? code : closed;
}
