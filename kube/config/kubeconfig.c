/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files, flags and the environment to one cluster to connect to, in the order of
 * client-go/tools/clientcmd/client_config.go: choose the entries, override them by flags, validate, and only then read
 * the files that the entries name.
 */
#include "kube/config/kubeconfig.h"

#include "kube/base/buf.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/url.h"
#include "kube/base/utf8.h"
#include "kube/config/config_file.h"
#include "kube/config/config_server.h"
#include "kube/config/header.h"
#include "kube/config/path.h"
#include "kube/config/pem.h"
#include "kube/config/plugin_policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_SERVER "http://localhost:8080"

/* The entries that are used, with flags and defaults applied, and their names. */
struct config_choice {
	struct str context, cluster_name, user_name, namespace;
	bool context_missing;		/* a context was named that does not exist */
	bool cluster_found, user_found;
	bool server_defaulted;		/* no server was named */
	struct config_cluster cluster;
	struct config_user user;
};

/* ---- choose and override --------------------------------------------------------- */

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
	/* a server that is given by flag has a TLS server name of its own */
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

/* Reads "key=value"; a text without '=' is ignored, as kubectl does. */
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
	override(&u->as.user, flags->as);
	override(&u->as.uid, flags->as_uid);
	if (count(flags->as_groups))
		u->as.groups = strings_of(flags->as_groups, arena);
	u->as.extra = join(&u->as.extra, &extra, arena);
	if (given(flags->client_certificate)) {
		u->cert_file = str_of(flags->client_certificate);
		u->cert_data = STR_NONE;
	}
	if (given(flags->client_key)) {
		u->key_file = str_of(flags->client_key);
		u->key_data = STR_NONE;
	}
	/* unlike in kubectl, a token by flag has priority over a token file in the configuration */
	if (given(flags->token)) {
		u->token = str_of(flags->token);
		u->token_file = STR_NONE;
	}
}

/* Chooses the entries, before anything is checked. */
static void choose(const struct config_file *file, const struct config_flags *flags,
		   struct arena *arena, struct config_choice *out)
{
	struct str name = given(flags->context) ? str_of(flags->context) : file->current_context;
	const struct config_context *context = config_file_find(file, CONFIG_CONTEXTS, name);
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
	cluster = config_file_find(file, CONFIG_CLUSTERS, out->cluster_name);
	user = config_file_find(file, CONFIG_USERS, out->user_name);
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

static int not_there(const char *what, const char *name, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s \"%s\" does not exist", what, name);
}

/* ---- validate -------------------------------------------------------------------- */

#define IN_CONFIGURATION "Error in configuration: "

struct problems {
	struct arena *arena;
	struct buf text;	/* "a; b": the problems that were found */
	size_t n;
};

static void add(struct problems *p, struct str problem)
{
	if (p->n++)
		buf_add_cstr(&p->text, "; ");
	buf_add(&p->text, problem);
}

/* Adds "unable to read <what> <file> for <name> due to open ..." when the file cannot be read. */
static void check_readable(struct problems *p, const char *what, struct str file, struct str name)
{
	struct str path = arena_str(p->arena, file);
	int fd;

	if (str_empty(path))
		return;
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		close(fd);
		return;
	}
	add(p, arena_printf(p->arena, "unable to read %s %s for " STR_FMT " due to open %s: %s",
			    what, path.ptr,
			    STR_ARG(name), path.ptr, file_error_text(p->arena, errno).ptr));
}

static void check_cert(struct problems *p, const struct config_user *u, struct str name)
{
	struct arena *a = p->arena;

	if (str_empty(u->cert_file) && str_empty(u->cert_data))
		return;
	if (!str_empty(u->cert_file) && !str_empty(u->cert_data))
		add(p, arena_printf(a, "client-cert-data and client-cert are both specified for "
				    STR_FMT ". client-cert-data will override.", STR_ARG(name)));
	if (!str_empty(u->key_file) && !str_empty(u->key_data))
		add(p, arena_printf(a, "client-key-data and client-key are both specified for "
				    STR_FMT "; client-key-data will override", STR_ARG(name)));
	if (str_empty(u->key_file) && str_empty(u->key_data))
		add(p, arena_printf(a, "client-key-data or client-key must be specified for "
				    STR_FMT
				    " to use the clientCert authentication method.",
				    STR_ARG(name)));
	check_readable(p, "client-cert", u->cert_file, name);
	check_readable(p, "client-key", u->key_file, name);
}

static void need_for_exec(struct problems *p, const char *what, struct str value, struct str name)
{
	if (str_empty(value))
		add(p, arena_printf(p->arena, "%s must be specified for " STR_FMT " to use exec authentication plugin",
				    what, STR_ARG(name)));
}

static void check_exec(struct problems *p, const struct config_user *u, struct str name)
{
	const struct exec_config *exec = &u->exec;
	struct arena *a = p->arena;
	static const char *const modes[] = { "Never", "IfAvailable", "Always", NULL };

	if (!exec->given)
		return;
	if (u->provider.given)
		add(p, arena_printf(a, "authProvider cannot be provided in combination with an "
				    "exec plugin for "
				    STR_FMT, STR_ARG(name)));
	need_for_exec(p, "command", exec->command, name);
	need_for_exec(p, "apiVersion", exec->api_version, name);
	for (size_t i = 0; i < exec->env.n; i++)
		need_for_exec(p, "env variable name", exec->env.at[i].name, name);
	need_for_exec(p, "interactiveMode", exec->interactive_mode, name);
	if (!str_empty(exec->interactive_mode) && !str_is_any(exec->interactive_mode, modes))
		add(p, arena_printf(a, "invalid interactiveMode for " STR_FMT ": \"" STR_FMT "\"", STR_ARG(name),
				    STR_ARG(exec->interactive_mode)));
}

static void check_user(struct problems *p, const struct config_user *u, struct str name)
{
	bool basic = !str_empty(u->username) || !str_empty(u->password);

	check_cert(p, u, name);
	check_exec(p, u, name);
	if (!str_empty(u->token) && basic)
		add(p, arena_printf(p->arena, "more than one authentication method found for "
				    STR_FMT
				    "; found [token basicAuth], only one is allowed",
				    STR_ARG(name)));
	if (str_empty(u->as.user) && (!str_empty(u->as.uid) || u->as.groups.n || u->as.extra.n))
		add(p, arena_printf(p->arena, "requesting uid, groups or user-extra for " STR_FMT
				    " without impersonating a user", STR_ARG(name)));
}

static void check_cluster(struct problems *p, const struct config_cluster *c, struct str name)
{
	struct arena *a = p->arena;
	struct str ignored, proxy = config_server_masked(c->proxy_url, a);
	struct err why;

	if (str_empty(c->server))
		add(p, arena_printf(a, "no server found for cluster \"" STR_FMT "\"", STR_ARG(name)));
	if (!str_empty(c->proxy_url) && config_server_proxy(c->proxy_url, a, &ignored, &why) < 0)
		add(p, arena_printf(a, "invalid 'proxy-url' \"" STR_FMT "\" for cluster \"" STR_FMT "\": %s",
				    STR_ARG(proxy), STR_ARG(name), why.msg));
	if (!str_empty(c->ca_file) && !str_empty(c->ca_data))
		add(p, arena_printf(a, "certificate-authority-data and certificate-authority are "
				    "both specified for "
				    STR_FMT ". certificate-authority-data will override.",
				    STR_ARG(name)));
	check_readable(p, "certificate-authority", c->ca_file, name);
}

/*
 * Makes the checks of client-go/tools/clientcmd/validation.go and reports all problems together: "Error in
 * configuration: a; b".
 */
static int validate(const struct config_choice *choice, struct arena *arena, struct err *err)
{
	struct problems p = { .arena = arena };
	bool prefix;

	if (choice->context_missing)
		add(&p, arena_printf(arena, "context was not found for specified context: " STR_FMT,
				     STR_ARG(choice->context)));
	check_user(&p, &choice->user, choice->user_name);
	check_cluster(&p, &choice->cluster, choice->cluster_name);
	prefix = p.n > 1 || choice->context_missing;
	if (p.n)
		err_set(err, ERR_INPUT, "%s%s", prefix ? IN_CONFIGURATION : "", buf_cstr(&p.text));
	if (choice->context_missing)
		err_hint(err, "\"kubectl config get-contexts\" lists the contexts");
	buf_release(&p.text);
	return p.n ? -1 : 0;
}

/* ---- read what the entries point at ---------------------------------------------- */

/* Returns data, or else the content of the file; "" when there is neither. */
static int load_pem(struct str data, struct str file, struct arena *arena, struct str *out,
		    struct err *err)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);
	int result = 0;

	*out = data;
	if (str_empty(data) && !str_empty(file)) {
		result = file_read_any(file, &text, NULL, err);
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
		/* a pod without ca.crt uses the certificate authorities of the system */
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
	/* only certificates in files can be renewed, and only both files together */
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
	/* when there is no other token, the file must exist from the start */
	if (str_empty(u->token) && !str_empty(u->token_file))
		result = file_read(u->token_file, &text, NULL, err);
	file_wipe(&text);
	return result;
}

/* A plugin runs only for a user without any other credential. */
static bool needs_plugin(const struct client_config *c)
{
	return str_empty(c->token) && str_empty(c->token_file) && str_empty(c->username) &&
	       str_empty(c->password) && str_empty(c->cert_pem);
}

static int finish_exec(const struct config_choice *choice, struct arena *arena,
		       struct client_config *out, struct err *err)
{
	const struct exec_config *from = &choice->user.exec;

	if (!from->given)
		return 0;
	if (!str_is(from->api_version, "client.authentication.k8s.io/v1") && !str_is(from->api_version, "client.authentication.k8s.io/v1beta1"))
		return err_set(err, ERR_INPUT, "exec plugin: invalid apiVersion \"" STR_FMT "\"",
			       STR_ARG(from->api_version));
	if (!needs_plugin(out))
		return 0;
	out->exec = *from;
	out->exec.command = path_clean(arena, from->command);
	out->exec.install_hint = utf8_spelled(arena, from->install_hint);
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
	/* an Authorization header of another kind stays as it is */
	out->oidc.used = str_empty(out->token) && str_empty(out->token_file) &&
			 str_empty(out->username) && str_empty(out->password);
	if (out->oidc.used) {
		out->oidc.id_token = setting(p, "id-token");
		out->oidc.refreshable = !str_empty(setting(p, "refresh-token"));
	}
	return 0;
}

/* Reads the ways to authenticate that are older than exec plugins. */
static int finish_provider(const struct config_provider *p, struct client_config *out, struct err *err)
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
	return err_set(err, ERR_INPUT, "no Auth Provider found for name \"" STR_FMT "\"", STR_ARG(p->name));
}

/* Go sends the user and password of a URL in place of every other Authorization header. */
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
	if (!str_empty(u->username)) {	/* a password without a user name is not used */
		out->username = u->username;
		out->password = u->password;
		if (!str_empty(u->token_file))
			return err_set(err, ERR_INPUT, "username/password or bearer token may be set, but not both");
	}
	if (finish_token(u, out, err) < 0 ||
	    finish_ca(&choice->cluster, in_cluster, arena, out, err) < 0 ||
	    finish_cert(u, arena, out, err) < 0 || finish_exec(choice, arena, out, err) < 0)
		return -1;
	return finish_provider(&u->provider, out, err);
}

static bool impersonation_ok(const struct config_user *u)
{
	bool ok = header_value_ok(u->as.user) && header_value_ok(u->as.uid);

	for (size_t i = 0; i < u->as.groups.n; i++)
		ok = ok && header_value_ok(u->as.groups.at[i]);
	for (size_t i = 0; i < u->as.extra.n; i++)
		ok = ok && header_value_ok(u->as.extra.at[i].value);
	return ok;
}

static int finish_impersonation(const struct config_user *u, struct client_config *out,
				struct err *err)
{
	if (str_empty(u->as.user))
		return 0;
	if (!impersonation_ok(u))
		return err_set(err, ERR_INPUT,
			       "net/http: invalid header field value for \"Impersonate-User\"");
	out->as = u->as;
	return 0;
}

/* Copies all texts, so that none is NULL and none is borrowed from the flags. */
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

/*
 * Makes validated entries into what a session needs: reads the files that they name, leaves out every credential unless
 * the server uses https, and of several ways to authenticate chooses the one that kubectl chooses.
 */
static int finish(const struct config_choice *choice, bool in_cluster, struct arena *arena,
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

/* Tells how kubectl has to be called so that it refreshes an oidc token of this configuration. */
static void finish_oidc_flags(const struct config_flags *flags, struct arena *arena,
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

/* ---- together -------------------------------------------------------------------- */

/* Entries that a flag names must exist.  kubectl validates first, unless -n is given. */
static int check(const struct config_choice *choice, const struct config_flags *flags,
		 struct arena *arena, struct err *err)
{
	if (!given(flags->namespace) && validate(choice, arena, err) < 0)
		return -1;
	if (!choice->user_found && given(flags->user))
		return not_there("auth info", flags->user, err);
	if (choice->context_missing && given(flags->context))
		return not_there("context", flags->context, err);
	if (!choice->cluster_found && given(flags->cluster))
		return not_there("cluster", flags->cluster, err);
	return given(flags->namespace) ? validate(choice, arena, err) : 0;
}

/* ---- what a pod knows about the cluster in which it runs (client-go/rest/config.go) ---- */

/* The folder into which the kubelet mounts the service account. */
#define IN_CLUSTER_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

/* Returns true when $KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT are set and there is a token in dir. */
static bool in_cluster_possible(const char *dir)
{
	struct str host = str_of(getenv("KUBERNETES_SERVICE_HOST"));
	struct str port = str_of(getenv("KUBERNETES_SERVICE_PORT"));
	struct arena arena = { 0 };
	struct stat st;
	bool token;

	token = stat(arena_printf(&arena, "%s/token", dir).ptr, &st) == 0 && !S_ISDIR(st.st_mode);
	arena_release(&arena);
	return token && !str_empty(host) && !str_empty(port);
}

static struct str in_cluster_server(struct arena *arena)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	bool ipv6 = str_contains(str_of(host), ":");

	return arena_printf(arena, ipv6 ? "https://[%s]:%s" : "https://%s:%s", host ? host : "",
			    port ? port : "");
}

/* Returns $POD_NAMESPACE, else the content of the file "namespace" in dir, else "default". */
static struct str in_cluster_namespace(const char *dir, struct arena *arena)
{
	struct str ns = str_of(getenv("POD_NAMESPACE"));
	struct buf text = BUF_MAX(LIMIT_TOKEN);

	if (!str_empty(ns))
		return arena_str(arena, ns);
	if (file_read(arena_printf(arena, "%s/namespace", dir), &text, NULL, NULL) == 0)
		ns = arena_str(arena, str_trim(buf_str(&text)));
	buf_release(&text);
	return str_empty(ns) ? STR("default") : ns;
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

/* Nothing tells where the cluster is. */
static struct str what_to_try(const struct config_file *file, const struct config_flags *flags, struct arena *arena)
{
	const char *list = getenv("KUBECONFIG");

	if (file->lists[CONFIG_CONTEXTS].n && str_empty(file->current_context))
		return ARENA_JOIN(arena, STR("the kubeconfig has no current-context: choose one, such as --context "),
				  config_file_name(file, CONFIG_CONTEXTS, 0));
	if (given(flags->kubeconfig))
		return arena_printf(arena, "no cluster is configured in %s", flags->kubeconfig);
	if (list && *list && !strchr(list, ':') && access(list, F_OK) < 0)
		return arena_printf(arena, "KUBECONFIG names %s, which does not exist", list);
	if (list && *list)
		return arena_printf(arena, "no cluster is configured in %s, which KUBECONFIG names", list);
	return STR("there is no kubeconfig: set KUBECONFIG or --kubeconfig, or make ~/.kube/config");
}

int config_load_from(const struct config_file *file, const struct config_flags *flags, struct arena *arena,
		     struct client_config *out_config, struct err *err)
{
	const char *dir = flags->in_cluster_dir ? flags->in_cluster_dir : IN_CLUSTER_DIR;
	struct client_config config = { 0 };
	struct config_choice choice;
	bool in_cluster;

	choose(file, flags, arena, &choice);
	/* v1beta1 is older than the field interactiveMode. */
	if (str_empty(choice.user.exec.interactive_mode) &&
	    (str_is(choice.user.exec.api_version, "client.authentication.k8s.io/v1beta1") ||
	     str_is(choice.user.exec.api_version, "client.authentication.k8s.io/v1alpha1")))
		choice.user.exec.interactive_mode = STR("IfAvailable");
	if (check(&choice, flags, arena, err) < 0)
		return -1;
	/* no cluster is configured, but the program may run in a pod of one */
	in_cluster = !choice.cluster_found && !given(flags->server) && in_cluster_possible(dir);
	if (in_cluster)
		choose_in_cluster(dir, flags, arena, &choice);
	if (str_empty(choice.namespace))
		choice.namespace = in_cluster_possible(dir) ? in_cluster_namespace(dir, arena) : STR("default");
	if (url_check_segment("namespace", choice.namespace, err) < 0)
		return -1;
	config.namespace_explicit = given(flags->namespace);
	config.from_default = choice.server_defaulted && !in_cluster;
	if (config.from_default)
		config.hint = what_to_try(file, flags, arena);
	if (finish(&choice, in_cluster, arena, &config, err) < 0)
		return -1;
	finish_oidc_flags(flags, arena, &config);
	*out_config = config;
	return 0;
}

struct config_file *config_read(const struct config_flags *flags, struct arena *arena, struct err *err)
{
	struct config_file *file = arena_alloc(arena, sizeof(*file));

	return config_files_read(flags, arena, file, err) < 0 ? NULL : file;
}

int config_load(const struct config_flags *flags, struct arena *arena,
		struct client_config *out_config, struct err *err)
{
	struct config_file *file = config_read(flags, arena, err);

	return file ? config_load_from(file, flags, arena, out_config, err) : -1;
}

int config_names(const struct config_flags *flags, enum config_names what, struct arena *arena,
		 const struct str **out_names, size_t *out_n, struct err *err)
{
	struct config_file file;
	struct str *names;

	if (config_files_read(flags, arena, &file, err) < 0)
		return -1;
	*out_n = file.lists[what].n;
	names = arena_array(arena, *out_n, sizeof(*names));
	for (size_t i = 0; i < *out_n; i++)
		names[i] = config_file_name(&file, what, i);
	*out_names = names;
	return 0;
}
