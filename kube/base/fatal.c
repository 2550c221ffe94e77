/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/fatal.h"

#include "kube/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void (*fatal_hook)(void);

void fatal_on_end(void (*hook)(void))
{
	fatal_hook = hook;
}

/* The line is lost where standard error cannot be written: there is nobody to tell. */
static void say_last(struct str line)
{
	if (fatal_hook)
		fatal_hook();
	if (write(STDERR_FILENO, line.ptr, line.len) < 0)
		return;
}

void fatal_no_memory(void)
{
	say_last(STR("error: out of memory\n"));
	_exit(1);
}

/* The line has text of the source only: nothing of a cluster, no credentials. */
void fatal_assertion(const char *condition, const char *file, int line)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "error: a fault of kubectl-status " VERSION ", please report it: %s:%d: %s\n", file,
			 line, condition);

	if (n >= (int)sizeof(text))
		text[sizeof(text) - 2] = '\n';
	say_last(n > 0 ? str_of(text) : STR_NONE);
	abort();
}
