/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/segments.h"

#include "kube/base/alloc.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/model/document.h"
#include "plugin/files_paths.h"
#include "plugin/record/record.h"
#include "plugin/record/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define END_READ KIB(64)	/* the bytes at the end of a segment that are read at first for its last record */
/* The most segments that an index may name, and the most bytes of a name. */
enum { INDEX_SEGMENTS = 10000, NAME_BYTES = 255 };
/* The most bytes that a segment may have: no sum of two places in it overflows. */
#define SIZE_MOST (INT64_MAX / 4)

/* ---- a list of segments -------------------------------------------------- */

static void segment_release(struct segment *s)
{
	xfree(s->name);
	xfree(s->keyframes.all);
	xfree(s->times.all);
	gaps_release(&s->gaps);
}

void segments_release(struct segments *s)
{
	for (size_t i = 0; i < s->n; i++)
		segment_release(&s->all[i]);
	xfree(s->all);
	xfree(s->bad);
	xfree(s->why);
	gaps_release(&s->lost);
	*s = (struct segments){ 0 };
}

struct segment *segments_add(struct segments *s, struct str name)
{
	s->all = xreallocarray(s->all, s->n + 1, sizeof(*s->all));
	s->all[s->n] = (struct segment){ .name = xstrndup(name.ptr, name.len) };
	return &s->all[s->n++];
}

void segments_remove(struct segments *s, size_t i)
{
	segment_release(&s->all[i]);
	memmove(&s->all[i], &s->all[i + 1], (s->n - i - 1) * sizeof(*s->all));
	s->n--;
}

static void add_bad(struct segments *s, struct str name, const char *why)
{
	if (s->nbad++)
		return;
	s->bad = xstrndup(name.ptr, name.len);
	s->why = why ? xstrdup(why) : NULL;
}

void segments_leave_out(struct segments *s, size_t i, const char *why)
{
	gaps_add(&s->lost, (struct gap){ s->all[i].first, s->all[i].last });
	add_bad(s, str_of(s->all[i].name), why);
	segments_remove(s, i);
}

/* Removes every second place. */
static void thin_out(struct segment_places *p)
{
	off_t mean = (p->all[p->n - 1].at - p->all[0].at) / (off_t)p->n;

	p->apart = 2 * (mean > p->apart ? mean : p->apart);
	for (size_t i = 0; i < p->n / 2; i++)
		p->all[i] = p->all[2 * i];
	p->n /= 2;
}

void segment_places_add(struct segment_places *p, const struct segment_place *place)
{
	if (p->n && (place->at <= p->all[p->n - 1].at || place->at - p->all[p->n - 1].at < p->apart))
		return;
	if (p->n == SEGMENT_PLACES)
		thin_out(p);
	p->all = xreallocarray(p->all, p->n + 1, sizeof(*p->all));
	p->all[p->n++] = *place;
}

ssize_t segments_at(const struct segments *s, int64_t time)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->all[i].first <= time)
			return (ssize_t)i;
	return -1;
}

unsigned segment_number(const struct segment *s)
{
	static const char ending[] = ".jsonl.gz";
	struct str name = str_of(s->name), digits = name;
	int64_t n = 0;

	if (!str_ends(name, ending))
		return 0;
	name = str_head(name, name.len - strlen(ending));
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] == '-')
			digits = str_from(name, i + 1);
	return str_to_int(digits, &n) && n > 0 && n < INT32_MAX ? (unsigned)n : 0;
}

void segments_gaps(const struct segments *s, int64_t until, struct gaps *out)
{
	for (size_t i = 0; i < s->n && s->all[i].first <= until; i++) {
		const struct segment *one = &s->all[i];

		gaps_note(out, i ? one[-1].last : 0, one->first, segment_number(one) == 1);
		for (size_t k = 0; k < one->gaps.n && one->gaps.all[k].to <= until; k++)
			gaps_add(out, one->gaps.all[k]);
	}
	for (size_t i = 0; i < s->lost.n && s->lost.all[i].from <= until; i++)
		if (!gaps_within(out, s->lost.all[i].from, s->lost.all[i].to))
			gaps_add(out, s->lost.all[i]);
}

bool segments_begun_anew(const struct segments *s, int64_t after, int64_t until)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->all[i].first > after && s->all[i].first <= until && segment_number(&s->all[i]) == 1)
			return true;
	return false;
}

/* ---- a directory ---------------------------------------------------------- */

/* Returns the latest time of the lines that s has left; 0: none has a time. */
static int64_t last_time(struct source *s)
{
	struct str line;
	int64_t last = 0;

	while (source_line(s, &line)) {
		int64_t t = record_time(line);

		last = t > last ? t : last;
	}
	return last;
}

/* The header says in whole seconds when the segment begins, the first record more precisely: two may begin within a second. */
static int64_t beginning_of(struct json header, struct str record)
{
	int64_t told = json_time(header, "startedAt"), first = record_time(record);

	return told && first > told && first - told < SECONDS(1) ? first : told;
}

/*
 * Finds when the segment begins and ends.  Its end is read from the last flush on, where decompression can begin.
 * Returns false when it is no recording.
 */
static bool look_at(const struct parts *parts, struct segment *out)
{
	struct source *s = xcalloc(1, sizeof(*s));
	struct json header = JSON_NONE;
	struct str line;

	out->size = parts_size(parts, 0);
	source_open(s, parts);
	if (source_line(s, &line) && document_read(line, &header, &(struct err){ 0 }) == 0 &&
	    str_is(json_str(header, "kind"), "Recording"))
		out->first = beginning_of(header, source_line(s, &line) ? line : STR_NONE);
	json_free(header);
	for (off_t end = END_READ; out->first && !out->last; end *= 8) {
		source_go(s, 0, end < out->size ? out->size - end : 0, 0);
		out->last = last_time(s);
		if (end >= out->size)
			break;
	}
	out->last = out->last > out->first ? out->last : out->first;
	source_close(s);
	xfree(s);
	return out->first > 0;
}

static void scan_one(struct segments *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str name = str_of(slash ? slash + 1 : path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct parts parts = { .fds = &fd, .n = 1 };
	const char *why;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return;		/* it was the oldest one, and is removed */
	why = fd < 0 ? strerror(errno) : NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !look_at(&parts, segments_add(out, name))) {
		if (fd >= 0 && out->n && !out->all[out->n - 1].first)
			segments_remove(out, out->n - 1);
		add_bad(out, name, why);
	}
	if (fd >= 0)
		close(fd);
}

int segments_directory(const char *dir, struct err *err)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		return errno == ENOENT ? err_set(err, ERR_INPUT, "the path \"%s\" does not exist", dir) :
					 err_set(err, ERR_SYSTEM, "open %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_INPUT, "%s is not a directory that --flight wrote", dir);
	return 0;
}

/* What is only known of a segment because its recorder has told it.  The last one may have grown since then. */
static void take_told(struct segment *s, const struct segment *told)
{
	for (size_t i = 0; i < told->keyframes.n && s->size == told->size; i++)
		segment_places_add(&s->keyframes, &told->keyframes.all[i]);
	for (size_t i = 0; i < told->times.n && s->size == told->size; i++)
		segment_places_add(&s->times, &told->times.all[i]);
	for (size_t i = 0; i < told->gaps.n; i++)
		gaps_add(&s->gaps, told->gaps.all[i]);
}

/* Reads the index of the directory, if there is one. */
static void add_index(struct segments *s, const char *dir)
{
	struct buf path = { 0 }, text = BUF_MAX(LIMIT_DOCUMENT);
	struct segments told = { 0 };

	buf_printf(&path, "%s/" SEGMENTS_INDEX, dir);
	if (file_read(buf_str(&path), &text, NULL, &(struct err){ 0 }) == 0 &&
	    segments_read_index(&told, buf_str(&text), &(struct err){ 0 }) == 0)
		for (size_t i = 0; i < s->n; i++)
			for (size_t k = 0; k < told.n; k++)
				if (strcmp(s->all[i].name, told.all[k].name) == 0)
					take_told(&s->all[i], &told.all[k]);
	segments_release(&told);
	buf_release(&path);
	buf_release(&text);
}

int segments_scan(struct segments *out, const char *dir, struct err *err)
{
	struct path_list list = { 0 };

	*out = (struct segments){ 0 };
	if (segments_directory(dir, err) < 0)
		return -1;
	if (path_list_segments(&list, dir) < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", dir, strerror(errno));
	for (size_t i = 0; i < list.n; i++)
		scan_one(out, list.all[i].path);
	path_list_release(&list);
	add_index(out, dir);
	return 0;
}

/* ---- the index -------------------------------------------------------------- */

/* A name in an index becomes a part of a path: only a name of a segment may. */
static bool is_segment_name(struct str name)
{
	if (name.len > NAME_BYTES || !str_starts(name, "flight-") || !str_ends(name, ".jsonl.gz"))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (!is_alnum(name.ptr[i]) && name.ptr[i] != '-' && name.ptr[i] != '.')
			return false;
	return true;
}

/* Reads the keyframes, which have a line, or the times, which have none. */
static void read_places(struct json from, const char *key, bool keyframes, off_t size, struct segment_places *out)
{
	json_foreach(it, json_at(from, key)) {
		struct segment_place place = { json_time(it, "time"), (off_t)json_int(it, "at", 0),
					       keyframes ? (size_t)json_int(it, "line", 0) : 0 };

		if (place.time && place.at > 0 && place.at <= size && (!keyframes || place.line > 1))
			segment_places_add(out, &place);
	}
}

static void read_gaps(struct json from, struct segment *out)
{
	json_foreach(it, json_at(from, "gaps")) {
		struct gap gap = { json_time(it, "from"), json_time(it, "to") };

		if (gap.from >= out->first && gap.to > gap.from && out->gaps.n < SEGMENT_GAPS)
			gaps_add(&out->gaps, gap);
	}
}

int segments_read_index(struct segments *out, struct str json, struct err *err)
{
	struct json doc = JSON_NONE;

	*out = (struct segments){ 0 };
	if (document_read_verbatim(json, &doc, err) < 0 || !str_is(json_str(doc, "kind"), "FlightIndex") ||
	    !str_is(json_str(doc, "apiVersion"), "kubectl-status/v1")) {
		json_free(doc);
		return err_set(err, ERR_INPUT, "its " SEGMENTS_INDEX " is not of a flight recorder");
	}
	json_foreach(it, json_at(doc, "segments")) {
		struct str name = json_str(it, "name");
		int64_t first = json_time(it, "first"), last = json_time(it, "last"), size = json_int(it, "size", 0);
		struct segment *s;

		if (!is_segment_name(name))
			continue;
		if (!first || size <= 0 || size > SIZE_MOST || out->n == INDEX_SEGMENTS) {
			add_bad(out, name, "the index does not tell its time or its size");
			continue;
		}
		s = segments_add(out, name);
		s->first = first;
		s->last = last > first ? last : first;
		s->size = (off_t)size;
		read_places(it, "keyframes", true, s->size - 1, &s->keyframes);
		read_places(it, "times", false, s->size, &s->times);
		read_gaps(it, s);
	}
	json_free(doc);
	return 0;
}

static void add_time_ms(struct document to, const char *key, int64_t ms)
{
	char text[TIME_TEXT];

	document_add_string(to, key, str_of(time_format_ms(ms, text)));
}

static void add_places(struct document to, const char *key, const struct segment_places *p)
{
	struct document list = document_add_list(to, key, p->n);

	for (size_t i = 0; i < p->n; i++) {
		struct document place = document_add_object(list, NULL);

		add_time_ms(place, "time", p->all[i].time);
		document_add_int(place, "at", p->all[i].at);
		if (p->all[i].line)
			document_add_int(place, "line", (int64_t)p->all[i].line);
	}
}

static void add_gaps(struct document to, const struct segment *s)
{
	struct document list = document_add_array(to, "gaps");

	for (size_t i = 0; i < s->gaps.n && i < SEGMENT_GAPS; i++) {
		struct document gap = document_add_object(list, NULL);

		add_time_ms(gap, "from", s->gaps.all[i].from);
		add_time_ms(gap, "to", s->gaps.all[i].to);
	}
}

void segments_write_index(const struct segments *s, int64_t time, struct buf *out)
{
	struct document doc = document_object(), list;

	document_add_string(doc, "kind", STR("FlightIndex"));
	document_add_string(doc, "apiVersion", STR("kubectl-status/v1"));
	add_time_ms(doc, "writtenAt", time);
	list = document_add_array(doc, "segments");
	for (size_t i = 0; i < s->n; i++) {
		struct document one = document_add_object(list, NULL);

		document_add_string(one, "name", str_of(s->all[i].name));
		add_time_ms(one, "first", s->all[i].first);
		add_time_ms(one, "last", s->all[i].last);
		document_add_int(one, "size", s->all[i].size);
		add_places(one, "keyframes", &s->all[i].keyframes);
		add_places(one, "times", &s->all[i].times);
		if (s->all[i].gaps.n)
			add_gaps(one, &s->all[i]);
	}
	document_write(doc, out);
	buf_add_char(out, '\n');
	document_free(doc);
}
