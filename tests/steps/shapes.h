/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of any size, made from the cases of the families and the examples of the rules: one part of an object (a text,
 * a list, a map, a key) is grown to so many bytes.  A new family, case or rule is measured without a new line here.
 */
#ifndef TESTS_STEPS_SHAPES_H
#define TESTS_STEPS_SHAPES_H

#include "kube/base/alloc.h"
#include "kube/base/map.h"
#include "kube/base/time.h"
#include "kube/model/yaml.h"
#include "kube/status/family.h"
#include "plugin/preferences.h"
#include "plugin/world.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum grow {
	GROW_TEXT,	/* a text: its piece is repeated */
	GROW_COPIES,	/* a list: its elements are repeated */
	GROW_NAMED,	/* the same, with names of their own */
	GROW_MEMBERS,	/* a map: more members like its first one */
	GROW_KEY,	/* the key of a member */
	GROW_DEPTH,	/* lists and maps around the value */
	GROW_ALL_LISTS,	/* every list of the object, with the same names */
	GROW_ALL_TEXTS,	/* every text of the object */
};

static const char *const grow_names[] = {
	[GROW_TEXT] = "text", [GROW_COPIES] = "copies", [GROW_NAMED] = "named copies", [GROW_MEMBERS] = "members",
	[GROW_KEY] = "key", [GROW_DEPTH] = "depth", [GROW_ALL_LISTS] = "all lists", [GROW_ALL_TEXTS] = "all texts",
};

/* What texts are made of: whatever some code looks for, from which it may search on. */
static const char *const pieces[] = {
	"a",  "a ",  "A",   "aB",  "-",   "_",	 "__",	"x__", "x_",  ".",   "a.",  "/",  "a/",	  ":",	 "a: ", "://", "a://",	"@",
	"=",  "a=b,", ",",  "'",   "\"a\" ", "{", "[",	"(",   "\n",  " ",   "0",   "1m", "{\"message\":\"", "not ready: ",
	"Waiting for Secret/net ", "deployments \"net\" is ", "%", "&amp;", "\\", "a-", "\xC3\xA4", "\xC0\x80", "; ", "[0] ", "Pod a/b ",
};

enum { NPIECES = sizeof(pieces) / sizeof(pieces[0]) };

/* All of them, each as long as the others: what takes too long with one of them does so within this text. */
#define MIXED NULL

struct growth {
	const struct json_node *at;	/* the value that grows; of GROW_ALL_... none */
	enum grow how;
	const char *piece;
	size_t bytes;
};

/* ---- writing an object with one part grown --------------------------------------- */

static void grow_value(struct buf *out, struct json value, const struct growth *g);

static void add_repeated(struct buf *out, const char *piece, size_t bytes)
{
	size_t end = out->len + bytes;

	while (out->len < end)
		buf_add_cstr(out, piece);
}

static void grown_text(struct buf *out, struct str text, const struct growth *g)
{
	struct buf longer = { 0 };

	buf_add(&longer, text);
	for (size_t i = 0; !g->piece && i < NPIECES; i++)
		add_repeated(&longer, pieces[i], g->bytes / NPIECES);
	if (g->piece)
		add_repeated(&longer, g->piece, g->bytes);
	json_quote(out, buf_str(&longer), JSON_QUOTE_BYTES);
	buf_release(&longer);
}

static void put_value(struct buf *out, struct json value, const struct growth *g, unsigned number);

static bool is_name(struct str key)
{
	static const char *const names[] = { "name", "type", "id", "uid", "key", NULL };

	return key.len == 0 || str_is_any(key, names);
}

static void put_members(struct buf *out, struct json value, const struct growth *g, unsigned number)
{
	bool map = json_is_object(value), first = true;

	buf_add_char(out, map ? '{' : '[');
	json_foreach(it, value) {
		if (!first)
			buf_add_char(out, ',');
		first = false;
		if (map) {
			json_quote(out, json_key(it), JSON_QUOTE_BYTES);
			buf_add_char(out, ':');
		}
		put_value(out, it, g, number);
	}
	buf_add_char(out, map ? '}' : ']');
}

/* number: what is added to names, 0: nothing. */
static void put_value(struct buf *out, struct json value, const struct growth *g, unsigned number)
{
	struct buf text = { 0 };

	switch (json_type(value)) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		if (g)
			grow_value(out, value, g);
		else
			put_members(out, value, g, number);
		break;
	case JSON_STRING:
		buf_add(&text, json_str(value, ""));
		if (number && is_name(json_key(value)))
			buf_printf(&text, "-%u", number);
		if (g)
			grow_value(out, value, g);
		else
			json_quote(out, buf_str(&text), JSON_QUOTE_BYTES);
		break;
	case JSON_NUMBER:
		buf_add(out, json_digits(value));
		break;
	case JSON_BOOL:
		buf_add_cstr(out, json_bool(value, "", false) ? "true" : "false");
		break;
	default:
		buf_add_cstr(out, "null");
	}
	buf_release(&text);
}

static void grown_list(struct buf *out, struct json list, const struct growth *g)
{
	size_t end = out->len + g->bytes;
	unsigned number = 0;

	buf_add_char(out, '[');
	do {
		json_foreach(it, list) {
			if (out->ptr[out->len - 1] != '[' || number)
				buf_add_char(out, ',');
			put_value(out, it, NULL, g->how == GROW_COPIES ? 0 : number);
		}
		number++;
	} while (out->len < end);
	buf_add_char(out, ']');
}

static void grown_map(struct buf *out, struct json map, const struct growth *g)
{
	size_t end = out->len + g->bytes;
	struct json first = json_first(map);

	put_members(out, map, NULL, 0);
	out->len--;
	for (unsigned i = 0; out->len < end; i++) {
		buf_printf(out, "%s\"k%u\":", i || first.node ? "," : "", i);
		put_value(out, first, NULL, 0);
	}
	buf_add_char(out, '}');
}

static void grown_key(struct buf *out, struct json map, const struct growth *g)
{
	put_members(out, map, NULL, 0);
	out->len--;
	buf_add_cstr(out, json_first(map).node ? "," : "");
	grown_text(out, STR("k"), g);
	buf_add_char(out, ':');
	put_value(out, json_first(map), NULL, 0);
	buf_add_char(out, '}');
}

/* As deep as objects are read at all: a level for each 64 bytes that are asked for. */
static void grown_depth(struct buf *out, struct json value, const struct growth *g)
{
	size_t levels = g->bytes / 64;

	for (size_t i = 0; i < levels; i++)
		buf_add_cstr(out, i % 2 ? "[" : "{\"name\":");
	put_value(out, value, NULL, 0);
	while (levels-- > 0)
		buf_add_char(out, levels % 2 ? ']' : '}');
}

static void grown(struct buf *out, struct json value, const struct growth *g)
{
	switch (g->how) {
	case GROW_COPIES:
	case GROW_NAMED:
	case GROW_ALL_LISTS:
		grown_list(out, value, g);
		break;
	case GROW_MEMBERS:
		grown_map(out, value, g);
		break;
	case GROW_KEY:
		grown_key(out, value, g);
		break;
	case GROW_DEPTH:
		grown_depth(out, value, g);
		break;
	default:
		grown_text(out, json_str(value, ""), g);
	}
}

/* What identifies an object stays short when all texts grow: the API server has a limit for these. */
static bool stays(struct json value)
{
	static const char *const keys[] = { "apiVersion", "kind", "name", "namespace", NULL };

	return str_is_any(json_key(value), keys);
}

static bool grows(struct json value, const struct growth *g)
{
	if (g->at)
		return value.node == g->at;
	return g->how == GROW_ALL_LISTS ? json_is_array(value) && json_first(value).node :
	       json_type(value) == JSON_STRING && !stays(value);
}

static void grow_value(struct buf *out, struct json value, const struct growth *g)
{
	if (grows(value, g))
		grown(out, value, g);
	else if (json_is_object(value) || json_is_array(value))
		put_members(out, value, g, 0);
	else
		put_value(out, value, NULL, 0);
}

/* ---- the worlds that they come from ------------------------------------------------- */

struct sample {
	char *file;		/* shared by the samples of a file */
	struct json object;
	size_t world;		/* samples of one file stand together: the first of them */
};

struct samples {
	struct sample *all;
	size_t n, cap;
	char *file;
	size_t world;
};

static void add_sample(struct samples *s, struct str json)
{
	struct json doc;

	if (json_parse_verbatim(json, &doc, NULL) < 0)
		exit(1);
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->all = xrealloc(s->all, s->cap * sizeof(*s->all));
	}
	s->all[s->n++] = (struct sample){ s->file, doc, s->world };
}

static int on_document(void *ctx, struct str json, struct err *err)
{
	struct samples *s = ctx;
	struct buf out = { 0 };
	struct json doc;

	if (json_parse_verbatim(json, &doc, err) < 0)
		return -1;
	if (!json_has(doc, "examples") && json_has(doc, "kind"))
		add_sample(s, json);
	json_foreach(it, json_at(doc, "examples")) {
		s->world = s->n;	/* each is a world of its own */
		buf_reset(&out);
		put_value(&out, json_at(it, "object"), NULL, 0);
		if (json_has(it, "object"))
			add_sample(s, buf_str(&out));
	}
	buf_release(&out);
	json_free(doc);
	return 0;
}

static void read_samples_of(struct samples *s, const char *file)
{
	static const struct yaml_ops ops = { on_document };
	FILE *f = fopen(file, "r");
	struct buf text = { 0 };
	char part[4096];
	size_t n;

	while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&text, (struct str){ part, n });
	if (f)
		fclose(f);
	s->file = xstrdup(file);
	s->world = s->n;
	if (yaml_each(buf_str(&text), &ops, s, NULL) < 0)
		s->n = s->world;	/* a case of what is no YAML */
	buf_release(&text);
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* In the order of their names, so that every run is the same. */
static void read_samples(struct samples *s, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, not_hidden, alphasort);

	for (int i = 0; i < n; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (str_ends(str_of(path), ".yaml"))
			read_samples_of(s, path);
		else if (!strchr(names[i]->d_name, '.'))
			read_samples(s, path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* ---- judging one ------------------------------------------------------------------------ */

#define SHAPES_NOW INT64_C(1795165200000) /* 2026-11-20T09:00:00Z, as in most cases */

static struct handle shape_put(struct world *w, struct json object)
{
	struct engine_source from = { .name = STR("nameless"), .file = 1 };
	struct handle h;

	engine_put(w->engine, &from, object, w->now, &h);
	return h;
}

/* The world of a sample without itself, in which its grown twin is then judged. */
static void shape_world(struct world *w, const struct samples *s, size_t of)
{
	static const struct preferences preferred = { .owner = "owner,team" };

	world_init(w, true);
	w->now = SHAPES_NOW;
	world_keep_labels(w, NULL, 0, &preferred);
	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	for (size_t i = s->all[of].world; i < s->n && s->all[i].world == s->all[of].world; i++)
		if (i != of)
			shape_put(w, s->all[i].object);
	world_settle(w);
}

/* From the bytes to what a view shows of it: this is what is measured. */
static void shape_judge(struct world *w, struct str text)
{
	struct arena arena = { 0 };
	struct json object;
	struct item item;
	struct handle h;
	size_t n;

	if (json_parse_verbatim(text, &object, NULL) < 0)
		return;
	h = shape_put(w, object);
	world_settle(w);
	graph_roots(w->graph, &arena, &n);
	graph_item(w->graph, h, &arena, &item);
	arena_release(&arena);
	json_free(object);
}

/* ---- all of them ------------------------------------------------------------------------- */

/* Bytes of the smallest text, text of all pieces, and list. */
enum { SHAPE_TEXT = 1024, SHAPE_MIXED = 128 * NPIECES, SHAPE_LIST = 6144 };

struct shapes {
	struct samples samples;
	struct map paths;	/* those that were met: of each family, of_kinds: of each kind */
	bool of_kinds;
	void (*each)(void *ctx, size_t sample, struct growth g, const char *path);
	void *ctx;
};

static void shapes_read(struct shapes *s)
{
	read_samples(&s->samples, "tests/family");
	read_samples(&s->samples, "kube/rules");
}

static void shapes_of_value(struct shapes *s, size_t sample, struct json value, const char *path)
{
	struct growth list = { .at = value.node, .bytes = SHAPE_LIST };

	if (json_type(value) == JSON_STRING) {
		s->each(s->ctx, sample, (struct growth){ value.node, GROW_TEXT, MIXED, SHAPE_MIXED }, path);
	} else if (json_is_array(value) && json_first(value).node) {
		list.how = GROW_COPIES;
		s->each(s->ctx, sample, list, path);
		list.how = GROW_NAMED;
		s->each(s->ctx, sample, list, path);
	} else if (json_is_object(value)) {
		list.how = GROW_MEMBERS;
		s->each(s->ctx, sample, list, path);
		s->each(s->ctx, sample, (struct growth){ value.node, GROW_KEY, "x_", SHAPE_TEXT }, path);
		s->each(s->ctx, sample, (struct growth){ value.node, GROW_DEPTH, NULL, 64 * 80 }, path);
	}
}

/* The values below whose path is new, or everything; of a list the first element.  Returns how many. */
static size_t shapes_below(struct shapes *s, size_t sample, struct json value, struct str path, bool everything)
{
	struct arena arena = { 0 };
	bool list = json_is_array(value);
	size_t n = 0, found = everything || !map_get(&s->paths, path);

	if (found) {
		map_set(&s->paths, path, s);
		shapes_of_value(s, sample, value, path.ptr);
	}
	json_foreach(it, value) {
		struct str inner = ARENA_JOIN(&arena, path, STR("."), json_key(it));

		if (!list || n++ == 0)
			found += shapes_below(s, sample, it, inner, everything);
	}
	arena_release(&arena);
	return found;
}

static const char *shapes_family(const struct shapes *s, size_t sample)
{
	struct json object = s->samples.all[sample].object;
	const struct kind *kind;
	const char *name = "";
	struct world w;

	world_init(&w, true);
	kind = engine_kind(w.engine, object);
	if (kind)
		name = engine_family(w.engine, kind, object)->name;
	world_release(&w);
	return name;
}

static size_t count_lists(struct json value)
{
	size_t n = json_is_array(value);

	json_foreach(it, value)
		n += count_lists(it);
	return n;
}

/* The shapes of a sample whose paths are new, or everything. */
static void shapes_each(struct shapes *s, size_t sample, bool everything)
{
	struct json object = s->samples.all[sample].object;
	struct arena arena = { 0 };
	struct str of = ARENA_JOIN(&arena, str_of(shapes_family(s, sample)), s->of_kinds ? json_str(object, "kind") : STR_NONE);
	size_t lists = count_lists(object);

	if (shapes_below(s, sample, object, of, everything)) {
		if (lists)
			s->each(s->ctx, sample, (struct growth){ NULL, GROW_ALL_LISTS, NULL, SHAPE_LIST / lists }, "");
		s->each(s->ctx, sample, (struct growth){ NULL, GROW_ALL_TEXTS, MIXED, 32 * NPIECES }, "");
	}
	arena_release(&arena);
}

#endif
