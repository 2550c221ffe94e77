/* SPDX-License-Identifier: Apache-2.0 */
/* Runs --watch: prints all objects first, then a row or a document for each change. */
#include "plugin/output/document_form.h"
#include "plugin/output/status_list.h"
#include "plugin/program.h"
#include "plugin/output/show.h"
#include "plugin/signals.h"
#include "plugin/unread.h"

#include "kube/base/alloc.h"


static const char DELETED[] = "DELETED";	/* the event of an object that was deleted, which rows have as its phase */

/* What was last printed about the object in a slot of the store. */
struct printed {
	uint32_t gen;
	struct buf text;	/* the document, or what a row may show of it, without its event; "": nothing was printed */
	const char *gone;	/* what is said of an object that is not there any more; NULL: it is */
};

struct stream {
	struct program *p;
	struct printed *by_slot;
	uint32_t n;
	struct plain plain;
	struct plain_memory memory;
	bool table_follows;	/* the rows that change now are printed together afterwards, aligned */
	bool silent;		/* --watch-only: the objects at the start are noted but not printed */
	int64_t gaps_until;	/* of a recording: the gaps before this were told, ms */
	uint64_t gaps_of;	/* what watched_changes() was then */
};

static struct printed *printed_at(struct stream *s, uint32_t slot)
{
	s->by_slot = xgrow_zeroed(s->by_slot, &s->n, slot, sizeof(*s->by_slot));
	return &s->by_slot[slot];
}

/* Prints a document with its event before its other members. */
static void print_document(struct stream *s, const char *event, const struct buf *document)
{
	struct buf text = { 0 };

	buf_printf(&text, "{\"event\":\"%s\",", event);
	buf_add(&text, str_from(buf_str(document), 1));
	document_form_next(s->p->options.format, buf_str(&text), &s->p->out.buf);
	buf_release(&text);
}

static bool prints_documents(const struct stream *s)
{
	return options_is_document(s->p->options.format);
}

/*
 * Returns true when changes are printed as rows.  So are those of -o tree and why, because a tree or a chain of causes
 * shows a single moment.
 */
static bool prints_rows(const struct stream *s)
{
	return !prints_documents(s) && s->p->options.format != FORMAT_NAME;
}

/* ---- changes -------------------------------------------------------------- */

static void print_change(struct stream *s, struct handle h, const char *event, struct printed *old)
{
	struct program *p = s->p;

	if (s->silent)
		return;
	if (p->options.format == FORMAT_NAME) {
		show_name(&p->world, h.slot, &p->out.buf);
	} else if (prints_documents(s)) {
		print_document(s, event, &old->text);
	} else if (!s->table_follows) {
		s->plain.listing.gone = old->gone;
		plain_list(&s->plain, &h, 1, &p->out.buf);
		s->plain.no_headers = true;
	}
}

static void on_gone(struct stream *s, uint32_t slot, struct printed *old)
{
	const struct store *store = s->p->world.store;

	old->gone = store_was_let_go(store, slot) ? "not watched any more" :
		    store_alive(store, (struct handle){ slot, old->gen }) ? "not in the selection any more (its labels or fields changed)" :
		    store_was_deselected(store, slot) ? "not in the selection any more (deleted, or its labels or fields changed)" : DELETED;
	print_change(s, (struct handle){ slot, old->gen }, old->gone == DELETED ? DELETED : store_was_let_go(store, slot) ? "UNWATCHED" : "DESELECTED",
		     old);
	buf_release(&old->text);
}

static void on_changed(struct stream *s, uint32_t slot)
{
	struct handle h = store_node_handle(s->p->world.store, slot);
	struct printed *old = printed_at(s, slot);
	struct buf text = { 0 };
	bool was = old->text.len > 0, met = store_is_met(s->p->world.store, h);

	bool selected = h.slot && query_selects(&s->p->query, &s->p->world, h);

	if (was && (!h.slot || h.gen != old->gen ? !met : !selected))
		on_gone(s, slot, old);
	if (!selected)
		return;
	was = old->text.len > 0;
	/* --problems prints an object that becomes Ready, but not one that always was */
	if (!was && !show_wants(&s->p->world, &s->p->query, h))
		return;
	status_list_item(&s->p->world, h, prints_documents(s) ? ITEM_WHOLE : ITEM_OF_ROW, &text);
	if (was && str_eq(buf_str(&text), buf_str(&old->text))) {
		buf_release(&text);
		return;
	}
	buf_release(&old->text);
	old->gen = h.gen;
	old->text = text;
	old->gone = NULL;
	print_change(s, h, was ? "MODIFIED" : "ADDED", old);
}

/* Prints all selected objects.  Returns their number. */
static size_t print_all(struct stream *s)
{
	struct arena arena = { 0 };
	size_t n;
	const struct handle *all = show_collect(&s->p->world, &s->p->query, &arena, &n);

	s->silent = s->p->options.watch_only;
	s->table_follows = prints_rows(s);
	for (size_t i = 0; i < n; i++) {
		on_changed(s, all[i].slot);
		output_drain(&s->p->out);
	}
	if (!s->silent && s->table_follows && n) {
		plain_list(&s->plain, all, n, &s->p->out.buf);
		s->plain.no_headers = true;
	}
	s->table_follows = s->silent = false;
	output_flush(&s->p->out);
	arena_release(&arena);
	return n;
}

static void print_changed(struct stream *s)
{
	size_t n;
	const uint32_t *affected = graph_affected(s->p->world.graph, &n);

	for (size_t i = 0; i < n; i++)
		on_changed(s, affected[i]);
	output_flush(&s->p->out);
	world_forget(&s->p->world);
}

static int finish(struct stream *s, int status)
{
	for (uint32_t i = 0; i < s->n; i++)
		buf_release(&s->by_slot[i].text);
	xfree(s->by_slot);
	return status;
}

/*
 * Tells in which times that ended by now some of what is printed was not watched, besides those that were told; at the end of the
 * recording also of one that goes on.
 */
static void tell_gaps(struct stream *s, int64_t now, bool ends)
{
	const struct program *p = s->p;
	uint64_t changes = watched_changes(journal_watched(graph_journal(p->world.graph)));
	struct arena arena = { 0 };
	const struct gap *gaps;
	size_t n, i;

	/* what the recorder read before its first lists were complete is no gap */
	if ((changes == s->gaps_of || !p->source->facts(p).loaded) && !ends)
		return;
	gaps = program_unwatched(p, (struct gap){ program_changes_from(p, s->gaps_until), now + !ends }, &arena, &n);
	s->gaps_of = changes;
	for (i = 0; i < n && (ends || gaps[i].to <= now); i++) {
		program_say_unwatched(gaps[i]);
		s->gaps_until = gaps[i].to;
	}
	if (i == n && s->gaps_until < now - GAP_SHORTEST)
		s->gaps_until = now - GAP_SHORTEST;
	arena_release(&arena);
}

/* Prints the changes in a recording from its first moment to its last, as fast as it can be read. */
static void stream_replay(struct stream *s)
{
	struct program *p = s->p;
	int64_t start = p->source->facts(p).start, end = options_moment(&p->options, p->source->facts(p).until);

	s->gaps_until = start;
	for (int64_t t = start; t && t <= end && !p->out.broken; t = p->source->facts(p).next) {
		s->plain.listing.now = t;
		program_play_moment(p, t);
		tell_gaps(s, t, false);
		if (t == start)
			print_all(s);
		else
			print_changed(s);
	}
	if (start && start < end && !p->out.broken) {
		s->plain.listing.now = end;
		program_play_end(p, end);
		tell_gaps(s, end, true);
		print_changed(s);
	}
	program_say_flaws(p);
}

int run_stream(struct program *p, struct err *err)
{
	struct stream s = { .p = p, .plain = show_plain(&p->world, &p->query, &p->out) };
	bool only_records = !p->options.watch;	/* with --record and without --watch only the file is written */
	int fds[] = { signals_fd(), p->out.fd };
	size_t nfds = !only_records && output_is_pipe(&p->out) ? 2 : 1;

	s.plain.memory = &s.memory;
	s.plain.listing.fold_children = false;
	if (p->source->plays) {
		stream_replay(&s);
		return finish(&s, 0);
	}
	while (!p->source->facts(p).settled && !program_interrupted(p)) {
		p->source->turn(p, fds, 1, -1);
		if (p->source->failed(p, err))
			return finish(&s, -1);
		if (only_records && p->source->facts(p).told_record_failed)
			return finish(&s, 1);
	}
	if (!p->signal && unread_everything(p)) {
		unread_say(p);
		return finish(&s, 1);
	}
	if (!only_records && !p->signal)
		program_read_history(p, 0);
	unread_note(p);
	if (!p->signal)
		program_say_notices(p);
	if (!only_records && !p->signal && print_all(&s) == 0 && !p->options.ignore_not_found && !p->source->facts(p).retries &&
	    program_say_missing(p))
		return finish(&s, 1);	/* kubectl get -w ends the same way */
	while (!program_interrupted(p) && !p->out.broken) {
		if (p->source->turn(p, fds, nfds, -1) && !only_records) {
			s.plain.listing.now = p->world.now;
			print_changed(&s);
		} else {
			world_forget(&p->world);
		}
		if (nfds > 1)
			output_look(&p->out);
		if (only_records && p->source->facts(p).told_record_failed)
			return finish(&s, 1);
	}
	return finish(&s, 0);
}
