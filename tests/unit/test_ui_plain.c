/* SPDX-License-Identifier: Apache-2.0 */
/* Plain output: columns as kubectl sets them out, no blank at an end, nothing hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>

#include "kube/base/alloc.h"
#include "tests/screen/stage.h"
#include "plugin/output/plain.h"
#include "tui/state/sort.h"

enum { OBJECTS = 64 };

struct world {
	struct stage stage;
	struct handle handles[OBJECTS];
	size_t n;
	struct buf out;
	struct plain plain;
};

static void open_world(struct world *w, const char *file)
{
	struct err err = { 0 };
	struct buf path = { 0 };

	*w = (struct world){ 0 };
	stage_init(&w->stage);
	buf_printf(&path, "tests/screen/worlds/%s", file);
	if (stage_load(&w->stage, buf_cstr(&path), &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&path);
	for (struct handle h = store_next(w->stage.store, 0); h.slot && w->n < OBJECTS;
	     h = store_next(w->stage.store, h.slot + 1))
		w->handles[w->n++] = h;
	sort_handles(w->stage.graph, w->stage.store, w->handles, w->n, SORT_WORST);
	w->plain = (struct plain){ .listing = { .graph = w->stage.graph, .store = w->stage.store, .now = w->stage.now } };
}

static void close_world(struct world *w)
{
	buf_release(&w->out);
	stage_release(&w->stage);
}

/* Only these: "Kind/name ...". */
static void choose(struct world *w, const char *ids)
{
	struct str rest = str_of(ids), id;

	w->n = 0;
	while (str_split(&rest, ' ', &id)) {
		w->handles[w->n] = stage_find(&w->stage, id);
		assert_true(w->handles[w->n++].slot);
	}
}

static void expect(struct world *w, const char *text)
{
	assert_string_equal(buf_cstr(&w->out), text);
	buf_reset(&w->out);
}

static void a_table_in_kubectls_way(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Network/net Subnet/a Server/web-0 Flavor/small");
	plain_list(&w.plain, w.handles, w.n, &w.out);
	expect(&w,
	       "NAME           PHASE     SINCE   WAITS ON                       REASON                 MESSAGE\n"
	       "network/net    Failed    14m                                    InvalidConfiguration   OverQuota: quota exceeded for networks\n"
	       "subnet/a       Waiting   14m     network/net                    Progressing            Waiting for Network/net to be ready\n"
	       "server/web-0   Waiting   13m     port/web-0 → … → network/net   Progressing            Waiting for Port/web-0 to be ready\n"
	       "flavor/small   Ready     60m                                    Success                OpenStack resource is available\n");
	close_world(&w);
}

static void namespaces_only_when_there_are_several(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Network/net Queue/orders");
	w.plain.listing.columns = "namespace,name,since";
	plain_list(&w.plain, w.handles, w.n, &w.out);
	expect(&w,
	       "NAMESPACE   NAME           SINCE\nedge        network/net    14m\nshop        queue/orders   3m\n");
	w.plain.listing.columns = NULL;
	plain_list(&w.plain, w.handles, 1, &w.out);
	assert_true(str_starts(buf_str(&w.out), "NAME  "));
	buf_reset(&w.out);
	plain_list(&w.plain, w.handles, 2, &w.out);
	assert_true(str_starts(buf_str(&w.out), "NAMESPACE   NAME  "));
	close_world(&w);
}

static void width_headers_and_times(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Network/net");
	w.plain.no_headers = true;
	w.plain.listing.width = 70;
	plain_list(&w.plain, w.handles, w.n, &w.out);
	expect(&w, "network/net   Failed   14m      InvalidConfiguration   OverQuota: quot…\n");
	w.plain.listing.width = 0;
	w.plain.listing.absolute_time = true;
	w.plain.listing.columns = "name, SINCE";
	plain_list(&w.plain, w.handles, w.n, &w.out);
	expect(&w, "network/net   2026-11-20T08:45:40Z\n");
	close_world(&w);
}

static void wide_has_more_columns(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "AutonomousDatabase/main");
	w.plain.listing.wide = true;
	plain_list(&w.plain, w.handles, w.n, &w.out);
	expect(&w,
	       "NAME                      PHASE      OPERATOR PHASE   SEVERITY   SINCE   FAMILY   ASYNC   AGE   OWNER   READY   RESTARTS   NODE   IMAGE   WAITS ON   REASON     MESSAGE\n"
	       "autonomousdatabase/main   Updating   Updating         info       8m      osok     52%     19d                                                        Updating   UPDATE_IN_PROGRESS\n");
	close_world(&w);
}

static void colour_wraps_words_and_moves_nothing(void **state)
{
	struct world w;
	struct buf plain = { 0 };

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Network/net Flavor/small");
	plain_list(&w.plain, w.handles, w.n, &plain);
	w.plain.color = true;
	plain_list(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_contains(buf_str(&w.out), "\033[31;1mFailed\033[0m"));
	assert_true(str_contains(buf_str(&w.out), "\033[32mReady\033[0m"));
	/* Without the sequences it is the same text. */
	for (size_t i = 0, k = 0; i < w.out.len; i++) {
		if (w.out.ptr[i] == '\033')
			i += str_find(str_from(buf_str(&w.out), i), 'm');
		else
			assert_int_equal(w.out.ptr[i], plain.ptr[k++]);
	}
	buf_release(&plain);
	close_world(&w);
}

static void no_line_ends_with_a_blank_and_none_is_hostile(void **state)
{
	static const char *const files[] = { "night.yaml", "hostile.yaml", "deleting.yaml",
					     "cycle.yaml" };
	static void (*const formats[])(const struct plain *, const struct handle *, size_t,
				       struct buf *) = { plain_list, plain_problems, plain_tree,
							 plain_why };

	(void)state;
	for (size_t f = 0; f < 4; f++)
		for (size_t k = 0; k < 8; k++) {
			struct world w;
			struct str rest, line;

			open_world(&w, files[f]);
			w.plain.listing.width = k < 4 ? 0 : 60;
			w.plain.listing.wide = k % 2;
			formats[k % 4](&w.plain, w.handles, w.n, &w.out);
			rest = buf_str(&w.out);
			assert_true(rest.len > 0 && rest.ptr[rest.len - 1] == '\n');
			while (str_split(&rest, '\n', &line)) {
				assert_true(line.len == 0 || line.ptr[line.len - 1] != ' ');
				for (size_t i = 0; i < line.len; i++)
					assert_true((unsigned char)line.ptr[i] >= 0x20 &&
						    line.ptr[i] != 0x7F);
			}
			close_world(&w);
		}
}

static void children_of_workloads_can_be_left_out(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w,
	       "Deployment/frontend ReplicaSet/frontend-7d9 Pod/frontend-7d9-0 Pod/cart-7d9-0 Pod/cart-7d9-1");
	w.plain.listing.columns = "name,phase";
	w.plain.listing.fold_children = true;
	plain_list(&w.plain, w.handles, w.n, &w.out);
	/* cart-7d9-0 is healthy, but its owner is not in the list. */
	expect(&w,
	       "NAME                  PHASE\ndeployment/frontend   Ready\npod/cart-7d9-0        Ready\npod/cart-7d9-1        Failed\n");
	close_world(&w);
}

static void a_watch_keeps_its_columns(void **state)
{
	struct plain_memory memory = { 0 };
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Server/web-0 Network/net Queue/orders");
	w.plain.memory = &memory;
	plain_list(&w.plain, w.handles, w.n, &w.out);
	buf_reset(&w.out);
	w.plain.no_headers = true;
	plain_list(&w.plain, w.handles + 1, 1, &w.out);
	assert_true(str_starts(buf_str(&w.out), "edge        network/net    Failed    14m "));
	close_world(&w);
}

static void problems_are_told_by_cause(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Subnet/a Port/web-0");
	plain_problems(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_starts(
		buf_str(&w.out),
		"2 failed or blocked by 1 root cause\n\n"
		"network/net in edge  Failed 14m  InvalidConfiguration: OverQuota: quota exceeded for networks\n"
		"  blocks 9: 6 subnets, 2 servers, 1 port\n"
		"  next step: kubectl describe network.openstack.k-orc.cloud net -n edge\n"));
	assert_false(str_contains(buf_str(&w.out), "queue"));
	buf_reset(&w.out);
	choose(&w, "AutonomousDatabase/main Flavor/small");
	plain_problems(&w.plain, w.handles, w.n, &w.out);
	expect(&w,
	       "Nothing has failed, and nothing waits.\n\nAlso not ready:\n"
	       "NAME                      PHASE      SINCE   WAITS ON   REASON     MESSAGE\n"
	       "autonomousdatabase/main   Updating   8m                 Updating   UPDATE_IN_PROGRESS\n");
	close_world(&w);
}

static void a_tree_prints_everything_once(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "cycle.yaml");
	plain_tree(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_contains(buf_str(&w.out), "└─ subnet/loop"));
	assert_true(str_contains(buf_str(&w.out), "network/ring  ↺ cycle"));
	assert_false(str_contains(buf_str(&w.out), "\nsubnet/loop"));
	close_world(&w);
	open_world(&w, "night.yaml");
	choose(&w, "Server/web-0");
	plain_tree(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_contains(buf_str(&w.out), "\n├─ port/web-0 "));
	assert_true(str_contains(buf_str(&w.out), "\n│  │  ├─ network/net "));
	close_world(&w);
}

static void why_tells_the_chain(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "night.yaml");
	choose(&w, "Server/web-0");
	plain_why(&w.plain, w.handles, w.n, &w.out);
	expect(&w, "server/web-0 · edge   ◷ Waiting for 13m\n"
		   "  because  port/web-0 is not ready  13m   spec.resource.ports[0].portRef\n"
		   "  because  subnet/a is not ready  14m   spec.resource.addresses[0].subnetRef\n"
		   "  because  network/net failed  14m   spec.resource.networkRef\n"
		   "           InvalidConfiguration: OverQuota: quota exceeded for networks\n"
		   "message    Waiting for Port/web-0 to be ready\n"
		   "recovery   once network/net works (a person must fix it)\n"
		   "next step  kubectl describe network.openstack.k-orc.cloud net -n edge\n"
		   "decided by condition Progressing=True Progressing (something else is awaited)\n");
	choose(&w, "Flavor/small");
	plain_why(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_contains(buf_str(&w.out), "nothing to do"));
	close_world(&w);
}

static void commands_are_safe_to_paste(void **state)
{
	struct err err = { 0 };
	struct world w;

	(void)state;
	open_world(&w, "cycle.yaml");
	assert_int_equal(
		stage_put_text(
			&w.stage,
			STR("apiVersion: example.org/v1\nkind: Widget\n"
			    "metadata: {name: \"x; rm -rf ~ 'quoted'\", namespace: \"$(id)\"}\n"
			    "status: {conditions: [{type: Ready, status: \"False\", reason: Failed}]}\n"),
			&err),
		0);
	w.n = 0;
	for (struct handle h = store_next(w.stage.store, 0); h.slot;
	     h = store_next(w.stage.store, h.slot + 1))
		if (str_is(store_node_id(w.stage.store, h.slot).kind->kind, "Widget"))
			w.handles[w.n++] = h;
	assert_int_equal(w.n, 1);
	plain_why(&w.plain, w.handles, w.n, &w.out);
	assert_true(str_contains(buf_str(&w.out), "kubectl describe widget.example.org "
						  "'x; rm -rf ~ '\\''quoted'\\''' -n '$(id)'\n"));
	close_world(&w);
}

static void one_text_on_one_line(void **state)
{
	struct buf out = { 0 };

	(void)state;
	plain_safe(STR("a\nb\033[31m\xE2\x80\xAE"), &out);
	assert_string_equal(buf_cstr(&out), "a b\xEF\xBF\xBD[31m\xEF\xBF\xBD");
	buf_release(&out);
}

static void nothing_prints_nothing(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, "cycle.yaml");
	plain_list(&w.plain, w.handles, 0, &w.out);
	plain_tree(&w.plain, w.handles, 0, &w.out);
	plain_why(&w.plain, w.handles, 0, &w.out);
	assert_int_equal(w.out.len, 0);
	/* What is gone is left out. */
	stage_delete(&w.stage, STR("Network/ring"));
	stage_delete(&w.stage, STR("Subnet/loop"));
	plain_list(&w.plain, w.handles, w.n, &w.out);
	plain_tree(&w.plain, w.handles, w.n, &w.out);
	plain_why(&w.plain, w.handles, w.n, &w.out);
	assert_int_equal(w.out.len, 0);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_in_kubectls_way),
		cmocka_unit_test(namespaces_only_when_there_are_several),
		cmocka_unit_test(width_headers_and_times),
		cmocka_unit_test(wide_has_more_columns),
		cmocka_unit_test(colour_wraps_words_and_moves_nothing),
		cmocka_unit_test(no_line_ends_with_a_blank_and_none_is_hostile),
		cmocka_unit_test(children_of_workloads_can_be_left_out),
		cmocka_unit_test(a_watch_keeps_its_columns),
		cmocka_unit_test(problems_are_told_by_cause),
		cmocka_unit_test(a_tree_prints_everything_once),
		cmocka_unit_test(why_tells_the_chain),
		cmocka_unit_test(commands_are_safe_to_paste),
		cmocka_unit_test(one_text_on_one_line),
		cmocka_unit_test(nothing_prints_nothing),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
