/* SPDX-License-Identifier: Apache-2.0 */
/* The rules are those of client-go/discovery (aggregated_discovery.go, discovery_client.go). */
#include "kube/api/discovery.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/file.h"

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
}

void discovery_failed(struct discovery *d, struct str group_version, struct str why)
{
	if (d->partial.len)
		buf_add_cstr(&d->partial, ", ");
	buf_add(&d->partial, group_version);
	buf_add_cstr(&d->partial, ": ");
	buf_add(&d->partial, why);
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

static void first_version(struct discovery *d, struct kind *kind, const struct resource *r)
{
	kind->version = kinds_name(d->kinds, r->version);
	kind->versions = kind->version;
	kind->plural = kinds_name(d->kinds, r->plural);
	if (r->singular.len)
		kind->singular = kinds_name(d->kinds, r->singular);
	kind->flags = (kind->flags & KIND_CUSTOM) | flags_of(r);
	/* also where a server does not list subresources */
	if (kinds_builtin_has_status(r->group, r->kind))
		kind->flags |= KIND_HAS_STATUS;
	kinds_names(d->kinds, r->short_names, kind->short_names);
	kinds_names(d->kinds, r->categories, kind->categories);
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

static void read_version(struct discovery *d, struct str group, struct json version)
{
	struct str name = json_str(version, "version");

	if (str_is(json_str(version, "freshness"), "Stale")) {
		struct buf gv = { 0 };

		buf_printf(&gv, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(name));
		discovery_failed(d, buf_str(&gv), STR("stale GroupVersion discovery"));
		buf_release(&gv);
		return;
	}
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

void discovery_read_aggregated(struct discovery *d, struct json list)
{
	json_foreach(group, json_at(list, "items"))
		json_foreach(version, json_at(group, "versions"))
			read_version(d, json_str(group, "metadata.name"), version);
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

void discovery_read_resources(struct discovery *d, struct json list)
{
	struct str gv = json_str(list, "groupVersion");
	size_t slash = str_find(gv, '/');

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

/* Where only one of the two documents is aggregated, it tells of groups and versions all the same. */
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

/* As kubectl names a server's folder: what is no letter, digit, dot or slash becomes "_". */
static void cache_folder(const char *folder, struct str server, struct buf *out)
{
	size_t at = str_find_str(server, "://");

	server = at < server.len ? str_from(server, at + 3) : server;
	buf_printf(out, "%s/kubectl-status/", folder);
	for (size_t i = 0; i < server.len; i++) {
		char c = server.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			     c == '-' || (c == '.' && i > 0 && server.ptr[i - 1] != '.');

		buf_add_char(out, plain ? c : '_');
	}
}

/* All folders on the way, for nobody else to read. */
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

/* The first line tells of the rest: {"etag":..,"contentType":..,"fetched":..} */
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
		ok = str_split(&rest, '\n', &line) && json_parse(line, &head, &ignored) == 0;
	}
	if (ok) {
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

static void add_quoted(struct buf *out, const char *key, struct str value)
{
	buf_printf(out, "\"%s\":\"", key);
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '"' || value.ptr[i] == '\\')
			buf_add_char(out, '\\');
		if ((unsigned char)value.ptr[i] >= 0x20)
			buf_add_char(out, value.ptr[i]);
	}
	buf_add_cstr(out, "\",");
}

static bool write_all(int fd, struct str text)
{
	while (text.len) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n <= 0)
			return false;
		text = str_from(text, (size_t)n);
	}
	return true;
}

void discovery_cache_write(const char *folder, struct str server, const char *name, const struct cached *c)
{
	struct buf path = { 0 }, head = { 0 }, temporary = { 0 };
	int fd;

	if (!folder)
		return;
	cache_folder(folder, server, &path);
	make_folders(path.ptr);
	buf_printf(&path, "/%s.json", name);
	buf_printf(&temporary, "%s.%ld", buf_cstr(&path), (long)getpid());
	buf_add_char(&head, '{');
	add_quoted(&head, "etag", buf_str(&c->etag));
	add_quoted(&head, "contentType", buf_str(&c->content_type));
	buf_printf(&head, "\"fetched\":%lld}\n", (long long)c->fetched);
	fd = open(buf_cstr(&temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		bool ok = write_all(fd, buf_str(&head)) && write_all(fd, buf_str(&c->body));

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
