/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/files.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/model/framer.h"
#include "kube/model/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes --------------------------------------------------------------- */

static int read_all(int fd, const char *name, struct buf *out, struct err *err)
{
	char *chunk = xmalloc(MIB(1));
	ssize_t n;

	while ((n = read(fd, chunk, MIB(1))) > 0 && !out->failed)
		buf_add(out, (struct str){ chunk, (size_t)n });
	xfree(chunk);
	if (n < 0)
		return err_set(err, ERR_SYSTEM, "read %s: %s", name, strerror(errno));
	if (out->failed)
		return err_set(err, ERR_INPUT, "%s is larger than %zu MiB", name, LIMIT_FILE / MIB(1));
	return 0;
}

int files_read(const char *name, struct buf *out, struct err *err)
{
	bool standard_input = strcmp(name, "-") == 0;
	int fd = standard_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC), result;

	out->max = LIMIT_FILE;
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name);
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", name, strerror(errno));
	result = read_all(fd, name, out, err);
	if (!standard_input)
		close(fd);
	return result;
}

/* ---- texts --------------------------------------------------------------- */

struct splitter {
	const struct object_ops *ops;
	void *ctx;
	struct str list_kind;
};

static int one_value(struct splitter *s, struct json value, struct err *err);

/* "PodList" has items of the kind Pod, "List" says nothing. */
static struct str item_kind(struct str kind)
{
	return str_ends(kind, "List") ? str_head(kind, kind.len - 4) : STR_NONE;
}

static int one_value(struct splitter *s, struct json value, struct err *err)
{
	struct str kind = json_str(value, "kind");
	struct splitter inner = { s->ops, s->ctx, item_kind(kind) };

	if (!json_is_object(value))
		return err_set(err, ERR_INPUT, "not a Kubernetes object: no map with kind and metadata");
	if (!str_ends(kind, "List") || !json_is_array(json_at(value, "items")))
		return s->ops->object(s->ctx, value, s->list_kind, err);
	json_foreach(item, json_at(value, "items"))
		if (one_value(&inner, item, err) < 0)
			return -1;
	return 0;
}

static int one_text(struct splitter *s, struct str json, struct err *err)
{
	struct json doc;
	int result;

	if (json_parse(json, &doc, err) < 0)
		return -1;
	result = one_value(s, doc, err);
	json_free(doc);
	return result;
}

static int on_document(void *ctx, struct str json, struct err *err)
{
	return one_text(ctx, json, err);
}

static int on_piece(void *ctx, struct str piece, struct err *err)
{
	return one_text(ctx, piece, err);
}

static int feed(enum framer_mode mode, struct splitter *s, struct str text, struct buf *envelope, struct err *err)
{
	static const struct framer_ops ops = { on_piece };
	struct framer *f = framer_new(mode, &ops, s);
	int result = framer_feed(f, text, err);

	if (result == 0)
		result = framer_end(f, err);
	if (result == 0 && envelope)
		buf_add(envelope, framer_envelope(f));
	framer_free(f);
	return result;
}

static int ignore_object(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	(void)ctx, (void)object, (void)list_kind, (void)err;
	return 0;
}

/*
 * One big list is taken item by item, so that a dump of a large cluster fits;
 * its kind stands at its end, so it is gone through once before.
 */
static int each_in_list(struct splitter *s, struct str text, bool *out_is_list, struct err *err)
{
	static const struct object_ops nothing = { ignore_object };
	struct splitter probe = { &nothing, NULL, STR_NONE };
	struct buf envelope = { 0 };
	struct json doc = JSON_NONE;
	struct err ignored;
	int result = 0;

	*out_is_list = false;
	if (feed(FRAMER_LIST, &probe, text, &envelope, &ignored) == 0 &&
	    json_parse(buf_str(&envelope), &doc, &ignored) == 0 && str_ends(json_str(doc, "kind"), "List") &&
	    json_is_array(json_at(doc, "items"))) {
		*out_is_list = true;
		s->list_kind = item_kind(json_str(doc, "kind"));
		result = feed(FRAMER_LIST, s, text, NULL, err);
		s->list_kind = STR_NONE;
	}
	json_free(doc);
	buf_release(&envelope);
	return result;
}

int text_each(struct str text, const struct object_ops *ops, void *ctx, struct err *err)
{
	static const struct yaml_ops yaml = { on_document };
	struct splitter s = { ops, ctx, STR_NONE };
	struct str head = str_trim(str_head(text, 4096));
	bool is_list = false;

	if (str_starts(head, "\xEF\xBB\xBF"))
		head = str_trim(str_from(head, 3));
	if (!str_starts(head, "{") || str_contains(text, "\n---"))
		return yaml_each(text, &yaml, &s, err);
	if (text.len > MIB(8)) {
		int result = each_in_list(&s, text, &is_list, err);

		if (is_list)
			return result;
	}
	return feed(FRAMER_STREAM, &s, text, NULL, err);
}

/* ---- files and folders --------------------------------------------------- */

struct loader {
	struct world *w;
	struct query *q;
	const char *name;
	uint32_t file;
	unsigned unnamed;
	bool kinds_only;
};

/* The items of a typed list do not say their kind. */
static const struct kind *kind_of_item(struct loader *l, struct json object, struct str list_kind)
{
	if (json_str(object, "kind").len || list_kind.len == 0)
		return engine_kind(l->w->engine, object);
	for (uint32_t i = 0; i < l->w->kinds.count; i++)
		if (str_eq(l->w->kinds.all[i]->kind, list_kind) && l->w->kinds.all[i]->version.len)
			return l->w->kinds.all[i];
	return NULL;
}

static int on_object(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	struct loader *l = ctx;
	const struct kind *kind = kind_of_item(l, object, list_kind);
	struct engine_source from = { .kind = kind, .file = l->file };
	struct str spare = STR_NONE;
	struct handle h;

	if (!kind)
		return err_set(err, ERR_INPUT, "Object 'Kind' is missing");
	if (l->kinds_only)
		return 0;
	if (json_str(object, "metadata.name").len == 0)
		spare = arena_printf(&l->q->arena, l->unnamed ? "unnamed-%u" : "unnamed", l->unnamed + 1);
	l->unnamed += spare.len > 0;
	from.name = spare;
	engine_put(l->w->engine, &from, object, l->w->now, &h);
	query_note(l->q, h, object);
	return 0;
}

static int load_text(struct loader *l, struct str text, struct err *err)
{
	static const struct object_ops ops = { on_object };

	if (text_each(text, &ops, l, err) == 0)
		return 0;
	return err_context(err, "error parsing %s", l->name);
}

struct path_list {
	char **paths;
	size_t n, cap;
};

static void path_add(struct path_list *list, const char *path)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 16;
		list->paths = xreallocarray(list->paths, list->cap, sizeof(*list->paths));
	}
	list->paths[list->n++] = xstrdup(path);
}

static void path_list_release(struct path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		xfree(list->paths[i]);
	xfree(list->paths);
}

static bool has_known_ending(const char *name)
{
	struct str s = str_of(name);

	return str_ends(s, ".json") || str_ends(s, ".yaml") || str_ends(s, ".yml");
}

static int not_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int add_folder(struct path_list *list, const char *folder, bool recursive, struct err *err)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, not_dots, alphasort), result = 0;

	if (n < 0)
		return err_set(err, ERR_SYSTEM, "open %s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		struct buf path = { 0 };
		struct stat st;

		buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
		if (result == 0 && stat(buf_cstr(&path), &st) == 0) {
			if (S_ISDIR(st.st_mode) && recursive)
				result = add_folder(list, buf_cstr(&path), true, err);
			else if (S_ISREG(st.st_mode) && has_known_ending(entries[i]->d_name))
				path_add(list, buf_cstr(&path));
		}
		buf_release(&path);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int collect_paths(const struct files *f, struct path_list *list, struct err *err)
{
	for (size_t i = 0; f->names[i]; i++) {
		size_t before = list->n;
		struct stat st;

		if (strcmp(f->names[i], "-") == 0 || stat(f->names[i], &st) < 0 || !S_ISDIR(st.st_mode)) {
			path_add(list, f->names[i]);
			continue;
		}
		if (add_folder(list, f->names[i], f->recursive, err) < 0)
			return -1;
		if (list->n == before)
			return err_set(err, ERR_INPUT,
				       "error reading [%s]: recognized file extensions are [.json .yaml .yml]",
				       f->names[i]);
	}
	return 0;
}

/* Two passes: who refers to whom can be told once all kinds are known. */
static int load_paths(struct loader *l, const struct path_list *list, struct err *err)
{
	struct buf *texts = xcalloc(list->n, sizeof(*texts));
	int result = 0;

	for (int pass = 0; pass < 2 && result == 0; pass++) {
		l->kinds_only = pass == 0;
		for (size_t i = 0; i < list->n && result == 0; i++) {
			l->name = list->paths[i];
			l->file = (uint32_t)i + 1;
			if (pass == 0)
				result = files_read(list->paths[i], &texts[i], err);
			if (result == 0)
				result = load_text(l, buf_str(&texts[i]), err);
			if (pass == 1)
				buf_release(&texts[i]);
		}
	}
	for (size_t i = 0; i < list->n; i++)
		buf_release(&texts[i]);
	xfree(texts);
	return result;
}

int files_load(const struct files *f, struct world *w, struct query *q, struct err *err)
{
	struct loader l = { .w = w, .q = q };
	struct path_list list = { 0 };
	int result = collect_paths(f, &list, err);

	store_set_coverage(w->store, 0, NULL, STR_NONE, COVERAGE_PARTIAL);
	if (result == 0)
		result = load_paths(&l, &list, err);
	path_list_release(&list);
	return result;
}

void files_each(const struct files *f, const struct object_ops *ops, void *ctx)
{
	struct path_list list = { 0 };
	struct err ignored = { 0 };

	if (collect_paths(f, &list, &ignored) == 0)
		for (size_t i = 0; i < list.n; i++) {
			struct buf text = { 0 };

			if (strcmp(list.paths[i], "-") != 0 && files_read(list.paths[i], &text, &ignored) == 0 &&
			    text_each(buf_str(&text), ops, ctx, &ignored) < 0)
				ignored.code = ERR_NONE;
			buf_release(&text);
		}
	path_list_release(&list);
}
