/* SPDX-License-Identifier: Apache-2.0 */
/* What reads texts beside the judge: a row each.  What takes steps by the length of a text from outside belongs here. */
#ifndef TESTS_STEPS_READERS_H
#define TESTS_STEPS_READERS_H

#include "kube/model/framer.h"
#include "kube/model/json_diff.h"
#include "kube/model/managed_fields.h"
#include "kube/model/yaml.h"
#include "plugin/record/replay.h"
#include "plugin/record/redact_object.h"
#include "tui/words/innermost.h"

#include <sys/mman.h>
#include <unistd.h>

static int take_piece(void *ctx, struct str piece, struct err *err)
{
	(void)ctx, (void)piece, (void)err;
	return 0;
}

/* As bytes arrive: a kilobyte at a time. */
static void frame(enum framer_mode mode, struct str text)
{
	static const struct framer_ops ops = { take_piece };
	struct framer *f = framer_new(mode, &ops, NULL);

	for (; text.len; text = str_from(text, 1000))
		if (framer_feed(f, str_head(text, 1000), NULL) < 0)
			break;
	if (framer_end(f, NULL) < 0)
		framer_reset(f);
	framer_free(f);
}

static void read_stream(struct str text)
{
	frame(FRAMER_STREAM, text);
}

static void read_list(struct str text)
{
	struct buf list = { 0 };

	BUF_JOIN(&list, STR("{\"kind\":\"List\",\"items\":["), text, STR("]}"));
	frame(FRAMER_LIST, buf_str(&list));
	buf_release(&list);
}

static void read_yaml(struct str text)
{
	static const struct yaml_ops ops = { take_piece };

	if (yaml_each(text, &ops, NULL, NULL) < 0)
		return;
}

static void with_document(struct str text, void (*use)(struct json doc))
{
	struct json doc;

	if (json_parse_verbatim(text, &doc, NULL) < 0)
		return;
	use(doc);
	json_free(doc);
}

static void write_as_yaml(struct json doc)
{
	struct buf out = { 0 };

	yaml_from_json(doc, &out);
	buf_release(&out);
}

static void write_yaml(struct str text)
{
	with_document(text, write_as_yaml);
}

/* With itself, all names and what else tells elements of lists apart changed. */
static void compare_with_grown(struct json doc)
{
	const struct json_difference *found;
	struct arena arena = { 0 };
	struct buf text = { 0 };
	struct json other;

	put_value(&text, doc, NULL, 7);
	if (json_parse_verbatim(buf_str(&text), &other, NULL) == 0) {
		json_diff(doc, other, &arena, &found);
		json_digest(doc);
		json_free(other);
	}
	arena_release(&arena);
	buf_release(&text);
}

static void compare(struct str text)
{
	with_document(text, compare_with_grown);
}

/* One line of a recording, as long as the text is, from a file to a settled world. */
static void play_recording(struct str text)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct query query = { .labels = STR_NONE };
	struct buf lines = { 0 };
	struct replay *replay;
	struct world w;
	char name[64];

	BUF_JOIN(&lines, STR("{\"apiVersion\":\"kubectl-status/v1\",\"kind\":\"Recording\"}\n"),
		 STR("{\"t\":\"2026-11-20T09:00:00.000Z\",\"type\":\"ADDED\",\"object\":"), text, STR("}\n"));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, lines.ptr, lines.len) == (ssize_t)lines.len && (replay = replay_open(name, NULL))) {
		world_init(&w, true);
		replay_some(replay, &w, &query, INT64_MAX, SIZE_MAX);
		world_settle(&w);
		world_release(&w);
		replay_free(replay);
	}
	query_release(&query);
	buf_release(&lines);
	close(fd);
}

static void redact(struct json doc)
{
	struct buf out = { 0 };

	redact_object(doc, NULL, &out);
	buf_release(&out);
}

static void read_redacted(struct str text)
{
	struct json doc;

	if (json_parse(text, &doc, NULL) < 0)
		return;
	redact(doc);
	json_free(doc);
}

/* Writes the fields of a value as managedFields have them. */
static void write_fields(struct buf *out, struct json value)
{
	unsigned number = 0;

	buf_add_char(out, '{');
	json_foreach(it, value) {
		struct str name = json_key(it);
		struct buf key = { 0 };

		if (json_is_array(value))
			buf_printf(&key, "k:{\"name\":\"%u\"}", number);
		else
			buf_printf(&key, "f:" STR_FMT, STR_ARG(name));
		if (number++)
			buf_add_char(out, ',');
		json_quote(out, buf_str(&key), JSON_QUOTE_BYTES);
		buf_add_char(out, ':');
		write_fields(out, it);
		buf_release(&key);
	}
	buf_add_char(out, '}');
}

/* The fields of the document once, and its members as so many entries. */
static void read_managed(struct str text)
{
	static const char entry[] = "{\"manager\":\"m\",\"time\":\"2026-11-20T08:00:00Z\",\"fieldsV1\":";
	struct buf object = { 0 };
	struct arena arena = { 0 };
	const struct edit *edits;
	struct json doc;

	if (json_parse_verbatim(text, &doc, NULL) < 0)
		return;
	buf_printf(&object, "{\"metadata\":{\"managedFields\":[%s", entry);
	write_fields(&object, doc);
	json_foreach(it, doc) {
		buf_printf(&object, "},%s", entry);
		write_fields(&object, it);
	}
	buf_add_cstr(&object, "}]}}");
	json_free(doc);
	if (json_parse_verbatim(buf_str(&object), &doc, NULL) == 0) {
		managed_edits(doc, &arena, &edits);
		json_free(doc);
	}
	buf_release(&object);
	arena_release(&arena);
}

static void find_innermost(struct str text)
{
	struct arena a = { 0 };

	innermost_part(text, &a);
	arena_release(&a);
}

static const struct reader {
	const char *name;
	void (*read)(struct str text);
	bool raw;	/* also of texts that are no JSON */
} readers[] = {
	{ "framer of a watch", read_stream, .raw = true },
	{ "framer of a list", read_list, .raw = true },
	{ "YAML", read_yaml, .raw = true },
	{ "writing YAML", write_yaml, .raw = false },
	{ "difference of versions", compare, .raw = false },
	{ "managedFields", read_managed, .raw = false },
	{ "redaction", read_redacted, .raw = false },
	{ "innermost part of a message", find_innermost, .raw = true },
	{ "line of a recording", play_recording, .raw = false },
};

enum { NREADERS = sizeof(readers) / sizeof(readers[0]) };

#endif
