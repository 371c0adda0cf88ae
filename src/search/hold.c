/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holding a choice to equal boxes.
 *
 * The layers that use close routes, in the graph's order, are c[0] .. c[n-1].  With none of them
 * close the boxes are the truth's by construction; with all of them they differ.  So some k has
 * equal boxes with c[0] .. c[k-1] close and other boxes with c[k] too, and halving finds one: it
 * keeps "equal at low, different at high", whatever happens between.
 */
#include "base/memory.h"
#include "search/routes.h"

typedef struct holding {
    as_route_search *search;
    size_t *exact;  /* owns; [n_layers]: each layer's best exact option */
    size_t *close;  /* owns; the layers that use close routes */
    size_t *option; /* owns; [n_layers]: what a comparison uses */
    size_t n_close;
} holding;

static bool is_close(const as_search_layer *layer)
{
    return !layer->options[layer->chosen].is_exact;
}

/* Compare with the first `n` of the close layers close, the others exact. */
static assay_code compare_prefix(const holding *h, size_t n, bool *is_equal, assay_error *err)
{
    as_route_search *s = h->search;
    for (size_t i = 0; i < s->n_layers; i++)
        h->option[i] = s->layers[i].chosen;
    for (size_t i = n; i < h->n_close; i++)
        h->option[h->close[i]] = h->exact[h->close[i]];
    s->n_comparisons++;
    return s->meter->compare(s->meter->context, h->option, is_equal, err);
}

/* The position in `close` of the layer that turns equal boxes into different ones. */
static assay_code bisect(const holding *h, size_t *culprit, assay_error *err)
{
    size_t low = 0, high = h->n_close; /* equal with `low`, different with `high` */
    assay_code code = ASSAY_OK;
    while (high - low > 1 && !code) {
        size_t middle = low + (high - low) / 2;
        bool is_equal = false;
        code = compare_prefix(h, middle, &is_equal, err);
        if (is_equal)
            low = middle;
        else
            high = middle;
    }
    *culprit = high - 1;
    return code;
}

static void list_close(holding *h)
{
    h->n_close = 0;
    for (size_t i = 0; i < h->search->n_layers; i++)
        if (is_close(&h->search->layers[i])) h->close[h->n_close++] = i;
}

static assay_code hold(holding *h, assay_error *err)
{
    as_route_search *s = h->search;
    assay_code code = ASSAY_OK;
    for (size_t i = 0; i < s->n_layers && !code; i++)
        code = as_routes_best(s, i, true, &h->exact[i], NULL, err);
    while (!code) {
        bool is_equal = false;
        size_t culprit = 0;
        list_close(h);
        code = compare_prefix(h, h->n_close, &is_equal, err);
        if (code || is_equal) break;
        if (h->n_close == 0)
            return as_fail(err, ASSAY_E_DIFFERENT,
                           "boxes differ though every layer uses an exact route");
        code = bisect(h, &culprit, err);
        if (code) break;
        as_search_layer *layer = &s->layers[h->close[culprit]];
        layer->options[layer->chosen].changes_boxes = true;
        code = as_routes_best(s, h->close[culprit], false, &layer->chosen, NULL, err);
    }
    return code;
}

assay_code as_routes_hold(as_route_search *search, assay_error *err)
{
    size_t n = search->n_layers + 1;
    holding h = {.search = search,
                 .exact = as_alloc_array(n, sizeof *h.exact),
                 .close = as_alloc_array(n, sizeof *h.close),
                 .option = as_alloc_array(n, sizeof *h.option)};
    assay_code code = h.exact && h.close && h.option
                          ? hold(&h, err)
                          : as_fail(err, ASSAY_E_MEMORY, "no memory to compare boxes");
    as_free(h.exact);
    as_free(h.close);
    as_free(h.option);
    return code;
}
