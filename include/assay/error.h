/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ERROR_H
#define ASSAY_ERROR_H
/*
 * How every call of assay reports failure: a code as the return value, and, where the caller
 * passes one, an assay_error with a sentence for people.
 *
 *     assay_error err;
 *     if (assay_model_load("det.onnx", NULL, &model, &err) != ASSAY_OK)
 *         fprintf(stderr, "%s: %s\n", err.where, err.message);
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the shared library exports. */
#define ASSAY_API __attribute__((visibility("default")))

/** What kind of thing went wrong.  The command line maps each to an exit status. */
typedef enum assay_code {
    ASSAY_OK = 0,
    ASSAY_E_ARGUMENT,    /**< The caller passed a value that the call does not take. */
    ASSAY_E_FORMAT,      /**< A file's bytes are not what its format demands. */
    ASSAY_E_UNSUPPORTED, /**< Valid, but assay cannot do it. */
    ASSAY_E_NOT_FOUND,   /**< A file, name or engine does not exist. */
    ASSAY_E_CHANGED,     /**< A file's hash is not the one that was recorded. */
    ASSAY_E_IO,          /**< The system failed to read or write. */
    ASSAY_E_MEMORY,      /**< An allocation failed. */
    ASSAY_E_ENVIRONMENT, /**< The machine is unfit, or an assertion about it failed. */
    ASSAY_E_CHILD,       /**< A child process crashed, hung or exceeded a limit. */
    ASSAY_E_DIFFERENT,   /**< Answers differ where they must be equal. */
    ASSAY_E_INTERRUPTED  /**< The user or the system asked to stop. */
} assay_code;

/** What went wrong and where.  A plain value: nothing to free, safe to copy. */
typedef struct assay_error {
    assay_code code;
    char message[256]; /**< One sentence: the thing, the value seen, the value needed. */
    char where[128];   /**< Place in the input: "det.onnx: node 41 'Conv_17'"; may be "". */
    const char *file;  /**< Source file and line that raised it, for bug reports. */
    int line;
} assay_error;

/** The code's name, as in "ASSAY_E_FORMAT"; a static string, never NULL. */
ASSAY_API const char *assay_code_name(assay_code code);

#ifdef __cplusplus
}
#endif
#endif
