/* SPDX-License-Identifier: Apache-2.0 */
/* What the user chose to see: another namespace, other kinds, another context. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/alloc.h"
#include "kube/base/file.h"
#include "plugin/clock.h"
#include "plugin/dashboard/hand_over.h"
#include "plugin/dashboard/opening.h"
#include "plugin/output/whole_file.h"
#include "tui/ui/resume.h"

#include <errno.h>
#include <stdlib.h>

void scope_begin(struct dashboard *d, struct program *p)
{
	d->p = p;
	d->chosen.asked_with = &p->options;
	buf_add(&d->chosen.asked_context, p->source->facts(p).context);
}

void scope_end(struct dashboard *d)
{
	opening_leave(d->chosen.opening);
	xfree(d->chosen.ns);
	xfree(d->chosen.contexts);
	buf_release(&d->chosen.several);
	buf_release(&d->chosen.asked_context);
}

/* Sets which kinds are shown.  With KINDS_ASKED the arguments must have been resolved. */
static void query_kinds(struct dashboard *d)
{
	struct chosen *c = &d->chosen;

	if (c->kinds == KINDS_ASKED)
		d->p->query.what = c->asked;
	else
		d->p->query.what = (struct resolution){ .list = c->only.kind ? &c->only : NULL, .n = c->only.kind ? 1 : 0 };
}

void scope_change(struct dashboard *d, struct scope scope)
{
	struct chosen *c = &d->chosen;

	if (c->kinds == KINDS_ASKED)
		c->asked = d->p->query.what;
	c->kinds = scope.kinds;
	c->only = (struct selection){ .kind = scope.kind };
	query_kinds(d);
	xfree(c->ns);
	c->ns = xstrndup(scope.name.ptr, scope.name.len);
	d->p->query.ns = str_of(c->ns);
	c->answered = true;
	if (d->p->source->facts(d->p).watches)
		d->p->source->ask(d->p);
	shown_header(d);
	ui_changed(d->ui);
	d->effects |= EFFECT_REPAINT;
}

/* ---- what is pinned -------------------------------------------------------------- */

/*
 * The pins of every session on this machine, for each context, are in ~/.kube/kubectl-status.pins.json.  The file has mode 0600 and is
 * replaced as a whole; what it has for contexts that are not shown stays.  Here its most bytes, and the contexts of which pins are kept.
 */
enum { LIMIT_PINS = 1024 * 1024, CONTEXTS = 200 };

static bool pins_file(struct buf *out)
{
	const char *home = getenv("HOME");

	if (home && *home)
		buf_printf(out, "%s/.kube/kubectl-status.pins.json", home);
	return out->len > 0;
}

/* Returns the names of the contexts that are shown, by the index of the cluster; in the arena. */
static const struct str *contexts_of(const struct program *p, struct arena *a, size_t *out_n)
{
	const struct str *all = p->source->contexts(p, a, out_n);
	struct str *only;

	if (*out_n > 1)
		return all;
	only = arena_array(a, 1, sizeof(*only));
	*only = arena_str(a, p->source->facts(p).context);
	*out_n = 1;
	return only;
}

/* Reads the file; JSON_NONE: there is none yet. */
static int read_pins(struct json *out, struct err *err)
{
	struct buf name = { 0 }, text = BUF_MAX(LIMIT_PINS);
	int why = 0, failed = 0;

	*out = JSON_NONE;
	if (pins_file(&name) && file_read(buf_str(&name), &text, &why, err) < 0)
		failed = why == ENOENT ? 0 : -1;
	else if (text.len)
		failed = document_read_verbatim(buf_str(&text), out, err);
	if (!failed && out->node && !str_is(json_str(*out, "kind"), "Pins"))
		failed = err_set(err, ERR_INPUT, "it is no list of pins");
	if (failed) {
		json_free(*out);
		*out = JSON_NONE;
	}
	buf_release(&name);
	buf_release(&text);
	return failed;
}

void scope_load_pins(struct dashboard *d)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	struct json doc;
	size_t n;
	const struct str *contexts = contexts_of(d->p, &a, &n);

	if (read_pins(&doc, &err) < 0)
		shown_say_err(d, "nothing is pinned: what was pinned cannot be read", &err);
	json_foreach(it, json_at(doc, "contexts"))
		for (size_t i = 0; i < n; i++)
			if (str_eq(json_str(it, "context"), contexts[i]))
				ui_resume_pins(d->ui, n > 1 ? contexts[i] : STR_NONE, json_at(it, "pins"));
	json_free(doc);
	arena_release(&a);
}

/* Copies what the file has for other contexts. */
static void copy_others(struct json from, const struct str *contexts, size_t n, struct document to)
{
	struct buf text = { 0 };
	size_t copied = 0;

	json_foreach(it, json_at(from, "contexts")) {
		bool other = json_str(it, "context").len > 0;

		for (size_t i = 0; i < n; i++)
			other &= !str_eq(json_str(it, "context"), contexts[i]);
		if (!other || ++copied > CONTEXTS)
			continue;
		buf_reset(&text);
		json_write(it, &text);
		document_add_raw(to, NULL, buf_str(&text));
	}
	buf_release(&text);
}

void scope_save_pins(struct dashboard *d)
{
	struct arena a = { 0 };
	struct buf text = { 0 }, name = { 0 };
	const struct str *contexts;
	struct document doc, list;
	struct json before;
	struct err err = { 0 };
	size_t n;

	if (!d->p->source->asks)
		return;
	contexts = contexts_of(d->p, &a, &n);
	doc = document_object();
	(void)!read_pins(&before, &(struct err){ 0 });	/* a file that is damaged is replaced */
	document_add_string(doc, "apiVersion", STR("kubectl-status/v1"));
	document_add_string(doc, "kind", STR("Pins"));
	list = document_add_array(doc, "contexts");
	for (size_t i = 0; i < n; i++) {
		struct document of = document_add_object(list, NULL);

		document_add_string(of, "context", contexts[i]);
		ui_describe_pins(d->ui, n > 1 ? contexts[i] : STR_NONE, document_add_array(of, "pins"));
	}
	copy_others(before, contexts, n, list);
	document_print(doc, &text);
	buf_add_char(&text, '\n');
	if (!pins_file(&name))
		err_set(&err, ERR_SYSTEM, "HOME is not set");
	if (!name.len || whole_file_write(buf_cstr(&name), buf_str(&text), &err) < 0)
		shown_say_err(d, "what is pinned cannot be kept for later", &err);
	json_free(before);
	document_free(doc);
	buf_release(&text);
	buf_release(&name);
	arena_release(&a);
}

/* ---- another context --------------------------------------------------------------- */

void scope_list_contexts(struct dashboard *d)
{
	struct chosen *c = &d->chosen;
	size_t n;
	const struct str *all = d->p->source->choices(d->p, &n);

	c->contexts = xreallocarray(c->contexts, n + 1, sizeof(*c->contexts));
	for (size_t i = 0; i < n; i++)
		c->contexts[i] = all[i];
	if (c->several.len)
		c->contexts[n++] = buf_str(&c->several);
	c->ncontexts = n;
}

int scope_open_history(struct dashboard *d, struct err *err)
{
	struct program *p = d->p;
	struct str context = p->source->facts(p).context;
	struct arena a = { 0 };
	const char *name = NULL, *preferred;

	if (!p->source->asks)
		return 0;
	if (str_eq(context, buf_str(&d->chosen.asked_context)))
		name = d->chosen.asked_with->history;
	preferred = name ? NULL : preferences_flight(&p->preferences, context, &a);
	if (name || preferred)
		p->past = history_new(p, name ? name : preferred, err);
	if (preferred && !p->past)
		world_notice(&p->world, (struct notice){ .kind = STR("history"), .message = str_of(err->msg) });
	d->moments.opens_at = p->past ? p->opens_at : 0;
	arena_release(&a);
	return p->past || !name ? 0 : -1;
}

/*
 * Shows the world of another program.  Everything known of the previous one is freed; the terminal and the user's
 * preferences stay.
 */
static void show_program(struct dashboard *d, struct program *next)
{
	struct program *left = d->p;
	struct fetch *fetch = d->fetch;

	if (d->copies_at)
		picture_copy(d);
	moments_leave(d);
	d->p = next;
	d->fetch = fetch_new(next);
	d->chosen.only = (struct selection){ .kind = NULL };
	d->chosen.kinds = KINDS_ASKED;
	d->chosen.answered = true;
	scope_list_contexts(d);
	if (scope_open_history(d, &(struct err){ 0 }) < 0)
		next->past = NULL;	/* the directory was there when the program began */
	ui_reset(d->ui);
	scope_load_pins(d);
	timers_put_off(&d->timers);
	picture_paint(d);
	/* Free the previous program after the picture, so that nobody waits for it, and its source first, which may answer until then. */
	left->source->close(left);
	hand_over_leave(d->hand_over);
	d->looked.n = 0;
	fetch_free(fetch);
	opening_leave(left);
}

static void drop_opening(struct dashboard *d)
{
	opening_leave(d->chosen.opening);
	d->chosen.opening = NULL;
	d->effects |= EFFECT_REPAINT;
}

void scope_change_context(struct dashboard *d, struct str name)
{
	struct chosen *c = &d->chosen;
	struct program *p = d->p;
	struct err err = { 0 };

	d->effects |= EFFECT_REPAINT;
	if (!p->source->asks || p->recorder || p->flight) {
		ui_say(d->ui, p->source->asks ? STR("a recording is written: it is of one context") :
						STR("there is no cluster to switch to"), clock_now());
		return;
	}
	drop_opening(d);
	if (str_eq(name, p->source->facts(p).context))
		return;
	c->opening = opening_new(p, name, str_eq(name, buf_str(&c->several)) ? c->asked_with : NULL, &err);
	if (!c->opening)
		shown_say_err(d, "cannot switch", &err);
}

/* Goes on opening the context that was chosen, and shows it once it has answered. */
static void open_more(struct dashboard *d)
{
	struct program *opening = d->chosen.opening;
	struct err err = { 0 };
	int result = opening_step(opening, &err);

	if (result < 0) {
		shown_say_err(d, "cannot switch", &err);
		drop_opening(d);
	} else if (result == 0 && !hand_over_deadline(d->hand_over)) {
		d->chosen.opening = NULL;
		show_program(d, opening);
	}
}

void scope_connect_more(struct dashboard *d)
{
	struct program *p = d->p;
	int result;

	if (d->chosen.opening) {
		open_more(d);
		return;
	}
	if (!p->source->asks || p->source->facts(p).watches)
		return;
	result = program_connect_step(p, &d->failed);
	d->quit |= result < 0;
	/* a kind was chosen before the arguments were resolved */
	if (result == 0 && d->chosen.kinds != KINDS_ASKED) {
		d->chosen.asked = p->query.what;
		query_kinds(d);
		p->source->ask(p);
	}
	if (result <= 0)
		d->effects |= EFFECT_REPAINT;
}

/*
 * Cancels the opening of another context for Esc.  While the first context is opened there is nothing to go back to, so
 * the dashboard ends.
 */
void scope_cancel(struct dashboard *d)
{
	if (d->chosen.opening)
		drop_opening(d);
	else
		d->quit = true;
}
