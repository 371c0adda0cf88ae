/* SPDX-License-Identifier: Apache-2.0 */
#include <xmmintrin.h>

#include "base/denormals.h"

#define MXCSR_DAZ (1U << 6)  /* Intel SDM vol. 1, 10.2.3.4 */
#define MXCSR_FTZ (1U << 15) /* Intel SDM vol. 1, 10.2.3.3 */

#define MODES (MXCSR_DAZ | MXCSR_FTZ)

/* Setting the register costs more than asking, and inside a run both bits are set already. */
unsigned as_denormals_flush(void)
{
    unsigned saved = _mm_getcsr();
    if ((saved & MODES) != MODES) _mm_setcsr(saved | MODES);
    return saved;
}

void as_denormals_restore(unsigned saved)
{
    if ((saved & MODES) == MODES) return;
    /* Only the two bits: exceptions that were raised meanwhile stay raised. */
    _mm_setcsr((_mm_getcsr() & ~MODES) | (saved & MODES));
}
