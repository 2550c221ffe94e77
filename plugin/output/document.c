/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/document.h"

#include "kube/base/map.h"
#include "plugin/output/jsonw.h"

#include <stdlib.h>

static void id_members(struct jsonw *j, const struct id *id, bool with_cluster)
{
	jsonw_string(j, "group", id->group);
	jsonw_string(j, "kind", id->kind);
	jsonw_text(j, "namespace", id->ns);
	jsonw_string(j, "name", id->name);
	if (with_cluster || id->cluster.len)
		jsonw_string(j, "cluster", id->cluster);
}

static void id_object(struct jsonw *j, const char *key, const struct id *id)
{
	jsonw_open(j, key, '{');
	id_members(j, id, false);
	jsonw_close(j, '}');
}

static void waits(struct jsonw *j, const struct item *it)
{
	if (it->nwaits == 0)
		return;
	jsonw_open(j, "waits", '[');
	for (size_t i = 0; i < it->nwaits; i++) {
		jsonw_open(j, NULL, '{');
		id_object(j, "on", &it->waits[i].on);
		jsonw_string(j, "state", str_of(wait_state_name(it->waits[i].state)));
		jsonw_text(j, "via", it->waits[i].via);
		jsonw_text(j, "message", it->waits[i].message);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void ids(struct jsonw *j, const char *key, const struct id *list, size_t n)
{
	if (n == 0)
		return;
	jsonw_open(j, key, '[');
	for (size_t i = 0; i < n; i++)
		id_object(j, NULL, &list[i]);
	jsonw_close(j, ']');
}

static void dependencies(struct jsonw *j, const struct item *it)
{
	if (it->ndependencies == 0)
		return;
	jsonw_open(j, "dependencies", '[');
	for (size_t i = 0; i < it->ndependencies; i++) {
		const struct dependency *d = &it->dependencies[i];

		jsonw_open(j, NULL, '{');
		id_object(j, "on", &d->on);
		jsonw_string(j, "relation", str_of(relation_name(d->relation)));
		jsonw_text(j, "via", d->via);
		if (d->found || d->missing)	/* else nobody knows: it may not be read, or was not looked for */
			jsonw_bool(j, "found", d->found);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void deletion(struct jsonw *j, const struct deletion *d)
{
	if (!d)
		return;
	jsonw_open(j, "deletion", '{');
	jsonw_time(j, "since", d->since);
	jsonw_open(j, "finalizers", '[');
	for (size_t i = 0; i < d->nfinalizers; i++) {
		jsonw_open(j, NULL, '{');
		jsonw_string(j, "name", d->finalizers[i].name);
		jsonw_text(j, "heldFor", d->finalizers[i].held_for);
		jsonw_string(j, "state", d->finalizers[i].state);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
	ids(j, "blockedBy", d->blocked_by, d->nblocked_by);
	jsonw_close(j, '}');
}

static void async(struct jsonw *j, const struct async *a)
{
	if (!a)
		return;
	jsonw_open(j, "async", '{');
	jsonw_text(j, "source", a->source);
	jsonw_text(j, "phase", a->phase);
	jsonw_text(j, "class", a->class);
	if (a->percent >= 0)
		jsonw_number(j, "percent", a->percent);
	jsonw_text(j, "workRequestId", a->work_request_id);
	jsonw_text(j, "rawStatus", a->raw_status);
	jsonw_text(j, "rawOperation", a->raw_operation);
	jsonw_text(j, "message", a->message);
	jsonw_time(j, "updatedAt", a->updated);
	jsonw_text(j, "requestId", a->request_id);
	jsonw_close(j, '}');
}

static void version(struct jsonw *j, const struct status *st)
{
	if (st->version_to.len == 0 && st->version_from.len == 0)
		return;
	jsonw_open(j, "version", '{');
	jsonw_text(j, "from", st->version_from);
	jsonw_text(j, "to", st->version_to);
	jsonw_close(j, '}');
}

static void conditions(struct jsonw *j, const struct status *st)
{
	if (st->nconditions == 0)
		return;
	jsonw_open(j, "conditions", '[');
	for (size_t i = 0; i < st->nconditions; i++) {
		const struct condition *c = &st->conditions[i];

		jsonw_open(j, NULL, '{');
		jsonw_string(j, "type", c->type);
		jsonw_string(j, "status", c->status);
		jsonw_text(j, "reason", c->reason);
		jsonw_text(j, "message", c->message);
		jsonw_text(j, "severity", c->severity);
		jsonw_time(j, "lastTransitionTime", c->since);
		if (c->generation >= 0)
			jsonw_int(j, "observedGeneration", c->generation);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void history(struct jsonw *j, const struct status *st)
{
	if (st->nhistory == 0)
		return;
	jsonw_open(j, "history", '[');
	for (size_t i = 0; i < st->nhistory; i++) {
		jsonw_open(j, NULL, '{');
		jsonw_time(j, "time", st->history[i].time);
		jsonw_string(j, "what", st->history[i].what);
		jsonw_text(j, "reason", st->history[i].reason);
		jsonw_text(j, "message", st->history[i].message);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void flags(struct jsonw *j, const struct status *st)
{
	if (st->nflags == 0)
		return;
	jsonw_open(j, "flags", '[');
	for (size_t i = 0; i < st->nflags; i++)
		jsonw_string(j, NULL, st->flags[i]);
	jsonw_close(j, ']');
}

static void item_members(struct jsonw *j, const struct item *it)
{
	const struct summary *s = &it->s;

	jsonw_string(j, "apiVersion", it->api_version);
	jsonw_string(j, "kind", s->id.kind);
	jsonw_text(j, "namespace", s->id.ns);
	jsonw_string(j, "name", s->id.name);
	jsonw_text(j, "uid", it->uid);
	jsonw_string(j, "cluster", s->id.cluster);
	jsonw_string(j, "family", str_of(s->family));
	jsonw_string(j, "phase", str_of(phase_name(s->phase)));
	jsonw_text(j, "operatorPhase", s->operator_phase);
	jsonw_string(j, "severity", str_of(severity_name(s->severity)));
	jsonw_text(j, "reason", s->reason);
	jsonw_text(j, "message", s->message);
	jsonw_text(j, "rule", it->rule);
	jsonw_time(j, "since", s->since);
	jsonw_bool(j, "stale", s->stale);
	waits(j, it);
	ids(j, "rootCauses", it->roots, it->nroots);
	dependencies(j, it);
	deletion(j, it->deletion);
	async(j, it->status.async);
	version(j, &it->status);
	conditions(j, &it->status);
	history(j, &it->status);
	flags(j, &it->status);
}

static void item_object(struct world *w, struct jsonw *j, struct handle h, const char *event)
{
	struct arena arena = { 0 };
	struct item it;

	if (graph_item(w->graph, h, &arena, &it)) {
		jsonw_open(j, NULL, '{');
		if (event)
			jsonw_string(j, "event", str_of(event));
		item_members(j, &it);
		jsonw_close(j, '}');
	}
	arena_release(&arena);
}

void document_item(struct world *w, struct handle h, const char *event, struct buf *out)
{
	struct jsonw j = { .out = out };

	item_object(w, &j, h, event);
	buf_add_char(out, '\n');
}

/* ---- the list ------------------------------------------------------------ */

static void summary(struct world *w, struct jsonw *j, const struct selected *items)
{
	int64_t by_phase[PHASE_COUNT] = { 0 }, by_severity[SEVERITY_COUNT] = { 0 };

	for (size_t i = 0; i < items->n; i++) {
		struct summary s;

		if (!graph_summary(w->graph, items->handles[i], &s))
			continue;
		by_phase[s.phase]++;
		by_severity[s.severity]++;
	}
	jsonw_open(j, "summary", '{');
	jsonw_int(j, "total", (int64_t)items->n);
	jsonw_open(j, "byPhase", '{');
	for (int p = 0; p < PHASE_COUNT; p++)
		if (by_phase[p])
			jsonw_int(j, phase_name((enum phase)p), by_phase[p]);
	jsonw_close(j, '}');
	jsonw_open(j, "bySeverity", '{');
	for (int s = SEVERITY_COUNT; s-- > 0;)
		if (by_severity[s])
			jsonw_int(j, severity_name((enum severity)s), by_severity[s]);
	jsonw_close(j, '}');
	jsonw_close(j, '}');
}

static int compare_ids(const void *x, const void *y)
{
	const struct id *a = x, *b = y;
	int c = str_cmp(a->ns, b->ns);

	c = c ? c : str_cmp(a->kind, b->kind);
	return c ? c : str_cmp(a->name, b->name);
}

/* By namespace, kind and name, as items are: not in the order in which objects came. */
static void blocked(struct jsonw *j, struct graph *g, uint32_t cause)
{
	struct arena arena = { 0 };
	size_t n;
	const uint32_t *slots = graph_blocked(g, &cause, 1, &n);
	struct id *ids = arena_array(&arena, n, sizeof(*ids));

	for (size_t i = 0; i < n; i++)
		ids[i] = graph_id(g, slots[i]);
	qsort(ids, n, sizeof(*ids), compare_ids);
	if (n)
		jsonw_open(j, "blocked", '[');
	for (size_t i = 0; i < n; i++)
		id_object(j, NULL, &ids[i]);
	if (n)
		jsonw_close(j, ']');
	arena_release(&arena);
}

static void root_cause(struct jsonw *j, struct graph *g, const struct root_cause *c)
{
	jsonw_open(j, NULL, '{');
	jsonw_open(j, "resource", '{');
	id_members(j, &c->id, true);
	jsonw_close(j, '}');
	jsonw_string(j, "cause", str_of(wait_state_name(c->cause)));
	if (c->id.handle.slot)
		jsonw_string(j, "phase", str_of(phase_name(c->phase)));
	jsonw_string(j, "severity", str_of(severity_name(c->severity)));
	jsonw_text(j, "reason", c->reason);
	jsonw_text(j, "message", c->message);
	jsonw_time(j, "since", c->since);
	jsonw_int(j, "blocks", (int64_t)c->nblocked);
	blocked(j, g, c->slot);
	jsonw_close(j, '}');
}

static bool is_chosen(const void *chosen, struct handle h)
{
	return ((const bool *)chosen)[h.slot];
}

/* Those that have to do with what was asked for. */
static void root_causes(struct world *w, struct jsonw *j, const struct selected *items, struct output *out)
{
	struct arena arena = { 0 };
	bool *chosen = arena_array(&arena, store_slots(w->store) + 1, sizeof(*chosen));
	const struct root_cause *causes;
	const uint8_t *concerned;
	size_t n;

	for (size_t i = 0; i < items->n; i++)
		chosen[items->handles[i].slot] = true;
	concerned = graph_concerned(w->graph, is_chosen, chosen, &arena);
	causes = graph_roots(w->graph, &arena, &n);
	jsonw_open(j, "rootCauses", '[');
	for (size_t i = 0; i < n; i++)
		if (concerned[causes[i].slot]) {
			root_cause(j, w->graph, &causes[i]);
			output_drain(out);
		}
	jsonw_close(j, ']');
	arena_release(&arena);
}

static void notices(struct world *w, struct jsonw *j)
{
	jsonw_open(j, "notices", '[');
	for (size_t i = 0; i < w->nnotices; i++) {
		jsonw_open(j, NULL, '{');
		jsonw_string(j, "kind", w->notices[i].kind);
		jsonw_text(j, "resource", w->notices[i].resource);
		jsonw_text(j, "namespace", w->notices[i].ns);
		jsonw_string(j, "message", w->notices[i].message);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

void document_list(struct world *w, const struct selected *items, struct output *out)
{
	struct jsonw j = { .out = &out->buf, .pretty = true };

	jsonw_open(&j, NULL, '{');
	jsonw_string(&j, "apiVersion", STR("kubectl-status/v1"));
	jsonw_string(&j, "kind", STR("StatusList"));
	jsonw_time(&j, "asOf", w->now);
	summary(w, &j, items);
	root_causes(w, &j, items, out);
	jsonw_open(&j, "items", '[');
	for (size_t i = 0; i < items->n && !out->broken; i++) {
		item_object(w, &j, items->handles[i], NULL);
		output_drain(out);
	}
	jsonw_close(&j, ']');
	notices(w, &j);
	jsonw_close(&j, '}');
	buf_add_char(&out->buf, '\n');
	output_drain(out);
}
