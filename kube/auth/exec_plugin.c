/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/auth/exec_plugin.h"

#include "kube/base/system.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/base/crypto.h"
#include "kube/base/file.h"
#include "kube/base/utf8.h"
#include "kube/model/document.h"
#include "kube/config/pem.h"
#include "kube/config/plugin_policy.h"
#include "kube/model/yaml.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define EXEC_INFO "KUBERNETES_EXEC_INFO"
/* Linux refuses longer strings in an environment (MAX_ARG_STRLEN) */
#define LONGEST_VARIABLE KIB(128)

extern char **environ;

static void add_true(struct document to, const char *key, bool value)
{
	if (value)
		document_add_bool(to, key, true);
}

/* Writes the fields in the order of clientauthentication.Cluster; config is written even when there is none. */
static void add_cluster(const struct client_config *config, struct document spec)
{
	struct document cluster = document_add_object(spec, "cluster");
	struct str extension = config->exec.cluster_extension;
	struct buf ca = { 0 };

	base64_add(&ca, config->ca_pem);
	document_add_text(cluster, "server", config->server);
	document_add_text(cluster, "tls-server-name", config->tls_server_name);
	add_true(cluster, "insecure-skip-tls-verify", config->insecure);
	document_add_text(cluster, "certificate-authority-data", buf_str(&ca));
	document_add_text(cluster, "proxy-url", config->proxy_url);
	add_true(cluster, "disable-compression", config->disable_compression);
	document_add_raw(cluster, "config", str_empty(extension) ? STR("null") : extension);
	buf_release(&ca);
}

void exec_plugin_info(const struct client_config *config, bool interactive, struct buf *out)
{
	struct document doc = document_object(), spec;

	document_add_string(doc, "kind", STR("ExecCredential"));
	document_add_string(doc, "apiVersion", config->exec.api_version);
	spec = document_add_object(doc, "spec");
	if (config->exec.provide_cluster_info)
		add_cluster(config, spec);
	document_add_bool(spec, "interactive", interactive);
	document_write(doc, out);
	buf_add_char(out, '\n');
	document_free(doc);
}

/* Returns true when the plugin may ask questions. */
static int decide_interactive(const struct exec_config *exec, bool terminal, bool *out,
			      struct err *err)
{
	bool tty = system_has_terminal(STDIN_FILENO);

	*out = terminal && tty && !str_is(exec->interactive_mode, "Never");
	if (*out || !str_is(exec->interactive_mode, "Always"))
		return 0;
	if (!tty)
		return err_set(err, ERR_AUTH, "exec plugin cannot support interactive mode: "
			       "standard input is not a terminal");
	return err_set(err, ERR_AUTH, "exec plugin cannot support interactive mode: standard input "
		       "is unavailable: used by the dashboard");
}

/* Makes the list of "NAME=value" that ends with NULL; of equal names the last one counts. */
struct environment {
	const char **list;
	size_t n;
};

static void set_variable(struct environment *e, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1, i = 0;

	while (i < e->n && strncmp(e->list[i], entry, name) != 0)
		i++;
	e->list[i] = entry;
	if (i == e->n)
		e->n++;
}

static const char *const *make_environment(const struct exec_config *exec, const char *info,
					   struct arena *arena)
{
	struct environment e = { 0 };
	size_t n = 0;

	while (environ[n])
		n++;
	e.list = arena_array(arena, n + exec->env.n + 2, sizeof(*e.list));
	for (size_t i = 0; i < n; i++)
		e.list[e.n++] = environ[i];
	for (size_t i = 0; i < exec->env.n; i++)
		set_variable(&e, arena_printf(arena, STR_FMT "=" STR_FMT,
					      STR_ARG(exec->env.at[i].name),
					      STR_ARG(exec->env.at[i].value)).ptr);
	set_variable(&e, info);
	return e.list;
}

static const char *const *make_arguments(const struct exec_config *exec, struct arena *arena)
{
	const char **argv = arena_array(arena, exec->args.n + 2, sizeof(*argv));

	argv[0] = arena_str(arena, exec->command).ptr;
	for (size_t i = 0; i < exec->args.n; i++)
		argv[i + 1] = arena_str(arena, exec->args.at[i]).ptr;
	return argv;
}

static int not_found(const struct exec_config *exec, struct err *err)
{
	err_set(err, ERR_AUTH, "exec: executable " STR_FMT " not found", STR_ARG(exec->command));
	if (!str_empty(exec->install_hint))
		return err_hint(err, STR_FMT, STR_ARG(exec->install_hint));
	return err_hint(err, "It looks like you are trying to use a client-go credential plugin "
			"that is not installed. See "
			"https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
			"#client-go-credential-plugins");
}

static int cannot_start(const struct exec_config *exec, int code, struct arena *arena,
			struct err *err)
{
	err_set(err, ERR_AUTH, "exec: fork/exec " STR_FMT ": %s", STR_ARG(exec->command),
		file_error_text(arena, code).ptr);
	if (code == E2BIG)
		return err_hint(err, "the cluster's data in " EXEC_INFO
				" may be larger than the system allows (128 KiB)");
	if (!str_empty(exec->install_hint))
		return err_hint(err, STR_FMT, STR_ARG(exec->install_hint));
	return -1;
}

/* Says why a plugin that is named by its path cannot run; it is checked before the start. */
static int path_errno(const char *path)
{
	if (access(path, F_OK) < 0)
		return errno;
	return child_is_executable(path) ? 0 : EACCES;
}

static int run(const struct exec_config *exec, struct child_command *command,
	       const struct buf *info, struct arena *arena, struct child **out)
{
	int code = path_errno(command->path);

	if (code == 0 && info->len >= LONGEST_VARIABLE)
		code = E2BIG;
	if (code)
		return code;
	command->argv = make_arguments(exec, arena);
	command->env = make_environment(exec, buf_cstr(info), arena);
	return child_start(command, out);
}

static int start(const struct client_config *config, bool terminal, struct arena *arena,
		 struct child **out, struct err *err)
{
	const struct exec_config *exec = &config->exec;
	struct buf path = { 0 }, info = { 0 };
	struct child_command command = { .stderr_inherited = terminal };
	bool found, by_path = str_contains(exec->command, "/");
	int code = 0, result;

	result = decide_interactive(exec, terminal, &command.stdin_inherited, err);
	found = child_look_path(exec->command, &path);
	if (result == 0)
		result = plugin_policy_check(exec, found ? buf_str(&path) : STR_NONE, arena, err);
	if (result == 0 && !found && !by_path)
		result = not_found(exec, err);
	if (result == 0) {
		buf_add_cstr(&info, EXEC_INFO "=");
		exec_plugin_info(config, command.stdin_inherited, &info);
		command.path = buf_cstr(&path);
		code = run(exec, &command, &info, arena, out);
	}
	if (code)
		result = cannot_start(exec, code, arena, err);
	buf_release(&path);
	buf_release(&info);
	return result;
}

int exec_plugin_start(const struct client_config *config, bool terminal, struct child **out,
		      struct err *err)
{
	struct arena arena = { 0 };
	int result = start(config, terminal, &arena, out, err);

	arena_release(&arena);
	return result;
}

/* Returns the last line that is not empty. */
static struct str last_line(struct str text)
{
	size_t at;

	text = str_trim(text);
	at = str_rfind(text, '\n');
	return at < text.len ? str_from(text, at + 1) : text;
}

int exec_plugin_result(const struct client_config *config, const struct child *child,
		       struct arena *arena, struct exec_credential *out, struct err *err)
{
	struct child_result did = child_result(child);
	struct str said = utf8_spelled(arena, last_line(did.err));

	if (did.code != 0) {
		err_set(err, ERR_AUTH, "exec: executable " STR_FMT " failed with exit code %d",
			STR_ARG(config->exec.command), did.code);
		return str_empty(said) ? -1 : err_hint(err, "it said: " STR_FMT, STR_ARG(said));
	}
	if (did.overflowed)
		return err_set(err, ERR_AUTH,
			       "exec: executable " STR_FMT " printed more than %zu KiB",
			       STR_ARG(config->exec.command), LIMIT_PLUGIN_OUTPUT / KIB(1));
	return exec_plugin_decode(config, did.out, arena, out, err);
}

static int read_text(struct json status, const char *name, struct arena *arena, struct str *out,
		     struct err *err)
{
	struct json value = json_at(status, name);

	*out = STR_NONE;
	if (!json_has(value, ""))
		return 0;
	if (json_type(value) != JSON_STRING)
		return err_set(err, ERR_AUTH, "decoding stdout: status.%s is no string but of type %s", name,
			       json_type_name(json_type(value)));
	*out = arena_str(arena, json_str(value, ""));
	return 0;
}

/* Returns 0 when the credential does not expire; "" is not a valid time. */
static int read_expiry(struct json status, struct arena *arena, int64_t *out, struct err *err)
{
	struct str text;

	*out = 0;
	if (read_text(status, "expirationTimestamp", arena, &text, err) < 0)
		return -1;
	if (!json_has(status, "expirationTimestamp") || (*out = time_parse(text)) != 0)
		return 0;
	text = str_head(text, 40);
	return err_set(err, ERR_AUTH, "decoding stdout: parsing time \"" STR_FMT "\" as \"2006-01-02T15:04:05Z07:00\": "
		       "cannot parse \"" STR_FMT "\" as \"2006\"", STR_ARG(text), STR_ARG(text));
}

static int read_status(struct json status, struct arena *arena, struct exec_credential *out,
		       struct err *err)
{
	if (read_text(status, "token", arena, &out->token, err) < 0 ||
	    read_text(status, "clientCertificateData", arena, &out->cert_pem, err) < 0 ||
	    read_text(status, "clientKeyData", arena, &out->key_pem, err) < 0 ||
	    read_expiry(status, arena, &out->expires, err) < 0)
		return -1;
	if (str_empty(out->token) && str_empty(out->cert_pem) && str_empty(out->key_pem))
		return err_set(err, ERR_AUTH, "exec plugin didn't return a token or cert/key pair");
	if (str_empty(out->cert_pem) != str_empty(out->key_pem))
		return err_set(err, ERR_AUTH,
			       "exec plugin returned only certificate or key, not both");
	if (!str_empty(out->cert_pem) && pem_check_pair(out->cert_pem, out->key_pem, err) < 0) {
		if (err)
			err->code = ERR_AUTH;
		return err_context(err, "failed parsing client key/certificate");
	}
	return 0;
}

/* kubectl takes an absent version for its own internal version. */
static int check_version(const struct client_config *config, struct json doc, struct err *err)
{
	struct str version = str_head(json_str(doc, "apiVersion"), 80), kind = str_head(json_str(doc, "kind"), 80);
	bool known = str_is(version, "client.authentication.k8s.io/v1") ||
		     str_is(version, "client.authentication.k8s.io/v1beta1");

	if (str_empty(kind))
		kind = STR("ExecCredential");
	if (!str_is(kind, "ExecCredential") || (!known && !str_empty(version)))
		return err_set(err, ERR_AUTH, "decoding stdout: no kind \"" STR_FMT "\" is registered for version \"" STR_FMT
			       "\"", STR_ARG(kind), STR_ARG(version));
	if (str_eq(version, config->exec.api_version))
		return 0;
	if (str_empty(version))
		version = STR("client.authentication.k8s.io/__internal");
	return err_set(err, ERR_AUTH, "exec plugin is configured to use API version " STR_FMT
		       ", plugin returned version " STR_FMT, STR_ARG(config->exec.api_version),
		       STR_ARG(version));
}

static int decode(const struct client_config *config, struct json doc, struct arena *arena,
		  struct exec_credential *out, struct err *err)
{
	struct json status = json_at(doc, "status");

	if (doc.node && json_type(doc) != JSON_OBJECT)
		return err_set(err, ERR_AUTH, "decoding stdout: couldn't get version/kind; json parse error: json: "
			       "cannot unmarshal %s into Go value of type struct", json_type_name(json_type(doc)));
	if (check_version(config, doc, err) < 0)
		return -1;
	if (!json_has(status, ""))
		return err_set(err, ERR_AUTH, "exec plugin didn't return a status field");
	if (json_type(status) != JSON_OBJECT)
		return err_set(err, ERR_AUTH, "decoding stdout: status is no object but of type %s",
			       json_type_name(json_type(status)));
	return read_status(status, arena, out, err);
}

/* An answer that begins as JSON must be JSON to its end; of YAML the first document counts. */
static int parse(struct str text, struct json *out, struct err *err)
{
	struct buf json = BUF_MAX(LIMIT_PLUGIN_OUTPUT);
	int result;

	*out = JSON_NONE;
	if (str_starts(text, "{"))
		return document_read_verbatim(text, out, err);
	result = yaml_first_to_json(text, &json, err);
	if (result == 0 && json.len)
		result = document_read_verbatim(buf_str(&json), out, err);
	file_wipe(&json);
	return result;
}

int exec_plugin_decode(const struct client_config *config, struct str text, struct arena *arena,
		       struct exec_credential *out, struct err *err)
{
	struct exec_credential credential = { 0 };
	struct json doc;
	int result = parse(str_trim(text), &doc, err);

	if (result < 0) {
		if (err)
			err->code = ERR_AUTH;
		err_context(err, "decoding stdout: couldn't get version/kind; json parse error");
	} else {
		result = decode(config, doc, arena, &credential, err);
	}
	if (result < 0 && str_empty(str_trim(text)))
		err_hint(err, "the plugin printed nothing");
	if (result == 0)
		*out = credential;
	json_free(doc);
	return result;
}
