/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files, flags and the environment to one cluster that can be dialled, in
 * the order of client-go/tools/clientcmd/client_config.go: choose, override,
 * validate, and only then read what the entries point at.
 */
#include "kube/config/kubeconfig.h"

#include "kube/config/config_finish.h"
#include "kube/config/config_merge.h"
#include "kube/config/config_validate.h"
#include "kube/base/gotext.h"
#include "kube/config/in_cluster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SERVER "http://localhost:8080"

static bool given(const char *flag)
{
	return flag && *flag;
}

static void override(struct str *field, const char *flag)
{
	if (given(flag))
		*field = str_of(flag);
}

static void override_cluster(struct config_cluster *c, const struct config_flags *flags)
{
	override(&c->server, flags->server);
	override(&c->tls_server_name, flags->tls_server_name);
	/* a server of its own has a name of its own */
	if (given(flags->server) && !given(flags->tls_server_name))
		c->tls_server_name = STR_NONE;
	if (flags->insecure_skip_tls_verify || given(flags->certificate_authority)) {
		c->insecure = flags->insecure_skip_tls_verify;
		c->ca_file = str_of(flags->certificate_authority);
		c->ca_data = STR_NONE;
	}
	c->disable_compression |= flags->disable_compression;
}

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static struct config_strings strings_of(const char *const *list, struct arena *arena)
{
	size_t n = count(list);
	struct str *copy = arena_array(arena, n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = arena_str(arena, str_of(list[i]));
	return (struct config_strings){ copy, n };
}

static bool has_key(const struct config_pairs *pairs, struct str key)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (str_eq(pairs->at[i].name, key))
			return true;
	return false;
}

/* "key=value"; what has no '=' is left out, as kubectl does. */
static struct config_pairs pairs_of(const char *const *list, struct arena *arena)
{
	struct exec_env *pairs = arena_array(arena, count(list), sizeof(*pairs));
	size_t n = 0;

	for (; list && *list; list++) {
		struct str s = arena_str(arena, str_of(*list));
		size_t eq = str_find(s, '=');

		if (eq < s.len)
			pairs[n++] = (struct exec_env){ str_head(s, eq), str_from(s, eq + 1) };
	}
	return (struct config_pairs){ pairs, n };
}

/* Keys given by flag replace those of the same name. */
static struct config_pairs join(const struct config_pairs *file, const struct config_pairs *flag,
				struct arena *arena)
{
	struct exec_env *both = arena_array(arena, file->n + flag->n, sizeof(*both));
	size_t n = 0;

	for (size_t i = 0; i < file->n; i++)
		if (!has_key(flag, file->at[i].name))
			both[n++] = file->at[i];
	for (size_t i = 0; i < flag->n; i++)
		both[n++] = flag->at[i];
	return (struct config_pairs){ both, n };
}

static void override_user(struct config_user *u, const struct config_flags *flags,
			  struct arena *arena)
{
	struct config_pairs extra = pairs_of(flags->as_user_extra, arena);

	override(&u->username, flags->username);
	override(&u->password, flags->password);
	override(&u->as, flags->as);
	override(&u->as_uid, flags->as_uid);
	if (count(flags->as_groups))
		u->as_groups = strings_of(flags->as_groups, arena);
	u->as_extra = join(&u->as_extra, &extra, arena);
	if (given(flags->client_certificate)) {
		u->cert_file = str_of(flags->client_certificate);
		u->cert_data = STR_NONE;
	}
	if (given(flags->client_key)) {
		u->key_file = str_of(flags->client_key);
		u->key_data = STR_NONE;
	}
	/* unlike kubectl, what was said last wins over the file that was configured */
	if (given(flags->token)) {
		u->token = str_of(flags->token);
		u->token_file = STR_NONE;
	}
}

/* Which entries count, before anything is checked. */
static void choose(const struct config_file *file, const struct config_flags *flags,
		   struct arena *arena, struct config_choice *out)
{
	struct str name = given(flags->context) ? str_of(flags->context) : file->current_context;
	const struct config_context *context = config_merge_context(file, name);
	const struct config_cluster *cluster;
	const struct config_user *user;
	const char *master = getenv("KUBERNETES_MASTER");

	*out = (struct config_choice){
		.context = name, .cluster_name = STR_NONE, .user_name = STR_NONE
	};
	out->context_missing = !context && !str_empty(name);
	if (context) {
		out->cluster_name = context->cluster;
		out->user_name = context->user;
		out->namespace = context->namespace;
	}
	override(&out->cluster_name, flags->cluster);
	override(&out->user_name, flags->user);
	override(&out->namespace, flags->namespace);
	cluster = config_merge_cluster(file, out->cluster_name);
	user = config_merge_user(file, out->user_name);
	out->cluster_found = cluster != NULL;
	out->user_found = user != NULL;
	if (cluster)
		out->cluster = *cluster;
	if (user)
		out->user = *user;
	if (cluster || !given(flags->cluster)) {
		out->server_defaulted = str_empty(out->cluster.server) && !given(master) &&
					!given(flags->server);
		if (str_empty(out->cluster.server))
			out->cluster.server = str_of(given(master) ? master : DEFAULT_SERVER);
		override_cluster(&out->cluster, flags);
	}
	if (user || !given(flags->user))
		override_user(&out->user, flags, arena);
}

/* v1beta1 is from before the field was there. */
static void default_exec(struct config_exec *exec)
{
	if (str_empty(exec->interactive_mode) &&
	    (str_is(exec->api_version, "client.authentication.k8s.io/v1beta1") ||
	     str_is(exec->api_version, "client.authentication.k8s.io/v1alpha1")))
		exec->interactive_mode = STR("IfAvailable");
}

static int not_there(const char *what, const char *name, struct arena *arena, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s %s does not exist", what,
		       gotext_quote(arena, str_of(name)).ptr);
}

/* What was named by flag must be there.  kubectl validates first, unless there is -n. */
static int check(const struct config_choice *choice, const struct config_flags *flags,
		 struct arena *arena, struct err *err)
{
	if (!given(flags->namespace) && config_validate(choice, arena, err) < 0)
		return -1;
	if (!choice->user_found && given(flags->user))
		return not_there("auth info", flags->user, arena, err);
	if (choice->context_missing && given(flags->context))
		return not_there("context", flags->context, arena, err);
	if (!choice->cluster_found && given(flags->cluster))
		return not_there("cluster", flags->cluster, arena, err);
	return given(flags->namespace) ? config_validate(choice, arena, err) : 0;
}

/* No cluster is configured, but we may be in one. */
static bool use_in_cluster(const char *dir, const struct config_choice *choice,
			   const struct config_flags *flags)
{
	return !choice->cluster_found && !given(flags->server) && in_cluster_possible(dir);
}

static void choose_in_cluster(const char *dir, const struct config_flags *flags,
			      struct arena *arena, struct config_choice *choice)
{
	choice->cluster = (struct config_cluster){
		.server = in_cluster_server(arena),
		.ca_file = arena_printf(arena, "%s/ca.crt", dir)
	};
	choice->user = (struct config_user){ .token_file = arena_printf(arena, "%s/token", dir) };
	override_cluster(&choice->cluster, flags);
	override_user(&choice->user, flags, arena);
}

static struct str namespace_of(const char *dir, const struct config_choice *choice,
			       struct arena *arena)
{
	if (!str_empty(choice->namespace))
		return choice->namespace;
	return in_cluster_possible(dir) ? in_cluster_namespace(dir, arena) : STR("default");
}

/* Nothing says where the cluster is. */
static struct str what_to_try(const struct config_file *file, const struct config_flags *flags, struct arena *arena)
{
	const char *list = getenv("KUBECONFIG");

	if (file->ncontexts && str_empty(file->current_context))
		return arena_printf(arena, "the kubeconfig has no current-context: choose one, such as --context " STR_FMT,
				    STR_ARG(file->contexts[0].name));
	if (given(flags->kubeconfig))
		return arena_printf(arena, "no cluster is configured in %s", flags->kubeconfig);
	if (list && *list && !strchr(list, ':') && access(list, F_OK) < 0)
		return arena_printf(arena, "KUBECONFIG names %s, which does not exist", list);
	if (list && *list)
		return arena_printf(arena, "no cluster is configured in %s, which KUBECONFIG names", list);
	return STR("there is no kubeconfig: set KUBECONFIG or --kubeconfig, or make ~/.kube/config");
}

int config_load_in(const char *in_cluster_dir, const struct config_flags *flags,
		   struct arena *arena, struct client_config *out_config, struct err *err)
{
	struct client_config config = { 0 };
	struct config_choice choice;
	struct config_file file;
	bool in_cluster;

	if (config_merge_files(flags, arena, &file, err) < 0)
		return -1;
	choose(&file, flags, arena, &choice);
	default_exec(&choice.user.exec);
	if (check(&choice, flags, arena, err) < 0)
		return -1;
	in_cluster = use_in_cluster(in_cluster_dir, &choice, flags);
	if (in_cluster)
		choose_in_cluster(in_cluster_dir, flags, arena, &choice);
	choice.namespace = namespace_of(in_cluster_dir, &choice, arena);
	if (gotext_check_name("namespace", choice.namespace, err) < 0)
		return -1;
	config.namespace_explicit = given(flags->namespace);
	config.from_default = choice.server_defaulted && !in_cluster;
	if (config.from_default)
		config.hint = what_to_try(&file, flags, arena);
	if (config_finish(&choice, in_cluster, arena, &config, err) < 0)
		return -1;
	config_finish_oidc_flags(flags, arena, &config);
	*out_config = config;
	return 0;
}

int config_load(const struct config_flags *flags, struct arena *arena,
		struct client_config *out_config, struct err *err)
{
	return config_load_in(IN_CLUSTER_DIR, flags, arena, out_config, err);
}

int config_contexts(const struct config_flags *flags, struct arena *arena,
		    const struct str **out_names, size_t *out_n, struct err *err)
{
	struct config_file file;
	struct str *names;

	if (config_merge_files(flags, arena, &file, err) < 0)
		return -1;
	names = arena_array(arena, file.ncontexts, sizeof(*names));
	for (size_t i = 0; i < file.ncontexts; i++)
		names[i] = file.contexts[i].name;
	*out_names = names;
	*out_n = file.ncontexts;
	return 0;
}
