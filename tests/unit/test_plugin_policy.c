/* SPDX-License-Identifier: Apache-2.0 */
/* Which plugins kuberc allows: a security knob, so that mistakes must close it. */
#include "tests/unit/plugin_world.h"

#define KUBERC(policy) "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n" \
	"credentialPluginPolicy: " policy "\n"

static void policies(void **state)
{
	struct world *w = *state;
	struct credential *c;
	const char *plugin = folder_path(&w->folder, ".kube/plug.sh");

	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	folder_put(&w->folder, ".kube/kuberc", KUBERC("DenyAll"));
	cannot_start(w, EXEC "}",
		     arena_printf(&w->arena, "plugin \"%s\" not allowed: policy set to \"DenyAll\"",
				  plugin).ptr);
	folder_put(&w->folder, ".kube/kuberc",
		   KUBERC("Allowlist\ncredentialPluginAllowlist: [{command: foo}]"));
	cannot_start(w, EXEC "}",
		     arena_printf(&w->arena, "plugin path \"%s\" is not permitted by the "
				  "credential plugin allowlist",
					       plugin).ptr);
	assert_int_equal(runs(w), 0);
	folder_put(&w->folder, ".kube/kuberc",
		   arena_printf(&w->arena,
				KUBERC("Allowlist\ncredentialPluginAllowlist: [{command: %s}]"),
							    plugin).ptr);
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	credential_free(c);
	/* an entry is looked up in $PATH, too */
	folder_put(&w->folder, ".kube/kuberc",
		   KUBERC("Allowlist\ncredentialPluginAllowlist: [{name: plug.sh}]"));
	setenv("PATH", arena_printf(&w->arena, "%s/.kube:/usr/bin:/bin", w->folder.path).ptr, 1);
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	credential_free(c);
	setenv("KUBERC", "off", 1);
	folder_put(&w->folder, ".kube/kuberc", KUBERC("DenyAll"));
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	credential_free(c);
}

static void policies_that_make_no_sense(void **state)
{
	static const struct mistake samples[] = {
		{ KUBERC("Foo"), "kuberc: credentialPluginPolicy \"Foo\" is none of AllowAll, DenyAll and Allowlist" },
		{ KUBERC("DenyAll\naliases: [\"a\\0b\"]"),
		  "kuberc, in its form as JSON: a text with a NUL at byte 120" },
		{ KUBERC("Allowlist"),
		  "kuberc: credentialPluginPolicy is Allowlist, but credentialPluginAllowlist names no plugin; "
		  "DenyAll allows none" },
		{ KUBERC("Allowlist\ncredentialPluginAllowlist: []"),
		  "kuberc: credentialPluginPolicy is Allowlist, but credentialPluginAllowlist names no plugin; "
		  "DenyAll allows none" },
		{ KUBERC("Allowlist\ncredentialPluginAllowlist: [{comand: x}]"),
		  "kuberc: entry 1 of credentialPluginAllowlist has no command" },
		{ KUBERC("Allowlist\ncredentialPluginAllowlist: [{command: ./x}]"),
		  "kuberc: in credentialPluginAllowlist write \"x\" instead of \"./x\"" },
		{ KUBERC("AllowAll\ncredentialPluginAllowlist: [{command: x}]"),
		  "kuberc: credentialPluginAllowlist needs credentialPluginPolicy: Allowlist" },
	};
	struct world *w = *state;

	put_config(w, SERVER, EXEC "}");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		folder_put(&w->folder, ".kube/kuberc", samples[i].text);
		fails(w, samples[i].message);
	}
	/* who uses no plugin is not kept from working */
	put_config(w, SERVER, "token: t");
	loads(w);
	setenv("KUBERC", "/nope", 1);
	put_config(w, SERVER, EXEC "}");
	fails(w, "kuberc: open /nope: no such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(policies), T(policies_that_make_no_sense),
	};

	/* wherever the tests run, there is no terminal */
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	return cmocka_run_group_tests_name("plugin policy", tests, NULL, NULL);
}
