/* SPDX-License-Identifier: Apache-2.0 */
/* Without libcpuinfo. */
#include "base/cpu_inner.h"

void as_cpu_read_caches(as_cpu_info *info) { (void)info; }
