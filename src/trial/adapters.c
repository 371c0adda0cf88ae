/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/adapters.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "engine/adapter.h"

/* What is done with one file of one policy's adapter. */
typedef assay_code (*file_fn)(void *context, const char *policy, const char *path,
                              assay_error *err);

static assay_code each_file(const as_policy_row *policies, size_t n, file_fn fn, void *context,
                            assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n && !code; i++) {
        as_policy policy;
        as_names files = {0};
        code = as_policy_parse(policies[i].text, &policy, err);
        if (code) break;
        code = as_adapter_files(&policy, &files, err);
        for (size_t f = 0; f < files.n && !code; f++)
            code = fn(context, policy.name, files.items[f], err);
        as_names_free(&files);
        as_policy_free(&policy);
    }
    return code;
}

static assay_code add_sum(void *context, const char *policy, const char *path, assay_error *err)
{
    char hex[AS_SHA256_HEX];
    json_t **sums = context;
    assay_code code = as_sha256_file(path, hex, err);
    if (code) return code;
    char *key = as_path_join(policy, as_path_base(path));
    as_json_set(sums, key, json_string(hex));
    as_free(key);
    return *sums ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for %s's hash", path);
}

assay_code as_adapters_hash(const as_policy_row *policies, size_t n, json_t **out,
                            assay_error *err)
{
    *out = json_object();
    if (!*out) return as_fail(err, ASSAY_E_MEMORY, "no memory for hashes of adapters");
    assay_code code = each_file(policies, n, add_sum, out, err);
    if (!code) return ASSAY_OK;
    json_decref(*out);
    *out = NULL;
    return code;
}

static assay_code copy_file(void *context, const char *policy, const char *path,
                            assay_error *err)
{
    const char *executed = context;
    as_bytes file = {0};
    char *folder = as_format("%s/adapters/%s", executed, policy);
    char *to = folder ? as_path_join(folder, as_path_base(path)) : NULL;
    assay_code code =
        to ? as_folder_make(folder, err) : as_fail(err, ASSAY_E_MEMORY, "no memory for a copy");
    if (!code) code = as_file_read(path, 0, &file, err);
    if (!code) code = as_file_write(to, file.data, file.size, err);
    as_bytes_free(&file);
    as_free(to);
    as_free(folder);
    return code;
}

assay_code as_adapters_copy(const char *folder, const as_policy_row *policies, size_t n,
                            assay_error *err)
{
    char *copy = as_strdup(folder);
    if (!copy) return as_fail(err, ASSAY_E_MEMORY, "no memory for copies of adapters");
    assay_code code = each_file(policies, n, copy_file, copy, err);
    as_free(copy);
    return code;
}

/* Every sum of `needed` is that of `now`. */
static assay_code compare(const json_t *now, json_t *needed, assay_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(needed, key, value)
    {
        const char *seen = json_string_value(json_object_get(now, key));
        const char *sum = json_string_value(value);
        if (seen && sum && strcmp(seen, sum) == 0) continue;
        return as_fail(err, ASSAY_E_CHANGED,
                       "the adapter's file %.80s has SHA-256 %.12s..., the run began with "
                       "%.12s...; a copy of that one is in the run's executed/",
                       key, seen ? seen : "none", sum ? sum : "none");
    }
    return ASSAY_OK;
}

assay_code as_adapters_check(const as_run_row *run, const as_policy_row *policies, size_t n,
                             assay_error *err)
{
    json_t *now, *machine;
    assay_code code = as_adapters_hash(policies, n, &now, err);
    if (code) return code;
    code = as_json_parse(run->machine_json, strlen(run->machine_json), 0, &machine, err);
    if (code == ASSAY_E_MEMORY) {
        json_decref(now);
        return code;
    }
    code = compare(now, json_object_get(machine, AS_ADAPTERS_KEY), err);
    json_decref(machine);
    json_decref(now);
    return code;
}
