/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/executed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "engine/policy.h"
#include "trial/adapters.h"

/* The kernel's name for this process's program; it stays readable after the file was replaced. */
#define OWN_PROGRAM "/proc/self/exe"

assay_code as_executed_program_sha256(char hex[AS_SHA256_HEX], assay_error *err)
{
    return as_sha256_file(OWN_PROGRAM, hex, err);
}

static assay_code no_memory(const char *run_folder, assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for %s/executed", run_folder);
}

static assay_code copy_program(const char *folder, assay_error *err)
{
    as_bytes program = {0};
    char *path = as_path_join(folder, "assay");
    if (!path) return no_memory(folder, err);
    assay_code code = as_file_read(OWN_PROGRAM, 0, &program, err);
    if (!code) code = as_file_write(path, program.data, program.size, err);
    if (!code && chmod(path, 0755) != 0)
        code =
            as_fail(err, ASSAY_E_IO, "%s cannot be made executable: %s", path, strerror(errno));
    as_bytes_free(&program);
    as_free(path);
    return code;
}

static assay_code write_text(const char *folder, const char *name, const char *text,
                             assay_error *err)
{
    char *path = as_path_join(folder, name);
    if (!path) return no_memory(folder, err);
    assay_code code = as_file_write(path, text, strlen(text), err);
    as_free(path);
    return code;
}

static assay_code write_policies(const char *folder, const as_evidence_plan *plan,
                                 assay_error *err)
{
    char *all = as_strdup("");
    for (size_t i = 0; i < plan->n_policies && all; i++) {
        char *longer = as_format("%s%s\n", all, plan->policies[i].text);
        as_free(all);
        all = longer;
    }
    assay_code code =
        all ? write_text(folder, "policies.txt", all, err) : no_memory(folder, err);
    as_free(all);
    return code;
}

/* Where the plan file of `policy` is copied to; NULL without memory. */
static char *plan_copy(const char *folder, const as_policy *policy)
{
    return as_format("%s/%s.plan.json", folder, policy->name);
}

/* Call `with` for each policy that has a plan file. */
static assay_code for_each_plan(const char *folder, const as_policy_row *policies, size_t n,
                                assay_code (*with)(const as_policy *, const char *copy,
                                                   void *context, assay_error *),
                                void *context, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        as_policy policy;
        code = as_policy_parse(policies[i].text, &policy, err);
        if (code) break;
        char *copy = plan_copy(folder, &policy);
        if (!copy) code = no_memory(folder, err);
        if (!code && policy.plan) code = with(&policy, copy, context, err);
        as_free(copy);
        as_policy_free(&policy);
    }
    return code;
}

/* Copy a plan file and put its line behind the sums, a char ** that owns its text. */
static assay_code copy_plan(const as_policy *policy, const char *copy, void *context,
                            assay_error *err)
{
    char **sums = context, hex[AS_SHA256_HEX];
    as_bytes bytes = {0};
    assay_code code = as_file_read(policy->plan, 0, &bytes, err);
    if (!code) code = as_file_write(copy, bytes.data, bytes.size, err);
    if (!code) code = as_sha256_bytes(bytes.data, bytes.size, hex, err);
    as_bytes_free(&bytes);
    if (code) return code;
    char *longer = as_format("%s%s  %s.plan.json\n", *sums, hex, policy->name);
    as_free(*sums);
    *sums = longer;
    return longer ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory to copy %s", copy);
}

static assay_code compare_plan(const as_policy *policy, const char *copy, void *context,
                               assay_error *err)
{
    char now[AS_SHA256_HEX], then[AS_SHA256_HEX];
    (void)context;
    assay_code code = as_sha256_file(policy->plan, now, err);
    if (!code) code = as_sha256_file(copy, then, err);
    if (code || strcmp(now, then) == 0) return code;
    return as_fail(err, ASSAY_E_CHANGED,
                   "plan file %.80s has SHA-256 %.12s..., the run began with %.12s...; a copy "
                   "of that one is in the run's executed/",
                   policy->plan, now, then);
}

assay_code as_executed_check_plans(const char *run_folder, const as_policy_row *policies,
                                   size_t n_policies, assay_error *err)
{
    char *folder = as_path_join(run_folder, "executed");
    assay_code code = folder
                          ? for_each_plan(folder, policies, n_policies, compare_plan, NULL, err)
                          : no_memory(run_folder, err);
    as_free(folder);
    return code;
}

/* "SUM  adapters/POLICY/FILE\n" of every adapter's file; in fresh memory, NULL without. */
static char *adapter_sums(const as_run_row *run)
{
    json_t *machine, *sum;
    const char *key;
    if (as_json_parse(run->machine_json, strlen(run->machine_json), 0, &machine, NULL) ==
        ASSAY_E_MEMORY)
        return NULL;
    char *all = as_strdup("");
    json_object_foreach(json_object_get(machine, AS_ADAPTERS_KEY), key, sum)
    {
        char *longer =
            all ? as_format("%s%s  adapters/%s\n", all, json_string_value(sum), key) : NULL;
        as_free(all);
        all = longer;
    }
    json_decref(machine);
    return all;
}

static assay_code write_sums(const char *folder, const as_evidence_plan *plan, assay_error *err)
{
    const as_run_row *run = &plan->run;
    char *adapters = adapter_sums(run);
    char *manifest = run->manifest_sha256 && *run->manifest_sha256
                         ? as_format("%s  manifest.json\n", run->manifest_sha256)
                         : as_strdup(""); /* a search has no corpus */
    char *sums = adapters && manifest
                     ? as_format("%s  %s\n%s%s  assay\n%s", run->model_sha256, run->model_name,
                                 manifest, run->program_sha256, adapters)
                     : NULL;
    as_free(manifest);
    as_free(adapters);
    assay_code code =
        sums ? for_each_plan(folder, plan->policies, plan->n_policies, copy_plan, &sums, err)
             : no_memory(folder, err);
    if (!code) code = write_text(folder, "SHA256SUMS", sums, err);
    as_free(sums);
    return code;
}

assay_code as_executed_write(const char *run_folder, const as_evidence_plan *plan,
                             assay_error *err)
{
    char *folder = as_path_join(run_folder, "executed");
    if (!folder) return no_memory(run_folder, err);
    assay_code code = as_folder_make(folder, err);
    if (!code) code = copy_program(folder, err);
    if (!code) code = as_adapters_copy(folder, plan->policies, plan->n_policies, err);
    if (!code) code = write_policies(folder, plan, err);
    if (!code) code = write_sums(folder, plan, err);
    as_free(folder);
    return code;
}

/* What is written, or what a killed write left beside it. */
static bool is_own_name(const char *name)
{
    static const char *const own[] = {"assay", "policies.txt", "SHA256SUMS", "adapters"};
    static const char plan[] = ".plan.json"; /* of a policy, whose name stands before it */
    if (strstr(name, plan)) return true;
    for (size_t i = 0; i < AS_COUNT_OF(own); i++) {
        size_t n = strlen(own[i]);
        if (strncmp(name, own[i], n) == 0 &&
            (name[n] == '\0' || strncmp(name + n, ".part-", 6) == 0))
            return true;
    }
    return false;
}

bool as_executed_is_own(const char *run_folder)
{
    as_names names = {0};
    char *folder = as_path_join(run_folder, "executed");
    bool is_own = folder && as_file_is_folder(folder) && !as_folder_list(folder, &names, NULL);
    for (size_t i = 0; is_own && i < names.n; i++)
        is_own = is_own_name(names.items[i]);
    as_names_free(&names);
    as_free(folder);
    return is_own;
}
