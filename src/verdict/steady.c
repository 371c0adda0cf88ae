/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/steady.h"

#include <math.h>

#include "verdict/statistics.h"

bool as_steady_goes_on(const as_steady *steady)
{
    return !steady->is_steady && steady->n_calls < AS_STEADY_MOST;
}

void as_steady_add(as_steady *steady, double time)
{
    steady->calls[steady->n_calls++ % AS_STEADY_CALLS] = time;
    if (steady->n_calls % AS_STEADY_CALLS != 0) return;
    as_sort(steady->calls, AS_STEADY_CALLS);
    double median = steady->calls[AS_STEADY_CALLS / 2];
    steady->is_steady = steady->last_median > 0 && fabs(median - steady->last_median) <
                                                       AS_STEADY_SHARE * steady->last_median;
    steady->last_median = median;
}
