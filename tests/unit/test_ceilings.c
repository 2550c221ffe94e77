/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of the past stays below its ceilings: one object is changed many times, with other words each time, and
 * many objects come once.  Everything goes through the stores as in the dashboard, and what each takes is measured by what
 * the heap loses when it is freed.
 *
 * KUBECTL_STATUS_SOAK_CHANGES: so many of each, below the ceilings of the program; else some thousand, below a sixteenth of
 * them.
 */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/journal/edits.h"
#include "kube/journal/journal.h"
#include "kube/journal/versions.h"
#include "plugin/query.h"
#include "plugin/past/cause_log.h"
#include "plugin/past/changelog.h"
#include "plugin/record/latest.h"
#include "plugin/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef __GLIBC__
#include <malloc.h>

static size_t heap(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}
#else
static size_t heap(void)
{
	return 0;	/* not known: only what the stores count is tested on this system */
}
#endif

enum { ALIVE = 10, CONDITIONS = 4, SHARE = 16 };

struct run {
	struct world w;
	struct changelog *changelog;
	struct latest *latest;
	size_t share;	/* the ceilings are this part of those of the program */
	size_t taken;	/* what the heap has lost of all that was freed */
	struct buf text, record;
};

static bool is_soak(void)
{
	return getenv("KUBECTL_STATUS_SOAK_CHANGES") != NULL;
}

static unsigned changes(void)
{
	return is_soak() ? (unsigned)strtoul(getenv("KUBECTL_STATUS_SOAK_CHANGES"), NULL, 10) : 15000;
}

static void begin(struct run *r)
{
	*r = (struct run){ .share = is_soak() ? 1 : SHARE, .latest = latest_new() };
	world_init(&r->w, true);
	r->w.now = 1795165200000;
	edits_free(r->w.changes.edits);
	r->w.changes.edits = edits_new(EDITS_CEILING / r->share);
	graph_tell_changes(r->w.graph, &r->w.changes);
	r->changelog = changelog_new(r->w.graph, VERSIONS_CEILING / r->share, r->w.now);
	graph_keep_journal(r->w.graph, JOURNAL_CEILING / r->share, r->w.now);
	graph_keep_history(r->w.graph, UNDO_CEILING / r->share);
}

/* An object whose words and texts are those of no other version. */
static void write_object(struct run *r, unsigned name, unsigned version)
{
	char time[TIME_TEXT];

	time_format(r->w.now, time);
	buf_reset(&r->text);
	buf_printf(&r->text, "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"widget-%u\",\"namespace\":\"shop\","
			     "\"uid\":\"%u\",\"resourceVersion\":\"%u\",\"generation\":%u,\"ownerReferences\":[{\"apiVersion\":\"g%u.example/v1\","
			     "\"kind\":\"Kind%u\",\"name\":\"owner-%u\",\"uid\":\"o%u\"}],\"managedFields\":[{\"manager\":\"manager-%u\","
			     "\"operation\":\"Update\",\"apiVersion\":\"example.org/v1\",\"time\":\"%s\",\"fieldsType\":\"FieldsV1\","
			     "\"fieldsV1\":{\"f:spec\":{", name, name, version, version, version, version, version, version, version, time);
	for (unsigned i = 0; i < 8; i++)
		buf_printf(&r->text, "%s\"f:field-%u-%u\":{}", i ? "," : "", version, i);
	buf_printf(&r->text, "}}}]},\"spec\":{\"version\":%u,\"text\":\"%08x\"},\"status\":{\"conditions\":[", version, version * 2654435761u);
	for (unsigned i = 0; i < CONDITIONS; i++)
		buf_printf(&r->text, "%s{\"type\":\"Type%u\",\"status\":\"%s\",\"reason\":\"Reason%u-%u\",\"message\":\"message %u of %u\"}",
			   i ? "," : "", i, version % 2 ? "True" : "False", version, i, i, version);
	buf_add_cstr(&r->text, "]}}");
}

static void put_text(struct run *r)
{
	struct engine_source from = { 0 };
	struct json object;
	struct handle h;

	assert_int_equal(json_parse(buf_str(&r->text), &object, NULL), 0);
	r->w.now += 50;
	engine_put(r->w.engine, &from, object, r->w.now, &h);
	assert_int_not_equal(h.slot, 0);
	world_note_edits(&r->w, h, object);
	changelog_note(r->changelog, &r->w, h, object);
	buf_reset(&r->record);
	BUF_JOIN(&r->record, STR("{\"object\":"), buf_str(&r->text), STR("}"));
	latest_put(r->latest, h, store_node_kind(r->w.store, h.slot)->id, buf_str(&r->record), r->w.now);
	json_free(object);
}

static void put(struct run *r, unsigned name, unsigned version)
{
	write_object(r, name, version);
	put_text(r);
}

static void drop(struct run *r, unsigned name)
{
	char text[32];
	struct object_id id = { 0, kinds_put(&r->w.kinds, STR("example.org"), STR("Widget")), STR("shop"), STR_NONE };
	struct handle h;

	snprintf(text, sizeof(text), "widget-%u", name);
	id.name = str_of(text);
	h = store_find(r->w.store, &id);
	changelog_note(r->changelog, &r->w, h, JSON_NONE);
	store_remove(r->w.store, h);
	latest_drop(r->latest, h.slot);
}

static size_t latest_ceiling(void)
{
	return LATEST_RING + MIB(1);	/* of few objects that are alive, and with the coder */
}

/* What the stores count themselves. */
static void check_counts(const struct run *r)
{
	assert_in_range(edits_size(r->w.changes.edits), 1, EDITS_CEILING / r->share);
	assert_in_range(versions_bytes(changelog_versions(r->changelog)), 1, VERSIONS_CEILING / r->share);
	assert_in_range(journal_size(graph_journal(r->w.graph)), 1, JOURNAL_CEILING / r->share);
	assert_in_range(graph_history_size(r->w.graph), 1, UNDO_CEILING / r->share);
}

static void step(struct run *r)
{
	world_settle(&r->w);
	world_forget(&r->w);
	check_counts(r);
}

/* Returns true when the heap has lost no more than the ceiling, and what malloc() may need for small blocks besides. */
static bool is_below(struct run *r, const char *what, size_t before, size_t counted, size_t ceiling)
{
	size_t taken = before - heap();

	r->taken += taken;
	if (is_soak())
		printf("%-10s %6.1f MB of %.1f MB, %.1f MB counted\n", what, (double)taken / MIB(1), (double)ceiling / MIB(1),
		       (double)counted / MIB(1));
	return taken <= ceiling + ceiling / 8;
}

static bool end(struct run *r)
{
	size_t before = heap(), counted = latest_size(r->latest);
	bool below;

	latest_free(r->latest);
	below = is_below(r, "latest", before, counted, latest_ceiling());
	before = heap();
	counted = versions_bytes(changelog_versions(r->changelog));
	changelog_free(r->changelog);
	below &= is_below(r, "versions", before, counted, VERSIONS_CEILING / r->share + KIB(512));	/* the coder, too */
	before = heap();
	counted = graph_history_size(r->w.graph);
	graph_keep_history(r->w.graph, 0);
	below &= is_below(r, "undo log", before, counted, UNDO_CEILING / r->share);
	before = heap();
	counted = journal_size(graph_journal(r->w.graph));
	graph_keep_journal(r->w.graph, 1, r->w.now);
	below &= is_below(r, "journal", before, counted, JOURNAL_CEILING / r->share);
	before = heap();
	counted = edits_size(r->w.changes.edits);
	edits_free(r->w.changes.edits);
	r->w.changes.edits = NULL;
	below &= is_below(r, "edits", before, counted, EDITS_CEILING / r->share);
	below &= r->taken <= PAST_CEILING / r->share + (r->share > 1 ? latest_ceiling() : 0);
	before = heap();
	world_release(&r->w);
	/* tables of names, whose buckets double when one of them is long */
	below &= is_below(r, "world", before, 0, MIB(5));
	buf_release(&r->text);
	buf_release(&r->record);
	return below;
}

static void one_object_changes_many_times(void **state)
{
	unsigned n = changes();
	struct run r;

	(void)state;
	begin(&r);
	for (unsigned i = 1; i <= n; i++) {
		put(&r, 1, i);
		step(&r);
	}
	assert_true(end(&r));
}

static void many_objects_come_once(void **state)
{
	unsigned n = changes();
	struct run r;

	(void)state;
	begin(&r);
	for (unsigned i = 1; i <= n; i++) {
		put(&r, i, i);
		if (i > ALIVE)
			drop(&r, i - ALIVE);
		step(&r);
	}
	assert_true(end(&r));
}

static void put_failed(struct run *r, unsigned name)
{
	buf_reset(&r->text);
	buf_printf(&r->text, "{\"apiVersion\":\"example.org/v%u\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"widget-%u\",\"namespace\":\"shop\"},"
			     "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"Broken%u\",\"message\":\"%u\"}]}}",
		   name, name, name, name);
	put_text(r);
}

static void many_root_causes_come_once(void **state)
{
	size_t before, ceiling;
	const struct query q = { .offline = true };
	struct cause_log *log;
	struct run r;

	(void)state;
	begin(&r);
	ceiling = is_soak() ? CAUSES_CEILING : CAUSES_CEILING / SHARE / 4;
	log = cause_log_new(ceiling);
	for (unsigned i = 1; !cause_log_full_since(log) && i < 1000000; i++) {
		put_failed(&r, i);
		if (i > ALIVE)
			drop(&r, i - ALIVE);
		world_settle(&r.w);
		world_forget(&r.w);
		cause_log_note(log, &r.w, &q, false);
	}
	assert_int_not_equal(cause_log_full_since(log), 0);
	for (unsigned i = 1; i < 3000; i++) {
		put_failed(&r, 1000000 + i);
		world_settle(&r.w);
		world_forget(&r.w);
		drop(&r, 1000000 + i);
		cause_log_note(log, &r.w, &q, i == 2999);
	}
	before = heap();
	cause_log_free(log);
	assert_true(is_below(&r, "causes", before, ceiling, ceiling));
	r.taken = 0;	/* these come beside the others */
	assert_true(end(&r));
}

/* The text that names all versions of a kind is made anew for each: their number and their length are limited. */
static void a_kind_has_some_versions(void **state)
{
	struct kinds kinds = { 0 };
	struct kind *kind = kinds_put(&kinds, STR("example.org"), STR("Widget"));
	char version[200];
	size_t before = heap();

	(void)state;
	kind->versions = kinds_name(&kinds, STR("v1"));
	for (unsigned i = 2; i < 20000; i++) {
		snprintf(version, sizeof(version), i % 2 ? "v%u" : "v%0150u", i);
		kinds_add_version(&kinds, kind, str_of(version));
	}
	assert_in_range(kind->versions.len, 1, LIMIT_KIND_VERSIONS * (LIMIT_VERSION + 1));
	assert_true(heap() < before + KIB(64) || !before);
	kinds_release(&kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_object_changes_many_times),
		cmocka_unit_test(many_objects_come_once),
		cmocka_unit_test(many_root_causes_come_once),
		cmocka_unit_test(a_kind_has_some_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
