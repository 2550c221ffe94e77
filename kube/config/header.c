/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/header.h"

#include <ctype.h>
#include <string.h>

bool header_value_ok(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* A token of RFC 7230, but without '%', which is the escape character here. */
static bool plain(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || (c && strchr("!#$&'*+-.^_`|~", c)));
}

void header_add_extra(struct buf *out, struct str key)
{
	struct buf name = { 0 };
	bool upper = true;

	buf_add_cstr(&name, "Impersonate-Extra-");
	for (size_t i = 0; i < key.len; i++) {
		unsigned char c = (unsigned char)key.ptr[i];

		if (plain(c))
			buf_add_char(&name, (char)c);
		else
			buf_printf(&name, "%%%02X", c);
	}
	/* the canonical form of Go: a capital letter at the start and after each '-' */
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		buf_add_char(out, (char)(upper ? toupper(c) : tolower(c)));
		upper = c == '-';
	}
	buf_release(&name);
}
