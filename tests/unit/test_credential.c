/* SPDX-License-Identifier: Apache-2.0 */
/* Who we say that we are, from what is configured; plugins have a file of their own. */
#include "tests/unit/plugin_world.h"

static void test_token(void **state)
{
	struct world *w = *state;
	struct credential *c = open_user(w, "token: tok1");

	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer tok1");
	assert_int_equal(credential_fd(c), -1);
	assert_int_equal(credential_deadline(c), 0);
	assert_false(credential_rejected(c, credential_serial(c), NOW));
	credential_free(c);
}

static void nobody(void **state)
{
	struct world *w = *state;
	struct credential *c = open_user(w, "client-key: only-a-key");

	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "");
	assert_int_equal(credential_cert(c).len, 0);
	credential_free(c);
}

static void token_files_are_trimmed(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", " filetok\n\n");
	c = open_user(w, "tokenFile: tok");
	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer filetok");
	credential_free(c);
}

static void token_files_are_read_again(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", "one");
	c = open_user(w, "tokenFile: tok");
	credential_start(c, NOW);
	folder_put(&w->folder, ".kube/tok", "two");
	credential_start(c, NOW + 49000);
	has_authorization(c, "Bearer one");
	credential_start(c, NOW + 50000);
	has_authorization(c, "Bearer two");
	/* gone, or empty: the last one stays */
	unlink(folder_path(&w->folder, ".kube/tok"));
	assert_int_equal(credential_start(c, NOW + 110000), CREDENTIAL_READY);
	has_authorization(c, "Bearer two");
	assert_non_null(strstr(credential_notice(c), "failed to read token file"));
	folder_put(&w->folder, ".kube/tok", "\n");
	assert_int_equal(credential_start(c, NOW + 120000), CREDENTIAL_READY);
	has_authorization(c, "Bearer two");
	folder_put(&w->folder, ".kube/tok", "three");
	credential_start(c, NOW + 130000);
	has_authorization(c, "Bearer three");
	assert_string_equal(credential_notice(c), "");
	credential_free(c);
}

static void a_refused_token_is_read_again_at_once(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", "one");
	c = open_user(w, "tokenFile: tok");
	credential_start(c, NOW);
	assert_false(credential_rejected(c, credential_serial(c), NOW + 1));
	folder_put(&w->folder, ".kube/tok", "two");
	assert_true(credential_rejected(c, credential_serial(c), NOW + 2));
	has_authorization(c, "Bearer two");
	credential_free(c);
}

static void the_clock_may_be_set_back(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", "one");
	c = open_user(w, "tokenFile: tok");
	credential_start(c, NOW);
	folder_put(&w->folder, ".kube/tok", "two");
	credential_start(c, NOW - 86400000);
	has_authorization(c, "Bearer two");
	credential_free(c);
}

static void the_file_wins_unless_a_flag_says_otherwise(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", "filetok");
	c = open_user(w, "token: tok, tokenFile: tok");
	credential_start(c, NOW);
	has_authorization(c, "Bearer filetok");
	credential_free(c);
	w->flags.token = "flagtok";
	c = open_user(w, "token: tok, tokenFile: tok");
	credential_start(c, NOW);
	has_authorization(c, "Bearer flagtok");
	credential_free(c);
	w->flags.token = NULL;
	c = open_user(w, "token: tok, tokenFile: nope");
	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer tok");
	credential_free(c);
}

static void missing_token_file(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "tokenFile: nope");
	fails(w, "open @/.kube/nope: no such file or directory");
}

static void empty_token_file(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/tok", "\n");
	c = open_user(w, "tokenFile: tok");
	assert_int_equal(credential_start(c, NOW), CREDENTIAL_FAILED);
	assert_non_null(strstr(credential_error(c)->msg, "read empty token from file"));
	folder_put(&w->folder, ".kube/tok", "late");
	assert_int_equal(credential_start(c, NOW + 1000), CREDENTIAL_READY);
	has_authorization(c, "Bearer late");
	credential_free(c);
}

static void long_tokens(void **state)
{
	struct world *w = *state;
	char token[12289], user[12400], value[12400];
	struct credential *c;

	memset(token, 'x', sizeof(token) - 1);
	token[sizeof(token) - 1] = '\0';
	snprintf(user, sizeof(user), "token: %s", token);
	snprintf(value, sizeof(value), "Bearer %s", token);
	c = open_user(w, user);
	credential_start(c, NOW);
	has_authorization(c, value);
	credential_free(c);
}

static void tokens_that_would_break_the_header(void **state)
{
	static const char *const tokens[] = { "token: \"a\\nX-Evil: b\"", "token: \"a\\x7f\"" };
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		struct credential *c = open_user(w, tokens[i]);

		credential_start(c, NOW);
		failed_with(c, "net/http: invalid header field value for \"Authorization\"");
		credential_free(c);
	}
	put_config(w, SERVER, "token: \"a\\0b\"");
	fails(w, "error loading config file \"@/.kube/config\": in its form as JSON: a text with a NUL at byte 120");
}

static void client_certificates(void **state)
{
	static const char *const users[] = {
		"client-certificate-data: %, client-key: k.key",
		"client-certificate: c.crt, client-key: k.key",
	};
	struct world *w = *state;

	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/k.key", KEY_PEM);
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		struct credential *c;

		put_with_data(w, CERT_PEM, SERVER, users[i]);
		loads(w);
		c = credential_new(&w->config, false);
		assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
		assert_str(credential_cert(c), CERT_PEM);
		assert_str(credential_key(c), KEY_PEM);
		credential_free(c);
	}
}

static void certificate_and_token(void **state)
{
	struct world *w = *state;
	struct credential *c;

	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/k.key", KEY_PEM);
	w->flags.token = "tok";
	c = open_user(w, "client-certificate: c.crt, client-key: k.key");
	credential_start(c, NOW);
	has_authorization(c, "Bearer tok");
	assert_str(credential_cert(c), CERT_PEM);
	credential_free(c);
}

static void mistakes_with_certificates(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/k.key", KEY_PEM);
	folder_put(&w->folder, ".kube/junk", "junk");
	put_config(w, SERVER, "client-certificate: c.crt");
	fails(w, "client-key-data or client-key must be specified for u1 to use the clientCert "
	      "authentication method.");
	put_config(w, SERVER, "client-certificate: nope, client-key: k.key");
	fails(w, "unable to read client-cert @/.kube/nope for u1 due to open @/.kube/nope: no such "
	      "file or directory");
	put_config(w, SERVER, "client-certificate: c.crt, client-key: nope");
	fails(w, "unable to read client-key @/.kube/nope for u1 due to open @/.kube/nope: no such "
	      "file or directory");
	put_with_data(w, CERT_PEM, SERVER,
		      "client-certificate: c.crt, client-certificate-data: %, client-key: k.key");
	fails(w, "client-cert-data and client-cert are both specified for u1. client-cert-data "
	      "will override.");
	put_with_data(w, KEY_PEM, SERVER,
		      "client-certificate: c.crt, client-key-data: %, client-key: k.key");
	fails(w, "client-key-data and client-key are both specified for u1; client-key-data will "
	      "override");
	put_config(w, SERVER, "client-certificate: junk, client-key: k.key");
	fails(w, "tls: failed to find any PEM data in certificate input");
	put_config(w, SERVER, "client-certificate: c.crt, client-key: junk");
	fails(w, "tls: failed to find any PEM data in key input");
	put_config(w, SERVER, "client-certificate: k.key, client-key: k.key");
	fails(w, "tls: failed to find any PEM data in certificate input");
	assert_string_equal(w->err.hint, "a block of PEM that begins with -----BEGIN CERTIFICATE----- is needed");
}

/* Nobody is asked for a password. */
static void encrypted_keys(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/new.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n"
		   "-----END ENCRYPTED PRIVATE KEY-----\n");
	folder_put(&w->folder, ".kube/old.key", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMA==\n"
		   "-----END RSA PRIVATE KEY-----\n");
	put_config(w, SERVER, "client-certificate: c.crt, client-key: new.key");
	fails(w, "tls: failed to parse private key");
	put_config(w, SERVER, "client-certificate: c.crt, client-key: old.key");
	fails(w, "tls: failed to parse private key");
	assert_non_null(strstr(w->err.hint, "encrypted"));
}

static void certificate_by_flag(void **state)
{
	struct world *w = *state;

	folder_put(&w->folder, "c.crt", CERT_PEM);
	folder_put(&w->folder, "k.key", KEY_PEM);
	w->flags.client_certificate = folder_path(&w->folder, "c.crt");
	w->flags.client_key = folder_path(&w->folder, "k.key");
	put_with_data(w, "junk", SERVER, "client-certificate-data: %, client-key-data: %");
	loads(w);
	assert_str(w->config.cert_pem, CERT_PEM);
	assert_str(w->config.key_pem, KEY_PEM);
}

static void certificates_rotate(void **state)
{
	struct world *w = *state;
	struct credential *c;
	uint32_t generation;

	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	folder_put(&w->folder, ".kube/k.key", KEY_PEM);
	folder_put(&w->folder, ".kube/ca.crt", CERT_PEM);
	put_config(w, SERVER ", certificate-authority: ca.crt",
		   "client-certificate: c.crt, client-key: k.key");
	loads(w);
	c = credential_new(&w->config, false);
	credential_start(c, NOW);
	generation = credential_generation(c);
	credential_start(c, NOW + 60000);
	assert_int_equal(credential_generation(c), generation);
	folder_put(&w->folder, ".kube/c.crt", CERT2_PEM);
	credential_start(c, NOW + 61000);
	assert_str(credential_cert(c), CERT_PEM);
	credential_start(c, NOW + 120000);
	assert_str(credential_cert(c), CERT2_PEM);
	assert_int_not_equal(credential_generation(c), generation);
	generation = credential_generation(c);
	/* half written, or gone: the last good one stays */
	folder_put(&w->folder, ".kube/c.crt", "-----BEG");
	folder_put(&w->folder, ".kube/ca.crt", "");
	credential_start(c, NOW + 180000);
	assert_str(credential_cert(c), CERT2_PEM);
	assert_str(credential_ca(c), CERT_PEM);
	assert_int_equal(credential_generation(c), generation);
	folder_put(&w->folder, ".kube/ca.crt", CERT2_PEM);
	folder_put(&w->folder, ".kube/c.crt", CERT_PEM);
	assert_true(credential_rejected(c, credential_serial(c), NOW + 180001));
	assert_str(credential_ca(c), CERT2_PEM);
	assert_str(credential_cert(c), CERT_PEM);
	credential_free(c);
}

static void basic(void **state)
{
	struct world *w = *state;
	struct credential *c = open_user(w, "username: user, password: 'pass:word'");

	credential_start(c, NOW);
	has_authorization(c, "Basic dXNlcjpwYXNzOndvcmQ=");
	credential_free(c);
	put_config(w, SERVER, "username: user, token: t");
	fails(w, "more than one authentication method found for u1; found [token basicAuth], only "
	      "one is allowed");
	put_config(w, SERVER, "username: user, password: p");
	w->flags.token = "t";
	fails(w, "more than one authentication method found for u1; found [token basicAuth], only "
	      "one is allowed");
	w->flags.token = NULL;
	put_config(w, SERVER, "username: user, tokenFile: tok");
	fails(w, "username/password or bearer token may be set, but not both");
	c = open_user(w, "password: p");	/* nobody's */
	credential_start(c, NOW);
	has_authorization(c, "");
	credential_free(c);
}

static void add_header(void *ctx, struct str line)
{
	buf_add(ctx, line);
	buf_add_char(ctx, '\n');
}

static void has_headers(struct world *w, const char *expected)
{
	struct buf b = { 0 };

	credential_headers(&w->config, &w->arena, add_header, &b);
	assert_string_equal(buf_cstr(&b), expected);
	buf_release(&b);
}

static void impersonation(void **state)
{
	static const char *const groups[] = { "g1", "g2", NULL };
	static const char *const extra[] = { "a/B c=x1", "a/B c=x2", "dropped", "scope-two=%",
					    NULL };
	struct world *w = *state;

	put_config(w, SERVER, "token: t, as-user-extra: {scope-two: [old], kept: [k]}");
	w->flags.as = "zed";
	w->flags.as_uid = "42";
	w->flags.as_groups = groups;
	w->flags.as_user_extra = extra;
	loads(w);
	has_headers(w, "Impersonate-User: zed\nImpersonate-Uid: 42\nImpersonate-Group: "
		    "g1\nImpersonate-Group: g2\n"
		       "Impersonate-Extra-Kept: k\nImpersonate-Extra-A%2fb%20c: "
		       "x1\nImpersonate-Extra-A%2fb%20c: x2\nImpersonate-Extra-Scope-Two: %\n");
	w->flags = (struct config_flags){ 0 };
	put_config(w, SERVER, "token: t");
	loads(w);
	has_headers(w, "");
	put_config(w, SERVER, "token: t, as: \"a\\r\\nX: y\"");
	assert_int_equal(load(w), -1);
}

static void groups_without_a_user(void **state)
{
	static const char *const groups[] = { "g1", NULL };
	struct world *w = *state;

	put_config(w, SERVER, "token: t");
	w->flags.as_groups = groups;
	fails(w, "requesting uid, groups or user-extra for u1 without impersonating a user");
}

static void old_auth_providers(void **state)
{
	struct world *w = *state;

	put_config(w, SERVER, "auth-provider: {name: gcp}");
	fails(w, "The gcp auth plugin has been removed.");
	assert_non_null(strstr(w->err.hint, "gke-gcloud-auth-plugin"));
	put_config(w, SERVER, "auth-provider: {name: azure}");
	fails(w, "The azure auth plugin has been removed.");
	assert_non_null(strstr(w->err.hint, "kubelogin"));
	put_config(w, SERVER, "auth-provider: {name: foo}");
	fails(w, "no Auth Provider found for name \"foo\"");
	put_config(w, SERVER, "auth-provider: {name: oidc}");
	fails(w, "Must provide idp-issuer-url");
	put_config(w, SERVER, "auth-provider: {name: oidc, config: {idp-issuer-url: u}}");
	fails(w, "Must provide client-id");
	put_config(w, SERVER, "auth-provider: {name: oidc}, exec: {apiVersion: " V1 ", command: x, "
		   "interactiveMode: Never}");
	fails(w, "authProvider cannot be provided in combination with an exec plugin for u1");
}

/* An unsigned token whose only claim is when it expires, in seconds. */
static const char *id_token(struct world *w, int64_t exp)
{
	struct str claims = arena_printf(&w->arena, "{\"exp\":%lld}", (long long)exp);
	struct buf b = { 0 };
	const char *token;

	base64_add(&b, claims);
	while (b.len && b.ptr[b.len - 1] == '=')
		b.ptr[--b.len] = '\0';
	token = arena_printf(&w->arena, "e30.%s.sig", buf_cstr(&b)).ptr;
	buf_release(&b);
	return token;
}

static void put_oidc(struct world *w, const char *token, const char *more)
{
	put_config(w, SERVER,
		   arena_printf(&w->arena,
				"auth-provider: {name: oidc, config: {idp-issuer-url: u, "
					   "client-id: c, id-token: '%s'%s}}", token, more).ptr);
	loads(w);
}

static void id_tokens(void **state)
{
	struct world *w = *state;
	const char *token = id_token(w, NOW / 1000 + 60);
	struct credential *c;

	put_oidc(w, token, "");
	c = credential_new(&w->config, false);
	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	has_authorization(c, arena_printf(&w->arena, "Bearer %s", token).ptr);
	assert_int_equal(credential_start(c, NOW + 49000), CREDENTIAL_READY);
	credential_start(c, NOW + 51000);
	failed_with(c, "No valid id-token, and cannot refresh without refresh-token");
	credential_free(c);
	/* a number that no clock reaches is no time of the past */
	put_oidc(w, id_token(w, INT64_MAX), "");
	c = credential_new(&w->config, false);
	assert_int_equal(credential_start(c, NOW), CREDENTIAL_READY);
	credential_free(c);
	put_oidc(w, "no.token", "");
	c = credential_new(&w->config, false);
	credential_start(c, NOW);
	failed_with(c, "ID Token is not a valid JWT");
	credential_free(c);
}

static void kubectl_refreshes_id_tokens(void **state)
{
	struct world *w = *state;
	const char *fresh = id_token(w, NOW / 1000 + 3600);
	struct credential *c;

	/* this kubectl does what the real one does: it asks for a token and stores it */
	put_oidc(w, fresh, ", refresh-token: r");
	folder_put(&w->folder, "refreshed", read_back(w, ".kube/config"));
	put_oidc(w, id_token(w, NOW / 1000 - 1), ", refresh-token: r");
	folder_put_mode(&w->folder, "bin/kubectl",
			"#!/bin/sh\necho \"$*\" >\"$HOME/arguments\"\ncat \"$HOME/refreshed\" "
			">\"$HOME/.kube/config\"\n", 0755);
	setenv("PATH", arena_printf(&w->arena, "%s/bin:/usr/bin:/bin", w->folder.path).ptr, 1);
	c = credential_new(&w->config, false);
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	has_authorization(c, arena_printf(&w->arena, "Bearer %s", fresh).ptr);
	assert_string_equal(read_back(w, "arguments"),
			    "--context=x --request-timeout=30s get --raw /version\n");
	credential_free(c);
	/* one that cannot */
	put_oidc(w, id_token(w, NOW / 1000 - 1), ", refresh-token: r");
	folder_put_mode(&w->folder, "bin/kubectl", "#!/bin/sh\necho 'log in again' >&2\nexit 1\n",
			0755);
	c = credential_new(&w->config, false);
	obtain(c, NOW);
	failed_with(c, "the id-token has expired, and kubectl did not refresh it");
	assert_string_equal(credential_error(c)->hint, "log in again");
	credential_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_token), T(nobody), T(token_files_are_trimmed),
		T(token_files_are_read_again),
		T(a_refused_token_is_read_again_at_once), T(the_clock_may_be_set_back),
		T(the_file_wins_unless_a_flag_says_otherwise), T(missing_token_file),
		T(empty_token_file),
		T(long_tokens), T(tokens_that_would_break_the_header),
		T(client_certificates),
		T(certificate_and_token), T(mistakes_with_certificates),
		T(certificate_by_flag), T(encrypted_keys),
		T(certificates_rotate), T(basic), T(impersonation),
		T(groups_without_a_user),
		T(old_auth_providers), T(id_tokens), T(kubectl_refreshes_id_tokens),
	};

	return cmocka_run_group_tests_name("credential", tests, NULL, NULL);
}
