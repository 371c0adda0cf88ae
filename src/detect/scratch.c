/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/scratch.h"

#include "base/memory.h"

as_detect_scratch *as_detect_scratch_new(void) { return as_alloc(sizeof(as_detect_scratch)); }

void as_detect_scratch_free(as_detect_scratch *scratch)
{
    if (scratch == NULL) return;
    as_resizer_free(&scratch->resizer);
    as_contours_free(&scratch->contours);
    as_rect_room_free(&scratch->rect);
    as_room_free(&scratch->mask);
    as_points_free(&scratch->grown);
    as_free(scratch);
}
