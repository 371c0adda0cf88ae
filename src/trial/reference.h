/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_REFERENCE_H
#define ASSAY_TRIAL_REFERENCE_H
/*
 * The truth out of a file: boxes as `assay detect` and the reference detector print them, one JSON
 * object a line.  A line is for the input whose file has the base name of the line's `image`.
 *
 *     as_reference *reference;
 *     code = as_reference_read("boxes.jsonl", inputs, n_inputs, &reference, err);
 *     reference->answers[3].boxes ...              // the truth of inputs[3]
 *     as_reference_free(reference);
 */
#include "base/error.h"
#include "base/sha256.h"
#include "evidence/writer.h"

/** Owns everything. */
typedef struct as_reference {
    as_slot_answer *answers; /**< One for each input, in their order. */
    size_t n;
    char sha256[AS_SHA256_HEX]; /**< Of the file. */
    struct as_arena *arena;
} as_reference;

/**
 * Read the truth of inputs[n_inputs]; lines for other images and lines with an `error` are passed over.
 * @return ASSAY_E_NOT_FOUND; ASSAY_E_FORMAT with the line, for an input that no line is for, or for
 *         two lines that contradict each other; ASSAY_E_ARGUMENT when two inputs have one base name;
 *         ASSAY_E_IO, ASSAY_E_MEMORY.
 */
assay_code as_reference_read(const char *path, const as_input_row *inputs, size_t n_inputs,
                             as_reference **out, assay_error *err);

/** Free; takes NULL. */
void as_reference_free(as_reference *reference);

#endif
