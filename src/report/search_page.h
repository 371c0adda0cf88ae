/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_SEARCH_PAGE_H
#define ASSAY_REPORT_SEARCH_PAGE_H
/*
 * report.html and report.md of a structure search, with the scripts of their drawings in plots/.
 */
#include "report/search_files.h"

/** Write them into the report's folder, in its language; without gnuplot the pages have no drawing. */
assay_code as_search_page_write(const as_search_report *report, assay_error *err);

#endif
