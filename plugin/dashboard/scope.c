/* SPDX-License-Identifier: Apache-2.0 */
/* What the user chose to see: another namespace, other kinds, another context. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/alloc.h"
#include "plugin/clock.h"
#include "plugin/dashboard/hand_over.h"
#include "plugin/dashboard/keep_pins.h"
#include "plugin/dashboard/opening.h"

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

void scope_load_pins(struct dashboard *d)
{
	struct err err = { 0 };

	if (keep_pins_load(d->p, d->ui, &err) < 0)
		shown_say_err(d, "nothing is pinned: what was pinned cannot be read", &err);
}

void scope_save_pins(struct dashboard *d)
{
	struct err err = { 0 };

	if (d->p->source->asks && keep_pins_save(d->p, d->ui, &err) < 0)
		shown_say_err(d, "what is pinned cannot be kept for later", &err);
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
