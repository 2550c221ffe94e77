/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of config_load() share: a folder, flags, and the configuration made of them. */
#ifndef TESTS_UNIT_KUBECONFIG_WORLD_H
#define TESTS_UNIT_KUBECONFIG_WORLD_H

#include "kube/config/config_file.h"
#include "kube/config/kubeconfig.h"
#include "tests/unit/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct mistake {
	const char *text, *message;
};

struct world {
	struct folder folder;
	struct arena arena;
	struct config_flags flags;
	struct client_config config;
	struct err err;
};

#define assert_str(s, text) assert_string_equal((s).ptr, text)

static inline int setup(void **state)
{
	static struct world fresh;
	struct world *w = test_malloc(sizeof(*w));

	*w = fresh;
	*state = w;
	return folder_make(&w->folder);
}

static inline int teardown(void **state)
{
	struct world *w = *state;

	folder_remove(&w->folder);
	arena_release(&w->arena);
	test_free(w);
	return 0;
}

/* $KUBECONFIG from names in the folder, each after its colon; "@" stands for the folder. */
static inline void set_kubeconfig(struct world *w, const char *list)
{
	struct buf b = { 0 };

	for (; *list; list++)
		if (*list == '@')
			buf_add_cstr(&b, w->folder.path);
		else
			buf_add_char(&b, *list);
	setenv("KUBECONFIG", buf_cstr(&b), 1);
	buf_release(&b);
}

static inline int load(struct world *w)
{
	w->err = (struct err){ 0 };
	w->flags.in_cluster_dir = folder_path(&w->folder, "sa");
	return config_load(&w->flags, &w->arena, &w->config, &w->err);
}

static inline void loads(struct world *w)
{
	if (load(w) < 0)
		fail_msg("%s", w->err.msg);
}

/* The message must be that one; '@' in it stands for the folder. */
static inline void fails(struct world *w, const char *message)
{
	struct buf b = { 0 };

	assert_int_equal(load(w), -1);
	for (; *message; message++)
		if (*message == '@')
			buf_add_cstr(&b, w->folder.path);
		else
			buf_add_char(&b, *message);
	assert_string_equal(w->err.msg, buf_cstr(&b));
	assert_int_equal(w->err.code, ERR_INPUT);
	buf_release(&b);
}

#define CONTEXT "contexts: [{name: x, context: {cluster: c1, user: u1}}]\ncurrent-context: x\n"

/* A kubeconfig with one cluster and one user, made of the fields given, as ~/.kube/config. */
static inline void put_config(struct world *w, const char *cluster, const char *user)
{
	struct buf b = { 0 };

	buf_printf(&b, "clusters: [{name: c1, cluster: {%s}}]\nusers: [{name: u1, user: "
		   "{%s}}]\n" CONTEXT, cluster, user);
	folder_put(&w->folder, ".kube/config", buf_cstr(&b));
	buf_release(&b);
}

#define SERVER "server: 'https://127.0.0.1:6443'"

/* SERVER with a CA, or any PEM, inline: fields is a format with one %s for its base64. */
static inline void put_with_data(struct world *w, const char *pem, const char *cluster,
				 const char *user)
{
	struct buf data = { 0 }, c = { 0 }, u = { 0 };

	folder_base64(&data, pem);
	for (; *cluster; cluster++)
		if (*cluster == '%')
			buf_add(&c, buf_str(&data));
		else
			buf_add_char(&c, *cluster);
	for (; *user; user++)
		if (*user == '%')
			buf_add(&u, buf_str(&data));
		else
			buf_add_char(&u, *user);
	put_config(w, buf_cstr(&c), buf_cstr(&u));
	buf_release(&data);
	buf_release(&c);
	buf_release(&u);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
