/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a search: all that can be wrong is found before anything is trained. */
#include "search/structures.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "engine/policy.h"
#include "search/structure_search.h"
#include "trial/environment.h"
#include "trial/executed.h"
#include "trial/place.h"

as_search_options as_search_defaults(void)
{
    return (as_search_options){
        .command = "", .n_threads = 1, .protocol = as_latency_protocol_default(), .n_slots = 6};
}

/* What the plan borrows from; owns. */
typedef struct beginning {
    const as_search_options *options;
    as_space *space;
    as_dataset *data;
    as_split split;
    as_environment *environment;
    as_structure_row *structures;
    as_policy *parsed; /* [n_policies]: ours, then those of the options */
    as_policy_row *policies;
    size_t n_policies;
    char *path, *machine, *findings, *split_text; /* `path` of malloc */
    char created[AS_CLOCK_LABEL], program_sha256[AS_SHA256_HEX];
} beginning;

static void free_beginning(beginning *b)
{
    as_split_free(&b->split);
    as_dataset_free(b->data);
    as_space_free(b->space);
    as_environment_free(b->environment);
    for (size_t i = 0; i < b->n_policies; i++)
        as_policy_free(&b->parsed[i]);
    as_free(b->parsed);
    as_free(b->policies);
    as_free(b->structures);
    free(b->path);
    as_free(b->machine);
    as_free(b->findings);
    as_free(b->split_text);
}

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory to begin a search");
}

static assay_code read_data(beginning *b, assay_error *err)
{
    const as_search_options *o = b->options;
    assay_code code = as_space_load(o->space, &b->space, err);
    if (code) return code;
    b->path = realpath(o->space, NULL);
    if (!b->path) return no_memory(err);
    code = as_dataset_load(&b->space->data, &b->data, err);
    if (code) return code;
    code = o->split
               ? as_split_read(o->split, b->data, &b->split, err)
               : as_split_stratified(b->data, b->space->shares, b->space->seed, &b->split, err);
    if (code) return code;
    json_t *root = as_split_json(&b->split, b->data);
    b->split_text = as_json_dump(root, JSON_COMPACT);
    json_decref(root);
    return b->split_text ? ASSAY_OK : no_memory(err);
}

/* Kinds that are made of depthwise and pointwise convolutions. */
static bool is_separable(const char *kind)
{
    return strcmp(kind, "dw_pw") == 0 || strcmp(kind, "inverted_residual") == 0;
}

static assay_code describe(beginning *b, assay_error *err)
{
    const as_space *space = b->space;
    b->structures = as_alloc_array(space->n_structures, sizeof *b->structures);
    if (!b->structures) return no_memory(err);
    for (size_t i = 0; i < space->n_structures; i++) {
        const as_structure *s = &space->structures[i];
        as_network *network;
        assay_code code = as_network_new(&s->spec, 0, &network, err);
        if (code) return code;
        b->structures[i] = (as_structure_row){
            .name = s->name,
            .is_separable = is_separable(s->kind),
            .params = (int64_t)as_network_n_parameters(network),
            .macs = (int64_t)as_network_macs(network),
            .activation_bytes = (int64_t)as_network_activation_bytes(network),
            .n_seeds = (int64_t)(b->options->n_seeds ? b->options->n_seeds : s->n_seeds)};
        as_network_free(network);
    }
    return ASSAY_OK;
}

/* The policies that fresh processes time. */
static assay_code parse_policies(beginning *b, assay_error *err)
{
    const as_search_options *o = b->options;
    b->parsed = as_alloc_array(o->n_policies + 1, sizeof *b->parsed);
    b->policies = as_alloc_array(o->n_policies + 1, sizeof *b->policies);
    if (!b->parsed || !b->policies) return no_memory(err);
    for (size_t i = 0; i <= o->n_policies; i++) {
        as_policy *p = &b->parsed[i];
        assay_code code =
            as_policy_parse(i ? o->policies[i - 1] : AS_SEARCH_OWN_POLICY, p, err);
        if (code) return code;
        b->n_policies++;
        b->policies[i] = (as_policy_row){.name = p->name, .text = p->text, .engine = p->engine};
        for (size_t j = 0; j < i; j++)
            if (strcmp(p->name, b->parsed[j].name) == 0)
                return as_fail(err, ASSAY_E_ARGUMENT,
                               "two policies are named '%s', names have to differ%s", p->name,
                               j ? "" : ", and our own is 'ours'");
    }
    return ASSAY_OK;
}

static assay_code look_at_machine(beginning *b, assay_error *err)
{
    assay_code code = as_executed_program_sha256(b->program_sha256, err);
    if (!code) code = as_environment_read("", 0.1, &b->environment, err);
    if (code) return code;
    json_t *findings = as_environment_findings_json(b->environment);
    b->machine = as_json_dump(b->environment->machine, JSON_COMPACT);
    b->findings = as_json_dump(findings, JSON_COMPACT);
    json_decref(findings);
    return b->machine && b->findings ? ASSAY_OK : no_memory(err);
}

/* A search is a run without corpus and slots: the run's row has what both know. */
static as_run_row run_of(const beginning *b)
{
    return (as_run_row){.assay_version = ASSAY_VERSION,
                        .created = b->created,
                        .command = b->options->command,
                        .model_name = as_path_base(b->path),
                        .model_path = b->path,
                        .model_sha256 = b->space->sha256,
                        .manifest_sha256 = "",
                        .program_sha256 = b->program_sha256,
                        .seed = (int64_t)b->space->seed,
                        .order = "latin",
                        .exclusive_hardware = b->options->exclusive_hardware,
                        .machine_json = b->machine,
                        .findings_json = b->findings,
                        .state = AS_RUN_ROUNDS,
                        .corpus_calls = -1,
                        .corpus_inputs = -1,
                        .compare = "boxes"};
}

static as_search_row search_of(const beginning *b)
{
    const as_search_options *o = b->options;
    return (as_search_row){.space_name = b->space->name,
                           .space_path = b->path,
                           .space_sha256 = b->space->sha256,
                           .space_text = b->space->text,
                           .split_json = b->split_text,
                           .seed = (int64_t)b->space->seed,
                           .n_seeds = (int64_t)o->n_seeds,
                           .n_threads = (int64_t)o->n_threads,
                           .baseline = (int)b->space->baseline,
                           .n_validation = (int64_t)b->split.n_validation,
                           .c = (int64_t)b->data->c,
                           .h = (int64_t)b->data->h,
                           .w = (int64_t)b->data->w,
                           .n_warm_up = (int64_t)o->protocol.n_warm_up,
                           .n_rounds = (int64_t)o->protocol.n_rounds,
                           .n_repeats = (int64_t)o->protocol.n_repeats,
                           .n_slots = (int64_t)o->n_slots};
}

static assay_code write_beginning(const beginning *b, assay_error *err)
{
    const as_search_row search = search_of(b);
    const as_row_batch batches[] = {
        {AS_TABLE_STRUCTURES, b->structures, b->space->n_structures},
        {AS_TABLE_SEARCH, &search, 1}};
    const as_evidence_plan plan = {.run = run_of(b),
                                   .policies = b->policies,
                                   .n_policies = b->n_policies,
                                   .batches = batches,
                                   .n_batches = AS_COUNT_OF(batches)};
    return as_place_begin(b->options->folder, b->options->force, &plan, err);
}

assay_code as_search_create(const as_search_options *options, assay_error *err)
{
    beginning b = {.options = options};
    as_clock_label(b.created);
    assay_code code = as_place_check(options->folder, options->force, err);
    if (!code) code = read_data(&b, err);
    if (!code) code = describe(&b, err);
    if (!code) code = parse_policies(&b, err);
    if (!code) code = look_at_machine(&b, err);
    if (!code) code = write_beginning(&b, err);
    free_beginning(&b);
    return code;
}

assay_code as_search_run(const as_search_options *options, assay_error *err)
{
    as_search *search;
    assay_code code = as_search_open(options, &search, err);
    if (code) return code;
    code = options->train ? options->train(options->train_context, search, err)
                          : as_search_train_all(search, err);
    if (!code) code = as_search_finish(search, err);
    return as_search_close(search, code, err);
}
