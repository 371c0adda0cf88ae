/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/course.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "evidence/evidence.h"
#include "trial/outputs.h"
#include "trial/snapshot.h"

static const double default_snapshot_s = 0.5;

void as_course_note(const as_course *c, const char *format, ...)
{
    char sentence[640];
    if (!c->control->watch.note) return;
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    c->control->watch.note(c->control->watch.context, sentence);
}

/* Take a formal slot in, of the evidence or just run. */
static assay_code add_done(as_course *c, const as_done *done, assay_error *err)
{
    as_done *grown = as_grow(c->done, c->n_done, &c->done_room, sizeof *grown);
    if (!grown) return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu slots", c->n_done);
    c->done = grown;
    c->done[c->n_done++] = *done;
    return ASSAY_OK;
}

static void count_time(as_course *c, as_phase phase, int policy, bool is_finished,
                       double total_s)
{
    if (!isfinite(total_s)) return;
    c->spent_s += total_s;
    if (phase != AS_PHASE_FORMAL || !is_finished) return;
    c->standings[policy].n_slots++;
    c->standings[policy].slots_s += total_s;
}

/* What the evidence holds already. */
static assay_code recall(as_course *c, assay_error *err)
{
    const as_noise_row *noise;
    size_t n_noise, at = 0;
    assay_code code = as_evidence_noise(c->evidence, &noise, &n_noise, err);
    for (size_t i = 0; i < c->n_slots && !code; i++) {
        const as_slot_row *s = &c->slots[i];
        as_done done = {s->round, s->repeat, s->policy, as_dirt_none()};
        while (at < n_noise && (size_t)noise[at].slot < i)
            at++;
        if (at < n_noise && (size_t)noise[at].slot == i) {
            as_dirt_add(&done.dirt, &noise[at].noise);
            c->n_bad_clock += noise[at].n_bad_clock;
        }
        if (s->phase != AS_PHASE_PROFILE) c->n_calls += s->n_calls;
        if (s->state == AS_SLOT_FAILED) c->standings[s->policy].failed = true;
        count_time(c, s->phase, s->policy, s->state == AS_SLOT_FINISHED, s->total_s);
        if (s->phase == AS_PHASE_FORMAL) code = add_done(c, &done, err);
    }
    return code;
}

static assay_code begin_slot(void *writer, assay_error *err)
{
    return as_evidence_slot_begin(writer, err);
}

static assay_code add_rows(void *writer, const as_slot_record *part, assay_error *err)
{
    return as_evidence_slot_add(writer, part, err);
}

static assay_code keep_outputs(void *writer, const char *folder, assay_error *err)
{
    return as_outputs_store(folder, writer, err);
}

static assay_code end_slot(void *writer, const as_slot_row *slot, assay_error *err)
{
    return as_evidence_slot_end(writer, slot, err);
}

assay_code as_course_open(const char *run_folder, const as_trial_control *control, as_course *c,
                          assay_error *err)
{
    *c = (as_course){.run_folder = run_folder, .control = control};
    as_slot_place *p = &c->place;
    const as_snapshot_row *snapshots;
    size_t n_snapshots = 0;
    c->path = as_path_join(run_folder, AS_EVIDENCE_FILE);
    if (!c->path) return as_fail(err, ASSAY_E_MEMORY, "no memory to open %s", run_folder);
    assay_code code = as_evidence_continue(c->path, &c->writer, err);
    if (!code) code = as_evidence_open(c->path, &c->evidence, err);
    if (!code) code = as_evidence_policies(c->evidence, &p->policies, &c->n_policies, err);
    if (!code) code = as_evidence_orders(c->evidence, &c->orders, &c->n_orders, err);
    if (!code) code = as_evidence_inputs(c->evidence, &p->inputs, &p->n_inputs, err);
    if (!code) code = as_evidence_calls(c->evidence, &p->calls, &p->n_calls, err);
    if (!code) code = as_evidence_slots(c->evidence, &c->slots, &c->n_slots, err);
    if (!code) code = as_evidence_snapshots(c->evidence, &snapshots, &n_snapshots, err);
    if (code) return code;
    p->run_folder = run_folder;
    p->control = control;
    p->run = as_evidence_run(c->evidence);
    p->sink = (as_slot_sink){c->writer, begin_slot, add_rows, keep_outputs, end_slot};
    c->standings = as_alloc_array(c->n_policies + 1, sizeof *c->standings);
    if (!c->standings)
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu policies", c->n_policies);
    c->spent_s = (double)n_snapshots * as_course_snapshot_s(c);
    return recall(c, err);
}

assay_code as_course_close(as_course *c, assay_code code, assay_error *err)
{
    as_evidence_close(c->evidence);
    assay_code closing = as_evidence_writer_close(c->writer, code ? NULL : err);
    as_free(c->path);
    as_free(c->standings);
    as_free(c->done);
    return code ? code : closing;
}

double as_course_snapshot_s(const as_course *c)
{
    return c->control->snapshot_s > 0 ? c->control->snapshot_s : default_snapshot_s;
}

assay_code as_course_snapshot(as_course *c, as_phase phase, int round, const char *moment,
                              assay_error *err)
{
    as_process_row rows[AS_SNAPSHOT_PROCESSES];
    as_snapshot *taken = as_alloc(sizeof *taken);
    if (!taken) return as_fail(err, ASSAY_E_MEMORY, "no memory for a snapshot");
    assay_code code = as_snapshot_take("", as_course_snapshot_s(c), taken, err);
    if (!code) {
        as_snapshot_row row = as_snapshot_row_of(taken, phase, round, moment);
        size_t n = as_snapshot_process_rows(taken, rows);
        code = as_evidence_add_snapshot(c->writer, &row, rows, n, err);
    }
    as_free(taken);
    c->spent_s += as_course_snapshot_s(c);
    return code;
}

bool as_course_has_slot(const as_course *c, const as_slot_order *order)
{
    for (size_t i = 0; i < c->n_slots; i++) {
        const as_slot_row *s = &c->slots[i];
        if (s->phase == order->phase && s->round == order->round &&
            s->repeat == order->repeat && s->policy == order->policy)
            return true;
    }
    return false;
}

assay_code as_course_run_slot(as_course *c, const as_slot_order *order, assay_error *err)
{
    as_slot_end end;
    if (c->control->stop && c->control->stop(c->control->stop_context))
        return as_fail(err, ASSAY_E_INTERRUPTED, "interrupted before the next slot");
    assay_code code = as_slot_run(&c->place, order, &end, err);
    if (code) return code;
    as_done done = {order->round, order->repeat, order->policy, as_dirt_none()};
    if (end.has_noise) as_dirt_add(&done.dirt, &end.noise);
    c->n_calls += end.n_calls;
    c->n_bad_clock += end.n_bad_clock;
    count_time(c, order->phase, order->policy, end.state == AS_SLOT_FINISHED, end.total_s);
    if (order->phase == AS_PHASE_FORMAL) code = add_done(c, &done, err);
    if (end.state == AS_SLOT_FAILED) {
        c->standings[order->policy].failed = true;
        as_course_note(c, "%s", end.sentence);
    }
    return code;
}
