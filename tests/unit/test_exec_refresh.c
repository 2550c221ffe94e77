/* SPDX-License-Identifier: Apache-2.0 */
/* When exec credential plugins run, run again, and are stopped. */
#include "tests/unit/plugin_world.h"

#include "kube/base/child.h"

#include <errno.h>
#include <signal.h>

static bool is_expiring_later(const struct credential *c)
{
	return credential_deadline(c) > NOW + 90000;
}

static void refreshed_ahead_of_expiry(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, UNTIL("one", "2026-11-20T09:01:30Z"));
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	assert_true(credential_deadline(c) == NOW + 45000);
	credential_run(c, NOW + 44999);
	assert_int_equal(credential_fd(c), -1);
	put_answer(w, UNTIL("two", "2026-11-20T10:00:00Z"));
	/* while it runs, the old one is as good as before */
	assert_int_equal(credential_run(c, NOW + 45000), CREDENTIAL_READY);
	assert_int_not_equal(credential_fd(c), -1);
	has_authorization(c, "Bearer one");
	assert_true(wait_for(c, NOW + 45001, is_expiring_later));
	has_authorization(c, "Bearer two");
	assert_true(credential_deadline(c) == NOW + 3600000 - 45000);
	assert_int_equal(runs(w), 2);
	credential_free(c);
}

static bool is_put_off(const struct credential *c)
{
	return credential_deadline(c) == NOW + 60000;
}

static void a_refresh_that_fails_is_no_loss_yet(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, UNTIL("one", "2026-11-20T09:01:30Z"));
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	put_plugin(w, "echo no >&2; exit 1");
	credential_run(c, NOW + 50000);
	assert_true(wait_for(c, NOW + 50000, is_put_off));
	assert_int_equal(credential_state(c), CREDENTIAL_READY);
	has_authorization(c, "Bearer one");
	/* expired: now it matters */
	obtain(c, NOW + 90000);
	assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
	put_answer(w, CREDENTIAL("\"token\":\"two\""));
	assert_int_equal(obtain(c, NOW + 92000), CREDENTIAL_READY);
	has_authorization(c, "Bearer two");
	credential_free(c);
}

static void expired_credentials(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, UNTIL("old", "2020-01-01T00:00:00Z"));
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer old");
	assert_string_equal(credential_notice(c),
			    "the credential plugin returns expired credentials");
	/* several requests at once, or none at all, are no reason to run it again */
	assert_int_equal(credential_start(c, NOW + 500), CREDENTIAL_READY);
	assert_int_equal(credential_deadline(c), 0);
	assert_int_equal(runs(w), 1);
	assert_int_equal(credential_start(c, NOW + 1000), CREDENTIAL_RUNNING);
	assert_true(wait_for(c, NOW + 1000, is_settled));
	assert_int_equal(runs(w), 2);
	credential_free(c);
}

/* Who waits for a login can be told so, and since when. */
static void test_login_is_waited_for(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_plugin(w, "test -f go && cat out || { sleep 600 & echo $! >pid; wait; }");
	folder_put(&w->folder, "out", UNTIL("one", "2026-11-20T09:01:30Z"));
	c = open_user(w, EXEC "}");
	assert_true(credential_waited_since(c) == 0);
	credential_start(c, NOW);
	credential_run(c, NOW + 9000);
	assert_true(credential_waited_since(c) == NOW);
	credential_free(c);

	folder_put(&w->folder, "go", "");
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	assert_true(credential_waited_since(c) == 0);
	/* ahead of its expiry nobody waits */
	unlink(folder_path(&w->folder, "go"));
	credential_run(c, NOW + 45000);
	assert_int_not_equal(credential_fd(c), -1);
	assert_true(credential_waited_since(c) == 0);
	credential_run(c, NOW + 90000);
	assert_true(credential_waited_since(c) == NOW + 90000);
	credential_free(c);
}

static void a_refused_credential_is_refreshed_once(void **state)
{
	struct world *w = *state;
	struct credential *c;
	uint32_t first;

	put_answer(w, CREDENTIAL("\"token\":\"one\""));
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"two\""));
	/* three requests were refused */
	first = credential_serial(c);
	assert_true(credential_rejected(c, first, NOW + 5000));
	assert_int_equal(credential_state(c), CREDENTIAL_RUNNING);
	assert_true(credential_rejected(c, first, NOW + 5001));
	assert_true(wait_for(c, NOW + 5002, is_settled));
	assert_true(credential_rejected(c, first, NOW + 5003));
	assert_int_equal(credential_state(c), CREDENTIAL_READY);
	has_authorization(c, "Bearer two");
	assert_int_equal(runs(w), 2);
	credential_free(c);
}

/* The plugin had an old token in its own cache, and would give a good one now. */
static void the_first_credential_is_refused(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, CREDENTIAL("\"token\":\"old\""));
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"good\""));
	assert_true(credential_rejected(c, credential_serial(c), NOW + 20));
	/* a second after the last run, and not before */
	assert_int_equal(credential_start(c, NOW + 30), CREDENTIAL_RUNNING);
	assert_int_equal(runs(w), 1);
	assert_true(credential_deadline(c) == NOW + 1000);
	assert_int_equal(obtain(c, NOW + 1000), CREDENTIAL_READY);
	has_authorization(c, "Bearer good");
	assert_int_equal(runs(w), 2);
	credential_free(c);
}

static void refused_for_ever(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_plugin(w, "test $(grep -c run runs) = 1 || exit 1\ncat out");
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"one\""));
	c = open_user(w, EXEC "}");
	obtain(c, NOW);
	assert_true(credential_rejected(c, credential_serial(c), NOW + 5000));
	assert_true(wait_for(c, NOW + 5000, is_settled));
	assert_int_equal(credential_state(c), CREDENTIAL_FAILED);
	/* at most once a second */
	assert_false(credential_rejected(c, credential_serial(c), NOW + 5001));
	assert_int_equal(credential_start(c, NOW + 5999), CREDENTIAL_FAILED);
	assert_int_equal(runs(w), 2);
	obtain(c, NOW + 6000);
	assert_int_equal(runs(w), 3);
	credential_free(c);
}

#define PEM_JSON(kind, body) "-----BEGIN " kind "-----\\n" body "\\n-----END " kind "-----\\n"
#define PAIR(body) "\"clientCertificateData\":\"" PEM_JSON("CERTIFICATE", body) \
	"\",\"clientKeyData\":\"" PEM_JSON("EC PRIVATE KEY", "MHcC") "\""

static void certificates_of_plugins(void **state)
{
	struct world *w = *state;
	struct credential *c;
	uint32_t generation;

	put_answer(w, CREDENTIAL(PAIR("MIIB")));
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	assert_str(credential_cert(c), CERT_PEM);
	assert_str(credential_key(c), KEY_PEM);
	has_authorization(c, "");
	generation = credential_generation(c);
	credential_rejected(c, credential_serial(c), NOW + 2000);
	assert_true(wait_for(c, NOW + 2000, is_settled));
	assert_int_equal(credential_generation(c), generation);
	folder_put(&w->folder, "out", CREDENTIAL(PAIR("MIIC") ",\"token\":\"tok\""));
	credential_rejected(c, credential_serial(c), NOW + 4000);
	assert_true(wait_for(c, NOW + 4000, is_settled));
	assert_int_not_equal(credential_generation(c), generation);
	assert_str(credential_cert(c), CERT2_PEM);
	has_authorization(c, "Bearer tok");
	credential_free(c);
}

static void twenty_requests_at_the_start(void **state)
{
	struct world *w = *state;
	struct credential *c;

	put_answer(w, CREDENTIAL("\"token\":\"tok\""));
	c = open_user(w, EXEC "}");
	for (int i = 0; i < 20; i++)
		assert_int_equal(credential_start(c, NOW + i), CREDENTIAL_RUNNING);
	assert_true(wait_for(c, NOW + 20, is_settled));
	assert_int_equal(runs(w), 1);
	credential_free(c);
}

static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) < 0 && errno == ESRCH)
			return true;
		child_see_off(NOW + 10 * i);
		poll(NULL, 0, 10);
	}
	return false;
}

static void a_hanging_plugin_is_killed(void **state)
{
	struct world *w = *state;
	struct credential *c;
	const char *pids = "";

	/* with a child of its own, and deaf to polite requests */
	put_plugin(w, "trap '' TERM\nsleep 600 &\necho $$ $! >pids\nwait");
	c = open_user(w, EXEC "}");
	for (int i = 0; i < 500 && !strchr(pids, '\n'); i++) {
		assert_int_equal(credential_start(c, NOW), CREDENTIAL_RUNNING);
		assert_int_equal(credential_run(c, NOW), CREDENTIAL_RUNNING);
		assert_true(credential_deadline(c) > NOW);
		poll(NULL, 0, 10);
		pids = read_back(w, "pids");
	}
	assert_non_null(strchr(pids, '\n'));
	credential_free(c);
	assert_true(is_gone((pid_t)strtol(pids, NULL, 10)));
	assert_true(is_gone((pid_t)strtol(strchr(pids, ' '), NULL, 10)));
}

static void a_daemon_that_keeps_the_pipe(void **state)
{
	struct world *w = *state;
	struct credential *c;

	/* agents start in the background and inherit the output */
	put_plugin(w, "sleep 600 & echo $! >pid\ncat out");
	folder_put(&w->folder, "out", CREDENTIAL("\"token\":\"tok\""));
	c = open_user(w, EXEC "}");
	assert_int_equal(obtain(c, NOW), CREDENTIAL_READY);
	has_authorization(c, "Bearer tok");
	credential_free(c);
	/* it may go on: it is no part of the run any more */
	assert_int_equal(kill((pid_t)strtol(read_back(w, "pid"), NULL, 10), SIGKILL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(refreshed_ahead_of_expiry), T(a_refresh_that_fails_is_no_loss_yet),
		T(expired_credentials), T(a_refused_credential_is_refreshed_once),
		T(the_first_credential_is_refused), T(refused_for_ever), T(certificates_of_plugins),
		T(twenty_requests_at_the_start), T(a_hanging_plugin_is_killed),
		T(a_daemon_that_keeps_the_pipe), T(test_login_is_waited_for),
	};

	/* wherever the tests run, there is no terminal */
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	return cmocka_run_group_tests_name("exec refresh", tests, NULL, NULL);
}
