/* SPDX-License-Identifier: Apache-2.0 */
#include "base/compiler.h"
#include "base/denormals.h"

#define FPCR_FZ (1U << 24) /* Arm ARM, FPCR, Floating-point Control Register */

unsigned as_denormals_flush(void)
{
    unsigned saved = as_read_fpcr();
    as_write_fpcr(saved | FPCR_FZ);
    return saved;
}

void as_denormals_restore(unsigned saved)
{
    as_write_fpcr((as_read_fpcr() & ~FPCR_FZ) | (saved & FPCR_FZ));
}
