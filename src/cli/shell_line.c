/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shell_line.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "-_./=,:+@%";

static bool is_printable(const char *word)
{
    json_t *text = json_string(word); /* NULL for what is not UTF-8 */
    bool is_utf8 = text != NULL;
    json_decref(text);
    for (const char *at = word; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) return false;
    return is_utf8;
}

/* Append the word to `at`, which has room for 4 bytes a character and 3 more. */
static char *put_word(char *at, const char *word)
{
    if (word[0] && word[strspn(word, plain)] == '\0') return stpcpy(at, word);
    if (is_printable(word)) {
        *at++ = '\'';
        for (; *word; word++)
            at = *word == '\'' ? stpcpy(at, "'\\''") : (*at = *word, at + 1);
        return stpcpy(at, "'");
    }
    at = stpcpy(at, "$'");
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;
        if (byte < 0x20 || byte >= 0x7f || byte == '\'' || byte == '\\')
            at += sprintf(at, "\\x%02x", byte);
        else
            *at++ = *word;
    }
    return stpcpy(at, "'");
}

char *as_shell_line(int argc, const char *const *argv)
{
    size_t room = 1;
    for (int i = 0; i < argc; i++)
        room += 4 * strlen(argv[i]) + 5;
    char *line = as_alloc(room), *at = line;
    for (int i = 0; i < argc && line; i++) {
        if (i > 0) *at++ = ' ';
        at = put_word(at, i == 0 ? as_path_base(argv[i]) : argv[i]);
    }
    return line;
}
