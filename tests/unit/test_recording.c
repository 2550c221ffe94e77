/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded can be played: in order, whole, by cluster, and whatever became of the file. */
#include "plugin/program.h"

#include "kube/base/alloc.h"
#include "kube/base/file.h"
#include "kube/base/time.h"
#include "kube/graph/observed.h"
#include "plugin/record/keyframe.h"
#include "plugin/record/record.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define START ((int64_t)1795165200000)	/* 2026-11-20T09:00:00Z */
#define CANARY "c4nary"

struct bench {
	char folder[32], file[64];
	struct world from, to;	/* what is recorded; where it is played */
	struct recorder *recorder;
	struct replay *replay;
	struct query query;
	const struct kind *things;
};

static const struct str one_context[] = { { "prod", 4 } };
static const struct str two_contexts[] = { { "a", 1 }, { "b,c", 3 } };

static struct kind *put_kind(struct kinds *kinds)
{
	struct kind *kind = kinds_put(kinds, STR("example.org"), STR("Thing"));

	kind->version = kind->versions = STR("v1");
	kind->plural = STR("things");
	kind->flags = KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_DISCOVERED | KIND_CUSTOM;
	return kind;
}

static void bench_start(struct bench *b, const char *name)
{
	snprintf(b->folder, sizeof(b->folder), "/tmp/recording-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->file, sizeof(b->file), "%s/%s", b->folder, name);
	world_init(&b->from, false);
	world_init(&b->to, false);
	b->from.now = START;
	b->things = put_kind(&b->from.kinds);
}

static void bench_end(struct bench *b)
{
	assert_int_equal(recorder_close(b->recorder, &(struct err){ 0 }), 0);
	replay_free(b->replay);
	query_release(&b->query);
	world_release(&b->from);
	world_release(&b->to);
	unlink(b->file);
	assert_int_equal(rmdir(b->folder), 0);
}

static void begin(struct bench *b, const struct str *contexts, size_t n)
{
	struct err err = { 0 };

	b->recorder = recorder_open(b->file, &b->from, contexts, n, STR("x"), &err);
	if (!b->recorder)
		fail_msg("%s", err.msg);
}

static void end(struct bench *b)
{
	assert_int_equal(recorder_close(b->recorder, &(struct err){ 0 }), 0);
	b->recorder = NULL;
}

static void write_object(struct bench *b, int64_t time, enum recorded_as what, uint16_t cluster, const struct kind *kind, struct json object)
{
	struct buf text = { 0 };

	record_object(object, kind, &text);
	recorder_write(b->recorder, time, what, cluster, buf_str(&text));
	buf_release(&text);
}

/* As a segment of a flight has an object of which it told the uid. */
static void write_without_uid(struct bench *b, int64_t time, struct json object)
{
	struct buf whole = { 0 }, text = { 0 };

	record_object(object, b->things, &whole);
	record_without_uid(buf_str(&whole), json_str(object, "metadata.uid"), &text);
	recorder_write(b->recorder, time, RECORDED_MODIFIED, 0, buf_str(&text));
	buf_release(&whole);
	buf_release(&text);
}

/* status: more members of it, with a comma behind each. */
static void put(struct bench *b, int seconds, enum recorded_as what, uint16_t cluster, const char *name, const char *status)
{
	struct buf text = { 0 };
	struct json object;

	buf_printf(&text, "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"x\"},\"status\":{%s\"conditions\":[]}}", name, status);
	assert_int_equal(json_parse(buf_str(&text), &object, &(struct err){ 0 }), 0);
	write_object(b, START + SECONDS(seconds), what, cluster, b->things, object);
	json_free(object);
	buf_release(&text);
}

/* name "": of all in the namespace x. */
static void know(struct bench *b, int seconds, uint16_t cluster, const char *name, enum coverage coverage)
{
	struct object_id id = { cluster, b->things, STR("x"), str_of(name) };

	recorder_write_coverage(b->recorder, START + SECONDS(seconds), &id, coverage);
}

static void open_replay(struct bench *b)
{
	struct err err = { 0 };

	b->replay = replay_open(b->file, &err);
	if (!b->replay)
		fail_msg("%s", err.msg);
	replay_kinds(b->replay, &b->to.kinds);
	replay_clusters(b->replay, &b->to);
}

static size_t play(struct bench *b, int seconds)
{
	size_t n = replay_some(b->replay, &b->to, &b->query, START + SECONDS(seconds), SIZE_MAX);

	world_settle(&b->to);
	return n;
}

static struct object_id thing(const struct bench *b, uint16_t cluster, const char *name)
{
	return (struct object_id){ cluster, kinds_find(&b->to.kinds, STR("example.org"), STR("Thing")), STR("x"), str_of(name) };
}

static bool has(const struct bench *b, uint16_t cluster, const char *name)
{
	struct object_id id = thing(b, cluster, name);

	return store_find(b->to.store, &id).slot != 0;
}

static void flaws(struct bench *b, const char *expected)
{
	struct buf text = { 0 };

	assert_int_equal(replay_flaws(b->replay, &text), expected[0] != '\0');
	assert_non_null(strstr(buf_cstr(&text), expected));
	buf_release(&text);
}

static const char *const names[] = { "rec.jsonl", "rec.jsonl.gz" };

/* ---- whole --------------------------------------------------------------- */

static void play_what_was_recorded(const char *file)
{
	struct bench b = { 0 };
	struct arena arena = { 0 };
	struct object_id id;
	struct str text;

	bench_start(&b, file);
	begin(&b, one_context, 1);
	put(&b, 1, RECORDED_ADDED, 0, "one", "\"big\":1763629200123456789,\"url\":\"https://u:" CANARY "@h\",");
	put(&b, 2, RECORDED_ADDED, 0, "two", "");
	put(&b, 3, RECORDED_MODIFIED, 0, "one", "\"big\":9007199254740993,\"nul\":\"a\\u0000b\",");
	put(&b, 4, RECORDED_DELETED, 0, "two", "");
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	assert_true(str_is(replay_context(b.replay), "prod") && str_is(replay_namespace(b.replay), "x"));
	assert_true(replay_start(b.replay) == START + SECONDS(1) && replay_end(b.replay) == START + SECONDS(4));
	assert_int_equal(play(&b, 2), 2);
	assert_true(has(&b, 0, "one") && has(&b, 0, "two"));
	id = thing(&b, 0, "one");
	text = replay_object(b.replay, store_find(b.to.store, &id), INT64_MAX, &arena);
	assert_true(str_contains(text, "\"big\":1763629200123456789") && !str_contains(text, CANARY));
	assert_int_equal(play(&b, 100), 2);
	assert_true(has(&b, 0, "one") && !has(&b, 0, "two") && !replay_next(b.replay));
	text = replay_object(b.replay, store_find(b.to.store, &id), INT64_MAX, &arena);
	assert_true(str_contains(text, "\"big\":9007199254740993") && str_contains(text, "a\\u0000b"));
	arena_release(&arena);
	bench_end(&b);
}

static void test_played_as_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++)
		play_what_was_recorded(names[i]);
}

static size_t count(const struct buf *text, const char *part)
{
	size_t n = 0;

	for (struct str rest = buf_str(text); str_contains(rest, part); n++)
		rest = str_from(rest, str_find_str(rest, part) + strlen(part));
	return n;
}

/* A uid that a segment has told once is that of every record behind it, whoever reads it and however it is reached. */
static void test_uid_told_once(void **state)
{
	static const char *const objects[] = {
		"{\"metadata\":{\"name\":\"one\",\"namespace\":\"x\",\"uid\":\"u-1\",\"ownerReferences\":[{\"uid\":\"o\"}]},\"n\":1}",
		"{\"metadata\":{\"name\":\"one\",\"namespace\":\"x\",\"ownerReferences\":[{\"uid\":\"o\"}],\"uid\":\"u-1\"},\"n\":2}",
	};
	struct bench b = { 0 };
	struct arena arena = { 0 };
	struct buf bytes = { 0 };
	struct str text, texts[2];
	struct object_id id;
	struct handle h;

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, one_context, 1);
	for (int i = 0; i < 3; i++) {
		struct json object;

		assert_int_equal(json_parse(str_of(objects[i != 0]), &object, &(struct err){ 0 }), 0);
		if (i < 1)
			write_object(&b, START + SECONDS(i), RECORDED_ADDED, 0, b.things, object);
		else
			write_without_uid(&b, START + SECONDS(i), object);
		json_free(object);
	}
	end(&b);
	assert_int_equal(file_read(str_of(b.file), &bytes, NULL, &(struct err){ 0 }), 0);
	assert_int_equal(count(&bytes, "\"uid\":\"u-1\""), 1);
	assert_int_equal(count(&bytes, "\"uid\":\"o\""), 3);
	open_replay(&b);
	flaws(&b, "");
	play(&b, 9);
	id = thing(&b, 0, "one");
	h = store_find(b.to.store, &id);
	assert_true(str_is(store_uid(b.to.store, h, &arena), "u-1"));
	text = replay_object(b.replay, h, INT64_MAX, &arena);
	assert_true(str_contains(text, "\"uid\":\"u-1\"") && str_contains(text, "\"n\":2"));
	replay_object_between(b.replay, &id, START, START + SECONDS(9), &arena, texts);
	assert_true(str_contains(texts[0], "\"uid\":\"u-1\"") && str_contains(texts[1], "\"uid\":\"u-1\""));
	buf_release(&bytes);
	arena_release(&arena);
	bench_end(&b);
}

/* What cannot be found for certain stays. */
static void test_uid_that_stays(void **state)
{
	static const char *const texts[] = {
		"{\"metadata\":{\"labels\":{\"a\":\"b\",\"uid\":\"u\"},\"name\":\"n\",\"uid\":\"u\"}}",
		"{\"metadata\":{\"uid\":\"u\",\"name\":\"n\"}}",
		"{\"metadata\":{\"name\":\"n\",\"uid\":\"other\"}}",
		"{\"metadata\":{\"name\":\"n\",\"x\":\"\\\"uid\\\":\\\"u\\\"\"}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf out = { 0 };

		record_without_uid(str_of(texts[i]), STR("u"), &out);
		assert_string_equal(buf_cstr(&out), texts[i]);
		buf_release(&out);
	}
}

/* The same name in two clusters is two objects, and what goes in one stays in the other. */
static void test_clusters(void **state)
{
	struct bench b = { 0 };
	struct arena arena = { 0 };
	struct object_id id;
	struct item item;

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, two_contexts, 2);
	put(&b, 1, RECORDED_ADDED, 0, "one", "\"n\":1,");
	put(&b, 1, RECORDED_ADDED, 1, "one", "\"n\":2,");
	put(&b, 2, RECORDED_DELETED, 0, "one", "");
	know(&b, 2, 1, "", COVERAGE_COMPLETE);
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	play(&b, 1);
	assert_true(has(&b, 0, "one") && has(&b, 1, "one"));
	id = thing(&b, 0, "one");
	assert_true(str_contains(replay_object(b.replay, store_find(b.to.store, &id), INT64_MAX, &arena), "\"n\":1"));
	id = thing(&b, 1, "one");
	assert_true(str_contains(replay_object(b.replay, store_find(b.to.store, &id), INT64_MAX, &arena), "\"n\":2"));
	assert_true(graph_item(b.to.graph, store_find(b.to.store, &id), &arena, &item));
	assert_true(str_is(item.s.id.cluster, "b,c"));
	play(&b, 2);
	assert_true(!has(&b, 0, "one") && has(&b, 1, "one"));
	assert_int_equal(store_coverage(b.to.store, 1, id.kind, STR("x")), COVERAGE_COMPLETE);
	assert_int_not_equal(store_coverage(b.to.store, 0, id.kind, STR("x")), COVERAGE_COMPLETE);
	arena_release(&arena);
	bench_end(&b);
}

static void write_file(const struct bench *b, const char *text)
{
	FILE *f = fopen(b->file, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

#define HEADER "{\"kind\":\"Recording\",\"apiVersion\":\"kubectl-status/v1\",\"contexts\":[\"a\",\"b\"]}\n"
#define RECORD(time, more, name) "{\"t\":\"2026-11-20T09:00:" time ".000Z\",\"type\":\"ADDED\"," more "\"object\":{\"apiVersion\":" \
	"\"example.org/v1\",\"kind\":\"Thing\",\"metadata\":{\"namespace\":\"x\",\"name\":\"" name "\"}}}\n"

/* A cluster that the header does not know is no other one. */
static void test_unknown_cluster(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	write_file(&b, HEADER RECORD("01", "\"cluster\":\"b\",", "one") RECORD("02", "\"cluster\":\"z\",", "two") RECORD("03", "", "three"));
	open_replay(&b);
	put_kind(&b.to.kinds);
	play(&b, 9);
	flaws(&b, "1 record of the recording cannot be read, the first in line 3");
	assert_true(has(&b, 1, "one") && has(&b, 0, "three"));
	assert_false(has(&b, 0, "two") || has(&b, 1, "two"));
	bench_end(&b);
}

/* Recordings from before records named their cluster; the comma may also be in the name of a single context. */
static void test_clusters_without_names(void **state)
{
	static const struct str comma[] = { { "b,c", 3 } };
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	write_file(&b, "{\"kind\":\"Recording\",\"apiVersion\":\"kubectl-status/v1\",\"context\":\"a,b\"}\n" RECORD("01", "", "one"));
	open_replay(&b);
	flaws(&b, "several clusters");
	bench_end(&b);
	bench_start(&b, names[0]);
	begin(&b, comma, 1);
	put(&b, 1, RECORDED_ADDED, 0, "one", "");
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	assert_true(str_is(replay_context(b.replay), "b,c"));
	play(&b, 9);
	assert_true(has(&b, 0, "one"));
	bench_end(&b);
}

/* They come in the order in which they were written. */
static void test_clock_that_was_set_back(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	write_file(&b, HEADER RECORD("50", "", "one") RECORD("10", "", "two") RECORD("55", "", "three"));
	open_replay(&b);
	put_kind(&b.to.kinds);
	flaws(&b, "");
	assert_int_equal(play(&b, 49), 0);
	assert_int_equal(play(&b, 50), 2);
	assert_true(has(&b, 0, "one") && has(&b, 0, "two") && !has(&b, 0, "three"));
	bench_end(&b);
}

/* ---- what was listed completely ------------------------------------------- */

static enum coverage known(const struct bench *b, const char *name)
{
	struct object_id id = thing(b, 0, name);

	return name[0] ? store_name_coverage(b->to.store, &id) : store_coverage(b->to.store, 0, id.kind, STR("x"));
}

static void test_coverage(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, one_context, 1);
	put(&b, 1, RECORDED_ADDED, 0, "one", "");
	know(&b, 2, 0, "", COVERAGE_COMPLETE);
	know(&b, 3, 0, "two", COVERAGE_COMPLETE);
	know(&b, 4, 0, "three", COVERAGE_FORBIDDEN);
	know(&b, 5, 0, "", COVERAGE_NONE);
	know(&b, 6, 0, "two", COVERAGE_NONE);
	know(&b, 7, 0, "", COVERAGE_FORBIDDEN);
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	play(&b, 1);
	assert_int_equal(known(&b, ""), COVERAGE_NONE);
	play(&b, 4);
	assert_int_equal(known(&b, ""), COVERAGE_COMPLETE);
	assert_int_equal(known(&b, "two"), COVERAGE_COMPLETE);
	assert_int_equal(known(&b, "three"), COVERAGE_FORBIDDEN);
	play(&b, 6);
	assert_int_equal(known(&b, ""), COVERAGE_NONE);
	assert_int_equal(known(&b, "two"), COVERAGE_NONE);
	play(&b, 7);
	assert_int_equal(known(&b, ""), COVERAGE_FORBIDDEN);
	bench_end(&b);
}

/* A recording from before coverage was recorded: what is not in it may have been there. */
static void test_coverage_of_old_recordings(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	write_file(&b, "{\"kind\":\"Recording\",\"apiVersion\":\"kubectl-status/v1\"}\n" RECORD("01", "", "one")
		       "{\"t\":\"2026-11-20T09:00:02.000Z\",\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"example.org/v1\","
		       "\"kind\":\"Thing\",\"metadata\":{}},\"coverage\":\"complete\"}\n");
	open_replay(&b);
	flaws(&b, "");
	play(&b, 1);
	assert_int_equal(known(&b, ""), COVERAGE_PARTIAL);
	play(&b, 2);
	assert_int_equal(known(&b, ""), COVERAGE_COMPLETE);
	bench_end(&b);
}

/* ---- damaged lines -------------------------------------------------------- */

#define BOOKMARK(more) "{\"t\":\"2026-11-20T09:00:02.000Z\",\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"example.org/v1\"," \
	"\"kind\":\"Thing\"}," more "}\n"
#define OBSERVED(more) RECORD("02", "\"observed\":{" more "},", "bad")

/* No phase, count, time or word that no recorder writes gets any further than to the line that says so. */
static void test_damaged_lines(void **state)
{
	static const char *const rows[] = {
		BOOKMARK("\"changes\":[[1795165200000,0,200,1,false]]"), BOOKMARK("\"changes\":[[1795165200000,0,1,-1,false]]"),
		BOOKMARK("\"changes\":[[1795165200000,4,1,1,false]]"),	BOOKMARK("\"changes\":[[1795165200000,0,1,1.5,false]]"),
		BOOKMARK("\"changes\":[[9007199254740991,0,1,1,false]]"), BOOKMARK("\"changes\":[[-1,0,1,1,false]]"),
		BOOKMARK("\"changes\":[[1795165200000,0,1,1]]"),		BOOKMARK("\"changes\":[[1795165200000,0,1,1,false,\"a\"]]"),
		BOOKMARK("\"changes\":[[]]"),				BOOKMARK("\"changes\":7"),
		BOOKMARK("\"names\":[[\"g\",\"K\",\"ns\"]]"),		BOOKMARK("\"names\":[[\"g\",\"K\",\"ns\",7]]"),
		BOOKMARK("\"names\":{}"),				BOOKMARK("\"coverage\":\"whole\""),
		"{\"t\":\"2026-11-20T09:00:02.000Z\",\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"name\":\"a\"}},\"lookup\":\"none\"}\n",
		BOOKMARK("\"coverage\":2"),				BOOKMARK("\"lookup\":\"complete\""),
		BOOKMARK("\"kinds\":{}"),				BOOKMARK("\"kinds\":[{\"group\":\"g\"}]"),
		BOOKMARK("\"kinds\":[7]"),
		BOOKMARK("\"cluster\":7"),				OBSERVED("\"phase\":\"Broken\""),
		OBSERVED("\"phase\":3"),				OBSERVED("\"since\":-5"),
		OBSERVED("\"since\":\"now\""),			OBSERVED("\"judged\":1e300"),
		OBSERVED("\"wasReady\":\"yes\""),			RECORD("02", "\"observed\":[],", "bad"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct change_seen c;
		struct bench b = { 0 };
		struct buf text = { 0 };

		bench_start(&b, names[0]);
		buf_printf(&text, HEADER RECORD("01", "", "one") "%s" RECORD("03", "", "two"), rows[i]);
		write_file(&b, buf_cstr(&text));
		open_replay(&b);
		play(&b, 9);
		flaws(&b, "1 record of the recording cannot be read, the first in line 3; what is there is shown");
		assert_true(has(&b, 0, "one") && has(&b, 0, "two") && !has(&b, 0, "bad"));
		for (uint64_t at = 0; graph_recent(b.to.graph, &at, &c);)
			assert_in_range(c.to, 0, PHASE_COUNT - 1);
		buf_release(&text);
		bench_end(&b);
	}
}

/* ---- the file ------------------------------------------------------------ */

static void test_a_file_of_its_own(void **state)
{
	struct bench b = { 0 };
	struct err err = { 0 };
	struct stat st;

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, one_context, 1);
	assert_int_equal(stat(b.file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_null(recorder_open(b.file, &b.from, one_context, 1, STR_NONE, &err));
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_non_null(strstr(err.msg, "File exists"));
	bench_end(&b);
}

/* Half a second after it was written it is in the file; without an event nothing is to do. */
static void test_flushed(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench b = { 0 };
		int64_t at;

		bench_start(&b, names[i]);
		begin(&b, one_context, 1);
		recorder_run(b.recorder, START);
		assert_true(recorder_deadline(b.recorder) == 0);
		put(&b, 1, RECORDED_ADDED, 0, "one", "");
		recorder_run(b.recorder, START + SECONDS(1));
		at = recorder_deadline(b.recorder);
		assert_in_range(at, START + SECONDS(1) + 1, START + SECONDS(2));
		put(&b, 1, RECORDED_ADDED, 0, "two", "");
		recorder_run(b.recorder, at);
		assert_true(recorder_deadline(b.recorder) == 0);
		open_replay(&b);
		flaws(&b, i ? "the recording is cut off" : "");
		play(&b, 9);
		assert_true(has(&b, 0, "one") && has(&b, 0, "two"));
		bench_end(&b);
	}
}

/* Also where nothing happens it is known until when somebody observed, to a second, after long quiet to a minute. */
static void test_quiet(void **state)
{
	struct bench b = { 0 };
	int64_t at, most = 0;
	size_t marks;

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, one_context, 1);
	put(&b, 0, RECORDED_ADDED, 0, "one", "");
	marks = recorder_lines(b.recorder);
	for (at = START; at < START + MINUTES(60); at += 100) {
		int64_t wait;

		recorder_mark_idle(b.recorder, at, true);
		recorder_run(b.recorder, at);
		wait = recorder_deadline(b.recorder) - at;
		assert_true(wait > 0);
		most = wait > most ? wait : most;
		if (at == START + SECONDS(15))
			assert_in_range(recorder_lines(b.recorder) - marks, 14, 15);
	}
	assert_in_range(most, SECONDS(50), SECONDS(60));
	assert_in_range(recorder_lines(b.recorder) - marks, 60, 140);
	marks = recorder_lines(b.recorder);
	for (int i = 0; i < 600; i++) {	/* an outage */
		recorder_mark_idle(b.recorder, at += 1000, false);
		assert_true(recorder_deadline(b.recorder) > at);
	}
	assert_int_equal(recorder_lines(b.recorder), marks);
	recorder_write_mark(b.recorder, at + 1);
	recorder_write_mark(b.recorder, at + 1);	/* that is said */
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	assert_true(replay_end(b.replay) == at + 1);
	play(&b, 0);
	assert_true(has(&b, 0, "one"));
	bench_end(&b);
}

/* Behind the damage it goes on where a reader can begin again. */
static void test_damage(void **state)
{
	struct bench b = { 0 };
	struct stat st, after;
	char byte;
	int fd;

	(void)state;
	bench_start(&b, names[1]);
	begin(&b, one_context, 1);
	put(&b, 1, RECORDED_ADDED, 0, "one", "");
	recorder_flush(b.recorder);
	assert_int_equal(stat(b.file, &st), 0);
	put(&b, 2, RECORDED_ADDED, 0, "two", "\"more\":\"than a few bytes of something that does not repeat itself\",");
	recorder_flush(b.recorder);
	assert_int_equal(stat(b.file, &after), 0);
	put(&b, 3, RECORDED_ADDED, 0, "three", "");
	end(&b);
	fd = open(b.file, O_RDWR);
	assert_int_equal(pread(fd, &byte, 1, (st.st_size + after.st_size) / 2), 1);
	byte = (char)~byte;
	assert_int_equal(pwrite(fd, &byte, 1, (st.st_size + after.st_size) / 2), 1);
	close(fd);
	open_replay(&b);
	flaws(&b, "the recording is damaged");
	play(&b, 9);
	assert_true(has(&b, 0, "one") && has(&b, 0, "three"));
	bench_end(&b);
}

/* Writes records that compress badly, until the file has so many bytes. */
static void fill(struct bench *b, size_t bytes)
{
	uint32_t seed = 11;

	while (recorder_written(b->recorder) < bytes) {
		struct buf text = { 0 };

		buf_add_cstr(&text, "\"noise\":\"");
		for (int i = 0; i < 4000; i++) {
			seed = seed * 1664525u + 1013904223u;
			buf_add_char(&text, (char)('a' + (seed >> 16) % 26));
		}
		buf_add_cstr(&text, "\",");
		put(b, 1, RECORDED_MODIFIED, 0, "noise", buf_cstr(&text));
		recorder_flush(b->recorder);
		buf_release(&text);
	}
}

/*
 * In a large file a flush that follows soon takes the bytes of what is new, and no more; and where the file is damaged,
 * it is read on after a MiB of records, or a minute.
 */
static void test_flushes_of_a_large_file(void **state)
{
	enum { FLUSHES = 1000, DAMAGED = 64 };
	static const char zeros[DAMAGED];
	struct bench b = { 0 };
	size_t before;
	int fd;

	(void)state;
	bench_start(&b, names[1]);
	begin(&b, one_context, 1);
	fill(&b, KIB(300));
	put(&b, 2, RECORDED_MODIFIED, 0, "first", "");
	recorder_flush(b.recorder);
	before = recorder_written(b.recorder);
	for (int i = 0; i < FLUSHES; i++) {
		put(&b, 3, RECORDED_MODIFIED, 0, "often", "\"text\":\"the same as before, each time, in all its words\",");
		recorder_flush(b.recorder);
	}
	assert_in_range((recorder_written(b.recorder) - before) / FLUSHES, 1, 40);
	put(&b, 70, RECORDED_ADDED, 0, "late", "");
	recorder_flush(b.recorder);
	put(&b, 71, RECORDED_ADDED, 0, "later", "");
	end(&b);
	fd = open(b.file, O_RDWR);
	assert_int_equal(pwrite(fd, zeros, DAMAGED, (off_t)before + 1000), DAMAGED);
	close(fd);
	open_replay(&b);
	flaws(&b, "the recording is damaged");
	play(&b, 90);
	assert_true(has(&b, 0, "first") && has(&b, 0, "later"));
	bench_end(&b);
}

/* It is told when it happens, once and for all; what was written before stays. */
static void test_no_room(void **state)
{
	struct bench b = { 0 };
	struct rlimit old, small;
	struct err err = { 0 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	bench_start(&b, names[0]);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	begin(&b, one_context, 1);
	put(&b, 1, RECORDED_ADDED, 0, "one", "");
	recorder_flush(b.recorder);
	assert_false(recorder_failed(b.recorder, &err));
	small = (struct rlimit){ .rlim_cur = 700, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 9; i++)
		put(&b, 2, RECORDED_ADDED, 0, "two", "");
	recorder_flush(b.recorder);
	assert_true(recorder_failed(b.recorder, &err));
	assert_non_null(strstr(err.msg, "any more: File too large"));
	assert_int_equal(recorder_close(b.recorder, &err), -1);
	b.recorder = NULL;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	open_replay(&b);
	flaws(&b, "the recording is cut off");
	play(&b, 9);
	assert_true(has(&b, 0, "one"));
	bench_end(&b);
}

/* What the judge and a draft of rules read of a definition is there, and not its schema. */
static void test_definitions(void **state)
{
	static const char definition[] =
		"{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"things.example.org\"},"
		"\"spec\":{\"group\":\"example.org\",\"names\":{\"kind\":\"Thing\",\"plural\":\"things\"},\"scope\":\"Namespaced\",\"versions\":["
		"{\"name\":\"v1\",\"served\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{\"description\":\"LONG\","
		"\"properties\":{\"spec\":{\"description\":\"LONG\"},\"status\":{\"type\":\"object\",\"description\":\"LONG\",\"properties\":"
		"{\"phase\":{\"type\":\"string\",\"description\":\"LONG\",\"enum\":[\"Up\",\"Down\"]}}}}}}},"
		"{\"name\":\"v2\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{\"spec\":{\"description\":\"LONG\"}}}}}]},"
		"\"status\":{\"conditions\":[{\"type\":\"Established\",\"status\":\"True\"}]}}";
	static const char reduced[] =
		"\"versions\":[{\"name\":\"v1\",\"served\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
		"\"properties\":{\"spec\":{},\"status\":{\"type\":\"object\",\"properties\":{\"phase\":{\"type\":\"string\",\"enum\":[\"Up\",\"Down\"]}}}}}}},"
		"{\"name\":\"v2\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{\"spec\":{}}}}}]}";
	struct bench b = { 0 };
	struct arena arena = { 0 };
	struct object_id id = { .name = STR("things.example.org") };
	struct json object;
	struct str text;

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, one_context, 1);
	assert_int_equal(json_parse(str_of(definition), &object, &(struct err){ 0 }), 0);
	write_object(&b, START, RECORDED_ADDED, 0, kinds_put(&b.from.kinds, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition")),
		     object);
	json_free(object);
	end(&b);
	open_replay(&b);
	flaws(&b, "");
	play(&b, 1);
	id.kind = kinds_find(&b.to.kinds, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition"));
	text = replay_object(b.replay, store_find(b.to.store, &id), INT64_MAX, &arena);
	assert_true(str_contains(text, reduced));
	assert_true(str_contains(text, "\"Established\""));
	assert_false(str_contains(text, "LONG"));
	arena_release(&arena);
	bench_end(&b);
}

/* A kind that the server serves since something was installed while it was being recorded. */
static struct kind *put_late_kind(struct kinds *kinds)
{
	struct kind *kind = kinds_put(kinds, STR("late.example.org"), STR("Lamp"));

	kind->version = kind->versions = kinds_name(kinds, STR("v1"));
	kind->plural = STR("lamps");
	kind->flags = KIND_NAMESPACED | KIND_LIST | KIND_WATCH | KIND_HAS_STATUS | KIND_DISCOVERED | KIND_CUSTOM;
	return kind;
}

static unsigned late_flags(const struct kinds *kinds)
{
	const struct kind *kind = kinds_find(kinds, STR("late.example.org"), STR("Lamp"));

	return kind ? kind->flags : 0;
}

/* A reference to such a kind leads into the object's own namespace, and who has no status there has not been seen to yet. */
static void test_kinds_that_come_later(void **state)
{
	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct bench b = { 0 };
		struct kind *late;
		size_t lines;

		bench_start(&b, names[n]);
		begin(&b, one_context, 1);
		recorder_kinds(b.recorder, &b.from);
		lines = recorder_lines(b.recorder);
		put(&b, 1, RECORDED_ADDED, 0, "one", "");
		late = put_late_kind(&b.from.kinds);
		b.from.now = START + SECONDS(3);
		recorder_kinds(b.recorder, &b.from);
		recorder_kinds(b.recorder, &b.from);
		assert_int_equal(recorder_lines(b.recorder), lines + 2);
		late->version = late->versions = kinds_name(&b.from.kinds, STR("v2"));
		b.from.now = START + SECONDS(5);
		recorder_kinds(b.recorder, &b.from);
		assert_int_equal(recorder_lines(b.recorder), lines + 3);
		end(&b);
		open_replay(&b);
		flaws(&b, "");
		play(&b, 2);
		assert_int_equal(late_flags(&b.to.kinds), 0);
		play(&b, 4);
		assert_int_equal(late_flags(&b.to.kinds), late->flags);
		play(&b, 6);
		assert_true(str_is(kinds_find(&b.to.kinds, STR("late.example.org"), STR("Lamp"))->version, "v2"));
		bench_end(&b);
	}
}

static void test_no_recording(void **state)
{
	static const char *const rows[] = { "", "{}", "apiVersion: v1\n", "{\"kind\":\"Recording\",\"apiVersion\":\"x/v2\"}\n" };
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err err = { 0 };

		write_file(&b, rows[i]);
		assert_null(replay_open(b.file, &err));
		assert_int_equal(err.code, ERR_INPUT);
	}
	bench_end(&b);
}

/* ---- -w over a recording: stream.c --------------------------------------- */

static void stream(struct bench *b, enum format format, struct buf *out)
{
	struct program p = { .source = &source_recording, .out = { .fd = -1 }, .options = { .format = format, .watch = true } };
	char path[80], bytes[8192];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/out", b->folder);
	p.out.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	world_init(&p.world, false);
	p.replay = replay_open(b->file, &(struct err){ 0 });
	assert_non_null(p.replay);
	replay_kinds(p.replay, &p.world.kinds);
	replay_clusters(p.replay, &p.world);
	p.query.options = &p.options;
	p.query.offline = true;
	assert_int_equal(run_stream(&p, &(struct err){ 0 }), 0);
	n = pread(p.out.fd, bytes, sizeof(bytes), 0);
	buf_reset(out);
	buf_add(out, (struct str){ bytes, n > 0 ? (size_t)n : 0 });
	close(p.out.fd);
	unlink(path);
	buf_release(&p.out.buf);
	replay_free(p.replay);
	query_release(&p.query);
	world_release(&p.world);
}

static void test_streamed(void **state)
{
	struct bench b = { 0 };
	struct buf out = { 0 };

	(void)state;
	bench_start(&b, names[0]);
	begin(&b, two_contexts, 2);
	put(&b, 1, RECORDED_ADDED, 0, "one", "\"phase\":\"Running\",");
	put(&b, 2, RECORDED_ADDED, 1, "one", "\"phase\":\"Failed\",\"reason\":\"\\u001b[2J\",");
	put(&b, 3, RECORDED_MODIFIED, 0, "one", "\"phase\":\"Failed\",\"message\":\"\\u202egnp\",");
	put(&b, 4, RECORDED_MODIFIED, 0, "one", "\"phase\":\"Failed\",\"message\":\"\\u202egnp\",");
	put(&b, 5, RECORDED_DELETED, 0, "one", "");
	end(&b);
	stream(&b, FORMAT_JSON, &out);
	assert_int_equal(count(&out, "\n"), 4);
	assert_int_equal(count(&out, "{\"event\":\"ADDED\","), 2);
	assert_int_equal(count(&out, "{\"event\":\"MODIFIED\","), 1);
	assert_int_equal(count(&out, "{\"event\":\"DELETED\","), 1);
	assert_int_equal(count(&out, "\"cluster\":\"b,c\""), 1);
	assert_int_equal(count(&out, "\033") + count(&out, "\xe2\x80\xae"), 0);
	stream(&b, FORMAT_TABLE, &out);
	assert_int_equal(count(&out, "thing/one"), 4);
	assert_int_equal(count(&out, "\033") + count(&out, "\xe2\x80\xae"), 0);
	stream(&b, FORMAT_NAME, &out);
	assert_int_equal(count(&out, "thing.example.org/one\n"), 4);
	buf_release(&out);
	bench_end(&b);
}

/* ---- keyframes ------------------------------------------------------------- */

enum { THINGS = 1000, CHANGES_OF_THINGS = 30000 };

/* What happens to the i-th thing of a world that is recorded, a second behind what happened before. */
static void happen(struct bench *b, struct latest *latest, unsigned i, unsigned change)
{
	enum recorded_as what = change % 97 == 96 ? RECORDED_DELETED : RECORDED_MODIFIED;
	struct engine_source source = { .kind = b->things };
	struct buf text = { 0 }, record = { 0 };
	struct object_id id;
	struct json object;
	struct handle h;
	int64_t due, judged;
	bool told;	/* as a segment has it, whose beginning tells the uid */
	char name[32];

	snprintf(name, sizeof(name), "thing-%u", i);
	buf_printf(&text, "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"x\",\"uid\":\"%u\","
		   "\"creationTimestamp\":\"2026-11-20T09:00:00Z\"},\"spec\":{\"text\":\"%0400u\"},\"status\":{\"conditions\":["
		   "{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"Because\",\"message\":\"%u\"}]}}",
		   name, i, i, (change % 40 ? i % 7 < 3 : i % 2) ? "False" : "True", change % 11);
	b->from.now = START + SECONDS(change);
	if (change == THINGS)
		put_late_kind(&b->from.kinds);
	recorder_kinds(b->recorder, &b->from);
	assert_int_equal(json_parse(buf_str(&text), &object, &(struct err){ 0 }), 0);
	id = (struct object_id){ 0, b->things, STR("x"), str_of(name) };
	told = latest_has(latest, store_find(b->from.store, &id), &judged);
	if (what == RECORDED_DELETED)
		store_remove(b->from.store, store_find(b->from.store, &id));
	else
		engine_put(b->from.engine, &source, object, b->from.now, &h);
	if (what == RECORDED_MODIFIED && told)
		write_without_uid(b, b->from.now, object);
	else
		write_object(b, b->from.now, what, 0, b->things, object);
	if (what == RECORDED_MODIFIED) {
		buf_add_cstr(&record, "{\"object\":");
		record_object(object, b->things, &record);
		buf_add_char(&record, '}');
		latest_put(latest, h, b->things->id, buf_str(&record), 0);
	}
	world_settle(&b->from);
	recorder_settled(b->recorder, &b->from, latest);
	recorder_run(b->recorder, b->from.now);
	due = recorder_deadline(b->recorder);
	assert_true(!due || due >= b->from.now);	/* also of a slice: a time that stands is one that nobody serves */
	json_free(object);
	buf_release(&text);
	buf_release(&record);
}

static void record_things(struct bench *b, const char *name)
{
	struct latest *latest = latest_new();
	uint32_t seed = 9;

	bench_start(b, name);
	begin(b, one_context, 1);
	world_settle(&b->from);
	recorder_write_state(b->recorder, &b->from, latest);
	for (unsigned i = 1; i <= CHANGES_OF_THINGS; i++) {
		seed = seed * 1664525u + 1013904223u;
		happen(b, latest, i <= THINGS ? i : (seed >> 8) % THINGS + 1, i);
	}
	end(b);
	latest_free(latest);
}

/* The world at that time, from its beginning or from a keyframe. */
static void world_then(const char *file, int64_t time, bool skips, struct buf *out)
{
	struct program p = { .source = &source_recording, .replay = replay_open(file, &(struct err){ 0 }) };
	struct arena arena = { 0 };
	struct change_seen c;

	world_init(&p.world, false);
	program_read_recording_header(&p);
	if (skips)
		program_skip_to(&p, time);
	while (replay_next(p.replay) && replay_next(p.replay) <= time)
		program_play_moment(&p, replay_next(p.replay));
	for (struct handle h = store_next(p.world.store, 0); h.slot; h = store_next(p.world.store, h.slot + 1)) {
		struct str name = store_node_id(p.world.store, h.slot).name, text = replay_object(p.replay, h, time, &arena);
		struct observed o = { 0 };

		graph_observed(p.world.graph, h, &o);
		buf_printf(out, "%u " STR_FMT " %d %lld %d %d " STR_FMT "\n", h.slot, STR_ARG(name),
			   (int)o.phase, (long long)o.since, o.since_seen, o.was_ready,
			   STR_ARG(text));
		arena_reset(&arena);
	}
	buf_printf(out, "%u\n", late_flags(&p.world.kinds));
	for (uint64_t at = 0; graph_recent(p.world.graph, &at, &c);)
		buf_printf(out, "%lld %d %d %d %u\n", (long long)c.time, (int)c.what, (int)c.from, (int)c.to, c.slot);
	arena_release(&arena);
	replay_free(p.replay);
	query_release(&p.query);
	world_release(&p.world);
}

static void expect_the_same(const char *file, int64_t time)
{
	struct buf from_start = { 0 }, from_keyframe = { 0 };

	world_then(file, time, false, &from_start);
	world_then(file, time, true, &from_keyframe);
	if (!str_eq(buf_str(&from_start), buf_str(&from_keyframe))) {
		size_t i = 0;

		while (i < from_start.len && from_start.ptr[i] == from_keyframe.ptr[i])
			i++;
		i = i > 200 ? i - 200 : 0;
		fail_msg("at %lld: %.600s\n-- but --\n%.600s", (long long)(time - START), from_start.ptr + i, from_keyframe.ptr + i);
	}
	buf_release(&from_start);
	buf_release(&from_keyframe);
}

/* What was learned of a kind is in the state with which a part begins. */
static void test_schemas(void **state)
{
	static const unsigned learned[] = { KIND_SCHEMA_READ, KIND_SCHEMA_READ | KIND_REPORTS };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct latest *latest = latest_new();
		struct bench b = { 0 };
		const struct kind *thing;

		bench_start(&b, names[0]);
		begin(&b, one_context, 1);
		b.from.kinds.all[b.things->id - 1]->flags |= learned[i];
		world_settle(&b.from);
		recorder_write_state(b.recorder, &b.from, latest);
		end(&b);
		open_replay(&b);
		play(&b, 9);
		flaws(&b, "");
		thing = kinds_find(&b.to.kinds, b.things->group, b.things->kind);
		assert_int_equal(thing->flags & KIND_LEARNED, learned[i]);
		bench_end(&b);
		latest_free(latest);
	}
}

/* Written in slices while things go on happening, a keyframe is the state of one moment. */
static void test_keyframes(void **state)
{
	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct bench b = { 0 };
		struct parts parts = { 0 };
		struct keyframe k = { .time = INT64_MAX };
		size_t found = 0;

		record_things(&b, names[n]);
		assert_int_equal(parts_open(&parts, b.file, &(struct err){ 0 }), 0);
		while (keyframe_find(&parts, k.time - 1, &k)) {
			expect_the_same(b.file, k.time);
			expect_the_same(b.file, k.time + SECONDS(3));
			found++;
		}
		assert_in_range(found, 2, 9);
		parts_release(&parts);
		bench_end(&b);
	}
}

/* A descriptor is a path of a recording by its number, also of a file that has no name. */
static void test_descriptor(void **state)
{
	char path[40];
	struct bench b = { 0 };
	struct parts parts = { 0 };
	struct buf text = { 0 };
	struct err err = { 0 };
	int fd;

	(void)state;
	record_things(&b, names[0]);
	fd = open(b.file, O_RDONLY | O_CLOEXEC);
	bench_end(&b);	/* removes the file */
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), SOURCE_DESCRIPTOR "%d", fd);
	assert_int_equal(parts_open(&parts, path, &err), 0);
	assert_int_not_equal(parts.fds[0], fd);
	close(fd);
	parts_read(&parts, 0, 0, 20, &text);
	assert_true(str_starts(buf_str(&text), "{\"kind\":\"Recording\""));
	parts_release(&parts);
	assert_int_equal(parts_open(&parts, path, &err), -1);	/* it is closed */
	assert_int_equal(parts_open(&parts, SOURCE_DESCRIPTOR "-1", &err), -1);
	assert_int_equal(err.code, ERR_INPUT);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_played_as_recorded), cmocka_unit_test(test_uid_told_once), cmocka_unit_test(test_uid_that_stays),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_clusters_without_names),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_coverage_of_old_recordings),
		cmocka_unit_test(test_damaged_lines),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_schemas),
		cmocka_unit_test(test_definitions),
		cmocka_unit_test(test_kinds_that_come_later),
		cmocka_unit_test(test_unknown_cluster),	   cmocka_unit_test(test_clock_that_was_set_back),
		cmocka_unit_test(test_a_file_of_its_own),  cmocka_unit_test(test_flushed),
		cmocka_unit_test(test_flushes_of_a_large_file), cmocka_unit_test(test_damage),		   cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_recording),	   cmocka_unit_test(test_streamed),
		cmocka_unit_test(test_keyframes),	   cmocka_unit_test(test_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
