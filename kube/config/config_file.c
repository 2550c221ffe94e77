/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of a kubeconfig (client-go/tools/clientcmd/api/v1): tables say which fields there are and of which type.
 * Merging: how several files make one configuration.
 */
#include "kube/config/config_file.h"

#include "kube/base/crypto.h"
#include "kube/base/buf.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/config/path.h"
#include "kube/model/document.h"
#include "kube/model/yaml.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#define EXEC_EXTENSION "client.authentication.k8s.io/exec"

enum field_type {
	FIELD_STRING,
	FIELD_BOOL,
	FIELD_BYTES,		/* base64 */
	FIELD_STRINGS,
	FIELD_MAP,		/* of strings */
	FIELD_MULTIMAP,		/* of lists of strings */
	FIELD_ENV,		/* list of names and values */
	FIELD_EXTENSIONS,
	FIELD_EXEC,
	FIELD_PROVIDER
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
};

/* The fields of an object; where is the name of that object in kubectl's errors. */
struct shape {
	const char *where;
	const struct field *fields;
};

struct decoder {
	struct arena *arena;
	const char *where;	/* the field that is decoded: "AuthInfo.users.user.token" */
	struct err *err;
};

#define AT(type, name, kind, member) { name, kind, offsetof(struct type, member) }

static const struct field cluster_fields[] = {
	AT(config_cluster, "server", FIELD_STRING, server),
	AT(config_cluster, "tls-server-name", FIELD_STRING, tls_server_name),
	AT(config_cluster, "insecure-skip-tls-verify", FIELD_BOOL, insecure),
	AT(config_cluster, "certificate-authority", FIELD_STRING, ca_file),
	AT(config_cluster, "certificate-authority-data", FIELD_BYTES, ca_data),
	AT(config_cluster, "proxy-url", FIELD_STRING, proxy_url),
	AT(config_cluster, "disable-compression", FIELD_BOOL, disable_compression),
	AT(config_cluster, "extensions", FIELD_EXTENSIONS, exec_extension),
	{ 0 }
};

static const struct field user_fields[] = {
	AT(config_user, "client-certificate", FIELD_STRING, cert_file),
	AT(config_user, "client-certificate-data", FIELD_BYTES, cert_data),
	AT(config_user, "client-key", FIELD_STRING, key_file),
	AT(config_user, "client-key-data", FIELD_BYTES, key_data),
	AT(config_user, "token", FIELD_STRING, token),
	AT(config_user, "tokenFile", FIELD_STRING, token_file),
	AT(config_user, "as", FIELD_STRING, as.user),
	AT(config_user, "as-uid", FIELD_STRING, as.uid),
	AT(config_user, "as-groups", FIELD_STRINGS, as.groups),
	AT(config_user, "as-user-extra", FIELD_MULTIMAP, as.extra),
	AT(config_user, "username", FIELD_STRING, username),
	AT(config_user, "password", FIELD_STRING, password),
	AT(config_user, "auth-provider", FIELD_PROVIDER, provider),
	AT(config_user, "exec", FIELD_EXEC, exec),
	{ 0 }
};

static const struct field context_fields[] = {
	AT(config_context, "cluster", FIELD_STRING, cluster),
	AT(config_context, "user", FIELD_STRING, user),
	AT(config_context, "namespace", FIELD_STRING, namespace),
	{ 0 }
};

static const struct field exec_fields[] = {
	AT(exec_config, "apiVersion", FIELD_STRING, api_version),
	AT(exec_config, "command", FIELD_STRING, command),
	AT(exec_config, "args", FIELD_STRINGS, args),
	AT(exec_config, "env", FIELD_ENV, env),
	AT(exec_config, "installHint", FIELD_STRING, install_hint),
	AT(exec_config, "provideClusterInfo", FIELD_BOOL, provide_cluster_info),
	AT(exec_config, "interactiveMode", FIELD_STRING, interactive_mode),
	{ 0 }
};

static const struct field env_fields[] = {
	AT(exec_env, "name", FIELD_STRING, name),
	AT(exec_env, "value", FIELD_STRING, value),
	{ 0 }
};

static const struct field provider_fields[] = {
	AT(config_provider, "name", FIELD_STRING, name),
	AT(config_provider, "config", FIELD_MAP, config),
	{ 0 }
};

static const struct shape exec_shape = { "ExecConfig.users.user.exec", exec_fields };
static const struct shape env_shape = { "ExecEnvVar.users.user.exec.env", env_fields };
static const struct shape provider_shape = {
	"AuthProviderConfig.users.user.auth-provider", provider_fields
};

/* A list of named entries at the top of the file, and where it is stored. */
struct list_shape {
	const char *list, *member;	/* "users", "user" */
	struct shape shape;
	size_t size;			/* bytes of an entry, whose first member is its name */
};

static const struct list_shape lists[CONFIG_LISTS] = {
	[CONFIG_CLUSTERS] = { "clusters", "cluster", { "Cluster.clusters.cluster", cluster_fields }, sizeof(struct config_cluster) },
	[CONFIG_USERS] = { "users", "user", { "AuthInfo.users.user", user_fields }, sizeof(struct config_user) },
	[CONFIG_CONTEXTS] = { "contexts", "context", { "Context.contexts.context", context_fields }, sizeof(struct config_context) },
};

/* Fails unless value has that type, with kubectl's words, which people search for. */
static int check_type(const struct decoder *d, struct json value, enum json_type type)
{
	static const char *const names[] = {
		[JSON_BOOL] = "bool", [JSON_STRING] = "string", [JSON_ARRAY] = "list", [JSON_OBJECT] = "map"
	};

	if (json_type(value) == type)
		return 0;
	return err_set(d->err, ERR_INPUT, "json: cannot unmarshal %s into Go struct field %s of type %s",
		       json_type_name(json_type(value)), d->where, names[type]);
}

static bool is_null(struct json value)
{
	return json_type(value) == JSON_ABSENT || json_type(value) == JSON_NULL;
}

/* Null stands for an empty text. */
static int decode_string(const struct decoder *d, struct json value, struct str *out)
{
	*out = STR_NONE;
	if (is_null(value))
		return 0;
	if (check_type(d, value, JSON_STRING) < 0)
		return -1;
	*out = arena_str(d->arena, json_str(value, ""));
	return 0;
}

static int decode_bytes(const struct decoder *d, struct json value, struct str *out)
{
	struct buf bytes = { 0 };
	int64_t bad = base64_decode(json_str(value, ""), &bytes);

	*out = arena_str(d->arena, buf_str(&bytes));
	file_wipe(&bytes);
	if (bad >= 0)
		return err_set(d->err, ERR_INPUT, "illegal base64 data at input byte %lld", (long long)bad);
	return 0;
}

static int decode_strings(const struct decoder *d, struct json value, struct config_strings *out)
{
	struct str *list = arena_array(d->arena, json_count(value), sizeof(*list));
	size_t n = 0;

	json_foreach(it, value)
		if (decode_string(d, it, &list[n++]) < 0)
			return -1;
	*out = (struct config_strings){ list, n };
	return 0;
}

static int decode_map(const struct decoder *d, struct json value, struct config_pairs *out)
{
	struct exec_env *pairs = arena_array(d->arena, json_count(value), sizeof(*pairs));
	size_t n = 0;

	json_foreach(it, value) {
		pairs[n].name = arena_str(d->arena, json_key(it));
		if (decode_string(d, it, &pairs[n++].value) < 0)
			return -1;
	}
	*out = (struct config_pairs){ pairs, n };
	return 0;
}

static size_t count_leaves(struct json value)
{
	size_t n = 0;

	json_foreach(it, value)
		n += json_count(it);
	return n;
}

static int decode_multimap(const struct decoder *d, struct json value, struct config_pairs *out)
{
	struct exec_env *pairs = arena_array(d->arena, count_leaves(value), sizeof(*pairs));
	size_t n = 0;

	json_foreach(it, value) {
		struct str key = arena_str(d->arena, json_key(it));

		if (!is_null(it) && check_type(d, it, JSON_ARRAY) < 0)
			return -1;
		json_foreach(leaf, it) {
			pairs[n].name = key;
			if (decode_string(d, leaf, &pairs[n++].value) < 0)
				return -1;
		}
	}
	*out = (struct config_pairs){ pairs, n };
	return 0;
}

static int decode_shape(const struct decoder *d, struct json value, const struct shape *shape, void *out);

static int decode_env(const struct decoder *d, struct json value, struct config_pairs *out)
{
	struct exec_env *env = arena_array(d->arena, json_count(value), sizeof(*env));
	size_t n = 0;

	json_foreach(it, value) {
		env[n] = (struct exec_env){ STR_NONE, STR_NONE };
		if (decode_shape(d, it, &env_shape, &env[n++]) < 0)
			return -1;
	}
	*out = (struct config_pairs){ env, n };
	return 0;
}

/* Only the extension for exec plugins is used. */
static int decode_extensions(const struct decoder *d, struct json value, struct str *out)
{
	struct buf text = { 0 };

	json_foreach(it, value) {
		if (!str_is(json_str(it, "name"), EXEC_EXTENSION))
			continue;
		buf_reset(&text);
		json_write(json_at(it, "extension"), &text);
		*out = arena_str(d->arena, buf_str(&text));
	}
	buf_release(&text);
	return 0;
}

static int decode_field(const struct decoder *d, struct json value, enum field_type type, void *out)
{
	static const enum json_type types[] = {
		[FIELD_STRING] = JSON_STRING, [FIELD_BOOL] = JSON_BOOL, [FIELD_BYTES] = JSON_STRING,
		[FIELD_STRINGS] = JSON_ARRAY, [FIELD_MAP] = JSON_OBJECT, [FIELD_MULTIMAP] = JSON_OBJECT,
		[FIELD_ENV] = JSON_ARRAY, [FIELD_EXTENSIONS] = JSON_ARRAY, [FIELD_EXEC] = JSON_OBJECT,
		[FIELD_PROVIDER] = JSON_OBJECT
	};

	if (check_type(d, value, types[type]) < 0)
		return -1;
	switch (type) {
	case FIELD_STRING:
		return decode_string(d, value, out);
	case FIELD_BOOL:
		*(bool *)out = json_bool(value, "", false);
		return 0;
	case FIELD_BYTES:
		return decode_bytes(d, value, out);
	case FIELD_STRINGS:
		return decode_strings(d, value, out);
	case FIELD_MAP:
		return decode_map(d, value, out);
	case FIELD_MULTIMAP:
		return decode_multimap(d, value, out);
	case FIELD_ENV:
		return decode_env(d, value, out);
	case FIELD_EXTENSIONS:
		return decode_extensions(d, value, out);
	case FIELD_EXEC:
		((struct exec_config *)out)->given = true;
		return decode_shape(d, value, &exec_shape, out);
	case FIELD_PROVIDER:
		((struct config_provider *)out)->given = true;
		return decode_shape(d, value, &provider_shape, out);
	}
	return 0;
}

/* Null stands for an object without members; unknown members are ignored, as kubectl does. */
static int decode_shape(const struct decoder *d, struct json value, const struct shape *shape, void *out)
{
	struct decoder inner = *d;

	inner.where = shape->where;
	if (!is_null(value) && check_type(&inner, value, JSON_OBJECT) < 0)
		return -1;
	for (const struct field *f = shape->fields; f->name; f++) {
		struct json member = json_member(value, str_of(f->name));

		if (is_null(member))
			continue;
		inner.where = arena_printf(d->arena, "%s.%s", shape->where, f->name).ptr;
		if (decode_field(&inner, member, f->type, (char *)out + f->offset) < 0)
			return -1;
	}
	return 0;
}

/* kubectl prints the whole list here, with its secrets; this message does not. */
static int check_duplicate(const struct decoder *d, const struct list_shape *list,
			   const char *entries, size_t n)
{
	struct str last = *(const struct str *)(const void *)(entries + n * list->size);

	for (size_t i = 0; i < n; i++) {
		const struct str *name = (const void *)(entries + i * list->size);

		if (str_eq(*name, last))
			return err_set(d->err, ERR_INPUT, "duplicate name \"" STR_FMT "\" in list of %s", STR_ARG(last),
				       list->list);
	}
	return 0;
}

static int decode_entry(const struct decoder *d, struct json value, const struct list_shape *list, void *out)
{
	static const struct field name[] = { { "name", FIELD_STRING, 0 }, { 0 } };

	*(struct str *)out = STR_NONE;
	if (decode_shape(d, value, &(struct shape){ list->list, name }, out) < 0)
		return -1;
	return decode_shape(d, json_member(value, str_of(list->member)), &list->shape, out);
}

static int decode_list(const struct decoder *d, struct json doc, const struct list_shape *list,
		       struct config_entries *out)
{
	struct json value = json_member(doc, str_of(list->list));
	struct decoder inner = *d;
	char *entries;
	size_t n = 0;

	inner.where = list->list;
	if (is_null(value))
		return 0;
	if (check_type(&inner, value, JSON_ARRAY) < 0)
		return -1;
	entries = arena_array(d->arena, json_count(value), list->size);
	json_foreach(it, value) {
		if (decode_entry(&inner, it, list, entries + n * list->size) < 0 ||
		    check_duplicate(d, list, entries, n) < 0)
			return -1;
		n++;
	}
	*out = (struct config_entries){ entries, n };
	return 0;
}

/* The members at the top of the file, beside the lists. */
struct top {
	struct str version, kind, current_context;
};

static int decode_top(const struct decoder *d, struct json doc, struct top *out)
{
	static const struct field fields[] = {
		AT(top, "apiVersion", FIELD_STRING, version),
		AT(top, "kind", FIELD_STRING, kind),
		AT(top, "current-context", FIELD_STRING, current_context),
		{ 0 }
	};

	*out = (struct top){ STR("v1"), STR("Config"), STR_NONE };
	if (decode_shape(d, doc, &(struct shape){ "Config", fields }, out) < 0)
		return -1;
	if (str_empty(out->version))
		out->version = STR("v1");
	if (str_empty(out->kind))
		out->kind = STR("Config");
	if (str_is(out->version, "v1") && str_is(out->kind, "Config"))
		return 0;
	return err_set(d->err, ERR_INPUT, "no kind \"" STR_FMT "\" is registered for version \"" STR_FMT "\"",
		       STR_ARG(out->kind), STR_ARG(out->version));
}

static int decode_config(const struct decoder *d, struct json doc, struct config_file *out)
{
	/* the order in which kubectl tells of mistakes */
	static const enum config_names order[] = { CONFIG_CLUSTERS, CONFIG_USERS, CONFIG_CONTEXTS };
	struct config_file file = { .current_context = STR_NONE };
	struct top top;

	*out = (struct config_file){ .current_context = STR_NONE };
	if (!is_null(doc) && json_type(doc) != JSON_OBJECT)
		return err_set(d->err, ERR_INPUT, "couldn't get version/kind; json parse error: json: cannot unmarshal %s "
			       "into Go value of type struct", json_type_name(json_type(doc)));
	if (decode_top(d, doc, &top) < 0)
		return -1;
	file.current_context = top.current_context;
	for (size_t i = 0; i < CONFIG_LISTS; i++)
		if (decode_list(d, doc, &lists[order[i]], &file.lists[order[i]]) < 0)
			return -1;
	*out = file;
	return 0;
}

int config_file_parse(struct str text, struct arena *arena, struct config_file *out,
		      struct err *err)
{
	struct decoder d = { .arena = arena, .err = err };
	struct buf text_json = BUF_MAX(LIMIT_KUBECONFIG);
	struct json doc = JSON_NONE;
	int result;

	result = yaml_first_to_json(text, &text_json, err);
	if (result == 0 && text_json.len && document_read_verbatim(buf_str(&text_json), &doc, err) < 0)
		result = err_context(err, "in its form as JSON");
	if (result == 0)
		result = decode_config(&d, doc, out);
	json_free(doc);
	file_wipe(&text_json);
	return result;
}

/* ---- several files --------------------------------------------------------------- */

static void *entry_at(const struct config_file *f, enum config_names what, size_t i)
{
	return (char *)f->lists[what].at + i * lists[what].size;
}

struct str config_file_name(const struct config_file *f, enum config_names what, size_t i)
{
	return *(const struct str *)entry_at(f, what, i);
}

const void *config_file_find(const struct config_file *f, enum config_names what, struct str name)
{
	for (size_t i = 0; i < f->lists[what].n; i++)
		if (str_eq(config_file_name(f, what, i), name))
			return entry_at(f, what, i);
	return NULL;
}

static void resolve_paths(struct config_file *f, struct str dir, struct arena *arena)
{
	for (size_t i = 0; i < f->lists[CONFIG_CLUSTERS].n; i++) {
		struct config_cluster *c = entry_at(f, CONFIG_CLUSTERS, i);

		c->dir = dir;
		c->ca_file = path_below(arena, dir, c->ca_file);
	}
	for (size_t i = 0; i < f->lists[CONFIG_USERS].n; i++) {
		struct config_user *u = entry_at(f, CONFIG_USERS, i);

		u->dir = dir;
		u->cert_file = path_below(arena, dir, u->cert_file);
		u->key_file = path_below(arena, dir, u->key_file);
		u->token_file = path_below(arena, dir, u->token_file);
		if (str_contains(u->exec.command, "/"))
			u->exec.command = path_below(arena, dir, u->exec.command);
	}
}

/* Adds the entries of more with a new name to into, which has room for all of them. */
static void merge(struct config_file *into, enum config_names what, const struct config_file *more)
{
	for (size_t i = 0; i < more->lists[what].n; i++)
		if (!config_file_find(into, what, config_file_name(more, what, i)))
			memcpy(entry_at(into, what, into->lists[what].n++), entry_at(more, what, i), lists[what].size);
}

static struct config_file combine(const struct config_file *a, const struct config_file *b,
				  struct arena *arena)
{
	struct config_file both = { .current_context = str_empty(a->current_context) ? b->current_context : a->current_context };

	for (enum config_names what = 0; what < CONFIG_LISTS; what++) {
		both.lists[what].at = arena_array(arena, a->lists[what].n + b->lists[what].n, lists[what].size);
		merge(&both, what, a);
		merge(&both, what, b);
	}
	return both;
}

/* A file that does not exist counts as an empty one. */
static int load_one(struct str name, struct arena *arena, struct config_file *out, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_KUBECONFIG);
	int code = 0, result;

	*out = (struct config_file){ .current_context = STR_NONE };
	result = file_read_any(name, &text, &code, err);
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

/* Reads names that are separated by colons; a name that is repeated counts once. */
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

int config_files_read(const struct config_flags *flags, struct arena *arena,
		       struct config_file *out, struct err *err)
{
	const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
	struct stat st;

	if (flags->kubeconfig && *flags->kubeconfig) {
		if (stat(flags->kubeconfig, &st) < 0 && errno == ENOENT)
			return err_set(err, ERR_INPUT, "stat %s: %s", flags->kubeconfig,
				       file_error_text(arena, ENOENT).ptr);
		return load_one(str_of(flags->kubeconfig), arena, out, err);
	}
	if (list && *list)
		return load_list(str_of(list), arena, out, err);
	*out = (struct config_file){ .current_context = STR_NONE };
	if (!home || !*home)
		return 0;
	return load_one(arena_printf(arena, "%s/.kube/config", home), arena, out, err);
}
