/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_CORPUS_SCRATCH_H
#define ASSAY_TESTS_CORPUS_SCRATCH_H
/* Corpora in a folder of their own that goes away; include after cmocka.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "corpus/freeze.h"

#define FORM    "../examples/form.pdf"
#define ARTICLE "../examples/two-column.pdf"
#define LOCKED  "cases/B19-encrypted-pdf/"

/** A fresh folder; scratch_remove frees the name too. */
static inline char *scratch_make(void)
{
    char *folder = as_strdup(P_tmpdir "/assay-corpus-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static inline void scratch_remove(char *folder)
{
    assert_int_equal(as_path_remove(folder, NULL), ASSAY_OK);
    as_free(folder);
}

/** Freeze one source into FOLDER/name; fails the test when that fails. */
static inline char *scratch_freeze(const char *folder, const char *name, const char *source,
                                   const as_freeze_options *options)
{
    as_freeze_summary summary;
    assay_error err = {0};
    char *path = as_path_join(folder, name);
    if (as_corpus_freeze(&source, 1, path, options, &summary, &err))
        fail_msg("%s: %s: %s", source, err.where, err.message);
    return path;
}

static inline as_corpus *scratch_load(const char *path)
{
    as_corpus *corpus;
    assay_error err = {0};
    if (as_corpus_load(path, &corpus, &err))
        fail_msg("%s: %s: %s", path, err.where, err.message);
    return corpus;
}

static inline as_bytes scratch_read(const char *folder, const char *name)
{
    as_bytes bytes;
    char *path = as_path_join(folder, name);
    assert_int_equal(as_file_read(path, 0, &bytes, NULL), ASSAY_OK);
    as_free(path);
    return bytes;
}

static inline void scratch_write(const char *folder, const char *name, const void *data,
                                 size_t size)
{
    char *path = as_path_join(folder, name);
    assert_int_equal(as_file_write(path, data, size, NULL), ASSAY_OK);
    as_free(path);
}

#endif
