/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SECTIONS_H
#define ASSAY_REPORT_SECTIONS_H
/*
 * The report's sections, the same in Markdown and in HTML.
 *
 *     as_section_policies(&page, facts);
 *     ... the plot, as the language shows it ...
 *     code = as_sections_rest(&page, facts, err);
 */
#include "report/facts.h"
#include "report/markup.h"

/** The table of policies: seconds, reduction, memory, boxes, verdict. */
void as_section_policies(as_page *page, const as_facts *f);

/** Warnings, as a list; nothing without any. */
void as_section_warnings(as_page *page, const as_facts *f);

/** Equality, strata, rounds, documents, passes, environment, how to reproduce. */
assay_code as_sections_rest(as_page *page, const as_facts *f, assay_error *err);

/* Those of sections_detail.c. */
void as_section_rounds(as_page *page, const as_facts *f);
assay_code as_section_documents(as_page *page, const as_facts *f, assay_error *err);
void as_section_passes(as_page *page, const as_facts *f);
void as_section_environment(as_page *page, const as_facts *f);

/** A string of an engine's facts at the start of a policy's first finished slot; "" without. */
void as_engine_fact(as_page *page, const as_facts *f, size_t policy, const char *key,
                    char *text, size_t room);

#endif
