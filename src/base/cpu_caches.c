/* SPDX-License-Identifier: Apache-2.0 */
#include <cpuinfo.h>

#include "base/cpu_inner.h"

void as_cpu_read_caches(as_cpu_info *info)
{
    if (!cpuinfo_initialize()) return;
    if (cpuinfo_get_l1d_caches_count()) info->l1d_bytes = cpuinfo_get_l1d_cache(0)->size;
    if (cpuinfo_get_l2_caches_count()) info->l2_bytes = cpuinfo_get_l2_cache(0)->size;
    if (cpuinfo_get_l3_caches_count()) info->l3_bytes = cpuinfo_get_l3_cache(0)->size;
}
