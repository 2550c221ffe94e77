/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/flight.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "plugin/files_paths.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS = 8 };	/* that share the size: so much of it is lost at once */

struct flight {
	struct recorder *recorder;
	struct latest *latest;
	const struct str *contexts;
	size_t ncontexts;
	char *dir;
	struct str ns;
	size_t size;
	size_t state;		/* bytes that the segment begins with */
	unsigned number;	/* of segments that were begun */
	struct buf text;
	bool failed;
	struct err why;
};

/* ---- segments --------------------------------------------------------------------- */

/* By their names in the order in which they were begun. */
static void segment_name(struct flight *f, int64_t now, struct buf *out)
{
	char time[TIME_TEXT];

	time_format(now, time);
	for (char *c = time; *c; c++)
		*c = *c == ':' ? '-' : *c;
	buf_printf(out, "%s/flight-%s-%06u.jsonl.gz", f->dir, time, f->number);
}

static size_t file_size(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
}

/* The oldest go, until there is room for one more; the one that is written stays. */
static void make_room(const struct flight *f)
{
	struct path_list list = { 0 };
	size_t total = 0, most = f->size - f->size / SEGMENTS;

	if (path_list_segments(&list, f->dir) == 0)
		for (size_t i = 0; i < list.n; i++)
			total += file_size(list.all[i].path);
	for (size_t i = 0; i + 1 < list.n && total > most; i++) {
		total -= file_size(list.all[i].path);
		unlink(list.all[i].path);
	}
	path_list_release(&list);
}

/* The new one is whole before the one before it ends. */
static int begin_segment(struct flight *f, const struct world *w, struct err *err)
{
	struct buf name = { 0 };
	struct recorder *next;

	f->number++;
	segment_name(f, w->now, &name);
	next = recorder_open(buf_cstr(&name), w, f->contexts, f->ncontexts, f->ns, err);
	buf_release(&name);
	if (!next)
		return -1;
	recorder_write_state(next, w, f->latest);
	recorder_flush(next);
	f->state = recorder_written(next);
	if (recorder_close(f->recorder, err) < 0) {
		f->recorder = next;
		return -1;
	}
	f->recorder = next;
	make_room(f);
	return 0;
}

struct flight *flight_open(const char *dir, size_t size, const struct world *w, const struct str *contexts,
			   size_t ncontexts, struct str ns, struct err *err)
{
	struct flight *f;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		err_set(err, ERR_SYSTEM, "cannot make the directory %s: %s", dir, strerror(errno));
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->dir = xstrdup(dir);
	f->latest = latest_new();
	f->contexts = contexts;
	f->ncontexts = ncontexts;
	f->ns = ns;
	f->size = size;
	if (begin_segment(f, w, err) == 0)
		return f;
	flight_close(f, &(struct err){ 0 });
	return NULL;
}

/* ---- what happens -------------------------------------------------------------------- */

void flight_write(struct flight *f, const struct world *w, const char *type, uint16_t cluster, const struct kind *kind,
		  struct json object)
{
	struct object_id id = { cluster, kind, json_str(object, "metadata.namespace"), json_str(object, "metadata.name") };
	struct handle h = store_find(w->store, &id);

	recorder_write(f->recorder, w->now, type, cluster, kind, object);
	if (!h.slot)
		return;
	buf_reset(&f->text);
	buf_add_cstr(&f->text, "{\"object\":");
	record_object(object, kind, &f->text);
	buf_add_char(&f->text, '}');
	latest_put(f->latest, h, kind->id, buf_str(&f->text), 0);
}

void flight_write_coverage(struct flight *f, const struct world *w, const struct object_id *id, enum coverage coverage)
{
	recorder_write_coverage(f->recorder, w->now, id, coverage);
}

void flight_write_mark(struct flight *f, int64_t now)
{
	if (f)
		recorder_write_mark(f->recorder, now);
}

void flight_mark_quiet(struct flight *f, int64_t now, bool sees)
{
	if (f)
		recorder_mark_quiet(f->recorder, now, sees);
}

/* What follows the state is worth as much as the state at least. */
static bool is_full(const struct flight *f)
{
	size_t most = f->size / SEGMENTS;

	return recorder_written(f->recorder) - f->state >= (most > f->state ? most : f->state);
}

void flight_run(struct flight *f, const struct world *w)
{
	if (!f || f->failed)
		return;
	recorder_run(f->recorder, w->now);
	if (is_full(f) && begin_segment(f, w, &f->why) < 0)
		f->failed = true;
}

int64_t flight_deadline(const struct flight *f)
{
	return f ? recorder_deadline(f->recorder) : 0;
}

bool flight_failed(const struct flight *f, struct err *err)
{
	if (!f)
		return false;
	if (f->failed)
		*err = f->why;
	return f->failed || recorder_failed(f->recorder, err);
}

void flight_flush(struct flight *f)
{
	if (f)
		recorder_flush(f->recorder);
}

int flight_close(struct flight *f, struct err *err)
{
	int result;

	if (!f)
		return 0;
	result = recorder_close(f->recorder, err);
	latest_free(f->latest);
	buf_release(&f->text);
	xfree(f->dir);
	xfree(f);
	return result;
}
