/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/files_paths.h"

#include "kube/base/alloc.h"
#include "kube/base/buf.h"
#include "kube/base/map.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 32 };	/* the most levels of folders below each other */

static void add(struct path_list *list, const char *path, bool dump)
{
	list->all = xgrow(list->all, list->n, &list->cap, sizeof(*list->all));
	list->all[list->n++] = (struct path_entry){ xstrdup(path), dump, dump && path_is_log(str_of(path)) };
}

void path_list_release(struct path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		xfree(list->all[i].path);
	xfree(list->all);
	*list = (struct path_list){ 0 };
}

/* ---- folders ------------------------------------------------------------- */

bool path_is_known(struct str s)
{
	if (str_ends(s, ".gz"))
		s = str_head(s, s.len - 3);
	return str_ends(s, ".json") || str_ends(s, ".yaml") || str_ends(s, ".yml");
}

/*
 * oc adm inspect (openshift/oc, pkg/cli/admin/inspect/pod.go): namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log;
 * kubectl cluster-info dump: NS/POD/logs.txt; troubleshoot (specs/collection/output.md): pods/logs/NS/POD/CONTAINER.log
 */
bool log_place(struct str path, struct log_place *out)
{
	enum { DEPTH = 8 };
	static const char *const currents[] = { "current.log", "current.insecure.log", NULL };
	static const char *const previous[] = { "previous.log", "previous.insecure.log", NULL };
	struct str part[DEPTH] = { STR_NONE };

	for (size_t i = 0; i < DEPTH && path.len; i++) {
		size_t slash = str_rfind(path, '/');

		part[i] = slash < path.len ? str_from(path, slash + 1) : path;
		path = str_head(path, slash < path.len ? slash : 0);
	}
	*out = (struct log_place){ .ns = part[2], .pod = part[1] };
	if (str_is(part[0], "logs.txt"))
		return out->ns.len > 0;
	if (str_is(part[1], "logs") && str_is(part[5], "pods") && str_is(part[7], "namespaces")) {
		*out = (struct log_place){ part[6], part[4], part[2], str_is_any(part[0], previous) };
		return out->previous || str_is_any(part[0], currents);
	}
	if (!str_is(part[3], "logs") || !str_is(part[4], "pods") || !str_ends(part[0], ".log"))
		return false;
	out->container = str_head(part[0], part[0].len - strlen(".log"));
	out->previous = str_ends(out->container, "-previous");
	if (out->previous)
		out->container = str_head(out->container, out->container.len - strlen("-previous"));
	return out->container.len > 0;
}

bool path_is_log(struct str path)
{
	struct log_place place;

	return log_place(path, &place);
}

static int not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
}

/* Identifies a file or folder that was found before: through links it may have many names. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

struct walk {
	struct path_list *list;
	bool below, dump;
	struct err *err;
	struct map found;	/* the files and folders found so far; the key is the bytes of a struct file_id */
};

static bool was_found_before(struct walk *w, const struct stat *st)
{
	struct file_id key;

	memset(&key, 0, sizeof(key));	/* also the padding between its members, because all bytes are the key */
	key.dev = st->st_dev;
	key.ino = st->st_ino;
	return map_set(&w->found, (struct str){ (const char *)&key, sizeof(key) }, w) != NULL;
}

static int walk_folder(struct walk *w, const char *folder, unsigned depth);

static int walk_entry(struct walk *w, const char *path, unsigned depth)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISREG(st.st_mode) && (path_is_known(str_of(path)) || (w->dump && path_is_log(str_of(path)))) &&
	    !was_found_before(w, &st))
		add(w->list, path, w->dump);
	return S_ISDIR(st.st_mode) && w->below && depth < DEPTH_MAX ? walk_folder(w, path, depth + 1) : 0;
}

/* Adds the files of a folder.  In a dump a folder that may not be read is left out; elsewhere it is an error. */
static int walk_folder(struct walk *w, const char *folder, unsigned depth)
{
	struct dirent **entries;
	struct stat st;
	int n, result = 0;

	if (stat(folder, &st) == 0 && was_found_before(w, &st))
		return 0;
	n = scandir(folder, &entries, not_dots, alphasort);
	if (n < 0 && depth > 0)
		return 0;
	if (n < 0)
		return err_set(w->err, ERR_SYSTEM, "open %s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		struct buf path = { 0 };

		buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
		if (result == 0)
			result = walk_entry(w, buf_cstr(&path), depth);
		buf_release(&path);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int is_segment(const struct dirent *d)
{
	return str_starts(str_of(d->d_name), "flight-") && str_ends(str_of(d->d_name), ".jsonl.gz");
}

bool path_is_recording(struct str name)
{
	static const char *const endings[] = { ".jsonl", ".jsonl.gz", NULL };

	return str_ends_any(name, endings);
}

static int is_recording(const struct dirent *d)
{
	return path_is_recording(str_of(d->d_name));
}

static int add_entries(struct path_list *list, const char *folder, int (*which)(const struct dirent *d))
{
	struct dirent **entries;
	int n = scandir(folder, &entries, which, alphasort);

	for (int i = 0; i < n; i++) {
		struct buf path = { 0 };

		buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
		add(list, buf_cstr(&path), false);
		buf_release(&path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? -1 : 0;
}

int path_list_segments(struct path_list *list, const char *folder)
{
	return add_entries(list, folder, is_segment);
}

int path_list_recordings(struct path_list *list, const char *folder)
{
	return add_entries(list, folder, is_recording);
}

static bool matches(const char *folder, const char *pattern)
{
	struct buf b = { 0 };
	glob_t found = { 0 };
	bool any;

	buf_printf(&b, "%s/%s", folder, pattern);
	any = glob(buf_cstr(&b), GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc > 0;
	globfree(&found);
	buf_release(&b);
	return any;
}

/* Returns true for a folder that must-gather or "kubectl cluster-info dump --output-directory" wrote. */
static bool is_dump(const char *folder)
{
	static const char *const signs[] = {
		"cluster-scoped-resources", "namespaces/*/", "*/cluster-scoped-resources", "*/namespaces/*/",
		"*/pods.json", "*/pods.yaml",
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (matches(folder, signs[i]))
			return true;
	return false;
}

static int add_folder(struct path_list *list, const char *folder, bool recursive, struct err *err)
{
	bool dump = recursive || is_dump(folder);
	struct walk w = { .list = list, .below = dump, .dump = dump, .err = err };
	size_t before = list->n;
	int result = walk_folder(&w, folder, 0);

	map_release(&w.found);
	if (result < 0)
		return -1;
	for (; before < list->n; before++)
		if (!list->all[before].log)
			return 0;
	err_set(err, ERR_INPUT, "error reading [%s]: recognized file extensions are [.json .yaml .yml]",
		folder);
	return recursive ? -1 : err_hint(err, "-R reads subdirectories, too");
}

/* ---- arguments ----------------------------------------------------------- */

static int add_one(struct path_list *list, const char *name, bool recursive, struct err *err)
{
	struct stat st;

	if (strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(list, name, recursive, err);
	add(list, name, false);
	return 0;
}

/*
 * Adds the files that a pattern matches.  As for kubectl, an argument is only taken for a pattern when no such file
 * exists.
 */
static int add_pattern(struct path_list *list, const char *pattern, bool recursive, struct err *err)
{
	glob_t found = { 0 };
	int result = 0;

	if (glob(pattern, 0, NULL, &found) != 0)
		result = err_set(err, ERR_INPUT, "the path \"%s\" does not exist", pattern);
	for (size_t i = 0; i < found.gl_pathc && result == 0; i++)
		result = add_one(list, found.gl_pathv[i], recursive, err);
	globfree(&found);
	return result;
}

int path_list_add(struct path_list *list, const char *name, bool recursive, struct err *err)
{
	struct stat st;

	if (strcmp(name, "-") == 0 || stat(name, &st) == 0)
		return add_one(list, name, recursive, err);
	if (str_starts(str_of(name), "http://") || str_starts(str_of(name), "https://")) {
		err_set(err, ERR_INPUT, "the path \"%s\" does not exist", name);
		return err_hint(err, "URLs are not fetched: curl %s | kubectl status -f -", name);
	}
	if (strpbrk(name, "*?["))
		return add_pattern(list, name, recursive, err);
	return add_one(list, name, recursive, err);
}
