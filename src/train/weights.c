/* SPDX-License-Identifier: Apache-2.0 */
/* A network's weights as bytes: its parameters, then its running values, as they lie in memory. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "train/layers.h"
#include "train/network.h"

static size_t n_values(const as_network *net) { return net->n_parameters + net->n_state; }

assay_code as_network_weights(const as_network *net, as_bytes *out, assay_error *err)
{
    const size_t n = net->n_parameters * sizeof(float);
    *out = (as_bytes){.data = as_alloc(n_values(net) * sizeof(float) + 1),
                      .size = n_values(net) * sizeof(float)};
    if (!out->data) {
        *out = (as_bytes){0};
        return as_fail(err, ASSAY_E_MEMORY, "no memory for %zu weights", n_values(net));
    }
    memcpy(out->data, net->parameters, n);
    memcpy(out->data + n, net->state, net->n_state * sizeof(float));
    return ASSAY_OK;
}

assay_code as_network_set_weights(as_network *net, const void *data, size_t size,
                                  assay_error *err)
{
    const size_t n = net->n_parameters * sizeof(float);
    if (size != n_values(net) * sizeof(float))
        return as_fail(err, ASSAY_E_FORMAT, "%zu bytes of weights, the network has %zu", size,
                       n_values(net) * sizeof(float));
    for (size_t i = 0; i < n_values(net); i++) {
        float value;
        memcpy(&value, (const char *)data + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return as_fail(err, ASSAY_E_FORMAT, "weight %zu is not finite", i);
    }
    memcpy(net->parameters, data, n);
    memcpy(net->state, (const char *)data + n, net->n_state * sizeof(float));
    net->version++;
    return ASSAY_OK;
}
