/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/shell.h"

#include <string.h>

static bool is_plain(struct str s)
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
	static const struct str quote = { "'\\''", 4 };
	char *out;
	size_t n = 0;

	if (is_plain(s))
		return s;
	out = arena_alloc(a, s.len * quote.len + 2);
	out[n++] = '\'';
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'') {
			memcpy(out + n, quote.ptr, quote.len);
			n += quote.len;
		} else {
			out[n++] = s.ptr[i];
		}
	}
	out[n++] = '\'';
	return (struct str){ out, n };
}
