/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_SUITE_RUN_CASE_H
#define ASSAY_TESTS_SUITE_RUN_CASE_H
/*
 * One case of an ONNX backend suite: a folder with model.onnx and test_data_set_<i>/ of input_<k>.pb
 * and output_<k>.pb.
 */

/** What became of a case. */
typedef enum suite_verdict {
    SUITE_PASSED,  /**< All outputs of all data sets are right. */
    SUITE_REFUSED, /**< An error that the command line answers with exit status 4. */
    SUITE_FAILED   /**< A wrong output, another error, a crash, or no data. */
} suite_verdict;

/** A verdict with the reason, which is empty where it passed. */
typedef struct suite_result {
    suite_verdict verdict;
    char reason[512];
} suite_result;

/** Run a case in a process of its own, which may crash. */
suite_result suite_run_case(const char *folder);

#endif
