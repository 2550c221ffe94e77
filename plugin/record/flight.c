/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/flight.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/record/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS = 8 };	/* the number of segments that share the size; one is deleted at a time */
#define TIMES_EVERY MIB(1)	/* the bytes of a segment between two times that the index has of it */
/* How often the index is written while no segment begins or goes. */
#define INDEX_EVERY MINUTES(1)
/* Where the clock was set back by more than this, a segment begins: in a recording, time does not go back. */
#define SET_BACK MINUTES(1)

struct flight {
	struct recorder *recorder;	/* of the last of segments */
	struct latest *latest;	/* borrowed */
	const struct str *contexts;
	size_t ncontexts;
	char *dir;
	int lock;	/* the open directory, which no other recorder may write to meanwhile; -1: it could not be locked */
	struct str ns;
	size_t size;
	unsigned number;	/* the number of the present segment */
	struct segments segments;	/* the present one is the last */
	/* old segments are deleted once the state at the beginning of the present one is written */
	bool makes_room;
	int64_t indexed;	/* when the index was written, ms; 0: it must be written */
	bool failed;
	struct err why;
};

static struct segment *present(const struct flight *f)
{
	assert(f->segments.n > 0);
	return &f->segments.all[f->segments.n - 1];
}

static void path_of(const struct flight *f, const char *name, struct buf *out)
{
	buf_printf(out, "%s/%s", f->dir, name);
}

/* ---- the index ---------------------------------------------------------------------- */

/*
 * Replaces the index as a whole, so that a reader never meets half of one.  An index that cannot be written, as on a full
 * disk, stays as it was: the segments tell the same.
 */
static void write_index(struct flight *f, int64_t now)
{
	struct buf path = { 0 }, next = { 0 }, text = { 0 };
	int fd;
	bool whole;

	path_of(f, SEGMENTS_INDEX, &path);
	path_of(f, "." SEGMENTS_INDEX ".new", &next);
	segments_write_index(&f->segments, now, &text);
	fd = open(buf_cstr(&next), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	whole = fd >= 0 && !file_write_all(fd, buf_str(&text));
	if (fd >= 0)
		whole &= close(fd) == 0;
	if (!whole || rename(buf_cstr(&next), buf_cstr(&path)) < 0)
		unlink(buf_cstr(&next));
	f->indexed = now;
	buf_release(&path);
	buf_release(&next);
	buf_release(&text);
}

/* Notes of the present segment what was written to it. */
static void note_present(struct flight *f)
{
	struct segment *s = present(f);
	struct segment_place place;

	if (s->gaps.n < SEGMENT_GAPS)
		gaps_note(&s->gaps, s->last, recorder_last(f->recorder), false);
	if (recorder_last(f->recorder) > s->last)
		s->last = recorder_last(f->recorder);
	s->size = (off_t)recorder_written(f->recorder);
	if (recorder_keyframe(f->recorder, &place))
		segment_places_add(&s->keyframes, &place);
	if (recorder_written_until(f->recorder, &place) && place.at >= s->times.apart)
		segment_places_add(&s->times, &place);
}

/* A segment is closed: the end of its compressed data was added. */
static void note_closed(struct flight *f, struct segment *s)
{
	struct buf path = { 0 };
	struct stat st;

	path_of(f, s->name, &path);
	if (lstat(buf_cstr(&path), &st) == 0)
		s->size = st.st_size;
	buf_release(&path);
}

/* ---- segments --------------------------------------------------------------------- */

/*
 * Makes the name of a segment.  Names sort in the order in which the segments were begun, also when the clock was set
 * back: then the name has the time of the segment before it, and the next number.
 */
static void segment_name(struct flight *f, int64_t now, struct buf *out)
{
	const struct segment *before = f->segments.n ? present(f) : NULL;
	char time[TIME_TEXT];
	struct str was;

	time_format(now, time);
	for (char *c = time; *c; c++)
		*c = *c == ':' ? '-' : *c;
	f->number++;
	buf_printf(out, "flight-%s-%06u.jsonl.gz", time, f->number);
	if (!before || strcmp(before->name, buf_cstr(out)) < 0 || !segment_number(before))
		return;
	was = str_head(str_of(before->name), strlen("flight-") + strlen(time));
	f->number = segment_number(before) + 1;
	buf_reset(out);
	buf_printf(out, STR_FMT "-%06u.jsonl.gz", STR_ARG(was), f->number);
}

static void delete_segment(struct flight *f, size_t i)
{
	struct buf path = { 0 };

	path_of(f, f->segments.all[i].name, &path);
	unlink(buf_cstr(&path));
	buf_release(&path);
	segments_remove(&f->segments, i);
	f->indexed = 0;
}

/* Deletes the oldest segments until there is room for one more, but never the present one. */
static void make_room(struct flight *f)
{
	off_t total = 0, most = (off_t)(f->size - f->size / SEGMENTS);

	for (size_t i = 0; i < f->segments.n; i++)
		total += f->segments.all[i].size;
	while (total > most && f->segments.n > 1) {
		total -= f->segments.all[0].size;
		delete_segment(f, 0);
	}
}

/*
 * Ends the present segment, behind which another one was begun.  One that has no room for its end can be played up to
 * there; one that has not even its beginning is deleted.
 */
static void end_segment(struct flight *f)
{
	struct segment *s = &f->segments.all[f->segments.n - 2];
	bool unusable = recorder_is_full(f->recorder) && !recorder_begun(f->recorder);

	recorder_close(f->recorder, &(struct err){ 0 });
	note_closed(f, s);
	if (unusable)
		delete_segment(f, f->segments.n - 2);
}

/* Begins a new segment.  The oldest ones are kept until it can be used. */
static int begin_segment(struct flight *f, const struct world *w, struct err *err)
{
	struct buf name = { 0 }, path = { 0 };
	struct recorder *next;

	segment_name(f, w->now, &name);
	path_of(f, buf_cstr(&name), &path);
	next = recorder_open(buf_cstr(&path), w, f->contexts, f->ncontexts, f->ns, err);
	if (next) {
		if (f->recorder)
			note_present(f);
		segments_add(&f->segments, buf_str(&name));
		present(f)->first = w->now;
		present(f)->times.apart = TIMES_EVERY;
		recorder_begin_state(next, w, f->latest);
		f->makes_room = true;
		f->indexed = 0;
		if (f->recorder)
			end_segment(f);
		f->recorder = next;
	}
	buf_release(&path);
	buf_release(&name);
	return next ? 0 : -1;
}

/*
 * Makes sure that no other recorder writes to the directory: two would delete each other's segments, and the index would have those
 * of one.  The lock goes with the process, however that ends.  A file system without locks is used without one.
 */
static int lock_directory(const char *dir, int *out_fd, struct err *err)
{
	*out_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*out_fd < 0 || flock(*out_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(*out_fd);
	err_set(err, ERR_INPUT, "another recorder writes to %s", dir);
	return err_hint(err, "end it first, or give --flight a directory of its own");
}

struct flight *flight_open(const struct flight_options *o, const struct world *w, struct err *err)
{
	struct flight *f;
	int lock;

	if (mkdir(o->dir, 0700) < 0 && errno != EEXIST) {
		err_set(err, ERR_SYSTEM, "cannot make the directory %s: %s", o->dir, strerror(errno));
		return NULL;
	}
	if (lock_directory(o->dir, &lock, err) < 0)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->lock = lock;
	f->dir = xstrdup(o->dir);
	f->latest = o->latest;
	f->contexts = o->contexts;
	f->ncontexts = o->ncontexts;
	f->ns = o->ns;
	f->size = o->size;
	/* reads what earlier recorders have left in the directory */
	if (segments_scan(&f->segments, f->dir, &(struct err){ 0 }) < 0)
		f->segments = (struct segments){ 0 };
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

/* Returns true when the disk is full, and a segment can make room: the only one only if more than a state fits. */
static bool can_make_room(const struct flight *f)
{
	return recorder_is_full(f->recorder) && (f->segments.n > 1 || recorder_begun(f->recorder));
}

/*
 * The disk is full before the segments have their size: the oldest makes room for a new one.  From now on all share what
 * there was room for.
 */
static int go_on_when_full(struct flight *f, const struct world *w, struct err *err)
{
	off_t total = 0;

	for (size_t i = 0; i < f->segments.n; i++)
		total += f->segments.all[i].size;
	f->size = (size_t)total < f->size ? (size_t)total : f->size;
	if (f->segments.n == 1) {
		recorder_close(f->recorder, &(struct err){ 0 });
		f->recorder = NULL;
	}
	delete_segment(f, 0);
	return begin_segment(f, w, err);
}

void flight_clock(struct flight *f, const struct world *w)
{
	if (!f || f->failed || !recorder_begun(f->recorder) || recorder_last(f->recorder) - w->now <= SET_BACK)
		return;
	f->failed = begin_segment(f, w, &f->why) < 0;
}

void flight_settled(struct flight *f, const struct world *w)
{
	if (!f || f->failed)
		return;
	note_present(f);
	if (can_make_room(f)) {
		f->failed = go_on_when_full(f, w, &f->why) < 0;
		return;
	}
	if (f->makes_room && recorder_begun(f->recorder)) {
		f->makes_room = false;
		make_room(f);
	}
	if (is_full(f) && begin_segment(f, w, &f->why) < 0)
		f->failed = true;
	if (!f->makes_room && (!f->indexed || llabs(w->now - f->indexed) >= INDEX_EVERY))
		write_index(f, w->now);
}

bool flight_failed(const struct flight *f, struct err *err)
{
	if (!f)
		return false;
	if (f->failed)
		*err = f->why;
	return f->failed || !f->recorder || (!can_make_room(f) && recorder_failed(f->recorder, err));
}

int flight_close(struct flight *f, struct err *err)
{
	int result;

	if (!f)
		return 0;
	recorder_flush(f->recorder);
	if (f->recorder)
		note_present(f);
	result = recorder_close(f->recorder, err);
	if (f->recorder) {
		note_closed(f, present(f));
		write_index(f, present(f)->last);
	}
	if (f->lock >= 0)
		close(f->lock);
	segments_release(&f->segments);
	xfree(f->dir);
	xfree(f);
	return result;
}
