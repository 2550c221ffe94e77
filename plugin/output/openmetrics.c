/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/openmetrics.h"

#include "kube/base/utf8.h"
#include "plugin/output/whole_file.h"

#include <inttypes.h>

static void begin_family(struct buf *out, const char *name, const char *unit, const char *help)
{
	buf_printf(out, "# TYPE kubectl_status_%s gauge\n", name);
	if (unit)
		buf_printf(out, "# UNIT kubectl_status_%s %s\n", name, unit);
	buf_printf(out, "# HELP kubectl_status_%s %s\n", name, help);
}

/* Only three characters have an escape.  Others that must never reach a terminal become U+FFFD. */
static void add_value(struct buf *out, struct str value)
{
	char utf8[4];

	for (size_t at = 0; at < value.len;) {
		uint32_t rune = utf8_next(value, &at);

		if (rune == '\\' || rune == '"')
			buf_printf(out, "\\%c", (char)rune);
		else if (rune == '\n')
			buf_add_cstr(out, "\\n");
		else
			buf_add(out, (struct str){ utf8, utf8_put(utf8_hostile(rune) ? 0xFFFD : rune, utf8) });
	}
}

static void add_label(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "%s%s=\"", out->ptr[out->len - 1] == '{' ? "" : ",", name);
	add_value(out, value);
	buf_add_char(out, '"');
}

/* Begins a sample: its name, and the labels of an object that has a phase, or of a root cause that may have none. */
static void begin_sample(struct buf *out, const char *name, const struct id *id, const char *phase, enum severity severity)
{
	buf_printf(out, "kubectl_status_%s{", name);
	add_label(out, "cluster", id->cluster);
	add_label(out, "namespace", id->ns);
	add_label(out, "group", id->group);
	add_label(out, "kind", id->kind);
	add_label(out, "name", id->name);
	add_label(out, "phase", str_of(phase));
	add_label(out, "severity", str_of(severity_name(severity)));
}

static void add_seconds(struct buf *out, int64_t ms)
{
	buf_printf(out, "%s%" PRId64 ".%03d\n", ms < 0 ? "-" : "", ms < 0 ? -(ms / 1000) : ms / 1000, (int)(ms < 0 ? -(ms % 1000) : ms % 1000));
}

/* What is left over counts as nothing. */
static bool is_told(const struct summary *s)
{
	return s->phase != PHASE_READY && !phase_is_leftover(s->phase, s->severity);
}

static void add_phases(struct world *w, const struct selected *items, struct output *out)
{
	struct summary s;

	begin_family(&out->buf, "phase", NULL, "The phase of an object that is not Ready.");
	for (size_t i = 0; i < items->n; i++)
		if (graph_summary(w->graph, items->handles[i], &s) && is_told(&s)) {
			begin_sample(&out->buf, "phase", &s.id, phase_name(s.phase), s.severity);
			buf_add_cstr(&out->buf, "} 1\n");
			output_drain(out);
		}
	begin_family(&out->buf, "phase_since_seconds", "seconds", "When that phase began, in seconds since 1970.");
	for (size_t i = 0; i < items->n; i++)
		if (graph_summary(w->graph, items->handles[i], &s) && is_told(&s) && s.since) {
			begin_sample(&out->buf, "phase_since_seconds", &s.id, phase_name(s.phase), s.severity);
			buf_add_cstr(&out->buf, "} ");
			add_seconds(&out->buf, s.since);
			output_drain(out);
		}
}

static void add_root_causes(struct world *w, const struct selected *items, struct output *out)
{
	struct arena arena = { 0 };
	size_t n;
	const struct root_cause *causes = status_list_causes(w, items, &arena, &n);

	begin_family(&out->buf, "root_cause", NULL, "A root cause, and how many objects it blocks.");
	for (size_t i = 0; i < n; i++) {
		begin_sample(&out->buf, "root_cause", &causes[i].id, causes[i].id.handle.slot ? phase_name(causes[i].phase) : "",
			     causes[i].severity);
		add_label(&out->buf, "cause", str_of(wait_state_name(causes[i].cause)));
		buf_printf(&out->buf, "} %zu\n", causes[i].nblocked);
		output_drain(out);
	}
	arena_release(&arena);
}

/* The numbers of objects of one kind in one cluster. */
struct tally {
	struct id of;	/* one of these objects */
	uint64_t by_phase[PHASE_COUNT];
};

/* Counts the objects by cluster and kind, whose numbers are small. */
static struct tally *count(struct world *w, const struct selected *items, size_t *out_n, struct arena *arena)
{
	size_t kinds = w->kinds.count + 1, clusters = 1;
	struct tally *all;
	struct summary s;

	for (size_t i = 0; i < items->n; i++)
		if (store_node_id(w->store, items->handles[i].slot).cluster >= clusters)
			clusters = store_node_id(w->store, items->handles[i].slot).cluster + 1;
	*out_n = clusters * kinds;
	all = arena_array(arena, *out_n, sizeof(*all));
	for (size_t i = 0; i < items->n; i++) {
		struct object_id id = store_node_id(w->store, items->handles[i].slot);
		struct tally *tally = &all[id.cluster * kinds + id.kind->id];

		if (!graph_summary(w->graph, items->handles[i], &s) || phase_is_leftover(s.phase, s.severity))
			continue;
		tally->of = s.id;
		tally->by_phase[s.phase]++;
	}
	return all;
}

static void add_counts(struct world *w, const struct selected *items, struct output *out)
{
	struct arena arena = { 0 };
	size_t n;
	const struct tally *all = count(w, items, &n, &arena);

	begin_family(&out->buf, "objects", NULL, "The number of objects of a kind in a phase.");
	for (size_t i = 0; i < n; i++)
		for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
			if (!all[i].by_phase[phase])
				continue;
			buf_add_cstr(&out->buf, "kubectl_status_objects{");
			add_label(&out->buf, "cluster", all[i].of.cluster);
			add_label(&out->buf, "group", all[i].of.group);
			add_label(&out->buf, "kind", all[i].of.kind);
			add_label(&out->buf, "phase", str_of(phase_name((enum phase)phase)));
			buf_printf(&out->buf, "} %" PRIu64 "\n", all[i].by_phase[phase]);
			output_drain(out);
		}
	arena_release(&arena);
}

void openmetrics_print(struct world *w, const struct selected *items, struct output *out)
{
	add_phases(w, items, out);
	add_root_causes(w, items, out);
	add_counts(w, items, out);
	begin_family(&out->buf, "as_of_seconds", "seconds", "The moment of which all this is told, in seconds since 1970.");
	buf_add_cstr(&out->buf, "kubectl_status_as_of_seconds ");
	add_seconds(&out->buf, w->now);
	buf_add_cstr(&out->buf, "# EOF\n");
	output_drain(out);
}

void openmetrics_file(const char *dir, struct world *w, const struct query *q)
{
	struct output whole = { .fd = -1, .collect = true };
	struct arena arena = { 0 };
	struct selected items;

	items.handles = query_collect(q, w, &arena, &items.n);
	openmetrics_print(w, &items, &whole);
	whole_file_replace(arena_printf(&arena, "%s/metrics", dir).ptr, buf_str(&whole.buf));
	buf_release(&whole.buf);
	arena_release(&arena);
}
