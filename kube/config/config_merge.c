/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/config_merge.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/base/gotext.h"
#include "kube/config/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct config_cluster *config_merge_cluster(const struct config_file *f, struct str name)
{
	for (size_t i = 0; i < f->nclusters; i++)
		if (str_eq(f->clusters[i].name, name))
			return &f->clusters[i];
	return NULL;
}

const struct config_user *config_merge_user(const struct config_file *f, struct str name)
{
	for (size_t i = 0; i < f->nusers; i++)
		if (str_eq(f->users[i].name, name))
			return &f->users[i];
	return NULL;
}

const struct config_context *config_merge_context(const struct config_file *f, struct str name)
{
	for (size_t i = 0; i < f->ncontexts; i++)
		if (str_eq(f->contexts[i].name, name))
			return &f->contexts[i];
	return NULL;
}

static void resolve_paths(struct config_file *f, struct str dir, struct arena *arena)
{
	for (size_t i = 0; i < f->nclusters; i++) {
		f->clusters[i].dir = dir;
		f->clusters[i].ca_file = path_below(arena, dir, f->clusters[i].ca_file);
	}
	for (size_t i = 0; i < f->nusers; i++) {
		struct config_user *u = &f->users[i];

		u->dir = dir;
		u->cert_file = path_below(arena, dir, u->cert_file);
		u->key_file = path_below(arena, dir, u->key_file);
		u->token_file = path_below(arena, dir, u->token_file);
		if (str_contains(u->exec.command, "/"))
			u->exec.command = path_below(arena, dir, u->exec.command);
	}
}

/* Adds to into what of more has a new name; into has room for all. */
static void merge(struct config_file *into, const struct config_file *more)
{
	for (size_t i = 0; i < more->nclusters; i++)
		if (!config_merge_cluster(into, more->clusters[i].name))
			into->clusters[into->nclusters++] = more->clusters[i];
	for (size_t i = 0; i < more->nusers; i++)
		if (!config_merge_user(into, more->users[i].name))
			into->users[into->nusers++] = more->users[i];
	for (size_t i = 0; i < more->ncontexts; i++)
		if (!config_merge_context(into, more->contexts[i].name))
			into->contexts[into->ncontexts++] = more->contexts[i];
	if (str_empty(into->current_context))
		into->current_context = more->current_context;
}

static struct config_file combine(const struct config_file *a, const struct config_file *b,
				  struct arena *arena)
{
	struct config_file both = { .current_context = STR_NONE };

	both.clusters = arena_array(arena, a->nclusters + b->nclusters, sizeof(*both.clusters));
	both.users = arena_array(arena, a->nusers + b->nusers, sizeof(*both.users));
	both.contexts = arena_array(arena, a->ncontexts + b->ncontexts, sizeof(*both.contexts));
	merge(&both, a);
	merge(&both, b);
	return both;
}

/* A file that is not there is an empty one. */
static int load_one(struct str name, struct arena *arena, struct config_file *out, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_KUBECONFIG);
	int code = 0, result;

	*out = (struct config_file){ .current_context = STR_NONE };
	result = file_read(name, &text, &code, err);
	if (result == 0)
		result = config_file_parse(buf_str(&text), arena, out, err);
	else if (code == ENOENT)
		result = 0;
	file_wipe(&text);
	if (result < 0) {
		if (err)
			err->code = ERR_INPUT;
		err_context(err, "error loading config file \"" STR_FMT "\"", STR_ARG(name));
		return err_hint(err, "correct the file, or name another one with --kubeconfig");
	}
	resolve_paths(out, path_folder(arena, name), arena);
	return 0;
}

/* Colon-separated; a name that stands twice counts once. */
static int load_list(struct str names, struct arena *arena, struct config_file *out,
		     struct err *err)
{
	struct str all = names, name;

	*out = (struct config_file){ .current_context = STR_NONE };
	while (str_split(&names, ':', &name)) {
		struct str before = str_head(all, (size_t)(name.ptr - all.ptr)), other;
		struct config_file one;
		bool again = str_empty(name);

		while (!again && str_split(&before, ':', &other))
			again = str_eq(other, name);
		if (again)
			continue;
		if (load_one(name, arena, &one, err) < 0)
			return -1;
		*out = combine(out, &one, arena);
	}
	return 0;
}

int config_merge_files(const struct config_flags *flags, struct arena *arena,
		       struct config_file *out, struct err *err)
{
	const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
	struct stat st;

	if (flags->kubeconfig && *flags->kubeconfig) {
		if (stat(flags->kubeconfig, &st) < 0 && errno == ENOENT)
			return err_set(err, ERR_INPUT, "stat %s: %s", flags->kubeconfig,
				       gotext_errno(arena, ENOENT).ptr);
		return load_one(str_of(flags->kubeconfig), arena, out, err);
	}
	if (list && *list)
		return load_list(str_of(list), arena, out, err);
	*out = (struct config_file){ .current_context = STR_NONE };
	if (!home || !*home)
		return 0;
	return load_one(arena_printf(arena, "%s/.kube/config", home), arena, out, err);
}
