/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_IMAGE_PASSWORDS_H
#define ASSAY_IMAGE_PASSWORDS_H
/*
 * Passwords of encrypted PDFs.  They come from a file, never from a command line, and go to no other
 * place than the standard input of the program that decrypts: no argument, no message, no log.
 *
 *     code = as_passwords_read("secrets.txt", &passwords, err);
 *     limits.passwords = &passwords;
 *     ...
 *     as_passwords_free(&passwords);
 */
#include <stddef.h>

#include "base/error.h"

/** Passwords in the order in which they are tried on each encrypted document. */
typedef struct as_passwords {
    char **items; /**< Owned. */
    size_t n;
} as_passwords;

/**
 * Read a file of passwords, one a line, UTF-8; empty lines are left out.  It may be a pipe.
 * @return ASSAY_E_NOT_FOUND, ASSAY_E_IO, ASSAY_E_FORMAT for a file without any, of more than 64 KiB or
 *         with a zero byte; ASSAY_E_MEMORY.
 */
assay_code as_passwords_read(const char *path, as_passwords *out, assay_error *err);

/** Overwrite and free them; takes an empty value. */
void as_passwords_free(as_passwords *passwords);

#endif
