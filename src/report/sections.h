/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SECTIONS_H
#define ASSAY_REPORT_SECTIONS_H
/*
 * The report's sections, the same in Markdown and in HTML, in the order of the table in contents.c.
 * A new one is a function below and a line there.
 *
 *     for (size_t i = 0; (section = as_section_at(i)); i++)
 *         if (as_section_is_there(section, facts)) ... a link to #section->id ...
 *     code = as_put_sections(&page, &outputs, err);
 */
#include "report/markup.h"
#include "report/outputs.h"

/** One section; its heading and its drawing are put by as_put_sections. */
typedef struct as_section {
    const char *id, *title;
    void (*write)(as_page *page, const as_facts *f);
    bool (*is_there)(const as_facts *f); /**< NULL: in every report. */
    bool has_plot;
    as_plot_id plot;
} as_section;

/** Section `i`, NULL behind the last. */
const as_section *as_section_at(size_t i);

/** Whether this run's report has the section. */
bool as_section_is_there(const as_section *section, const as_facts *f);

/** All of them with their headings; as_page_check has what failed. */
void as_put_sections(as_page *page, const as_outputs *outputs);

/* sections.c */
void as_section_policies(as_page *page, const as_facts *f);
void as_section_warnings(as_page *page, const as_facts *f);
void as_section_equality(as_page *page, const as_facts *f);
void as_section_strata(as_page *page, const as_facts *f);
void as_section_reproduce(as_page *page, const as_facts *f);

/* sections_detail.c */
void as_section_rounds(as_page *page, const as_facts *f);
void as_section_documents(as_page *page, const as_facts *f);
void as_section_passes(as_page *page, const as_facts *f);
void as_section_environment(as_page *page, const as_facts *f);

/** Rows "a.b: value" of an object, depth first, of a table with two columns. */
void as_object_rows(as_page *page, const char *prefix, const json_t *object, int depth);

/** What `assay env` looked at when the run began; nothing where it found nothing. */
void as_findings_table(as_page *page, const json_t *findings);

/* sections_profile.c */
void as_section_profile(as_page *page, const as_facts *f);

/* sections_reading.c */
void as_section_review(as_page *page, const as_facts *f);
void as_section_batches(as_page *page, const as_facts *f);
void as_section_limits(as_page *page, const as_facts *f);

/** Percent less than the baseline, with its sign turned so that less time is negative. */
void as_cell_reduction(as_page *page, double percent, bool is_baseline);

/** A string of an engine's facts at the start of a policy's first finished slot; "" without. */
void as_engine_fact(as_page *page, const as_facts *f, size_t policy, const char *key,
                    char *text, size_t room);

#endif
