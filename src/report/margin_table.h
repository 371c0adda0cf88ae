/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_MARGIN_TABLE_H
#define ASSAY_REPORT_MARGIN_TABLE_H
/*
 * The decision margins: how far pixels and scores of the baseline's maps stood from the thresholds, and so
 * which boxes a small change of the maps could flip.
 */
#include "report/facts.h"
#include "report/markup.h"

/** As JSON for summary.json; null without margins, NULL without memory. */
json_t *as_margins_json(const as_facts *f);

/** As a section of the report; nothing without margins. */
void as_section_margins(as_page *page, const as_facts *f);

#endif
