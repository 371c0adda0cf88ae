/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_VERDICT_STRUCTURES_H
#define ASSAY_VERDICT_STRUCTURES_H
/*
 * Which structure to take: the four choices of a search and its Pareto front.
 *
 *     as_scored scored[] = {{"standard-16", 0.972, 3.1, 3.0, 3.2, 0.004, true}, ...};
 *     as_selection chosen;
 *     as_structures_select(scored, n, baseline, seed, &chosen);
 *     puts(scored[chosen.by_latency].name);
 *
 * Only validation accuracy and latency come in here, so no choice can look at test accuracy.  The
 * choices go by the values as they are; what lies within the noise of a choice is named as its tie
 * (as_structures_ties), for a choice among ties could as well have been another.
 *
 *     accuracy                        feasible: accuracy >= the baseline's, latency <= the baseline's
 *        |  feasible  |               front:    no other is as good in both and better in one
 *        |    o    o  |   o
 *        | o          B - - baseline
 *        +------------+------ latency
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two accuracies closer than this are the same number (DESIGN, "Structures"). */
#define AS_SAME_ACCURACY 1e-9

/** What is known of a structure before its test accuracy is. */
typedef struct as_scored {
    const char *name;
    double accuracy;        /**< On the validation images, 0..1. */
    double latency_us;      /**< Median of one call. */
    double low_us, high_us; /**< Interval of that median; 0 and 0 where there is none. */
    double accuracy_noise;  /**< Standard error of `accuracy`; 0 where none is known. */
    bool trained;           /**< false: it diverged, or has no latency; never chosen. */
} as_scored;

/** No structure. */
#define AS_NO_STRUCTURE SIZE_MAX

/** Places in the list of structures; a plain value. */
typedef struct as_selection {
    size_t manual_baseline; /**< The one that was named. */
    size_t
        by_accuracy; /**< Best accuracy, ties to the faster; AS_NO_STRUCTURE when none is trained. */
    size_t
        by_latency; /**< Least latency among the feasible; the baseline when there are none. */
    size_t random_two;      /**< The same among random_names alone. */
    size_t random_names[2]; /**< As drawn; AS_NO_STRUCTURE where there are fewer structures. */
    bool random_fell_back;  /**< None of the two is feasible: random_two is the baseline. */
    bool baseline_failed;   /**< It is not trained, so nothing is feasible. */
    size_t n_feasible;      /**< Feasible structures besides the baseline. */
    size_t n_accuracy_ties; /**< Others whose accuracy ties with that of by_accuracy. */
    size_t
        n_latency_ties; /**< Other feasible ones, the baseline too, that tie with by_latency. */
} as_selection;

/**
 * Choose among n structures.
 * @param baseline  its place, < n.
 * @param seed      draws the random two: each pair of structures is as likely.
 */
void as_structures_select(const as_scored *scored, size_t n, size_t baseline, uint64_t seed,
                          as_selection *out);

/** Whether `s` is trained, at least as accurate as `baseline` and at most as slow. */
bool as_structure_is_feasible(const as_scored *s, const as_scored *baseline);

/**
 * Whether two latencies are no different: their medians within the verdict's margin (AS_MARGIN) of
 * the lesser, or their intervals overlap.  false when one is not trained.
 */
bool as_latencies_tie(const as_scored *a, const as_scored *b);

/** Whether two accuracies are: no farther apart than two standard errors of their difference. */
bool as_accuracies_tie(const as_scored *a, const as_scored *b);

/** Which choice a tie is asked of. */
typedef enum as_pick { AS_PICK_ACCURACY, AS_PICK_LATENCY } as_pick;

/** Fill is_tie[n], unless NULL: those counted by n_accuracy_ties or n_latency_ties.  @return how many. */
size_t as_structures_ties(const as_scored *scored, size_t n, const as_selection *selection,
                          as_pick pick, bool *is_tie);

/** Fill is_front[n]: trained, and no other trained one is as good in both and better in one. */
void as_pareto_front(const as_scored *scored, size_t n, bool *is_front);

#endif
