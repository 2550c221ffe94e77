/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/managed_fields.h"

#include "kube/base/time.h"
#include "kube/model/json_diff.h"

#include <string.h>

enum {
	ENTRIES = 200,		/* entries of one object that are read */
	LEAVES = 4096,		/* fields of one entry: an entry with more is read without its fields */
	DEPTH = 40,		/* levels of an entry's fields */
	PATH = 512,		/* bytes of a path */
	NAME = 128		/* bytes of a name; the API server allows as many for a manager */
};

/* ---- who -------------------------------------------------------------------- */

/*
 * The names by which clients call themselves: kubectl (https://kubernetes.io/docs/reference/kubectl/generated/, the
 * default of --field-manager), Argo CD (common/common.go), Flux (the names of its controllers), Helm and others (the
 * first word of the User-Agent, which the API server takes for clients that send no name).
 */
static const struct {
	const char *begins, *tool;
} tools[] = {
	{ "argocd", "Argo CD" },
	{ "kustomize-controller", "Flux" },
	{ "helm-controller", "Flux" },
	{ "flux", "Flux" },
	{ "helm", "Helm" },
	{ "Helm", "Helm" },
	{ "kubectl", "kubectl" },
	{ "terraform", "Terraform" },
	{ "Terraform", "Terraform" },
	{ "pulumi", "Pulumi" },
	{ "Mozilla", "a browser" },
	{ "k9s", "k9s" },
	{ "kube-", "Kubernetes" },
	{ "kubelet", "Kubernetes" },
};

const char *manager_tool(struct str manager)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (str_starts(manager, tools[i].begins))
			return tools[i].tool;
	return NULL;
}

static bool is_tool(struct str manager, const char *name)
{
	const char *tool = manager_tool(manager);

	return tool && strcmp(tool, name) == 0;
}

static struct str brief(struct str s)
{
	return str_head(s, s.len < NAME ? s.len : NAME);
}

static struct str annotation(struct json object, const char *key)
{
	return brief(json_str(json_member(json_at(object, "metadata.annotations"), str_of(key)), ""));
}

static struct str label(struct json object, const char *key)
{
	return brief(json_str(json_member(json_at(object, "metadata.labels"), str_of(key)), ""));
}

static struct str named(const char *kind, struct str ns, struct str name, struct arena *a)
{
	if (!name.len)
		return STR_NONE;
	return ARENA_JOIN(a, str_of(kind), STR("/"), ns, str_of(ns.len ? "/" : ""), name);
}

/* Returns the Application of Argo CD, by its tracking id "APP:GROUP/KIND:NAMESPACE/NAME" or its label. */
static struct str application(struct json object, struct arena *a)
{
	struct str id = annotation(object, "argocd.argoproj.io/tracking-id");

	return named("application", STR_NONE, id.len ? str_head(id, str_find(id, ':')) : label(object, "argocd.argoproj.io/instance"), a);
}

/* Returns what the tool was told to deliver, by the labels and annotations that it puts on what it delivers. */
static struct str source_of(struct json object, struct str manager, struct arena *a)
{
	struct str source = STR_NONE;

	if (is_tool(manager, "Argo CD"))
		return application(object, a);
	if (str_is(manager, "kustomize-controller"))
		source = named("kustomization", label(object, "kustomize.toolkit.fluxcd.io/namespace"),
			       label(object, "kustomize.toolkit.fluxcd.io/name"), a);
	if (str_is(manager, "helm-controller"))
		source = named("helmrelease", label(object, "helm.toolkit.fluxcd.io/namespace"),
			       label(object, "helm.toolkit.fluxcd.io/name"), a);
	if (!source.len && (is_tool(manager, "Helm") || is_tool(manager, "Flux")))
		source = named("release", STR_NONE, annotation(object, "meta.helm.sh/release-name"), a);
	return source;
}

/* Returns the value of an annotation whose name says that its value is a person, whatever its prefix is. */
static struct str person_of(struct json object, bool made)
{
	static const char *const makers[] = { "created-by", "creator", "requester", NULL };
	static const char *const editors[] = { "last-modified-by", "modified-by", "last-updated-by", "updated-by",
					       "last-changed-by", "changed-by", "last-applied-by", "applied-by", "edited-by", NULL };

	json_foreach(it, json_at(object, "metadata.annotations")) {
		struct str key = json_key(it);

		key = str_from(key, str_find(key, '/') < key.len ? str_find(key, '/') + 1 : 0);
		if (str_is_any_nocase(key, made ? makers : editors))
			return brief(json_str(it, ""));
	}
	return STR_NONE;
}

bool manager_is_controller(struct str manager)
{
	return str_ends(manager, "controller") || str_ends(manager, "operator") || str_ends(manager, "controller-manager") ||
	       is_tool(manager, "Kubernetes") || is_tool(manager, "Flux") || is_tool(manager, "Argo CD");
}

static struct editor editor_of(struct json object, struct str manager, bool made, struct arena *a)
{
	return (struct editor){
		.manager = arena_str(a, brief(manager)),
		.person = manager_is_controller(manager) ? STR_NONE : arena_str(a, person_of(object, made)),
		.source = source_of(object, manager, a),
	};
}

/* ---- which fields -------------------------------------------------------------- */

struct walk {
	struct arena *arena;
	struct buf path;
	struct str spec[EDIT_FIELDS], metadata[EDIT_FIELDS];
	size_t nspec, nmetadata;	/* how many there are, also those for which there is no room */
	size_t visited;
	bool failed;
};

/* True for labels and annotations; other metadata is written by the server, or by controllers for themselves. */
static bool counts_in_metadata(struct str path)
{
	return str_starts(path, "metadata.labels") || str_starts(path, "metadata.annotations");
}

static void add_leaf(struct walk *w, bool in_metadata)
{
	struct str *to = in_metadata ? w->metadata : w->spec, path = buf_str(&w->path);
	size_t *n = in_metadata ? &w->nmetadata : &w->nspec;

	if (in_metadata && !counts_in_metadata(path))
		return;
	if (*n < EDIT_FIELDS)
		to[*n] = arena_str(w->arena, path);
	++*n;
}

/* Adds an element of a list, whose key is a document of its own: k:{"name":"app"}. */
static void add_key(struct walk *w, struct str text)
{
	struct json key;
	size_t at = w->path.len;

	if (json_parse(text, &key, &(struct err){ 0 }) < 0) {
		w->failed = true;
		return;
	}
	json_foreach(it, key) {
		struct str name = json_key(it), value = json_str(it, "");

		value = value.len ? value : json_digits(it);
		if (w->path.len == at) {
			json_path_key(&w->path, name, value);
			continue;
		}
		w->path.len--;
		buf_printf(&w->path, "," STR_FMT "=" STR_FMT "]", STR_ARG(name), STR_ARG(value));
	}
	json_free(key);
}

static void add_segment(struct walk *w, struct str key)
{
	struct str rest = str_from(key, 2);

	if (str_starts(key, "f:"))
		json_path_member(&w->path, rest);
	else if (str_starts(key, "k:"))
		add_key(w, rest);
	else if (str_starts(key, "v:") || str_starts(key, "i:"))
		buf_printf(&w->path, "[" STR_FMT "]", STR_ARG(rest));
	else
		w->failed = true;
}

static bool is_noise(const struct walk *w, struct str key)
{
	struct str path = buf_str(&w->path), name = str_from(key, key.len < 2 ? key.len : 2);

	if (!w->path.len)
		return str_is(name, "status");
	return str_is(path, "metadata.annotations") &&
	       (json_annotation_is_noise(name) || str_is(name, "kubectl.kubernetes.io/last-applied-configuration"));
}

static void walk_fields(struct walk *w, struct json fields, unsigned depth);

static void walk_member(struct walk *w, struct json member, unsigned depth)
{
	size_t before = w->path.len;
	struct json first = json_first(member);

	if (json_key(member).len < 2 || !json_is_object(member)) {
		w->failed = true;
		return;
	}
	if (is_noise(w, json_key(member)))
		return;
	add_segment(w, json_key(member));
	w->failed |= w->path.len > PATH;
	if (!first.node || (str_is(json_key(first), ".") && !json_next(first).node))
		add_leaf(w, str_starts(buf_str(&w->path), "metadata"));
	else
		walk_fields(w, member, depth + 1);
	w->path.len = before;
	if (w->path.ptr)
		w->path.ptr[before] = '\0';
}

static void walk_fields(struct walk *w, struct json fields, unsigned depth)
{
	w->failed |= depth > DEPTH;
	json_foreach(it, fields) {
		w->failed |= ++w->visited > LEAVES;
		if (w->failed)
			return;
		if (!str_is(json_key(it), "."))
			walk_member(w, it, depth);
	}
}

/* Reads the fields of an entry.  Returns false when none of them counts. */
static bool read_fields(struct json entry, struct edit *e, struct arena *a)
{
	struct walk w = { .arena = a };
	size_t nspec, nmetadata;
	struct str *all;

	walk_fields(&w, json_member(entry, STR("fieldsV1")), 0);
	buf_release(&w.path);
	if (w.failed)
		return true;
	/* the controllers of Kubernetes itself note there what they have done */
	if (is_tool(json_str(entry, "manager"), "Kubernetes"))
		w.nmetadata = 0;
	nspec = w.nspec < EDIT_FIELDS ? w.nspec : EDIT_FIELDS;
	nmetadata = w.nmetadata < EDIT_FIELDS - nspec ? w.nmetadata : EDIT_FIELDS - nspec;
	all = arena_array(a, nspec + nmetadata, sizeof(*all));
	for (size_t i = 0; i < nspec; i++)
		all[i] = w.spec[i];
	for (size_t i = 0; i < nmetadata; i++)
		all[nspec + i] = w.metadata[i];
	e->fields = all;
	e->nfields = nspec + nmetadata;
	e->more = w.nspec + w.nmetadata - e->nfields;
	return e->nfields > 0;
}

/* ---- edits --------------------------------------------------------------------- */

/* Adds an edit to those of an object, the newest first; of more than EDITS the oldest is dropped. */
static void insert(struct edit *all, size_t *n, const struct edit *e)
{
	size_t at = *n;

	while (at > 0 && all[at - 1].time < e->time)
		at--;
	if (at == EDITS)
		return;
	*n += *n < EDITS;
	for (size_t i = *n - 1; i > at; i--)
		all[i] = all[i - 1];
	all[at] = *e;
}

static bool read_entry(struct json object, struct json entry, int64_t created, struct edit *e, struct arena *a)
{
	struct str manager = json_str(entry, "manager");

	*e = (struct edit){ .time = json_time(entry, "time") };
	if (!e->time || !manager.len || str_is(json_str(entry, "subresource"), "status"))
		return false;
	e->made = created && e->time < created + SECONDS(1);
	if (!e->made && !read_fields(entry, e, a))
		return false;
	e->by = editor_of(object, manager, e->made, a);
	return true;
}

size_t managed_edits(struct json object, struct arena *arena, const struct edit **out)
{
	struct json entries = json_at(object, "metadata.managedFields");
	struct edit *all = json_first(entries).node ? arena_array(arena, EDITS, sizeof(*all)) : NULL, e;
	int64_t created = json_time(object, "metadata.creationTimestamp");
	size_t n = 0, read = 0;

	json_foreach(it, entries) {
		if (++read > ENTRIES)
			break;
		if (read_entry(object, it, created, &e, arena))
			insert(all, &n, &e);
	}
	*out = all;
	return n;
}
