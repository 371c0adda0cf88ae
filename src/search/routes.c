/* SPDX-License-Identifier: Apache-2.0 */
/* Timing every layer's routes inside the network, and the choice by those times. */
#include "search/routes.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "search/samples.h"
#include "verdict/verdict.h"

/* What one round needs; owned by as_routes_search. */
typedef struct rounds {
    size_t n_slots;  /* of a round: the longest list of options */
    size_t *offset;  /* [n_layers] */
    size_t *option;  /* [n_layers] */
    double *layer_s; /* [n_layers] */
    size_t *order;   /* [n_slots] */
    uint64_t random;
} rounds;

/* Option number `turn` of those that are still timed, counted round and round. */
static size_t timed_option(const as_search_layer *layer, size_t turn)
{
    size_t n = 0, timed[AS_SEARCH_ROUTES];
    for (size_t i = 0; i < layer->n_options; i++)
        if (!layer->options[i].is_hopeless) timed[n++] = i;
    return timed[turn % n];
}

/* Slots that a round needs: the longest list of options that are still timed. */
static size_t count_slots(const as_route_search *s)
{
    size_t most = 1;
    for (size_t i = 0; i < s->n_layers; i++) {
        size_t n = 0;
        for (size_t c = 0; c < s->layers[i].n_options; c++)
            n += !s->layers[i].options[c].is_hopeless;
        most = as_max(most, n);
    }
    return most;
}

/* One slot of a round: layer i uses option (offset + slot) of those that are still timed. */
static assay_code run_slot(as_route_search *s, rounds *r, size_t slot, assay_error *err)
{
    for (size_t i = 0; i < s->n_layers; i++)
        r->option[i] = timed_option(&s->layers[i], r->offset[i] + slot);
    assay_code code = s->meter->measure(s->meter->context, r->option, r->layer_s, err);
    for (size_t i = 0; i < s->n_layers && !code; i++)
        as_samples_add(s->samples, i, r->option[i], s->n_rounds, r->layer_s[i]);
    return code;
}

/* Whether an option's times are beyond AS_HOPELESS of some other's in each round so far. */
static bool is_beyond(const as_route_search *s, size_t layer, size_t option, size_t other)
{
    const double *slow = as_samples_row(s->samples, layer, option);
    const double *fast = as_samples_row(s->samples, layer, other);
    for (size_t round = 0; round < s->n_rounds; round++)
        if (slow[round] <= AS_HOPELESS * fast[round]) return false;
    return true;
}

static void give_up_hopeless(as_route_search *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        as_search_layer *layer = &s->layers[i];
        for (size_t c = 0; c < layer->n_options; c++)
            for (size_t other = 0; other < layer->n_options; other++)
                if ((layer->options[other].is_exact || !layer->options[c].is_exact) &&
                    is_beyond(s, i, c, other))
                    layer->options[c].is_hopeless = true;
    }
}

static assay_code run_round(as_route_search *s, rounds *r, assay_error *err)
{
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < s->n_layers; i++)
        r->offset[i] = as_random_next(&r->random) % AS_SEARCH_ROUTES;
    r->n_slots = count_slots(s);
    for (size_t i = 0; i < r->n_slots; i++)
        r->order[i] = i;
    as_random_shuffle(r->order, r->n_slots, &r->random);
    for (size_t i = 0; i < r->n_slots && !code; i++) {
        code = run_slot(s, r, r->order[i], err);
        if (!code && s->meter->progress)
            s->meter->progress(s->meter->context, s->n_rounds * r->n_slots + i + 1,
                               s->most_rounds * r->n_slots);
    }
    if (!code && ++s->n_rounds == AS_HOPELESS_ROUNDS) give_up_hopeless(s);
    return code;
}

assay_code as_routes_summary(const as_route_search *search, size_t layer, size_t option,
                             as_summary *out, assay_error *err)
{
    size_t n = search->n_rounds;
    if (search->layers[layer].options[option].is_hopeless) n = as_min(n, AS_HOPELESS_ROUNDS);
    return as_summary_of(as_samples_row(search->samples, layer, option), n, out, err);
}

/* Median seconds of all layers by their preferred options: the scale on which a saving counts. */
static assay_code whole_network(const as_route_search *s, double *seconds, assay_error *err)
{
    assay_code code = ASSAY_OK;
    *seconds = 0;
    for (size_t i = 0; i < s->n_layers && !code; i++) {
        as_summary summary = {0};
        code = as_routes_summary(s, i, 0, &summary, err);
        *seconds += summary.median;
    }
    return code;
}

/* What the rounds say of a challenger; `matters_s` is the least saving that counts. */
static assay_code judge(const as_route_search *s, size_t layer, size_t challenger,
                        size_t incumbent, double matters_s, as_verdict *verdict,
                        assay_error *err)
{
    as_candidate candidate = {.boxes_equal = true};
    as_summary cost = {0};
    assay_code code =
        as_estimate_ratio(as_samples_row(s->samples, layer, challenger),
                          as_samples_row(s->samples, layer, incumbent), s->n_rounds,
                          as_max(s->layers[layer].n_options, 2) - 1, &candidate.estimate, err);
    if (!code) code = as_routes_summary(s, layer, incumbent, &cost, err);
    if (code) return code;
    const as_estimate *e = &candidate.estimate;
    *verdict = as_verdict_of(&candidate);
    if (!e->has_interval) return ASSAY_OK;
    if ((1 - e->low) * cost.median < matters_s)
        *verdict = AS_VERDICT_EQUAL; /* even the best end of the interval would save nothing */
    else if (*verdict == AS_VERDICT_FASTER && (1 - e->high) * cost.median < matters_s)
        *verdict = AS_VERDICT_UNDECIDED;
    return ASSAY_OK;
}

static bool is_allowed(const as_route_option *option, bool exact_only)
{
    return !option->changes_boxes && (option->is_exact || !exact_only);
}

assay_code as_routes_best(const as_route_search *search, size_t layer, bool exact_only,
                          size_t *best, bool *is_settled, assay_error *err)
{
    const as_search_layer *l = &search->layers[layer];
    double whole_s = 0;
    bool settled = true, has_any = false;
    assay_code code = whole_network(search, &whole_s, err);
    *best = 0;
    for (size_t c = 0; c < l->n_options && !code; c++) {
        if (!is_allowed(&l->options[c], exact_only) || l->options[c].is_hopeless) continue;
        as_verdict verdict = AS_VERDICT_FASTER; /* the first one that is allowed */
        if (has_any)
            code = judge(search, layer, c, *best, AS_LAYER_MATTERS * whole_s, &verdict, err);
        const bool is_open =
            verdict == AS_VERDICT_UNDECIDED || verdict == AS_VERDICT_NO_INTERVAL;
        if (verdict == AS_VERDICT_FASTER || (is_open && c == l->rule)) *best = c;
        settled = settled && !is_open;
        has_any = true;
    }
    if (is_settled) *is_settled = settled;
    if (!code && !has_any)
        code = as_fail(err, ASSAY_E_UNSUPPORTED, "layer '%.80s' has no route that keeps boxes",
                       l->name);
    return code;
}

static assay_code choose_all(as_route_search *s, assay_error *err)
{
    assay_code code = ASSAY_OK;
    s->is_settled = true;
    for (size_t i = 0; i < s->n_layers && !code; i++) {
        bool is_settled = false;
        code = as_routes_best(s, i, false, &s->layers[i].chosen, &is_settled, err);
        s->is_settled = s->is_settled && is_settled;
    }
    return code;
}

static bool make_room(as_route_search *s, rounds *r)
{
    r->n_slots = count_slots(s);
    r->offset = as_alloc_array(s->n_layers + 1, sizeof *r->offset);
    r->option = as_alloc_array(s->n_layers + 1, sizeof *r->option);
    r->layer_s = as_alloc_array(s->n_layers + 1, sizeof *r->layer_s);
    r->order = as_alloc_array(r->n_slots, sizeof *r->order);
    s->samples = as_samples_new(s->n_layers, s->most_rounds);
    return r->offset && r->option && r->layer_s && r->order && s->samples;
}

static assay_code run_rounds(as_route_search *s, rounds *r, assay_error *err)
{
    assay_code code = ASSAY_OK;
    double start_s = s->meter->now_s(s->meter->context);
    while (s->n_rounds < s->most_rounds && !code) {
        bool may_stop = s->n_rounds >= s->least_rounds;
        if (may_stop && s->is_settled) break;
        if (may_stop && s->budget_s > 0 &&
            s->meter->now_s(s->meter->context) - start_s >= s->budget_s)
            break;
        code = run_round(s, r, err);
        if (!code) code = choose_all(s, err);
    }
    return code;
}

assay_code as_routes_search(as_route_search *search, assay_error *err)
{
    rounds r = {.random = search->seed};
    search->n_rounds = search->n_comparisons = 0;
    search->is_settled = false;
    assay_code code = make_room(search, &r) ? run_rounds(search, &r, err)
                                            : as_fail(err, ASSAY_E_MEMORY,
                                                      "no memory to search the routes of "
                                                      "%zu layers",
                                                      search->n_layers);
    if (!code) code = as_routes_hold(search, err);
    as_free(r.offset);
    as_free(r.option);
    as_free(r.layer_s);
    as_free(r.order);
    return code;
}

void as_routes_free(as_route_search *search)
{
    as_samples_free(search->samples);
    search->samples = NULL;
}
