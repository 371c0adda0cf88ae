/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TRIAL_VERIFY_H
#define ASSAY_TRIAL_VERIFY_H
/* Nothing is measured on a corpus of which one bit is not the frozen one. */
#include "base/error.h"
#include "trial/trial.h"

/** Verify every byte of a corpus, with the watch's bar.  Errors as as_corpus_verify. */
assay_code as_verify_corpus(const char *path, const as_trial_control *control,
                            assay_error *err);

#endif
