/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_REPORT_LANGUAGE_H
#define ASSAY_REPORT_LANGUAGE_H
/*
 * The languages that a person reads a report in.  Writers say everything in English, once; what
 * another language says instead stands in a table beside that sentence, chinese.inc:
 *
 *     as_paragraph(&page, "%zu of %zu rounds.", done, planned);    // page.language decides
 *     as_say_into(text, room, language, "round %d", round);        // where no page is at hand
 *
 * A sentence that the table lacks stays English, and so do names, units and what the evidence holds.
 * A translated format takes the same values: all in the same order, or all by number ("%2$s").
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

typedef enum as_language {
    AS_ENGLISH,
    AS_CHINESE,
    AS_ENGLISH_OF_TENSORS, /**< Of a run that compares tensors and has no boxes. */
    AS_CHINESE_OF_TENSORS,
    AS_N_LANGUAGES
} as_language;

/** What stands for a sentence of the report in another language; both are printf formats. */
typedef struct as_translation {
    const char *english, *other;
} as_translation;

/** `english`, a sentence or format of the report, in `language`; never NULL. */
const char *as_say(as_language language, const char *english) AS_FORMAT_OF(2);

/** snprintf of `english` said in `language`. */
void as_say_into(char *text, size_t room, as_language language, const char *english, ...)
    AS_PRINTF(4, 5);

/**
 * Say `english` with values that were printed elsewhere, one for each conversion in order or by number.
 * Here a format is data, so it may come from a file.
 * @return false where it wants a value beyond values[n], or text[room] is too small.
 */
bool as_say_printed(char *text, size_t room, as_language language, const char *english,
                    const char *const *values, size_t n);

/** What `language`, English or Chinese, is in a run that compares tensors. */
as_language as_language_of_tensors(as_language language);

/** The language's code as HTML has it: "en", "zh-CN". */
const char *as_language_code(as_language language);

/** The table of `language`; NULL and no entries for English. */
const as_translation *as_language_table(as_language language, size_t *n);

#endif
