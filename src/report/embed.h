/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_EMBED_H
#define ASSAY_REPORT_EMBED_H
/*
 * Pictures inside an HTML page, so that it needs no other file.
 */
#include <stdio.h>

#include "base/file.h"

/**
 * gnuplot's drawing from its <svg> on: black follows the page's ink, and what names other places is
 * left out.  Every drawing of gnuplot numbers its parts alike, so `prefix` and the drawing's own title
 * are set before each id.
 */
void as_put_svg(FILE *out, const as_bytes *svg, const char *prefix);

/** `bytes` in base64 (RFC 4648), without line breaks. */
void as_put_base64(FILE *out, const as_bytes *bytes);

#endif
