/* SPDX-License-Identifier: Apache-2.0 */
/* What the screen claims of the whole world ("live", "nothing has failed", "healed", "following"), and what makes each of it false. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>

#include "tests/screen/stage.h"
#include "plugin/output/plain.h"
#include "tui/view/place.h"
#include "tui/view/markdown.h"

enum { HEAD, CAUSES, FIRST = 4, ROWS = 20, COLS = 160 };

struct claims {
	struct stage s;
	struct buf row;
};

static void open_claims(struct claims *c, const char *world)
{
	struct err err = { 0 };

	*c = (struct claims){ .row = { 0 } };
	stage_init(&c->s);
	stage_size(&c->s, ROWS, COLS);
	if (world)
		assert_int_equal(stage_load(&c->s, world, &err), 0);
}

static void close_claims(struct claims *c)
{
	buf_release(&c->row);
	stage_release(&c->s);
}

static const char *row(struct claims *c, int at)
{
	stage_paint(&c->s);
	buf_reset(&c->row);
	canvas_text(&c->s.canvas, at < 0 ? ROWS + at : at, &c->row);
	return buf_cstr(&c->row);
}

#define assert_says(c, at, text) assert_non_null(strstr(row(c, at), text))
#define assert_does_not_say(c, at, text) assert_null(strstr(row(c, at), text))

static void put(struct claims *c, const char *yaml)
{
	struct err err = { 0 };

	assert_int_equal(stage_put_text(&c->s, str_of(yaml), &err), 0);
}

static void press(struct claims *c, const char *keys)
{
	struct str rest = str_of(keys), name;

	while (str_split(&rest, ' ', &name)) {
		struct key key = key_parse(name);

		stage_key(&c->s, &key);
	}
}

static void markdown(struct claims *c, struct buf *out)
{
	struct scene scene = stage_scene(&c->s);

	buf_reset(out);
	markdown_incident(c->s.ui, &scene, out);
}

/* An object that is Ready, or whose condition Ready is rest. */
static void put_gizmo(struct claims *c, const char *name, const char *phase, const char *rest)
{
	struct buf yaml = { 0 };

	buf_printf(&yaml,
		   "apiVersion: shop.test/v1\nkind: Gizmo\n"
		   "metadata: {name: %s, namespace: shop, uid: %s, generation: 1, creationTimestamp: \"2026-11-20T08:00:00Z\"}\n"
		   "spec: {widgetRef: {apiVersion: shop.test/v1, kind: Widget, name: front}}\n"
		   "status:\n  observedGeneration: 1\n  conditions:\n  - {type: Ready, observedGeneration: 1, %s}\n",
		   name, name, str_is(str_of(phase), "Ready") ? "status: \"True\", reason: Up" : rest);
	put(c, buf_cstr(&yaml));
	buf_release(&yaml);
}

/* ---- live ------------------------------------------------------------------------------- */

static void live_is_said_only_while_all_is_watched(void **state)
{
	static const struct {
		struct header header;	/* what differs from a header that is live */
		const char *says;
	} rows[] = {
		{ { .link = LINK_CONNECTING }, "connecting …" },
		{ { .link = LINK_RECONNECTING, .retry_at = 4000, .old_since = -120000 }, "reconnecting in 4 s; this is 2m old" },
		{ { .link = LINK_UNAUTHENTICATED }, "not logged in" },
		{ { .link = LINK_FAILED }, "no connection" },
		{ { .link = LINK_RECONNECTING, .lost = { "b", 1 }, .retry_at = 3000 }, "b: reconnecting in 3 s" },
		{ { .link = LINK_LIVE, .kinds_old = 2, .old_since = -34000 }, "2 kinds are 34s old" },
		{ { .link = LINK_LIVE, .kinds_polled = 6, .old_since = -35000 }, "6 kinds not watched, read 35s ago" },
		{ { .link = LINK_LIVE, .silent_since = -95000 }, "no answer for 1m" },
		{ { .link = LINK_LIVE, .login_since = -12000 }, "login pending 12 s" },
		{ { .link = LINK_LIVE, .lists_done = 30, .lists_total = 31 }, "reading …" },
		{ { .link = LINK_REPLAY, .speed = 1 }, "replay 09:00:00 ×1" },
		{ { .link = LINK_REPLAY, .ended = true }, "replay 09:00:00 ended" },
		{ { .link = LINK_FILES }, "files" },
	};
	struct claims c;

	(void)state;
	open_claims(&c, "tests/screen/worlds/well.yaml");
	assert_says(&c, HEAD, "live ●");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct header *h = &c.s.header;

		*h = rows[i].header;
		h->context = STR("prod-eu");
		h->retry_at += h->retry_at ? c.s.now : 0;
		h->old_since += h->old_since ? c.s.now : 0;
		h->silent_since += h->silent_since ? c.s.now : 0;
		h->login_since += h->login_since ? c.s.now : 0;
		assert_says(&c, HEAD, rows[i].says);
		assert_does_not_say(&c, HEAD, "live");
	}
	close_claims(&c);
}

/* Kinds that may or could not be read are beside it. */
static void what_was_not_read_stands_beside_live(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, "tests/screen/worlds/well.yaml");
	c.s.header.forbidden = 3;
	c.s.header.kinds_unread = 1;
	c.s.header.unread = STR("gadgets");
	assert_says(&c, HEAD, "3 kinds forbidden");
	c.s.header.link = LINK_LIVE;
	assert_says(&c, HEAD, "gadgets cannot be read");
	c.s.header.kinds_old = 1;
	c.s.header.old_since = c.s.now - 40000;
	assert_says(&c, HEAD, "1 kind is 40s old");
	assert_says(&c, HEAD, "1 kind unread");
	close_claims(&c);
}

/* ---- nothing has failed --------------------------------------------------------------------- */

struct claim_row {
	const char *what, *world, *says;
	struct header header; /* what differs: as above, times before now */
};

static const struct claim_row claim_rows[] = {
	{ .what = "all is well", .world = "well", .says = "nothing has failed, nothing waits" },
	{ .what = "overdue", .world = "overdue", .says = "nothing has failed; 3 are overdue" },
	{ .what = "overdue and suspended", .world = "quiet", .says = "nothing has failed; 1 is overdue" },
	{ .what = "forbidden", .world = "well", .says = "nothing that may be read has failed; 3 kinds may not be read",
	  .header = { .forbidden = 3 } },
	{ .what = "an error from the start", .world = "well", .says = "nothing is known to have failed; gadgets cannot be read",
	  .header = { .kinds_unread = 1, .unread = { "gadgets", 7 } } },
	{ .what = "all forbidden", .world = "well", .says = "nothing is known to have failed; nothing may be read",
	  .header = { .forbidden = 3, .nothing_read = true } },
	{ .what = "no namespace", .world = "well", .says = "nothing is known to have failed; there is no namespace \"shoop\"",
	  .header = { .no_namespace = true, .ns = { "shoop", 5 } } },
	{ .what = "both, and overdue", .world = "overdue", .header = { .kinds_unread = 2, .unread = { "gadgets", 7 }, .forbidden = 1 },
	  .says = "nothing is known to have failed; gadgets and 1 more kind cannot be read; 1 kind may not be read; 3 are overdue" },
	{ .what = "a selection", .world = "overdue", .says = "nothing has failed in this selection of jobs; 3 are overdue",
	  .header = { .selection = { "jobs", 4 } } },
	{ .what = "a selection in which all is well", .world = "well", .says = "nothing has failed, nothing waits in this selection of jobs",
	  .header = { .selection = { "jobs", 4 } } },
	{ .what = "one of two contexts is lost", .world = "well", .header = { .link = LINK_RECONNECTING, .lost = { "b", 1 }, .old_since = -60000 },
	  .says = "nothing is known to have failed; b: no connection; this is 1m old" },
	{ .what = "a quiet connection", .world = "well", .header = { .link = LINK_LIVE, .silent_since = -95000 },
	  .says = "nothing is known to have failed; no answer for 1m" },
	{ .what = "a watch that ended", .world = "well", .header = { .link = LINK_LIVE, .kinds_old = 1, .old_since = -40000 },
	  .says = "nothing is known to have failed; 1 kind is 40s old" },
	{ .what = "polled kinds", .world = "well", .header = { .link = LINK_LIVE, .kinds_polled = 6, .old_since = -35000 },
	  .says = "nothing is known to have failed; 6 kinds not watched, read 35s ago" },
};

static void set_header(struct claims *c, const struct header *differs)
{
	struct header *h = &c->s.header;

	if (differs->link)
		h->link = differs->link;
	h->forbidden = differs->forbidden;
	h->nothing_read = differs->nothing_read;
	h->no_namespace = differs->no_namespace;
	h->ns = differs->no_namespace ? differs->ns : h->ns;
	h->kinds_unread = differs->kinds_unread;
	h->unread = differs->unread;
	h->selection = differs->selection;
	h->lost = differs->lost;
	h->kinds_old = differs->kinds_old;
	h->kinds_polled = differs->kinds_polled;
	h->old_since = differs->old_since ? c->s.now + differs->old_since : 0;
	h->silent_since = differs->silent_since ? c->s.now + differs->silent_since : 0;
}

/* In the header, in Problems where there is no row, and in Markdown. */
static void nothing_has_failed_is_said_only_where_it_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(claim_rows) / sizeof(claim_rows[0]); i++) {
		const struct claim_row *r = &claim_rows[i];
		struct buf path = { 0 }, text = { 0 };
		struct claims c;

		buf_printf(&path, "tests/screen/worlds/%s.yaml", r->world);
		open_claims(&c, buf_cstr(&path));
		set_header(&c, &r->header);
		if (!strstr(row(&c, CAUSES), r->says))
			fail_msg("%s: the header says \"%s\"", r->what, buf_cstr(&c.row));
		markdown(&c, &text);
		if (!strstr(buf_cstr(&text), r->says) || strstr(buf_cstr(&text), "no root cause"))
			fail_msg("%s: Markdown says \"%s\"", r->what, buf_cstr(&text));
		buf_release(&text);
		buf_release(&path);
		close_claims(&c);
	}
}

static void an_unknown_object_may_have_failed(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, NULL);
	put(&c, "apiVersion: shop.test/v1\nkind: Gizmo\nmetadata: {name: back, namespace: shop, uid: b, creationTimestamp: \"2026-11-20T08:00:00Z\"}\n"
		"status: {conditions: [{type: Sparkling, status: Unknown, reason: Whatever, lastTransitionTime: \"2026-11-20T08:00:00Z\"}]}\n");
	assert_says(&c, CAUSES, "nothing is known to have failed; 1 is unknown");
	close_claims(&c);
}

/* Before the lists have ended nothing is claimed but how far they are. */
static void while_lists_are_read_nothing_is_claimed(void **state)
{
	struct buf text = { 0 };
	struct claims c;

	(void)state;
	open_claims(&c, "tests/screen/worlds/well.yaml");
	c.s.header.lists_done = 11;
	c.s.header.items = 40;
	c.s.header.remaining = 60;
	assert_says(&c, CAUSES, "40 %   reading: 11 of 31 lists, 40 of 100 objects");
	assert_does_not_say(&c, CAUSES, "nothing");
	markdown(&c, &text);
	assert_non_null(strstr(buf_cstr(&text), "nothing is known to have failed; still reading"));
	press(&c, "p");
	stage_paint(&c.s);
	for (int i = 2; i < ROWS; i++)
		assert_does_not_say(&c, i, "failed");
	buf_release(&text);
	close_claims(&c);
}

static bool selects_ready(const void *ctx, struct handle h)
{
	struct stage *s = (struct stage *)(uintptr_t)ctx;
	struct summary sum;

	return graph_summary(s->graph, h, &sum) && sum.phase == PHASE_READY;
}

/* With -l or a name only what is selected counts: it is well, whatever the rest is. */
static void what_is_not_selected_does_not_count(void **state)
{
	struct claims c;
	struct buf text = { 0 };
	struct scene scene;

	(void)state;
	open_claims(&c, "tests/screen/worlds/overdue.yaml");
	scene = stage_scene(&c.s);
	scene.selected = selects_ready;
	scene.selected_ctx = &c.s;
	markdown_incident(c.s.ui, &scene, &text);
	assert_non_null(strstr(buf_cstr(&text), "nothing has failed, nothing waits"));
	buf_release(&text);
	close_claims(&c);
}

static void problems_in_plain_text_claim_no_more(void **state)
{
	struct claims c;
	struct buf out = { 0 };
	struct handle all[8];
	size_t n = 0;
	struct plain plain;

	(void)state;
	open_claims(&c, "tests/screen/worlds/overdue.yaml");
	for (struct handle h = store_next(c.s.store, 0); h.slot && n < 8; h = store_next(c.s.store, h.slot + 1))
		all[n++] = h;
	plain = (struct plain){ .listing = { .graph = c.s.graph, .store = c.s.store, .now = c.s.now } };
	plain_problems(&plain, all, n, &out);
	assert_true(str_starts(buf_str(&out), "Nothing has failed; 3 are overdue.\n\nAlso not ready:\n"));
	buf_reset(&out);
	plain_problems(&plain, NULL, 0, &out);
	assert_string_equal(buf_cstr(&out), "Nothing has failed, and nothing waits.\n");
	buf_reset(&out);
	plain.listing.doubt.unread = STR("12 kinds may not be read");
	plain_problems(&plain, NULL, 0, &out);
	assert_string_equal(buf_cstr(&out), "Nothing that may be read has failed; 12 kinds may not be read.\n");
	buf_reset(&out);
	plain.listing.doubt = (struct doubt){ .unsure = STR("not everything could be read") };
	plain_problems(&plain, NULL, 0, &out);
	assert_string_equal(buf_cstr(&out), "Nothing is known to have failed; not everything could be read.\n");
	buf_release(&out);
	close_claims(&c);
}

/* ---- healed, new ------------------------------------------------------------------------------ */

#define WAITS "status: \"False\", reason: Waiting, message: \"Widget shop/front is not ready\", lastTransitionTime: \"2026-11-20T08:46:00Z\""
#define MADE "status: \"False\", reason: Creating, message: \"being created\", lastTransitionTime: \"2026-11-20T09:00:10Z\""
#define BROKEN "status: \"False\", reason: Broken, message: \"disk failed\", lastTransitionTime: \"2026-11-20T08:40:00Z\""
#define BROKEN_AGAIN "status: \"False\", reason: Broken, message: \"disk is full\", lastTransitionTime: \"2026-11-20T09:00:20Z\""

/* The first line of the table says since when all is well, and what happened last; and not while anything is in doubt. */
static void all_is_well_since_the_last_trouble(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, NULL);
	put_gizmo(&c, "back", "Ready", "");
	stage_paint(&c.s);
	c.s.now += MINUTES(5);
	put_gizmo(&c, "back", "Failed", BROKEN);
	assert_does_not_say(&c, FIRST, "all is well");
	c.s.now += MINUTES(5);
	put_gizmo(&c, "back", "Ready", "");
	stage_paint(&c.s);
	c.s.now += MINUTES(70);
	assert_says(&c, CAUSES, "nothing has failed, nothing waits");
	assert_says(&c, FIRST, "all is well since 1h 10m · last: gizmo/back Failed → Ready");
	c.s.header.kinds_unread = 1;
	c.s.header.unread = STR("gadgets");
	assert_does_not_say(&c, FIRST, "all is well");
	close_claims(&c);
}

static bool any_row_says(struct claims *c, const char *text)
{
	for (int i = 2; i < ROWS - 1; i++)
		if (strstr(row(c, i), text))
			return true;
	return false;
}

static enum phase phase_of(struct claims *c, const char *id)
{
	struct summary s = { .phase = PHASE_UNKNOWN };

	graph_summary(c->s.graph, stage_find(&c->s, str_of(id)), &s);
	return s.phase;
}

static void pass(struct claims *c, int64_t ms)
{
	c->s.now += ms;
	stage_paint(&c->s);
}

/* By way of being made once more within a second: it stays for 30 s, and is no new trouble. */
static void what_recovers_by_way_of_work_has_healed(void **state)
{
	static const char *const bad[] = { "Waiting", "Failed" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct claims c;

		open_claims(&c, NULL);
		put_gizmo(&c, "a", "", i ? BROKEN : WAITS);
		put_gizmo(&c, "b", "Ready", NULL);
		assert_string_equal(phase_name(phase_of(&c, "Gizmo/a")), bad[i]);
		stage_paint(&c.s);
		if (i)
			press(&c, "p");
		pass(&c, SECONDS(10));
		put_gizmo(&c, "a", "", MADE);
		assert_int_not_equal(phase_of(&c, "Gizmo/a"), PHASE_READY);
		pass(&c, 500);
		put_gizmo(&c, "a", "Ready", NULL);
		pass(&c, 300);
		assert_true(any_row_says(&c, i ? "✔ Ready, was Failed 20m" : "✔ Ready, was Waiting 14m"));
		assert_says(&c, CAUSES, "1 healed in 5m");
		assert_does_not_say(&c, CAUSES, "newly broken in 5m");
		pass(&c, SECONDS(29));
		assert_true(any_row_says(&c, "✔ Ready, was"));
		pass(&c, SECONDS(2));
		assert_false(any_row_says(&c, "✔ Ready, was"));
		assert_says(&c, CAUSES, "1 healed in 5m");
		close_claims(&c);
	}
}

/* What is new is still in trouble; what healed is not in trouble again; each object counts once. */
static void what_is_counted_is_still_so(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, NULL);
	put_gizmo(&c, "a", "Ready", NULL);
	put_gizmo(&c, "b", "Ready", NULL);
	stage_paint(&c.s);
	for (int i = 0; i < 3; i++) {
		pass(&c, SECONDS(1));
		put_gizmo(&c, "a", "", BROKEN);
		pass(&c, SECONDS(1));
		assert_says(&c, CAUSES, "1 newly broken in 5m");
		assert_does_not_say(&c, CAUSES, "healed");
		put_gizmo(&c, "a", "Ready", NULL);
		pass(&c, SECONDS(1));
		assert_says(&c, CAUSES, "1 healed in 5m");
		assert_does_not_say(&c, CAUSES, "new");
	}
	stage_delete(&c.s, STR("Gizmo/a"));
	pass(&c, SECONDS(1));
	assert_does_not_say(&c, CAUSES, "in 5m");
	put_gizmo(&c, "b", "", BROKEN);
	pass(&c, SECONDS(1));
	assert_says(&c, CAUSES, "1 newly broken in 5m");
	pass(&c, MINUTES(5) + SECONDS(1));
	assert_does_not_say(&c, CAUSES, "in 5m");
	close_claims(&c);
}

/* ---- acknowledged -------------------------------------------------------------------------------- */

static bool is_acknowledged(struct claims *c)
{
	stage_paint(&c->s);
	return any_row_says(c, "acknowledged: ");
}

static void acknowledge_a(struct claims *c)
{
	open_claims(c, NULL);
	put_gizmo(c, "a", "", BROKEN);
	put_gizmo(c, "b", "Ready", NULL);
	stage_paint(&c->s);
	press(c, "p a");
	assert_true(is_acknowledged(c));
}

static void another_message_is_not_acknowledged(void **state)
{
	struct claims c;

	(void)state;
	acknowledge_a(&c);
	put_gizmo(&c, "a", "Ready", NULL);
	pass(&c, SECONDS(2));
	put_gizmo(&c, "a", "", BROKEN);	/* the same again at once: it flaps */
	pass(&c, SECONDS(2));
	assert_true(is_acknowledged(&c));
	put_gizmo(&c, "a", "Ready", NULL);
	pass(&c, SECONDS(2));
	put_gizmo(&c, "a", "", BROKEN_AGAIN);
	pass(&c, SECONDS(2));
	assert_false(is_acknowledged(&c));
	close_claims(&c);
}

static void what_had_healed_is_not_acknowledged(void **state)
{
	struct claims c;

	(void)state;
	acknowledge_a(&c);
	put_gizmo(&c, "a", "Ready", NULL);
	pass(&c, SECONDS(2));
	pass(&c, MINUTES(6));
	put_gizmo(&c, "a", "", BROKEN);
	pass(&c, SECONDS(2));
	assert_false(is_acknowledged(&c));
	close_claims(&c);
}

/* A time in a message is no other message. */
static void a_time_that_passes_changes_nothing(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, NULL);
	put_gizmo(&c, "a", "", "status: \"False\", reason: Broken, message: \"tried at 2026-11-20T08:59:00Z, back-off 40s\", lastTransitionTime: \"2026-11-20T08:40:00Z\"");
	stage_paint(&c.s);
	press(&c, "p a");
	assert_true(is_acknowledged(&c));
	put_gizmo(&c, "a", "", "status: \"False\", reason: Broken, message: \"tried at 2026-11-20T09:00:01Z, back-off 1m20s\", lastTransitionTime: \"2026-11-20T08:40:00Z\"");
	pass(&c, SECONDS(2));
	assert_true(is_acknowledged(&c));
	close_claims(&c);
}

/* :kind job and :kind all: the object is read once more, under another handle. */
static void an_object_that_is_read_again_stays_acknowledged(void **state)
{
	struct scene scene;
	struct claims c;

	(void)state;
	acknowledge_a(&c);
	press(&c, "Esc");
	scene = stage_scene(&c.s);
	ui_act(c.s.ui, &scene, ACTION_ALL_NAMESPACES);
	stage_delete(&c.s, STR("Gizmo/a"));
	pass(&c, MINUTES(7));
	scene = stage_scene(&c.s);
	ui_act(c.s.ui, &scene, ACTION_ALL_NAMESPACES);
	put_gizmo(&c, "a", "", BROKEN);
	pass(&c, SECONDS(2));
	press(&c, "p");
	assert_true(is_acknowledged(&c));
	close_claims(&c);
}

/* ---- following ----------------------------------------------------------------------------------- */

#define LOG "==> web <==\n2026-11-20T08:59:00Z one\n==> side <==\n2026-11-20T08:59:00Z two\n"

static void a_log_is_followed_while_a_run_goes_on(void **state)
{
	struct claims c;
	struct scene scene;

	(void)state;
	open_claims(&c, NULL);
	put(&c, "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, uid: w}\nspec: {containers: [{name: web}]}\nstatus: {phase: Running}\n");
	stage_paint(&c.s);
	ui_go(c.s.ui, VIEW_DETAIL, stage_find(&c.s, STR("Pod/web")));
	ui_place(c.s.ui)->tab = TAB_LOGS;
	c.s.fetched = (struct fetched){ .handle = stage_find(&c.s, STR("Pod/web")), .want = WANT_LOGS, .state = FETCH_OK, .text = STR(LOG), .running = 3, .read = c.s.now };
	assert_says(&c, CAUSES, "following");
	press(&c, "k");	/* away from the end */
	scene = stage_scene(&c.s);
	ui_act(c.s.ui, &scene, ACTION_FOLLOW);
	assert_does_not_say(&c, CAUSES, "following");
	scene = stage_scene(&c.s);
	ui_act(c.s.ui, &scene, ACTION_FOLLOW);
	assert_says(&c, CAUSES, "following");
	c.s.fetched.running = 2;	/* the first one has ended */
	assert_says(&c, CAUSES, "following");
	stage_size(&c.s, 6, COLS);	/* there is only room for the end of its log, behind which nothing comes */
	assert_does_not_say(&c, CAUSES, "following");
	stage_size(&c.s, ROWS, COLS);
	press(&c, ">");
	assert_does_not_say(&c, CAUSES, "following");
	press(&c, ">");
	assert_says(&c, CAUSES, "following");
	c.s.fetched.running = 0;
	c.s.fetched.read++;
	assert_does_not_say(&c, CAUSES, "following");
	c.s.fetched.running = 3;
	c.s.fetched.error = STR("etcd is slow");
	c.s.fetched.read++;
	assert_does_not_say(&c, CAUSES, "following");
	c.s.fetched.error = STR_NONE;
	stage_delete(&c.s, STR("Pod/web"));
	assert_does_not_say(&c, CAUSES, "following");
	close_claims(&c);
}

/* ---- it does not exist ------------------------------------------------------------------------------ */

/* Who waits for a name that nobody has seen does not know that it is not there. */
static void what_was_not_seen_may_exist(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, NULL);
	put_gizmo(&c, "a", "", WAITS);
	stage_paint(&c.s);
	press(&c, "p");
	assert_true(any_row_says(&c, "widget/front"));
	press(&c, "Enter");
	assert_true(any_row_says(&c, "It was not looked up: whether it exists is not known."));
	assert_false(any_row_says(&c, "does not exist"));
	assert_does_not_say(&c, CAUSES, "missing");
	close_claims(&c);
}

/* ---- ages, counts, the title --------------------------------------------------------------------- */

/* While an earlier moment is shown the connection is as old as it is now. */
static void a_paused_picture_does_not_make_the_connection_young(void **state)
{
	struct claims c;
	struct scene scene;

	(void)state;
	open_claims(&c, "tests/screen/worlds/well.yaml");
	graph_keep_history(c.s.graph, MIB(8));
	stage_paint(&c.s);
	c.s.now += MINUTES(2);
	assert_says(&c, -1, "2m ago");
	ui_seek(c.s.ui, c.s.now - MINUTES(1));
	stage_change_time(&c.s);
	scene = stage_scene(&c.s);
	assert_true(scene.past);
	assert_says(&c, HEAD, "paused");
	assert_says(&c, -1, "2m ago");
	close_claims(&c);
}

static void matches_are_of_what_is_selected(void **state)
{
	struct claims c;

	(void)state;
	open_claims(&c, "tests/screen/worlds/overdue.yaml");
	stage_paint(&c.s);
	press(&c, "/ d a t a - 1 Enter");
	assert_says(&c, -1, "1 of 3 match");
	assert_says(&c, HEAD, "3 under way");
	close_claims(&c);
}

/* "3 root causes, new: x" goes with x, and is said anew, without the bell, when their number changes. */
static void the_title_counts_what_is_there(void **state)
{
	struct claims c;
	bool rings;

	(void)state;
	open_claims(&c, NULL);
	put_gizmo(&c, "a", "", BROKEN);
	put_gizmo(&c, "b", "Ready", NULL);
	pass(&c, SECONDS(1));
	assert_int_equal((int)ui_alarm(c.s.ui, &rings).len, 0);
	put_gizmo(&c, "b", "", BROKEN_AGAIN);
	pass(&c, SECONDS(1));
	assert_true(str_is(ui_alarm(c.s.ui, &rings), "2 root causes, new: gizmo/b") && rings);
	put_gizmo(&c, "a", "Ready", NULL);
	pass(&c, SECONDS(1));
	assert_true(str_is(ui_alarm(c.s.ui, &rings), "1 root cause, new: gizmo/b") && !rings);
	assert_false(ui_alarm_is_over(c.s.ui));
	put_gizmo(&c, "b", "Ready", NULL);
	pass(&c, SECONDS(1));
	assert_int_equal((int)ui_alarm(c.s.ui, &rings).len, 0);
	assert_true(ui_alarm_is_over(c.s.ui));
	close_claims(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well_since_the_last_trouble),
		cmocka_unit_test(live_is_said_only_while_all_is_watched),
		cmocka_unit_test(what_was_not_read_stands_beside_live),
		cmocka_unit_test(nothing_has_failed_is_said_only_where_it_is_known),
		cmocka_unit_test(an_unknown_object_may_have_failed),
		cmocka_unit_test(while_lists_are_read_nothing_is_claimed),
		cmocka_unit_test(what_is_not_selected_does_not_count),
		cmocka_unit_test(problems_in_plain_text_claim_no_more),
		cmocka_unit_test(what_recovers_by_way_of_work_has_healed),
		cmocka_unit_test(what_is_counted_is_still_so),
		cmocka_unit_test(another_message_is_not_acknowledged),
		cmocka_unit_test(what_had_healed_is_not_acknowledged),
		cmocka_unit_test(a_time_that_passes_changes_nothing),
		cmocka_unit_test(an_object_that_is_read_again_stays_acknowledged),
		cmocka_unit_test(a_log_is_followed_while_a_run_goes_on),
		cmocka_unit_test(what_was_not_seen_may_exist),
		cmocka_unit_test(a_paused_picture_does_not_make_the_connection_young),
		cmocka_unit_test(matches_are_of_what_is_selected),
		cmocka_unit_test(the_title_counts_what_is_there),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
