/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_BASE_INSTALLED_H
#define ASSAY_BASE_INSTALLED_H
/*
 * Files that come with the program: in the checkout beside its build folder, or where `make install`
 * puts them.
 *
 *     char *path;
 *     code = as_installed_find("data/digits.json", &path, err);
 *
 *     PREFIX/bin/assay -> PREFIX/share/assay/data/digits.json        build/assay -> data/digits.json
 */
#include "base/error.h"

/**
 * @param relative  FOLDER/FILE.
 * @param out       the path (as_free), NULL where there is no such file.
 * @return ASSAY_E_MEMORY.
 */
assay_code as_installed_find(const char *relative, char **out, assay_error *err);

#endif
