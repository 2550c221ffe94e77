/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts a rules file from the existing objects and the definition of their kind. */
#include "plugin/user_rules.h"

#include "kube/base/map.h"
#include "kube/base/time.h"
#include "kube/model/yaml.h"
#include "plugin/clock.h"
#include "plugin/files.h"

#include <string.h>

enum { VALUES = 40 }; /* the most different texts of one sort that a draft lists */

/* How often a text was seen, and with which outcome. */
struct seen {
	unsigned n, is_true, is_false;
	enum phase phase;
	enum polarity polarity;
};

struct draft {
	struct program *p;
	struct arena arena;
	struct str type;	/* the type as it was typed, without its group */
	struct str group, kind, plural;
	struct map words;	/* the words of the field, each with its struct seen */
	struct map conditions, references;
	struct str field;	/* the field of the status that holds the word */
	struct buf examples;
	unsigned objects, phases;	/* phases: one bit for each phase that has an example */
	bool has_status;
};

static struct seen *note(struct draft *d, struct map *in, struct str key, unsigned times)
{
	struct seen *s = map_get(in, key);

	if (!s && map_count(in) < VALUES) {
		s = arena_alloc(&d->arena, sizeof(*s));
		map_set(in, key, s);
	}
	if (s)
		s->n += times;
	return s;
}

/* ---- the definition ---------------------------------------------------------- */

static bool is_named(const struct draft *d, struct json names)
{
	if (str_eq_nocase(json_str(names, "kind"), d->type) || str_eq_nocase(json_str(names, "plural"), d->type) ||
	    str_eq_nocase(json_str(names, "singular"), d->type))
		return true;
	json_foreach(s, json_at(names, "shortNames"))
		if (str_eq(json_str(s, ""), d->type))
			return true;
	return false;
}

static bool is_word_field(struct str key)
{
	static const char *const names[] = { "phase", "state", "status", "health", "currentState", "currentPhase", NULL };

	return str_is_any(key, names) || str_ends(key, "Phase") || str_ends(key, "State") || str_ends(key, "Status");
}

static void read_definition(struct draft *d, struct json definition)
{
	struct json names = json_at(definition, "spec.names");

	if (!str_is(json_str(definition, "kind"), "CustomResourceDefinition") || !is_named(d, names))
		return;
	d->group = arena_str(&d->arena, json_str(definition, "spec.group"));
	d->kind = arena_str(&d->arena, json_str(names, "kind"));
	d->plural = arena_str(&d->arena, json_str(names, "plural"));
	json_foreach(version, json_at(definition, "spec.versions"))
	{
		struct json status = json_at(version, "schema.openAPIV3Schema.properties.status.properties");

		d->has_status |= json_count(status) > 0;
		json_foreach(field, status)
		{
			if (!is_word_field(json_key(field)) || !str_is(json_str(field, "type"), "string"))
				continue;
			if (d->field.len == 0)
				d->field = arena_str(&d->arena, json_key(field));
			json_foreach(value, json_at(field, "enum"))
				if (str_eq(d->field, json_key(field)) && json_str(value, "").len)
					note(d, &d->words, json_str(value, ""), 0);
		}
	}
}

/* ---- the objects -------------------------------------------------------------- */

static bool is_meant(const struct draft *d, struct json object)
{
	struct str kind = json_str(object, "kind"), api = json_str(object, "apiVersion");
	struct str group = str_find(api, '/') < api.len ? str_head(api, str_find(api, '/')) : STR_NONE;

	if (d->kind.len)
		return str_eq(kind, d->kind) && str_eq(group, d->group);
	if (str_eq_nocase(kind, d->type))
		return true;
	/* the plural: "widgets" */
	return d->type.len == kind.len + 1 && str_eq_nocase(str_head(d->type, kind.len), kind);
}

static void find_word(struct draft *d, struct json status)
{
	json_foreach(field, status)
		if (d->field.len == 0 && is_word_field(json_key(field)) && json_str(field, "").len)
			d->field = arena_str(&d->arena, json_key(field));
}

static void add_example(struct draft *d, struct json object, const struct item *item)
{
	struct buf status = { 0 };
	struct str rest, line;

	if ((d->phases & 1u << item->s.phase) || !json_has(object, "status"))
		return;
	d->phases |= 1u << item->s.phase;
	yaml_from_json(json_at(object, "status"), &status);
	BUF_JOIN(&d->examples, STR("- name: TODO\n  phase: "), str_of(phase_name(item->s.phase)),
		 STR("\n  object:\n    apiVersion: "), json_str(object, "apiVersion"), STR("\n    kind: "),
		 json_str(object, "kind"), STR("\n    status:\n"));
	rest = str_trim(buf_str(&status));
	while (str_split(&rest, '\n', &line))
		buf_printf(&d->examples, "      " STR_FMT "\n", STR_ARG(line));
	buf_release(&status);
}

static void note_conditions(struct draft *d, const struct status *st)
{
	for (size_t i = 0; i < st->nconditions; i++) {
		const struct condition *c = &st->conditions[i];
		struct seen *s = note(d, &d->conditions, c->type, 1);

		if (!s)
			continue;
		s->is_true += str_eq_nocase(c->status, STR("True"));
		s->is_false += str_eq_nocase(c->status, STR("False"));
		s->polarity = c->polarity;
	}
}

static void note_references(struct draft *d, const struct item *item)
{
	for (size_t i = 0; i < item->ndependencies; i++) {
		const struct dependency *dep = &item->dependencies[i];
		struct buf path = { 0 };
		bool inside = false;

		if (dep->relation != RELATION_NEEDS || !str_starts(dep->via, "spec."))
			continue;
		/* leave out indexes: spec.volumes[3].secretRef becomes spec.volumes[].secretRef */
		for (size_t k = 0; k < dep->via.len; k++) {
			inside &= dep->via.ptr[k] != ']';
			if (!inside)
				buf_add_char(&path, dep->via.ptr[k]);
			inside |= dep->via.ptr[k] == '[';
		}
		buf_printf(&path, "\", kind: " STR_FMT, STR_ARG(dep->on.kind));
		if (!str_eq(dep->on.group, d->group))
			buf_printf(&path, ", group: \"" STR_FMT "\"", STR_ARG(dep->on.group));
		note(d, &d->references, buf_str(&path), 1);
		buf_release(&path);
	}
}

static void read_object(struct draft *d, struct json object)
{
	struct engine_source from = { 0 };
	struct handle h = HANDLE_NONE;
	struct world *w = &d->p->world;
	struct json status = json_at(object, "status");
	struct arena arena = { 0 };
	struct item item;
	struct str word;
	struct seen *s;

	if (!is_meant(d, object))
		return;
	engine_put(w->engine, &from, object, w->now, &h);
	world_settle(w);
	if (!h.slot || !graph_item(w->graph, h, &arena, &item)) {
		arena_release(&arena);
		return;
	}
	if (d->kind.len == 0) {
		d->kind = arena_str(&d->arena, item.s.id.kind);
		d->group = arena_str(&d->arena, item.s.id.group);
	}
	d->objects++;
	find_word(d, status);
	word = json_str(json_member(status, d->field), "");
	s = word.len ? note(d, &d->words, word, 1) : NULL;
	if (s && s->n == 1)
		s->phase = item.s.phase;
	note_conditions(d, &item.status);
	note_references(d, &item);
	add_example(d, object, &item);
	arena_release(&arena);
}

/* ---- the text ------------------------------------------------------------------ */

/* Returns the phase that the word itself means, else that of the first object which had the word. */
static enum phase phase_of_word(struct str word, const struct seen *s)
{
	switch (word_class(word)) {
	case WORD_OK: return PHASE_READY;
	case WORD_BAD: return PHASE_FAILED;
	case WORD_SUSPENDED: return PHASE_SUSPENDED;
	case WORD_PROGRESS: return PHASE_UPDATING;
	default: return s->n ? s->phase : PHASE_UNKNOWN;
	}
}

static void put_words(const struct draft *d, struct buf *out)
{
	if (map_count(&d->words) == 0)
		return;
	buf_printf(out, "  word: status." STR_FMT "\n  words: # check each: is this what it means?\n", STR_ARG(d->field));
	for (struct map_entry *e = map_next(&d->words, NULL); e; e = map_next(&d->words, e)) {
		const struct seen *s = map_value(e);

		BUF_JOIN(out, STR("    \""), map_key(e), STR("\": "), str_of(phase_name(phase_of_word(map_key(e), s))),
			 STR(" # "));
		if (s->n)
			buf_printf(out, s->n == 1 ? "seen once\n" : "seen %u times\n", s->n);
		else
			buf_add_cstr(out, "not seen, only in the schema\n");
	}
}

static void put_conditions(const struct draft *d, struct buf *out)
{
	static const char *const names[] = { "", "positive", "negative", "transitional" };

	if (map_count(&d->conditions) == 0)
		return;
	buf_add_cstr(out, "  # Conditions that were seen, as the general rules read them. Where one is wrong, write a row:\n"
			  "  # conditions:\n");
	for (struct map_entry *e = map_next(&d->conditions, NULL); e; e = map_next(&d->conditions, e)) {
		const struct seen *s = map_value(e);
		struct str type = map_key(e);

		buf_printf(out, "  # - {type: " STR_FMT ", polarity: %s} # True %u, False %u\n", STR_ARG(type),
			   s->polarity == POLARITY_UNKNOWN ? "ignored" : names[s->polarity], s->is_true, s->is_false);
	}
}

static void put_references(const struct draft *d, struct buf *out)
{
	if (map_count(&d->references) == 0)
		return;
	buf_add_cstr(out, "  references: # waits: true where it cannot go on without; exists: true where being there is enough\n");
	for (struct map_entry *e = map_next(&d->references, NULL); e; e = map_next(&d->references, e))
		BUF_JOIN(out, STR("  - {path: \""), map_key(e), STR("}\n"));
}

static void put_draft(const struct draft *d, struct buf *out)
{
	size_t before;

	buf_printf(out, "# A draft made from %u %s: correct it, then check it with \"rules check FILE\"\n", d->objects,
		   d->objects == 1 ? "object" : "objects");
	buf_printf(out, "apiVersion: kubectl-status/v1\nkind: Rules\ntitle: TODO\nsource: TODO # the type or the document that says so\n"
			"groups: [" STR_FMT "]\n# controllers: [{namespace: TODO, deployment: TODO}]\n",
		   STR_ARG(d->group));
	buf_printf(out, "kinds:\n- kind: " STR_FMT "\n", STR_ARG(d->kind));
	before = out->len;
	put_words(d, out);
	put_references(d, out);
	if (out->len == before)
		buf_printf(out, "  static: %s\n", d->has_status || d->examples.len ? "false" : "true # no status was seen");
	put_conditions(d, out);
	if (d->examples.len)
		BUF_JOIN(out, STR("examples: # as they are judged now: put right what is wrong\n"), buf_str(&d->examples));
}

/* ---- where from ------------------------------------------------------------------ */

static int from_file(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	(void)list_kind, (void)err;
	read_object(ctx, object);
	return 0;
}

static int definition_from_file(void *ctx, struct json object, struct str list_kind, struct err *err)
{
	(void)list_kind, (void)err;
	read_definition(ctx, object);
	return 0;
}

/* Reads the definition before the objects, wherever in the files it is. */
static void from_files(struct draft *d)
{
	struct files files = { d->p->options.filename.values, d->p->options.recursive, false };

	files_each(&files, &(struct object_ops){ definition_from_file }, d);
	files_each(&files, &(struct object_ops){ from_file }, d);
}

static void from_live(void *ctx, struct json object)
{
	read_object(ctx, object);
}

static void definition_from_live(void *ctx, struct json object)
{
	read_definition(ctx, object);
}

/* Lists once what the arguments name, and calls object() with each object.  Returns -1 with err. */
static int ask(struct draft *d, const char **args, void (*object)(void *ctx, struct json object), struct err *err)
{
	struct options o = d->p->options;
	struct world w;
	struct query query = { 0 };
	struct live_options lo = { .options = &o, .world = &w, .query = &query, .once = true, .interactive = true,
				   .object = object, .object_ctx = d };
	struct live *live;
	int result = -1;

	o.args = args;
	o.nargs = 0;
	while (args[o.nargs])
		o.nargs++;
	o.all_namespaces = o.namespace == NULL;
	world_init(&w, false);
	w.now = clock_now();
	live = live_new(&lo, err);
	if (live && (result = live_connect(live, err)) == 0) {
		live_start(live);
		result = live_settle(live, err);
		if (query.what.n && !d->plural.len) {
			d->plural = arena_str(&d->arena, query.what.list[0].kind->plural);
			d->group = arena_str(&d->arena, query.what.list[0].kind->group);
		}
	}
	live_free(live);
	query_release(&query);
	world_release(&w);
	return result;
}

static int from_cluster(struct draft *d, const char *type, struct err *err)
{
	const char *objects[] = { type, NULL }, *definition[3] = { "customresourcedefinitions.apiextensions.k8s.io", NULL, NULL };
	struct err ignored = { 0 };

	if (ask(d, objects, from_live, err) < 0)
		return -1;
	if (d->plural.len && d->group.len) {
		definition[1] = arena_printf(&d->arena, STR_FMT "." STR_FMT, STR_ARG(d->plural), STR_ARG(d->group)).ptr;
		/* without permission to read the definition the draft is made from the objects alone */
		d->type = d->plural;
		(void)!ask(d, definition, definition_from_live, &ignored);
	}
	return 0;
}

static int no_draft(const char *type, struct err *err)
{
	err_set(err, ERR_INPUT, "no objects and no CustomResourceDefinition of the type \"%s\"", type);
	return err_hint(err, "a draft is made from one of them, of a cluster or of -f FILE");
}

int rules_draft(struct program *p, const char *type, struct err *err)
{
	struct draft d = { .p = p };
	struct str typed = str_of(type);
	int result = 0;

	p->world.now = p->options.as_of ? time_parse(str_of(p->options.as_of)) : clock_now();
	d.type = str_head(typed, str_find(typed, '.'));
	if (p->options.filename.n)
		from_files(&d);
	else
		result = from_cluster(&d, type, err);
	if (result == 0 && d.kind.len == 0)
		result = no_draft(type, err);
	if (result == 0) {
		put_draft(&d, &p->out.buf);
		output_flush(&p->out);
	}
	map_release(&d.words);
	map_release(&d.conditions);
	map_release(&d.references);
	buf_release(&d.examples);
	arena_release(&d.arena);
	return result;
}
