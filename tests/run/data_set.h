/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RUN_DATA_SET_H
#define TESTS_RUN_DATA_SET_H
/* Case B22's models and data sets, and cmocka with what it needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx/onnx.h"
#include "run/run.h"

#define CASE        "cases/B22-batch-thread-isa-invariance"
#define N_DATA_SETS 8

/* One data set of the case: the network's input and the right output. */
typedef struct data_set {
    as_onnx_tensor input, output;
} data_set;

/* Set `i` of "integer_weights" or "real_weights"; data_set_free frees it. */
data_set data_set_read(const char *kind, int i);
void data_set_free(data_set *set);

/* Its input as a session takes it. */
assay_tensor data_set_input(const data_set *set);

#endif
