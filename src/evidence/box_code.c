/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes as bytes, the same on every machine: 8 int32 and the double's bits, least byte first. */
#include <string.h>

#include "evidence/database.h"
#include "evidence/rows.h"

static unsigned char *put(unsigned char *at, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

static uint64_t take(const unsigned char **at, int n_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

void as_box_code_put(const as_evidence_box *boxes, size_t n, unsigned char *bytes)
{
    for (size_t i = 0; i < n; i++) {
        for (int corner = 0; corner < 4; corner++)
            for (int axis = 0; axis < 2; axis++)
                bytes = put(bytes, (uint32_t)boxes[i].corners[corner][axis], 4);
        uint64_t bits;
        memcpy(&bits, &boxes[i].score, sizeof bits);
        bytes = put(bytes, bits, 8);
    }
}

void as_box_code_take(const unsigned char *bytes, size_t n, as_evidence_box *boxes)
{
    for (size_t i = 0; i < n; i++) {
        for (int corner = 0; corner < 4; corner++)
            for (int axis = 0; axis < 2; axis++)
                boxes[i].corners[corner][axis] = (int32_t)(uint32_t)take(&bytes, 4);
        uint64_t bits = take(&bytes, 8);
        memcpy(&boxes[i].score, &bits, sizeof bits);
    }
}
