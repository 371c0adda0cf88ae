/* SPDX-License-Identifier: Apache-2.0 */
#include "report/gnuplot.h"

#include "base/process.h"

assay_code as_gnuplot_run(const char *folder, const char *const *scripts, size_t n,
                          as_drawing *drawing, assay_error *err)
{
    const char *argv[AS_GNUPLOT_SCRIPTS + 3] = {"gnuplot", "-d"};
    for (size_t i = 0; i < n; i++)
        argv[i + 2] = scripts[i];
    as_process_options options = as_process_defaults(argv);
    options.env = (const char *[]){"LC_ALL=C", NULL};
    options.folder = folder;
    options.wall_s = 60;
    as_process_result result = {0};
    assay_error failure = {0};
    assay_code code = as_process_run(&options, &result, &failure);
    const bool drew = !code && result.end == AS_PROCESS_EXITED && result.status == 0;
    *drawing = drew                        ? AS_DRAWN
               : code == ASSAY_E_NOT_FOUND ? AS_DRAWING_MISSES_GNUPLOT
                                           : AS_DRAWING_FAILED;
    as_process_result_free(&result);
    if (!code || code == ASSAY_E_NOT_FOUND) return ASSAY_OK;
    if (err) *err = failure;
    return code;
}
