/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a file of one TensorProto, as `assay run --input x.pb` takes it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "onnx/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    as_onnx_tensor tensor;
    assay_error err;
    int fd = memfd_create("tensor", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (as_onnx_tensor_read(path, &tensor, &err) == ASSAY_OK) {
        size_t n = 0;
        if (!as_shape_elements(&tensor.shape, &n) || n != tensor.n_elements) abort();
        as_onnx_tensor_free(&tensor);
    }
    close(fd);
    return 0;
}
