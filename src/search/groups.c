/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bands of groups, once the routes are chosen.  A group is to the search what a layer is: its
 * seconds are those of its layers together, and its options are the ways of as_bands, the rule's
 * first.  None of them changes a bit, so all count as exact.
 */
#include <string.h>

#include "plan/group.h"
#include "search/tuner.h"

static as_tuner_group *find(const as_tuner *t, int first, int last)
{
    for (size_t i = 0; i < t->n_groups; i++)
        if (t->groups[i].first == first && t->groups[i].last == last) return &t->groups[i];
    return NULL;
}

/* The groups of the plan that just ran call `call`. */
static void note_groups(as_tuner *t, size_t call)
{
    const as_plan *plan = as_session_plan(t->session);
    for (size_t i = 0; i < plan->n_groups; i++) {
        const as_group *group = &plan->groups[i];
        if (group->n_layers == 1) continue;
        const as_layer *first = &plan->layers[group->first];
        const as_layer *last = first + group->n_layers - 1;
        as_tuner_group *noted = find(t, first->node, last->node);
        if (!noted) {
            noted = &t->groups[t->n_groups++];
            *noted = (as_tuner_group){.first = first->node,
                                      .last = last->node,
                                      .first_name = first->name,
                                      .last_name = last->name};
        }
        noted->spans[call] = (as_tuner_span){
            .first = group->first,
            .n_layers = group->n_layers,
            .rows = {[AS_BANDS_RULE] = group->band_rows,
                     [AS_BANDS_HALF] = as_group_scaled(group, AS_BANDS_HALF),
                     [AS_BANDS_DOUBLE] = as_group_scaled(group, AS_BANDS_DOUBLE)}};
    }
}

static as_search_layer way_of(const as_tuner_group *group)
{
    as_search_layer way = {.node = group->first, .name = group->first_name, .op_type = "Group"};
    for (; way.n_options < AS_BANDS_N; way.n_options++)
        way.options[way.n_options] = (as_route_option){
            .route = as_bands_name((as_bands)way.n_options), .is_exact = true};
    return way;
}

/* What lies in the last plan's arena is gone with the session's plans; only numbers are kept. */
static assay_code find_groups(as_tuner *t, assay_error *err)
{
    assay_code code = ASSAY_OK;
    as_tuner_use(t, t->routes, NULL);
    for (size_t i = 0; i < t->n_calls && !code; i++) {
        code = as_tuner_run(t, &t->calls[i], err);
        if (code) return code;
        const size_t most = AS_SEARCH_CALLS * as_session_plan(t->session)->n_layers + 1;
        if (!t->groups) t->groups = as_arena_array(t->arena, most, sizeof *t->groups);
        if (!t->groups) return as_fail(err, ASSAY_E_MEMORY, "no memory for groups");
        note_groups(t, i);
    }
    t->ways = as_arena_array(t->arena, t->n_groups + 1, sizeof *t->ways);
    t->bands = as_arena_array(t->arena, t->n_groups + 1, sizeof *t->bands);
    if (!t->ways || !t->bands) return as_fail(err, ASSAY_E_MEMORY, "no memory for groups");
    for (size_t i = 0; i < t->n_groups; i++) {
        t->ways[i] = way_of(&t->groups[i]);
        t->bands[i] = (as_group_choice){.first = t->groups[i].first, .last = t->groups[i].last};
    }
    return code;
}

/* A call's plan has the same layers whatever its groups are. */
static void take_groups(const as_tuner *t, size_t call, size_t run,
                        double (*runs)[AS_TUNER_RUNS])
{
    const int64_t *layer_ns = as_session_layer_ns(t->session);
    for (size_t i = 0; i < t->n_groups; i++) {
        const as_tuner_span *span = &t->groups[i].spans[call];
        int64_t sum_ns = 0;
        for (size_t l = span->first; l < span->first + span->n_layers; l++)
            sum_ns += layer_ns[l];
        runs[i][run] = 1e-9 * (double)(span->n_layers && sum_ns <= 0 ? 1 : sum_ns);
    }
}

static assay_code measure(void *context, const size_t *option, double *group_s,
                          assay_error *err)
{
    as_tuner *t = context;
    as_tuner_use(t, t->routes, option);
    return as_tuner_time(t, t->n_groups, take_groups, group_s, err);
}

static assay_code compare(void *context, const size_t *option, bool *is_equal, assay_error *err)
{
    as_tuner *t = context;
    return as_tuner_compare_by(t, t->routes, option, is_equal, err);
}

assay_code as_tuner_choose_bands(as_tuner *t, as_route_search *search, assay_error *err)
{
    const as_route_meter meter = {.context = t,
                                  .measure = measure,
                                  .compare = compare,
                                  .now_s = as_tuner_now_s,
                                  .progress = as_tuner_slot};
    assay_code code = find_groups(t, err);
    *search = (as_route_search){.layers = t->ways,
                                .n_layers = t->n_groups,
                                .meter = &meter,
                                .seed = (uint64_t)t->options->seed,
                                .least_rounds = t->options->least_rounds,
                                .most_rounds = t->options->most_rounds,
                                .is_settled = true,
                                .budget_s = t->options->budget_s / 2};
    if (code || t->n_groups == 0) return code;
    t->what = "timing groups";
    code = as_routes_search(search, err);
    search->meter = NULL; /* it goes with this function */
    if (t->control->watch.end) t->control->watch.end(t->control->watch.context);
    return code;
}

/* ---- into the file ---- */

static assay_code fill_group(const as_tuner *t, const as_route_search *search, size_t i,
                             as_plan_file *file, assay_error *err)
{
    const as_tuner_group *from = &t->groups[i];
    as_plan_group *to = &file->groups[i];
    size_t call = 0; /* the first that has it: they are in the order of their pixels */
    while (from->spans[call].n_layers == 0)
        call++;
    *to = (as_plan_group){.first = as_arena_strdup(file->arena, from->first_name),
                          .last = as_arena_strdup(file->arena, from->last_name),
                          .n_layers = from->spans[call].n_layers};
    memcpy(to->rows, from->spans[call].rows, sizeof to->rows);
    if (!to->first || !to->last) return as_fail(err, ASSAY_E_MEMORY, "no memory for groups");
    file->group_choices[i] = (as_group_choice){
        .first = from->first, .last = from->last, .bands = (as_bands)t->ways[i].chosen};
    assay_code code = ASSAY_OK;
    for (size_t way = 0; way < AS_BANDS_N && !code; way++) {
        as_summary s = {0};
        code = as_routes_summary(search, i, way, &s, err);
        to->in_place[way] = as_tuner_cost(&s);
    }
    return code;
}

assay_code as_tuner_fill_groups(const as_tuner *t, const as_route_search *search,
                                as_plan_file *file, assay_error *err)
{
    assay_code code = ASSAY_OK;
    file->group_choices =
        as_arena_array(file->arena, t->n_groups + 1, sizeof *file->group_choices);
    file->groups = as_arena_array(file->arena, t->n_groups + 1, sizeof *file->groups);
    if (!file->group_choices || !file->groups)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for groups");
    for (; file->n_groups < t->n_groups && !code; file->n_groups++)
        code = fill_group(t, search, file->n_groups, file, err);
    return code;
}
