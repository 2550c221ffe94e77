/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/flight.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "plugin/files_paths.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS = 8 };	/* the number of segments that share the size; one is deleted at a time */

struct flight {
	struct recorder *recorder;
	const struct latest *latest;	/* borrowed */
	const struct str *contexts;
	size_t ncontexts;
	char *dir;
	struct str ns;
	size_t size;
	unsigned number;	/* the number of segments that were begun */
	/* old segments are deleted once the state at the beginning of the present one is written */
	bool makes_room;
	bool failed;
	struct err why;
};

/* ---- segments --------------------------------------------------------------------- */

/* Makes the name of a segment.  Names sort in the order in which the segments were begun. */
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

/* Deletes the oldest segments until there is room for one more, but never the present one. */
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

/* Begins a new segment.  The oldest ones are kept until it can be used. */
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
	recorder_begin_state(next, w, f->latest);
	f->makes_room = true;
	if (recorder_close(f->recorder, err) < 0) {
		f->recorder = next;
		return -1;
	}
	f->recorder = next;
	return 0;
}

struct flight *flight_open(const struct flight_options *o, const struct world *w, struct err *err)
{
	struct flight *f;

	if (mkdir(o->dir, 0700) < 0 && errno != EEXIST) {
		err_set(err, ERR_SYSTEM, "cannot make the directory %s: %s", o->dir, strerror(errno));
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->dir = xstrdup(o->dir);
	f->latest = o->latest;
	f->contexts = o->contexts;
	f->ncontexts = o->ncontexts;
	f->ns = o->ns;
	f->size = o->size;
	if (begin_segment(f, w, err) == 0)
		return f;
	flight_close(f, &(struct err){ 0 });
	return NULL;
}

/* ---- what happens -------------------------------------------------------------------- */

struct recorder *flight_recorder(struct flight *f)
{
	return f ? f->recorder : NULL;
}

/*
 * Returns true when the segment has its share of the size, and at least as many bytes after the state as the state
 * itself takes.
 */
static bool is_full(const struct flight *f)
{
	size_t most = f->size / SEGMENTS, state = recorder_begun(f->recorder);

	return state && recorder_written(f->recorder) - state >= (most > state ? most : state);
}

void flight_settled(struct flight *f, const struct world *w)
{
	if (!f || f->failed)
		return;
	if (f->makes_room && recorder_begun(f->recorder)) {
		f->makes_room = false;
		make_room(f);
	}
	if (is_full(f) && begin_segment(f, w, &f->why) < 0)
		f->failed = true;
}

bool flight_failed(const struct flight *f, struct err *err)
{
	if (!f)
		return false;
	if (f->failed)
		*err = f->why;
	return f->failed || recorder_failed(f->recorder, err);
}

int flight_close(struct flight *f, struct err *err)
{
	int result;

	if (!f)
		return 0;
	result = recorder_close(f->recorder, err);
	xfree(f->dir);
	xfree(f);
	return result;
}
