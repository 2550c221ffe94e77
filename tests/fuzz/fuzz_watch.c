/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversation with a hostile server: the first byte of each line is what becomes of
 * a request, the rest its body.
 */
#include "kube/base/time.h"
#include "kube/api/answer.h"
#include "kube/api/watch.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_list(void *ctx)
{
	(void)ctx;
}

static void on_object(void *ctx, enum object_event event, struct json object, struct str raw)
{
	(void)ctx;
	(void)event;
	json_str(object, "metadata.name");
	str_hash(raw);	/* reads all of it */
}

static void on_changed(void *ctx, enum subscription_state state, const struct err *why)
{
	(void)ctx;
	(void)state;
	(void)why;
}

/* '2': a success; '4', '5': a refusal with that body; else the connection breaks after it. */
static void answer(struct watch *w, char how, struct str body, int64_t now)
{
	struct answer a = { .status = how == '4' ? 404 : 500, .body = body };
	struct err err = { 0 };

	if (how == '4' || how == '5') {
		answer_error(&a, &err);
		watch_ended(w, &err, -1, now);
		return;
	}
	watch_answered(w, now);
	if (watch_feed(w, body, now, &err) == 0 && how == '2') {
		watch_ended(w, NULL, -1, now);
		return;
	}
	if (err.code == ERR_NONE)
		err_set(&err, ERR_NET, "lost");
	watch_ended(w, &err, 1000, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct watch_ops ops = { on_list, on_list, on_object, on_changed };
	struct kind kind = { .group = STR("g"), .version = STR("v1"), .kind = STR("K"), .plural = STR("ks") };
	struct subscribe what = { .kind = &kind, .name = size % 2 ? STR("x") : STR_NONE, .once = size % 3 == 0 };
	struct watch *w = watch_new(&(struct watch_config){ .what = &what, .can_watch = true, .can_stream = size % 5 == 0, .seed = 7 },
				    &ops, NULL);
	struct str rest = { (const char *)data, size }, line;
	int64_t now = HOURS(1);

	while (str_split(&rest, '\n', &line)) {
		struct buf path = { 0 };

		for (int i = 0; i < 4 && watch_next(w, now) == WATCH_WAIT && watch_deadline(w); i++)
			now = watch_deadline(w);
		if (watch_next(w, now) != WATCH_SEND)
			break;
		watch_path(w, &path);
		buf_release(&path);
		watch_sent(w, now);
		answer(w, line.len ? line.ptr[0] : '0', str_from(line, 1), now + 1);
	}
	watch_free(w);
	return 0;
}
