/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/status_list.h"

#include "kube/base/utf8.h"
#include "kube/graph/shared.h"
#include "kube/model/document.h"
#include "tui/view/cause_facts.h"
#include "tui/words/explain.h"
#include "tui/words/recovery.h"

#include <stdlib.h>

static struct document id_document(const struct id *id, bool with_cluster)
{
	struct document d = document_object();

	document_add_string(d, "group", id->group);
	document_add_string(d, "kind", id->kind);
	document_add_text(d, "namespace", id->ns);
	document_add_string(d, "name", id->name);
	if (with_cluster || id->cluster.len)
		document_add_string(d, "cluster", id->cluster);
	return d;
}

static void add_waits(struct document d, const struct item *it)
{
	struct document waits = document_add_list(d, "waits", it->nwaits);

	for (size_t i = 0; i < it->nwaits; i++) {
		struct document wait = document_add_object(waits, NULL);

		document_add(wait, "on", id_document(&it->waits[i].on, false));
		document_add_string(wait, "state", str_of(wait_state_name(it->waits[i].state)));
		document_add_text(wait, "via", it->waits[i].via);
		document_add_text(wait, "message", it->waits[i].message);
	}
}

static void add_ids(struct document d, const char *key, const struct id *list, size_t n)
{
	struct document ids = document_add_list(d, key, n);

	for (size_t i = 0; i < n; i++)
		document_add(ids, NULL, id_document(&list[i], false));
}

static void add_dependencies(struct document d, const struct item *it)
{
	struct document dependencies = document_add_list(d, "dependencies", it->ndependencies);

	for (size_t i = 0; i < it->ndependencies; i++) {
		const struct dependency *of = &it->dependencies[i];
		struct document dependency = document_add_object(dependencies, NULL);

		document_add(dependency, "on", id_document(&of->on, false));
		document_add_string(dependency, "relation", str_of(relation_name(of->relation)));
		document_add_text(dependency, "via", of->via);
		/* otherwise it is not known: the object may not be read, or was not looked for */
		if (of->found || of->missing)
			document_add_bool(dependency, "found", of->found);
	}
}

static void add_deletion(struct document d, const struct deletion *of)
{
	struct document deletion, finalizers;

	if (!of)
		return;
	deletion = document_add_object(d, "deletion");
	document_add_time(deletion, "since", of->since);
	finalizers = document_add_array(deletion, "finalizers");
	for (size_t i = 0; i < of->nfinalizers; i++) {
		struct document finalizer = document_add_object(finalizers, NULL);

		document_add_string(finalizer, "name", of->finalizers[i].name);
		document_add_text(finalizer, "heldFor", of->finalizers[i].held_for);
		document_add_string(finalizer, "state", of->finalizers[i].state);
	}
	add_ids(deletion, "blockedBy", of->blocked_by, of->nblocked_by);
}

static void add_async(struct document d, const struct async *a)
{
	struct document async;

	if (!a)
		return;
	async = document_add_object(d, "async");
	document_add_text(async, "source", a->source);
	document_add_text(async, "phase", a->phase);
	document_add_text(async, "class", a->class);
	if (a->percent >= 0)
		document_add_number(async, "percent", a->percent);
	document_add_text(async, "workRequestId", a->work_request_id);
	document_add_text(async, "rawStatus", a->raw_status);
	document_add_text(async, "rawOperation", a->raw_operation);
	document_add_text(async, "message", a->message);
	document_add_time(async, "updatedAt", a->updated);
	document_add_text(async, "requestId", a->request_id);
}

static void add_version(struct document d, const struct status *st)
{
	struct document version;

	if (st->version_to.len == 0 && st->version_from.len == 0)
		return;
	version = document_add_object(d, "version");
	document_add_text(version, "from", st->version_from);
	document_add_text(version, "to", st->version_to);
}

static void add_conditions(struct document d, const struct status *st)
{
	struct document conditions = document_add_list(d, "conditions", st->nconditions);

	for (size_t i = 0; i < st->nconditions; i++) {
		const struct condition *c = &st->conditions[i];
		struct document condition = document_add_object(conditions, NULL);

		document_add_string(condition, "type", c->type);
		document_add_string(condition, "status", c->status);
		document_add_text(condition, "reason", c->reason);
		document_add_text(condition, "message", c->message);
		document_add_text(condition, "severity", c->severity);
		document_add_time(condition, "lastTransitionTime", c->since);
		if (c->generation >= 0)
			document_add_int(condition, "observedGeneration", c->generation);
	}
}

static void add_history(struct document d, const struct status *st)
{
	struct document history = document_add_list(d, "history", st->nhistory);

	for (size_t i = 0; i < st->nhistory; i++) {
		struct document entry = document_add_object(history, NULL);

		document_add_time(entry, "time", st->history[i].time);
		document_add_string(entry, "what", st->history[i].what);
		document_add_text(entry, "reason", st->history[i].reason);
		document_add_text(entry, "message", st->history[i].message);
	}
}

static void add_because(struct document d, const struct because *facts, size_t n)
{
	static const char *const roles[] = { [BECAUSE_DECIDES] = "decides", [BECAUSE_AGREES] = "agrees", [BECAUSE_OVERRULED] = "overruled" };
	struct document because = document_add_list(d, "because", n);

	for (size_t i = 0; i < n; i++) {
		struct document fact = document_add_object(because, NULL);

		document_add_string(fact, "what", facts[i].what);
		document_add_text(fact, "message", facts[i].message);
		document_add_text(fact, "from", facts[i].from);
		document_add_string(fact, "role", str_of(roles[facts[i].role]));
	}
}

static void add_flags(struct document d, const struct status *st)
{
	struct document flags = document_add_list(d, "flags", st->nflags);

	for (size_t i = 0; i < st->nflags; i++)
		document_add_string(flags, NULL, st->flags[i]);
}

static struct document item_document(struct graph *g, const struct item *it, enum item_part part)
{
	const struct summary *s = &it->s;
	struct document d = document_object();

	document_add_string(d, "apiVersion", it->api_version);
	document_add_string(d, "kind", s->id.kind);
	document_add_text(d, "namespace", s->id.ns);
	document_add_string(d, "name", s->id.name);
	document_add_text(d, "uid", it->uid);
	document_add_string(d, "cluster", s->id.cluster);
	document_add_string(d, "family", str_of(s->family));
	document_add_string(d, "phase", str_of(phase_name(s->phase)));
	document_add_text(d, "operatorPhase", s->operator_phase);
	document_add_string(d, "severity", str_of(severity_name(s->severity)));
	document_add_text(d, "reason", s->reason);
	document_add_text(d, "message", s->message);
	document_add_text(d, "rule", it->row);
	document_add_time(d, "since", s->since);
	document_add_bool(d, "stale", s->stale);
	add_waits(d, it);
	add_ids(d, "rootCauses", it->roots, it->nroots);
	if (part == ITEM_WHOLE)
		add_dependencies(d, it);
	add_deletion(d, it->deletion);
	add_async(d, it->status.async);
	add_version(d, &it->status);
	add_conditions(d, &it->status);
	add_history(d, &it->status);
	add_because(d, it->because, it->nbecause);
	document_add_text(d, "owner", graph_owner(g, s->id.handle));
	document_add_text(d, "runbook", graph_runbook(g, s->id.handle));
	add_flags(d, &it->status);
	return d;
}

/* Returns the document of an object; DOCUMENT_NONE when it does not exist any more. */
static struct document item_of(struct world *w, struct handle h, enum item_part part)
{
	struct document d = DOCUMENT_NONE;
	struct arena arena = { 0 };
	struct str words;
	struct item it;

	if (graph_item(w->graph, h, &arena, &it)) {
		d = item_document(w->graph, &it, part);
		if (part == ITEM_WHOLE)
			document_add_string(d, "recovery", str_of(recovery_name(recovery_of(w->graph, &it, w->now, &arena, &words))));
	}
	arena_release(&arena);
	return d;
}

void status_list_item(struct world *w, struct handle h, enum item_part part, struct buf *out)
{
	struct document d = item_of(w, h, part);

	if (d.node)
		document_write(d, out);
	document_free(d);
	buf_add_char(out, '\n');
}

/* ---- the list ------------------------------------------------------------ */

struct document status_list_summary(struct world *w, const struct selected *items)
{
	int64_t by_phase[PHASE_COUNT] = { 0 }, by_severity[SEVERITY_COUNT] = { 0 };
	struct document d = document_object(), phases, severities;

	for (size_t i = 0; i < items->n; i++) {
		struct summary s;

		if (!graph_summary(w->graph, items->handles[i], &s))
			continue;
		by_phase[s.phase] += !phase_is_leftover(s.phase, s.severity);
		by_severity[s.severity]++;
	}
	document_add_int(d, "total", (int64_t)items->n);
	phases = document_add_object(d, "byPhase");
	for (int p = 0; p < PHASE_COUNT; p++)
		if (by_phase[p])
			document_add_int(phases, phase_name((enum phase)p), by_phase[p]);
	severities = document_add_object(d, "bySeverity");
	for (int s = SEVERITY_COUNT; s-- > 0;)
		if (by_severity[s])
			document_add_int(severities, severity_name((enum severity)s), by_severity[s]);
	return d;
}

static int compare_ids(const void *x, const void *y)
{
	const struct id *a = x, *b = y;
	int c = str_cmp(a->ns, b->ns);

	c = c ? c : str_cmp(a->kind, b->kind);
	return c ? c : str_cmp(a->name, b->name);
}

/* Returns what waits for the cause, sorted by namespace, kind and name as items are. */
static const struct id *blocked_by(struct graph *g, uint32_t cause, struct arena *arena, size_t *out_n)
{
	const uint32_t *slots = graph_blocked(g, &cause, 1, out_n);
	struct id *ids = arena_array(arena, *out_n, sizeof(*ids));

	for (size_t i = 0; i < *out_n; i++)
		ids[i] = graph_id(g, slots[i]);
	qsort(ids, *out_n, sizeof(*ids), compare_ids);
	return ids;
}

/* Writes the objects that a cause blocks.  They may be all others, so each is written at once. */
static void write_blocked(struct document_stream *s, struct graph *g, uint32_t cause)
{
	struct arena arena = { 0 };
	size_t n;
	const struct id *ids = blocked_by(g, cause, &arena, &n);

	if (n)
		document_open(s, "blocked", '[');
	for (size_t i = 0; i < n; i++)
		document_put(s, id_document(&ids[i], false));
	if (n)
		document_close(s, ']');
	arena_release(&arena);
}

/* Adds what the broken objects of the cause's kind have and healthy ones have not. */
static void add_shared(struct document d, struct graph *g, const struct root_cause *c)
{
	struct arena arena = { 0 };
	size_t n;
	const struct shared *all = graph_shared(g, &c->slot, 1, &arena, &n);
	struct document list = document_add_list(d, "shared", n);

	for (size_t i = 0; i < n; i++) {
		const struct shared *s = &all[i];
		struct document one = document_add_object(list, NULL);

		if (s->on.name.len)
			document_add(one, "on", id_document(&s->on, false));
		else
			document_add_string(one, s->what == SHARED_IMAGE ? "image" : "label", s->text);
		if (s->of_node)
			document_add_string(one, "labelOf", STR("Node"));
		document_add_text(one, "reason", s->reason);
		document_add_int(one, "broken", (int64_t)s->broken);
		document_add_int(one, "of", (int64_t)s->of);
		document_add_int(one, "healthy", (int64_t)s->healthy);
		document_add_int(one, "ofHealthy", (int64_t)s->of_healthy);
	}
	arena_release(&arena);
}

enum { VALUE = 1000 };	/* bytes of a value of a field */

static void add_fields(struct document d, const struct change_before *c)
{
	struct document fields = document_add_list(d, "fields", c->nfields);

	for (size_t i = 0; i < c->nfields; i++) {
		const struct changed_field *f = &c->fields[i];
		struct document field = document_add_object(fields, NULL);

		document_add_string(field, "path", f->path);
		if (!f->unseen && !f->hidden && !f->added)
			document_add_string(field, "from", utf8_head(f->before, VALUE));
		if (!f->unseen && !f->hidden && !f->removed)
			document_add_string(field, "to", utf8_head(f->after, VALUE));
	}
	if (c->nfields && c->more)
		document_add_int(d, "moreFields", (int64_t)c->more);
}

static void add_change(struct document changed, const struct change_before *c)
{
	static const char *const whats[] = { [CHANGED_SPEC] = "changed", [CHANGED_CREATED] = "created", [CHANGED_DELETED] = "deleted" };
	struct document d = document_add_object(changed, NULL);
	const char *tool = manager_tool(c->by.manager);

	document_add(d, "resource", id_document(&c->id, true));
	document_add_time(d, "time", c->time);
	document_add_string(d, "what", str_of(whats[c->what]));
	document_add_text(d, "by", c->by.manager);
	if (tool)
		document_add_string(d, "tool", str_of(tool));
	document_add_text(d, "person", c->by.person);
	document_add_text(d, "source", c->by.source);
	add_fields(d, c);
}

/* Adds what was changed before the cause began.  Phases of other objects are no changes: they have causes themselves. */
static void add_changed(struct document d, struct world *w, const struct root_cause *cause)
{
	struct arena arena = { 0 };
	struct document changed = DOCUMENT_NONE;
	size_t n, added = 0;
	int64_t began;
	const struct change_before *c =
		changes_before_trouble(w->graph, cause_changed(w->graph, w->store, cause), &arena, &began, &n);

	for (size_t i = 0; i < n; i++) {
		if (c[i].what == CHANGED_PHASE)
			continue;
		if (added++ == 0)
			changed = document_add_array(d, "changed");
		add_change(changed, &c[i]);
	}
	arena_release(&arena);
}

static void add_recovery(struct document d, struct world *w, const struct root_cause *cause)
{
	struct arena arena = { 0 };
	struct str words;

	document_add_string(d, "recovery", str_of(recovery_name(recovery_of_root(w->graph, cause, w->now, &arena, &words))));
	arena_release(&arena);
}

/* Adds what the verdict of the cause rests on; of what does not exist, what is said of it by the first object that waits for it. */
static void add_cause_because(struct document d, struct graph *g, const struct root_cause *c)
{
	struct arena arena = { 0 };
	struct because said = { .what = ARENA_JOIN(&arena, c->id.kind, STR("/"), c->id.name, STR(" "), str_of(explain_cause(c->cause))),
				.message = c->message, .role = BECAUSE_DECIDES };
	struct item it;
	size_t n;

	if (graph_item_brief(g, c->id.handle, 0, &arena, &it)) {
		add_because(d, it.because, it.nbecause);
	} else {
		const struct id *by = blocked_by(g, c->slot, &arena, &n);

		if (n)
			said.from = ARENA_JOIN(&arena, by[0].kind, STR("/"), by[0].name);
		add_because(d, &said, 1);
	}
	arena_release(&arena);
}

struct document status_list_cause(struct world *w, const struct root_cause *c)
{
	struct graph *g = w->graph;
	struct document d = document_object();

	document_add(d, "resource", id_document(&c->id, true));
	document_add_string(d, "cause", str_of(wait_state_name(c->cause)));
	if (c->id.handle.slot)
		document_add_string(d, "phase", str_of(phase_name(c->phase)));
	document_add_string(d, "severity", str_of(severity_name(c->severity)));
	document_add_text(d, "reason", c->reason);
	document_add_text(d, "message", c->message);
	document_add_time(d, "since", c->since);
	document_add_int(d, "blocks", (int64_t)c->nblocked);
	document_add_text(d, "owner", graph_owner_of_root(g, c));
	document_add_text(d, "runbook", graph_runbook_of_root(g, c));
	add_recovery(d, w, c);
	add_cause_because(d, g, c);
	add_changed(d, w, c);
	add_shared(d, g, c);
	return d;
}

static bool is_chosen(const void *chosen, struct handle h)
{
	return ((const bool *)chosen)[h.slot];
}

const uint8_t *status_list_concerned(struct world *w, const struct selected *items, struct arena *arena)
{
	bool *chosen = arena_array(arena, store_slots(w->store) + 1, sizeof(*chosen));

	for (size_t i = 0; i < items->n; i++)
		chosen[items->handles[i].slot] = true;
	return graph_concerned(w->graph, is_chosen, chosen, arena);
}

const struct root_cause *status_list_causes(struct world *w, const struct selected *items, struct arena *arena, size_t *out_n)
{
	const struct root_cause *all, **by_slot = arena_array(arena, store_slots(w->store) + 1, sizeof(*by_slot));
	const struct cause_group *groups;
	struct root_cause *out;
	const uint8_t *concerned = status_list_concerned(w, items, arena);
	size_t n;

	all = graph_roots(w->graph, arena, &n);
	out = arena_array(arena, n, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		by_slot[all[i].slot] = &all[i];
	groups = cause_groups(w->graph, &n);
	*out_n = 0;
	/* each of them, in the order in which Problems lists them */
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < groups[i].n; k++)
			if (concerned[groups[i].slots[k]])
				out[(*out_n)++] = *by_slot[groups[i].slots[k]];
	return out;
}

static void write_root_causes(struct world *w, struct document_stream *s, const struct selected *items, struct output *out)
{
	struct arena arena = { 0 };
	size_t n;
	const struct root_cause *causes = status_list_causes(w, items, &arena, &n);

	document_open(s, "rootCauses", '[');
	for (size_t i = 0; i < n; i++) {
		document_open(s, NULL, '{');
		document_put_members(s, status_list_cause(w, &causes[i]));
		write_blocked(s, w->graph, causes[i].slot);
		document_close(s, '}');
		output_drain(out);
	}
	document_close(s, ']');
	arena_release(&arena);
}

static void add_notices(struct document d, const struct world *w)
{
	struct document notices = document_add_array(d, "notices");

	for (size_t i = 0; i < w->nnotices; i++) {
		struct document notice = document_add_object(notices, NULL);

		document_add_string(notice, "kind", w->notices[i].kind);
		document_add_text(notice, "resource", w->notices[i].resource);
		document_add_text(notice, "namespace", w->notices[i].ns);
		document_add_string(notice, "message", w->notices[i].message);
	}
}

void status_list_print(struct world *w, const struct selected *items, struct output *out)
{
	struct document_stream s = { .out = &out->buf };
	struct document head = document_object(), tail = document_object();

	document_add_string(head, "apiVersion", STR("kubectl-status/v1"));
	document_add_string(head, "kind", STR("StatusList"));
	document_add_time(head, "asOf", w->now);
	document_add(head, "summary", status_list_summary(w, items));
	add_notices(tail, w);
	document_open(&s, NULL, '{');
	document_put_members(&s, head);
	write_root_causes(w, &s, items, out);
	document_open(&s, "items", '[');
	for (size_t i = 0; i < items->n && !out->broken; i++) {
		struct document item = item_of(w, items->handles[i], ITEM_WHOLE);

		if (item.node)
			document_put(&s, item);
		output_drain(out);
	}
	document_close(&s, ']');
	document_put_members(&s, tail);
	document_close(&s, '}');
	buf_add_char(&out->buf, '\n');
	output_drain(out);
}
