/* SPDX-License-Identifier: Apache-2.0 */
#include "report/margin_table.h"

#include <math.h>

#include "report/text.h"

enum { CLOSEST_MAX = 20, BOX_DROPPED = -1, BOX_REST = -2 };

/* From the noise of one float32 sum to what engines differ by on the detectors' maps. */
static const double distances[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

/* Whether the row is of its input's first slot; rows come by slot. */
static bool counts(const as_facts *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (f->margins[k].input == f->margins[i].input)
            return f->margins[k].slot == f->margins[i].slot;
    return true;
}

/* How much of a change flips it: the nearer of its pixels and its score. */
static double reach_of(const as_margin_row *m)
{
    double score = fabs(m->score);
    return isnan(score) ? m->pixel : fmin(m->pixel, score);
}

/* Rows of one kind within a distance; of boxes that are kept `box` is 0 and above. */
static size_t count_within(const as_facts *f, const bool *taken, int kind, double distance)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_margins; i++) {
        const as_margin_row *m = &f->margins[i];
        bool is_kind = kind >= 0 ? m->box >= 0 : m->box == kind;
        n += taken[i] && is_kind && reach_of(m) <= distance;
    }
    return n;
}

/* Marks of the rows that count and the closest kept boxes, nearest first. */
typedef struct margin_table {
    bool *taken; /* owns; [n_margins] */
    size_t closest[CLOSEST_MAX], n_closest;
} margin_table;

static void keep_closest(const as_facts *f, margin_table *t, size_t row)
{
    double reach = reach_of(&f->margins[row]);
    size_t at = t->n_closest;
    while (at > 0 && reach_of(&f->margins[t->closest[at - 1]]) > reach)
        at--;
    if (at == CLOSEST_MAX) return;
    if (t->n_closest < CLOSEST_MAX) t->n_closest++;
    for (size_t k = t->n_closest - 1; k > at; k--)
        t->closest[k] = t->closest[k - 1];
    t->closest[at] = row;
}

static bool make_table(const as_facts *f, margin_table *t)
{
    *t = (margin_table){.taken = as_arena_array(f->arena, f->n_margins + 1, sizeof *t->taken)};
    for (size_t i = 0, begin = 0; t->taken && i < f->n_margins; i++) {
        /* An input's rows stand together in a slot: the first one of them is looked up. */
        if (i == 0 || f->margins[i].input != f->margins[i - 1].input ||
            f->margins[i].slot != f->margins[i - 1].slot)
            begin = i;
        t->taken[i] = begin == i ? counts(f, i) : t->taken[begin];
        if (t->taken[i] && f->margins[i].box >= 0) keep_closest(f, t, i);
    }
    return t->taken != NULL;
}

json_t *as_margins_json(const as_facts *f)
{
    margin_table t;
    if (f->n_margins == 0) return json_null();
    if (!make_table(f, &t)) return NULL;
    json_t *within = json_array(), *closest = json_array();
    for (size_t i = 0; i < AS_COUNT_OF(distances); i++)
        as_json_append(
            &within,
            json_pack("{s:f, s:I, s:I, s:I}", "distance", distances[i], "boxes",
                      (json_int_t)count_within(f, t.taken, 0, distances[i]), "dropped",
                      (json_int_t)count_within(f, t.taken, BOX_DROPPED, distances[i]), "maps",
                      (json_int_t)count_within(f, t.taken, BOX_REST, distances[i])));
    for (size_t i = 0; i < t.n_closest; i++) {
        const as_margin_row *m = &f->margins[t.closest[i]];
        as_json_append(&closest, json_pack("{s:o, s:I, s:o, s:o}", "input",
                                           as_json_text(f->inputs[m->input].id), "box",
                                           m->box + 1, "pixel", as_json_real(m->pixel), "score",
                                           as_json_real(m->score)));
    }
    return json_pack("{s:I, s:I, s:o, s:o}", "boxes",
                     (json_int_t)count_within(f, t.taken, 0, INFINITY), "dropped",
                     (json_int_t)count_within(f, t.taken, BOX_DROPPED, INFINITY), "within",
                     within, "closest", closest);
}

static void within_table(as_page *page, const as_facts *f, const margin_table *t)
{
    static const as_table_column columns[] = {{"a change by", true},
                                              {"could flip boxes", true},
                                              {"dropped candidates", true},
                                              {"maps with a pixel elsewhere", true}};
    static const int kinds[] = {0, BOX_DROPPED, BOX_REST};
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < AS_COUNT_OF(distances); i++) {
        as_cell(page, "%.0e", distances[i]);
        for (size_t k = 0; k < AS_COUNT_OF(kinds); k++)
            as_cell(page, "%zu", count_within(f, t->taken, kinds[k], distances[i]));
    }
    as_table_end(page);
}

void as_section_margins(as_page *page, const as_facts *f)
{
    static const as_table_column columns[] = {
        {"input", false}, {"box", true}, {"nearest pixel", true}, {"score above", true}};
    margin_table t;
    if (f->n_margins == 0) return;
    if (!make_table(f, &t)) {
        page->lacks_memory = true;
        return;
    }
    as_fold(page, "How near the decisions were");
    as_paragraph(
        page, "How far the pixels in a box's rectangle stood from the threshold, and its score "
              "from the box threshold, in the baseline's maps: what a change of every value by "
              "so much could flip.");
    within_table(page, f, &t);
    as_table(page, columns, AS_COUNT_OF(columns));
    for (size_t i = 0; i < t.n_closest; i++) {
        const as_margin_row *m = &f->margins[t.closest[i]];
        as_cell(page, "%s", f->inputs[m->input].id);
        as_cell(page, "%lld", (long long)m->box + 1);
        as_cell(page, "%.2g", m->pixel);
        as_cell(page, "%.2g", m->score);
    }
    as_table_end(page);
    as_fold_end(page);
}
