/* SPDX-License-Identifier: Apache-2.0 */
/* What flags, contexts and trust settings make of the entries: as with kubectl. */
#include "tests/unit/kubeconfig_world.h"

/* ---- trust -------------------------------------------------------------------------- */

static void ca_file_and_data(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/ca.crt", CERT_PEM);
	put_with_data(w, CERT_PEM,
		      SERVER ", certificate-authority: ca.crt, certificate-authority-data: %", "");
	fails(w, "certificate-authority-data and certificate-authority are both specified for c1. "
		 "certificate-authority-data will override.");
}

static void ca_and_insecure(void **state)
{
	struct world *w = *state;

	put_with_data(w, CERT_PEM,
		      SERVER ", insecure-skip-tls-verify: true, certificate-authority-data: %", "");
	fails(w, "specifying a root certificates file with the insecure flag is not allowed");
}

static void insecure_flag_drops_the_ca(void **state)
{
	struct world *w = *state;

	put_with_data(w, CERT_PEM, SERVER ", certificate-authority-data: %", "");
	w->flags.insecure_skip_tls_verify = true;
	loads(w);
	assert_true(w->config.insecure);
	assert_false(w->config.ca_given);
	assert_str(w->config.ca_pem, "");
}

static void ca_flag_replaces_what_is_configured(void **state)
{
	struct world *w = *state;

	put_with_data(w, "junk",
		      SERVER ", insecure-skip-tls-verify: true, certificate-authority-data: %", "");
	folder_put(&w->folder, "ca.crt", CERT_PEM);
	w->flags.certificate_authority = folder_path(&w->folder, "ca.crt");
	loads(w);
	assert_false(w->config.insecure);
	assert_str(w->config.ca_pem, CERT_PEM);
}

static void ca_that_is_no_pem(void **state)
{
	struct world *w = *state;

	put_with_data(w, "junk", SERVER ", certificate-authority-data: %", "");
	fails(w, "unable to load root certificates: unable to parse bytes as PEM block");
	put_config(w, SERVER ", certificate-authority: nope.crt", "");
	fails(w, "unable to read certificate-authority @/.kube/nope.crt for c1 due to open "
	      "@/.kube/nope.crt: "
		 "no such file or directory");
}

static void an_empty_ca_trusts_nobody(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/ca.crt", "");
	put_config(w, SERVER ", certificate-authority: ca.crt", "");
	loads(w);
	assert_true(w->config.ca_given);
	assert_str(w->config.ca_pem, "");
}

static void server_flag_clears_the_tls_name(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER ", tls-server-name: api.test", "");
	w->flags.server = "https://10.0.0.1";
	loads(w);
	assert_str(w->config.server, "https://10.0.0.1");
	assert_str(w->config.tls_server_name, "");
	w->flags.tls_server_name = "other.test";
	loads(w);
	assert_str(w->config.tls_server_name, "other.test");
}

static void test_tls_server_name(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER ", tls-server-name: api.lab.test", "");
	loads(w);
	assert_str(w->config.tls_server_name, "api.lab.test");
}

/* ---- choosing ------------------------------------------------------------------------ */

static void missing_context(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "");
	w->flags.context = "nope";
	fails(w, "Error in configuration: context was not found for specified context: nope");
	w->flags.namespace = "some";
	assert_int_equal(load(w), -1);
	assert_string_equal(w->err.msg, "context \"nope\" does not exist");
	w->flags = (struct config_flags){ 0 };
	folder_put(&w->folder, ".kube/config", "current-context: gone\n");
	fails(w, "Error in configuration: context was not found for specified context: gone");
}

static void missing_cluster_and_user(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: t");
	w->flags.cluster = "nope";
	fails(w, "no server found for cluster \"nope\"");
	w->flags.cluster = NULL;
	w->flags.user = "nope";
	fails(w, "auth info \"nope\" does not exist");
	/* what a context refers to may be missing */
	w->flags.user = NULL;
	folder_put(&w->folder, ".kube/config", CONTEXT);
	loads(w);
	assert_true(w->config.from_default);
}

static void namespaces(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "");
	loads(w);
	assert_str(w->config.namespace, "default");
	assert_false(w->config.namespace_explicit);
	w->flags.namespace = "";
	loads(w);
	assert_str(w->config.namespace, "default");
	assert_false(w->config.namespace_explicit);
	w->flags.namespace = "foo";
	loads(w);
	assert_str(w->config.namespace, "foo");
	assert_true(w->config.namespace_explicit);
	w->flags.namespace = NULL;
	folder_put(&w->folder, ".kube/config",
		   "contexts: [{name: x, context: {namespace: Bad_NS}}]\ncurrent-context: x\n");
	loads(w);
	assert_str(w->config.namespace, "Bad_NS");
}

static void namespaces_that_are_no_names(void **state)
{
	struct world *w = *state;

	w->flags.namespace = "a/b";
	fails(w, "invalid namespace \"a/b\": [may not contain '/']");
	w->flags.namespace = "a/b%";
	fails(w, "invalid namespace \"a/b%\": [may not contain '/']");
	w->flags.namespace = "..";
	fails(w, "invalid namespace \"..\": [may not be '..']");
}

static void kubernetes_master(void **state)
{
	struct world *w = *state;

	setenv("KUBERNETES_MASTER", "https://h", 1);
	loads(w);
	assert_str(w->config.server, "https://h");
	assert_false(w->config.from_default);
	put_config(w, SERVER, "");
	loads(w);
	assert_str(w->config.server, "https://127.0.0.1:6443");
}

static void test_compression(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "");
	loads(w);
	assert_false(w->config.disable_compression);
	w->flags.disable_compression = true;
	loads(w);
	assert_true(w->config.disable_compression);
	w->flags.disable_compression = false;
	put_config(w, SERVER ", disable-compression: true", "");
	loads(w);
	assert_true(w->config.disable_compression);
}

static void commands_of_plugins(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER,
		   "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/../p, "
			      "interactiveMode: Never, args: [./x]}");
	loads(w);
	assert_string_equal(w->config.exec.command.ptr, folder_path(&w->folder, ".kube/p"));
	assert_str(w->config.exec.args.at[0], "./x");
	put_config(w, SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1, command: p, "
		   "interactiveMode: Never}");
	loads(w);
	assert_str(w->config.exec.command, "p");
}

static void proxies(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER ", proxy-url: 'SOCKS5://p:1080'", "");
	loads(w);
	assert_str(w->config.proxy_url, "socks5://p:1080");
	put_config(w, SERVER ", proxy-url: 'ftp://x'", "");
	fails(w, "invalid 'proxy-url' \"ftp://x\" for cluster \"c1\": unsupported scheme \"ftp\", "
	      "must be http, https, or socks5");
	put_config(w, SERVER ", proxy-url: 'ftp://u:hush@x'", "");
	assert_int_equal(load(w), -1);
	assert_null(strstr(w->err.msg, "hush"));
}

static void several_problems_at_once(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: a, username: b, client-certificate: nope.crt");
	fails(w, "Error in configuration: client-key-data or client-key must be specified for u1 "
	      "to use the clientCert "
		 "authentication method.; unable to read client-cert @/.kube/nope.crt for u1 due "
		 "to open "
		 "@/.kube/nope.crt: no such file or directory; more than one authentication method "
		 "found for u1; found [token basicAuth], only one is allowed");
}

static void contexts_in_order(void **state)
{
	struct world *w = *state;
	const struct str *names;
	size_t n;

	folder_put(&w->folder, "k1", "contexts: [{name: b}, {name: a}]\n");
	folder_put(&w->folder, "k2", "contexts: [{name: a}, {name: c}]\n");
	set_kubeconfig(w, "@/k1:@/k2:@/k1");
	assert_int_equal(config_names(&w->flags, CONFIG_CONTEXTS, &w->arena, &names, &n, &w->err), 0);
	assert_int_equal(n, 3);
	assert_str(names[0], "b");
	assert_str(names[1], "a");
	assert_str(names[2], "c");
}

static void paths_of_the_entry(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, "d1/k1", "clusters: [{name: c1, cluster: {" SERVER "}}]\n" CONTEXT);
	folder_put(&w->folder, "d2/k2", "users: [{name: u1, user: {client-certificate: ../c.crt, "
		   "client-key: k.key}}]\n");
	folder_put(&w->folder, "c.crt", CERT_PEM);
	folder_put(&w->folder, "d2/k.key", KEY_PEM);
	set_kubeconfig(w, "@/d1/k1:@/d2/k2");
	loads(w);
	assert_string_equal(w->config.cert_file.ptr, folder_path(&w->folder, "c.crt"));
	assert_string_equal(w->config.key_file.ptr, folder_path(&w->folder, "d2/k.key"));
	assert_str(w->config.cert_pem, CERT_PEM);
	assert_str(w->config.key_pem, KEY_PEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(ca_file_and_data), T(ca_and_insecure), T(insecure_flag_drops_the_ca),
		T(ca_flag_replaces_what_is_configured), T(ca_that_is_no_pem),
		T(an_empty_ca_trusts_nobody), T(server_flag_clears_the_tls_name),
		T(test_tls_server_name), T(missing_context), T(missing_cluster_and_user),
		T(namespaces), T(namespaces_that_are_no_names), T(kubernetes_master),
		T(test_compression), T(commands_of_plugins), T(proxies),
		T(several_problems_at_once), T(contexts_in_order),
		T(paths_of_the_entry),
	};

	return cmocka_run_group_tests_name("kubeconfig choice", tests, NULL, NULL);
}
