/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_FUZZ_FUZZ_H
#define ASSAY_FUZZ_FUZZ_H
/*
 * The one function of a fuzz target.  libFuzzer calls it with bytes that it made up, replay.c with
 * the files of the target's folder.
 */
#include <stddef.h>
#include <stdint.h>

/**
 * Give the bytes to a reader.  Whatever they are, it returns: a crash, a sanitizer's report, a leak
 * and an abort (what the target asserts does not hold) are findings.
 * @param data  uint8 data[size]; only read.
 * @return 0, as libFuzzer demands.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
