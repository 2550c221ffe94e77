/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a flight recorder, its index, and what becomes of both when the clock is set back. */
#include "plugin/record/flight.h"

#include "kube/base/alloc.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/record/latest.h"
#include "plugin/record/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define START ((int64_t)1795165200000)	/* 2026-11-20T09:00:00Z */

static const struct str context[] = { { "prod", 4 } };

struct bench {
	char folder[32];
	struct world world;
	struct latest *latest;
	struct flight *flight;
	size_t size;	/* of the flight; 0: one MiB */
};

static void bench_start(struct bench *b)
{
	snprintf(b->folder, sizeof(b->folder), "/tmp/flight-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	world_init(&b->world, false);
	b->latest = latest_new();
}

static void take_off(struct bench *b, int64_t now)
{
	struct flight_options o = { .dir = b->folder, .size = b->size ? b->size : MIB(1), .contexts = context, .ncontexts = 1, .latest = b->latest };
	struct err err = { 0 };

	b->world.now = now;
	b->flight = flight_open(&o, &b->world, &err);
	if (!b->flight)
		fail_msg("%s", err.msg);
}

static void land(struct bench *b)
{
	assert_int_equal(flight_close(b->flight, &(struct err){ 0 }), 0);
	b->flight = NULL;
}

static void bench_end(struct bench *b)
{
	struct segments all;
	char path[400];

	assert_int_equal(segments_scan(&all, b->folder, &(struct err){ 0 }), 0);
	for (size_t i = 0; i < all.n; i++) {
		snprintf(path, sizeof(path), "%s/%s", b->folder, all.all[i].name);
		assert_int_equal(unlink(path), 0);
	}
	snprintf(path, sizeof(path), "%s/" SEGMENTS_INDEX, b->folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(b->folder), 0);
	segments_release(&all);
	latest_free(b->latest);
	world_release(&b->world);
}

/* Writes about that many bytes, which cannot be compressed much. */
static void write_noise(struct bench *b, int64_t now, size_t bytes)
{
	static unsigned seed = 1;
	struct buf text = { 0 };

	buf_add_cstr(&text, "{\"apiVersion\":\"v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"text\":\"");
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1103515245 + 12345;
		buf_add_char(&text, (char)('0' + (seed >> 16) % 64));
	}
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\\')
			text.ptr[i] = 'x';
	buf_add_cstr(&text, "\"}}");
	b->world.now = now;
	flight_clock(b->flight, &b->world);
	recorder_write(flight_recorder(b->flight), now, RECORDED_MODIFIED, 0, buf_str(&text));
	recorder_flush(flight_recorder(b->flight));
	flight_settled(b->flight, &b->world);
	buf_release(&text);
}

static struct segments read_index(const struct bench *b)
{
	struct buf path = { 0 }, text = BUF_MAX(MIB(1));
	struct segments found;

	buf_printf(&path, "%s/" SEGMENTS_INDEX, b->folder);
	assert_int_equal(file_read(buf_str(&path), &text, NULL, &(struct err){ 0 }), 0);
	assert_int_equal(segments_read_index(&found, buf_str(&text), &(struct err){ 0 }), 0);
	buf_release(&path);
	buf_release(&text);
	return found;
}

/* The index says what a look into the directory finds. */
static void check_index(const struct bench *b, size_t segments)
{
	struct segments told = read_index(b), found;

	assert_int_equal(segments_scan(&found, b->folder, &(struct err){ 0 }), 0);
	assert_int_equal(told.n, found.n);
	if (segments)
		assert_int_equal(found.n, segments);
	for (size_t i = 0; i < found.n; i++) {
		assert_string_equal(told.all[i].name, found.all[i].name);
		assert_int_equal(told.all[i].size, found.all[i].size);
		assert_int_equal(told.all[i].last, found.all[i].last);
		assert_int_equal(told.all[i].first, found.all[i].first);
	}
	segments_release(&told);
	segments_release(&found);
}

static void the_index_tells_of_each_segment(void **state)
{
	struct bench b = { .flight = NULL };
	int64_t now = START;

	(void)state;
	bench_start(&b);
	take_off(&b, now);
	for (int i = 0; i < 100; i++)
		write_noise(&b, now += SECONDS(7), KIB(20));
	land(&b);
	check_index(&b, 0);
	take_off(&b, now += HOURS(1));
	write_noise(&b, now, 100);
	land(&b);
	check_index(&b, 0);
	bench_end(&b);
}

/* Cuts the only segment off at a byte.  Returns the time of its last record then, ms. */
static int64_t last_before(const struct bench *b, const struct segment *s, off_t at)
{
	struct segments cut;
	char path[400];
	int64_t last;

	snprintf(path, sizeof(path), "%s/%s", b->folder, s->name);
	assert_int_equal(truncate(path, at), 0);
	assert_int_equal(segments_scan(&cut, b->folder, &(struct err){ 0 }), 0);
	assert_int_equal(cut.n, 1);
	last = cut.all[0].last;
	segments_release(&cut);
	return last;
}

/* Who wants to know what was recorded up to a time needs no byte behind the one that the index has for it. */
static void the_index_tells_what_stands_before_a_byte(void **state)
{
	struct bench b = { .size = MIB(40) };
	int64_t now = START;
	struct segments all;
	const struct segment *s;

	(void)state;
	bench_start(&b);
	take_off(&b, now);
	for (int i = 0; i < 220; i++)
		write_noise(&b, now += SECONDS(7), KIB(20));
	land(&b);
	all = read_index(&b);
	assert_int_equal(all.n, 1);
	s = &all.all[0];
	assert_in_range(s->times.n, 2, 3);
	for (size_t i = s->times.n; i-- > 0;) {
		assert_in_range(s->times.all[i].at, (i + 1) * MIB(1), (i + 1) * (MIB(1) + KIB(20)));
		assert_int_equal(last_before(&b, s, s->times.all[i].at), s->times.all[i].time);
	}
	segments_release(&all);
	bench_end(&b);
}

/* However many there are: from any place of the segment on the next one is not far. */
static void the_index_has_places_all_over_a_segment(void **state)
{
	enum { MANY = 20000, EACH = 1000 };
	struct segment_places p = { .n = 0 };

	(void)state;
	for (int i = 1; i <= MANY; i++) {
		const struct segment_place place = { START + i, (off_t)i * EACH, (size_t)i };

		segment_places_add(&p, &place);
		segment_places_add(&p, &place);	/* once more is none */
	}
	assert_in_range(p.n, SEGMENT_PLACES / 4, SEGMENT_PLACES);
	for (size_t i = 0; i + 1 < p.n; i++)
		assert_in_range(p.all[i + 1].at - p.all[i].at, EACH, (off_t)MANY * EACH * 8 / SEGMENT_PLACES);
	assert_in_range(p.all[p.n - 1].at, (off_t)MANY * EACH * 9 / 10, (off_t)MANY * EACH);
	xfree(p.all);
}

static void a_gap_is_where_nobody_recorded(void **state)
{
	struct bench b = { .flight = NULL };
	struct segments all;
	struct gaps gaps = { 0 };

	(void)state;
	bench_start(&b);
	take_off(&b, START);
	write_noise(&b, START + MINUTES(1), 100);
	land(&b);
	take_off(&b, START + MINUTES(1) + SECONDS(10));
	write_noise(&b, START + MINUTES(2), KIB(200));
	write_noise(&b, START + MINUTES(3), 100);
	land(&b);
	check_index(&b, 3);
	all = read_index(&b);
	segments_gaps(&all, INT64_MAX, &gaps);
	assert_int_equal(gaps.n, 1);
	assert_int_equal(gaps.all[0].from, START + MINUTES(1));
	assert_int_equal(gaps.all[0].to, START + MINUTES(1) + SECONDS(10));
	assert_true(segments_begun_anew(&all, START + MINUTES(1), START + MINUTES(2)));
	assert_false(segments_begun_anew(&all, START + MINUTES(2), START + MINUTES(4)));
	gaps_release(&gaps);
	assert_int_equal(segments_at(&all, START - 1), -1);
	assert_int_equal(segments_at(&all, START), 0);
	assert_int_equal(segments_at(&all, START + MINUTES(1) + SECONDS(9)), 0);
	assert_int_equal(segments_at(&all, START + MINUTES(1) + SECONDS(10)), 1);
	assert_int_equal(segments_at(&all, INT64_MAX), 2);
	segments_release(&all);
	bench_end(&b);
}

/* An outage, or a computer that slept: the index says so, to who reads it and to who looks into the directory. */
static void a_gap_within_a_segment(void **state)
{
	struct bench b = { .flight = NULL };
	struct segments all[2];

	(void)state;
	bench_start(&b);
	take_off(&b, START);
	write_noise(&b, START + MINUTES(1), 100);
	write_noise(&b, START + MINUTES(3), 100);
	write_noise(&b, START + MINUTES(7), 100);
	land(&b);
	check_index(&b, 1);
	all[0] = read_index(&b);
	assert_int_equal(segments_scan(&all[1], b.folder, &(struct err){ 0 }), 0);
	for (int i = 0; i < 2; i++) {
		struct gaps gaps = { 0 };

		segments_gaps(&all[i], START + MINUTES(6), &gaps);
		assert_int_equal(gaps.n, 0);
		segments_gaps(&all[i], START + MINUTES(9), &gaps);
		assert_int_equal(gaps.n, 1);
		assert_true(gaps.all[0].from == START + MINUTES(3) && gaps.all[0].to == START + MINUTES(7));
		gaps_release(&gaps);
		segments_release(&all[i]);
	}
	bench_end(&b);
}

/* The segments sort as they were begun, so the oldest ones go, and never the present one. */
static void a_clock_that_is_set_back(void **state)
{
	struct bench b = { .flight = NULL };
	struct segments before, after;
	int64_t now = START + HOURS(24);

	(void)state;
	bench_start(&b);
	take_off(&b, now);
	for (int i = 0; i < 20; i++)
		write_noise(&b, now += SECONDS(1), KIB(20));
	before = read_index(&b);
	now = START;
	for (int i = 0; i < 20; i++)
		write_noise(&b, now += SECONDS(1), KIB(20));
	land(&b);
	take_off(&b, now - HOURS(1));
	for (int i = 0; i < 120; i++)
		write_noise(&b, now += SECONDS(1), KIB(20));
	land(&b);
	check_index(&b, 0);
	after = read_index(&b);
	assert_true(after.n > 3);
	for (size_t i = 0; i < before.n; i++)
		for (size_t k = 0; k < after.n; k++)
			assert_string_not_equal(before.all[i].name, after.all[k].name);
	assert_int_equal(after.all[after.n - 1].last, now);
	segments_release(&before);
	segments_release(&after);
	bench_end(&b);
}

/* What happens after that is found at its time, and not when the clock has reached the former time again. */
static void a_clock_that_is_set_right(void **state)
{
	struct bench b = { .flight = NULL };
	struct segments all;
	struct gaps gaps = { 0 };

	(void)state;
	bench_start(&b);
	take_off(&b, START);
	write_noise(&b, START + SECONDS(10), 100);
	write_noise(&b, START + HOURS(2), 100);
	write_noise(&b, START + HOURS(2) - SECONDS(50), 100);	/* so little stands still in the segment */
	write_noise(&b, START + SECONDS(20), 100);
	write_noise(&b, START + SECONDS(30), 100);
	land(&b);
	check_index(&b, 2);
	all = read_index(&b);
	assert_int_equal(segments_at(&all, START + SECONDS(19)), 0);
	assert_int_equal(segments_at(&all, START + SECONDS(20)), 1);
	assert_int_equal(all.all[1].last, START + SECONDS(30));
	segments_gaps(&all, START + MINUTES(1), &gaps);
	assert_int_equal(gaps.n, 0);
	gaps_release(&gaps);
	segments_release(&all);
	bench_end(&b);
}

/* A name in an index becomes a part of a path. */
/* A state is written in slices: what is recorded meanwhile is later, and stays so. */
static void time_goes_on_while_a_state_is_written(void **state)
{
	struct bench b = { .flight = NULL };
	struct recorder *r;

	(void)state;
	bench_start(&b);
	take_off(&b, START);
	r = flight_recorder(b.flight);
	recorder_write(r, START + SECONDS(10), RECORDED_MODIFIED, 0, STR("{\"apiVersion\":\"v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}"));
	assert_int_equal(recorder_last(r), START + SECONDS(10));
	b.world.now = START + SECONDS(5);
	recorder_begin_state(r, &b.world, b.latest);
	assert_int_equal(recorder_last(r), START + SECONDS(10));
	recorder_flush(r);
	assert_int_equal(recorder_last(r), START + SECONDS(10));
	land(&b);
	bench_end(&b);
}

/* Also within a process, so that no lock of a process is meant. */
static void two_recorders_do_not_share_a_directory(void **state)
{
	struct bench b = { .flight = NULL };
	struct flight_options o = { .size = MIB(1), .contexts = context, .ncontexts = 1 };
	struct err err = { 0 };

	(void)state;
	bench_start(&b);
	take_off(&b, START);
	o.dir = b.folder;
	o.latest = b.latest;
	assert_null(flight_open(&o, &b.world, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.msg, "another recorder writes to"));
	land(&b);
	check_index(&b, 1);
	take_off(&b, START + SECONDS(5));
	land(&b);
	bench_end(&b);
}

/* What cannot be read is a gap, also where it is short, and is named. */
static void a_segment_that_is_left_out_is_a_gap(void **state)
{
	struct segments s = { 0 };
	struct gaps gaps = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct segment *one = segments_add(&s, i == 1 ? STR("b") : STR("a"));

		one->first = START + SECONDS(10) * i;
		one->last = one->first + SECONDS(9);
	}
	segments_gaps(&s, INT64_MAX, &gaps);
	assert_int_equal(gaps.n, 0);
	segments_leave_out(&s, 1, "it is too large");
	assert_true(s.n == 2 && s.nbad == 1);
	assert_string_equal(s.bad, "b");
	assert_string_equal(s.why, "it is too large");
	segments_gaps(&s, INT64_MAX, &gaps);
	assert_int_equal(gaps.n, 1);
	assert_non_null(gaps_within(&gaps, START + SECONDS(15), START + SECONDS(15)));
	assert_null(gaps_within(&gaps, START + SECONDS(5), START + SECONDS(10)));
	assert_null(gaps_within(&gaps, START + SECONDS(19), START + SECONDS(19)));
	gaps_release(&gaps);
	segments_release(&s);
}

static void an_index_may_be_hostile(void **state)
{
	static const char json[] =
		"{\"kind\":\"FlightIndex\",\"apiVersion\":\"kubectl-status/v1\",\"segments\":["
		"{\"name\":\"../flight-x.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"last\":\"2026-11-20T09:00:00Z\",\"size\":9},"
		"{\"name\":\"flight-/../../x.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"size\":9},"
		"{\"name\":\"flight-a?b.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"size\":9},"
		"{\"name\":\"flight-a.jsonl.gz\",\"first\":\"never\",\"size\":9},{\"name\":\"flight-a.jsonl.gz\"},7,null,"
		"{\"name\":\"flight-a.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"size\":-1},"
		"{\"name\":\"flight-a.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"last\":\"2020-01-01T00:00:00Z\",\"size\":9,"
		"\"keyframes\":[{\"time\":\"2026-11-20T09:00:00Z\",\"at\":99,\"line\":7},{\"at\":-1},3,"
		"{\"time\":\"2026-11-20T09:00:00Z\",\"at\":5,\"line\":7}],"
		"\"times\":[{\"time\":\"2026-11-20T09:00:00Z\",\"at\":10},{\"at\":5},[],{\"time\":\"2026-11-20T09:00:00Z\",\"at\":9}]}]}";
	struct segments s;

	(void)state;
	assert_int_equal(segments_read_index(&s, str_of(json), &(struct err){ 0 }), 0);
	assert_true(s.n == 1 && s.all[0].first == START && s.all[0].last == START && s.all[0].keyframes.n == 1 && s.all[0].times.n == 1);
	assert_int_equal(segment_number(&s.all[0]), 0);
	segments_release(&s);
	assert_int_equal(segments_read_index(&s, STR("{\"kind\":\"FlightIndex\",\"apiVersion\":\"kubectl-status/v1\",\"segments\":["
						     "{\"name\":\"flight-a.jsonl.gz\",\"first\":\"2026-11-20T09:00:00Z\",\"size\":9223372036854775807}]}"),
					     &(struct err){ 0 }), 0);
	assert_true(s.n == 0 && s.nbad == 1);
	segments_release(&s);
	assert_int_equal(segments_read_index(&s, STR("{\"kind\":\"List\"}"), &(struct err){ 0 }), -1);
	assert_int_equal(segments_read_index(&s, STR("no JSON"), &(struct err){ 0 }), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_tells_of_each_segment),
		cmocka_unit_test(the_index_tells_what_stands_before_a_byte),
		cmocka_unit_test(the_index_has_places_all_over_a_segment),
		cmocka_unit_test(a_gap_is_where_nobody_recorded),
		cmocka_unit_test(a_gap_within_a_segment),
		cmocka_unit_test(a_clock_that_is_set_back),
		cmocka_unit_test(a_clock_that_is_set_right),
		cmocka_unit_test(time_goes_on_while_a_state_is_written),
		cmocka_unit_test(two_recorders_do_not_share_a_directory),
		cmocka_unit_test(a_segment_that_is_left_out_is_a_gap),
		cmocka_unit_test(an_index_may_be_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
