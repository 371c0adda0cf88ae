/* SPDX-License-Identifier: Apache-2.0 */
/* diagnostics/: what the profile phase saw of each policy. */
#include <string.h>

#include "base/memory.h"
#include "report/outputs.h"
#include "report/text.h"
#include "report/trace_files.h"

/* The route rows of a slot, which stand together. */
static void find_routes(const as_facts *f, int slot, as_trace_page *page)
{
    for (size_t i = 0; i < f->n_routes; i++) {
        if (f->routes[i].slot != slot) continue;
        if (page->n_routes++ == 0) page->routes = &f->routes[i];
    }
}

static assay_code write_policy(const as_facts *f, const as_profile_row *profile,
                               const char *folder, assay_error *err)
{
    const as_policy_row *policy = &f->policies[f->slots[profile->slot].policy];
    const as_call_row *call = &f->calls[profile->call];
    json_t *told = NULL;
    as_trace *trace = NULL;
    char name[64];
    as_text_file_name(policy->name, name, sizeof name);
    char *place = as_path_join(folder, name);
    assay_code code = place ? as_folder_make(place, err)
                            : as_fail(err, ASSAY_E_MEMORY, "no memory to write diagnostics");
    if (!code) code = as_json_parse(profile->trace, strlen(profile->trace), 0, &told, err);
    if (!code) code = as_trace_parse(told, &trace, err);
    if (!code) {
        as_trace_page page = {.policy = policy->text,
                              .engine = policy->engine,
                              .call = call->id,
                              .shape = call->shape,
                              .trace = trace};
        find_routes(f, profile->slot, &page);
        code = as_trace_files_write(&page, place, err);
    }
    json_decref(told);
    as_trace_free(trace);
    as_free(place);
    return code;
}

assay_code as_write_diagnostics(as_outputs *outputs, const char *folder, assay_error *err)
{
    const as_facts *f = outputs->facts;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < f->n_profiles && !code; i++)
        if (as_facts_is_first_trace(f, &f->profiles[i]))
            code = write_policy(f, &f->profiles[i], folder, err);
    return code;
}
