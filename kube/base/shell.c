/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/shell.h"

bool shell_is_plain(struct str s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/-@%+,";
	struct str set = str_of(safe);

	for (size_t i = 0; i < s.len; i++)
		if (str_find(set, s.ptr[i]) == set.len)
			return false;
	return s.len > 0;
}

struct str shell_word(struct str s, struct arena *a)
{
	enum { QUOTED = 4 };	/* bytes of '\'', which stands for one quote */
	char *out;
	size_t n = 0;

	if (shell_is_plain(s))
		return s;
	out = arena_alloc(a, s.len * QUOTED + 2);
	out[n++] = '\'';
	for (size_t i = 0; i < s.len; i++) {
		/*
		 * fish reads a backslash within single quotes as an escape, so a backslash stands outside of them, too
		 */
		bool outside = s.ptr[i] == '\'' || s.ptr[i] == '\\';

		if (outside) {
			out[n++] = '\'';
			out[n++] = '\\';
		}
		out[n++] = s.ptr[i];
		if (outside)
			out[n++] = '\'';
	}
	out[n++] = '\'';
	return (struct str){ out, n };
}
