/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CLI_INTERRUPT_H
#define ASSAY_CLI_INTERRUPT_H
/*
 * SIGINT and SIGTERM set a flag that long work polls; a second one ends the process at once.
 * Rooms below the command line take a callback `bool (*stop)(void *)` and are given as_stop.
 */
#include <stdbool.h>

/** Install the handlers; main does it once, before a verb runs. */
void as_interrupt_install(void);

/** Whether SIGINT or SIGTERM has come. */
bool as_interrupted(void);

/** as_interrupted() as a callback; `unused` may be NULL. */
bool as_stop(void *unused);

#endif
