/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H
/* All of libassay: models, sessions, detectors. */
#include "assay/detector.h"
#include "assay/error.h"
#include "assay/model.h"
#include "assay/session.h"
#endif
