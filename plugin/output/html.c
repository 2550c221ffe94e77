/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/html.h"

#include "kube/base/utf8.h"

/* Returns how HTML writes a character that means something to it; NULL: as it is. */
static const char *reference(uint32_t rune)
{
	switch (rune) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '`':	/* old browsers end an attribute with it */
		return "&#96;";
	default:
		return NULL;
	}
}

void html_text(struct str s, struct buf *out)
{
	char bytes[4];

	for (size_t at = 0; at < s.len;) {
		uint32_t rune = utf8_next(s, &at);
		const char *written = reference(rune);

		if (written)
			buf_add_cstr(out, written);
		else if (utf8_hostile(rune) && rune != '\n' && rune != '\t')
			buf_add_cstr(out, "\xEF\xBF\xBD");
		else
			buf_add(out, (struct str){ bytes, utf8_put(rune, bytes) });
	}
}
