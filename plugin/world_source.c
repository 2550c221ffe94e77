/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the source of a world, which once read stays as it is. */
#include "plugin/world_source.h"

#include "kube/base/assert.h"
#include "plugin/clock.h"
#include "plugin/program.h"

#include <poll.h>

#define LONGEST 60000	/* ms: so long poll() waits at most */

void source_sleep(const struct program *p, const int *fds, size_t nfds, int64_t timeout_ms)
{
	struct pollfd polled[4];

	(void)p;
	assert(nfds <= sizeof(polled) / sizeof(polled[0]));
	for (size_t i = 0; i < nfds; i++)
		polled[i] = (struct pollfd){ fds[i], POLLIN, 0 };
	poll(polled, nfds, timeout_ms < 0 || timeout_ms > LONGEST ? LONGEST : (int)timeout_ms);
}

static size_t files_logs(const struct program *p, struct file_pod *pods, size_t npods, struct arena *arena, struct file_log out[FILE_LOGS])
{
	return file_logs_read(&(struct files){ p->options.filename.values, p->options.recursive, false }, pods, npods, arena, out);
}

static struct source_facts files_facts(const struct program *p)
{
	return (struct source_facts){ .screen = JSON_NONE, .speed = p->options.as_of ? 0 : 1, .settled = true, .fresh = true,
				      .logs = p->files_have_logs };
}

static void files_header(struct program *p, struct header *h, struct arena *arena)
{
	(void)arena;
	h->link = LINK_FILES;
	h->files_of = p->files_of;
}

static bool files_step(struct program *p, int64_t until, const struct source_watch *watch)
{
	(void)until, (void)watch;
	if (!p->options.as_of)
		p->world.now = clock_now();
	return world_settle(&p->world) > 0;
}

static void files_close(struct program *p)
{
	(void)p;
}

static const struct str *files_contexts(const struct program *p, struct arena *arena, size_t *out_n)
{
	(void)p, (void)arena;
	*out_n = 0;
	return NULL;
}

/* Reads the files again, except standard input, which can be read only once. */
static void files_each_object(const struct program *p, struct handle h, const struct object_ops *ops, void *ctx)
{
	(void)h;
	files_each(&(struct files){ p->options.filename.values, p->options.recursive, false }, ops, ctx);
}

static void each_event(const struct program *p, bool (*wants)(void *ctx, struct str name), const struct object_ops *ops, void *ctx)
{
	files_each_event(buf_str(&p->files_events), wants, ops, ctx);
}

const struct world_source source_files = {
	.whole = true,
	.error = "error: ",
	.no_namespace = { "the files have no namespace", "" },
	.not_reached = "not reached in the files",
	.no_object = "standard input cannot be read again",
	.facts = files_facts,
	.header = files_header,
	.step = files_step,
	.sleep = source_sleep,
	.close = files_close,
	.contexts = files_contexts,
	.each_object = files_each_object,
	.each_event = each_event,
	.logs = files_logs,
};
