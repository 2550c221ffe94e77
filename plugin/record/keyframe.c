/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/keyframe.h"

#include "kube/base/deflate.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"

#include <string.h>

/* The form of a line: {"t":"2026-11-20T09:00:01.250Z","type":"BOOKMARK","object":{},"keyframe":CONTENT} */
#define BEFORE_TIME "{\"t\":\""
#define AFTER_TIME "\",\"type\":\"BOOKMARK\",\"object\":{},\"keyframe\":"
#define LINE "{\"line\":"
#define RECORDS "{\"records\":"
enum { TIME = 24, HEAD = sizeof(BEFORE_TIME) - 1 + TIME + sizeof(AFTER_TIME) - 1 };
enum { FIRST_LINE = 160 };	/* the most bytes of the first line */

/* ---- lines --------------------------------------------------------------- */

enum keyframe_line keyframe_line(struct str line, struct str *out_content)
{
	if (!str_starts(line, BEFORE_TIME) || !str_starts(str_from(line, sizeof(BEFORE_TIME) - 1 + TIME), AFTER_TIME) ||
	    !str_ends(line, "}"))
		return KEYFRAME_NONE;
	*out_content = str_from(str_head(line, line.len - 1), HEAD);
	return str_starts(*out_content, LINE) ? KEYFRAME_BEGIN : str_starts(*out_content, RECORDS) ? KEYFRAME_END : KEYFRAME_RECORD;
}

void keyframe_write_head(struct buf *out, int64_t time)
{
	char text[TIME_TEXT];

	BUF_JOIN(out, STR(BEFORE_TIME), str_of(time_format_ms(time, text)), STR(AFTER_TIME));
}

void keyframe_write_begin(struct buf *out, int64_t time, size_t line)
{
	keyframe_write_head(out, time);
	buf_printf(out, LINE "%zu}}\n", line);
}

void keyframe_write_end(struct buf *out, int64_t time, size_t records)
{
	keyframe_write_head(out, time);
	buf_printf(out, RECORDS "%zu}}\n", records);
}

/* Returns the number in the digits up to a brace; SIZE_MAX when something else is there. */
static size_t number_in(struct str text)
{
	size_t n = 0, i = 0;

	for (; i < text.len && i < 15 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
		n = n * 10 + (size_t)(text.ptr[i] - '0');
	return i > 0 && i < text.len && text.ptr[i] == '}' ? n : SIZE_MAX;
}

size_t keyframe_records(struct str content)
{
	return str_starts(content, RECORDS) ? number_in(str_from(content, sizeof(RECORDS) - 1)) : SIZE_MAX;
}

/* Reads the first line of a keyframe, with which text must begin.  Returns false when it does not. */
static bool read_first_line(struct str text, struct keyframe *out)
{
	struct str content;

	if (keyframe_line(str_head(text, str_find(text, '\n')), &content) != KEYFRAME_BEGIN)
		return false;
	out->time = time_parse(str_head(str_from(text, sizeof(BEFORE_TIME) - 1), TIME));
	out->line = number_in(str_from(content, sizeof(LINE) - 1));
	return out->time > 0 && out->line != SIZE_MAX && out->line > 1;
}

/* ---- where they are ------------------------------------------------------ */

#define WINDOW KIB(256)
/* The most places that may look like a keyframe and be none: a file with more is made to waste time. */
enum { MISTAKES = 1000 };

struct search {
	const struct parts *parts;
	size_t part;
	bool compressed;
	unsigned mistakes;
	struct buf window;
	struct gzip_reader *gzip;
	struct buf text;
};

/* Returns the next position in the window, from from on, at which a keyframe may begin; window.len: there is none. */
static size_t find_candidate(const struct search *s, size_t from)
{
	static const char mark[] = AFTER_TIME LINE;
	struct str rest = str_from(buf_str(&s->window), from);
	size_t found;

	if (s->compressed) {
		found = gzip_find_mark(rest, STR(KEYFRAME_MARK));
		return from + found;
	}
	for (;;) {
		const char *at = memmem(rest.ptr, rest.len, mark, sizeof(mark) - 1);

		if (!at)
			return s->window.len;
		found = (size_t)(at - s->window.ptr);
		if (found >= from + sizeof(BEFORE_TIME) - 1 + TIME)
			return found - (sizeof(BEFORE_TIME) - 1 + TIME);
		rest = str_from(buf_str(&s->window), found + 1);
	}
}

static bool is_keyframe(struct search *s, size_t at, struct keyframe *out)
{
	struct str bytes = str_from(buf_str(&s->window), at);

	if (!s->compressed)
		return at > 0 && s->window.ptr[at - 1] == '\n' && read_first_line(bytes, out);
	buf_reset(&s->text);
	gzip_reader_restart(s->gzip);
	bytes = str_head(bytes, KIB(4));
	return gzip_read(s->gzip, &bytes, &s->text) != GZIP_DAMAGED && read_first_line(buf_str(&s->text), out);
}

/* Finds the first keyframe that begins at or after from, and before to. */
static bool first_between(struct search *s, off_t from, off_t to, struct keyframe *out)
{
	/* bytes to read after the last place: the length of a first line, or of the beginning of a gzip member */
	const size_t behind = s->compressed ? KIB(4) : FIRST_LINE;

	/* a recording begins with its header, so no keyframe is at 0; the byte before a place must be a newline */
	from = from > 0 ? from : 1;
	while (from < to && s->mistakes < MISTAKES) {
		size_t n = to - from < (off_t)WINDOW ? (size_t)(to - from) : WINDOW, at = 1;

		buf_reset(&s->window);
		parts_read(s->parts, s->part, from - 1, 1 + n + behind, &s->window);
		while ((at = find_candidate(s, at)) <= n && at < s->window.len && s->mistakes < MISTAKES) {
			if (is_keyframe(s, at, out)) {
				out->part = s->part;
				out->at = from - 1 + (off_t)at;
				return true;
			}
			s->mistakes++;
			at++;
		}
		from += (off_t)n;
	}
	return false;
}

/*
 * Finds the last keyframe of a part at or before time.  A range without a keyframe is not read again, and everything
 * after a keyframe that is too late is left out.
 */
static bool bisect(struct search *s, int64_t time, struct keyframe *out)
{
	off_t from = 0, to = parts_size(s->parts, s->part);
	bool found = false;

	while (from < to) {
		off_t middle = from + (to - from) / 2;
		struct keyframe k;

		if (!first_between(s, middle, to, &k) || k.time > time) {
			to = middle;
			continue;
		}
		*out = k;
		found = true;
		from = k.at + 1;
	}
	return found;
}

static bool is_compressed(const struct parts *parts, size_t part)
{
	struct buf magic = { 0 };
	bool compressed;

	parts_read(parts, part, 0, 2, &magic);
	compressed = str_is(buf_str(&magic), "\x1F\x8B");
	buf_release(&magic);
	return compressed;
}

/* Returns when the part begins, as its header says, ms; 0: that cannot be read. */
static int64_t time_of_part(struct search *s)
{
	static const char before[] = "\"startedAt\":\"";
	struct str head, rest;
	const char *at;

	buf_reset(&s->window);
	buf_reset(&s->text);
	parts_read(s->parts, s->part, 0, KIB(4), &s->window);
	head = buf_str(&s->window);
	if (s->compressed) {
		gzip_reader_restart(s->gzip);
		if (gzip_read(s->gzip, &head, &s->text) == GZIP_DAMAGED)
			return 0;
		head = buf_str(&s->text);
	}
	head = str_head(head, str_find(head, '\n'));
	at = memmem(head.ptr, head.len, before, sizeof(before) - 1);
	if (!at)
		return 0;
	rest = str_from(head, (size_t)(at - head.ptr) + sizeof(before) - 1);
	return time_parse(str_head(rest, str_find(rest, '"')));
}

/* A later part begins with the whole state, but that of a recorder which was started anew only with its first lists. */
static bool begins_before(struct search *s, int64_t time, struct keyframe *out)
{
	int64_t began = s->part ? time_of_part(s) : 0;

	if (!began || began + LISTS_LAST > time)
		return false;
	*out = (struct keyframe){ .part = s->part, .time = began, .line = 1 };
	return true;
}

bool keyframe_find(const struct parts *parts, int64_t time, struct keyframe *out)
{
	struct search s = { .parts = parts, .gzip = gzip_reader_new() };
	bool found = false;

	for (size_t i = parts->n; i > 0 && !found; i--) {
		s.part = i - 1;
		s.compressed = is_compressed(parts, s.part);
		found = bisect(&s, time, out) || begins_before(&s, time, out);
	}
	gzip_reader_free(s.gzip);
	buf_release(&s.window);
	buf_release(&s.text);
	return found;
}
