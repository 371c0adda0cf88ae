/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SEARCH_SECTIONS_H
#define ASSAY_REPORT_SEARCH_SECTIONS_H
/*
 * The sections of a search's page, the same in Markdown and in HTML, in the order of the table in
 * search_page.c.  A new one is a function below and a line there.
 */
#include "report/markup.h"
#include "report/search_facts.h"

/* search_choice.c */

/** What was chosen, one sentence, and how far it is to be believed (as_free); NULL without memory. */
char *as_search_headline(const as_search_facts *f) AS_CHECKED;
char *as_search_lead(const as_search_facts *f) AS_CHECKED;

void as_section_choice(as_page *page, const as_search_facts *f);

/* search_candidates.c */
void as_section_candidates(as_page *page, const as_search_facts *f);
void as_section_front(as_page *page, const as_search_facts *f);
void as_section_latency(as_page *page, const as_search_facts *f);
void as_section_learning(as_page *page, const as_search_facts *f);
void as_section_diverged(as_page *page, const as_search_facts *f);

/* search_processes.c */
void as_section_processes(as_page *page, const as_search_facts *f);

/* search_operators.c */
void as_section_operators(as_page *page, const as_search_facts *f);

/* search_about.c */
void as_section_data(as_page *page, const as_search_facts *f);
void as_section_search_environment(as_page *page, const as_search_facts *f);
void as_section_search_limits(as_page *page, const as_search_facts *f);
void as_section_search_reproduce(as_page *page, const as_search_facts *f);

/** A share as percent, a time in microseconds: "–" for NaN. */
void as_cell_percent(as_page *page, double share);
void as_cell_us(as_page *page, double us);
void as_cell_range(as_page *page, double least, double greatest);

#endif
