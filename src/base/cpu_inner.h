/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_CPU_INNER_H
#define ASSAY_BASE_CPU_INNER_H
/* The parts of as_cpu_info_get that depend on architecture and libraries; CMake chooses one of
 * each.  None fails: what is not known stays as it is. */
#include "base/cpu.h"

/** Whether processor and operating system (XCR0, auxiliary vector) both support it. */
bool as_cpu_has(as_isa isa);

/** Model, vendor and numbers. */
void as_cpu_read_identity(as_cpu_info *info);

/** Cache sizes. */
void as_cpu_read_caches(as_cpu_info *info);

#endif
