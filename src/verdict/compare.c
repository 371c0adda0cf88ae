/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool same_corners(const as_box *a, const as_box *b)
{
    return memcmp(a->corners, b->corners, sizeof a->corners) == 0;
}

/** Distance of two scores; equal infinities and two NaN are no distance apart. */
static double score_distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    return fabs(a - b);
}

/** Largest distance, in pixels, between corners of the same name. */
static double corner_distance(const as_box *a, const as_box *b)
{
    double farthest = 0;
    for (int i = 0; i < 4; i++) {
        double dx = (double)a->corners[i][0] - b->corners[i][0];
        double dy = (double)a->corners[i][1] - b->corners[i][1];
        farthest = fmax(farthest, hypot(dx, dy));
    }
    return farthest;
}

/** Distance from `box` to the nearest of `others`; 0 when it is among them. */
static double nearest_distance(const as_box *box, const as_boxes *others)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < others->n && nearest > 0; i++)
        nearest = fmin(nearest, corner_distance(box, &others->items[i]));
    return nearest;
}

/** Count boxes of `from` that `in` has nowhere; boxes at an equal position are looked at first. */
static size_t count_strangers(const as_boxes *from, const as_boxes *in, double *farthest)
{
    size_t n = 0;
    for (size_t i = 0; i < from->n; i++) {
        if (i < in->n && same_corners(&from->items[i], &in->items[i])) continue;
        double distance = nearest_distance(&from->items[i], in);
        n += distance > 0;
        *farthest = fmax(*farthest, distance);
    }
    return n;
}

static void note_first(as_comparison *c, size_t i, const as_boxes *reference,
                       const as_boxes *answer)
{
    c->first = i;
    if (i < reference->n) c->reference_box = reference->items[i];
    if (i < answer->n) c->answer_box = answer->items[i];
}

as_comparison as_boxes_compare(const as_boxes *reference, const as_boxes *answer)
{
    as_comparison c = {.n_reference = reference->n, .n_answer = answer->n};
    size_t n_longer = reference->n > answer->n ? reference->n : answer->n;
    bool corners_differ = false;
    for (size_t i = 0; i < n_longer; i++) {
        bool paired = i < reference->n && i < answer->n;
        bool corners = paired && same_corners(&reference->items[i], &answer->items[i]);
        double score =
            corners ? score_distance(reference->items[i].score, answer->items[i].score) : 0;
        c.max_score = fmax(c.max_score, score);
        if (corners && score <= AS_SCORE_TOLERANCE) continue;
        if (c.n_differing++ == 0) note_first(&c, i, reference, answer);
        if (!corners && !corners_differ) {
            corners_differ = true; /* corners weigh more than an earlier box's score */
            note_first(&c, i, reference, answer);
        }
    }
    if (corners_differ) {
        c.n_missing = count_strangers(reference, answer, &c.max_corner_px);
        c.n_added = count_strangers(answer, reference, &c.max_corner_px);
    }
    c.equal = c.n_differing == 0;
    if (reference->n != answer->n)
        c.kind = AS_DIFFERENCE_COUNT;
    else if (corners_differ)
        c.kind = c.n_missing + c.n_added == 0 ? AS_DIFFERENCE_ORDER : AS_DIFFERENCE_CORNERS;
    else if (!c.equal)
        c.kind = AS_DIFFERENCE_SCORE;
    return c;
}

/** "(x,y) (x,y) (x,y) (x,y)" of one box. */
static void corners_text(const as_box *box, char *text, size_t size)
{
    snprintf(text, size, "(%d,%d) (%d,%d) (%d,%d) (%d,%d)", box->corners[0][0],
             box->corners[0][1], box->corners[1][0], box->corners[1][1], box->corners[2][0],
             box->corners[2][1], box->corners[3][0], box->corners[3][1]);
}

const char *as_comparison_say_english(int language, const char *english)
{
    (void)language;
    return english;
}

void as_comparison_describe(const as_comparison *c, char text[AS_COMPARISON_TEXT])
{
    as_comparison_describe_in(c, as_comparison_say_english, 0, text);
}

void as_comparison_describe_in(const as_comparison *c, as_comparison_say *say, int language,
                               char text[AS_COMPARISON_TEXT])
{
    char was[104], is[104];
    switch (c->kind) {
    case AS_DIFFERENCE_NONE:
        snprintf(text, AS_COMPARISON_TEXT, say(language, "%zu equal boxes"), c->n_reference);
        return;
    case AS_DIFFERENCE_COUNT:
        snprintf(text, AS_COMPARISON_TEXT,
                 say(language,
                     "%zu boxes where the truth has %zu; box %zu is the first that differs"),
                 c->n_answer, c->n_reference, c->first + 1);
        return;
    case AS_DIFFERENCE_ORDER:
        snprintf(text, AS_COMPARISON_TEXT,
                 say(language, "the same %zu boxes in another order from box %zu on"),
                 c->n_reference, c->first + 1);
        return;
    case AS_DIFFERENCE_CORNERS:
        corners_text(&c->reference_box, was, sizeof was);
        corners_text(&c->answer_box, is, sizeof is);
        snprintf(text, AS_COMPARISON_TEXT,
                 say(language, "box %zu of %zu is %s where the truth has %s"), c->first + 1,
                 c->n_reference, is, was);
        return;
    case AS_DIFFERENCE_SCORE:
        snprintf(text, AS_COMPARISON_TEXT,
                 say(language, "box %zu of %zu scores %.9g where the truth has %.9g"),
                 c->first + 1, c->n_reference, c->answer_box.score, c->reference_box.score);
        return;
    }
}
