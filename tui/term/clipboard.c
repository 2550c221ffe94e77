/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/clipboard.h"

/* GNU screen drops strings that are longer. */
enum { SCREEN_CHUNK = 700 };

static void base64(struct str s, struct buf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.len; i += 3) {
		size_t n = s.len - i < 3 ? s.len - i : 3;
		uint32_t bits = (uint32_t)(unsigned char)s.ptr[i] << 16;

		if (n > 1)
			bits |= (uint32_t)(unsigned char)s.ptr[i + 1] << 8;
		if (n > 2)
			bits |= (unsigned char)s.ptr[i + 2];
		buf_add_char(out, digits[bits >> 18 & 63]);
		buf_add_char(out, digits[bits >> 12 & 63]);
		buf_add_char(out, n > 1 ? digits[bits >> 6 & 63] : '=');
		buf_add_char(out, n > 2 ? digits[bits & 63] : '=');
	}
}

static void osc52(struct str text, struct buf *out)
{
	buf_add_cstr(out, "\033]52;c;");
	base64(text, out);
	buf_add_char(out, '\a');
}

/* tmux passes on what stands in its own string, with every ESC doubled. */
static void through_tmux(struct str sequence, struct buf *out)
{
	buf_add_cstr(out, "\033Ptmux;");
	for (size_t i = 0; i < sequence.len; i++) {
		if (sequence.ptr[i] == '\033')
			buf_add_char(out, '\033');
		buf_add_char(out, sequence.ptr[i]);
	}
	buf_add_cstr(out, "\033\\");
}

static void through_screen(struct str sequence, struct buf *out)
{
	while (sequence.len) {
		struct str chunk = str_head(sequence, SCREEN_CHUNK);

		buf_add_cstr(out, "\033P");
		buf_add(out, chunk);
		buf_add_cstr(out, "\033\\");
		sequence = str_from(sequence, chunk.len);
	}
}

void clipboard_sequence(struct str text, enum clipboard_through through, struct buf *out)
{
	struct buf sequence = { 0 };

	osc52(text, &sequence);
	/* tmux may take it itself (set-clipboard on) or pass it on (allow-passthrough): both are
	 * asked. */
	if (through != CLIPBOARD_SCREEN)
		buf_add(out, buf_str(&sequence));
	if (through == CLIPBOARD_TMUX)
		through_tmux(buf_str(&sequence), out);
	if (through == CLIPBOARD_SCREEN)
		through_screen(buf_str(&sequence), out);
	buf_release(&sequence);
}
