/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/show.h"

#include "plugin/output/brief.h"
#include "plugin/output/document_form.h"
#include "plugin/output/openmetrics.h"
#include "plugin/output/status_list.h"
#include "plugin/notices.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void add_name(struct str singular, struct str group, struct str name, struct buf *out)
{
	plain_safe(singular, out);
	if (group.len) {
		buf_add_char(out, '.');
		plain_safe(group, out);
	}
	buf_add_char(out, '/');
	plain_safe(name, out);
}

void show_name(const struct world *w, uint32_t slot, struct buf *out)
{
	struct object_id id = store_node_id(w->store, slot);

	add_name(id.kind->singular, id.kind->group, id.name, out);
	buf_add_char(out, '\n');
}

bool show_wants(const struct world *w, const struct query *q, struct handle h)
{
	struct summary s;

	return !q->options->problems || (graph_summary(w->graph, h, &s) && s.phase != PHASE_READY);
}

const struct handle *show_collect(struct world *w, const struct query *q, struct arena *arena, size_t *out_n)
{
	const struct handle *all = query_collect(q, w, arena, out_n);
	struct handle *wanted;
	size_t n = 0;

	if (!q->options->problems)
		return all;
	wanted = arena_array(arena, *out_n, sizeof(*wanted));
	for (size_t i = 0; i < *out_n; i++)
		if (show_wants(w, q, all[i]))
			wanted[n++] = all[i];
	*out_n = n;
	return wanted;
}

static int terminal_width(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_color(const struct options *o, int fd)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color && !str_is(str_of(o->color), "auto"))
		return str_is(str_of(o->color), "always");
	return isatty(fd) && (!none || !*none) && term && !str_is(str_of(term), "dumb");
}

struct plain show_plain(const struct world *w, const struct query *q, const struct output *out)
{
	const struct options *o = q->options;

	return (struct plain){
		.listing = {
			.graph = w->graph,
			.store = w->store,
			.now = w->now,
			.wide = o->format == FORMAT_WIDE,
			.absolute_time = o->absolute_time,
			.all_namespaces = o->all_namespaces || str_find(q->ns, ',') < q->ns.len,
			.width = terminal_width(out->fd),
			.columns = o->columns,
			.labels = w->labels,
			.label_columns = o->label_columns.values,
			.show_labels = o->show_labels,
			.fold_children = q->what.n == 0,
			.named = query_has_names(q),
		},
		.no_headers = o->no_headers,
		.color = wants_color(o, out->fd),
	};
}

static void show_text(struct world *w, const struct query *q, const struct selected *items, struct output *out)
{
	struct arena arena = { 0 };
	struct plain plain = show_plain(w, q, out);

	plain.listing.doubt = notices_doubt(w, q, &arena);
	plain.listing.selected = query_collect(q, w, &arena, &plain.listing.nselected);
	if (q->options->format == FORMAT_TREE)
		plain_tree(&plain, items->handles, items->n, &out->buf);
	else if (q->options->format == FORMAT_WHY)
		plain_why(&plain, items->handles, items->n, &out->buf);
	else if (q->options->problems)
		plain_problems(&plain, items->handles, items->n, &out->buf);
	else if (items->n)
		plain_list(&plain, items->handles, items->n, &out->buf);
	arena_release(&arena);
}

/* Prints the document in another form than JSON, for which it must be whole. */
static void show_document(struct world *w, enum format format, const struct selected *items, struct output *out)
{
	struct output whole = { .fd = -1, .collect = true };

	status_list_print(w, items, &whole);
	document_form(format, buf_str(&whole.buf), &out->buf);
	buf_release(&whole.buf);
}

void show(struct world *w, const struct query *q, struct output *out)
{
	struct arena arena = { 0 };
	struct selected items;

	items.handles = show_collect(w, q, &arena, &items.n);
	switch (q->options->format) {
	case FORMAT_JSON:
		status_list_print(w, &items, out);
		break;
	case FORMAT_YAML:
	case FORMAT_KYAML:
		show_document(w, q->options->format, &items, out);
		break;
	case FORMAT_NAME:
		for (size_t i = 0; i < items.n && !out->broken; i++) {
			show_name(w, items.handles[i].slot, &out->buf);
			output_drain(out);
		}
		break;
	case FORMAT_BRIEF:
		brief_print(w, q, &items, BRIEF_BYTES, &out->buf);
		break;
	case FORMAT_OPENMETRICS:
		openmetrics_print(w, &items, out);
		break;
	case FORMAT_NONE:
	case FORMAT_TABLE:
	case FORMAT_WIDE:
	case FORMAT_TREE:
	case FORMAT_WHY:
		show_text(w, q, &items, out);
		break;
	}
	output_flush(out);
	arena_release(&arena);
}

int show_health(struct world *w, const struct query *q)
{
	bool open = false;

	for (struct handle h = store_next(w->store, 0); h.slot; h = store_next(w->store, h.slot + 1)) {
		struct summary s;

		if (!query_selects(q, w, h) || !graph_summary(w->graph, h, &s))
			continue;
		if (phase_is_leftover(s.phase, s.severity))
			continue;
		if (s.phase == PHASE_FAILED || s.phase == PHASE_DEGRADED)
			return 4;
		open |= s.phase != PHASE_READY && s.phase != PHASE_SUSPENDED;
	}
	return open ? 3 : 0;
}
