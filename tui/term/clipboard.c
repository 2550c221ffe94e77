/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/clipboard.h"

#include "kube/base/crypto.h"

/* GNU screen drops longer strings, so the sequence is cut into chunks of so many bytes. */
enum { SCREEN_CHUNK = 700 };

/* tmux passes on what stands inside its own control string, in which every ESC is doubled. */
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

	buf_add_cstr(&sequence, "\033]52;c;");
	base64_add(&sequence, text);
	buf_add_char(&sequence, '\a');
	/*
	 * tmux may take the text itself (set-clipboard on) or pass it on (allow-passthrough), so it gets both
	 * sequences.
	 */
	if (through != CLIPBOARD_SCREEN)
		buf_add(out, buf_str(&sequence));
	if (through == CLIPBOARD_TMUX)
		through_tmux(buf_str(&sequence), out);
	if (through == CLIPBOARD_SCREEN)
		through_screen(buf_str(&sequence), out);
	buf_release(&sequence);
}
