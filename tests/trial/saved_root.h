/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_TRIAL_SAVED_ROOT_H
#define ASSAY_TESTS_TRIAL_SAVED_ROOT_H
/*
 * A folder that stands for "/": small /proc and /sys files are put into it and read back by what
 * takes a root.  For cmocka: TEST_IN_ROOT(name) gives each test an empty one as *state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static inline int root_setup(void **state)
{
    char *root = calloc(1, 64);
    if (!root) return -1;
    strcpy(root, P_tmpdir "/assay-root-XXXXXX");
    *state = root;
    return mkdtemp(root) ? 0 : -1;
}

static inline int root_teardown(void **state)
{
    int status = as_path_remove(*state, NULL);
    free(*state);
    return status;
}

/* Write `text` to root/path, making its folders. */
static inline void root_put(const char *root, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    char *slash = strrchr(whole, '/');
    *slash = '\0';
    if (as_folder_make(whole, NULL)) abort();
    *slash = '/';
    FILE *file = fopen(whole, "w");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0) abort();
}

#define TEST_IN_ROOT(NAME) cmocka_unit_test_setup_teardown(NAME, root_setup, root_teardown)

#endif
