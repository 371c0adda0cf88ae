/* SPDX-License-Identifier: Apache-2.0 */
/* calls.csv: one line a timed call of every slot, smoke slots too, in the evidence's order. */
#include "report/outputs.h"
#include "report/text.h"

/** "8x3x640x640;8x3x640x640": what the network saw, piece by piece. */
static void put_pieces(FILE *out, const as_sample_row *s)
{
    for (size_t i = 0; i < s->n_pieces; i++)
        fprintf(out, "%s%zux%zux%zux%zu", i ? ";" : "", s->pieces[i].n, s->pieces[i].c,
                s->pieces[i].h, s->pieces[i].w);
}

/** Where lines go and what their indices mean. */
typedef struct lines {
    const as_facts *f;
    FILE *out;
} lines;

static assay_code put_line(void *context, const as_sample_row *s, assay_error *err)
{
    const lines *l = context;
    const as_facts *f = l->f;
    FILE *out = l->out;
    (void)err;
    const as_slot_row *slot = &f->slots[s->slot];
    const as_call_row *call = &f->calls[s->call];
    fprintf(out, "%s,%d,%d,", as_phase_name(slot->phase),
            as_round_number(slot->phase, slot->round), slot->position + 1);
    as_put_csv(out, f->policies[slot->policy].name);
    fprintf(out, ",%d,", s->cycle);
    as_put_csv(out, call->id);
    putc(',', out);
    as_put_csv(out, f->documents[call->document].name);
    fprintf(out, ",%zu,%zu,%zu,%zu,%zu,", s->shape.n, s->shape.c, s->shape.h, s->shape.w,
            s->n_pieces);
    put_pieces(out, s);
    fprintf(out, ",%lld,%lld,%lld,%lld,%lld,%s,%lld\n", (long long)s->preprocess_ns,
            (long long)s->forward_ns, (long long)s->transfer_ns, (long long)s->postprocess_ns,
            (long long)(s->preprocess_ns + s->forward_ns + s->transfer_ns + s->postprocess_ns),
            s->map_sha256, (long long)s->n_not_finite);
    return ASSAY_OK;
}

assay_code as_write_calls_csv(const as_outputs *outputs, FILE *out, assay_error *err)
{
    const as_facts *f = outputs->facts;
    fputs("phase,round,position,policy,cycle,call,document,n,c,h,w,forwards,network_shapes,"
          "preprocess_ns,forward_ns,transfer_ns,postprocess_ns,detection_ns,map_sha256,"
          "not_finite\n",
          out);
    lines l = {f, out};
    return as_evidence_each_sample(f->evidence, -1, NULL, put_line, &l, err);
}
