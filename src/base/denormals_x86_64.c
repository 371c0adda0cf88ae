/* SPDX-License-Identifier: Apache-2.0 */
#include <xmmintrin.h>

#include "base/denormals.h"

#define MXCSR_DAZ (1U << 6)  /* Intel SDM vol. 1, 10.2.3.4 */
#define MXCSR_FTZ (1U << 15) /* Intel SDM vol. 1, 10.2.3.3 */

unsigned as_denormals_flush(void)
{
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | MXCSR_DAZ | MXCSR_FTZ);
    return saved;
}

void as_denormals_restore(unsigned saved)
{
    /* Only the two bits: exceptions that were raised meanwhile stay raised. */
    unsigned modes = MXCSR_DAZ | MXCSR_FTZ;
    _mm_setcsr((_mm_getcsr() & ~modes) | (saved & modes));
}
