/* SPDX-License-Identifier: Apache-2.0 */
#include "report/language.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const as_translation chinese[] = {
#define AS_SENTENCE(english, other) {english, other},
#include "report/chinese.inc"
#undef AS_SENTENCE
};

static const as_translation tensors[] = {
#define AS_SENTENCE(english, other) {english, other},
#include "report/tensors.inc"
#undef AS_SENTENCE
};

/** A sentence is looked up in `table`, and what came out in `then`'s. */
static const struct {
    const char *code;
    const as_translation *table;
    size_t n;
    as_language then;
} languages[AS_N_LANGUAGES] = {
    [AS_ENGLISH] = {"en", NULL, 0, AS_ENGLISH},
    [AS_CHINESE] = {"zh-CN", chinese, AS_COUNT_OF(chinese), AS_ENGLISH},
    [AS_ENGLISH_OF_TENSORS] = {"en", tensors, AS_COUNT_OF(tensors), AS_ENGLISH},
    [AS_CHINESE_OF_TENSORS] = {"zh-CN", tensors, AS_COUNT_OF(tensors), AS_CHINESE}};

as_language as_language_of_tensors(as_language language)
{
    return language == AS_CHINESE ? AS_CHINESE_OF_TENSORS : AS_ENGLISH_OF_TENSORS;
}

const as_translation *as_language_table(as_language language, size_t *n)
{
    *n = languages[language].n;
    return languages[language].table;
}

const char *as_language_code(as_language language) { return languages[language].code; }

const char *as_say(as_language language, const char *english)
{
    for (; language != AS_ENGLISH; language = languages[language].then)
        for (size_t i = 0; i < languages[language].n; i++)
            if (strcmp(languages[language].table[i].english, english) == 0) {
                english = languages[language].table[i].other;
                break;
            }
    return english;
}

void as_say_into(char *text, size_t room, as_language language, const char *english, ...)
{
    const char *format = as_say(language, english);
    va_list values;
    va_start(values, english);
    vsnprintf(text, room, format, values);
    va_end(values);
}
