/* SPDX-License-Identifier: Apache-2.0 */
/* Which files count, how they are merged and what may stand in them: as with kubectl. */
#include "tests/unit/kubeconfig_world.h"

#include <time.h>

/* ---- which files, and how they are merged ------------------------------------ */

static void entries_of_several_files(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, "d1/k1", "users: [{name: u1, user: {token: t1}}]\n" CONTEXT);
	folder_put(&w->folder, "d2/k2", "clusters: [{name: c1, cluster: {"
		   SERVER ", certificate-authority: myca.crt}}]\n");
	folder_put(&w->folder, "d2/myca.crt", CERT_PEM);
	set_kubeconfig(w, "@/d1/k1:@/d2/k2");
	loads(w);
	assert_str(w->config.server, "https://127.0.0.1:6443");
	assert_str(w->config.token, "t1");
	assert_str(w->config.ca_pem, CERT_PEM);
	assert_string_equal(w->config.ca_file.ptr, folder_path(&w->folder, "d2/myca.crt"));
	assert_true(w->config.ca_given);
}

static void first_entry_wins_whole(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: first");
	folder_put(&w->folder, "k2", "users: [{name: u1, user: {token: second, as: zed}}]\n");
	set_kubeconfig(w, "@/.kube/config:@/k2");
	loads(w);
	assert_str(w->config.token, "first");
	assert_str(w->config.as.user, "");
}

static void first_context_and_current_context(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, "k1",
		   "contexts: [{name: x1, context: {namespace: ns1}}]\ncurrent-context: x1\n");
	folder_put(&w->folder, "k2", "contexts: [{name: x1, context: {namespace: ns2}}, {name: "
		   "x2}]\ncurrent-context: x2\n");
	set_kubeconfig(w, "@/k1:@/k2");
	loads(w);
	assert_str(w->config.context, "x1");
	assert_str(w->config.namespace, "ns1");
}

static void empty_and_missing_names_are_skipped(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: one");
	folder_put(&w->folder, "k2", "users: [{name: u1, user: {token: two}}]\n");
	set_kubeconfig(w, ":@/k2::/nope:@/.kube/config:");
	loads(w);
	assert_str(w->config.token, "two");
}

static void a_list_without_names_leaves_home_alone(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: one");
	setenv("KUBECONFIG", ":", 1);
	loads(w);
	assert_str(w->config.server, "http://localhost:8080");
	assert_true(w->config.from_default);
}

static void empty_kubeconfig_means_home(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: one");
	setenv("KUBECONFIG", "", 1);
	loads(w);
	assert_str(w->config.server, "https://127.0.0.1:6443");
	assert_false(w->config.from_default);
}

static void missing_files_give_the_default(void **state)
{
	struct world *w = *state;

	setenv("KUBECONFIG", "/nope", 1);
	loads(w);
	assert_str(w->config.server, "http://localhost:8080");
	assert_true(w->config.from_default);
	assert_str(w->config.namespace, "default");
}

static void missing_file_by_flag(void **state)
{
	struct world *w = *state;

	w->flags.kubeconfig = "/nope";
	fails(w, "stat /nope: no such file or directory");
}

static void flag_excludes_the_environment(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, "a", "clusters: [{name: c1, cluster: {" SERVER "}}]\n" CONTEXT);
	folder_put(&w->folder, "b", "users: [{name: u1, user: {token: b}}]\n");
	set_kubeconfig(w, "@/b");
	w->flags.kubeconfig = folder_path(&w->folder, "a");
	loads(w);
	assert_str(w->config.token, "");
}

static void a_bad_file_is_fatal(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: one");
	folder_put(&w->folder, "bad", "clusters: [\n");
	set_kubeconfig(w, "@/bad:@/.kube/config");
	assert_int_equal(load(w), -1);
	assert_non_null(strstr(w->err.msg, "error loading config file \""));
	assert_non_null(strstr(w->err.msg, "/bad\": yaml: line "));
	assert_true(w->err.hint[0] != '\0');
}

static void a_folder_is_no_file(void **state)
{
	struct world *w = *state;

	w->flags.kubeconfig = "/tmp";
	fails(w, "error loading config file \"/tmp\": read /tmp: is a directory");
}

static void empty_files(void **state)
{
	static const char *const texts[] = { "", "{}", "---\n", "# nothing\n", "null\n",
					    "{}\n---\nclusters: 5\n" };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		folder_put(&w->folder, ".kube/config", texts[i]);
		loads(w);
		assert_true(w->config.from_default);
	}
}

static void only_the_first_document(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/config",
		   "contexts: [{name: a, context: {namespace: one}}]\ncurrent-context: a\n"
		   "---\ncontexts: [{name: a, context: {namespace: two}}]\n");
	loads(w);
	assert_str(w->config.namespace, "one");
}

static void bom_crlf_and_json(void **state)
{
	static const char *const texts[] = {
		"\xef\xbb\xbf" "contexts:\r\n- name: a\r\n  context:\r\n    namespace: "
			       "one\r\ncurrent-context: a\r\n",
		"---\ncontexts: [{name: a, context: {namespace: one}}]\ncurrent-context: a\n",
		"{\"contexts\":[{\"name\":\"a\",\"context\":{\"namespace\":\"one\"}}],\"current-context\":\"a\"}",
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		folder_put(&w->folder, ".kube/config", texts[i]);
		loads(w);
		assert_str(w->config.namespace, "one");
	}
}

static void anchors_and_merge_keys(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/config",
		   "x-base: &base {tls-server-name: api.test, insecure-skip-tls-verify: true}\n"
		   "x-user: &user {token: tok}\n"
		   "clusters: [{name: c1, cluster: {<<: *base, " SERVER "}}]\n"
		   "users: [{name: u1, user: *user}]\n" CONTEXT);
	loads(w);
	assert_str(w->config.tls_server_name, "api.test");
	assert_true(w->config.insecure);
	assert_str(w->config.token, "tok");
}

static void alias_bomb(void **state)
{
	struct world *w = *state;
	struct buf b = { 0 };
	time_t start = time(NULL);

	buf_add_cstr(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 10; i++) {
		buf_printf(&b, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			buf_printf(&b, "%s*a%d", j ? "," : "", i - 1);
		buf_add_cstr(&b, "]\n");
	}
	folder_put(&w->folder, ".kube/config", buf_cstr(&b));
	buf_release(&b);
	assert_int_equal(load(w), -1);
	assert_true(time(NULL) - start < 30);
}

static void last_of_equal_keys(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "token: tok1, token: tok2");
	loads(w);
	assert_str(w->config.token, "tok2");
}

static void duplicate_names_tell_no_secret(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/config",
		   "users: [{name: u1, user: {token: hush1}}, {name: u1, user: {password: "
		   "hush2}}]\n");
	fails(w, "error loading config file \"@/.kube/config\": duplicate name \"u1\" in list "
	      "of users");
	assert_null(strstr(w->err.msg, "hush"));
	assert_null(strstr(w->err.hint, "hush"));
	folder_put(&w->folder, ".kube/config", "clusters: [{}, {}]\n");
	fails(w, "error loading config file \"@/.kube/config\": duplicate name \"\" in list of "
	      "clusters");
}

static void tabs_are_told_with_their_line(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/config",
		   "apiVersion: v1\nclusters:\n- name: c\n\tcluster: {}\n");
	assert_int_equal(load(w), -1);
	assert_non_null(strstr(w->err.msg, "/.kube/config\": yaml: line 4: found a tab character that violate"));	/* libyaml 0.2.2 has no s */
}

/* ---- types ----------------------------------------------------------------------- */

/* Words as kubectl prints them. */
static const struct mistake mistakes[] = {
	{ "users: [{name: a, user: {token: 12345}}]",
	  "json: cannot unmarshal number into Go struct field AuthInfo.users.user.token of type "
	  "string" },
	{ "users: [{name: a, user: {token: yes}}]",
	  "json: cannot unmarshal bool into Go struct field AuthInfo.users.user.token of type "
	  "string" },
	{ "users: [{name: a, user: {token: [x]}}]",
	  "json: cannot unmarshal array into Go struct field AuthInfo.users.user.token of type "
	  "string" },
	{ "users: [{name: a, user: {exec: foo}}]",
	  "json: cannot unmarshal string into Go struct field AuthInfo.users.user.exec of type "
	  "map" },
	{ "users: [{name: a, user: {exec: {args: a}}}]",
	  "json: cannot unmarshal string into Go struct field ExecConfig.users.user.exec.args of "
	  "type list" },
	{ "users: [{name: a, user: {exec: {args: [1]}}}]",
	  "json: cannot unmarshal number into Go struct field ExecConfig.users.user.exec.args of "
	  "type string" },
	{ "users: [{name: a, user: {exec: {env: [{name: 1}]}}}]",
	  "json: cannot unmarshal number into Go struct field ExecEnvVar.users.user.exec.env.name "
	  "of type string" },
	{ "users: [{name: a, user: {exec: {provideClusterInfo: x}}}]",
	  "json: cannot unmarshal string into Go struct field "
	  "ExecConfig.users.user.exec.provideClusterInfo of type bool" },
	{ "users: [{name: a, user: {as-groups: x}}]",
	  "json: cannot unmarshal string into Go struct field AuthInfo.users.user.as-groups of "
	  "type list" },
	{ "users: [{name: a, user: {as-user-extra: {k: v}}}]",
	  "json: cannot unmarshal string into Go struct field AuthInfo.users.user.as-user-extra of "
	  "type list" },
	{ "users: [{name: a, user: {client-certificate-data: 5}}]",
	  "json: cannot unmarshal number into Go struct field "
	  "AuthInfo.users.user.client-certificate-data of type string" },
	{ "users: [{name: a, user: {auth-provider: {config: {k: 1}}}}]",
	  "json: cannot unmarshal number into Go struct field "
	  "AuthProviderConfig.users.user.auth-provider.config of type string" },
	{ "clusters: x", "json: cannot unmarshal string into Go struct field clusters of "
	 "type list" },
	{ "clusters: [x]", "json: cannot unmarshal string into Go struct field clusters of "
	 "type map" },
	{ "clusters: [{name: 1}]",
	  "json: cannot unmarshal number into Go struct field clusters.name of type "
	  "string" },
	{ "clusters: [{name: a, cluster: x}]",
	  "json: cannot unmarshal string into Go struct field Cluster.clusters.cluster of "
	  "type map" },
	{ "clusters: [{name: a, cluster: {insecure-skip-tls-verify: \"true\"}}]",
	  "json: cannot unmarshal string into Go struct field "
	  "Cluster.clusters.cluster.insecure-skip-tls-verify of type bool" },
	{ "clusters: [{name: a, cluster: {insecure-skip-tls-verify: 1}}]",
	  "json: cannot unmarshal number into Go struct field "
	  "Cluster.clusters.cluster.insecure-skip-tls-verify of type bool" },
	{ "contexts: [{name: a, context: {namespace: 1}}]",
	  "json: cannot unmarshal number into Go struct field Context.contexts.context.namespace "
	  "of type string" },
	{ "current-context: 5", "json: cannot unmarshal number into Go struct field "
	 "Config.current-context of type string" },
	{ "hello", "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct" },
	{ "apiVersion: v2", "no kind \"Config\" is registered for version \"v2\"" },
	{ "kind: Foo", "no kind \"Foo\" is registered for version \"v1\"" },
	{ "users: [{name: a, user: {client-certificate-data: A===}}]",
	 "illegal base64 data at input byte 1" },
};

static void wrong_types(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct config_file file;
		struct err err = { 0 };

		assert_int_equal(config_file_parse(str_of(mistakes[i].text), &w->arena, &file,
						   &err), -1);
		assert_string_equal(err.msg, mistakes[i].message);
		assert_int_equal(err.code, ERR_INPUT);
	}
}

static void quoted_true_is_no_bool(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER ", insecure-skip-tls-verify: \"true\"", "");
	assert_int_equal(load(w), -1);
	assert_false(w->config.insecure);
}

static void yes_is_true(void **state)
{
	static const char *const words[] = { "yes", "on", "y", "True", "TRUE" };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct buf b = { 0 };

		buf_printf(&b, SERVER ", insecure-skip-tls-verify: %s", words[i]);
		put_config(w, buf_cstr(&b), "");
		buf_release(&b);
		loads(w);
		assert_true(w->config.insecure);
	}
}

static void keys_are_case_sensitive(void **state)
{
	struct world *w = *state;

	put_config(w, "Server: 'https://127.0.0.1:6443'", "Token: x");
	loads(w);
	assert_str(w->config.server, "http://localhost:8080");
	assert_true(w->config.from_default);
}

static void base64_as_go_reads_it(void **state)
{
	static const struct {
		const char *text;
		int bad;
	} samples[] = {
		{ "QUJD", -1 }, { "QUI=", -1 },	  { "QQ==", -1 },     { "QU\\nJD", -1 },
		{ "QUJD\\r\\n", -1 },
		{ "QUJ", 0 },	{ "QUJDQ", 4 },	  { "QUJD QUJD", 4 },
		{ "QQ=", 3 },	 { "Q===", 1 }, { "QU-_", 2 },	{ "QQ==QQ==", 4 }, { "=", 0 },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct config_file file;
		struct err err = { 0 };
		struct buf b = { 0 };
		char message[80] = "";
		int result;

		buf_printf(&b, "clusters: [{name: a, cluster: {certificate-authority-data: "
			   "\"%s\"}}]", samples[i].text);
		result = config_file_parse(buf_str(&b), &w->arena, &file, &err);
		buf_release(&b);
		assert_int_equal(result, samples[i].bad < 0 ? 0 : -1);
		if (samples[i].bad >= 0)
			snprintf(message, sizeof(message), "illegal base64 data at input byte %d",
				 samples[i].bad);
		assert_string_equal(err.msg, message);
	}
}

static void ca_data_with_line_ends(void **state)
{
	struct world *w = *state;
	struct buf data = { 0 }, b = { 0 };

	folder_base64(&data, CERT_PEM);
	buf_printf(&b, SERVER ", certificate-authority-data: \"%.20s\\n%s\\n\"", buf_cstr(&data),
		   buf_cstr(&data) + 20);
	put_config(w, buf_cstr(&b), "");
	loads(w);
	assert_str(w->config.ca_pem, CERT_PEM);
	assert_str(w->config.ca_file, "");
	buf_release(&data);
	buf_release(&b);
}

static void ca_data_with_a_blank(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER ", certificate-authority-data: 'QUJD QUJD'", "");
	fails(w, "error loading config file \"@/.kube/config\": illegal base64 data at input byte "
	      "4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(entries_of_several_files), T(first_entry_wins_whole),
		T(first_context_and_current_context), T(empty_and_missing_names_are_skipped),
		T(a_list_without_names_leaves_home_alone), T(empty_kubeconfig_means_home),
		T(missing_files_give_the_default), T(missing_file_by_flag),
		T(flag_excludes_the_environment), T(a_bad_file_is_fatal),
		T(a_folder_is_no_file), T(empty_files), T(only_the_first_document),
		T(bom_crlf_and_json), T(anchors_and_merge_keys), T(alias_bomb),
		T(last_of_equal_keys), T(duplicate_names_tell_no_secret),
		T(tabs_are_told_with_their_line), T(wrong_types),
		T(quoted_true_is_no_bool), T(yes_is_true), T(keys_are_case_sensitive),
		T(base64_as_go_reads_it), T(ca_data_with_line_ends),
		T(ca_data_with_a_blank),
	};

	return cmocka_run_group_tests_name("kubeconfig", tests, NULL, NULL);
}
