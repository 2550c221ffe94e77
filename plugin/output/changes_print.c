/* SPDX-License-Identifier: Apache-2.0 */
/* Prints changes, for --diff and the timeline: as a table, JSON or YAML. */
#include "plugin/past/changelog.h"

#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "kube/model/document.h"
#include "plugin/output/document_form.h"
#include "plugin/output/plain.h"
#include "tui/words/words.h"

enum { VALUE = 60 };	/* the most bytes of a value, in the formats for people */

/* Returns a field whose values are cut to VALUE bytes. */
static struct changed_field brief(const struct changed_field *f, struct arena *a)
{
	struct changed_field cut = *f;
	struct str *values[] = { &cut.before, &cut.after };

	for (size_t i = 0; i < 2; i++)
		if (values[i]->len > VALUE)
			*values[i] = ARENA_JOIN(a, utf8_head(*values[i], VALUE), STR("…"));
	return cut;
}

static struct str when(int64_t time, struct arena *a)
{
	char text[TIME_TEXT];

	return arena_str(a, str_of(time_format(time, text)));
}

/* ---- a table ---------------------------------------------------------------------- */

enum { COLUMNS = 6 };

/* Returns all fields that differ on one line; when none does, the reason of the present state. */
static struct str fields_words(const struct changed_object *o, struct arena *a)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < o->nfields; i++) {
		struct changed_field f = brief(&o->fields[i], a);

		buf_add_cstr(&all, i ? "; " : "");
		buf_add(&all, changed_field_words(&f, a));
	}
	if (!o->nfields && o->word != CHANGE_WORD_GONE)
		buf_add(&all, o->reason.len ? o->reason : words_first_line(o->message));
	return arena_take(a, &all);
}

static void cells_of(const struct changes *c, const struct world *w, size_t i, struct str *out, struct arena *a)
{
	const struct changed_object *o = &c->objects[i];

	out[0] = when(o->time, a);
	out[1] = words_id(&w->kinds, &o->id, a);
	out[2] = o->id.ns;
	out[3] = o->id.cluster;
	out[4] = changed_words(o, a);
	out[5] = fields_words(o, a);
}

/* Prints the changes as a table, without the columns that are empty. */
static void print_table(const struct changes *c, const struct world *w, bool headers, struct buf *out, struct arena *a)
{
	static const char *const titles[COLUMNS] = { "WHEN", "NAME", "NAMESPACE", "CLUSTER", "CHANGE", "FIELDS" };
	struct lines lines = { .arena = a };
	struct table table = { .lines = &lines };
	struct str (*rows)[COLUMNS] = arena_array(a, c->n, sizeof(*rows));
	bool used[COLUMNS] = { false };

	for (size_t i = 0; i < c->n; i++) {
		cells_of(c, w, i, rows[i], a);
		for (size_t k = 0; k < COLUMNS; k++)
			used[k] |= rows[i][k].len > 0;
	}
	for (size_t k = 0; k < COLUMNS; k++)
		if (used[k])
			table.columns[table.ncolumns++] = (struct column){ .title = titles[k] };
	for (size_t i = 0; i < c->n; i++) {
		lines_add(&lines);
		for (size_t k = 0; k < COLUMNS; k++)
			if (used[k])
				lines_cell(&lines, rows[i][k], STYLE_NORMAL);
	}
	plain_table(&(struct plain){ .no_headers = !headers }, &table, out);
}

/* ---- JSON --------------------------------------------------------------------------- */

static struct document field_document(const struct changed_field *f)
{
	struct document d = document_object();

	document_add_string(d, "path", f->path);
	if (!f->hidden && !f->added)
		document_add_string(d, "from", f->before);
	if (!f->hidden && !f->removed)
		document_add_string(d, "to", f->after);
	return d;
}

static struct document object_document(const struct changed_object *o)
{
	struct document d = document_object(), fields;

	document_add_string(d, "group", o->id.group);
	document_add_string(d, "kind", o->id.kind);
	document_add_text(d, "namespace", o->id.ns);
	document_add_string(d, "name", o->id.name);
	document_add_string(d, "cluster", o->id.cluster);
	document_add_string(d, "change", str_of(change_word(o->word)));
	if (o->deselected)
		document_add_bool(d, "deselected", true);
	document_add_time(d, "time", o->time);
	if (o->word != CHANGE_WORD_NEW && o->from_known)
		document_add_string(d, "from", str_of(phase_name(o->from)));
	if (o->word != CHANGE_WORD_GONE)
		document_add_string(d, "to", str_of(phase_name(o->to)));
	if (o->word != CHANGE_WORD_GONE) {
		document_add_text(d, "reason", o->reason);
		document_add_text(d, "message", o->message);
	}
	fields = document_add_array(d, "fields");
	for (size_t i = 0; i < o->nfields; i++)
		document_add(fields, NULL, field_document(&o->fields[i]));
	return d;
}

static void print_json(const struct changes *c, struct buf *out)
{
	struct document_stream s = { .out = out };

	document_open(&s, NULL, '[');
	for (size_t i = 0; i < c->n; i++)
		document_put(&s, object_document(&c->objects[i]));
	document_close(&s, ']');
	buf_add_char(out, '\n');
}

static void print_document(const struct changes *c, enum format format, struct buf *out)
{
	struct buf text = { 0 };

	print_json(c, &text);
	document_form(format, buf_str(&text), out);
	buf_release(&text);
}

void changes_table(const struct changes *changes, const struct world *w, struct buf *out)
{
	struct arena arena = { 0 };

	print_table(changes, w, true, out, &arena);
	arena_release(&arena);
}

void changes_print(const struct changes *changes, const struct world *w, const struct query *q, struct output *out)
{
	struct arena arena = { 0 };

	if (options_is_document(q->options->format))
		print_document(changes, q->options->format, &out->buf);
	else
		print_table(changes, w, !q->options->no_headers, &out->buf, &arena);
	output_flush(out);
	arena_release(&arena);
}
