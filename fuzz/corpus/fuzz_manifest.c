/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a corpus' manifest.json.  Its own hash would hide everything behind it, so it is made right
 * where the bytes end as a manifest does.  What was read can be printed, and the print says the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "corpus/manifest.h"
#include "fuzz.h"

enum { DIGITS = 64 };

/* Put a right self_sha256 where one would stand. */
static void sign(as_bytes *text)
{
    static const char behind[] = "\"\n}\n";
    const size_t end = sizeof behind - 1;
    char hex[AS_SHA256_HEX];
    if (text->size < DIGITS + end) return;
    char *digits = (char *)text->data + text->size - end - DIGITS;
    if (memcmp(digits + DIGITS, behind, end) != 0) return;
    memset(digits, '0', DIGITS);
    if (as_sha256_bytes(text->data, text->size, hex, NULL)) abort();
    memcpy(digits, hex, DIGITS);
}

/* NULL where the manifest is refused; `text` is written into and given back. */
static as_corpus *parse(as_bytes *text)
{
    as_corpus *corpus = as_alloc(sizeof *corpus);
    assay_error err;
    if (!corpus || !(corpus->arena = as_arena_new())) abort();
    corpus->path = "corpus";
    if (as_manifest_parse(text, corpus, &err)) {
        if (err.code == ASSAY_OK || !err.message[0]) abort();
        as_corpus_free(corpus);
        corpus = NULL;
    }
    as_bytes_free(text);
    return corpus;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_bytes text = {.data = as_alloc(size + 1), .size = size}, first, second, sums;
    if (!text.data) abort();
    memcpy(text.data, data, size);
    sign(&text);
    as_corpus *corpus = parse(&text);
    if (!corpus) return 0;
    if (as_manifest_print(corpus, &first, NULL) || as_sums_print(corpus, &sums, NULL)) abort();
    as_corpus_free(corpus);
    as_bytes_free(&sums);
    text = (as_bytes){.data = as_alloc(first.size + 1), .size = first.size};
    if (!text.data) abort();
    memcpy(text.data, first.data, first.size);
    corpus = parse(&text);
    if (!corpus || as_manifest_print(corpus, &second, NULL)) abort();
    if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
    as_corpus_free(corpus);
    as_bytes_free(&first);
    as_bytes_free(&second);
    return 0;
}
