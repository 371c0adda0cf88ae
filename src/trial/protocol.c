/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/protocol.h"
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Write `event` as one line; takes it over. */
static assay_code put(FILE *out, json_t *event, assay_error *err)
{
    if (!event) return as_fail(err, ASSAY_E_MEMORY, "no memory for a line to the experiment");
    int status = json_dumpf(event, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(event);
    if (status != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
        return as_fail(err, ASSAY_E_IO, "the experiment cannot be told: %s", strerror(errno));
    return ASSAY_OK;
}

static json_t *shape_json(as_shape4 shape)
{
    return json_pack("[I,I,I,I]", (json_int_t)shape.n, (json_int_t)shape.c, (json_int_t)shape.h,
                     (json_int_t)shape.w);
}

static json_t *box_json(const as_box *box)
{
    json_t *list = json_array();
    for (int corner = 0; corner < 4; corner++)
        for (int axis = 0; axis < 2; axis++)
            as_json_append(&list, json_integer(box->corners[corner][axis]));
    as_json_append(&list, as_json_number(box->score));
    return list;
}

static json_t *boxes_json(const as_boxes *boxes, size_t n_inputs)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < n_inputs; i++) {
        json_t *list = json_array();
        for (size_t b = 0; b < boxes[i].n; b++)
            as_json_append(&list, box_json(&boxes[i].items[b]));
        as_json_append(&inputs, list);
    }
    return inputs;
}

static json_t *facts_json(const as_engine_facts *facts)
{
    return json_pack("{s:s s:s s:s s:s s:s s:s s:I s:I s:I s:I s:I}", "engine", facts->engine,
                     "version", facts->version, "device", facts->device, "dtype", facts->dtype,
                     "isa", facts->isa, "flags", facts->flags, "threads",
                     (json_int_t)facts->threads, "plan_bytes", (json_int_t)facts->plan_bytes,
                     "weight_bytes", (json_int_t)facts->weight_bytes, "n_loads",
                     (json_int_t)facts->n_loads, "n_forwards", (json_int_t)facts->n_forwards);
}

static json_t *passes_json(const as_engine_facts *facts)
{
    json_t *list = json_array();
    for (int i = 0; i < facts->n_passes; i++) {
        const as_pass_fact *pass = &facts->passes[i];
        as_json_append(&list,
                       json_pack("{s:s s:i s:i s:s s:s s:f}", "name", pass->name,
                                 "nodes_before", pass->nodes_before, "nodes_after",
                                 pass->nodes_after, "kinds_before", pass->kinds_before,
                                 "kinds_after", pass->kinds_after, "seconds", pass->seconds));
    }
    return list;
}

assay_code as_protocol_loaded(FILE *out, int64_t load_ns, const as_engine_facts *facts,
                              assay_error *err)
{
    return put(out,
               json_pack("{s:s s:I s:o s:o}", "event", "loaded", "load_ns", (json_int_t)load_ns,
                         "engine", facts_json(facts), "passes", passes_json(facts)),
               err);
}

assay_code as_protocol_memory(FILE *out, const as_memory_moment *moment,
                              const as_memory_sample *sample, assay_error *err)
{
    return put(out,
               json_pack("{s:s s:s s:i s:i s:i s:s s:I s:I s:I s:I s:I}", "event", "memory",
                         "when", moment->when, "cycle", moment->cycle, "document",
                         moment->document, "call", moment->call, "process", moment->process,
                         "rss", (json_int_t)sample->rss_bytes, "pss",
                         (json_int_t)sample->pss_bytes, "uss", (json_int_t)sample->uss_bytes,
                         "peak_rss", (json_int_t)sample->peak_rss_bytes, "swap",
                         (json_int_t)sample->swap_used_bytes),
               err);
}

static json_t *outputs_json(const as_call_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->call.n; i++)
        as_json_append(&list, json_string(report->outputs[i]));
    return list;
}

assay_code as_protocol_call(FILE *out, int cycle, int call, const as_call_report *report,
                            const as_boxes *boxes, assay_error *err)
{
    json_t *pieces = json_array();
    for (size_t i = 0; i < report->n_pieces; i++)
        as_json_append(&pieces, shape_json(report->pieces[i]));
    json_t *event =
        json_pack("{s:s s:i s:i s:o s:o s:[I,I,I,I] s:s s:s s:I}", "event", "call", "cycle",
                  cycle, "call", call, "shape", shape_json(report->call), "pieces", pieces,
                  "ns", (json_int_t)report->preprocess_ns, (json_int_t)report->forward_ns,
                  (json_int_t)report->transfer_ns, (json_int_t)report->postprocess_ns, "clock",
                  as_clock_fault_name(report->clock), "map", report->map_sha256, "not_finite",
                  (json_int_t)report->n_not_finite);
    if (report->outputs)
        as_json_set(&event, "outputs", outputs_json(report));
    else
        as_json_set(&event, "boxes", boxes_json(boxes, report->call.n));
    return put(out, event, err);
}

assay_code as_protocol_trace(FILE *out, int cycle, int call, const as_trace *trace,
                             assay_error *err)
{
    return put(out,
               json_pack("{s:s s:i s:i s:o}", "event", "trace", "cycle", cycle, "call", call,
                         "trace", as_trace_json(trace)),
               err);
}

assay_code as_protocol_margins(FILE *out, int call, const as_margins *margins, size_t n,
                               assay_error *err)
{
    json_t *inputs = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *list = json_array();
        for (size_t k = 0; k < margins[i].n; k++) {
            const as_margin_of *m = &margins[i].items[k];
            as_json_append(&list, json_pack("[i, o, o]", m->box, as_json_real(m->pixel),
                                            as_json_real(m->score)));
        }
        as_json_append(&inputs, list);
    }
    return put(out,
               json_pack("{s:s s:i s:o}", "event", "margins", "call", call, "inputs", inputs),
               err);
}

assay_code as_protocol_cleanup(FILE *out, int cycle, int document, int64_t elapsed_ns,
                               assay_error *err)
{
    return put(out,
               json_pack("{s:s s:i s:i s:I}", "event", "cleanup", "cycle", cycle, "document",
                         document, "ns", (json_int_t)elapsed_ns),
               err);
}

assay_code as_protocol_noise(FILE *out, const as_noise *n, assay_error *err)
{
    return put(
        out,
        json_pack("{s:s s:o s:o s:o s:o s:I s:I s:I s:I s:I s:I s:I s:I s:o s:o}", "event",
                  "noise", "wall_s", as_json_real(n->wall_s), "cpu_s", as_json_real(n->cpu_s),
                  "run_delay_s", as_json_real(n->run_delay_s), "psi_cpu_s",
                  as_json_real(n->psi_cpu_s), "steal_ticks", (json_int_t)n->steal_ticks,
                  "total_ticks", (json_int_t)n->total_ticks, "n_throttled",
                  (json_int_t)n->n_throttled, "major_faults", (json_int_t)n->major_faults,
                  "switches_wanted", (json_int_t)n->switches_wanted, "switches_forced",
                  (json_int_t)n->switches_forced, "cycles", (json_int_t)n->cycles,
                  "instructions", (json_int_t)n->instructions, "probe_before",
                  as_json_real(n->probe_before), "probe_after", as_json_real(n->probe_after)),
        err);
}

as_noise as_protocol_take_noise(const json_t *event)
{
    return (as_noise){.wall_s = as_json_member_number(event, "wall_s"),
                      .cpu_s = as_json_member_number(event, "cpu_s"),
                      .run_delay_s = as_json_member_number(event, "run_delay_s"),
                      .psi_cpu_s = as_json_member_number(event, "psi_cpu_s"),
                      .steal_ticks = as_json_member_integer(event, "steal_ticks"),
                      .total_ticks = as_json_member_integer(event, "total_ticks"),
                      .n_throttled = as_json_member_integer(event, "n_throttled"),
                      .major_faults = as_json_member_integer(event, "major_faults"),
                      .switches_wanted = as_json_member_integer(event, "switches_wanted"),
                      .switches_forced = as_json_member_integer(event, "switches_forced"),
                      .cycles = as_json_member_integer(event, "cycles"),
                      .instructions = as_json_member_integer(event, "instructions"),
                      .probe_before = as_json_member_number(event, "probe_before"),
                      .probe_after = as_json_member_number(event, "probe_after")};
}

assay_code as_protocol_end(FILE *out, int64_t close_ns, const as_engine_facts *facts,
                           const as_worker_usage *usage, assay_error *err)
{
    return put(out,
               json_pack("{s:s s:I s:o s:f s:f s:I s:I s:I}", "event", "end", "close_ns",
                         (json_int_t)close_ns, "engine", facts_json(facts), "user_s",
                         usage->user_s, "system_s", usage->system_s, "major_faults",
                         (json_int_t)usage->major_faults, "switches_wanted",
                         (json_int_t)usage->switches_wanted, "switches_forced",
                         (json_int_t)usage->switches_forced),
               err);
}

void as_protocol_error(FILE *out, const assay_error *why)
{
    char sentence[sizeof why->where + sizeof why->message + 2];
    snprintf(sentence, sizeof sentence, "%s%s%s", why->where, why->where[0] ? ": " : "",
             why->message);
    json_t *as_json = json_string(sentence); /* paths may hold bytes that no JSON string can */
    bool is_utf8 = as_json != NULL;
    json_decref(as_json);
    for (char *at = sentence; *at && !is_utf8; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    assay_error lost;
    put(out,
        json_pack("{s:s s:s s:s}", "event", "error", "code", assay_code_name(why->code),
                  "message", sentence),
        &lost);
}
