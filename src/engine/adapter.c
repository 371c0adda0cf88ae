/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/adapter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/memory.h"

#define LARGEST_SCRIPT_BYTES (1 << 20)

void as_adapter_free(as_adapter *adapter)
{
    as_free(adapter->python);
    as_free(adapter->script);
    as_free(adapter->command);
    *adapter = (as_adapter){0};
}

/* FOLDER/ENGINE.py, or NULL in *out when no folder has it. */
static assay_code find_script(const char *engine, char **out, assay_error *err)
{
    const char *asked = getenv("ASSAY_ADAPTERS");
    const bool is_asked = asked && *asked;
    char *theirs = is_asked ? as_format("%s/%s.py", asked, engine) : NULL;
    char *ours = as_format("adapters/%s.py", engine);
    *out = NULL;
    assay_code code = ours && (theirs || !is_asked)
                          ? ASSAY_OK
                          : as_fail(err, ASSAY_E_MEMORY, "no memory for an adapter");
    if (!code && theirs && as_file_exists(theirs)) {
        *out = theirs;
        theirs = NULL;
    } else if (!code) {
        code = as_installed_find(ours, out, err);
    }
    as_free(theirs);
    as_free(ours);
    return code;
}

/* The interpreter that the policy names, or the one of tools/engines beside the script. */
static assay_code find_python(const as_policy *policy, as_adapter *a, assay_error *err)
{
    int folder_length = (int)(as_path_base(a->script) - a->script);
    a->python = policy->python
                    ? as_strdup(policy->python)
                    : as_format("%.*s../.venv-engines/bin/python", folder_length, a->script);
    if (!a->python) return as_fail(err, ASSAY_E_MEMORY, "no memory for an adapter");
    if (as_file_exists(a->python) || !strchr(a->python, '/')) return ASSAY_OK;
    if (policy->python)
        return as_fail(err, ASSAY_E_ENVIRONMENT,
                       "policy %s: python=%.120s does not exist, engine %s needs an "
                       "interpreter that has it",
                       policy->name, policy->python, policy->engine);
    return as_fail(err, ASSAY_E_ENVIRONMENT,
                   "policy %s: engine %s is not installed here, 'tools/engines %s' does it "
                   "(or name an interpreter that has it with python=PATH)",
                   policy->name, policy->engine, policy->engine);
}

assay_code as_adapter_find(const as_policy *policy, as_adapter *out, assay_error *err)
{
    *out = (as_adapter){0};
    if (policy->adapter) {
        out->command = as_format("exec %s", policy->adapter);
        if (!out->command) return as_fail(err, ASSAY_E_MEMORY, "no memory for an adapter");
        out->argv[0] = "/bin/sh";
        out->argv[1] = "-c";
        out->argv[2] = out->command;
        return ASSAY_OK;
    }
    assay_code code = find_script(policy->engine, &out->script, err);
    if (!code && !out->script)
        code = as_fail(err, ASSAY_E_ENVIRONMENT,
                       "policy %s asks for engine '%.40s', which is not here; native is, "
                       "'tools/engines' lists others",
                       policy->name, policy->engine);
    if (!code) code = find_python(policy, out, err);
    out->argv[0] = out->python;
    out->argv[1] = out->script;
    if (code) as_adapter_free(out);
    return code;
}

/* Append a copy of `path`; `names` has room. */
static assay_code add_name(as_names *names, const char *path, assay_error *err)
{
    names->items[names->n] = as_strdup(path);
    if (!names->items[names->n]) return as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    names->n++;
    return ASSAY_OK;
}

static bool is_script(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_size <= LARGEST_SCRIPT_BYTES;
}

static assay_code add_words(const char *command, as_names *out, assay_error *err)
{
    char *copy = as_strdup(command), *rest = copy;
    out->items = as_alloc_array(strlen(command) + 1, sizeof *out->items);
    assay_code code =
        copy && out->items ? ASSAY_OK : as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    for (char *word; !code && (word = strsep(&rest, " "));)
        if (is_script(word)) code = add_name(out, word, err);
    as_free(copy);
    return code;
}

/* Whether the file `name` of an adapters' folder is a part of `engine`'s adapter. */
static bool is_part(const char *name, const char *engine)
{
    size_t length = strlen(name), engine_length = strlen(engine);
    if (strcmp(name, "protocol.py") == 0) return true;
    return length >= engine_length + 3 && strncmp(name, engine, engine_length) == 0 &&
           strcmp(name + length - 3, ".py") == 0 &&
           (name[engine_length] == '_' || length == engine_length + 3);
}

static assay_code add_folder(const char *script, const char *engine, as_names *out,
                             assay_error *err)
{
    as_names names = {0};
    char *folder = as_format("%.*s", (int)(as_path_base(script) - script), script);
    if (!folder) return as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    assay_code code = as_folder_list(folder, &names, err);
    if (!code && !(out->items = as_alloc_array(names.n + 1, sizeof *out->items)))
        code = as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
    for (size_t i = 0; i < names.n && !code; i++) {
        if (!is_part(names.items[i], engine)) continue;
        char *path = as_format("%s%s", folder, names.items[i]);
        code = path ? add_name(out, path, err)
                    : as_fail(err, ASSAY_E_MEMORY, "no memory for a path");
        as_free(path);
    }
    as_names_free(&names);
    as_free(folder);
    return code;
}

assay_code as_adapter_files(const as_policy *policy, as_names *out, assay_error *err)
{
    *out = (as_names){0};
    if (strcmp(policy->engine, "native") == 0) return ASSAY_OK;
    as_adapter adapter = {0};
    assay_code code = as_adapter_find(policy, &adapter, err);
    if (!code)
        code = policy->adapter ? add_words(policy->adapter, out, err)
                               : add_folder(adapter.script, policy->engine, out, err);
    as_adapter_free(&adapter);
    if (code) as_names_free(out);
    return code;
}
