/* SPDX-License-Identifier: Apache-2.0 */
/* Plays recordings (docs/recordings.md) into a world. */
#ifndef PLUGIN_RECORD_REPLAY_H
#define PLUGIN_RECORD_REPLAY_H

#include "kube/model/document.h"
#include "plugin/query.h"
#include "plugin/world.h"

struct latest;
struct recorder;
struct replay;

/* Returns true for a file, plain or compressed, that begins with the header of a recording. */
bool replay_is_recording(const char *name);
/*
 * Opens a recording; a folder is a flight recording, whose segments are read one after the other.  It is read while it
 * plays.  Returns NULL with err: ERR_INPUT when it is no recording.
 */
struct replay *replay_open(const char *name, struct err *err);
/*
 * Does the same without reading the end, which takes most of the time: the end of the recording is not known then, and of
 * its flaws those that were met so far.  That its end is cut off is no flaw, as a recorder may be writing to it.
 */
struct replay *replay_begin(const char *name, struct err *err);
/*
 * Opens the parts of a flight recording, at least one, as replay_open() does; name is for errors.  parts are taken over and
 * released, also with an error.  That its end is cut off is no flaw, as a recorder may be writing to it.
 */
struct parts;
struct replay *replay_open_parts(const char *name, struct parts *parts, struct err *err);
/*
 * Puts recordings in the order of their beginnings, as replay_open_parts() wants them.  Returns -1 with ERR_INPUT when one cannot be
 * read, or they are not of the same contexts.
 */
int replay_order(struct parts *parts, struct err *err) MUST_USE;
void replay_free(struct replay *r);

/*
 * From now on the texts of objects are not kept, which takes a quarter of the time of playing: replay_object() has none, so that
 * replay_object_at() must search for it, and no state can be written from replay_latest().
 */
void replay_forget_texts(struct replay *r);
/* Goes back to the first record. */
void replay_restart(struct replay *r);
/*
 * Loads the newest keyframe at or before time (ms) into the world, in slices; playing goes on from there.  Begin before anything
 * is played, and not when every change since the beginning is needed: that sets w->now, or returns false and changes nothing when
 * there is no keyframe.  Then load at most that number of its records, until it is not REPLAY_LOADING any more.  With
 * REPLAY_NOT_WHOLE, such as what a killed recorder leaves, the world must not be used: restart with an empty one, and begin
 * again, with the keyframe before that one.
 */
enum replay_load { REPLAY_LOADING, REPLAY_LOADED, REPLAY_NOT_WHOLE };
bool replay_load_begin(struct replay *r, struct world *w, int64_t time);
enum replay_load replay_load_some(struct replay *r, struct world *w, struct query *q, size_t most);
/* Returns true when loading a keyframe leads to time sooner than playing on from the present moment. */
bool replay_is_nearer(const struct replay *r, int64_t now, int64_t time);
/* Registers the kinds of the recorded cluster. */
void replay_kinds(const struct replay *r, struct kinds *kinds);
struct str replay_context(const struct replay *r);
/*
 * Sets the names of the clusters in w ("" for a single one), and the coverage to partial when the recording does not
 * have it.
 */
void replay_clusters(const struct replay *r, struct world *w);
/* Returns what was on the screen when the recording was made; JSON_NONE: it does not say.  Borrowed. */
struct json replay_screen(const struct replay *r);
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
 * Plays the records up to time (ms), and at most that number of them, into the world, and notes in q which objects match its
 * selectors.  Returns the number of records.
 */
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
/* Returns true when one of the flaws that replay_flaws() knows is that something that was recorded cannot be read. */
bool replay_has_unread(const struct replay *r);
/*
 * Appends a text that says which parts of the recording cannot be used.  Returns false when there are none.  Of what
 * cannot be read only the part that was played is known, and whether the end is cut off.
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
/* Returns true when nobody recorded at this time (ms), to which it was played. */
bool replay_in_gap(const struct replay *r, int64_t time);
/*
 * A recorder with a selector, or an old one, does not tell when it watched a kind whose objects it has: notes in w that it did since
 * that time (ms).
 */
void replay_note_untold(const struct replay *r, struct world *w, int64_t from);
/* Makes the replay copy each record that it plays to another recording, which is borrowed. */
void replay_copy(struct replay *r, struct recorder *to);
/* Returns the contexts by index of the cluster; the array is in the arena, the texts are borrowed. */
const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n);
struct latest *replay_latest(const struct replay *r);

#endif
