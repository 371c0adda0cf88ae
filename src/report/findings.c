/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of `assay env` as a run's evidence keeps them.  Fixed texts are looked up; what was seen is a
 * list of phrases, each a format with its values as printed, so that it can be said in another language.
 */
#include <stdio.h>
#include <string.h>

#include "report/facts.h"

/* Values of one phrase; more are none of ours. */
enum { MOST_VALUES = 8 };

/* Say the phrase [format, value ...]; false where it is none. */
static bool say_phrase(as_language language, const json_t *phrase, char *text, size_t room)
{
    const char *format = json_string_value(json_array_get(phrase, 0)), *values[MOST_VALUES];
    size_t n = 0;
    while (n < MOST_VALUES && n + 1 < json_array_size(phrase)) {
        values[n] = json_string_value(json_array_get(phrase, n + 1));
        if (!values[n++]) return false;
    }
    return format && as_say_printed(text, room, language, format, values, n);
}

void as_finding_seen(as_language language, const json_t *finding, char text[AS_SEEN_TEXT])
{
    const json_t *said = json_object_get(finding, "said"), *phrase;
    const char *seen = json_string_value(json_object_get(finding, "seen"));
    size_t i, used = 0;
    bool is_said = json_array_size(said) > 0;
    json_array_foreach((json_t *)said, i, phrase)
    {
        is_said = is_said && say_phrase(language, phrase, text + used, AS_SEEN_TEXT - used);
        if (is_said) used += strlen(text + used);
    }
    if (!is_said) snprintf(text, AS_SEEN_TEXT, "%s", seen ? seen : "");
}

const char *as_finding_text(as_language language, const json_t *finding, const char *key)
{
    const char *text = json_string_value(json_object_get(finding, key));
    return text ? as_say(language, text) : "";
}
