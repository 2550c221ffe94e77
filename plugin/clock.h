/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_CLOCK_H
#define PLUGIN_CLOCK_H

#include <stdint.h>

/* Returns the time of day, in ms since 1970.  This is the only clock of the program. */
int64_t clock_now(void);

#endif
