/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes recordings: JSON lines (docs/recordings.md), compressed when the name ends in .gz.  Objects are redacted (redact.h) when they are
 * written.
 */
#ifndef PLUGIN_RECORD_RECORDER_H
#define PLUGIN_RECORD_RECORDER_H

#include "kube/model/json.h"
#include "plugin/world.h"

struct edit;
struct latest;
struct recorder;
struct segment_place;

/*
 * Creates the file with mode 0600.  contexts has one for each cluster and is borrowed until recorder_close(); ns is the
 * observed namespace, "" for all.  Returns NULL with ERR_SYSTEM when the file exists or cannot be created.
 */
struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err);
enum recorded_as {
	RECORDED_ADDED,
	RECORDED_MET,		/* the object was there before somebody looked: a replay does not take it for new */
	RECORDED_MODIFIED,
	RECORDED_DELETED,
	RECORDED_DESELECTED	/* the object left the selection by which it was watched */
};
/* Writes a version of an object, which is JSON as record_object() writes it. */
void recorder_write(struct recorder *r, int64_t now, enum recorded_as what, uint16_t cluster, struct str object);
/*
 * Writes how much of a kind, or of a name, is known from now (ms) on, so that a replay gives the same verdicts.  Writes
 * nothing when the kind is NULL.
 */
void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage);
/* Writes whether the kind of that object is watched in its namespace from now (ms) on, where its coverage does not tell. */
void recorder_write_watched(struct recorder *r, int64_t now, const struct object_id *id, bool is_watched);
/* Writes that an object was deleted, by its name alone; deselected: it left the selection by which it was watched. */
void recorder_write_gone(struct recorder *r, int64_t now, const struct object_id *id, bool deselected);
/* Writes that nobody looks at an object from now (ms) on: a replay does not take it for deleted. */
void recorder_write_let_go(struct recorder *r, int64_t now, const struct object_id *id);
/* Records who changed an object (kube/model/managed_fields.h). */
void recorder_write_edits(struct recorder *r, int64_t now, const struct object_id *id, const struct edit *all, size_t n);
/*
 * Makes each state that is written from now on tell who changed the objects, as far as the world knows it; for a part of another
 * recording.  What is recorded of a cluster does not tell it.
 */
void recorder_tell_edits(struct recorder *r);
/*
 * Makes the recording one of these slots of a world alone: 1 for each that it is about.  The state that
 * recorder_write_state() writes then has only their names and changes, and says of no list that it was complete.  slots
 * is borrowed until the state is written.
 */
void recorder_limit(struct recorder *r, const uint8_t *slots, uint32_t n);
/* Writes what was on the screen, as JSON (docs/recordings.md).  It has to be the first record. */
void recorder_write_screen(struct recorder *r, int64_t now, struct str screen);
/* Writes the kinds that were discovered, or whose version or scope has changed, since the recording tells of kinds. */
void recorder_kinds(struct recorder *r, const struct world *w);
/* Writes a mark: nothing else happened until now (ms), unless a record says so.  r may be NULL. */
void recorder_write_mark(struct recorder *r, int64_t now);
/* Writes that the first lists are complete: until then verdicts changed only because objects were being read. */
void recorder_write_loaded(struct recorder *r, int64_t now);
/*
 * Writes the whole state as of w->now: each object with what was observed of it, then the coverage, so that a replay
 * from here gives the same verdicts as one from the beginning.  latest has the records ({"object": ...}) of the
 * objects.
 */
void recorder_write_state(struct recorder *r, const struct world *w, struct latest *latest);
/*
 * Does the same without holding up the event loop: the state is copied now, and recorder_run() writes it, a slice at a
 * time.  Records that are written meanwhile follow it.  latest is borrowed until the state is written.
 */
void recorder_begin_state(struct recorder *r, const struct world *w, struct latest *latest);
/* Returns the bytes of the file up to the end of the state that it begins with; 0 while that is not written. */
size_t recorder_begun(const struct recorder *r);
/*
 * Begins a keyframe when enough was written since the last one, as recorder_begin_state() does.  Call it after each
 * settle.  latest has all objects of the world.
 */
void recorder_settled(struct recorder *r, const struct world *w, struct latest *latest);
/*
 * Copies a record of another recording, without what must not be recorded; edited is its object when it tells who changed it, else NULL:
 * that is written after it, as far as the world knows it.
 */
void recorder_copy(struct recorder *r, const struct world *w, struct json record, const struct object_id *edited);
/* Returns the time of the last record, ms. */
int64_t recorder_last(const struct recorder *r);
/* Returns true, with the place of the newest keyframe that is whole; false: there is none so far. */
bool recorder_keyframe(const struct recorder *r, struct segment_place *out);
/* Returns true, with the present end of the file, when all records up to a time stand before it. */
bool recorder_written_until(const struct recorder *r, struct segment_place *out);
/* Return the bytes written to the file, and the lines, including those that are not flushed yet. */
size_t recorder_written(const struct recorder *r);
size_t recorder_lines(const struct recorder *r);
/*
 * Writes everything to the file, so that it can be read whatever happens to the program.  r may be NULL here and below.
 */
void recorder_flush(struct recorder *r);
/*
 * Writes a mark when nothing was recorded for a second; the longer the idle time, the less often, but at least once a
 * minute.  connected: a cluster is connected, so that an event would have been seen.  Call it before recorder_run().
 */
void recorder_mark_idle(struct recorder *r, int64_t now, bool connected);
/*
 * Flushes when half a second has passed since the last flush.  recorder_deadline() returns when to call it, and
 * recorder_mark_idle(), again, ms; 0: after the next write.
 */
void recorder_run(struct recorder *r, int64_t now);
int64_t recorder_deadline(const struct recorder *r);
/* Returns true, with the reason in err, when nothing can be written any more. */
bool recorder_failed(const struct recorder *r, struct err *err);
/* Returns true when nothing can be written any more because the disk, or the file, may not have more. */
bool recorder_is_full(const struct recorder *r);
/* Flushes, closes the file and frees r.  Returns -1 with ERR_SYSTEM when something could not be written. */
int recorder_close(struct recorder *r, struct err *err);

#endif
