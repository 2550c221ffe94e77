/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of servers, and who may see credentials; in a pod, the pod's own cluster. */
#include "kube/config/config_server.h"
#include "tests/unit/kubeconfig_world.h"

/* ---- servers -------------------------------------------------------------------------- */

static void forms_of_servers(void **state)
{
	static const struct {
		const char *text, *url;
		bool https;
	} samples[] = {
		{ "https://h:6443", "https://h:6443", true },
		{ "https://h:6443/", "https://h:6443", true },
		{ "https://h/k8s/clusters/c-abc/?x=1#f", "https://h/k8s/clusters/c-abc", true },
		{ "https://h//a/./b/../c/", "https://h/a/c", true },
		{ "https://h?x=1", "https://h", true },
		{ "HTTPS://h:1", "https://h:1", true },
		{ "http://h:1", "http://h:1", false },
		{ "127.0.0.1:8080", "http://127.0.0.1:8080", false },
		{ "localhost:8080", "http://localhost:8080", false },
		{ "h", "http://h", false },
		{ "https://[::1]:6443", "https://[::1]:6443", true },
		{ "https://h/a b/%2e/c%2Fd/", "https://h/a%20b/c/d", true },
		{ "https://h/%2E%2e/", "https://h", true },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct config_server server;
		struct err err = { 0 };

		if (config_server_parse(str_of(samples[i].text), &w->arena, &server, &err) < 0)
			fail_msg("%s: %s", samples[i].text, err.msg);
		assert_str(server.url, samples[i].url);
		assert_int_equal(server.https, samples[i].https);
		assert_false(server.userinfo);
	}
}

static void what_is_no_server(void **state)
{
	static const struct mistake samples[] = {
		{ " https://h:1", "invalid character \" \" in host name" },
		{ "https://a b", "invalid character \" \" in host name" },
		{ "foo/bar", "host must be a URL or a host:port pair: \"foo/bar\"" },
		{ "https://h:abc", "host must be a URL or a host:port pair: \"https://h:abc\"" },
		{ "https://hush:hush@h:abc",
		 "host must be a URL or a host:port pair: \"https://***@h:abc\"" },
		{ "https://", "host must be a URL or a host:port pair: \"https://\"" },
		{ "https://h/%zz", "host must be a URL or a host:port pair: \"https://h/%zz\"" },
		{ "https://h/%4", "host must be a URL or a host:port pair: \"https://h/%4\"" },
		{ "ftp://h:1", "unsupported protocol scheme \"ftp\"" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct config_server server;
		struct err err = { 0 };

		assert_int_equal(config_server_parse(str_of(samples[i].text), &w->arena, &server,
						     &err), -1);
		assert_string_equal(err.msg, samples[i].message);
		assert_int_equal(err.code, ERR_INPUT);
	}
}

static void nothing_secret(const struct client_config *c)
{
	assert_str(c->token, "");
	assert_str(c->token_file, "");
	assert_str(c->username, "");
	assert_str(c->password, "");
	assert_str(c->cert_pem, "");
	assert_str(c->key_pem, "");
	assert_str(c->exec.command, "");
	assert_str(c->ca_pem, "");
	assert_false(c->oidc.used);
}

static void no_scheme_no_credentials(void **state)
{
	struct world *w = *state;

	put_with_data(w, CERT_PEM, "server: '127.0.0.1:8080', certificate-authority-data: %",
		      "token: tok");
	loads(w);
	assert_str(w->config.server, "http://127.0.0.1:8080");
	nothing_secret(&w->config);
}

static void http_never_has_credentials(void **state)
{
	static const char *const users[] = {
		"token: tok", "username: u, password: p",
		"exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x}",
		"auth-provider: {name: gcp}",
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		put_config(w, "server: 'http://u:p@127.0.0.1:8080'", users[i]);
		loads(w);
		assert_str(w->config.server, "http://127.0.0.1:8080");
		nothing_secret(&w->config);
	}
}

static void userinfo_replaces_the_token(void **state)
{
	struct world *w = *state;

	put_config(w, "server: 'https://user:p%40w@h:6443/base'", "token: tok");
	loads(w);
	assert_str(w->config.server, "https://h:6443/base");
	assert_str(w->config.username, "user");
	assert_str(w->config.password, "p@w");
	assert_str(w->config.token, "");
}

/* ---- in a cluster ---------------------------------------------------------------------- */

static void enter_pod(struct world *w, const char *host)
{
	folder_put(&w->folder, "sa/token", "satoken\n");
	folder_put(&w->folder, "sa/ca.crt", CERT_PEM);
	folder_put(&w->folder, "sa/namespace", " prod \n");
	setenv("KUBERNETES_SERVICE_HOST", host, 1);
	setenv("KUBERNETES_SERVICE_PORT", "443", 1);
}

static void ipv6_in_a_cluster(void **state)
{
	struct world *w = *state;

	enter_pod(w, "fd00::1");
	loads(w);
	assert_str(w->config.server, "https://[fd00::1]:443");
}

static void in_a_cluster(void **state)
{
	struct world *w = *state;

	enter_pod(w, "10.0.0.1");
	loads(w);
	assert_str(w->config.server, "https://10.0.0.1:443");
	assert_str(w->config.ca_pem, CERT_PEM);
	assert_str(w->config.namespace, "prod");
	assert_string_equal(w->config.token_file.ptr, folder_path(&w->folder, "sa/token"));
	assert_false(w->config.from_default);
	setenv("POD_NAMESPACE", "other", 1);
	loads(w);
	assert_str(w->config.namespace, "other");
	w->flags.namespace = "mine";
	w->flags.token = "tok";
	w->flags.as = "zed";
	loads(w);
	assert_str(w->config.namespace, "mine");
	assert_str(w->config.token, "tok");
	assert_str(w->config.token_file, "");
	assert_str(w->config.as.user, "zed");
	/* without its CA the system's count */
	unlink(folder_path(&w->folder, "sa/ca.crt"));
	assert_int_equal(load(w), 0);
	assert_false(w->config.ca_given);
}

static void a_kubeconfig_beats_the_pod(void **state)
{
	struct world *w = *state;

	enter_pod(w, "10.0.0.1");
	put_config(w, SERVER, "token: tok");
	loads(w);
	assert_str(w->config.server, "https://127.0.0.1:6443");
	assert_str(w->config.token, "tok");
	assert_str(w->config.token_file, "");
	/* but its namespace is that of the pod, unless it says one */
	assert_str(w->config.namespace, "prod");
}

static void half_a_pod_is_none(void **state)
{
	struct world *w = *state;

	enter_pod(w, "10.0.0.1");
	unsetenv("KUBERNETES_SERVICE_PORT");
	loads(w);
	assert_true(w->config.from_default);
	enter_pod(w, "10.0.0.1");
	w->flags.server = "https://h";
	loads(w);
	assert_str(w->config.server, "https://h");
	assert_str(w->config.token_file, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(forms_of_servers), T(what_is_no_server),
		T(no_scheme_no_credentials), T(http_never_has_credentials),
		T(userinfo_replaces_the_token), T(ipv6_in_a_cluster), T(in_a_cluster),
		T(a_kubeconfig_beats_the_pod), T(half_a_pod_is_none),
	};

	return cmocka_run_group_tests_name("kubeconfig server", tests, NULL, NULL);
}
