/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CORPUS_NAMES_H
#define ASSAY_CORPUS_NAMES_H
/*
 * File names are bytes; JSON and terminals want text.  A name is stored escaped: '\' as "\\", a
 * control byte or one that is no UTF-8 as "\xHH"; everything else stands for itself.
 */
#include <stdbool.h>

#include "base/arena.h"

/** Escape a name into the arena; NULL without memory. */
char *as_name_escape(as_arena *arena, const char *name) AS_CHECKED;

/** Whether `text` is what as_name_escape makes. */
bool as_name_is_escaped(const char *text);

/** Undo as_name_escape; NULL without memory, and where !as_name_is_escaped(text). */
char *as_name_unescape(as_arena *arena, const char *text) AS_CHECKED;

/** Whether `id` is 1..200 of [A-Za-z0-9._-] and does not begin with '.' or '-'. */
bool as_id_is_valid(const char *id);

/**
 * An id from a file's base name: without its extension, other characters as '_', at most 80 bytes.
 * "näme 2.png" gives "n_me_2".  NULL without memory.
 */
char *as_id_of_name(as_arena *arena, const char *name) AS_CHECKED;

#endif
