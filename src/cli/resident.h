/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_RESIDENT_H
#define ASSAY_CLI_RESIDENT_H
/* This process's resident memory now and at its peak, of /proc/self/status; 0 where unknown. */
#include <stddef.h>

size_t as_resident_bytes(void);
size_t as_resident_peak_bytes(void);

#endif
