/* SPDX-License-Identifier: Apache-2.0 */
/* One order everywhere, rows that stand still, and how much of the reasons each width of the screen shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <locale.h>

#include "kube/base/alloc.h"
#include "tests/screen/stage.h"
#include "tui/view/bars.h"
#include "tui/view/blocked.h"
#include "tui/view/rows.h"
#include "tui/words/words.h"

/* ---- worlds ----------------------------------------------------------------------------- */

static void each_file(const char *folder, void (*does)(const char *path, void *ctx), void *ctx)
{
	struct dirent **found;
	int n = scandir(folder, &found, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		struct buf path = { 0 };

		buf_printf(&path, "%s/%s", folder, found[i]->d_name);
		if (str_ends(buf_str(&path), ".yaml"))
			does(buf_cstr(&path), ctx);
		else if (found[i]->d_name[0] != '.' && found[i]->d_type == DT_DIR)
			each_file(buf_cstr(&path), does, ctx);
		buf_release(&path);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
}

static bool open_world(struct stage *s, const char *path, int cols)
{
	struct err err = { 0 };

	stage_init(s);
	stage_size(s, 60, cols);
	if (stage_load(s, path, &err) == 0 && store_count(s->store))
		return true;
	stage_release(s);
	return false;
}

static void press(struct stage *s, const char *name)
{
	struct key key = key_parse(str_of(name));

	stage_key(s, &key);
	stage_paint(s);
}

/* ---- one order ---------------------------------------------------------------------------- */

/* Returns 1 + the number of the cause of which the object is a member; 0: of none. */
static size_t cause_at(const struct cause_group *causes, size_t n, uint32_t slot)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < causes[i].n; k++)
			if (slot && causes[i].slots[k] == slot)
				return i + 1;
	return 0;
}

static void orders_agree(const char *path, void *ctx)
{
	struct stage s;
	struct arena a = { 0 };
	struct scene scene;
	const struct cause_group *causes;
	size_t n, row = 0, last = 0;

	if (!open_world(&s, path, 160))
		return;
	++*(size_t *)ctx;
	stage_paint(&s);
	scene = stage_scene(&s);
	causes = cause_groups_selected(&scene, &a, &n);
	for (size_t i = 1; i < n; i++)
		assert_true(root_cause_rank(&causes[i - 1].what) <= root_cause_rank(&causes[i].what));
	for (size_t i = 0; i < s.ui->noted_causes->nnamed; i++)
		assert_true(s.ui->noted_causes->keys[i] == cause_key(&causes[i]));
	for (size_t i = 0; i < s.ui->lines.n; i++) {
		const struct line *line = &s.ui->lines.all[i];
		size_t at = cause_at(causes, n, line->object.slot);

		at = at ? at : cause_at(causes, n, line->of.slot);
		if (at && causes[at - 1].what.phase == PHASE_READY) /* it stands in the way, and its row is among what is Ready */
			at = 0;
		if (at && at < last)
			fail_msg("%s: row %zu of the table stands above a cause that comes first", path, i);
		last = at ? at : last;
	}
	press(&s, "p");
	for (size_t i = 0; i < s.ui->lines.n && row < n; i++)
		row += s.ui->lines.all[i].key == cause_key(&causes[row]);
	if (row != n)
		fail_msg("%s: Problems lists cause %zu elsewhere", path, row);
	arena_release(&a);
	stage_release(&s);
}

static void causes_have_one_order_everywhere(void **state)
{
	size_t worlds = 0;

	(void)state;
	each_file("tests/screen/worlds", orders_agree, &worlds);
	each_file("tests/family/core", orders_agree, &worlds);
	each_file("tests/family/orc", orders_agree, &worlds);
	each_file("tests/family/olm", orders_agree, &worlds);
	print_message("%zu worlds\n", worlds);
	assert_true(worlds > 100);
}

/* ---- pins ------------------------------------------------------------------------------------- */

enum { ROWS = 512 };

static bool has_slot(const uint32_t *slots, size_t n, uint32_t slot)
{
	for (size_t i = 0; i < n; i++)
		if (slots[i] == slot)
			return true;
	return false;
}

/* What runs out soon has two rows while all is well: the first counts. */
static size_t objects_of_rows(const struct ui *ui, uint32_t slots[ROWS])
{
	size_t n = 0;

	for (size_t i = 0; i < ui->lines.n && n < ROWS; i++) {
		uint32_t slot = ui->lines.all[i].object.slot;

		if (slot && !ui->lines.all[i].depth && !has_slot(slots, n, slot))
			slots[n++] = slot;
	}
	return n;
}

/* Whichever row is pinned becomes the first, in each order, and the others keep theirs; taken back, it is where it was. */
static void pins_move_nothing_else(const char *path, void *ctx)
{
	static const char *const sorts[] = { "severity", "name", "since" };
	uint32_t before[ROWS], pinned[ROWS];
	struct stage s;

	if (!open_world(&s, path, 160))
		return;
	for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
		size_t n, kept = 0;
		bool reversed = i % 2;

		ui_sort_by(s.ui, str_of(sorts[i]));
		s.ui->reverse = reversed;
		press(&s, "C-l");
		press(&s, "G");
		n = objects_of_rows(s.ui, before);
		if (n < 2 || n == ROWS || !ui_selected(s.ui).slot || ui_line(s.ui)->count)
			continue;
		++*(size_t *)ctx;
		pinned[0] = ui_selected(s.ui).slot;
		press(&s, "*");
		assert_int_equal(s.ui->pins.n, 1);
		assert_int_equal(objects_of_rows(s.ui, pinned), n);
		assert_int_equal(pinned[0], ui_selected(s.ui).slot);
		for (size_t k = 0; k < n; k++)
			if (before[k] != pinned[0] && before[k] != pinned[1 + kept++])
				fail_msg("%s, by %s: row %zu is another one when row %zu is pinned", path, sorts[i], k, n - 1);
		press(&s, "*");
		assert_int_equal(objects_of_rows(s.ui, pinned), n);
		assert_memory_equal(before, pinned, n * sizeof(before[0]));
	}
	stage_release(&s);
}

static void a_pin_moves_its_row_alone(void **state)
{
	size_t pinned = 0;

	(void)state;
	each_file("tests/screen/worlds", pins_move_nothing_else, &pinned);
	each_file("tests/family/orc", pins_move_nothing_else, &pinned);
	print_message("%zu pins\n", pinned);
	assert_true(pinned > 20);
}

/* ---- rows that stand still ------------------------------------------------------------------ */

enum { STEP = 5, MINUTES = 10, FARM = 200, APPS = 5, FOLLOWED = 64 };

#define CREATED "creationTimestamp: \"2026-11-20T07:00:00Z\""

static void put(struct stage *s, const char *form, ...)
{
	struct buf yaml = { 0 };
	struct err err = { 0 };
	char text[4096];
	va_list args;

	va_start(args, form);
	vsnprintf(text, sizeof(text), form, args);
	va_end(args);
	buf_add_cstr(&yaml, text);
	if (stage_put_text(s, buf_str(&yaml), &err))
		fail_msg("%s: %s", err.msg, text);
	buf_release(&yaml);
}

/* A workload with a Service, of whose pods some crash: they run for a while, and are backed off for longer and longer. */
struct app {
	const char *name;
	int pods, crashing, runs, backoff; /* s */
};

static const struct app apps[APPS] = {
	{ "alpha", 1, 1, 10, 45 }, { "beta", 3, 1, 25, 70 }, { "gamma", 2, 2, 15, 95 }, { "delta", 4, 2, 35, 40 }, { "omega", 1, 1, 5, 120 },
};

static void put_pod(struct stage *s, const struct app *app, int i, int at)
{
	int turn = app->runs + app->backoff, phase = (at + 7 * i) % turn, restarts = 30 + (at + 7 * i) / turn;
	bool crashes = i < app->crashing, runs = !crashes || phase < app->runs;
	char time[TIME_TEXT], now[2048];

	time_format(s->now - SECONDS(phase), time);
	snprintf(now, sizeof(now), runs ? "ready: true, started: true, state: {running: {startedAt: \"%s\"}}" :
					  "ready: false, started: false, state: {waiting: {reason: CrashLoopBackOff, message: \"back-off 5m0s restarting failed container=app\"}}", time);
	put(s,
	    "apiVersion: v1\nkind: Pod\nmetadata: {name: %s-7f-%d, namespace: shop, uid: %s-%d, labels: {app: %s}, " CREATED ",\n"
	    "  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %s-7f, uid: rs-%s, controller: true}]}\n"
	    "spec: {nodeName: n1, containers: [{name: app, image: shop/%s:1}]}\n"
	    "status:\n  phase: Running\n  conditions:\n  - {type: Ready, status: \"%s\", lastTransitionTime: \"%s\"}\n"
	    "  containerStatuses:\n  - {name: app, image: shop/%s:1, restartCount: %d, %s%s}\n",
	    app->name, i, app->name, i, app->name, app->name, app->name, app->name, runs ? "True" : "False", time, app->name, crashes ? restarts : 0,
	    now, !crashes ? "" : ", lastState: {terminated: {exitCode: 1, reason: Error, startedAt: \"2026-11-20T08:58:00Z\", finishedAt: \"2026-11-20T08:59:00Z\"}}");
}

static void put_app(struct stage *s, const struct app *app, int at)
{
	int ready = 0;

	for (int i = 0; i < app->pods; i++) {
		put_pod(s, app, i, at);
		ready += i >= app->crashing || (at + 7 * i) % (app->runs + app->backoff) < app->runs;
	}
	put(s,
	    "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: %s-7f, namespace: shop, uid: rs-%s, generation: 1, labels: {app: %s}, " CREATED ",\n"
	    "  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: %s, uid: d-%s, controller: true}]}\n"
	    "spec: {replicas: %d, selector: {matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: app, image: x}]}}}\n"
	    "status: {replicas: %d, readyReplicas: %d, availableReplicas: %d, observedGeneration: 1}\n---\n"
	    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: shop, uid: d-%s, generation: 1, " CREATED "}\n"
	    "spec: {replicas: %d, selector: {matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: app, image: x}]}}}\n"
	    "status:\n  observedGeneration: 1\n  replicas: %d\n  updatedReplicas: %d\n  readyReplicas: %d\n  availableReplicas: %d\n  unavailableReplicas: %d\n"
	    "  conditions:\n  - {type: Available, status: \"%s\", reason: MinimumReplicas, lastTransitionTime: \"2026-11-20T08:59:00Z\"}\n"
	    "  - {type: Progressing, status: \"True\", reason: NewReplicaSetAvailable, lastTransitionTime: \"2026-11-20T07:01:00Z\"}\n---\n"
	    "apiVersion: v1\nkind: Service\nmetadata: {name: %s, namespace: shop, uid: svc-%s, " CREATED "}\nspec: {selector: {app: %s}, ports: [{port: 80}]}\n",
	    app->name, app->name, app->name, app->name, app->name, app->pods, app->name, app->name, app->pods, ready, ready, app->name, app->name,
	    app->pods, app->name, app->name, app->pods, app->pods, ready, ready, app->pods - ready, ready ? "True" : "False", app->name, app->name, app->name);
}

static void put_farm_pod(struct stage *s, char of, int i, bool ready, bool going)
{
	char now[TIME_TEXT], deleted[128];

	time_format(s->now, now);
	snprintf(deleted, sizeof(deleted), ", deletionTimestamp: \"%s\", deletionGracePeriodSeconds: 30", now);
	put(s,
	    "apiVersion: v1\nkind: Pod\nmetadata: {name: farm-%c-%03d, namespace: shop, uid: farm-%c-%d, labels: {app: farm}, creationTimestamp: \"%s\"%s,\n"
	    "  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: farm-%c, uid: rs-farm-%c, controller: true}]}\n"
	    "spec: {nodeName: n1, containers: [{name: app, image: farm}]}\n"
	    "status: {phase: %s, conditions: [{type: Ready, status: \"%s\"}], containerStatuses: [{name: app, ready: %s, restartCount: 0, state: {%s}}]}\n",
	    of, i, of, i, of == 'a' ? "2026-11-20T07:00:00Z" : now, going ? deleted : "", of, of, ready ? "Running" : "Pending",
	    ready ? "True" : "False", ready ? "true" : "false",
	    ready ? "running: {startedAt: \"2026-11-20T09:00:00Z\"}" : "waiting: {reason: ContainerCreating}");
}

static void put_farm_set(struct stage *s, char of, int wanted)
{
	put(s,
	    "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: farm-%c, namespace: shop, uid: rs-farm-%c, generation: 1, " CREATED ",\n"
	    "  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: farm, uid: d-farm, controller: true}]}\n"
	    "spec: {replicas: %d, selector: {matchLabels: {app: farm}}, template: {metadata: {labels: {app: farm}}, spec: {containers: [{name: app, image: x}]}}}\n"
	    "status: {replicas: %d, readyReplicas: %d, availableReplicas: %d, observedGeneration: 1}\n", of, of, wanted, wanted, wanted, wanted);
}

/* After updated pods were replaced; 25 are on their way at a time. */
static void put_farm(struct stage *s, int updated)
{
	put_farm_set(s, 'a', FARM - updated);
	put_farm_set(s, 'b', updated);
	put(s,
	    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: farm, namespace: shop, uid: d-farm, generation: 2, " CREATED "}\n"
	    "spec: {replicas: %d, selector: {matchLabels: {app: farm}}, template: {metadata: {labels: {app: farm}}, spec: {containers: [{name: app, image: x}]}}}\n"
	    "status:\n  observedGeneration: 2\n  replicas: %d\n  updatedReplicas: %d\n  readyReplicas: %d\n  availableReplicas: %d\n"
	    "  conditions:\n  - {type: Available, status: \"True\", reason: MinimumReplicas, lastTransitionTime: \"2026-11-20T07:00:00Z\"}\n"
	    "  - {type: Progressing, status: \"True\", reason: ReplicaSetUpdated, lastTransitionTime: \"2026-11-20T09:00:00Z\"}\n",
	    FARM, FARM, updated, FARM - 10, FARM - 10);
}

static void roll_farm(struct stage *s, int step, int steps)
{
	int before = FARM * step / steps, now = FARM * (step + 1) / steps;

	for (int i = before; i < now; i++) {
		put_farm_pod(s, 'b', i, false, false);
		put_farm_pod(s, 'a', i, true, true);
		if (i >= 10) {
			struct buf gone = { 0 };

			put_farm_pod(s, 'b', i - 10, true, false);
			buf_printf(&gone, "Pod/farm-a-%03d", i - 10);
			assert_true(stage_delete(s, buf_str(&gone)));
			buf_release(&gone);
		}
	}
	put_farm(s, now);
}

struct rows_seen {
	uint64_t keys[FOLLOWED];
	size_t n;
};

static size_t place_of(const struct rows_seen *rows, uint64_t key)
{
	size_t i = 0;

	while (i < rows->n && rows->keys[i] != key)
		i++;
	return i;
}

/* Returns how many pairs of rows that were and are there have changed places. */
static size_t see_rows(const struct stage *s, struct rows_seen *rows)
{
	struct rows_seen was = *rows;
	size_t moved = 0;

	rows->n = 0;
	for (size_t i = 0; i < s->ui->lines.n && rows->n < FOLLOWED; i++)
		if (s->ui->lines.all[i].key != rows_ready_key())
			rows->keys[rows->n++] = s->ui->lines.all[i].key;
	for (size_t i = 0; i < rows->n; i++)
		for (size_t k = i + 1; k < rows->n; k++) {
			size_t a = place_of(&was, rows->keys[i]), b = place_of(&was, rows->keys[k]);

			if (a < was.n && b < was.n && a > b && getenv("SHOW_ROWS")) {
				struct str x = store_node_id(s->store, s->ui->lines.all[i].object.slot).name, y = store_node_id(s->store, s->ui->lines.all[k].object.slot).name;
				print_message("%lld: " STR_FMT " now above " STR_FMT "\n", (long long)s->now/1000%10000, STR_ARG(x), STR_ARG(y));
			}
			moved += a < was.n && b < was.n && a > b;
		}
	return moved;
}

static size_t play_ten_minutes(const char *view, size_t *out_most)
{
	int steps = MINUTES * 60 / STEP;
	struct rows_seen rows = { .n = 0 };
	struct stage s;
	size_t moved = 0;

	stage_init(&s);
	stage_size(&s, 60, 120);
	for (int i = 0; i < FARM; i++)
		put_farm_pod(&s, 'a', i, true, false);
	put_farm(&s, 0);
	put(&s, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: lost, namespace: shop, uid: l, " CREATED "}\nspec: {}\nstatus: {phase: Lost}\n");
	for (int i = 0; i < APPS; i++)
		put_app(&s, &apps[i], 0);
	stage_paint(&s);
	if (view)
		press(&s, view);
	see_rows(&s, &rows);
	*out_most = 0;
	for (int step = 0; step < steps; step++) {
		s.now += SECONDS(STEP);
		for (int i = 0; i < APPS; i++)
			put_app(&s, &apps[i], (step + 1) * STEP);
		roll_farm(&s, step, steps);
		graph_settle(s.graph, s.now);
		stage_paint(&s);
		/* until each pod has been seen to crash it is not known what waits for it then */
		moved += see_rows(&s, &rows) * (step * STEP >= 120);
		*out_most = rows.n > *out_most ? rows.n : *out_most;
	}
	if (getenv("SHOW_ROWS"))
		for (int i = 0; i < 24; i++) {
			struct buf text = { 0 };

			canvas_text(&s.canvas, i, &text);
			print_message("%s\n", buf_cstr(&text));
			buf_release(&text);
		}
	stage_release(&s);
	return moved;
}

static void rows_stand_still_while_pods_crash_and_a_rollout_goes_on(void **state)
{
	static const char *const views[] = { NULL, "p" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t most, moved = play_ten_minutes(views[i], &most);

		print_message("%s: %zu rows changed places, at most %zu rows\n", views[i] ? "Problems" : "table", moved, most);
		assert_int_equal(moved, 0);
		assert_true(most <= 12);
	}
}

/* ---- how much of the reasons is shown -------------------------------------------------------- */

enum { WIDTHS = 6, LEAST_SHOWN = 4 };
static const int widths[WIDTHS] = { 60, 80, 100, 120, 160, 200 };

struct shown {
	size_t all[2][WIDTHS];	/* of the table and of Problems: the characters of messages that are visible */
	size_t worlds, shrunk;
};

/* Returns the length of the longest text that both have, from LEAST_SHOWN on, and blanks it in the row. */
static size_t take_common(struct str message, struct str row)
{
	char *text = (char *)(uintptr_t)row.ptr;
	size_t best = 0, at = 0;

	for (size_t i = 0; i < message.len; i++)
		for (size_t k = 0; k < row.len; k++) {
			size_t n = 0;

			while (i + n < message.len && k + n < row.len && message.ptr[i + n] == row.ptr[k + n])
				n++;
			if (n > best) {
				best = n;
				at = k;
			}
		}
	if (best < LEAST_SHOWN)
		return 0;
	memset(text + at, '\1', best);
	return best;
}

/* Returns how much of the message the row of the list shows that shows most of it: its beginning, and the end behind what was cut. */
static size_t most_shown(const struct stage *s, struct str message)
{
	struct layout l = ui_layout(s->ui);
	size_t most = 0;

	for (int i = l.list; i < l.list + l.list_rows; i++) {
		struct buf row = { 0 };
		struct str list;
		size_t n;

		canvas_text(&s->canvas, i, &row);
		list = text_head(buf_str(&row), l.list_cols);
		n = take_common(message, list);
		n += n < message.len ? take_common(message, list) : 0;
		most = n > most ? n : most;
		buf_release(&row);
	}
	return most < message.len ? most : message.len;
}

static void count_shown(const char *path, void *ctx)
{
	struct shown *shown = ctx;
	size_t here[2][WIDTHS] = { { 0 } };

	for (int w = 0; w < WIDTHS; w++) {
		struct arena a = { 0 };
		struct scene scene;
		const struct cause_group *causes;
		struct stage s;
		size_t n;

		if (!open_world(&s, path, widths[w]))
			return;
		stage_paint(&s);
		stage_paint(&s);
		scene = stage_scene(&s);
		causes = cause_groups_selected(&scene, &a, &n);
		for (int view = 0; view < 2; view++) {
			if (view)
				press(&s, "p");
			for (size_t i = 0; i < n; i++)
				here[view][w] += most_shown(&s, words_message(causes[i].what.severity, causes[i].what.message, &a));
		}
		arena_release(&a);
		stage_release(&s);
	}
	shown->worlds++;
	for (int view = 0; view < 2; view++)
		for (int w = 0; w < WIDTHS; w++) {
			shown->all[view][w] += here[view][w];
			if (w && here[view][w] < here[view][w - 1]) {
				print_message("%s: %s shows %zu at %d columns, %zu at %d\n", path, view ? "Problems" : "the table", here[view][w - 1],
					      widths[w - 1], here[view][w], widths[w]);
				shown->shrunk++;
			}
		}
}

static void a_wider_screen_never_shows_less(void **state)
{
	struct shown shown = { .worlds = 0 };

	(void)state;
	each_file("tests/screen/worlds", count_shown, &shown);
	each_file("tests/family/core", count_shown, &shown);
	for (int view = 0; view < 2; view++)
		for (int w = 0; w < WIDTHS; w++)
			print_message("%s, %d columns: %zu characters\n", view ? "Problems" : "table", widths[w], shown.all[view][w]);
	assert_int_equal(shown.shrunk, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wider_screen_never_shows_less),
		cmocka_unit_test(rows_stand_still_while_pods_crash_and_a_rollout_goes_on),
		cmocka_unit_test(causes_have_one_order_everywhere),
		cmocka_unit_test(a_pin_moves_its_row_alone),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
