/* SPDX-License-Identifier: Apache-2.0 */
/* Exec credential plugins: what they are told, and what their answers are worth. */
#include "kube/auth/exec_plugin.h"
#include "tests/unit/plugin_world.h"

#include <fcntl.h>

static void one_run_for_all(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	c = open_user(w, EXEC "}");
	assert_int_equal(credential_state(c), CREDENTIAL_RUNNING);
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer tok");
	for (int i = 0; i < 10; i++)
		assert_int_equal(credential_start(c, NOW + i * 3600000), CREDENTIAL_READY);
	assert_int_equal(runs(w), 1);
	assert_int_equal(credential_fd(c), -1);
	assert_string_equal(read_back(w, "info"),
			    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
			    "\",\"spec\":{\"interactive\":false}}\n");
	credential_free(c);
}

static void arguments_and_environment(void **state)
{
	struct world *w = *state;
	struct credential *c;

	setenv("FOO", "old", 1);
	setenv("KUBERNETES_EXEC_INFO", "old", 1);
	put_plugin(w, "for a in \"$@\"; do echo \"<$a>\"; done >args\necho \"$FOO $NEW\" >env\n"
		      "env | grep -c '^FOO=\\|^KUBERNETES_EXEC_INFO=' >count\ncat out");
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"tok\""));
	c = open_user(w, EXEC ", args: ['a b', '', '$HOME', '*'], env: [{name: FOO, value: bar}, "
		      "{name: NEW, value: 'x y'}, {name: FOO, value: baz}]}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	assert_string_equal(read_back(w, "args"), "<a b>\n<>\n<$HOME>\n<*>\n");
	assert_string_equal(read_back(w, "env"), "baz x y\n");
	assert_string_equal(read_back(w, "count"), "2\n");
	credential_free(c);
	unsetenv("FOO");
}

#define INFO "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"spec\":"

static void cluster_info(void **state)
{
	struct world *w = *state;
	struct buf info = { 0 };

	put_with_data(w, "-----BEGIN CERTIFICATE-----",
		      SERVER ", tls-server-name: api.test, proxy-url: 'http://p:1/?a&b', "
		      "disable-compression: true, certificate-authority-data: %, extensions: "
		      "[{name: other}, "
		      "{name: client.authentication.k8s.io/exec, extension: {z: [1, true, null], "
		      "a: 'x<y', m: [18446744073709551615, -3, 0.1, 1.0]}}]", EXEC ", provideClusterInfo: true}");
	loads(w);
	exec_plugin_info(&w->config, false, &info);
	assert_string_equal(buf_cstr(&info), INFO
		"{\"cluster\":{\"server\":\"https://127.0.0.1:6443\","
		"\"tls-server-name\":\"api.test\","
		"\"certificate-authority-data\":\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\","
		"\"proxy-url\":\"http://p:1/?a&b\",\"disable-compression\":true,"
		"\"config\":{\"z\":[1,true,null],\"a\":\"x<y\",\"m\":[18446744073709551615,-3,0.1,1.0]}},\"interactive\":false}}\n");
	put_config(w, SERVER ", insecure-skip-tls-verify: true",
		   EXEC ", provideClusterInfo: true}");
	loads(w);
	buf_reset(&info);
	exec_plugin_info(&w->config, true, &info);
	assert_string_equal(buf_cstr(&info), INFO
		"{\"cluster\":{\"server\":\"https://127.0.0.1:6443\","
		"\"insecure-skip-tls-verify\":true,\"config\":null},\"interactive\":true}}\n");
	buf_release(&info);
}

static void the_ca_file_is_inlined(void **state)
{
	struct world *w = *state;
	struct buf info = { 0 }, ca = { 0 };

	folder_put(&w->folder, ".kube/ca.crt", CERT_PEM);
	put_config(w, SERVER ", certificate-authority: ca.crt", EXEC ", provideClusterInfo: true}");
	loads(w);
	exec_plugin_info(&w->config, false, &info);
	folder_base64(&ca, CERT_PEM);
	assert_non_null(strstr(buf_cstr(&info), buf_cstr(&ca)));
	buf_release(&info);
	buf_release(&ca);
}

static void mistakes_in_the_kubeconfig(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "exec: {apiVersion: " V1 ", command: x}");
	fails(w, "interactiveMode must be specified for u1 to use exec authentication plugin");
	put_config(w, SERVER, "exec: {apiVersion: " V1 ", command: x, interactiveMode: Sometimes}");
	fails(w, "invalid interactiveMode for u1: \"Sometimes\"");
	put_config(w, SERVER,
		   "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}");
	fails(w, "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"");
	put_config(w, SERVER, "exec: {apiVersion: " V1BETA1 "}");
	fails(w, "command must be specified for u1 to use exec authentication plugin");
	put_config(w, SERVER, "exec: {command: x, interactiveMode: Never}");
	fails(w, "apiVersion must be specified for u1 to use exec authentication plugin");
	put_config(w, SERVER, EXEC ", env: [{value: x}]}");
	fails(w, "env variable name must be specified for u1 to use exec authentication plugin");
}

static void v1beta1_needs_no_mode(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "exec: {apiVersion: " V1BETA1 ", command: x}");
	loads(w);
	assert_str(w->config.exec.interactive_mode, "IfAvailable");
}

static void always_needs_a_terminal(void **state)
{
	struct world *w = *state;
	struct credential *c = open_user(w, "exec: {apiVersion: " V1 ", command: ./plug.sh, "
					 "interactiveMode: Always}");

	credential_start(c, NOW);
	failed_with(c, "getting credentials: exec plugin cannot support interactive mode: standard "
		    "input is not a terminal");
	credential_free(c);
	assert_int_equal(runs(w), 0);
}

/* Makes a terminal standard input; returns its other end. */
static int become_interactive(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave = -1;

	if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
		slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	dup2(slave, STDIN_FILENO);
	close(slave);
	return master;
}

static void plugins_that_ask(void **state)
{
	static const char *const modes[][2] = { { "Always", "true" }, { "IfAvailable", "true" },
						{ "Never", "false" } };
	struct world *w = *state;
	int master = become_interactive(), null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	put_plugin(w, "test -t 0 && echo true >tty || echo false >tty\ncat out");
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"tok\""));
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct credential *c;
		struct buf user = { 0 };

		buf_printf(&user, "exec: {apiVersion: " V1 ", command: ./plug.sh, interactiveMode: %s}",
			   modes[i][0]);
		c = open_user(w, buf_cstr(&user));
		credential_set_interactive(c, true);
		assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
		assert_true(str_starts(str_of(read_back(w, "tty")), modes[i][1]));
		assert_non_null(strstr(read_back(w, "info"), modes[i][1]));
		credential_free(c);
		buf_release(&user);
	}
	/* while a dashboard has the terminal, nobody else may */
	cannot_start(w, "exec: {apiVersion: " V1 ", command: ./plug.sh, interactiveMode: Always}",
		     "exec plugin cannot support interactive mode: standard input is unavailable: "
		     "used by the dashboard");
	dup2(null, STDIN_FILENO);
	close(null);
	close(master);
}

static void answers_may_be_yaml(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, "apiVersion: " V1 "\nkind: ExecCredential\nstatus:\n  token: tok\n"
		      "  expirationTimestamp: 2026-11-20T10:00:00Z\n");
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer tok");
	assert_true(credential_deadline(c) == NOW + 3600000 - 45000);
	credential_free(c);
}

/* Words as kubectl prints them, after "getting credentials: ". */
static const struct mistake answers[] = {
	{ "hello", "decoding stdout: couldn't get version/kind; json parse error: json: cannot "
		   "unmarshal string into Go value of type struct" },
	{ "[1]", "decoding stdout: couldn't get version/kind; json parse error: json: cannot "
		 "unmarshal array into Go value of type struct" },
	{ "{}", "exec plugin is configured to use API version " V1
		", plugin returned version client.authentication.k8s.io/__internal" },
	{ "", "exec plugin is configured to use API version " V1
	      ", plugin returned version client.authentication.k8s.io/__internal" },
	{ HEAD(V1BETA1) ",\"status\":{\"token\":\"x\"}}",
	  "exec plugin is configured to use API version " V1 ", plugin returned version " V1BETA1 },
	{ "{\"apiVersion\":\"" V1 "\",\"kind\":\"Foo\"}",
	  "decoding stdout: no kind \"Foo\" is registered for version \"" V1 "\"" },
	{ HEAD("x/v1") "}",
	  "decoding stdout: no kind \"ExecCredential\" is registered for version \"x/v1\"" },
	{ HEAD(V1) "}", "exec plugin didn't return a status field" },
	{ HEAD(V1) ",\"status\":\"x\"}",
	  "decoding stdout: status is no object but of type string" },
	{ CREDENTIAL(""), "exec plugin didn't return a token or cert/key pair" },
	{ CREDENTIAL("\"token\":5"),
	  "decoding stdout: status.token is no string but of type number" },
	{ CREDENTIAL("\"clientCertificateData\":\"x\""),
	  "exec plugin returned only certificate or key, not both" },
	{ CREDENTIAL("\"clientKeyData\":\"x\",\"token\":\"t\""),
	  "exec plugin returned only certificate or key, not both" },
	{ CREDENTIAL("\"clientCertificateData\":\"x\",\"clientKeyData\":\"y\""),
	  "failed parsing client key/certificate: tls: failed to find any PEM data in certificate "
	  "input" },
	{ UNTIL("t", "tomorrow"),
	  "decoding stdout: parsing time \"tomorrow\" as \"2006-01-02T15:04:05Z07:00\": cannot "
	  "parse \"tomorrow\" as \"2006\"" },
	{ UNTIL("t", ""),
	  "decoding stdout: parsing time \"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\"" },
	{ CREDENTIAL("\"token\":\"t\"") "{}",
	  "decoding stdout: couldn't get version/kind; json parse error: not JSON at byte 95" },
};

static void answers_that_are_none(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, EXEC "}");
	loads(w);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct exec_credential got;
		struct err err = { 0 };

		assert_int_equal(exec_plugin_decode(&w->config, str_of(answers[i].text), &w->arena,
						    &got, &err), -1);
		assert_string_equal(err.msg, answers[i].message);
		assert_int_equal(err.code, ERR_AUTH);
	}
}

static void a_failing_plugin(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_plugin(w, "echo first >&2; printf 'login \\033[31mexpired\\n' >&2; echo hush; exit 3");
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	failed_with(c, arena_printf(&w->arena, "getting credentials: exec: executable "
				    "%s/.kube/plug.sh failed with exit code 3",
				    w->folder.path).ptr);
	assert_string_equal(credential_error(c)->hint, "it said: login U+001B[31mexpired");
	assert_int_equal(credential_error(c)->code, ERR_AUTH);
	has_authorization(c, "");
	credential_free(c);
}

static void plugins_that_cannot_start(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/plain", "no program");
	cannot_start(w, "exec: {apiVersion: " V1 ", command: ./nosuch.sh, interactiveMode: Never}",
		     arena_printf(&w->arena,
				  "exec: fork/exec %s/.kube/nosuch.sh: no such file or directory",
				  w->folder.path).ptr);
	cannot_start(w, "exec: {apiVersion: " V1 ", command: ./plain, interactiveMode: Never}",
		     arena_printf(&w->arena, "exec: fork/exec %s/.kube/plain: permission denied",
				  w->folder.path).ptr);
	cannot_start(w, "exec: {apiVersion: " V1 ", command: no-such-command, interactiveMode: "
		     "Never}", "exec: executable no-such-command not found");
}

static void too_much_data(void **state)
{
	struct world *w = *state;
	char ca[200000];
	struct credential *c;

	memset(ca, '\n', sizeof(ca));
	memcpy(ca, CERT_PEM, sizeof(CERT_PEM) - 1);
	ca[sizeof(ca) - 1] = '\0';
	folder_put(&w->folder, ".kube/ca.crt", ca);
	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	put_config(w, SERVER ", certificate-authority: ca.crt", EXEC ", provideClusterInfo: true}");
	loads(w);
	c = credential_new(&w->config, false);
	credential_start(c, NOW);
	assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
	assert_non_null(strstr(credential_error(c)->msg, "argument list too long"));
	assert_non_null(strstr(credential_error(c)->hint, "KUBERNETES_EXEC_INFO"));
	credential_free(c);
}

static void endless_output(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_plugin(w, "head -c 2000000 /dev/zero");
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
	assert_non_null(strstr(credential_error(c)->msg, "printed more than 1024 KiB"));
	credential_free(c);
}

static void install_hints_are_harmless(void **state)
{
	struct world *w = *state;
	struct credential *c = open_user(w, "exec: {apiVersion: " V1 ", command: no-such-command, "
					 "interactiveMode: Never, "
					    "installHint: \"get it:\\n\\tat \\e[1mhome\\u202e\"}");

	credential_start(c, NOW);
	failed_with(c, "getting credentials: exec: executable no-such-command not found");
	assert_string_equal(credential_error(c)->hint, "get it:\n\tat U+001B[1mhomeU+202E");
	credential_free(c);
}

static void not_run_for_who_has_something_else(void **state)
{
	static const char *const users[] = { "token: t", "tokenFile: f", "username: u, password: p",
					     "client-certificate: c.crt, client-key: k.key" };
	struct world *w = *state;

	folder_put(&w->folder, ".kube/f", "t");
	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/k.key", KEY_PEM);
	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		struct credential *c = open_user(w,
						 arena_printf(&w->arena, "%s, " EXEC "}",
							      users[i]).ptr);

		assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
		credential_free(c);
	}
	assert_int_equal(runs(w), 0);
}

static void nothing_secret_in_errors(void **state)
{
	static const char *const bodies[] = {
		"echo 'hush: hush: hush'", "echo '\"hush'", "echo hush; exit 1",
		"echo '{\"hush\":\"hush\"}'",
		"echo '" CREDENTIAL("\"token\":[\"hush\"]") "'",
		"echo '" CREDENTIAL("\"token\":\"hush\\\\u0001\"") "'",
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct credential *c;

		put_plugin(w, bodies[i]);
		c = open_user(w, EXEC ", args: [hush], env: [{name: A, value: hush}]}");
		obtain(c, NOW);
		assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
		assert_null(strstr(credential_error(c)->msg, "hush"));
		assert_null(strstr(credential_error(c)->hint, "hush"));
		credential_free(c);
	}
}

static void no_descriptor_leaks_into_plugins(void **state)
{
	struct world *w = *state;
	struct credential *c;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	put_plugin(w, "for f in 3 4 5 6 7 8 9; do test -e /proc/self/fd/$f && echo $f; done >fds\n"
		      "readlink /proc/self/fd/0 >stdin\ncat out");
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"tok\""));
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	assert_string_equal(read_back(w, "fds"), "");
	assert_string_equal(read_back(w, "stdin"), "/dev/null\n");
	credential_free(c);
	close(fd);
}

static void relative_entries_of_path_are_refused(void **state)
{
	struct world *w = *state;

	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	assert_int_equal(chdir(folder_path(&w->folder, ".kube")), 0);
	setenv("PATH", ".::/usr/bin:/bin", 1);
	cannot_start(w, "exec: {apiVersion: " V1 ", command: plug.sh, interactiveMode: Never}",
		     "exec: executable plug.sh not found");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(runs(w), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_run_for_all), T(arguments_and_environment), T(cluster_info),
		T(the_ca_file_is_inlined), T(mistakes_in_the_kubeconfig),
		T(v1beta1_needs_no_mode), T(always_needs_a_terminal),
		T(plugins_that_ask), T(answers_may_be_yaml), T(answers_that_are_none),
		T(a_failing_plugin), T(plugins_that_cannot_start), T(too_much_data),
		T(endless_output), T(install_hints_are_harmless),
		T(not_run_for_who_has_something_else), T(nothing_secret_in_errors),
		T(no_descriptor_leaks_into_plugins),
		T(relative_entries_of_path_are_refused),
	};

	/* wherever the tests run, there is no terminal */
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	return cmocka_run_group_tests_name("exec plugin", tests, NULL, NULL);
}
