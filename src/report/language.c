/* SPDX-License-Identifier: Apache-2.0 */
#include "report/language.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The place of the value that the conversion at *at wants, *next without a number; *at goes behind it. */
static size_t place_of(const char **at, size_t *next)
{
    size_t digits = strspn(*at, "0123456789");
    size_t place = (*at)[digits] == '$' ? strtoul(*at, NULL, 10) - 1 : (*next)++;
    *at += strcspn(*at, "diufgsx");
    *at += **at != '\0';
    return place;
}

bool as_say_printed(char *text, size_t room, as_language language, const char *english,
                    const char *const *values, size_t n)
{
    size_t used = 0, next = 0;
    for (const char *at = as_say(language, english); *at;) {
        const char *piece = at;
        size_t length = strcspn(at, "%");
        at += length;
        if (length == 0 && at[1] == '%') {
            at += 2;
            length = 1;
        } else if (length == 0) {
            at++;
            size_t place = place_of(&at, &next);
            if (place >= n) return false;
            piece = values[place];
            length = strlen(piece);
        }
        if (length >= room - used) return false;
        memcpy(text + used, piece, length);
        used += length;
    }
    text[used] = '\0';
    return true;
}
