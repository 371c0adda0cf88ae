/* SPDX-License-Identifier: Apache-2.0 */
#include "corpus/calls.h"

#include <stdio.h>
#include <string.h>

bool as_settings_are_equal(const as_detect_settings *a, const as_detect_settings *b)
{
    return a->thresh == b->thresh && a->box_thresh == b->box_thresh && a->unclip == b->unclip &&
           a->limit_side == b->limit_side && a->limit_type == b->limit_type;
}

/* An item's arrays are one call. */
static bool same_group(const as_corpus_region *a, const as_corpus_region *b)
{
    if (a->tensor || b->tensor) return a->tensor && b->tensor && a->page == b->page;
    return a->net_h == b->net_h && a->net_w == b->net_w &&
           as_settings_are_equal(&a->settings, &b->settings);
}

/* One call of the not yet taken regions in the group of `first`. */
static bool make_call(as_corpus *corpus, size_t document, size_t first, bool *is_taken)
{
    const as_corpus_document *d = &corpus->documents[document];
    const as_corpus_region *like = &corpus->regions[first];
    size_t *inputs = as_arena_array(corpus->arena, (size_t)corpus->max_batch, sizeof *inputs);
    size_t id_bytes = strlen(d->id) + 16;
    char *id = as_arena_alloc(corpus->arena, id_bytes);
    if (!inputs || !id) return false;
    int n = 0;
    for (size_t i = first; i < d->first_region + d->n_regions && n < corpus->max_batch; i++) {
        if (is_taken[i] || !same_group(like, &corpus->regions[i])) continue;
        is_taken[i] = true;
        inputs[n++] = i;
    }
    snprintf(id, id_bytes, "%s-c%03zu", d->id, corpus->n_calls - d->first_call + 1);
    corpus->calls[corpus->n_calls++] = (as_corpus_call){.id = id,
                                                        .document = document,
                                                        .n = n,
                                                        .c = like->tensor ? 1 : 3,
                                                        .h = like->tensor ? 1 : like->net_h,
                                                        .w = like->tensor ? 1 : like->net_w,
                                                        .inputs = inputs};
    return true;
}

/* All calls of the group of `first`, before the next group's. */
static bool make_group(as_corpus *corpus, size_t document, size_t first, bool *is_taken)
{
    const as_corpus_document *d = &corpus->documents[document];
    const as_corpus_region *like = &corpus->regions[first];
    for (size_t i = first; i < d->first_region + d->n_regions; i++)
        if (!is_taken[i] && same_group(like, &corpus->regions[i]) &&
            !make_call(corpus, document, i, is_taken))
            return false;
    return true;
}

assay_code as_calls_make(as_corpus *corpus, assay_error *err)
{
    bool *is_taken = as_arena_array(corpus->arena, corpus->n_regions + 1, sizeof *is_taken);
    corpus->calls = as_arena_array(corpus->arena, corpus->n_regions + 1, sizeof *corpus->calls);
    corpus->n_calls = 0;
    bool has_memory = is_taken && corpus->calls;
    for (size_t d = 0; has_memory && d < corpus->n_documents; d++) {
        as_corpus_document *document = &corpus->documents[d];
        document->first_call = corpus->n_calls;
        for (size_t i = 0; has_memory && i < document->n_regions; i++)
            if (!is_taken[document->first_region + i])
                has_memory = make_group(corpus, d, document->first_region + i, is_taken);
        document->n_calls = corpus->n_calls - document->first_call;
    }
    return has_memory ? ASSAY_OK
                      : as_fail(err, ASSAY_E_MEMORY, "no memory for the calls of %zu regions",
                                corpus->n_regions);
}
