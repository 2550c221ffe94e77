/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/gotext.h"

#include "kube/base/buf.h"
#include "kube/base/utf8.h"

#include <ctype.h>
#include <string.h>

static struct str keep(struct arena *arena, struct buf *b)
{
	struct str s = arena_str(arena, buf_str(b));

	buf_release(b);
	return s;
}

static void add_rune(struct buf *b, uint32_t rune)
{
	char bytes[4];
	size_t n = utf8_put(rune, bytes);

	buf_add(b, (struct str){ bytes, n });
}

static void quote_rune(struct buf *b, uint32_t rune)
{
	static const char plain[] = "\a\b\f\n\r\t\v", names[] = "abfnrtv";
	const char *at = rune && rune < 0x80 ? strchr(plain, (int)rune) : NULL;

	if (rune == '"' || rune == '\\')
		buf_printf(b, "\\%c", (int)rune);
	else if (at)
		buf_printf(b, "\\%c", names[at - plain]);
	else if (rune < 0x20 || rune == 0x7f)
		buf_printf(b, "\\x%02x", (unsigned)rune);
	else if (utf8_hostile(rune))
		buf_printf(b, "\\u%04x", (unsigned)rune);
	else
		add_rune(b, rune);
}

struct str gotext_quote(struct arena *arena, struct str s)
{
	struct buf b = { 0 };
	size_t at = 0;

	buf_add_char(&b, '"');
	while (at < s.len)
		quote_rune(&b, utf8_next(s, &at));
	buf_add_char(&b, '"');
	return keep(arena, &b);
}

struct str gotext_errno(struct arena *arena, int code)
{
	const char *text = strerror(code);

	return arena_printf(arena, "%c%s", tolower((unsigned char)text[0]), text + 1);
}

static bool is_private(uint32_t rune)
{
	return (rune >= 0xe000 && rune <= 0xf8ff) || rune >= 0xf0000;
}

struct str gotext_clean(struct arena *arena, struct str s)
{
	struct buf b = { 0 };
	size_t at = 0;

	while (at < s.len) {
		uint32_t rune = utf8_next(s, &at);
		bool space = rune >= '\t' && rune <= '\r';

		if (!space && (utf8_hostile(rune) || is_private(rune)))
			buf_printf(&b, "U+%04X", (unsigned)rune);
		else
			add_rune(&b, rune);
	}
	return keep(arena, &b);
}

int gotext_check_name(const char *what, struct str name, struct err *err)
{
	bool slash = str_contains(name, "/"), percent = str_contains(name, "%");
	struct arena arena = { 0 };

	if (str_is(name, ".") || str_is(name, ".."))
		return err_set(err, ERR_INPUT, "invalid %s \"" STR_FMT "\": [may not be '"
			       STR_FMT "']", what, STR_ARG(name), STR_ARG(name));
	if (!slash && !percent)
		return 0;
	err_set(err, ERR_INPUT, "invalid %s %s: [%s%s%s]", what, gotext_quote(&arena, name).ptr,
		slash ? "may not contain '/'" : "", slash && percent ? " " : "",
		percent ? "may not contain '%'" : "");
	arena_release(&arena);
	return -1;
}
