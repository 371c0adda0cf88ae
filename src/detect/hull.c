/* SPDX-License-Identifier: Apache-2.0 */
/*
 * J. Sklansky's scan over points sorted by x, in four chains (left and right of the topmost and of
 * the lowest point), with the order of decisions and of the result that OpenCV 5.0.0 has in
 * modules/geometry/src/convhull.cpp: the start of the hull decides which of two rectangles of equal
 * area minAreaRect takes, so it is part of the answer.
 */
#include "detect/hull.h"

#include <stdbool.h>
#include <string.h>

/* Everything of one call; the arrays lie one behind the other in the caller's room. */
typedef struct hull_work {
    const as_point *points;
    int32_t n;
    int32_t *sorted; /* [n] indices of points, by x, then y, then index */
    int32_t *spare;  /* [n] for the sort */
    int32_t *stack;  /* [n + 2] positions in sorted */
    int32_t *out;    /* [2n + 4] the result */
    int32_t n_out;
} hull_work;

static const as_point *at(const hull_work *work, int32_t position)
{
    return &work->points[work->sorted[position]];
}

static bool is_same(const as_point *a, const as_point *b)
{
    return a->x == b->x && a->y == b->y;
}

static bool is_before(const as_point *a, const as_point *b)
{
    return a->x != b->x ? a->x < b->x : a->y < b->y;
}

static int sign(int64_t value) { return (value > 0) - (value < 0); }

/* Runs of up to this many points are sorted by insertion, then merged. */
enum { SORT_RUN = 16 };

static void sort_run(hull_work *work, int32_t from, int32_t to)
{
    int32_t *s = work->sorted;
    for (int32_t i = from + 1; i < to; i++) {
        int32_t moving = s[i];
        int32_t j = i;
        for (; j > from && is_before(&work->points[moving], &work->points[s[j - 1]]); j--)
            s[j] = s[j - 1];
        s[j] = moving;
    }
}

static void merge_runs(const hull_work *work, const int32_t *from, int32_t *to, int32_t first,
                       int32_t middle, int32_t end)
{
    int32_t i = first, j = middle;
    for (int32_t k = first; k < end; k++) {
        bool take_right = i == middle || (j < end && is_before(&work->points[from[j]],
                                                               &work->points[from[i]]));
        to[k] = take_right ? from[j++] : from[i++];
    }
}

/* A stable sort, so that equal points stay in the order of their indices. */
static void sort_points(hull_work *work)
{
    int32_t n = work->n;
    for (int32_t i = 0; i < n; i++)
        work->sorted[i] = i;
    for (int32_t i = 0; i < n; i += SORT_RUN)
        sort_run(work, i, i + SORT_RUN < n ? i + SORT_RUN : n);
    for (int64_t width = SORT_RUN; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            int32_t middle = (int32_t)(i + width < n ? i + width : n);
            int32_t end = (int32_t)(i + 2 * width < n ? i + 2 * width : n);
            merge_runs(work, work->sorted, work->spare, (int32_t)i, middle, end);
        }
        int32_t *swap = work->sorted;
        work->sorted = work->spare;
        work->spare = swap;
    }
}

/*
 * One chain from position `start` to position `end`.  `skip_sign` is the sign of a step in y that
 * leads away from the chain's goal, `turn_sign` that of a turn which keeps the chain convex.
 * @return how many positions stand in `stack`.
 */
static int32_t scan_chain(const hull_work *work, int32_t start, int32_t end, int32_t *stack,
                          int skip_sign, int turn_sign)
{
    int32_t step = end > start ? 1 : -1;
    if (start == end || is_same(at(work, start), at(work, end))) {
        stack[0] = start;
        return 1;
    }
    int32_t prev = start, cur = start + step, next = cur + step;
    int32_t size = 3;
    stack[0] = prev;
    stack[1] = cur;
    stack[2] = next;
    for (int32_t behind = end + step; next != behind;) {
        const as_point *a = at(work, prev), *b = at(work, cur), *c = at(work, next);
        int64_t by = (int64_t)c->y - b->y;
        if (sign(by) == skip_sign) {
            next += step;
            stack[size - 1] = next;
            continue;
        }
        int64_t ax = (int64_t)b->x - a->x, ay = (int64_t)b->y - a->y;
        int64_t turn = ay * ((int64_t)c->x - b->x) - ax * by;
        if (sign(turn) == turn_sign && (ax != 0 || ay != 0)) {
            prev = cur;
            cur = next;
            next += step;
            stack[size++] = next;
        } else if (prev == start) {
            cur = next;
            stack[1] = cur;
            next += step;
            stack[2] = next;
        } else {
            stack[size - 2] = next;
            cur = prev;
            prev = stack[size - 4];
            size--;
        }
    }
    return size - 1;
}

/* Append the first chain forwards without its end, then the second backwards without its start. */
static void join_chains(hull_work *work, const int32_t *first, int32_t n_first,
                        const int32_t *second, int32_t n_second)
{
    for (int32_t i = 0; i < n_first - 1; i++)
        work->out[work->n_out++] = first[i];
    for (int32_t i = n_second - 1; i > 0; i--)
        work->out[work->n_out++] = second[i];
}

/* Where all points lie on one line, the second half mirrors the first and is left out. */
static bool is_mirrored(const hull_work *work, int32_t stop, const int32_t *left,
                        int32_t n_left, const int32_t *right, int32_t n_right)
{
    if (stop < 0) return false;
    int32_t check = -1;
    if (n_left > 2)
        check = left[1];
    else if (n_left + n_right > 2)
        check = right[2 - n_left];
    return check == stop || (check >= 0 && is_same(at(work, check), at(work, stop)));
}

static void build_chains(hull_work *work, int32_t low, int32_t high)
{
    int32_t last = work->n - 1;
    int32_t *left = work->stack;
    int32_t n_left = scan_chain(work, 0, high, left, -1, 1);
    int32_t *right = left + n_left;
    int32_t n_right = scan_chain(work, last, high, right, -1, -1);
    join_chains(work, right, n_right, left, n_left);
    int32_t stop = -1;
    if (n_left > 2)
        stop = left[1];
    else if (n_right > 2)
        stop = right[n_right - 2];

    n_left = scan_chain(work, 0, low, left, 1, -1);
    right = left + n_left;
    n_right = scan_chain(work, last, low, right, 1, 1);
    if (is_mirrored(work, stop, left, n_left, right, n_right)) {
        if (n_left > 2) n_left = 2;
        if (n_right > 2) n_right = 2;
    }
    join_chains(work, left, n_left, right, n_right);
}

/*
 * Turn the ring so that its indices rise or fall all the way round, where such a turn exists:
 * OpenCV does this for callers who want indices, and it moves the first corner.
 */
static void rotate_to_monotone(hull_work *work)
{
    int32_t *out = work->out;
    int32_t n = work->n_out, low = 0, high = 0, rises = 0;
    if (n < 3) return;
    for (int32_t i = 1; i < n; i++) {
        rises += out[i - 1] < out[i];
        if (rises > 1 && rises <= i - 2) break;
        if (out[i] < out[low]) low = i;
        if (out[i] > out[high]) high = i;
    }
    int32_t distance = high > low ? high - low : low - high;
    if ((distance != 1 && distance != n - 1) || (rises > 1 && rises < n - 2)) return;
    bool ascending = (high + 1) % n == low;
    int32_t first = ascending ? low : high;
    if (first == 0) return;
    for (int32_t i = 0; i < n; i++) {
        int32_t here = out[(first + i) % n], next = out[(first + i + 1) % n];
        if (i < n - 1 && ascending != (here < next)) return;
        work->stack[i] = here;
    }
    memcpy(out, work->stack, (size_t)n * sizeof *out);
}

static assay_code work_init(hull_work *work, const as_point *points, size_t n, as_room *room,
                            assay_error *err)
{
    if (n > INT32_MAX / 8)
        return as_fail(err, ASSAY_E_MEMORY, "a contour has %zu points, the limit is %d", n,
                       INT32_MAX / 8);
    assay_code code = as_room_reserve(room, 6 * n + 8, sizeof(int32_t), err);
    if (code) return code;
    int32_t *memory = room->data;
    *work = (hull_work){.points = points,
                        .n = (int32_t)n,
                        .sorted = memory,
                        .spare = memory + n,
                        .stack = memory + 2 * n,
                        .out = memory + 3 * n + 4};
    return ASSAY_OK;
}

assay_code as_hull_find(const as_point *points, size_t n, as_room *room, as_points *hull,
                        assay_error *err)
{
    hull_work work = {0};
    hull->n = 0;
    assay_code code = work_init(&work, points, n, room, err);
    if (code) return code;
    sort_points(&work);
    int32_t low = 0, high = 0;
    for (int32_t i = 1; i < work.n; i++) {
        if (at(&work, low)->y > at(&work, i)->y) low = i;
        if (at(&work, high)->y < at(&work, i)->y) high = i;
    }
    if (is_same(at(&work, 0), at(&work, work.n - 1)))
        work.out[work.n_out++] = 0;
    else
        build_chains(&work, low, high);
    for (int32_t i = 0; i < work.n_out; i++)
        work.out[i] = work.sorted[work.out[i]];
    rotate_to_monotone(&work);
    for (int32_t i = 0; i < work.n_out && !code; i++)
        code = as_points_add(hull, points[work.out[i]], err);
    return code;
}
