/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_HTML_STYLE_H
#define ASSAY_REPORT_HTML_STYLE_H

/** The style of report.html, line by line, NULL behind the last: light and dark, wide, phone and paper. */
extern const char *const as_html_style[];

#endif
