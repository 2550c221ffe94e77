/* SPDX-License-Identifier: Apache-2.0 */
/* The same bytes, cut at other places, must give the same pieces; and each piece is read, or reduced to what can be. */
#include "kube/model/framer.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_piece(void *ctx, struct str piece, struct err *err)
{
	struct buf reduced = { 0 };
	struct json doc;

	(void)err;
	buf_add(ctx, piece);
	buf_add_char(ctx, '\n');
	if (framer_read(&piece, &reduced, &doc) == 0)
		json_free(doc);
	buf_release(&reduced);
	return 0;
}

static int cut(enum framer_mode mode, struct str text, size_t step, struct buf *out)
{
	static const struct framer_ops ops = { .piece = on_piece };
	struct framer *f = framer_new(mode, &ops, out);
	struct err err = { 0 };
	int rc = 0;

	for (size_t at = 0; at < text.len && rc == 0; at += step)
		rc = framer_feed(f, str_head(str_from(text, at), step), &err);
	if (rc == 0)
		rc = framer_end(f, &err);
	if (rc == 0)
		buf_add(out, framer_envelope(f));
	framer_free(f);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	static const enum framer_mode modes[] = { FRAMER_LIST, FRAMER_STREAM };

	for (int i = 0; i < 2; i++) {
		struct buf whole = { 0 }, bytes = { 0 };

		if (cut(modes[i], text, size + 1, &whole) != cut(modes[i], text, 1, &bytes) ||
		    !str_eq(buf_str(&whole), buf_str(&bytes)))
			abort();
		buf_release(&whole);
		buf_release(&bytes);
	}
	return 0;
}
