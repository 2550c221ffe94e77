/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and plays recordings: JSON lines, compressed when the name ends in .gz.  Objects are redacted (redact.h) when
 * they are written.
 */
#ifndef PLUGIN_RECORD_RECORDING_H
#define PLUGIN_RECORD_RECORDING_H

#include "kube/model/document.h"
#include "plugin/query.h"
#include "plugin/world.h"

struct latest;
struct recorder;
struct segment_place;

/*
 * Creates the file with mode 0600.  contexts has one for each cluster and is borrowed until recorder_close(); ns is the
 * observed namespace, "" for all.  Returns NULL with ERR_SYSTEM when the file exists or cannot be created.
 */
struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err);
/* Writes a version of an object: type is ADDED, MODIFIED or DELETED; object is JSON as record_object() writes it. */
void recorder_write(struct recorder *r, int64_t now, const char *type, uint16_t cluster, struct str object);
/*
 * Writes how much of a kind, or of a name, is known from now (ms) on, so that a replay gives the same verdicts.  Writes
 * nothing when the kind is NULL.
 */
void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage);
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

struct replay;

/* Returns true for a file, plain or compressed, that begins with the header of a recording. */
bool replay_is_recording(const char *name);
/*
 * Opens a recording; a folder is a flight recording, whose segments are read one after the other.  It is read while it
 * plays.  Returns NULL with err: ERR_INPUT when it is no recording.
 */
struct replay *replay_open(const char *name, struct err *err);
/*
 * Does the same without reading the end, which takes most of the time: the end of the recording and its flaws are not
 * known then.
 */
struct replay *replay_begin(const char *name, struct err *err);
/*
 * Opens the parts of a flight recording, at least one, as replay_open() does; name is for errors.  parts are taken over and
 * released, also with an error.  That its end is cut off is no flaw, as a recorder may be writing to it.
 */
struct parts;
struct replay *replay_open_parts(const char *name, struct parts *parts, struct err *err);
void replay_free(struct replay *r);

/*
 * From now on the texts of objects are not kept, which takes a quarter of the time of playing: replay_object() has none, and no
 * state can be written from replay_latest().
 */
void replay_forget_texts(struct replay *r);
/* Goes back to the first record. */
void replay_restart(struct replay *r);
/*
 * Loads the newest keyframe at or before time (ms) into the world and sets w->now; playing goes on from there.  Call it
 * before anything is played, and not when every change since the beginning is needed.  Returns false and changes
 * nothing when there is no keyframe.
 */
bool replay_load(struct replay *r, struct world *w, struct query *q, int64_t time);
/*
 * Do the same in slices.  Begin with the keyframe, and return false when there is none; then load at most that number of its
 * records, until it is not REPLAY_LOADING any more.  With REPLAY_NOT_WHOLE, such as what a killed recorder leaves, the
 * world must not be used: begin again without the keyframe.
 */
enum replay_load { REPLAY_LOADING, REPLAY_LOADED, REPLAY_NOT_WHOLE };
bool replay_load_begin(struct replay *r, struct world *w, int64_t time);
enum replay_load replay_load_some(struct replay *r, struct world *w, struct query *q, size_t most);
/* Returns true when replay_load() from the beginning leads to time sooner than playing on from the present moment. */
bool replay_is_nearer(const struct replay *r, int64_t now, int64_t time);
/* Registers the kinds of the recorded cluster. */
void replay_kinds(const struct replay *r, struct kinds *kinds);
struct str replay_context(const struct replay *r);
/*
 * Sets the names of the clusters in w ("" for a single one), and the coverage to partial when the recording does not
 * have it.
 */
void replay_clusters(const struct replay *r, struct world *w);
/* Returns what was on the screen when the recording was made; DOCUMENT_NONE: it does not say.  Borrowed. */
struct document replay_screen(const struct replay *r);
/* Returns the recorded namespace; "": all namespaces were recorded. */
struct str replay_namespace(const struct replay *r);
/* Return the times of the first and the latest record, ms. */
int64_t replay_start(const struct replay *r);
int64_t replay_end(const struct replay *r);
/*
 * Returns when the first lists were complete, or since when a state is known with which it was begun to play, ms; 0: that was not
 * played so far, or the recording does not say.
 */
int64_t replay_loaded(const struct replay *r);
/* Returns true when what was played so far has an object, or tells that the first lists were complete. */
bool replay_met_something(const struct replay *r);
/*
 * Makes the replay call object() with each object that it puts into the world, and with JSON_NONE before it removes
 * one.
 */
void replay_listen(struct replay *r, void (*object)(void *ctx, struct handle h, struct json object), void *ctx);
/*
 * Plays all records up to time (ms) into the world, and notes in q which objects match its selectors.  Returns the
 * number of records.
 */
size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time);
/* Does the same for at most that number of records. */
size_t replay_some(struct replay *r, struct world *w, struct query *q, int64_t time, size_t most);
/*
 * Computes the verdicts again, as of that time (ms), that change by time alone, such as that of an operator which is
 * silent.
 */
void replay_recheck(struct replay *r, struct world *w, int64_t time);
/* Does the same in a world that shows an earlier time than that of the replay. */
void replay_recheck_earlier(const struct replay *r, struct world *w, int64_t time);
/* Returns the time of the next record, ms; 0 at the end. */
int64_t replay_next(const struct replay *r);
/* Returns the number of flaws that replay_flaws() knows. */
size_t replay_flaw_count(const struct replay *r);
/*
 * Appends a text that says which parts of the recording cannot be used.  Returns false when there are none.  Of a
 * recording with keyframes only the flaws of the part that was played are known, and whether its end is cut off.
 */
bool replay_flaws(const struct replay *r, struct buf *out);
/*
 * Returns the object as it was recorded last, as JSON in the arena; "" when it is not known, or was recorded after time
 * (ms).
 */
struct str replay_object(const struct replay *r, struct handle h, int64_t time, struct arena *arena);
/*
 * Returns the object as it was at that time (ms), as JSON in the arena; "" when it did not exist.  It is searched for
 * in the recording, also when it changed since.
 */
struct str replay_object_at(const struct replay *r, const struct object_id *id, int64_t time, struct arena *arena);
/* Returns what replay_object_at() does for two moments, from before to (ms), in one search. */
void replay_object_between(const struct replay *r, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			   struct str out[2]);
/* Makes the replay copy each record that it plays to another recording, which is borrowed. */
void replay_copy(struct replay *r, struct recorder *to);
/* Returns the contexts by index of the cluster; the array is in the arena, the texts are borrowed. */
const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n);
struct latest *replay_latest(const struct replay *r);

#endif
