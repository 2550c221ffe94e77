/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/config_validate.h"

#include "kube/base/buf.h"
#include "kube/config/config_server.h"
#include "kube/base/gotext.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define IN_CONFIGURATION "Error in configuration: "

struct problems {
	struct arena *arena;
	struct buf text;	/* "a; b" */
	size_t n;
};

static void add(struct problems *p, struct str problem)
{
	if (p->n++)
		buf_add_cstr(&p->text, "; ");
	buf_add(&p->text, problem);
}

/* "unable to read <what> <file> for <name> due to open ...", if that is so. */
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
			    STR_ARG(name), path.ptr, gotext_errno(p->arena, errno).ptr));
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

static bool known_mode(struct str mode)
{
	return str_is(mode, "Never") || str_is(mode, "IfAvailable") || str_is(mode, "Always");
}

static void check_exec(struct problems *p, const struct config_user *u, struct str name)
{
	const struct config_exec *exec = &u->exec;
	struct arena *a = p->arena;

	if (!exec->given)
		return;
	if (u->provider.given)
		add(p, arena_printf(a, "authProvider cannot be provided in combination with an "
				    "exec plugin for "
				    STR_FMT, STR_ARG(name)));
	if (str_empty(exec->command))
		add(p, arena_printf(a, "command must be specified for " STR_FMT
				    " to use exec authentication plugin", STR_ARG(name)));
	if (str_empty(exec->api_version))
		add(p, arena_printf(a, "apiVersion must be specified for " STR_FMT
				    " to use exec authentication plugin", STR_ARG(name)));
	for (size_t i = 0; i < exec->env.n; i++)
		if (str_empty(exec->env.at[i].name))
			add(p, arena_printf(a, "env variable name must be specified for " STR_FMT
					    " to use exec authentication plugin", STR_ARG(name)));
	if (str_empty(exec->interactive_mode))
		add(p, arena_printf(a, "interactiveMode must be specified for " STR_FMT
				    " to use exec authentication plugin", STR_ARG(name)));
	else if (!known_mode(exec->interactive_mode))
		add(p, arena_printf(a, "invalid interactiveMode for " STR_FMT ": %s", STR_ARG(name),
				    gotext_quote(a, exec->interactive_mode).ptr));
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
	if (str_empty(u->as) && (!str_empty(u->as_uid) || u->as_groups.n || u->as_extra.n))
		add(p, arena_printf(p->arena, "requesting uid, groups or user-extra for " STR_FMT
				    " without impersonating a user", STR_ARG(name)));
}

static void check_cluster(struct problems *p, const struct config_cluster *c, struct str name)
{
	struct arena *a = p->arena;
	struct str ignored;
	struct err why;

	if (str_empty(c->server))
		add(p, arena_printf(a, "no server found for cluster %s",
				    gotext_quote(a, name).ptr));
	if (!str_empty(c->proxy_url) && config_server_proxy(c->proxy_url, a, &ignored, &why) < 0)
		add(p, arena_printf(a, "invalid 'proxy-url' %s for cluster %s: %s",
				    gotext_quote(a, config_server_masked(c->proxy_url, a)).ptr,
				    gotext_quote(a, name).ptr, why.msg));
	if (!str_empty(c->ca_file) && !str_empty(c->ca_data))
		add(p, arena_printf(a, "certificate-authority-data and certificate-authority are "
				    "both specified for "
				    STR_FMT ". certificate-authority-data will override.",
				    STR_ARG(name)));
	check_readable(p, "certificate-authority", c->ca_file, name);
}

int config_validate(const struct config_choice *choice, struct arena *arena, struct err *err)
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
		err_hint(err, "\"kubectl config get-contexts\" lists those there are");
	buf_release(&p.text);
	return p.n ? -1 : 0;
}
