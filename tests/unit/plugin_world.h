/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of credentials share: plugins are small shell scripts in the test's folder. */
#ifndef TESTS_UNIT_PLUGIN_WORLD_H
#define TESTS_UNIT_PLUGIN_WORLD_H

#include "kube/auth/credential.h"
#include "tests/unit/kubeconfig_world.h"

#include <poll.h>

/* The clock of the tests stands still unless they move it. */
#define NOW ((int64_t)1795165200000)	/* 2026-11-20T09:00:00Z */

#define V1 "client.authentication.k8s.io/v1"
#define V1BETA1 "client.authentication.k8s.io/v1beta1"
#define EXEC "exec: {apiVersion: " V1 ", command: ./plug.sh, interactiveMode: Never"
#define HEAD(version) "{\"apiVersion\":\"" version "\",\"kind\":\"ExecCredential\""
#define CREDENTIAL(status) HEAD(V1) ",\"status\":{" status "}}"
#define UNTIL(token, time) \
	CREDENTIAL("\"token\":\"" token "\",\"expirationTimestamp\":\"" time "\"")

/* plug.sh notes each run in "runs", what it is told in "info", then does what body says. */
static inline void put_plugin(struct world *w, const char *body)
{
	struct buf b = { 0 };

	buf_printf(&b, "#!/bin/sh\ncd '%s' || exit 9\necho run >>runs\n"
		       "printf %%s \"$KUBERNETES_EXEC_INFO\" >info\n%s\n", w->folder.path, body);
	folder_put_mode(&w->folder, ".kube/plug.sh", buf_cstr(&b), 0755);
	buf_release(&b);
}

/* A plugin that prints the text of the file "out". */
static inline void put_answer(struct world *w, const char *text)
{
	put_plugin(w, "cat out");
	folder_put(&w->folder, "out", text);
}

static inline const char *read_back(struct world *w, const char *name)
{
	struct buf text = { 0 };
	FILE *in = fopen(folder_path(&w->folder, name), "r");
	const char *result;
	int c;

	while (in && (c = getc(in)) != EOF)
		buf_add_char(&text, (char)c);
	if (in)
		fclose(in);
	result = arena_printf(&w->arena, "%s", buf_cstr(&text)).ptr;
	buf_release(&text);
	return result ? result : "";
}

/* How often plug.sh was started. */
static inline size_t runs(struct world *w)
{
	return strlen(read_back(w, "runs")) / strlen("run\n");
}

/* Lets the plugin go on until *done says so: at most some ten seconds. */
static inline bool wait_for(struct credential *c, int64_t now,
			    bool (*done)(const struct credential *c))
{
	for (int i = 0; i < 1000 && !done(c); i++) {
		struct pollfd fd = { credential_fd(c), POLLIN, 0 };

		poll(&fd, fd.fd >= 0, 10);
		credential_run(c, now);
	}
	return done(c);
}

static inline bool is_settled(const struct credential *c)
{
	return credential_state(c) != CREDENTIAL_RUNNING;
}

/* Starts, and waits for what comes of it. */
static inline enum credential_state obtain(struct credential *c, int64_t now)
{
	credential_start(c, now);
	assert_true(wait_for(c, now, is_settled));
	return credential_state(c);
}

static inline struct credential *open_user(struct world *w, const char *user)
{
	put_config(w, SERVER, user);
	loads(w);
	return credential_new(&w->config, false);
}

static inline void has_authorization(const struct credential *c, const char *value)
{
	struct buf b = { 0 };

	credential_authorization(c, &b);
	assert_string_equal(buf_cstr(&b), value);
	buf_release(&b);
}

static inline void failed_with(const struct credential *c, const char *message)
{
	assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
	assert_non_null(credential_error(c));
	assert_string_equal(credential_error(c)->msg, message);
}

/* The plugin of that user must not even start. */
static inline void cannot_start(struct world *w, const char *user, const char *message)
{
	struct credential *c = open_user(w, user);

	credential_start(c, NOW);
	failed_with(c, arena_printf(&w->arena, "getting credentials: %s", message).ptr);
	credential_free(c);
}

#endif
