/* SPDX-License-Identifier: Apache-2.0 */
/* Reads discovery documents, by the rules of client-go/discovery (aggregated_discovery.go, discovery_client.go). */
#include "kube/api/discovery.h"

#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/config/header.h"
#include "kube/model/framer.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_parameter(struct str content_type, const char *wanted)
{
	struct str part;

	while (str_split(&content_type, ';', &part))
		if (str_is(str_trim(part), wanted))
			return true;
	return false;
}

bool discovery_is_aggregated(struct str content_type)
{
	return has_parameter(content_type, "g=apidiscovery.k8s.io") &&
	       has_parameter(content_type, "as=APIGroupDiscoveryList");
}

void discovery_begin(struct discovery *d, struct kinds *kinds)
{
	*d = (struct discovery){ .kinds = kinds };
}

void discovery_release(struct discovery *d)
{
	map_release(&d->seen);
	buf_release(&d->partial);
	buf_release(&d->failed);
}

void discovery_failed(struct discovery *d, struct str group_version, struct str why)
{
	if (d->partial.len)
		buf_add_cstr(&d->partial, ", ");
	buf_add(&d->partial, group_version);
	buf_add_cstr(&d->partial, ": ");
	buf_add(&d->partial, why);
	buf_add_cstr(&d->failed, d->failed.len ? "," : "");
	buf_add(&d->failed, group_version);
}

/* ---- is it the document that was asked for ------------------------------------ */

static struct str kind_word(struct json doc)
{
	struct str kind = str_head(json_str(doc, "kind"), 80);

	return kind.len ? kind : str_of(json_type(doc) == JSON_OBJECT ? "object without a kind" : json_type_name(json_type(doc)));
}

static bool is_of_kind(struct json doc, const char *kind)
{
	return json_type(doc) == JSON_OBJECT && str_is(json_str(doc, "kind"), kind);
}

static bool is_aggregated(struct json doc)
{
	struct str api = json_str(doc, "apiVersion");
	enum json_type items = json_type(json_at(doc, "items"));

	return is_of_kind(doc, "APIGroupDiscoveryList") && (!api.len || str_starts(api, "apidiscovery.k8s.io/")) &&
	       (items == JSON_ARRAY || items == JSON_NULL || items == JSON_ABSENT);
}

int discovery_check(struct json doc, const char *kind, struct err *err)
{
	struct str word = kind_word(doc);

	if (is_aggregated(doc) || (is_of_kind(doc, kind) && !is_of_kind(doc, "APIGroupDiscoveryList")))
		return 0;
	err_set(err, ERR_PROTO, "the server was asked for its kinds (%s), and answered something else: " STR_FMT, kind, STR_ARG(word));
	return err_hint(err, "is this the URL of a Kubernetes API server, and is a proxy in front of it?");
}

/* ---- one kind -------------------------------------------------------------------- */

struct resource {
	struct str group, version, kind, plural, singular;
	bool namespaced, has_status;
	struct json verbs, short_names, categories;
};

static bool has_text(struct json array, const char *text)
{
	json_foreach(it, array)
		if (str_is(json_str(it, ""), text))
			return true;
	return false;
}

static unsigned flags_of(const struct resource *r)
{
	return KIND_DISCOVERED | (r->namespaced ? KIND_NAMESPACED : 0) | (r->has_status ? KIND_HAS_STATUS : 0) |
	       (has_text(r->verbs, "list") ? KIND_LIST : 0) | (has_text(r->verbs, "watch") ? KIND_WATCH : 0) |
	       (has_text(r->verbs, "get") ? KIND_GET : 0);
}

static void read_names(struct discovery *d, struct json list, struct str *out)
{
	size_t n = 0;

	memset(out, 0, KIND_NAMES * sizeof(*out));
	json_foreach(it, list)
		if (n < KIND_NAMES && json_str(it, "").len)
			out[n++] = kinds_name(d->kinds, json_str(it, ""));
}

static void first_version(struct discovery *d, struct kind *kind, const struct resource *r)
{
	kind->version = kinds_name(d->kinds, r->version);
	kind->versions = kind->version;
	kind->plural = kinds_name(d->kinds, r->plural);
	if (r->singular.len)
		kind->singular = kinds_name(d->kinds, r->singular);
	kind->flags = (kind->flags & (KIND_CUSTOM | KIND_LEARNED)) | flags_of(r);
	/* this is set also where a server does not list subresources */
	if (kinds_builtin_has_status(r->group, r->kind))
		kind->flags |= KIND_HAS_STATUS;
	read_names(d, r->short_names, kind->short_names);
	read_names(d, r->categories, kind->categories);
}

static void take(struct discovery *d, const struct resource *r)
{
	struct kind *kind;
	struct str key;

	if (r->kind.len == 0 || r->plural.len == 0)
		return;
	kind = kinds_put(d->kinds, r->group, r->kind);
	key = (struct str){ (const char *)&kind->id, sizeof(kind->id) };
	if (!map_get(&d->seen, key)) {
		first_version(d, kind, r);
		map_set(&d->seen, key, (void *)(uintptr_t)kind->version.ptr);
	} else if (str_eq(kind->plural, r->plural)) {
		kinds_add_version(d->kinds, kind, r->version);
	}
}

/* ---- aggregated ------------------------------------------------------------------ */

static bool has_status(struct json subresources)
{
	json_foreach(it, subresources)
		if (str_is(json_str(it, "subresource"), "status"))
			return true;
	return false;
}

static void fail_version(struct discovery *d, struct str group, struct str version, struct str why)
{
	struct buf gv = { 0 };

	buf_printf(&gv, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(version));
	discovery_failed(d, buf_str(&gv), why);
	buf_release(&gv);
}

static void read_version(struct discovery *d, struct str group, struct json version)
{
	struct str name = json_str(version, "version");

	if (str_is(json_str(version, "freshness"), "Stale")) {
		fail_version(d, group, name, STR("stale GroupVersion discovery"));
		return;
	}
	if (json_has(version, "resources") && json_type(json_at(version, "resources")) != JSON_ARRAY)
		fail_version(d, group, name, STR("its kinds are no list"));
	json_foreach(it, json_at(version, "resources")) {
		struct resource r = {
			.group = group,
			.version = name,
			.kind = json_str(it, "responseKind.kind"),
			.plural = json_str(it, "resource"),
			.singular = json_str(it, "singularResource"),
			.namespaced = str_is(json_str(it, "scope"), "Namespaced"),
			.has_status = has_status(json_at(it, "subresources")),
			.verbs = json_at(it, "verbs"),
			.short_names = json_at(it, "shortNames"),
			.categories = json_at(it, "categories"),
		};

		take(d, &r);
	}
}

/* A group that cannot be read does not end the reading of the others. */
static int read_group(void *ctx, struct str text, struct err *err)
{
	struct discovery *d = ctx;
	struct json group;
	struct str name, unread;
	struct err why;

	(void)err;
	if (document_read(text, &group, &why) < 0) {
		discovery_failed(d, STR("one of the groups"), str_of(why.msg));
		return 0;
	}
	name = json_str(group, "metadata.name");
	unread = json_str(json_member(group, STR(FRAMER_UNREAD)), "");
	if (unread.len || json_type(json_at(group, "versions")) != JSON_ARRAY)
		discovery_failed(d, name.len ? name : STR("one of the groups"), unread.len ? unread : STR("it has no list of versions"));
	json_foreach(version, json_at(group, "versions"))
		read_version(d, name, version);
	json_free(group);
	return 0;
}

static int check_envelope(struct discovery *d, const struct framer *f, struct err *err)
{
	struct json doc;
	int rc;

	if (document_read(framer_envelope(f), &doc, err) < 0)
		return -1;
	rc = discovery_check(doc, "APIGroupDiscoveryList", err);
	json_free(doc);
	if (rc == 0 && framer_scalars(f))
		discovery_failed(d, STR("one of the groups"), STR("it is no object"));
	return rc;
}

int discovery_read_aggregated(struct discovery *d, struct str text, struct err *err)
{
	static const struct framer_ops ops = { .piece = read_group };
	struct framer *f = framer_new(FRAMER_LIST, &ops, d);
	int rc = framer_feed(f, text, err);

	if (rc == 0)
		rc = framer_end(f, err);
	if (rc == 0)
		rc = check_envelope(d, f, err);
	framer_free(f);
	return rc;
}

/* ---- legacy ---------------------------------------------------------------------- */

static bool lists_status(struct json list, struct str plural)
{
	struct buf name = { 0 };
	bool found = false;

	buf_printf(&name, STR_FMT "/status", STR_ARG(plural));
	json_foreach(it, json_at(list, "resources"))
		found |= str_eq(json_str(it, "name"), buf_str(&name));
	buf_release(&name);
	return found;
}

/* Returns why the answer for that group and version cannot be used; "": it can. */
static struct str unfit_resources(struct str gv, struct json list)
{
	struct str told = json_str(list, "groupVersion");

	if (!is_of_kind(list, "APIResourceList"))
		return str_is(json_str(list, "kind"), "Status") && json_str(list, "message").len ? json_str(list, "message") :
			STR("the answer is not an APIResourceList");
	if (told.len && !str_eq(told, gv))
		return STR("the answer is of another group or version");
	if (json_has(list, "resources") && json_type(json_at(list, "resources")) != JSON_ARRAY)
		return STR("its kinds are no list");
	return STR_NONE;
}

void discovery_read_resources(struct discovery *d, struct str gv, struct json list)
{
	size_t slash = str_find(gv, '/');
	struct str unfit = unfit_resources(gv, list);

	if (unfit.len) {
		discovery_failed(d, gv, unfit);
		return;
	}
	json_foreach(it, json_at(list, "resources")) {
		struct str name = json_str(it, "name");
		struct resource r = {
			.group = slash < gv.len ? str_head(gv, slash) : STR_NONE,
			.version = slash < gv.len ? str_from(gv, slash + 1) : gv,
			.kind = json_str(it, "kind"),
			.plural = name,
			.singular = json_str(it, "singularName"),
			.namespaced = json_bool(it, "namespaced", false),
			.verbs = json_at(it, "verbs"),
			.short_names = json_at(it, "shortNames"),
			.categories = json_at(it, "categories"),
		};

		if (str_find(name, '/') < name.len)
			continue;
		r.has_status = lists_status(list, name);
		take(d, &r);
	}
}

static void path_of(const char *base, struct str gv, void (*path)(void *ctx, struct str path), void *ctx)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s/" STR_FMT, base, STR_ARG(gv));
	path(ctx, buf_str(&b));
	buf_release(&b);
}

/* Where only one of the two documents is aggregated, it still names groups and versions. */
static void paths_of_aggregated(struct json doc, void (*path)(void *ctx, struct str path), void *ctx)
{
	json_foreach(group, json_at(doc, "items")) {
		struct str name = json_str(group, "metadata.name");

		json_foreach(version, json_at(group, "versions")) {
			struct buf gv = { 0 };

			if (name.len)
				buf_printf(&gv, STR_FMT "/", STR_ARG(name));
			buf_add(&gv, json_str(version, "version"));
			path_of(name.len ? "/apis" : "/api", buf_str(&gv), path, ctx);
			buf_release(&gv);
		}
	}
}

void discovery_paths(struct json doc, void (*path)(void *ctx, struct str path), void *ctx)
{
	json_foreach(it, json_at(doc, "versions"))
		path_of("/api", json_str(it, ""), path, ctx);
	paths_of_aggregated(doc, path, ctx);
	json_foreach(group, json_at(doc, "groups")) {
		struct str preferred = json_str(group, "preferredVersion.groupVersion");

		if (preferred.len)
			path_of("/apis", preferred, path, ctx);
		json_foreach(it, json_at(group, "versions"))
			if (!str_eq(json_str(it, "groupVersion"), preferred))
				path_of("/apis", json_str(it, "groupVersion"), path, ctx);
	}
}

/* ---- cache ----------------------------------------------------------------------- */

/* Names a server's folder as kubectl does: everything but letters, digits, dots and slashes becomes "_". */
static void cache_folder(const char *folder, struct str server, struct buf *out)
{
	size_t at = str_find_str(server, "://");

	server = at < server.len ? str_from(server, at + 3) : server;
	buf_printf(out, "%s/kubectl-status/", folder);
	for (size_t i = 0; i < server.len; i++) {
		char c = server.ptr[i];
		bool plain = is_alnum(c) || c == '-' || (c == '.' && i > 0 && server.ptr[i - 1] != '.');

		buf_add_char(out, plain ? c : '_');
	}
}

/* Makes all folders of the path, readable by nobody else. */
static void make_folders(char *path)
{
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
	mkdir(path, 0700);
}

/* The first line of the file describes the rest: {"etag":..,"contentType":..,"fetched":..}. */
bool discovery_cache_read(const char *folder, struct str server, const char *name, struct cached *out)
{
	struct buf path = { 0 }, text = BUF_MAX(LIMIT_DISCOVERY);
	struct json head = JSON_NONE;
	struct str rest, line;
	struct err ignored;
	bool ok = false;

	*out = (struct cached){ 0 };
	if (!folder)
		return false;
	cache_folder(folder, server, &path);
	buf_printf(&path, "/%s.json", name);
	if (file_read(buf_str(&path), &text, NULL, &ignored) == 0) {
		rest = buf_str(&text);
		ok = str_split(&rest, '\n', &line) && document_read_verbatim(line, &head, &ignored) == 0;
	}
	if (ok) {
		if (header_value_ok(json_str(head, "etag")))
			buf_add(&out->etag, json_str(head, "etag"));
		buf_add(&out->content_type, json_str(head, "contentType"));
		buf_add(&out->body, rest);
		out->fetched = json_int(head, "fetched", 0);
	}
	json_free(head);
	buf_release(&path);
	buf_release(&text);
	return ok && out->fetched > 0;
}

void discovery_cache_write(const char *folder, struct str server, const char *name, const struct cached *c)
{
	struct buf path = { 0 }, head = { 0 }, temporary = { 0 };
	struct document doc;
	int fd;

	if (!folder)
		return;
	cache_folder(folder, server, &path);
	make_folders(path.ptr);
	buf_printf(&path, "/%s.json", name);
	buf_printf(&temporary, "%s.%ld", buf_cstr(&path), (long)getpid());
	doc = document_object();
	document_add_string(doc, "etag", str_trim(buf_str(&c->etag)));
	document_add_string(doc, "contentType", buf_str(&c->content_type));
	document_add_int(doc, "fetched", c->fetched);
	document_write(doc, &head);
	document_free(doc);
	buf_add_char(&head, '\n');
	fd = open(buf_cstr(&temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		bool ok = !file_write_all(fd, buf_str(&head)) && !file_write_all(fd, buf_str(&c->body));

		if (close(fd) < 0 || !ok || rename(buf_cstr(&temporary), buf_cstr(&path)) < 0)
			unlink(buf_cstr(&temporary));
	}
	buf_release(&path);
	buf_release(&head);
	buf_release(&temporary);
}

void cached_release(struct cached *c)
{
	buf_release(&c->etag);
	buf_release(&c->content_type);
	buf_release(&c->body);
}
