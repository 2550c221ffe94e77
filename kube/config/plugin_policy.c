/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/plugin_policy.h"

#include "kube/base/limits.h"
#include "kube/base/child.h"
#include "kube/base/file.h"
#include "kube/config/path.h"
#include "kube/model/document.h"
#include "kube/model/yaml.h"

#include <stdlib.h>

struct reader {
	struct arena *arena;
	struct exec_config *out;
	bool found, done;
	size_t documents;
};

static const char *const policy_names[] = {
	[PLUGIN_ALLOW_ALL] = "AllowAll", [PLUGIN_DENY_ALL] = "DenyAll",
		[PLUGIN_ALLOWLIST] = "Allowlist"
};

/* "" stands for AllowAll; returns -1 when there is no such policy. */
static int policy_of(struct str name)
{
	if (str_empty(name))
		return PLUGIN_ALLOW_ALL;
	for (int i = 0; i < 3; i++)
		if (str_is(name, policy_names[i]))
			return i;
	return -1;
}

/* A misspelt field must not allow what was meant to be forbidden. */
static int check_entry(struct arena *arena, struct str command, size_t at, struct err *err)
{
	struct str clean;

	if (str_empty(command))
		return err_set(err, ERR_INPUT, "kuberc: entry %zu of credentialPluginAllowlist has no command", at + 1);
	clean = path_clean(arena, command);
	if (!str_eq(clean, command))
		return err_set(err, ERR_INPUT, "kuberc: in credentialPluginAllowlist write \"" STR_FMT
			       "\" instead of \"" STR_FMT "\"", STR_ARG(clean), STR_ARG(command));
	return 0;
}

static int read_allowlist(struct reader *r, struct json list, struct err *err)
{
	struct str *commands;
	size_t n = 0;

	if (json_count(list) == 0 || json_type(list) != JSON_ARRAY)
		return err_set(err, ERR_INPUT, "kuberc: credentialPluginPolicy is Allowlist, but "
			       "credentialPluginAllowlist names no plugin; DenyAll allows none");
	commands = arena_array(r->arena, json_count(list), sizeof(*commands));
	json_foreach(it, list) {
		struct str command = json_str(it, "command");

		/* the name of the field before 1.36 */
		if (str_empty(command))
			command = json_str(it, "name");
		if (check_entry(r->arena, command, n, err) < 0)
			return -1;
		commands[n++] = arena_str(r->arena, command);
	}
	r->out->allowlist = commands;
	r->out->nallowlist = n;
	return 0;
}

static int read_preference(struct reader *r, struct json doc, struct err *err)
{
	struct json list = json_at(doc, "credentialPluginAllowlist");
	struct str name = json_str(doc, "credentialPluginPolicy");
	bool odd = json_has(doc, "credentialPluginPolicy") && str_empty(name);
	int policy = odd ? -1 : policy_of(name);

	if (policy < 0)
		return err_set(err, ERR_INPUT, "kuberc: credentialPluginPolicy \"" STR_FMT "\" is none of AllowAll, "
			       "DenyAll and Allowlist", STR_ARG(name));
	r->out->policy = (enum plugin_policy)policy;
	if (policy == PLUGIN_ALLOWLIST)
		return read_allowlist(r, list, err);
	if (json_type(list) == JSON_ARRAY)
		return err_set(err, ERR_INPUT, "kuberc: credentialPluginAllowlist needs credentialPluginPolicy: "
			       "Allowlist");
	return 0;
}

/* The first document of a known version counts; v1alpha1 has no policy. */
static int on_document(void *ctx, struct str text, struct err *err)
{
	struct reader *r = ctx;
	struct json doc;
	int result = 0;

	r->documents++;
	if (document_read_verbatim(text, &doc, err) < 0) {
		r->found = true;	/* this may be the policy, so what cannot be read allows nothing */
		if (err)
			err->code = ERR_INPUT;
		return err_context(err, "kuberc, in its form as JSON");
	}
	if (str_is(json_str(doc, "kind"), "Preference")) {
		struct str version = json_str(doc, "apiVersion");

		r->found = str_is(version, "kubectl.config.k8s.io/v1beta1") ||
			   str_is(version, "kubectl.config.k8s.io/v1alpha1");
		if (str_is(version, "kubectl.config.k8s.io/v1beta1"))
			result = read_preference(r, doc, err);
	}
	json_free(doc);
	r->done = r->found && result == 0;
	return r->done ? -1 : result;
}

static int read_file(struct reader *r, struct str name, struct err *err)
{
	static const struct yaml_ops ops = { on_document };
	struct buf text = BUF_MAX(LIMIT_KUBECONFIG);
	struct err unread;
	int result;

	result = file_read(name, &text, NULL, &unread);
	if (result < 0)
		err_set(err, ERR_INPUT, "kuberc: %s", unread.msg);
	else
		result = yaml_each(buf_str(&text), &ops, r, err);
	if (r->done)
		result = 0;
	if (result == 0 && r->documents && !r->found)
		result = err_set(err, ERR_INPUT, "kuberc: no valid preferences found in " STR_FMT,
				 STR_ARG(name));
	buf_release(&text);
	return result;
}

int plugin_policy_load(struct arena *arena, struct exec_config *out, struct err *err)
{
	struct reader r = { .arena = arena, .out = out };
	const char *kuberc = getenv("KUBERC"), *home = getenv("HOME");

	out->policy = PLUGIN_ALLOW_ALL;
	if (str_is(str_of(kuberc), "off") || str_is(str_of(getenv("KUBECTL_KUBERC")), "false"))
		return 0;
	if (kuberc && *kuberc)
		return read_file(&r, str_of(kuberc), err);
	if (!home || !*home)
		return 0;
	/* kubectl only warns about a default file that it cannot read */
	if (read_file(&r, arena_printf(arena, "%s/.kube/kuberc", home), err) < 0 && r.found)
		return -1;
	return 0;
}

static bool listed(const struct exec_config *exec, struct str what)
{
	for (size_t i = 0; i < exec->nallowlist; i++)
		if (str_eq(exec->allowlist[i], what))
			return true;
	return false;
}

/* Returns true for an entry that $PATH resolves to the same file as the plugin. */
static bool listed_by_path(const struct exec_config *exec, struct str resolved)
{
	bool found = false;

	for (size_t i = 0; i < exec->nallowlist && !found; i++) {
		struct buf path = { 0 };

		found = child_look_path(exec->allowlist[i], &path) &&
			str_eq(buf_str(&path), resolved);
		buf_release(&path);
	}
	return found;
}

int plugin_policy_check(const struct exec_config *exec, struct str resolved, struct arena *arena,
			struct err *err)
{
	struct str command = path_clean(arena, exec->command);

	if (exec->policy == PLUGIN_ALLOW_ALL)
		return 0;
	if (exec->policy == PLUGIN_DENY_ALL)
		return err_set(err, ERR_AUTH, "plugin \"" STR_FMT "\" not allowed: policy set to \"DenyAll\"",
			       STR_ARG(command));
	if (listed(exec, command) || (!str_empty(resolved) && (listed(exec, resolved) ||
							       listed_by_path(exec, resolved))))
		return 0;
	if (str_empty(resolved))
		resolved = command;
	return err_set(err, ERR_AUTH, "plugin path \"" STR_FMT "\" is not permitted by the credential plugin allowlist",
		       STR_ARG(resolved));
}
