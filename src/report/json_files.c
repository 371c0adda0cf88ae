/* SPDX-License-Identifier: Apache-2.0 */
/* experiment.json: phase, settings, orders.  background-load.jsonl: one snapshot a line. */
#include <stdlib.h>

#include "report/outputs.h"
#include "report/text.h"

static const char *state_name(as_run_state state)
{
    static const char *const names[] = {[AS_RUN_SMOKE] = "smoke",
                                        [AS_RUN_ROUNDS] = "rounds",
                                        [AS_RUN_STOPPED] = "stopped",
                                        [AS_RUN_FINISHED] = "finished"};
    return names[state];
}

/** [{"round": 1, "order": ["a", "b"], "finished": ["a"], "failed": []}, ...] */
static json_t *orders_json(const as_facts *f)
{
    json_t *rounds = json_array();
    for (size_t r = 0; r < f->n_rounds; r++) {
        json_t *order = json_array(), *finished = json_array(), *failed = json_array();
        int id = f->rounds[r].id;
        for (size_t i = 0; i < f->n_orders; i++)
            if (f->orders[i].round == id)
                as_json_append(&order, as_json_text(f->policies[f->orders[i].policy].name));
        for (size_t i = 0; i < f->n_slots; i++)
            if (f->slots[i].phase == AS_PHASE_FORMAL && f->slots[i].round == id)
                as_json_append(f->slots[i].state == AS_SLOT_FINISHED ? &finished : &failed,
                               as_json_text(f->policies[f->slots[i].policy].name));
        as_json_append(&rounds, json_pack("{s:i, s:o, s:o, s:o}", "round", id + 1, "order",
                                          order, "finished", finished, "failed", failed));
    }
    return rounds;
}

static json_t *policies_json(const as_facts *f)
{
    json_t *policies = json_array();
    for (size_t p = 0; p < f->n_policies; p++)
        as_json_append(&policies, as_json_text(f->policies[p].text));
    return policies;
}

assay_code as_write_experiment_json(const as_outputs *outputs, FILE *out, assay_error *err)
{
    static const char *const actions[] = {[AS_ON_DIFFERENCE_STOP] = "stop",
                                          [AS_ON_DIFFERENCE_EXCLUDE] = "exclude",
                                          [AS_ON_DIFFERENCE_MEASURE] = "measure"};
    const as_facts *f = outputs->facts;
    const as_run_row *run = f->run;
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:s, s:o, s:o}",
        "phase", state_name(run->state), "created", as_json_text(run->created), "finished",
        as_json_text(run->finished), "command", as_json_text(run->command), "policies",
        policies_json(f), "baseline", as_json_text(as_facts_name(f, (size_t)run->baseline)),
        "order", run->order, "seed", (json_int_t)run->seed, "rounds_planned", run->n_rounds,
        "rounds_done", (int)f->n_rounds_done, "cycles", run->n_cycles, "smoke_calls",
        run->n_smoke_calls, "traces", run->n_traces, "on_difference",
        actions[run->on_difference], "slot_timeout_s", as_json_real(run->slot_timeout_s),
        "rounds", orders_json(f));
    return as_put_json(out, root, JSON_INDENT(2), "experiment.json", err);
}

/** The busiest processes of snapshot `s`; `at` runs along the rows, which are in its order. */
static json_t *processes_json(const as_facts *f, size_t s, size_t *at)
{
    json_t *list = json_array();
    for (; *at < f->n_processes && (size_t)f->processes[*at].snapshot <= s; ++*at) {
        const as_process_row *p = &f->processes[*at];
        if ((size_t)p->snapshot == s)
            as_json_append(&list, json_pack("{s:i, s:o, s:o, s:I}", "pid", p->pid, "name",
                                            as_json_text(p->name), "cpu_percent",
                                            as_json_real(p->cpu_percent), "rss_bytes",
                                            (json_int_t)p->rss_bytes));
    }
    return list;
}

assay_code as_write_background_jsonl(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    size_t at = 0;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < f->n_snapshots && !code; i++) {
        const as_snapshot_row *s = &f->snapshots[i];
        json_t *line = json_pack(
            "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}",
            "phase", as_phase_name(s->phase), "round", as_round_number(s->phase, s->round),
            "moment", as_json_text(s->moment), "taken", as_json_text(s->taken), "load_1",
            as_json_real(s->load_1), "load_5", as_json_real(s->load_5), "load_15",
            as_json_real(s->load_15), "psi_cpu_avg10", as_json_real(s->psi_cpu_avg10),
            "psi_cpu_total_us", as_json_count(s->psi_cpu_total_us), "steal_ticks",
            (json_int_t)s->steal_ticks, "total_ticks", (json_int_t)s->total_ticks,
            "n_throttled", as_json_count(s->n_throttled), "throttled_us",
            as_json_count(s->throttled_us), "swap_used_bytes",
            as_json_count(s->swap_used_bytes), "processes", processes_json(f, i, &at));
        code = as_put_json(out, line, JSON_COMPACT, "background-load.jsonl", err);
    }
    return code;
}
