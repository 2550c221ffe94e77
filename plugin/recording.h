/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings: JSON lines, compressed when the name ends in .gz.  What could be
 * a secret is left out when it is written.
 */
#ifndef PLUGIN_RECORDING_H
#define PLUGIN_RECORDING_H

#include "plugin/query.h"
#include "plugin/world.h"

struct latest;
struct recorder;

/*
 * Makes the file, with mode 0600; ERR_SYSTEM when it exists already.  contexts: one for each cluster,
 * borrowed until the end.  ns is what is looked into, "" for all namespaces.
 */
struct recorder *recorder_open(const char *name, const struct world *w, const struct str *contexts, size_t ncontexts,
			       struct str ns, struct err *err);
/* type is ADDED, MODIFIED, DELETED or BOOKMARK (object JSON_NONE). */
void recorder_write(struct recorder *r, int64_t now, const char *type, uint16_t cluster, const struct kind *kind,
		    struct json object);
/* As of now, what was read completely and what is forbidden: the same conclusions can be drawn from it. */
void recorder_write_coverage(struct recorder *r, const struct world *w, struct str ns);
/*
 * The whole state as of w->now: each object with what was observed of it, so that what follows is concluded as
 * from the whole recording; then the coverage.  latest has records ({"object": ...}) of the objects.
 */
void recorder_write_state(struct recorder *r, const struct world *w, const struct latest *latest, struct str ns);
/* What changed lately in that world, behind its state. */
void recorder_write_recent(struct recorder *r, const struct world *w);
/* Bytes in the file so far; lines, with those that are not in it yet. */
size_t recorder_written(const struct recorder *r);
size_t recorder_lines(const struct recorder *r);
/* All that was written can be read from now on, whatever happens.  Each with NULL, too. */
void recorder_flush(struct recorder *r);
/* Does so within a second.  recorder_deadline() is when to call it again, 0: when something was written. */
void recorder_run(struct recorder *r, int64_t now);
int64_t recorder_deadline(const struct recorder *r);
/* Nothing can be written any more: true, with the reason. */
bool recorder_failed(const struct recorder *r, struct err *err);
/* ERR_SYSTEM when something could not be written.  NULL is allowed. */
int recorder_close(struct recorder *r, struct err *err);

struct replay;

/* A file, plain or compressed, that begins like one. */
bool replay_is_recording(const char *name);
/* A folder is a flight recording: its segments one after the other.  ERR_INPUT when it is no recording.  It is read as it plays: memory is that of what is alive. */
struct replay *replay_open(const char *name, struct err *err);
void replay_free(struct replay *r);

/* What is known once all lines were looked at. */
struct replay_survey {
	int64_t start, end;	/* ms: the first and the latest record */
	size_t bad, first_bad;	/* records that cannot be read, and the line of the first */
	bool cut, damaged;
};
/* replay_open() in two steps, for those who know already what the second one finds. */
struct replay *replay_begin(const char *name, struct err *err);
void replay_look_through(struct replay *r);
const struct replay_survey *replay_known(const struct replay *r);
void replay_set_known(struct replay *r, const struct replay_survey *known);
/* Borrowed; -1: there are several. */
int replay_file(const struct replay *r);
/* Its first line, as JSON. */
void replay_header(const struct replay *r, struct buf *out);

/* Where a replay can go on later, with the state of now: before its next record. */
struct replay_place {
	int64_t offset;		/* bytes into the file */
	int64_t time;		/* ms: replay_next() there */
};
/* False: not here.  Compressed files have such places behind a full flush only, with the recorder about two in a second. */
bool replay_place(const struct replay *r, struct replay_place *out);
/* From its first record again. */
void replay_restart(struct replay *r);
/* False: the replay is of no use any more. */
bool replay_go(struct replay *r, const struct replay_place *place);
/* The recording was cut off, or no state holds all of it. */
bool replay_is_damaged(const struct replay *r);
/* Puts a state into the world: so many lines of another, compressed, recording from that byte on, which is behind a flush. */
void replay_load(struct replay *r, struct world *w, struct query *q, int fd, size_t at, size_t lines);
/* The kinds of the recorded cluster. */
void replay_kinds(const struct replay *r, struct kinds *kinds);
struct str replay_context(const struct replay *r);
/* Names the clusters in g, and what is known of them is known in part; of one cluster the name stays "". */
void replay_clusters(const struct replay *r, struct world *w);
/* Where it was looked into; "": all namespaces. */
struct str replay_namespace(const struct replay *r);
/* Times of the first and the latest record. */
int64_t replay_start(const struct replay *r);
int64_t replay_end(const struct replay *r);
/* Called for each object that is put, and for each before it is removed, with JSON_NONE. */
void replay_listen(struct replay *r, void (*object)(void *ctx, struct handle h, struct json object), void *ctx);
/* Puts everything up to a time into the world, as far as q's selectors want it; returns how many records that were. */
size_t replay_until(struct replay *r, struct world *w, struct query *q, int64_t time);
/* Judges again, at that time, verdicts that time alone changes (an operator that is silent). */
void replay_recheck(const struct replay *r, struct world *w, int64_t time);
/* The same in a world of a time before where the replay stands, of what was recorded by then. */
void replay_recheck_then(const struct replay *r, struct world *w, int64_t time);
/* The time of the next record; 0 at the end. */
int64_t replay_next(const struct replay *r);
/* What of the recording cannot be used, as a text.  False when all can. */
bool replay_flaws(const struct replay *r, struct buf *out);
/* The object as it was recorded last, as JSON; "" when unknown, or when that was after the time. */
struct str replay_object(const struct replay *r, struct handle h, int64_t time, struct arena *arena);
/* Lines of a recording: of a compressed one that is open at fd (-1: of r itself), from that byte on (0: the first), at most so many (0: all). */
struct replay_lines {
	int fd;
	int64_t at;
	size_t n;
};
/* The object as it was in the last record of it by that time, as JSON; "": it was gone.  False when none of them is about it. */
bool replay_find(const struct replay *r, struct replay_lines lines, const struct object_id *id, int64_t until, struct buf *out);
/* What is still to come, up to a time, into another recording, as it is. */
void replay_copy(struct replay *r, int64_t until, struct recorder *to);
/* The contexts, one for each cluster; in the arena, texts borrowed. */
const struct str *replay_contexts(const struct replay *r, struct arena *arena, size_t *out_n);
const struct latest *replay_latest(const struct replay *r);

#endif
