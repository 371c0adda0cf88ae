/* SPDX-License-Identifier: Apache-2.0 */
#include "report/required.h"

#include <math.h>

#include "report/text.h"

static as_requirement_state check_policy(const as_facts *f, size_t p,
                                         const as_requirement *requirement)
{
    const as_candidate *c = &f->policy[p].candidate;
    if (c->failed || !c->boxes_equal) return AS_REQUIREMENT_BROKEN;
    return as_requirement_check(requirement, &c->estimate);
}

as_requirement_state as_required_check(const as_facts *f, const as_requirement *requirement)
{
    size_t n[3] = {0};
    for (size_t p = 0; p < f->n_policies; p++)
        if (p != (size_t)f->run->baseline) n[check_policy(f, p, requirement)]++;
    if (n[AS_REQUIREMENT_BROKEN] > 0 || f->policy[f->run->baseline].candidate.failed)
        return AS_REQUIREMENT_BROKEN;
    return n[AS_REQUIREMENT_UNDECIDED] > 0 || n[AS_REQUIREMENT_MET] == 0
               ? AS_REQUIREMENT_UNDECIDED
               : AS_REQUIREMENT_MET;
}

static void print_policy(const as_facts *f, size_t p, const as_requirement *requirement,
                         FILE *out)
{
    const as_candidate *c = &f->policy[p].candidate;
    const as_estimate *e = &c->estimate;
    const as_language l = f->language;
    fputs(as_say(l, "require: "), out);
    as_put_plain(out, as_facts_name(f, p));
    fprintf(out, as_say(l, " is %s: "),
            as_say(l, as_requirement_state_name(check_policy(f, p, requirement))));
    if (c->failed || !c->boxes_equal)
        fputs(as_say(l, as_verdict_name(c->verdict)), out);
    else if (e->has_interval)
        fprintf(out,
                as_say(l, "%+.1f %% of time, %.4g %% interval %+.1f to %+.1f, at most %+.1f is "
                          "needed"),
                as_percent((e->ratio - 1) * 100), e->level * 100,
                as_percent((e->low - 1) * 100), as_percent((e->high - 1) * 100),
                as_percent((requirement->limit - 1) * 100));
    else
        fprintf(out, as_say(l, "no interval from %zu round%s, %zu are needed"), e->n,
                e->n == 1 ? "" : "s", f->rounds_needed);
    putc('\n', out);
}

void as_required_print(const as_facts *f, const as_requirement *requirement, FILE *out)
{
    if (f->n_policies < 2)
        fprintf(
            out, "%s\n",
            as_say(f->language, "require: undecided, no policy stands beside the baseline"));
    for (size_t p = 0; p < f->n_policies; p++)
        if (p != (size_t)f->run->baseline) print_policy(f, p, requirement, out);
}
