/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as the file of `assay freeze --regions`; what is read keeps what its header promises. */
#include "corpus/regions_file.h"
#include "file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = fuzz_file(data, size, path);
    as_detect_settings settings = as_detect_settings_defaults();
    as_named_regions regions;
    assay_error err;
    if (as_named_regions_read(path, &settings, &regions, &err)) {
        if (regions.n || regions.items || !err.message[0]) abort();
    } else {
        for (size_t i = 0; i < regions.n; i++) {
            const as_named_region *r = &regions.items[i];
            if (!r->document || r->page < 1 || r->x < 0 || r->y < 0 || r->w < 1 || r->h < 1 ||
                as_detect_settings_check(&r->settings, NULL))
                abort();
        }
    }
    as_named_regions_free(&regions);
    close(fd);
    return 0;
}
