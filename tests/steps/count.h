/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counter of steps.  The compiler calls __sanitizer_cov_trace_pc() in every basic block of what was compiled with
 * -fsanitize-coverage=trace-pc; the linker leads calls of the C library here (--wrap).
 */
#ifndef TESTS_STEPS_COUNT_H
#define TESTS_STEPS_COUNT_H

#include <stddef.h>
#include <stdint.h>

void count_begin(void);
/* Steps since count_begin(). */
uint64_t count_end(void);
/* Forgets how many blocks were met for the first time, not which; count_new(): how many since. */
void count_forget(void);
size_t count_new(void);

#endif
