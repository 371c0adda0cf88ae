/* SPDX-License-Identifier: Apache-2.0 */
#include "search/latency_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "plan/group.h"
#include "run/run.h"
#include "verdict/statistics.h"

enum { KEY_ROOM = AS_LAYER_SHAPE_ROOM + 128, N_WARM_UP = 30 };

/* One network that is loaded and has run. */
typedef struct subject {
    assay_model *model;
    assay_session *session;
    size_t *rows;    /* size_t rows[plan->n_groups]: of the table */
    double *call_us; /* double call_us[n_rounds]: a round's median call */
} subject;

typedef struct maker {
    const as_latency_table_options *o;
    as_latency_table *table;
    assay_tensor input;
    float *data;
    subject *subjects;
    double **rounds; /* double rounds[row][n_rounds] */
    size_t rows_room, rounds_room;
    double *calls; /* double calls[n_repeats] */
    size_t *order;
} maker;

static assay_code no_memory(assay_error *err)
{
    return as_fail(err, ASSAY_E_MEMORY, "no memory for a table of latencies");
}

/* ---- Layers by name ---- */

/* What a group is: its layers' operator, route, extents and steps. */
static void name_group(const as_plan *plan, size_t group, char name[KEY_ROOM])
{
    const as_group *g = &plan->groups[group];
    size_t at = 0;
    for (size_t i = g->first; i < g->first + g->n_layers && at < KEY_ROOM; i++) {
        as_layer *layer = &plan->layers[i];
        char shape[AS_LAYER_SHAPE_ROOM];
        as_layer_shape_text(layer, shape);
        at += (size_t)snprintf(name + at, KEY_ROOM - at, "%s%s %s %s", i > g->first ? "; " : "",
                               layer->op_type, as_layer_route(layer), shape);
        if (layer->kind == AS_LAYER_POOL && at < KEY_ROOM)
            at += (size_t)snprintf(name + at, KEY_ROOM - at, ", %zux%zu", layer->args.pool.kh,
                                   layer->args.pool.kw);
        for (size_t k = 0; k < layer->epilogue.n_steps && at < KEY_ROOM; k++)
            at += (size_t)snprintf(name + at, KEY_ROOM - at, " +%s",
                                   as_step_name(layer->epilogue.steps[k].kind));
    }
}

static size_t find_row(const as_latency_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->n_rows && strcmp(table->rows[i].layer, name) != 0)
        i++;
    return i;
}

/* The row of that name, a new one if need be. */
static assay_code take_row(maker *m, const char *name, size_t *out, assay_error *err)
{
    as_latency_table *table = m->table;
    const size_t i = *out = find_row(table, name);
    if (i < table->n_rows) return ASSAY_OK;
    as_latency_row *rows = as_grow(table->rows, i, &m->rows_room, sizeof *rows);
    if (rows) table->rows = rows;
    double **rounds = as_grow(m->rounds, i, &m->rounds_room, sizeof *rounds);
    if (rounds) m->rounds = rounds;
    if (!rows || !rounds) return no_memory(err);
    rows[i] = (as_latency_row){.layer = as_strdup(name)};
    rounds[i] = as_alloc_array(table->n_rounds, sizeof **rounds);
    table->n_rows = i + 1;
    return rows[i].layer && rounds[i] ? ASSAY_OK : no_memory(err);
}

/* ---- Networks ---- */

static assay_code open_network(const char *path, size_t threads, const assay_tensor *input,
                               subject *out, assay_error *err)
{
    assay_tensor outputs[AS_ENGINE_PORTS];
    assay_code code = assay_model_load(path, NULL, &out->model, err);
    if (code) return code;
    const int n = assay_model_n_outputs(out->model);
    if (n > AS_ENGINE_PORTS)
        return as_fail(err, ASSAY_E_UNSUPPORTED, "%.100s has %d outputs, at most %d are timed",
                       path, n, AS_ENGINE_PORTS);
    code = assay_session_new(out->model, threads, &out->session, err);
    return code ? code : assay_session_run(out->session, input, 1, outputs, n, err);
}

static void close_network(subject *s)
{
    assay_session_free(s->session);
    assay_model_free(s->model);
    as_free(s->rows);
    as_free(s->call_us);
}

static assay_code make_input(as_shape4 shape, uint64_t seed, float **data, assay_tensor *out,
                             assay_error *err)
{
    size_t n = 0;
    *data = NULL;
    if (as_mul(shape.n, shape.c, &n) && as_mul(n, shape.h, &n) && as_mul(n, shape.w, &n))
        *data = as_alloc_array(n + 1, sizeof **data);
    if (!*data) return no_memory(err);
    for (size_t i = 0; i < n; i++)
        (*data)[i] = (float)ldexp((double)(as_random_next(&seed) >> 40), -24);
    *out = (assay_tensor){
        .rank = 4,
        .dims = {(int64_t)shape.n, (int64_t)shape.c, (int64_t)shape.h, (int64_t)shape.w},
        .data = *data};
    return ASSAY_OK;
}

static assay_code add_network(maker *m, size_t i, assay_error *err)
{
    subject *s = &m->subjects[i];
    assay_code code = open_network(m->o->paths[i], m->o->threads, &m->input, s, err);
    if (code) return code;
    const as_plan *plan = as_session_plan(s->session);
    s->rows = as_alloc_array(plan->n_groups + 1, sizeof *s->rows);
    s->call_us = as_alloc_array(m->table->n_rounds, sizeof *s->call_us);
    m->table->checks[i].network = as_strdup(as_path_base(m->o->paths[i]));
    m->table->n_checks = i + 1;
    if (!s->rows || !s->call_us || !m->table->checks[i].network) return no_memory(err);
    m->table->threads = as_session_threads(s->session);
    for (size_t g = 0; g < plan->n_groups && !code; g++) {
        char name[KEY_ROOM];
        name_group(plan, g, name);
        code = take_row(m, name, &s->rows[g], err);
    }
    return code;
}

/* ---- Measuring ---- */

static double median_of(double *values, size_t n)
{
    as_sort(values, n);
    return as_quantile_of_sorted(values, n, 0.5);
}

/* A round's calls of one network, then its layers. */
static assay_code measure_network(maker *m, subject *s, size_t round, assay_error *err)
{
    const size_t n = m->table->n_repeats;
    const as_plan *plan = as_session_plan(s->session);
    const int n_outputs = assay_model_n_outputs(s->model);
    assay_tensor outputs[AS_ENGINE_PORTS];
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < n + N_WARM_UP && !code; i++) {
        const int64_t begin_ns = as_clock_ns();
        code = assay_session_run(s->session, &m->input, 1, outputs, n_outputs, err);
        if (i >= N_WARM_UP) m->calls[i - N_WARM_UP] = 1e-3 * (double)(as_clock_ns() - begin_ns);
    }
    if (!code) s->call_us[round] = median_of(m->calls, n);
    for (size_t g = 0; g < plan->n_groups && !code; g++) {
        int64_t ns = 0;
        code = as_session_repeat_group(s->session, g, n, &ns, err);
        m->rounds[s->rows[g]][round] = 1e-3 * (double)ns / (double)n;
    }
    return code;
}

static assay_code measure(maker *m, assay_error *err)
{
    uint64_t random = m->o->seed;
    for (size_t i = 0; i < m->o->n; i++)
        m->order[i] = i;
    for (size_t round = 0; round < m->table->n_rounds; round++) {
        as_random_shuffle(m->order, m->o->n, &random);
        for (size_t i = 0; i < m->o->n; i++) {
            if (m->o->stop && m->o->stop(m->o->stop_context))
                return as_fail(err, ASSAY_E_INTERRUPTED, "stopped while layers were timed");
            assay_code code = measure_network(m, &m->subjects[m->order[i]], round, err);
            if (code) return code;
        }
    }
    return ASSAY_OK;
}

/* ---- The table out of the rounds ---- */

/* What network i takes beyond its layers, the median of the rounds. */
static double beyond_layers(maker *m, size_t i)
{
    const subject *s = &m->subjects[i];
    const size_t n_groups = as_session_plan(s->session)->n_groups;
    double sum = 0;
    for (size_t g = 0; g < n_groups; g++)
        sum += m->table->rows[s->rows[g]].us;
    m->table->checks[i].predicted_us = sum;
    return m->table->checks[i].measured_us - sum;
}

/* Median of values[n] without the one at `but`; n: of all. */
static double median_but(const double *values, size_t n, size_t but, double *room)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i != but) room[kept++] = values[i];
    return median_of(room, kept);
}

static assay_code conclude(maker *m, assay_error *err)
{
    as_latency_table *t = m->table;
    for (size_t i = 0; i < t->n_rows; i++) {
        t->rows[i].us = median_of(m->rounds[i], t->n_rounds); /* sorted now */
        t->rows[i].low_us = m->rounds[i][0];
        t->rows[i].high_us = m->rounds[i][t->n_rounds - 1];
    }
    double *beyond = as_alloc_array(2 * m->o->n, sizeof *beyond);
    if (!beyond) return no_memory(err);
    for (size_t i = 0; i < m->o->n; i++) {
        t->checks[i].measured_us = median_of(m->subjects[i].call_us, t->n_rounds);
        beyond[i] = beyond_layers(m, i);
    }
    t->call_us = median_but(beyond, m->o->n, m->o->n, beyond + m->o->n);
    for (size_t i = 0; i < m->o->n; i++)
        t->checks[i].predicted_us += median_but(beyond, m->o->n, i, beyond + m->o->n);
    as_free(beyond);
    return ASSAY_OK;
}

static assay_code prepare(maker *m, assay_error *err)
{
    const as_latency_table_options *o = m->o;
    as_latency_table *t = m->table;
    as_cpu_info cpu;
    as_cpu_info_get(&cpu);
    snprintf(t->cpu, sizeof t->cpu, "%s", cpu.model);
    snprintf(t->version, sizeof t->version, "%s", ASSAY_VERSION);
    t->n_rounds = o->n_rounds ? o->n_rounds : 9;
    t->n_repeats = o->n_repeats ? o->n_repeats : 200;
    t->checks = as_alloc_array(o->n, sizeof *t->checks);
    m->subjects = as_alloc_array(o->n, sizeof *m->subjects);
    m->order = as_alloc_array(o->n, sizeof *m->order);
    m->calls = as_alloc_array(t->n_repeats, sizeof *m->calls);
    if (!t->checks || !m->subjects || !m->order || !m->calls) return no_memory(err);
    assay_code code = make_input(o->shape, o->seed, &m->data, &m->input, err);
    for (size_t i = 0; i < o->n && !code; i++)
        code = add_network(m, i, err);
    if (!code)
        snprintf(t->isa, sizeof t->isa, "%s",
                 as_isa_name(as_model_kernels(m->subjects[0].model)->isa));
    return code;
}

assay_code as_latency_table_make(const as_latency_table_options *options,
                                 as_latency_table **out, assay_error *err)
{
    *out = NULL;
    if (options->n < 2)
        return as_fail(err, ASSAY_E_ARGUMENT,
                       "a table of latencies needs 2 networks to check itself, it has %zu",
                       options->n);
    maker m = {.o = options, .table = as_alloc(sizeof *m.table)};
    if (!m.table) return no_memory(err);
    assay_code code = prepare(&m, err);
    if (!code) code = measure(&m, err);
    if (!code) code = conclude(&m, err);
    for (size_t i = 0; m.subjects && i < options->n; i++)
        close_network(&m.subjects[i]);
    for (size_t i = 0; i < m.table->n_rows && m.rounds; i++)
        as_free(m.rounds[i]);
    as_free(m.subjects);
    as_free(m.rounds);
    as_free(m.order);
    as_free(m.calls);
    as_free(m.data);
    if (code)
        as_latency_table_free(m.table);
    else
        *out = m.table;
    return code;
}

/* ---- Reading the table ---- */

assay_code as_latency_table_predict(const as_latency_table *table, const char *path,
                                    as_shape4 shape, double *us, assay_error *err)
{
    subject s = {0};
    assay_tensor input;
    float *data;
    double sum = table->call_us;
    assay_code code = make_input(shape, 0, &data, &input, err);
    if (!code) code = open_network(path, table->threads, &input, &s, err);
    const as_plan *plan = code ? NULL : as_session_plan(s.session);
    for (size_t g = 0; plan && g < plan->n_groups && !code; g++) {
        char name[KEY_ROOM];
        name_group(plan, g, name);
        const size_t row = find_row(table, name);
        if (row < table->n_rows)
            sum += table->rows[row].us;
        else
            code = as_fail(err, ASSAY_E_NOT_FOUND, "the table has no layer '%.200s'", name);
    }
    if (!code) *us = sum;
    close_network(&s);
    as_free(data);
    return code;
}

assay_code as_latency_table_error(const as_latency_table *table, double *median,
                                  double *greatest, assay_error *err)
{
    as_summary all = {0};
    double *errors = as_alloc_array(table->n_checks + 1, sizeof *errors);
    if (!errors) return no_memory(err);
    for (size_t i = 0; i < table->n_checks; i++) {
        const as_latency_check *c = &table->checks[i];
        errors[i] = fabs(c->predicted_us - c->measured_us) / c->measured_us;
    }
    assay_code code = as_summary_of(errors, table->n_checks, &all, err);
    *median = all.median;
    *greatest = all.greatest;
    as_free(errors);
    return code;
}

void as_latency_table_free(as_latency_table *table)
{
    if (!table) return;
    for (size_t i = 0; i < table->n_rows; i++)
        as_free(table->rows[i].layer);
    for (size_t i = 0; i < table->n_checks; i++)
        as_free(table->checks[i].network);
    as_free(table->rows);
    as_free(table->checks);
    as_free(table);
}
