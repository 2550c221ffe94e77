/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/config_finish.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/config/config_server.h"
#include "kube/base/file.h"
#include "kube/base/gotext.h"
#include "kube/config/header.h"
#include "kube/config/path.h"
#include "kube/config/pem.h"
#include "kube/config/plugin_policy.h"

/* data, or else the file's content; "" when there is neither. */
static int load_pem(struct str data, struct str file, struct arena *arena, struct str *out,
		    struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	int result = 0;

	*out = data;
	if (str_empty(data) && !str_empty(file)) {
		result = file_read(file, &text, NULL, err);
		*out = arena_str(arena, buf_str(&text));
		file_wipe(&text);
	}
	return result;
}

static int finish_ca(const struct config_cluster *c, bool in_cluster, struct arena *arena,
		     struct client_config *out, struct err *err)
{
	out->ca_given = !str_empty(c->ca_data) || !str_empty(c->ca_file);
	if (out->ca_given && c->insecure)
		return err_set(err, ERR_INPUT, "specifying a root certificates file with the "
			       "insecure flag is not allowed");
	if (load_pem(c->ca_data, c->ca_file, arena, &out->ca_pem, err) < 0) {
		/* a pod without ca.crt has the system's roots */
		out->ca_given = !in_cluster;
		return in_cluster ? 0 : -1;
	}
	out->ca_file = str_empty(c->ca_data) ? c->ca_file : STR_NONE;
	return pem_check_ca(out->ca_pem, err);
}

static int finish_cert(const struct config_user *u, struct arena *arena, struct client_config *out,
		       struct err *err)
{
	if (str_empty(u->cert_file) && str_empty(u->cert_data))
		return 0;
	if (load_pem(u->cert_data, u->cert_file, arena, &out->cert_pem, err) < 0 ||
	    load_pem(u->key_data, u->key_file, arena, &out->key_pem, err) < 0)
		return -1;
	/* only a pair of files can change together */
	if (str_empty(u->cert_data) && str_empty(u->key_data)) {
		out->cert_file = u->cert_file;
		out->key_file = u->key_file;
	}
	return pem_check_pair(out->cert_pem, out->key_pem, err);
}

static int finish_token(const struct config_user *u, struct client_config *out, struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_TOKEN);
	int result = 0;

	out->token = u->token;
	out->token_file = u->token_file;
	/* without another token the file must be there from the start */
	if (str_empty(u->token) && !str_empty(u->token_file))
		result = file_read(u->token_file, &text, NULL, err);
	file_wipe(&text);
	return result;
}

static bool known_version(struct str version)
{
	return str_is(version, "client.authentication.k8s.io/v1") ||
	       str_is(version, "client.authentication.k8s.io/v1beta1");
}

/* A plugin runs only for a user who has nothing else. */
static bool needs_plugin(const struct client_config *c)
{
	return str_empty(c->token) && str_empty(c->token_file) && str_empty(c->username) &&
	       str_empty(c->password) && str_empty(c->cert_pem);
}

static int finish_exec(const struct config_choice *choice, struct arena *arena,
		       struct client_config *out, struct err *err)
{
	const struct config_exec *from = &choice->user.exec;

	if (!from->given)
		return 0;
	if (!known_version(from->api_version))
		return err_set(err, ERR_INPUT, "exec plugin: invalid apiVersion %s",
			       gotext_quote(arena, from->api_version).ptr);
	if (!needs_plugin(out))
		return 0;
	out->exec.api_version = from->api_version;
	out->exec.command = path_clean(arena, from->command);
	out->exec.install_hint = gotext_clean(arena, from->install_hint);
	out->exec.interactive_mode = from->interactive_mode;
	out->exec.args = from->args.at;
	out->exec.nargs = from->args.n;
	out->exec.env = from->env.at;
	out->exec.nenv = from->env.n;
	out->exec.provide_cluster_info = from->provide_cluster_info;
	out->exec.cluster_extension = choice->cluster.exec_extension;
	return plugin_policy_load(arena, &out->exec, err);
}

static struct str setting(const struct config_provider *p, const char *key)
{
	for (size_t i = 0; i < p->config.n; i++)
		if (str_is(p->config.at[i].name, key))
			return p->config.at[i].value;
	return STR_NONE;
}

static int finish_oidc(const struct config_provider *p, struct client_config *out, struct err *err)
{
	static const char *const needed[] = { "idp-issuer-url", "client-id" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (str_empty(setting(p, needed[i])))
			return err_set(err, ERR_INPUT, "Must provide %s", needed[i]);
	/* any other Authorization header is left alone */
	out->oidc.used = str_empty(out->token) && str_empty(out->token_file) &&
			 str_empty(out->username) && str_empty(out->password);
	if (out->oidc.used) {
		out->oidc.id_token = setting(p, "id-token");
		out->oidc.refreshable = !str_empty(setting(p, "refresh-token"));
	}
	return 0;
}

/* The ways to authenticate from before exec plugins. */
static int finish_provider(const struct config_provider *p, struct arena *arena,
			   struct client_config *out, struct err *err)
{
	static const struct {
		const char *name, *hint;
	} removed[] = {
		{ "gcp", "use the gke-gcloud-auth-plugin credential plugin instead: "
			 "https://cloud.google.com/blog/products/containers-kubernetes/"
			 "kubectl-auth-changes-in-gke" },
		{ "azure", "use the kubelogin credential plugin instead: "
			   "https://github.com/Azure/kubelogin" },
	};

	if (!p->given)
		return 0;
	for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++)
		if (str_is(p->name, removed[i].name)) {
			err_set(err, ERR_INPUT, "The %s auth plugin has been removed.",
				removed[i].name);
			return err_hint(err, "%s", removed[i].hint);
		}
	if (str_is(p->name, "oidc"))
		return finish_oidc(p, out, err);
	return err_set(err, ERR_INPUT, "no Auth Provider found for name %s",
		       gotext_quote(arena, p->name).ptr);
}

/* Go sends what stands in the URL instead of any other Authorization header. */
static void use_userinfo(const struct config_server *server, struct client_config *out)
{
	if (!server->userinfo)
		return;
	out->username = server->username;
	out->password = server->password;
	out->token = STR_NONE;
	out->token_file = STR_NONE;
	out->exec = (struct exec_config){ 0 };
	out->oidc = (struct oidc_config){ 0 };
}

static int finish_secure(const struct config_choice *choice, bool in_cluster, struct arena *arena,
			 struct client_config *out, struct err *err)
{
	const struct config_user *u = &choice->user;

	out->insecure = choice->cluster.insecure;
	out->tls_server_name = choice->cluster.tls_server_name;
	out->username = u->username;
	out->password = u->password;
	if (finish_token(u, out, err) < 0 ||
	    finish_ca(&choice->cluster, in_cluster, arena, out, err) < 0 ||
	    finish_cert(u, arena, out, err) < 0 || finish_exec(choice, arena, out, err) < 0)
		return -1;
	return finish_provider(&u->provider, arena, out, err);
}

static bool impersonation_ok(const struct config_user *u)
{
	bool ok = header_value_ok(u->as) && header_value_ok(u->as_uid);

	for (size_t i = 0; i < u->as_groups.n; i++)
		ok = ok && header_value_ok(u->as_groups.at[i]);
	for (size_t i = 0; i < u->as_extra.n; i++)
		ok = ok && header_value_ok(u->as_extra.at[i].value);
	return ok;
}

static int finish_impersonation(const struct config_user *u, struct client_config *out,
				struct err *err)
{
	if (str_empty(u->as))
		return 0;
	if (!impersonation_ok(u))
		return err_set(err, ERR_INPUT,
			       "net/http: invalid header field value for \"Impersonate-User\"");
	out->as.user = u->as;
	out->as.uid = u->as_uid;
	out->as.groups = u->as_groups.at;
	out->as.ngroups = u->as_groups.n;
	out->as.extra = u->as_extra.at;
	out->as.nextra = u->as_extra.n;
	return 0;
}

/* All that is text, so that nothing is NULL and nothing borrowed from flags. */
static void keep_texts(struct client_config *c, struct arena *arena)
{
	struct str *const texts[] = {
		&c->context, &c->cluster_name, &c->user_name, &c->namespace,
		&c->server, &c->tls_server_name, &c->ca_pem, &c->cert_pem, &c->key_pem,
		&c->ca_file, &c->cert_file, &c->key_file,
		&c->proxy_url, &c->token, &c->token_file, &c->username, &c->password,
		&c->exec.api_version, &c->exec.command, &c->exec.install_hint,
		&c->exec.interactive_mode, &c->exec.cluster_extension, &c->oidc.id_token,
		&c->as.user, &c->as.uid,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = arena_str(arena, *texts[i]);
}

int config_finish(const struct config_choice *choice, bool in_cluster, struct arena *arena,
		  struct client_config *out, struct err *err)
{
	struct config_server server;

	if (config_server_parse(choice->cluster.server, arena, &server, err) < 0)
		return -1;
	if (!str_empty(choice->cluster.proxy_url) &&
	    config_server_proxy(choice->cluster.proxy_url, arena, &out->proxy_url, err) < 0)
		return -1;
	out->context = choice->context;
	out->cluster_name = choice->cluster_name;
	out->user_name = choice->user_name;
	out->namespace = choice->namespace;
	out->server = server.url;
	out->disable_compression = choice->cluster.disable_compression;
	if (finish_impersonation(&choice->user, out, err) < 0)
		return -1;
	if (server.https) {
		if (finish_secure(choice, in_cluster, arena, out, err) < 0)
			return -1;
		use_userinfo(&server, out);
	}
	keep_texts(out, arena);
	return 0;
}

static const char *kept(const char *flag, struct arena *arena)
{
	return flag ? arena_str(arena, str_of(flag)).ptr : NULL;
}

void config_finish_oidc_flags(const struct config_flags *flags, struct arena *arena,
			      struct client_config *config)
{
	if (!config->oidc.used)
		return;
	config->oidc.flags = (struct config_flags){
		.kubeconfig = kept(flags->kubeconfig, arena),
		.context = config->context.ptr,
		.cluster = kept(flags->cluster, arena),
		.user = kept(flags->user, arena),
	};
}
