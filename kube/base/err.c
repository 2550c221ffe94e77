/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/err.h"

#include "kube/base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * A text that was cut off loses its last word, too, if that word may be a URL: a password whose '@' was cut off would
 * not be known for a password when the text is shown.
 */
static void drop_cut_word(char *text, size_t size, int length)
{
	size_t at = size - 1;

	if (length < 0 || (size_t)length < size)
		return;
	while (at > 0 && (unsigned char)text[at - 1] > ' ')
		at--;
	if (strchr(text + at, ':'))
		text[at] = '\0';
}

int err_set(struct err *err, enum errc code, const char *fmt, ...)
{
	va_list ap;

	assert(code != ERR_NONE);
	if (!err)
		return -1;
	err->code = code;
	err->http_status = 0;
	err->retry_after = 0;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	drop_cut_word(err->msg, sizeof(err->msg), vsnprintf(err->msg, sizeof(err->msg), fmt, ap));
	va_end(ap);
	return -1;
}

int err_context(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err)
		return -1;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	drop_cut_word(err->msg, sizeof(err->msg), n);
	if (n < 0 || (size_t)n + 3 > sizeof(err->msg))
		return -1;
	memcpy(err->msg + n, ": ", 2);
	memcpy(err->msg + n + 2, old, sizeof(err->msg) - (size_t)n - 2);
	err->msg[sizeof(err->msg) - 1] = '\0';
	drop_cut_word(err->msg, sizeof(err->msg), n + 2 + (int)strlen(old));
	return -1;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	drop_cut_word(err->hint, sizeof(err->hint), vsnprintf(err->hint, sizeof(err->hint), fmt, ap));
	va_end(ap);
	return -1;
}
