/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_ADAPTER_H
#define ASSAY_ENGINE_ADAPTER_H
/*
 * Which program stands behind an engine that is not our own (docs/engine-protocol.md).
 *
 *     as_adapter adapter;
 *     code = as_adapter_find(&policy, &adapter, err);
 *     options.argv = adapter.argv;
 *     as_adapter_free(&adapter);
 *
 * An engine NAME is served by the policy's adapter=COMMAND, else by NAME.py in the first of these
 * folders that has it: $ASSAY_ADAPTERS; ../adapters and ../share/assay/adapters, both seen from
 * the program's folder.  NAME.py runs with the policy's python=PATH, else with
 * .venv-engines/bin/python beside that folder, which tools/engines makes.
 */
#include "base/file.h"
#include "engine/policy.h"

/** How to start an adapter; owns its strings. */
typedef struct as_adapter {
    const char *argv[4]; /**< NULL-terminated; borrows from the fields below. */
    char *python;        /**< Interpreter, or NULL with adapter=COMMAND. */
    char *script;        /**< NAME.py, or NULL with adapter=COMMAND. */
    char *command;       /**< "exec COMMAND" for the shell, or NULL. */
} as_adapter;

/**
 * Find the adapter of the policy's engine.
 * @return ASSAY_E_ENVIRONMENT, with what makes it, when there is none or its interpreter is
 *         missing; ASSAY_E_MEMORY.
 */
assay_code as_adapter_find(const as_policy *policy, as_adapter *out, assay_error *err);

/** Free the strings and make `adapter` empty. */
void as_adapter_free(as_adapter *adapter);

/**
 * The files that an adapter consists of, for who keeps copies: NAME.py, each NAME_*.py and
 * protocol.py of its folder, or each word of adapter=COMMAND that names a file of at most 1 MiB
 * (an interpreter is larger).  None for our own engine.
 * @param out  paths in byte order of their names, owned by the caller (as_names_free).
 */
assay_code as_adapter_files(const as_policy *policy, as_names *out, assay_error *err);

#endif
