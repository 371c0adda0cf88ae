/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_DEPARTURE_H
#define ASSAY_TRIAL_DEPARTURE_H
/*
 * Where inside the network a policy's values first part from the baseline's.
 *
 *     code = as_departure_find(&place, writer, policy, call, err);     stores up to two rows of evidence
 *
 * For a node the model is cut off behind it (onnx/cut.h) and both policies run what is left, so that every
 * engine is asked in the same way and keeps its own fusions in front of the cut. The node is found by
 * halves, then by going up from it while one of its inputs departs, too: it departs, and nothing that it
 * reads does.
 */
#include "trial/differences.h"
#include "trial/slot.h"

/** Share of the greatest magnitude that a float32 network's rounding alone does not reach: engines that add in
 * other orders stay below it on both detectors (docs/decisions.md, "Maps against double precision"). */
#define AS_DEPARTURE_SHARE 1e-4

/**
 * Look on one call; rows are stored for any bit, and for more than AS_DEPARTURE_SHARE where it is reached.
 * @return ASSAY_OK also where the values cannot be had (another shape by padding, an engine that does not
 *         take a cut model, weights in files of their own): that is noted; ASSAY_E_INTERRUPTED, ASSAY_E_IO,
 *         ASSAY_E_MEMORY.
 */
assay_code as_departure_find(const as_slot_place *place, as_evidence_writer *writer, int policy,
                             int call, assay_error *err);

/** The same of every policy that differs and has no row yet, on the first call that shows it. */
assay_code as_departures_find(const as_slot_place *place, as_evidence *evidence,
                              as_evidence_writer *writer, const as_differences *found,
                              assay_error *err);

#endif
