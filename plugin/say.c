/* SPDX-License-Identifier: Apache-2.0 */
/* Prints single lines without control characters on standard error. */
#include "plugin/program.h"
#include "kube/base/file.h"
#include "kube/base/redact.h"
#include "plugin/output/plain.h"

#include <unistd.h>

void say_redacted(struct str text)
{
	struct buf line = { 0 };

	plain_safe(text, &line);
	buf_add_char(&line, '\n');
	(void)!file_write_all(STDERR_FILENO, buf_str(&line));
	buf_release(&line);
}

void say_line(struct str text)
{
	struct arena arena = { 0 };

	say_redacted(redact_copy(&arena, text));
	arena_release(&arena);
}

/* Returns true for messages that kubectl prints without "error: " before them. */
static bool speaks_for_itself(struct str msg)
{
	return str_starts(msg, "The connection to ") || str_starts(msg, "Unable to connect ") ||
	       str_starts(msg, "Error from server") || str_starts(msg, "Error in configuration") ||
	       str_starts(msg, "error: ");
}

void say_error(const struct err *err)
{
	struct buf line = { 0 };

	if (!speaks_for_itself(str_of(err->msg)))
		buf_add_cstr(&line, "error: ");
	buf_add_cstr(&line, err->msg);
	if (err->hint[0])
		buf_printf(&line, " (%s)", err->hint);
	say_line(buf_str(&line));
	buf_release(&line);
}
