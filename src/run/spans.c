/* SPDX-License-Identifier: Apache-2.0 */
#include "run/spans.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "plan/group.h"

/* The most spans that one thread can note: a layer alone is one call of a thread, a group one call a
 * layer and band, and a thread's share may cut the first and last band of an image. */
static size_t most_spans(const as_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_groups; i++) {
        const as_group *group = &plan->groups[i];
        n += group->n_layers == 1 ? 1
                                  : group->n_layers * group->n_images *
                                        (as_div_up(group->height, group->band_rows) + 1);
    }
    return n;
}

assay_code as_spans_prepare(as_spans *spans, const as_plan *plan, size_t n_threads,
                            assay_error *err)
{
    const size_t room = most_spans(plan);
    if (n_threads != spans->n_threads || room > spans->room) {
        size_t n = 0;
        as_spans_release(spans);
        if (as_mul(room, n_threads, &n)) {
            spans->items = as_alloc_array(n, sizeof *spans->items);
            spans->counts = as_alloc_array(n_threads, sizeof *spans->counts);
        }
        if (!spans->items || !spans->counts) {
            as_spans_release(spans);
            return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu spans of %zu threads", room,
                           n_threads);
        }
        spans->n_threads = n_threads;
        spans->room = room;
    }
    memset(spans->counts, 0, n_threads * sizeof *spans->counts);
    return ASSAY_OK;
}

void as_spans_release(as_spans *spans)
{
    as_free(spans->items);
    as_free(spans->counts);
    *spans = (as_spans){0};
}

void as_spans_add(as_spans *spans, size_t thread, size_t layer, int64_t begin_ns,
                  int64_t end_ns)
{
    const size_t n = spans->counts[thread]++;
    assert(n < spans->room);
    spans->items[thread * spans->room + n] = (as_span){layer, begin_ns, end_ns};
}
