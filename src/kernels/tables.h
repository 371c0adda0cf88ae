/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNELS_TABLES_H
#define ASSAY_KERNELS_TABLES_H
/* as_table_<isa> of every ISA that this build has; CMake's AS_BUILT_ISAS names them. */
#include "kernels/kernels.h"

#define AS_BUILT(name, id) extern const as_kernels as_table_##name;
AS_BUILT_ISAS
#undef AS_BUILT

#endif
