/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings: JSON lines, compressed when the name ends in .gz.  Objects are redacted (redact.h) when they
 * are written.
 */
#ifndef PLUGIN_RECORD_RECORDING_H
#define PLUGIN_RECORD_RECORDING_H

#include "plugin/query.h"
#include "plugin/world.h"

struct latest;
struct recorder;

/*
 * Creates the file with mode 0600; NULL with ERR_SYSTEM when it exists.  contexts: one for each cluster, borrowed
 * until recorder_close().  ns: the observed namespace, "" for all.
 */
struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err);
/* type is ADDED, MODIFIED or DELETED; object is JSON as record_object() writes it. */
void recorder_write(struct recorder *r, int64_t now, const char *type, uint16_t cluster, struct str object);
/* Writes what is known of a kind or a name from now (ms) on, so that a replay gives the same verdicts; kind NULL: nothing. */
void recorder_write_coverage(struct recorder *r, int64_t now, const struct object_id *id, enum coverage coverage);
/* Writes that nothing else happened until then (ms), unless a record says so.  NULL is allowed. */
void recorder_write_mark(struct recorder *r, int64_t now);
/* Marks that the first lists are complete: what changed verdicts before was their reading. */
void recorder_write_loaded(struct recorder *r, int64_t now);
/*
 * Writes the whole state as of w->now: each object with what was observed of it, so that a replay from here gives the
 * same verdicts as one from the beginning; then the coverage.  latest has the records ({"object": ...}) of the objects.
 */
void recorder_write_state(struct recorder *r, const struct world *w, const struct latest *latest);
/*
 * The same while others wait: the state is taken now and written by recorder_run(), a slice at a time.  Records that are written
 * meanwhile come behind it.  latest is borrowed until then.
 */
void recorder_begin_state(struct recorder *r, const struct world *w, const struct latest *latest);
/* Bytes of the file up to the end of the state that it begins with; 0 while that is not written. */
size_t recorder_begun(const struct recorder *r);
/*
 * Call it after each settle: begins a keyframe when one is due, as recorder_begin_state() does.  latest has all objects of the
 * world.
 */
void recorder_settled(struct recorder *r, const struct world *w, const struct latest *latest);
/* Bytes written to the file; lines, including those not flushed yet. */
size_t recorder_written(const struct recorder *r);
size_t recorder_lines(const struct recorder *r);
/* Flushes: everything up to here can be read whatever happens.  NULL is allowed here and below. */
void recorder_flush(struct recorder *r);
/*
 * While nothing happens: writes a mark when the last record is a second ago, later more seldom, once a minute at least.
 * sees: somebody would know if something happened.  Call it before recorder_run().
 */
void recorder_mark_quiet(struct recorder *r, int64_t now, bool sees);
/*
 * Flushes when the last flush is half a second ago.  recorder_deadline(): when to call it, and recorder_mark_quiet(), again,
 * ms; 0: after the next write.
 */
void recorder_run(struct recorder *r, int64_t now);
int64_t recorder_deadline(const struct recorder *r);
/* True, with the reason, when nothing can be written any more. */
bool recorder_failed(const struct recorder *r, struct err *err);
/* Flushes and closes.  ERR_SYSTEM when something could not be written. */
int recorder_close(struct recorder *r, struct err *err);

struct replay;

/* True for a file, plain or compressed, that begins with the header of a recording. */
bool replay_is_recording(const char *name);
/*
 * Opens a recording; of a folder, the segments of a flight recording one after the other.  It is read while it plays.
 * NULL with ERR_INPUT when it is no recording.
 */
struct replay *replay_open(const char *name, struct err *err);
/* The same without a look at its end, which takes most of the time: what is known of the whole is not. */
struct replay *replay_begin(const char *name, struct err *err);
void replay_free(struct replay *r);

/* Goes back to the first record. */
void replay_restart(struct replay *r);
/*
 * Before anything is played: loads the newest keyframe at or before time (ms) into the world, and sets w->now; from there it
 * plays on.  Not for callers that need every change since the beginning.  False, and nothing is different: there is none.
 */
bool replay_load(struct replay *r, struct world *w, struct query *q, int64_t time);
/* True when that, from the beginning, leads to time sooner than playing on from now. */
bool replay_is_nearer(const struct replay *r, int64_t now, int64_t time);
/* Registers the kinds of the recorded cluster. */
void replay_kinds(const struct replay *r, struct kinds *kinds);
struct str replay_context(const struct replay *r);
/* Sets the names of the clusters in w ("" for a single one), and their coverage to partial where none is recorded. */
void replay_clusters(const struct replay *r, struct world *w);
/* The recorded namespace; "": all. */
struct str replay_namespace(const struct replay *r);
/* Times of the first and the latest record, ms. */
int64_t replay_start(const struct replay *r);
int64_t replay_end(const struct replay *r);
/* When the first lists were complete, ms; 0: not played so far, or the recording does not say. */
int64_t replay_loaded(const struct replay *r);
/* From now on calls object() for each object that is put, and with JSON_NONE before one is removed. */
void replay_listen(struct replay *r, void (*object)(void *ctx, struct handle h, struct json object), void *ctx);
/* Plays all records up to time (ms) into the world, those that match q's selectors; returns their number. */
size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time);
/* Computes again, as of that time, the verdicts that change by time alone (an operator that is silent). */
void replay_recheck(const struct replay *r, struct world *w, int64_t time);
/* The same in a world that shows an earlier time than the position of the replay. */
void replay_recheck_then(const struct replay *r, struct world *w, int64_t time);
/* The time of the next record, ms; 0 at the end. */
int64_t replay_next(const struct replay *r);
/* How many flaws replay_flaws() tells of. */
size_t replay_flaw_count(const struct replay *r);
/*
 * Appends a text that says which part of the recording cannot be used.  False when there is none.  Of a recording with keyframes
 * only that is known which was played, and whether its end is cut off.
 */
bool replay_flaws(const struct replay *r, struct buf *out);
/* The object as it was recorded last, as JSON in the arena; "" when unknown, or recorded after time. */
struct str replay_object(const struct replay *r, struct handle h, int64_t time, struct arena *arena);
/* The object at that time as JSON, in the arena; "" when it did not exist.  For one that changed since: it is searched for. */
struct str replay_object_then(const struct replay *r, const struct object_id *id, int64_t time, struct arena *arena);
/* From now on each record that is played is copied to another recording, too. */
void replay_copy(struct replay *r, struct recorder *to);
/* The contexts by index of the cluster; the array is in the arena, texts are borrowed. */
const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n);
const struct latest *replay_latest(const struct replay *r);

#endif
