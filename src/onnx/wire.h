/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ONNX_WIRE_H
#define ASSAY_ONNX_WIRE_H
/*
 * A look at a message's bytes before protobuf-c unpacks them.  It says where a file is cut off and
 * bounds what protobuf-c does not: how deep messages nest (its unpacking recurses), how many there
 * are (each takes memory, an empty one two bytes of file), and zero bytes in strings, behind which
 * C does not see.  It counts what the values alone take, so that the rest can be bounded.
 *
 *     field: key varint = number << 3 | wire type, then
 *       0 varint | 1 eight bytes | 2 length varint + bytes (or a message) | 5 four bytes
 *
 * Source: the protocol buffers' encoding documentation.
 */
#include <protobuf-c/protobuf-c.h>

#include "base/file.h"

/** Deepest nesting: a model's graph is 1, its nodes 2, a subgraph's nodes 5. */
#define AS_WIRE_MAX_DEPTH    64
/** Most messages: far above a network's nodes, attributes and weights together. */
#define AS_WIRE_MAX_MESSAGES ((size_t)1 << 22)

/**
 * Check that `bytes` are well-formed fields of a message of `type`.
 * @param name  the file, for messages.
 * @param kind  what it should be, as in "an ONNX model".
 * @param data_bytes  receives what strings, byte strings and packed numbers take unpacked: as many
 *                    bytes as in the file, but for packed varints, of which one byte may be eight.
 * @return ASSAY_E_FORMAT with the byte at which it is not.
 */
assay_code as_wire_check(const ProtobufCMessageDescriptor *type, const as_bytes *bytes,
                         const char *name, const char *kind, size_t *data_bytes,
                         assay_error *err);

#endif
